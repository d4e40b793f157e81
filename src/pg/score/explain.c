/*
 * explain.c - explain(): the contributions of the terms to a row's score.
 */
#include "pg/score/scoring.h"

#include "miscadmin.h"

PG_FUNCTION_INFO_V1(pgfit_explain);
PGDLLEXPORT Datum pgfit_explain(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;
    TupleDesc description;
    Tuplestorestate *store;
    Explanation *lines;
    uint32_t count;

    if (scoring->explain == NULL)
        fail_unsupported(call->scorer, "explain");
    store = rows_begin(fcinfo, &description);
    if (!scoring_row(fcinfo, call))
        return (Datum)0;
    count = scoring->explain(host_env(), call->scorer->model, call->scorer->prepared, call->slots, &lines);
    for (uint32_t i = 0; i < count; i++) {
        Datum values[3];
        bool nulls[3] = {lines[i].class_name == NULL, false, false};

        CHECK_FOR_INTERRUPTS();
        values[0] = nulls[0] ? (Datum)0 : CStringGetTextDatum(lines[i].class_name);
        values[1] = CStringGetTextDatum(lines[i].term);
        values[2] = give_number(lines[i].contribution);
        tuplestore_putvalues(store, description, values, nulls);
    }
    if (call->scorer->formula != NULL && call->scorer->formula->offsets) {
        Datum values[3] = {(Datum)0, CStringGetTextDatum("(offset)"), Float8GetDatum(call->offset)};
        bool nulls[3] = {true, false, false};

        tuplestore_putvalues(store, description, values, nulls);
    }
    return (Datum)0;
}
