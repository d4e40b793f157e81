/*
 * cluster_metrics.c - aggregates over a cluster and features: silhouettes and indices.
 */
#include "aggregate.h"
#include "composites.h"
#include "../core/cluster_metrics.h"

#include <math.h>

#include "utils/builtins.h"

/* step(state, cluster, features [, options [, weight]]) */
static Datum cluster_step(FunctionCallInfo fcinfo, const Estimator *estimator)
{
    StepSite *site = fcinfo->flinfo->fn_extra;

    step_require_aggregate(fcinfo);
    if (unlikely(site == NULL))
        fcinfo->flinfo->fn_extra = site = step_site_begin(
            fcinfo, (Gathering){estimator->name, EVIDENCE_ROWS, .supervised = true, .estimator = estimator}, false);
    return rows_step(fcinfo, site);
}

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

#define CLUSTER_AGGREGATE(name)                                                                    \
    PG_FUNCTION_INFO_V1(pgfit_##name##_step);                                                      \
    PGDLLEXPORT Datum pgfit_##name##_step(PG_FUNCTION_ARGS)                                        \
    {                                                                                              \
        return cluster_step(fcinfo, &name##_rows);                                                 \
    }                                                                                              \
    PG_FUNCTION_INFO_V1(pgfit_##name##_final);                                                     \
    PGDLLEXPORT Datum pgfit_##name##_final(PG_FUNCTION_ARGS)                                       \
    {                                                                                              \
        return rows_result(fcinfo, &name##_rows, name##_result);                                   \
    }
CLUSTER_AGGREGATE(silhouette)
CLUSTER_AGGREGATE(silhouettes)
CLUSTER_AGGREGATE(calinski_harabasz)
CLUSTER_AGGREGATE(davies_bouldin)
