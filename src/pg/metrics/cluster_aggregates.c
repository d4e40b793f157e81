/*
 * cluster_aggregates.c - aggregates over a cluster and features: silhouettes and indices.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/aggregate/composites.h"
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
    return composites_array(&list, caller, "Take a sample of the rows, or silhouette, their mean.");
}

/* An index; NaN is NULL. */
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

/* step(state, cluster, features [, options [, weight]]) */
ROWS_AGGREGATE(silhouette)
ROWS_AGGREGATE(silhouettes)
ROWS_AGGREGATE(calinski_harabasz)
ROWS_AGGREGATE(davies_bouldin)
