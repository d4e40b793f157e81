/*
 * ensembles.c - joins fitted models into one.
 */
#include "pg/backend/backend_env.h"
#include "core/tree/ensemble.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

/* Returns the models of an array after those in `first`, and their number. Fails if one is NULL. */
static const Model **array_models(ArrayType *array, const Model *first, uint32_t *number)
{
    const Model **models;
    Datum *values;
    bool *nulls, by_value;
    int16 length;
    char alignment;
    int count;

    get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
    deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &values, &nulls, &count);
    models = palloc((count + 1) * sizeof(*models));
    *number = 0;
    if (first != NULL)
        models[(*number)++] = first;
    for (int i = 0; i < count; i++) {
        if (nulls[i])
            env_fail(host_env(), ERROR_PARAMETER, "Leave it out, as in array_agg(m) FILTER (WHERE m IS NOT NULL).",
                     "model %u of the ensemble is null", *number + 1);
        models[(*number)++] = sound_model(values[i]);
    }
    return models;
}

PG_FUNCTION_INFO_V1(pgfit_ensemble);
PGDLLEXPORT Datum pgfit_ensemble(PG_FUNCTION_ARGS)
{
    uint32_t count;
    const Model **models = array_models(PG_GETARG_ARRAYTYPE_P(1), PG_GETARG_SOUND_MODEL(0), &count);

    PG_RETURN_MODEL(ensemble_build(host_env(), models, count, NULL, 0));
}

PG_FUNCTION_INFO_V1(pgfit_ensemble_array);
PGDLLEXPORT Datum pgfit_ensemble_array(PG_FUNCTION_ARGS)
{
    char *json = NULL;
    uint32_t count;
    const Model **models = array_models(PG_GETARG_ARRAYTYPE_P(0), NULL, &count);

    if (PG_NARGS() > 1) {
        Jsonb *options = PG_GETARG_JSONB_P(1);

        json = JsonbToCString(NULL, &options->root, VARSIZE(options));
    }
    PG_RETURN_MODEL(ensemble_build(host_env(), models, count, json, json != NULL ? strlen(json) : 0));
}
