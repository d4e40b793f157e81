/*
 * svm_mapped.c - fits support vector machines to mapped rows, problem by problem.
 */
#include "core/svm/svm_mapped.h"

#include "core/estimator/multiclass.h"
#include "core/svm/mapped_margin.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-5 /* of the gap, as a share of the objective */
#define MAX_ITER 200

typedef struct MappedSvm {
    Env *env;
    FeatureMap *map;
    MappedMargin problem;
    uint32_t problems;
    double *weights;    /* [problems x features] */
    double *intercepts; /* [problems] */
    double objective, gap;
    int64_t iterations;
    uint32_t unfinished;
} MappedSvm;

/* ---- options ---- */

bool svm_is_approximate(Env *env, const Options *options)
{
    Kernel kernel = kernel_of_options(env, options, NULL);

    return approximation_of_options(env, options, &kernel) != APPROXIMATION_NONE;
}

void svm_refuse_approximation(Env *env, const Options *options, const char *method)
{
    Kernel kernel = kernel_of_options(env, options, NULL);

    if (!options_is(options, "approximation", "none"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or give another \"kernel\", such as \"rbf\".",
                 "\"approximation\": \"%s\" of %s is not for \"kernel\": \"linear\", which is fitted exactly to any number of rows",
                 options_string(options, "approximation"), method);
    approximation_of_options(env, options, &kernel);
}

/* Fails if an option is given that only exact fits have. */
static void refuse_options(Env *env, const Options *options, const char *method)
{
    static const char *const exact_only[] = {"nu", "shrinking", NULL};

    for (unsigned i = 0; exact_only[i] != NULL; i++)
        if (options_given(options, exact_only[i]))
            env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"approximation\": \"none\".",
                     "option \"%s\" of %s is not for \"approximation\": \"%s\"", exact_only[i], method,
                     options_string(options, "approximation"));
    if (options_is(options, "C", "hard"))
        env_fail(env, ERROR_PARAMETER, "Give a number, or set \"approximation\": \"none\".",
                 "\"C\": \"hard\" of %s is not for \"approximation\": \"%s\", whose features need not separate what the kernel separates",
                 method, options_string(options, "approximation"));
    if (options_has(options, "intercept") && !options_boolean(options, "intercept"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"kernel\": \"linear\".",
                 "\"intercept\": false of %s is for linear kernels, not for \"kernel\": \"%s\"", method,
                 options_string(options, "kernel"));
}

/* ---- problems ---- */

static MappedSvm *open_svm(Env *env, Rows *rows, const Options *options, uint32_t problems, const char *method)
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
                                  .C = 1,
                                  .nu = NAN,
                                  .tolerance = options_given(options, "tolerance") ? options_number(options, "tolerance") : TOLERANCE,
                                  .max_iter = options_given(options, "max_iter") ? options_integer(options, "max_iter") : MAX_ITER};
    svm->weights = env_array(env, problems, svm->map->features * sizeof(double));
    svm->intercepts = env_array(env, problems, sizeof(double));
    return svm;
}

static void solve(MappedSvm *svm, uint32_t problem, const int8_t *signs)
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

/* Warns if a problem did not converge, and adds arrays and facts. */
static void finish(MappedSvm *svm, ModelBuilder *builder)
{
    double square = 0;

    if (svm->unfinished > 0)
        env_warn(svm->env, ERROR_DATA,
                 isnan(svm->problem.nu) ? "Raise \"max_iter\" or \"tolerance\", or lower \"C\"."
                                       : "Raise \"max_iter\", \"tolerance\" or \"nu\".",
                 "%s stopped after %lld passes before it converged%s", svm->problem.method, (long long)svm->iterations,
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

/* ---- fits ---- */

Model *svm_mapped_classifier(Env *env, const FitInput *input, const Options *options, const double *factors, const char *method,
                             ModelBuilder *builder)
{
    ClassSet classes = class_set(env, rows_schema(input->rows));
    double stored_rule[3];
    ClassRule rule;
    CodeBook *book;
    MappedSvm *svm;

    refuse_options(env, options, method);
    rule = class_rule_read(&classes, options);
    book = multiclass_book_or(&classes, options, rule.positive, MULTICLASS_OVO);
    svm = open_svm(env, input->rows, options, book->problems, method);
    svm->problem.C = options_number(options, "C");
    svm->problem.factors = factors;
    for (uint32_t p = 0; p < book->problems; p++)
        solve(svm, p, multiclass_problem(env, book, method, p));
    finish(svm, builder);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, book);
    return model_build(builder);
}

Model *svm_mapped_regression(Env *env, const FitInput *input, const Options *options, const char *method, ModelBuilder *builder)
{
    MappedSvm *svm;

    refuse_options(env, options, method);
    svm = open_svm(env, input->rows, options, 1, method);
    svm->problem.C = options_number(options, "C");
    svm->problem.epsilon = options_number(options, "epsilon");
    solve(svm, 0, NULL);
    finish(svm, builder);
    return model_build(builder);
}

Model *svm_mapped_one_class(Env *env, const FitInput *input, const Options *options, const char *method, ModelBuilder *builder)
{
    MappedSvm *svm = open_svm(env, input->rows, options, 1, method);

    svm->problem.nu = options_number(options, "nu");
    solve(svm, 0, NULL);
    finish(svm, builder);
    return model_build(builder);
}
