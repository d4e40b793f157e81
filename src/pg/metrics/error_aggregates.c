/*
 * error_aggregates.c - metrics of predicted numbers: mse, rmse, mae and r_squared. They share a state, a float8[] that is
 * changed in place, so a query that asks for all four adds each row once.
 */
#include "pg/aggregate/aggregate.h"
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

/* errors_step(state, actual, predicted [, weight]); a row with a NULL is skipped */
PG_FUNCTION_INFO_V1(pgfit_errors_step);
PGDLLEXPORT Datum pgfit_errors_step(PG_FUNCTION_ARGS)
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

/* errors_merge(state, other) */
PG_FUNCTION_INFO_V1(pgfit_errors_merge);
PGDLLEXPORT Datum pgfit_errors_merge(PG_FUNCTION_ARGS)
{
    RegressionMetrics *state = metrics_state(fcinfo, 0, true);

    metrics_merge(host_env(), state, metrics_state(fcinfo, 1, false));
    return PointerGetDatum((char *)state - ARR_OVERHEAD_NONULLS(1));
}

static const struct ErrorMetric {
    const char *name;
    bool (*result)(Env *env, const RegressionMetrics *state, double *result);
} error_metrics[] = {{"mse", metrics_mse}, {"rmse", metrics_rmse}, {"mae", metrics_mae}, {"r_squared", metrics_r_squared}};

static const struct ErrorMetric *metric_of_call(FunctionCallInfo fcinfo)
{
    SupportFunction function;

    support_function(fcinfo, "_final", &function);
    for (size_t i = 0; i < lengthof(error_metrics); i++)
        if (strcmp(error_metrics[i].name, function.aggregate) == 0)
            return &error_metrics[i];
    fail_support_function(fcinfo);
}

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_errors_final);
PGDLLEXPORT Datum pgfit_errors_final(PG_FUNCTION_ARGS)
{
    const struct ErrorMetric *metric;
    double result;

    if (unlikely(fcinfo->flinfo->fn_extra == NULL))
        fcinfo->flinfo->fn_extra = (void *)metric_of_call(fcinfo);
    metric = fcinfo->flinfo->fn_extra;
    if (!metric->result(host_env(), metrics_state(fcinfo, 0, false), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}
