/*
 * cluster_aggregates.c - metrics of clusterings: silhouettes and indices, over a cluster and features.
 */
#include "pg/metrics/rows_metrics.h"
#include "pg/type/composites.h"
#include "core/distance/distance_matrix.h"
#include "core/metrics/cluster_metrics.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

Datum silhouette_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    double mean;

    if (silhouettes(host_env(), rows, options, "silhouette", &mean) == NULL)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(mean);
}

/* Returns the ids of the rows in the order of arrival; NULL: they have none. */
static text **silhouette_ids(Rows *rows)
{
    text **ids;
    RowsReader *reader;
    RowsBlock block;

    if (!(rows_contents(rows) & ROWS_ID))
        return NULL;
    env_require_memory(host_env(), rows_count(rows) * sizeof(text *) + rows_id_bytes(rows), "silhouettes");
    ids = env_array(host_env(), rows_count(rows), sizeof(text *));
    reader = rows_reader(host_env(), rows);
    while (rows_next_block(reader, &block))
        for (uint32 i = 0; i < block.count; i++)
            ids[block.first + i] = cstring_to_text_with_len(block.ids[i], (int)block.id_lengths[i]);
    rows_reader_free(reader);
    return ids;
}

Datum silhouettes_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    double mean;
    Silhouette *found = silhouettes(host_env(), rows, options, "silhouettes", &mean);
    text **ids;
    CompositeList list;

    if (found == NULL)
        PG_RETURN_NULL();
    ids = silhouette_ids(rows);
    list = composites(fcinfo, 6, rows_count(rows), "silhouettes");
    for (uint64 i = 0; i < rows_count(rows); i++) {
        uint32_t length;
        const char *text = dictionary_text(rows_schema(rows), DICTIONARY_CLASSES, found[i].cluster, &length);
        Datum values[] = {Int64GetDatum((int64)i + 1), PointerGetDatum(cstring_to_text_with_len(text, (int)length)),
                          Float8GetDatum(found[i].within), Float8GetDatum(found[i].other),
                          Float8GetDatum(found[i].value), ids != NULL ? PointerGetDatum(ids[i]) : (Datum)0};
        bool nulls[] = {false, false, isnan(found[i].within), false, false, ids == NULL};

        composites_add(&list, values, nulls);
    }
    return composites_array(&list, caller, "Sample the rows, or use silhouette, which returns the mean alone.");
}

/* Returns an index as SQL has it: NaN is NULL. */
static Datum index_result(FunctionCallInfo fcinfo, double value)
{
    if (isnan(value))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

Datum calinski_harabasz_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    return index_result(fcinfo, calinski_harabasz(host_env(), rows));
}

Datum davies_bouldin_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    return index_result(fcinfo, davies_bouldin(host_env(), rows));
}

/* ---- of given distances ---- */

/* Returns a scalar of jsonb as text; NULL for null. Fails for arrays and objects. */
static char *scalar_text(const JsonbValue *value)
{
    switch (value->type) {
    case jbvNull:
        return NULL;
    case jbvString:
        return pnstrdup(value->val.string.val, value->val.string.len);
    case jbvNumeric:
        return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
    case jbvBool:
        return pstrdup(value->val.boolean ? "true" : "false");
    default:
        env_fail(host_env(), ERROR_DATA, "Pass {\"id\": cluster, ...}, for example jsonb_object_agg(id, cluster).",
                 "the cluster of an id is not a string, a number or a boolean");
    }
}

/* Reads the clusters of the objects of a matrix. */
static TextList read_clusters(const Model *model, const DistanceMatrix *matrix, Jsonb *json)
{
    const char **labels = env_array(host_env(), matrix->count, sizeof(char *));
    uint32_t *lengths = env_array(host_env(), matrix->count, sizeof(uint32_t));
    JsonbIterator *iterator = JsonbIteratorInit(&json->root);
    JsonbIteratorToken token;
    JsonbValue value;
    uint32_t object = UINT32_MAX;

    if (!JB_ROOT_IS_OBJECT(json))
        env_fail(host_env(), ERROR_DATA, "Pass {\"id\": cluster, ...}, for example jsonb_object_agg(id, cluster).",
                 "the clusters are not a JSON object");
    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
        CHECK_FOR_INTERRUPTS();
        if (token == WJB_KEY) {
            object = model_text_find(model, matrix->ids, value.val.string.val, (uint32_t)value.val.string.len);
            if (object == UINT32_MAX)
                env_fail(host_env(), ERROR_DATA, "Leave it out of the clusters, or give its distances.", "\"%.*s\" is not in the matrix of distances",
                         Min(value.val.string.len, 60), value.val.string.val);
        } else if (token == WJB_VALUE) {
            labels[object] = scalar_text(&value);
            lengths[object] = labels[object] != NULL ? (uint32_t)strlen(labels[object]) : 0;
        }
    }
    return (TextList){matrix->count, labels, lengths};
}

/* Returns silhouette or silhouettes of given distances. */
static Datum of_distances(FunctionCallInfo fcinfo, const RowsMetric *metric)
{
    MemoryContext caller = CurrentMemoryContext, work;
    DistanceMatrix matrix;
    const Model *model;
    TextList labels;
    Options *options;
    Datum result;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_NULL();
    work = AllocSetContextCreate(caller, "pgfit silhouettes", ALLOCSET_DEFAULT_SIZES);
    MemoryContextSwitchTo(work);
    model = PG_GETARG_SOUND_MODEL(0);
    distance_matrix_open(host_env(), model, metric->metric->name, &matrix);
    labels = read_clusters(model, &matrix, PG_GETARG_JSONB_P(1));
    options = options_parse(host_env(), metric->metric->name, metric->metric->options, NULL, 0, NULL, NULL, 0);
    result = metric->result(fcinfo, distance_matrix_labeled(host_env(), model, &matrix, &labels), NAN, options, caller);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(work);
    return result;
}

/* silhouette(distances, clusters) */
PG_FUNCTION_INFO_V1(pgfit_silhouette_distances);
PGDLLEXPORT Datum pgfit_silhouette_distances(PG_FUNCTION_ARGS)
{
    return of_distances(fcinfo, &(RowsMetric){&silhouette_rows, silhouette_result});
}

/* silhouettes(distances, clusters) */
PG_FUNCTION_INFO_V1(pgfit_silhouettes_distances);
PGDLLEXPORT Datum pgfit_silhouettes_distances(PG_FUNCTION_ARGS)
{
    return of_distances(fcinfo, &(RowsMetric){&silhouettes_rows, silhouettes_result});
}
