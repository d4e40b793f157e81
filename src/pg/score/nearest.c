/*
 * nearest.c - nearest(), the neighbors of a row as rows, and search_statistics(), the cost of finding them.
 */
#include "pg/score/nearest.h"

#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/float.h"

Neighbors *neighbors_of(const Scorer *scorer, const char *function)
{
    if (scoring_of(scorer)->ahead == NULL)
        fail_unsupported(scorer, function);
    return (Neighbors *)scorer->prepared;
}

void neighbors_refuse_k(int64 k)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("k must be at least 1, not %lld", (long long)k)));
}

uint32 neighbors_k(const Neighbors *neighbors, int64 k)
{
    if (k < 1)
        neighbors_refuse_k(k);
    if (k > neighbors->count)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("k is %lld, but the model has only %u rows", (long long)k,
                               neighbors->count)));
    return (uint32)k;
}

/* ---- one neighbor ---- */

void neighbors_columns(const Neighbors *neighbors, uint32 i, ResultType *id, Datum values[3], bool nulls[3])
{
    const Model *model = neighbors->model;
    uint32 position = neighbors->search->found[i].position, length;
    const ModelEntry *ids = model_find(model, "ids");
    const char *text;

    nulls[0] = ids == NULL;
    if (ids != NULL) {
        text = model_text(model, ids, position, &length);
        values[0] = result_datum(id, text, length);
    }
    nulls[1] = false;
    values[1] = give_number(neighbors_distance(neighbors, i));
    nulls[2] = false;
    if (neighbors->labels != NULL) {
        text = dictionary_text(model, DICTIONARY_CLASSES, (uint32)neighbors->labels[position],
                               &length);
        values[2] = PointerGetDatum(cstring_to_text_with_len(text, (int)length));
    } else if (neighbors->targets != NULL) {
        values[2] = PointerGetDatum(
            cstring_to_text(float8out_internal(neighbors->targets[position])));
    } else {
        nulls[2] = true;
    }
}

/* ---- nearest ---- */

/* nearest(model, features [, k [, result_type]]) */
PG_FUNCTION_INFO_V1(pgfit_nearest);
PGDLLEXPORT Datum pgfit_nearest(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_call(fcinfo);
    Tuplestorestate *store = rows_begin_as(fcinfo, scoring_result(fcinfo, call, 3));
    Neighbors *neighbors;
    uint32 k;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return (Datum)0;
    neighbors = neighbors_of(scoring_open(fcinfo)->scorer, "nearest");
    if (call->served != NULL) /* ids and targets are those of training rows */
        served_require_read(call->served);
    k = PG_ARGISNULL(2) ? 0 : neighbors_k(neighbors, PG_GETARG_INT64(2));
    if (PG_NARGS() > 3)
        result_type_find(&call->result_type, fcinfo, 3);
    if (!scoring_row(fcinfo, call) ||
        !neighbors_find(neighbors, call->slots, k))
        return (Datum)0;
    for (uint32 i = 0; i < neighbors->search->count; i++) {
        Datum values[3];
        bool nulls[3];

        neighbors_columns(neighbors, i, &call->result_type, values, nulls);
        tuplestore_putvalues(store, call->result, values, nulls);
        CHECK_FOR_INTERRUPTS();
    }
    return (Datum)0;
}

/* ---- the cost of a search ---- */

PG_FUNCTION_INFO_V1(pgfit_search_statistics);
PGDLLEXPORT Datum pgfit_search_statistics(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    Neighbors *neighbors = neighbors_of(call->scorer, "search_statistics");
    uint32 k = neighbors_k(neighbors, PG_GETARG_INT64(2));
    NeighborSearch *search = neighbors->search;
    Datum values[4];
    bool nulls[4] = {false};

    scoring_result(fcinfo, call, 4);
    search->evaluated = search->nodes = 0;
    if (!scoring_row(fcinfo, call) ||
        !neighbors_find(neighbors, call->slots, k))
        PG_RETURN_NULL();
    values[0] = PointerGetDatum(cstring_to_text(neighbor_index_name(neighbors->index->kind)));
    values[1] = Int64GetDatum(neighbors->count);
    values[2] = Int64GetDatum((int64)search->evaluated);
    values[3] = Int64GetDatum((int64)search->nodes);
    return HeapTupleGetDatum(heap_form_tuple(call->result, values, nulls));
}
