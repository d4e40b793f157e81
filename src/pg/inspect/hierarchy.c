/*
 * hierarchy.c - cuts of a hierarchical clustering into clusters, and its dendrogram as text.
 */
#include "pg/type/result_rows.h"
#include "core/hierarchy/dendrogram.h"
#include "core/prepare/pipeline.h"

#include "miscadmin.h"

static void put_labels(FunctionCallInfo fcinfo, const Model *model, const Hierarchy *tree, int64 k)
{
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    uint32 *labels = hierarchy_cut(host_env(), tree, k);
    ResultType id = {.type = InvalidOid};

    if (PG_NARGS() > 2)
        result_type_find(&id, fcinfo, 2);
    for (uint32 i = 0; i < tree->rows; i++) {
        Datum values[2];
        bool nulls[2] = {false};
        uint32_t length;
        const char *text = model_text(model, tree->ids, i, &length);

        CHECK_FOR_INTERRUPTS();
        values[0] = result_datum(&id, text, length);
        values[1] = Int32GetDatum((int32)labels[i]);
        tuplestore_putvalues(store, description, values, nulls);
    }
}

/* Runs cut or cut_height; a NULL argument gives no rows. */
static Datum cut(FunctionCallInfo fcinfo, bool by_height)
{
    const Model *model;
    Hierarchy tree;
    int64 k;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) {
        TupleDesc description;

        rows_begin(fcinfo, &description);
        return (Datum)0;
    }
    model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0));
    hierarchy_open(host_env(), model, by_height ? "cut_height" : "cut", &tree);
    k = by_height ? hierarchy_count_at(host_env(), &tree, PG_GETARG_FLOAT8(1)) : PG_GETARG_INT64(1);
    put_labels(fcinfo, model, &tree, k);
    return (Datum)0;
}

/* cut(model, k [, result_type]) */
PG_FUNCTION_INFO_V1(pgfit_cut);
Datum pgfit_cut(PG_FUNCTION_ARGS)
{
    return cut(fcinfo, false);
}

/* cut_height(model, height [, result_type]) */
PG_FUNCTION_INFO_V1(pgfit_cut_height);
Datum pgfit_cut_height(PG_FUNCTION_ARGS)
{
    return cut(fcinfo, true);
}

/* dendrogram(model, clusters) */
PG_FUNCTION_INFO_V1(pgfit_dendrogram);
Datum pgfit_dendrogram(PG_FUNCTION_ARGS)
{
    const Model *model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0));
    int64 clusters = PG_GETARG_INT64(1);
    Hierarchy tree;

    hierarchy_open(host_env(), model, "dendrogram", &tree);
    if (clusters < 1 || clusters > 1000)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "a dendrogram has 1 to 1000 clusters, not %lld",
                 (long long)clusters);
    return PointerGetDatum(
        cstring_to_text(hierarchy_text(host_env(), model, &tree, (uint32)clusters)));
}
