/*
 * svm_mapped.c - fits support vector machines to mapped rows, problem by problem.
 */
#include "core/svm/svm_kernel.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-5 /* of the gap, as a share of the objective */
#define MAX_ITER 200

MappedSvm *svm_mapped(Env *env, Rows *rows, const Options *options, uint32_t problems, const double *factors, const char *method)
{
    MappedSvm *svm = env_array(env, 1, sizeof(MappedSvm));
    Kernel kernel = kernel_of_options(env, options, NULL);
    Approximation approximation = approximation_of_options(env, options, &kernel);
    size_t bytes;

    svm->env = env;
    svm->problems = problems;
    svm->map = feature_map(feature_map_sample(env, rows, &kernel, options, method), approximation, options);
    bytes = mapped_margin_bytes(svm->map, rows_count(rows)) + (size_t)problems * svm->map->features * sizeof(double);
    env_require_memory(env, bytes, method);
    svm->problem = (MappedMargin){.map = svm->map,
                                  .rows = mapped_rows(svm->map, mapped_room(svm->map, bytes)),
                                  .method = method,
                                  .factors = factors,
                                  .C = 1,
                                  .nu = NAN,
                                  .tolerance = options_given(options, "tolerance") ? options_number(options, "tolerance") : TOLERANCE,
                                  .max_iter = options_given(options, "max_iter") ? options_integer(options, "max_iter") : MAX_ITER};
    svm->weights = env_array(env, problems, svm->map->features * sizeof(double));
    svm->intercepts = env_array(env, problems, sizeof(double));
    return svm;
}

void svm_mapped_solve(MappedSvm *svm, uint32_t problem, const int8_t *signs)
{
    MappedMarginResult result;

    svm->problem.signs = signs;
    result = mapped_margin(&svm->problem);
    memcpy(svm->weights + (size_t)problem * svm->map->features, result.weights, svm->map->features * sizeof(double));
    /* rows on the border of one class are inside, although the smoothing puts them outside by less than its width */
    svm->intercepts[problem] = result.intercept + (isnan(svm->problem.nu) ? 0 : result.width);
    svm->objective += result.objective;
    svm->gap += fmax(result.gap, 0);
    if (result.iterations > svm->iterations)
        svm->iterations = result.iterations;
    svm->unfinished += !result.converged;
}

void svm_mapped_finish(MappedSvm *svm, ModelBuilder *builder)
{
    double square = 0;

    if (svm->unfinished > 0)
        env_warn(svm->env, ERROR_DATA,
                 isnan(svm->problem.nu) ? "Raise \"max_iter\" or \"tolerance\", or lower \"C\"."
                                       : "Raise \"max_iter\", \"tolerance\" or \"nu\".",
                 "%s stopped after %lld pass%s before it converged%s", svm->problem.method, (long long)svm->iterations, svm->iterations == 1 ? "" : "es",
                 svm->problems > 1 ? " in some binary problems" : "");
    for (uint32_t j = 0; j < svm->map->features; j++)
        square += svm->weights[j] * svm->weights[j];
    if (svm->problems == 1 && svm->problem.signs != NULL && square > 0)
        builder_fact(builder, "margin", 1 / sqrt(square));
    builder_fact(builder, "objective", svm->objective);
    builder_fact(builder, "gap", svm->gap);
    builder_fact_i64(builder, "iterations", svm->iterations);
    builder_fact_i64(builder, "kernel_evaluations", (int64_t)svm->map->evaluations);
    builder_fact_bool(builder, "converged", svm->unfinished == 0);
    rows_free(svm->problem.rows);
    feature_map_add(svm->env, svm->map, svm->problems, svm->weights, svm->intercepts, builder);
}
