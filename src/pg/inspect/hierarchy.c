/*
 * hierarchy.c - cuts of a hierarchical clustering into clusters, and its dendrogram as text.
 */
#include "pg/backend/result_rows.h"
#include "core/cluster/dendrogram.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* How ids are returned: as text, or in the type of the sample argument. */
typedef struct IdColumn {
    Oid type; /* InvalidOid: text */
    Oid parameter;
    FmgrInfo input;
} IdColumn;

static IdColumn id_column(FunctionCallInfo fcinfo, int sample)
{
    IdColumn column = {.type = InvalidOid};
    Oid input;

    if (sample < 0)
        return column;
    column.type = get_fn_expr_argtype(fcinfo->flinfo, sample);
    if (!OidIsValid(column.type))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("could not determine the type of the sample"),
                        errhint("Cast it, as in NULL::int.")));
    getTypeInputInfo(column.type, &input, &column.parameter);
    fmgr_info(input, &column.input);
    return column;
}

static void put_labels(FunctionCallInfo fcinfo, const Model *model, const Hierarchy *tree, int64 k,
                       int sample)
{
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    uint32 *labels = hierarchy_cut(host_env(), tree, k);
    IdColumn column = id_column(fcinfo, sample);

    for (uint32 i = 0; i < tree->rows; i++) {
        Datum values[2];
        bool nulls[2] = {false};
        uint32_t length;
        const char *text = model_text(model, tree->ids, i, &length);

        CHECK_FOR_INTERRUPTS();
        values[0] =
            OidIsValid(column.type)
                ? InputFunctionCall(&column.input, pnstrdup(text, length), column.parameter, -1)
                : PointerGetDatum(cstring_to_text_with_len(text, (int)length));
        values[1] = Int32GetDatum((int32)labels[i]);
        tuplestore_putvalues(store, description, values, nulls);
    }
}

/* Runs cut or cut_height; a NULL argument gives no rows. */
static Datum cut(FunctionCallInfo fcinfo, bool by_height, int sample)
{
    const Model *model;
    Hierarchy tree;
    int64 k;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) {
        TupleDesc description;

        rows_begin(fcinfo, &description);
        return (Datum)0;
    }
    model = PG_GETARG_SOUND_MODEL(0);
    hierarchy_open(host_env(), model, by_height ? "cut_height" : "cut", &tree);
    k = by_height ? hierarchy_count_at(host_env(), &tree, PG_GETARG_FLOAT8(1)) : PG_GETARG_INT64(1);
    put_labels(fcinfo, model, &tree, k, sample);
    return (Datum)0;
}

#define CUT_FUNCTION(symbol, body)                                                                 \
    PG_FUNCTION_INFO_V1(symbol);                                                                   \
    Datum symbol(PG_FUNCTION_ARGS)                                                                 \
    {                                                                                              \
        return body;                                                                               \
    }
CUT_FUNCTION(pgfit_cut, cut(fcinfo, false, -1))
CUT_FUNCTION(pgfit_cut_as, cut(fcinfo, false, 2))
CUT_FUNCTION(pgfit_cut_height, cut(fcinfo, true, -1))
CUT_FUNCTION(pgfit_cut_height_as, cut(fcinfo, true, 2))

/* dendrogram(model, clusters) */
PG_FUNCTION_INFO_V1(pgfit_dendrogram);
Datum pgfit_dendrogram(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    int64 clusters = PG_GETARG_INT64(1);
    Hierarchy tree;

    hierarchy_open(host_env(), model, "dendrogram", &tree);
    if (clusters < 1 || clusters > 1000)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "a dendrogram has 1 to 1000 clusters, not %lld",
                 (long long)clusters);
    return PointerGetDatum(
        cstring_to_text(hierarchy_text(host_env(), model, &tree, (uint32)clusters)));
}
