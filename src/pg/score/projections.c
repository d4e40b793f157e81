/*
 * projections.c - functions of models that project rows, and of distributions.
 */
#include "pg/backend/result_rows.h"
#include "pg/score/scoring.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pgfit_tail_probability);
PGDLLEXPORT Datum pgfit_tail_probability(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_call(fcinfo);
    const Scorer *scorer = scoring_model(fcinfo, call);
    const Scoring *scoring = scoring_of(scorer);

    if (scoring->tail == NULL)
        fail_unsupported(scorer, "tail_probability");
    if (!scoring_row(fcinfo, call, scorer->model))
        PG_RETURN_NULL();
    return give_number(scoring->tail(scorer->model, scorer->prepared, call->slots));
}

PG_FUNCTION_INFO_V1(pgfit_inverse_transform);
PGDLLEXPORT Datum pgfit_inverse_transform(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_call(fcinfo);
    const Scorer *scorer = scoring_model(fcinfo, call);
    const Scoring *scoring = scoring_of(scorer);
    ArrayType *scores = PG_GETARG_ARRAYTYPE_P(1);
    const double *numbers;
    uint32 width, given;

    if (scoring->inverse == NULL)
        fail_unsupported(scorer, "inverse_transform");
    if (ARR_HASNULL(scores) && array_contains_nulls(scores))
        PG_RETURN_NULL();
    width = scoring->transform_width != NULL ? scoring->transform_width(scorer->model)
                                             : scoring->width(scorer->model);
    given = (uint32)ArrayGetNItems(ARR_NDIM(scores), ARR_DIMS(scores));
    if (ARR_NDIM(scores) > 1 || given != width)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("the model has %u components, the array %u numbers%s", width, given,
                               ARR_NDIM(scores) > 1 ? " in more than one dimension" : ""),
                        errhint("Pass what transform(model, features) gives.")));
    numbers = (const double *)ARR_DATA_PTR(scores);
    for (uint32 i = 0; i < given; i++)
        if (!isfinite(numbers[i]))
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                            errmsg("number %u of the array is not finite", i + 1)));
    width = scoring->inverse_width(scorer->model);
    scoring_room(fcinfo, &call->numbers, &call->number_room, width);
    scoring->inverse(scorer->model, numbers, call->numbers);
    return give_array(call->numbers, width);
}

PG_FUNCTION_INFO_V1(pgfit_components);
PGDLLEXPORT Datum pgfit_components(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = PG_GETARG_SOUND_MODEL(0)};
    Components list;
    TupleDesc description;
    Tuplestorestate *store;
    double sum = 0;

    scorer.estimator = estimator_of(scorer.model);
    if (scorer.estimator == NULL || scorer.estimator->components == NULL)
        fail_unsupported(&scorer, "components");
    scorer.estimator->components(host_env(), scorer.model, &list);
    store = rows_begin(fcinfo, &description);
    for (uint32 i = 0; i < list.count; i++) {
        sum += list.variances[i];
        for (uint32 t = 0; t < list.terms; t++) {
            Datum values[6];
            bool nulls[6] = {false};

            CHECK_FOR_INTERRUPTS();
            nulls[2] = nulls[3] = !(list.total > 0);
            values[0] = Int32GetDatum((int32)i + 1);
            values[1] = Float8GetDatum(list.variances[i]);
            values[2] = Float8GetDatum(list.variances[i] / list.total);
            values[3] = Float8GetDatum(Min(sum / list.total, 1.0));
            values[4] = CStringGetTextDatum(list.term_names[t]);
            values[5] = Float8GetDatum(list.loadings[(size_t)i * list.terms + t]);
            tuplestore_putvalues(store, description, values, nulls);
        }
    }
    return (Datum)0;
}
