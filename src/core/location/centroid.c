/*
 * centroid.c - the mean of the rows, and the sum of their squared distances from it; the array and the score of all models that consist of one point.
 */
#include "core/location/location_model.h"
#include "core/linalg/vector_loops.h"

const ArraySpec center_arrays[1] = {{.name = "center", .type = ARRAY_F64, .rows = {SIZE_SLOTS}}};
const ArraySpec center_facts[3] = {FACT("distance_evaluations", ARRAY_I64), FACT("objective", ARRAY_F64), FACT("scatter", ARRAY_F64)};
const ArrayTable center_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(center_arrays), FACT_TABLE(center_facts));

static double center_distance(const Model *model, const void *prepared, const double *slots)
{
    uint32_t count;
    const double *center = model_f64(model, "center", &count);

    return loop_norm(slots, center, count);
}

const Scoring center_scoring = {.distance = center_distance};

static Model *centroid_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                           ModelBuilder *builder)
{
    ScatterDesign *design;
    double scatter = 0, *center;
    uint32_t terms;

    design = moments_squares(env, input->moments, CODING_FULL);
    terms = design->terms;
    center = env_array_raw(env, (size_t)terms + 1, sizeof(double));
    for (uint32_t t = 0; t < terms; t++) {
        center[t] = design->means[t];
        scatter += design->scatter[t];
    }
    builder_f64(builder, SECTION_ARRAYS, "center", center, terms);
    builder_fact(builder, "scatter", scatter);
    return model_build(builder);
}

const Estimator estimator_centroid = {
    .name = "centroid",
    .task = TASK_DESCRIPTION,
    .input = INPUT_FEATURE_MOMENTS,
    .diagonal = true,
    .numeric = true,
    .options = OPTION_TABLES(options_common),
    .help = "The mean of the rows: the point with the least sum of squared distances to them.",
    .source = "Steinhaus (1956)",
    .fit = centroid_fit,
    .arrays = center_array_tables,
    .scoring = &center_scoring,
};
