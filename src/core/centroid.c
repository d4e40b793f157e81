/*
 * centroid.c - the mean of the rows, and how far they spread about it.
 */
#include "distance_loops.h"
#include "estimator.h"

#include <math.h>

extern const Estimator estimator_centroid;

static const OptionSpec centroid_options[] = {{.name = NULL}};

static Model *centroid_fit(Env *env, const Evidence *evidence, const Options *options)
{
    ScatterDesign *design;
    ModelBuilder *builder;
    double scatter = 0, *center;
    uint32_t terms;

    if (evidence->moments->rows == 0)
        return NULL;
    schema_require_numbers(env, evidence->moments, "centroid");
    design = moments_scatter(env, evidence->moments, CODING_FULL);
    terms = design->terms;
    center = env_array_raw(env, (size_t)terms + 1, sizeof(double));
    for (uint32_t t = 0; t < terms; t++) {
        center[t] = design->means[t];
        scatter += design->scatter[(size_t)t * (t + 3) / 2];
    }
    builder = fit_begin(env, &estimator_centroid, evidence, options);
    builder_f64(builder, SECTION_ARRAYS, "center", center, terms, 0);
    builder_fact(builder, "scatter", scatter);
    moments_scatter_free(env, design);
    return model_build(builder);
}

static const char *centroid_check(Env *env, const Model *model)
{
    uint32_t length = 0;
    const double *center = model_f64(model, "center", &length);

    if (center == NULL || length != model->slot_count)
        return "centroid needs an array \"center\" of as many numbers as features";
    if (!schema_all_numeric(model))
        return "centroid has no categorical features";
    for (uint32_t i = 0; i < length; i++)
        if (!isfinite(center[i]))
            return "\"center\" is not finite";
    return NULL;
}

static double centroid_distance(const Model *model, const void *prepared, const double *slots)
{
    uint32_t count;
    const double *center = model_f64(model, "center", &count);

    return loop_norm(slots, center, count);
}

static const Scoring centroid_scoring = {.distance = centroid_distance};

const Estimator estimator_centroid = {
    .name = "centroid",
    .task = TASK_DESCRIPTION,
    .evidence = EVIDENCE_FEATURE_MOMENTS,
    .supervised = false,
    .options = centroid_options,
    .help = "The mean of the rows: the point with the least sum of squared distances to them.",
    .source = "Steinhaus (1956)",
    .fit = centroid_fit,
    .check = centroid_check,
    .scoring = &centroid_scoring,
};
