/*
 * mean_aggregates.c - metrics that are a mean over the rows: the state that accuracy shares, percentage errors, the pinball loss.
 */
#include "pg/metrics/metric_state.h"
#include "core/metrics/regression_metrics.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

WeightedMean *mean_state(FunctionCallInfo fcinfo, int argument)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
    WeightedMean *state = (WeightedMean *)ARR_DATA_PTR(array);

    if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != WEIGHTED_MEAN_SIZE || ARR_HASNULL(array) ||
        ARR_ELEMTYPE(array) != FLOAT8OID || !(state->weight >= 0) || !(state->sum >= 0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this is not a state of a mean")));
    return state;
}

Datum mean_state_result(const WeightedMean *state)
{
    return PointerGetDatum((char *)state - ARR_OVERHEAD_NONULLS(1));
}

/* mean_merge(state, other) */
PG_FUNCTION_INFO_V1(pgfit_mean_merge);
PGDLLEXPORT Datum pgfit_mean_merge(PG_FUNCTION_ARGS)
{
    WeightedMean *state;

    step_require_aggregate(fcinfo);
    state = mean_state(fcinfo, 0);
    weighted_mean_merge(state, mean_state(fcinfo, 1));
    return mean_state_result(state);
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

/* ---- errors of predicted numbers ---- */

typedef double (*ErrorValue)(Env *env, double actual, double predicted, double quantile);

/* Adds the row of NAME_step(state, actual, predicted [, quantile] [, weight]); `values` come before the weight. */
static Datum error_step(FunctionCallInfo fcinfo, ErrorValue error, int values)
{
    WeightedMean *state;
    double weight = 1;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = mean_state(fcinfo, 0);
    for (int i = 1; i < PG_NARGS(); i++)
        if (PG_ARGISNULL(i))
            return mean_state_result(state);
    if (PG_NARGS() > values + 1)
        weight = weight_argument(fcinfo, values + 1);
    if (weight == 0)
        return mean_state_result(state);
    weighted_mean_add(state, error(host_env(), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), values > 2 ? PG_GETARG_FLOAT8(3) : 0), weight);
    return mean_state_result(state);
}

/* mape_step(state, actual, predicted [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_mape_step);
PGDLLEXPORT Datum pgfit_mape_step(PG_FUNCTION_ARGS)
{
    return error_step(fcinfo, percentage_error, 2);
}

/* smape_step(state, actual, predicted [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_smape_step);
PGDLLEXPORT Datum pgfit_smape_step(PG_FUNCTION_ARGS)
{
    return error_step(fcinfo, symmetric_percentage_error, 2);
}

/* pinball_loss_step(state, actual, predicted, quantile [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_pinball_loss_step);
PGDLLEXPORT Datum pgfit_pinball_loss_step(PG_FUNCTION_ARGS)
{
    return error_step(fcinfo, pinball_loss, 3);
}
