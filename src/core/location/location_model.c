/*
 * location_model.c - checking and scoring models of one point.
 */
#include "core/location/location_model.h"
#include "core/linalg/vector_loops.h"
#include "core/base/all_finite.h"

const char *center_check(const Model *model)
{
    uint32_t length = 0;
    const double *center = model_f64(model, "center", &length);

    if (center == NULL || length != model->slot_count)
        return "there is no array \"center\" of as many numbers as features";
    return all_finite(center, length) ? NULL : "\"center\" is not finite";
}

const char *center_check_numbers(Env *env, const Model *model)
{
    return schema_all_numeric(model) ? center_check(model)
                                     : "a model of this kind has no categorical features";
}

static double center_distance(const Model *model, const void *prepared, const double *slots)
{
    uint32_t count;
    const double *center = model_f64(model, "center", &count);

    return loop_norm(slots, center, count);
}

const Scoring center_scoring = {.distance = center_distance};
