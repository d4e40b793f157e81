/*
 * projections.c - tail_probability, inverse_transform and inverse_transform_row.
 */
#include "pg/score/scoring.h"
#include "core/inspection/outputs.h"

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

/*
 * Returns the numbers of argument 1, which the first stage of the model in argument 0 would have written; *first is that stage, or the
 * model itself. NULL: one of them is.
 */
static const double *inverse_numbers(FunctionCallInfo fcinfo, ScoringCall *call, const char *function, const Model **first)
{
    const Scorer *scorer = call->scorer;
    ArrayType *scores = PG_GETARG_ARRAYTYPE_P(1);
    const double *numbers = (const double *)ARR_DATA_PTR(scores);
    uint32 width, given;

    if (call->scoring->transform == NULL || (call->scoring->inverse == NULL && scorer->estimator->inverse_row == NULL))
        fail_unsupported(scorer, function);
    if (ARR_HASNULL(scores) && array_contains_nulls(scores))
        return NULL;
    width = scoring_outputs(call->scoring, scorer->model);
    given = (uint32)ArrayGetNItems(ARR_NDIM(scores), ARR_DIMS(scores));
    if (ARR_NDIM(scores) > 1 || given != width)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("transform of this model returns %u number%s, but the array has %u%s", width, width == 1 ? "" : "s", given,
                               ARR_NDIM(scores) > 1 ? " in more than one dimension" : ""),
                        errhint("Pass the result of transform(model, features).")));
    for (uint32 i = 0; i < given; i++)
        if (!isfinite(numbers[i]))
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                            errmsg("number %u of the array is not finite", i + 1)));
    *first = scorer->pipeline != NULL ? scorer->pipeline->stages[0].model : scorer->model;
    return scorer->pipeline != NULL ? pipeline_inverse(host_env(), scorer->pipeline, numbers) : numbers;
}

/* Returns how many numbers the inverse of a model writes; fails if it has none. */
static uint32 inverse_width(const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    uint32 width;

    if (estimator->scoring->inverse == NULL) {
        Scorer scorer = {.model = model, .estimator = estimator};

        if (estimator->inverse_row != NULL)
            ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                            errmsg("inverse_transform does not apply to a model of %s, whose features are not all numbers", estimator->name),
                            errhint("Use inverse_transform_row.")));
        fail_unsupported(&scorer, "inverse_transform");
    }
    width = estimator->scoring->inverse_width(model);
    if (width == 0)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("the model of %s keeps no preimages of its scores", estimator->name),
                        errhint("Fit it with \"preimages\": true.")));
    return width;
}

PG_FUNCTION_INFO_V1(pgfit_inverse_transform);
PGDLLEXPORT Datum pgfit_inverse_transform(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Model *first;
    const double *numbers = inverse_numbers(fcinfo, call, "inverse_transform", &first);
    double *features;
    uint32 width;

    if (numbers == NULL)
        PG_RETURN_NULL();
    width = inverse_width(first);
    features = scoring_numbers(fcinfo, call, width);
    estimator_of(first)->scoring->inverse(first, numbers, features);
    return give_array(features, width);
}

PG_FUNCTION_INFO_V1(pgfit_inverse_transform_row);
PGDLLEXPORT Datum pgfit_inverse_transform_row(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Model *first;
    const double *numbers = inverse_numbers(fcinfo, call, "inverse_transform_row", &first);
    TextBuffer out = {.env = host_env()};

    if (numbers == NULL)
        PG_RETURN_NULL();
    if (estimator_of(first)->inverse_row == NULL)
        inverse_width(first);
    output_inverse_row(&out, first, numbers);
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(text_finish(&out, NULL)));
}
