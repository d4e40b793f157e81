/*
 * ensembles.c - joins fitted models into one.
 */
#include "pg/host/backend_env.h"
#include "core/ensemble/ensemble.h"
#include "pg/score/model_array.h"

#include "utils/jsonb.h"

/* Returns the models of an array after `first`, and their number. */
static const Model **member_models(ArrayType *array, const Model *first, uint32_t *number)
{
    return model_array(array, first, "model", " of the ensemble", "Leave it out, as in array_agg(m) FILTER (WHERE m IS NOT NULL).",
                       number);
}

PG_FUNCTION_INFO_V1(pgfit_ensemble);
PGDLLEXPORT Datum pgfit_ensemble(PG_FUNCTION_ARGS)
{
    uint32_t count;
    const Model **models = member_models(PG_GETARG_ARRAYTYPE_P(1), PG_GETARG_SOUND_MODEL(0), &count);

    PG_RETURN_MODEL(ensemble_build(host_env(), models, count, NULL, 0));
}

PG_FUNCTION_INFO_V1(pgfit_ensemble_array);
PGDLLEXPORT Datum pgfit_ensemble_array(PG_FUNCTION_ARGS)
{
    char *json = NULL;
    uint32_t count;
    const Model **models = member_models(PG_GETARG_ARRAYTYPE_P(0), NULL, &count);

    if (PG_NARGS() > 1) {
        Jsonb *options = PG_GETARG_JSONB_P(1);

        json = JsonbToCString(NULL, &options->root, VARSIZE(options));
    }
    PG_RETURN_MODEL(ensemble_build(host_env(), models, count, json, json != NULL ? strlen(json) : 0));
}
