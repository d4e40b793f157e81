/*
 * mean_aggregates.c - metrics whose state is a float8[] that is changed in place. mse, rmse, mae and r_squared share one, so a query that asks
 * for all four adds each row once, also of arrays, with as many numbers per target; the others are a mean over the rows.
 */
#include "pg/metrics/metric_state.h"
#include "core/metrics/regression_metrics.h"
#include "core/metrics/weighted_mean.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

/* Returns the numbers of an array in place; NULL: it has no such shape, because a user can pass any array. */
static void *numbers_of(ArrayType *array, int count)
{
    bool sound = ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == count && !ARR_HASNULL(array) && ARR_ELEMTYPE(array) == FLOAT8OID &&
                 VARSIZE(array) >= ARR_OVERHEAD_NONULLS(1) + count * sizeof(double);

    return sound ? ARR_DATA_PTR(array) : NULL;
}

/* Returns the new state: in an aggregate the old one in place, else a detoasted copy. */
static Datum state_datum(const void *state)
{
    return PointerGetDatum((char *)state - ARR_OVERHEAD_NONULLS(1));
}

/* ---- errors of predicted numbers ---- */

/* Returns the sums of a state in place, one of each target, whose number it sets. Fails if the array is none. */
static RegressionMetrics *metrics_states(FunctionCallInfo fcinfo, int argument, bool in_place, int *targets)
{
    ArrayType *array;
    RegressionMetrics *states;
    const char *wrong = NULL;

    if (in_place && AggCheckCallContext(fcinfo, NULL) == 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("a metric's transition function was called outside an aggregate"),
                        errhint("Call the aggregate instead, which is in schema pgfit.")));
    array = PG_GETARG_ARRAYTYPE_P(argument);
    *targets = ARR_NDIM(array) == 1 ? Max(1, ARR_DIMS(array)[0] / REGRESSION_METRICS_SIZE) : 1;
    states = numbers_of(array, *targets * REGRESSION_METRICS_SIZE);
    if (states == NULL)
        wrong = "it is not an array of 13 numbers per target";
    for (int k = 0; wrong == NULL && k < *targets; k++)
        wrong = metrics_check(&states[k]);
    if (wrong != NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("this is not a state of a metric: %s", wrong)));
    return states;
}

/* Returns the sums of the one target of a state. */
static RegressionMetrics *metrics_state(FunctionCallInfo fcinfo, int argument, bool in_place)
{
    int targets;
    RegressionMetrics *state = metrics_states(fcinfo, argument, in_place, &targets);

    if (targets != 1)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this is the state of a metric of %d targets, not of one", targets)));
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
    return state_datum(state);
}

/* Fails if a row or another state has another number of targets. */
static void require_targets(int count, int other, const char *format)
{
    if (count != other)
        env_fail(host_env(), ERROR_DATA, "Pass as many numbers in each array.", format, count, other);
}

/* Returns a new state of no rows, in the current memory context. */
static RegressionMetrics *new_states(int targets)
{
    Size size = ARR_OVERHEAD_NONULLS(1) + targets * sizeof(RegressionMetrics);
    ArrayType *array = palloc0(size);

    SET_VARSIZE(array, size);
    array->ndim = 1;
    array->elemtype = FLOAT8OID;
    ARR_DIMS(array)[0] = targets * REGRESSION_METRICS_SIZE;
    ARR_LBOUND(array)[0] = 1;
    return (RegressionMetrics *)ARR_DATA_PTR(array);
}

/* Reads the numbers of an argument that is a float8[] in place. Returns NULL if it, or one of them, is NULL. */
static const double *numbers_argument(FunctionCallInfo fcinfo, int argument, int *count)
{
    ArrayType *array = PG_ARGISNULL(argument) ? NULL : PG_GETARG_ARRAYTYPE_P(argument);

    if (array == NULL || (ARR_HASNULL(array) && array_contains_nulls(array)))
        return NULL;
    *count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    if (*count == 0 || *count > (int)(MaxAllocSize / sizeof(RegressionMetrics)) - 1)
        env_fail(host_env(), *count == 0 ? ERROR_DATA : ERROR_LIMIT, "Pass arrays with one number per target.",
                 *count == 0 ? "an array of targets or predictions is empty" : "an array of targets or predictions has %d numbers", *count);
    if (ARR_NDIM(array) > 1)
        env_fail(host_env(), ERROR_DATA, "Pass arrays with one number per target.", "an array of targets or predictions has %d dimensions", ARR_NDIM(array));
    return (const double *)ARR_DATA_PTR(array);
}

/* errors_targets_step(state, actual, predicted [, weight]): of arrays; a row with a NULL, also inside of an array, is skipped */
PG_FUNCTION_INFO_V1(pgfit_errors_targets_step);
PGDLLEXPORT Datum pgfit_errors_targets_step(PG_FUNCTION_ARGS)
{
    bool weighted = PG_NARGS() > 3;
    int targets, count = 0, predicted_count = 0;
    RegressionMetrics *states;
    const double *actual, *predicted;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    states = metrics_states(fcinfo, 0, true, &targets);
    actual = numbers_argument(fcinfo, 1, &count);
    predicted = numbers_argument(fcinfo, 2, &predicted_count);
    if (actual == NULL || predicted == NULL || (weighted && PG_ARGISNULL(3)))
        return state_datum(states);
    require_targets(count, predicted_count, "the arrays of a row have %d targets and %d predictions");
    if (targets != count && targets == 1 && states->rows == 0)
        states = new_states(targets = count);
    require_targets(count, targets, "rows have different numbers of targets: %d and %d");
    for (int k = 0; k < count; k++)
        metrics_add(host_env(), &states[k], actual[k], predicted[k], weighted ? PG_GETARG_FLOAT8(3) : 1);
    return state_datum(states);
}

/* errors_merge(state, other) */
PG_FUNCTION_INFO_V1(pgfit_errors_merge);
PGDLLEXPORT Datum pgfit_errors_merge(PG_FUNCTION_ARGS)
{
    int targets, others;
    RegressionMetrics *states = metrics_states(fcinfo, 0, true, &targets), *other = metrics_states(fcinfo, 1, false, &others);

    if (others == 1 && other->rows == 0) /* it has seen no row, so it may not know how many targets there are */
        return state_datum(states);
    if (targets == 1 && states->rows == 0)
        states = new_states(targets = others);
    require_targets(others, targets, "cannot merge metrics of %d and %d targets");
    for (int k = 0; k < targets; k++)
        metrics_merge(host_env(), &states[k], &other[k]);
    return state_datum(states);
}

static RegressionMetric metric_of_call(FunctionCallInfo fcinfo)
{
    static const struct {
        const char *name;
        RegressionMetric result;
    } metrics[] = {{"mse", metrics_mse}, {"rmse", metrics_rmse}, {"mae", metrics_mae}, {"r_squared", metrics_r_squared}};
    SupportFunction function;

    support_function(fcinfo, "_final", &function);
    for (size_t i = 0; i < lengthof(metrics); i++)
        if (strcmp(metrics[i].name, function.aggregate) == 0)
            return metrics[i].result;
    fail_support_function(fcinfo);
}

/* NAME_final(state): the mean of the targets */
PG_FUNCTION_INFO_V1(pgfit_errors_final);
PGDLLEXPORT Datum pgfit_errors_final(PG_FUNCTION_ARGS)
{
    int targets;
    const RegressionMetrics *states;
    double result;

    if (unlikely(fcinfo->flinfo->fn_extra == NULL))
        fcinfo->flinfo->fn_extra = (void *)metric_of_call(fcinfo);
    states = metrics_states(fcinfo, 0, false, &targets);
    if (!metrics_average(host_env(), (RegressionMetric)fcinfo->flinfo->fn_extra, states, (uint32_t)targets, &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

/* ---- means ---- */

/* Returns the sums of a state in place. Fails if the array is none. */
static WeightedMean *mean_state(FunctionCallInfo fcinfo, int argument)
{
    WeightedMean *state = numbers_of(PG_GETARG_ARRAYTYPE_P(argument), WEIGHTED_MEAN_SIZE);

    if (state == NULL || !(state->weight >= 0) || !(state->sum >= 0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this is not a state of a mean")));
    return state;
}

/* mean_merge(state, other) */
PG_FUNCTION_INFO_V1(pgfit_mean_merge);
PGDLLEXPORT Datum pgfit_mean_merge(PG_FUNCTION_ARGS)
{
    WeightedMean *state;

    step_require_aggregate(fcinfo);
    state = mean_state(fcinfo, 0);
    weighted_mean_merge(state, mean_state(fcinfo, 1));
    return state_datum(state);
}

/* mean_final(state) */
PG_FUNCTION_INFO_V1(pgfit_mean_final);
PGDLLEXPORT Datum pgfit_mean_final(PG_FUNCTION_ARGS)
{
    double result;

    if (!weighted_mean_result(host_env(), mean_state(fcinfo, 0), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

/* A mean by name: that of an error, or of rows with equal labels. */
typedef struct MeanMetric {
    const char *name;
    int values;
    double (*error)(Env *env, double actual, double predicted, double quantile); /* NULL: labels */
} MeanMetric;

static MetricSite *mean_site(FunctionCallInfo fcinfo)
{
    static const MeanMetric metrics[] = {
        {"accuracy", 2, NULL}, {"mape", 2, percentage_error}, {"smape", 2, symmetric_percentage_error}, {"pinball_loss", 3, pinball_loss}};
    SupportFunction function;

    step_require_aggregate(fcinfo);
    support_function(fcinfo, "_step", &function);
    for (size_t i = 0; i < lengthof(metrics); i++)
        if (strcmp(metrics[i].name, function.aggregate) == 0) {
            MetricSite *site = metric_site(&function, NULL, metrics[i].values);

            site->mean = &metrics[i];
            return site;
        }
    fail_support_function(fcinfo);
}

/* NAME_step(state, actual, predicted [, quantile] [, weight]); a row with a NULL is skipped */
PG_FUNCTION_INFO_V1(pgfit_mean_step);
PGDLLEXPORT Datum pgfit_mean_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = call_site_find(fcinfo);
    WeightedMean *state;
    double weight, value;

    if (unlikely(site == NULL))
        site = mean_site(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = mean_state(fcinfo, 0);
    for (int i = 1; i <= site->values; i++)
        if (PG_ARGISNULL(i))
            return state_datum(state);
    weight = site->weight_argument < 0 ? 1 : weight_argument(fcinfo, site->weight_argument);
    if (weight == 0)
        return state_datum(state);
    if (site->mean->error == NULL)
        value = value_same_label(site->actual, PG_GETARG_DATUM(1), site->predicted, PG_GETARG_DATUM(2));
    else
        value = site->mean->error(host_env(), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), site->values > 2 ? PG_GETARG_FLOAT8(3) : 0);
    weighted_mean_add(state, value, weight);
    return state_datum(state);
}
