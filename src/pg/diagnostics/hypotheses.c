/*
 * hypotheses.c - wald_test(model, hypothesis), breusch_pagan_test(model) and linear_combinations(model, combinations, options).
 */
#include "pg/features/row_pair.h"
#include "pg/inspect/tables.h"
#include "pg/metrics/hypothesis.h"
#include "core/linear_equations/linear_hypothesis.h"
#include "core/prepare/pipeline.h"

PG_FUNCTION_INFO_V1(pgfit_wald_test);
PGDLLEXPORT Datum pgfit_wald_test(PG_FUNCTION_ARGS)
{
    Env *env = host_env();
    const text *hypothesis = PG_GETARG_TEXT_PP(1);
    HypothesisResult result;

    linear_wald_test(env, pipeline_last(env, PG_GETARG_SOUND_MODEL(0)), VARDATA_ANY(hypothesis), VARSIZE_ANY_EXHDR(hypothesis), &result);
    return hypothesis_datum(fcinfo, &result);
}

PG_FUNCTION_INFO_V1(pgfit_breusch_pagan_test);
PGDLLEXPORT Datum pgfit_breusch_pagan_test(PG_FUNCTION_ARGS)
{
    HypothesisResult result;

    linear_breusch_pagan_test(host_env(), pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0)), &result);
    return hypothesis_datum(fcinfo, &result);
}

PG_FUNCTION_INFO_V1(pgfit_linear_combinations);
PGDLLEXPORT Datum pgfit_linear_combinations(PG_FUNCTION_ARGS)
{
    Env *env = host_env();
    const Model *model = pipeline_last(env, PG_GETARG_SOUND_MODEL(0));
    const text *combinations = PG_GETARG_TEXT_PP(1);
    const Options *options = options_argument(fcinfo, 2, "linear_combinations", linear_combinations_options);
    uint64_t rows;
    void *reader = linear_combinations_open(env, model, VARDATA_ANY(combinations), VARSIZE_ANY_EXHDR(combinations), options, &rows);

    table_rows(fcinfo, &linear_combinations_table, model, reader, rows);
    return (Datum)0;
}
