/*
 * nearest.c - nearest(), the neighbors of a row as rows, and search_statistics(), the cost of finding them.
 */
#include "pg/score/nearest.h"
#include "pg/backend/result_rows.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

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

/* Returns an id or label in the type of the sample, or as text. */
static Datum typed_text(const NeighborColumns *columns, const char *text, uint32 length)
{
    if (OidIsValid(columns->id_type))
        return InputFunctionCall(&((NeighborColumns *)columns)->id_input, pnstrdup(text, length),
                                 columns->id_parameter, -1);
    return PointerGetDatum(cstring_to_text_with_len(text, (int)length));
}

void neighbors_columns(const Neighbors *neighbors, uint32 i, const NeighborColumns *columns,
                        Datum values[3], bool nulls[3])
{
    const Model *model = neighbors->model;
    uint32 position = neighbors->search->found[i].position, length;
    const ModelEntry *ids = model_find(model, "ids");
    const char *text;

    nulls[0] = ids == NULL;
    if (ids != NULL) {
        text = model_text(model, ids, position, &length);
        values[0] = typed_text(columns, text, length);
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

/* Returns the tuplestore of the result, whose row type is looked up once per call site. */
static Tuplestorestate *result_begin(FunctionCallInfo fcinfo, ScoringCall *call)
{
    scoring_result(fcinfo, call, 3);
    return rows_begin_as(fcinfo, call->result);
}

/* Finds the type of the sample, once per call site. */
static void sample_type(FunctionCallInfo fcinfo, ScoringCall *call, NeighborColumns *columns)
{
    if (!OidIsValid(call->label_type)) {
        Oid type = get_fn_expr_argtype(fcinfo->flinfo, 3), input;

        if (!OidIsValid(type))
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("could not determine the type of the sample"),
                            errhint("Cast it, as in NULL::int.")));
        getTypeInputInfo(type, &input, &call->label_parameter);
        fmgr_info_cxt(input, &call->label_input, fcinfo->flinfo->fn_mcxt);
        call->label_type = type;
    }
    columns->id_type = call->label_type;
    columns->id_parameter = call->label_parameter;
    columns->id_input = call->label_input;
}

static Datum nearest(FunctionCallInfo fcinfo, bool with_k, bool with_sample)
{
    ScoringCall *call = scoring_call(fcinfo);
    NeighborColumns columns = {.id_type = InvalidOid};
    Tuplestorestate *store = result_begin(fcinfo, call);
    const Scorer *scorer;
    Neighbors *neighbors;
    uint32 k;

    for (int i = 0; i < (with_k ? 3 : 2); i++)
        if (PG_ARGISNULL(i))
            return (Datum)0;
    scorer = scoring_model(fcinfo, call);
    neighbors = neighbors_of(scorer, "nearest");
    k = with_k ? neighbors_k(neighbors, PG_GETARG_INT64(2)) : 0;
    if (with_sample)
        sample_type(fcinfo, call, &columns);
    if (!scoring_row(fcinfo, call, scorer->model) ||
        !neighbors_find(neighbors, call->slots, k))
        return (Datum)0;
    for (uint32 i = 0; i < neighbors->search->count; i++) {
        Datum values[3];
        bool nulls[3];

        neighbors_columns(neighbors, i, &columns, values, nulls);
        tuplestore_putvalues(store, call->result, values, nulls);
        CHECK_FOR_INTERRUPTS();
    }
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(pgfit_nearest);
PGDLLEXPORT Datum pgfit_nearest(PG_FUNCTION_ARGS)
{
    return nearest(fcinfo, false, false);
}

PG_FUNCTION_INFO_V1(pgfit_nearest_k);
PGDLLEXPORT Datum pgfit_nearest_k(PG_FUNCTION_ARGS)
{
    return nearest(fcinfo, true, false);
}

PG_FUNCTION_INFO_V1(pgfit_nearest_as);
PGDLLEXPORT Datum pgfit_nearest_as(PG_FUNCTION_ARGS)
{
    return nearest(fcinfo, true, true);
}

/* ---- the cost of a search ---- */

PG_FUNCTION_INFO_V1(pgfit_search_statistics);
PGDLLEXPORT Datum pgfit_search_statistics(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_call(fcinfo);
    const Scorer *scorer = scoring_model(fcinfo, call);
    Neighbors *neighbors = neighbors_of(scorer, "search_statistics");
    uint32 k = neighbors_k(neighbors, PG_GETARG_INT64(2));
    NeighborSearch *search = neighbors->search;
    Datum values[4];
    bool nulls[4] = {false};

    scoring_result(fcinfo, call, 4);
    search->evaluated = search->nodes = 0;
    if (!scoring_row(fcinfo, call, scorer->model) ||
        !neighbors_find(neighbors, call->slots, k))
        PG_RETURN_NULL();
    values[0] = PointerGetDatum(cstring_to_text(neighbor_index_name(neighbors->index->kind)));
    values[1] = Int64GetDatum(neighbors->count);
    values[2] = Int64GetDatum((int64)search->evaluated);
    values[3] = Int64GetDatum((int64)search->nodes);
    return HeapTupleGetDatum(heap_form_tuple(call->result, values, nulls));
}
