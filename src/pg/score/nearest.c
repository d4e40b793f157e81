/*
 * nearest.c - nearest(), the neighbors of a row as rows, search_statistics(), the cost of finding them, and the graphs of neighbors among the rows of a model.
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

/* ---- neighbor_graph and radius_graph: the neighbors of each row of a model among its other rows ---- */

/* A row of the result: of the row at position from, the neighbor found at place i. */
static void put_pair(ScoringCall *call, Tuplestorestate *store, const Neighbors *neighbors, const ModelEntry *ids, uint32 from,
                     uint32 i)
{
    const Model *model = neighbors->model;
    bool nulls[3] = {false};
    Datum values[3];
    uint32_t length;
    const char *text = model_text(model, ids, from, &length);

    values[0] = result_datum(&call->result_type, text, length);
    text = model_text(model, ids, neighbors->search->found[i].position, &length);
    values[1] = result_datum(&call->result_type, text, length);
    values[2] = give_number(neighbors_distance(neighbors, i));
    tuplestore_putvalues(store, call->result, values, nulls);
    CHECK_FOR_INTERRUPTS();
}

/* Returns the k of the call; fails if it is below 1, or there are not so many other rows. */
static uint32 graph_k(const Neighbors *neighbors, int64 k)
{
    if (k < 1)
        neighbors_refuse_k(k);
    if (k >= neighbors->count)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("k is %lld, but a row of the model has only %u others", (long long)k, neighbors->count - 1)));
    return (uint32)k;
}

static double graph_radius(double radius)
{
    if (!(radius >= 0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the radius must be at least 0, not %g", radius)));
    return radius;
}

/* Returns the neighbors of a model whose rows have ids. */
static Neighbors *identified(const Scorer *scorer, const char *function, const ModelEntry **ids)
{
    Neighbors *neighbors = neighbors_of(scorer, function);

    *ids = model_find(neighbors->model, "ids");
    if (*ids == NULL)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("%s needs ids of the rows, which models of %s do not have", function,
                               neighbors->model->estimator),
                        errhint("Fit neighbors(id, features).")));
    return neighbors;
}

static Datum give_graph(FunctionCallInfo fcinfo, bool by_radius)
{
    const char *function = by_radius ? "radius_graph" : "neighbor_graph";
    ScoringCall *call = scoring_call(fcinfo);
    Tuplestorestate *store = rows_begin_as(fcinfo, scoring_result(fcinfo, call, 3));
    const ModelEntry *ids;
    Neighbors *neighbors;
    double radius = 0;
    uint32 k = 0;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return (Datum)0;
    neighbors = identified(scoring_open(fcinfo)->scorer, function, &ids);
    if (by_radius)
        radius = graph_radius(PG_GETARG_FLOAT8(1));
    else
        k = graph_k(neighbors, PG_GETARG_INT64(1));
    if (PG_NARGS() > 2)
        result_type_find(&call->result_type, fcinfo, 2);
    for (uint32 from = 0; from < neighbors->count; from++) {
        if (by_radius)
            neighbors_around(neighbors, from, radius);
        else
            neighbors_beside(neighbors, from, k);
        for (uint32 i = 0; i < neighbors->search->count; i++)
            put_pair(call, store, neighbors, ids, from, i);
        CHECK_FOR_INTERRUPTS();
    }
    return (Datum)0;
}

/* neighbor_graph(model, k [, result_type]) */
PG_FUNCTION_INFO_V1(pgfit_neighbor_graph);
PGDLLEXPORT Datum pgfit_neighbor_graph(PG_FUNCTION_ARGS)
{
    return give_graph(fcinfo, false);
}

/* radius_graph(model, radius [, result_type]) */
PG_FUNCTION_INFO_V1(pgfit_radius_graph);
PGDLLEXPORT Datum pgfit_radius_graph(PG_FUNCTION_ARGS)
{
    return give_graph(fcinfo, true);
}
