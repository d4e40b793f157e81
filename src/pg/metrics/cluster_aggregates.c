/*
 * cluster_aggregates.c - metrics of clusterings: silhouettes and indices, over a cluster and features.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/backend/composites.h"
#include "core/metrics/cluster_metrics.h"

#include <math.h>

#include "utils/builtins.h"

static Datum silhouette_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    double mean;

    if (silhouettes(host_env(), rows, options, "silhouette", &mean) == NULL)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(mean);
}

static Datum silhouettes_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    double mean;
    Silhouette *found = silhouettes(host_env(), rows, options, "silhouettes", &mean);
    CompositeList list;

    if (found == NULL)
        PG_RETURN_NULL();
    list = composites(fcinfo, 5, rows_count(rows), "silhouettes");
    for (uint64 i = 0; i < rows_count(rows); i++) {
        uint32_t length;
        const char *text = dictionary_text(rows_schema(rows), DICTIONARY_CLASSES, found[i].cluster, &length);
        Datum values[] = {Int64GetDatum((int64)i + 1), PointerGetDatum(cstring_to_text_with_len(text, (int)length)),
                          Float8GetDatum(found[i].own), Float8GetDatum(found[i].other),
                          Float8GetDatum(found[i].value)};
        bool nulls[] = {false, false, isnan(found[i].own), false, false};

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

static Datum calinski_harabasz_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    return index_result(fcinfo, calinski_harabasz(host_env(), rows));
}

static Datum davies_bouldin_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    return index_result(fcinfo, davies_bouldin(host_env(), rows));
}

/* ---- entry points ---- */

static const RowsMetric clustering_metrics[] = {{&silhouette_rows, silhouette_result},
                                                {&silhouettes_rows, silhouettes_result},
                                                {&calinski_harabasz_rows, calinski_harabasz_result},
                                                {&davies_bouldin_rows, davies_bouldin_result},
                                                {NULL, NULL}};

/* NAME_step(state, cluster, features [, options [, weight]]) */
PG_FUNCTION_INFO_V1(pgfit_clustering_step);
PGDLLEXPORT Datum pgfit_clustering_step(PG_FUNCTION_ARGS)
{
    return rows_metric_step(fcinfo, clustering_metrics);
}

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_clustering_final);
PGDLLEXPORT Datum pgfit_clustering_final(PG_FUNCTION_ARGS)
{
    return rows_metric_final(fcinfo, clustering_metrics);
}
