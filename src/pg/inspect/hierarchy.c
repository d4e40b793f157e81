/*
 * hierarchy.c - trees of hierarchical clustering as rows and as text.
 */
#include "pg/inspect/inspect.h"
#include "core/cluster/dendrogram.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static Datum id_text(const Model *model, const Hierarchy *tree, uint32 row)
{
    uint32_t length;
    const char *text = model_text(model, tree->ids, row, &length);

    return PointerGetDatum(cstring_to_text_with_len(text, (int)length));
}

/* dendrogram_merges(model) */
PG_FUNCTION_INFO_V1(pgfit_dendrogram_merges);
Datum pgfit_dendrogram_merges(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    Hierarchy tree;
    uint32 *sizes;

    hierarchy_open(host_env(), model, "dendrogram_merges", &tree);
    sizes = hierarchy_sizes(host_env(), &tree);
    for (uint32 s = 0; s + 1 < tree.rows; s++) {
        Datum values[7];
        bool nulls[7] = {false};

        CHECK_FOR_INTERRUPTS();
        values[0] = Int64GetDatum(s + 1);
        values[5] = Float8GetDatum(tree.heights[s]);
        values[6] = Int64GetDatum(sizes[tree.rows + s]);
        for (int side = 0; side < 2; side++) {
            int64 node = tree.merges[2 * (size_t)s + side];

            nulls[1 + side] = node < tree.rows;
            nulls[3 + side] = node >= tree.rows;
            values[1 + side] = Int64GetDatum(node - tree.rows + 1);
            if (node < tree.rows)
                values[3 + side] = id_text(model, &tree, (uint32)node);
        }
        tuplestore_putvalues(store, description, values, nulls);
    }
    return (Datum)0;
}

/* How an id goes out: as text, or in the type of the sample argument. */
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
                        errmsg("could not tell the type of the sample"),
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

/* cut and cut_height; NULLs give no rows. */
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

/* cophenetic(model): a row a pair */
PG_FUNCTION_INFO_V1(pgfit_cophenetic);
Datum pgfit_cophenetic(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    Hierarchy tree;
    uint32_t *sizes, *starts, *leaves;
    Datum *ids;

    hierarchy_open(host_env(), model, "cophenetic", &tree);
    sizes = hierarchy_sizes(host_env(), &tree);
    leaves = hierarchy_leaves(host_env(), &tree, sizes, &starts);
    ids = env_array(host_env(), tree.rows, sizeof(Datum));
    for (uint32 i = 0; i < tree.rows; i++)
        ids[i] = id_text(model, &tree, leaves[i]);
    for (uint32 s = 0; s + 1 < tree.rows; s++) {
        uint32 left = sizes[tree.merges[2 * (size_t)s]], start = starts[tree.rows + s];

        for (uint32 a = start; a < start + left; a++)
            for (uint32 b = start + left; b < start + sizes[tree.rows + s]; b++) {
                Datum values[3] = {ids[a], ids[b], Float8GetDatum(tree.heights[s])};
                bool nulls[3] = {false};

                CHECK_FOR_INTERRUPTS();
                tuplestore_putvalues(store, description, values, nulls);
            }
    }
    return (Datum)0;
}

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
