/*
 * projections.c - tail_probability and inverse_transform.
 */
#include "pg/score/scoring.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(pgfit_tail_probability);
PGDLLEXPORT Datum pgfit_tail_probability(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;

    if (scoring->tail == NULL)
        fail_unsupported(call->scorer, "tail_probability");
    return give_score(fcinfo, call, scoring->tail);
}

PG_FUNCTION_INFO_V1(pgfit_inverse_transform);
PGDLLEXPORT Datum pgfit_inverse_transform(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;
    ArrayType *scores = PG_GETARG_ARRAYTYPE_P(1);
    const double *numbers;
    double *features;
    uint32 width, given;

    if (scoring->inverse == NULL)
        fail_unsupported(call->scorer, "inverse_transform");
    if (ARR_HASNULL(scores) && array_contains_nulls(scores))
        PG_RETURN_NULL();
    width = scoring->transform_width != NULL ? scoring->transform_width(call->scorer->model)
                                             : scoring->width(call->scorer->model);
    given = (uint32)ArrayGetNItems(ARR_NDIM(scores), ARR_DIMS(scores));
    if (ARR_NDIM(scores) > 1 || given != width)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("the model has %u components, but the array has %u numbers%s", width, given,
                               ARR_NDIM(scores) > 1 ? " in more than one dimension" : ""),
                        errhint("Pass the result of transform(model, features).")));
    numbers = (const double *)ARR_DATA_PTR(scores);
    for (uint32 i = 0; i < given; i++)
        if (!isfinite(numbers[i]))
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                            errmsg("number %u of the array is not finite", i + 1)));
    width = scoring->inverse_width(call->scorer->model);
    if (width == 0)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("the model of %s keeps no preimages of its scores", call->scorer->model->estimator),
                        errhint("Fit it with \"preimages\": true.")));
    features = scoring_numbers(fcinfo, call, width);
    scoring->inverse(call->scorer->model, numbers, features);
    return give_array(features, width);
}
