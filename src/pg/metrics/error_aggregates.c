/*
 * error_aggregates.c - metrics of predicted numbers: mse, rmse, mae and r_squared. They share a state, a float8[] that is
 * changed in place, so a query that asks for all four adds each row once.
 */
#include "pg/host/backend_env.h"
#include "core/metrics/regression_metrics.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

/* Returns the numbers of a state in place. Checks its shape, because a user can pass any array. */
static RegressionMetrics *metrics_state(FunctionCallInfo fcinfo, int argument, bool in_place)
{
    ArrayType *array;
    RegressionMetrics *state;
    const char *wrong = NULL;

    if (in_place && AggCheckCallContext(fcinfo, NULL) == 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("a metric's transition function was called outside an aggregate"),
                        errhint("Call the aggregate instead, which is in schema pgfit.")));
    array = PG_GETARG_ARRAYTYPE_P(argument);
    if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != REGRESSION_METRICS_SIZE ||
        ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT8OID ||
        VARSIZE(array) < ARR_OVERHEAD_NONULLS(1) + sizeof(RegressionMetrics))
        wrong = "it is not an array of 13 numbers";
    state = (RegressionMetrics *)ARR_DATA_PTR(array);
    if (wrong == NULL)
        wrong = metrics_check(state);
    if (wrong != NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("this is not a state of a metric: %s", wrong)));
    return state;
}

/* metrics_add(state, actual, predicted [, weight]); a row with a NULL is skipped */
PG_FUNCTION_INFO_V1(pgfit_metrics_add);
PGDLLEXPORT Datum pgfit_metrics_add(PG_FUNCTION_ARGS)
{
    bool weighted = PG_NARGS() > 3;
    RegressionMetrics *state;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = metrics_state(fcinfo, 0, true);
    if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !(weighted && PG_ARGISNULL(3)))
        metrics_add(host_env(), state, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), weighted ? PG_GETARG_FLOAT8(3) : 1);
    /* the new state: in an aggregate the old one in place, else a detoasted copy */
    return PointerGetDatum((char *)state - ARR_OVERHEAD_NONULLS(1));
}

PG_FUNCTION_INFO_V1(pgfit_metrics_merge);
PGDLLEXPORT Datum pgfit_metrics_merge(PG_FUNCTION_ARGS)
{
    RegressionMetrics *state = metrics_state(fcinfo, 0, true);

    metrics_merge(host_env(), state, metrics_state(fcinfo, 1, false));
    return PointerGetDatum((char *)state - ARR_OVERHEAD_NONULLS(1));
}

typedef bool (*MetricResult)(Env *env, const RegressionMetrics *state, double *result);

static Datum metrics_result(FunctionCallInfo fcinfo, MetricResult metric)
{
    double result;

    if (!metric(host_env(), metrics_state(fcinfo, 0, false), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

PG_FUNCTION_INFO_V1(pgfit_metrics_mse);
PGDLLEXPORT Datum pgfit_metrics_mse(PG_FUNCTION_ARGS)
{
    return metrics_result(fcinfo, metrics_mse);
}

PG_FUNCTION_INFO_V1(pgfit_metrics_rmse);
PGDLLEXPORT Datum pgfit_metrics_rmse(PG_FUNCTION_ARGS)
{
    return metrics_result(fcinfo, metrics_rmse);
}

PG_FUNCTION_INFO_V1(pgfit_metrics_mae);
PGDLLEXPORT Datum pgfit_metrics_mae(PG_FUNCTION_ARGS)
{
    return metrics_result(fcinfo, metrics_mae);
}

PG_FUNCTION_INFO_V1(pgfit_metrics_r_squared);
PGDLLEXPORT Datum pgfit_metrics_r_squared(PG_FUNCTION_ARGS)
{
    return metrics_result(fcinfo, metrics_r_squared);
}
