/*
 * location_model.c - the array and the score of models that consist of one point.
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
