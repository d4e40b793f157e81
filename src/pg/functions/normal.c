/*
 * normal.c - normal densities, likelihood ratios, thresholds and decisions of plain numbers.
 */
#include "pg/host/backend_env.h"
#include "pg/score/scoring.h"
#include "core/normal/normal_distribution.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

/* ---- arguments ---- */

static double finite_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
    double value = PG_GETARG_FLOAT8(argument);

    if (!isfinite(value))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s must be finite, not %g", name, value)));
    return value;
}

static double positive_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
    double value = PG_GETARG_FLOAT8(argument);

    if (!(value > 0 && isfinite(value)))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s must be a finite number above 0, not %g", name, value)));
    return value;
}

/* The numbers of an array of one or two dimensions; finite, unless one is NULL. */
typedef struct Numbers {
    uint32 rows, columns; /* columns 0: one dimension */
    const double *values;
    bool has_null;
} Numbers;

static Numbers array_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
    Numbers numbers = {.values = (const double *)ARR_DATA_PTR(array)};
    int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

    if (count == 0 || ARR_NDIM(array) > 2)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        count == 0 ? errmsg("%s is an empty array", name)
                                   : errmsg("%s must be an array of one or two dimensions, not %d", name,
                                            ARR_NDIM(array))));
    numbers.rows = (uint32)ARR_DIMS(array)[0];
    numbers.columns = ARR_NDIM(array) == 2 ? (uint32)ARR_DIMS(array)[1] : 0;
    numbers.has_null = ARR_HASNULL(array) && array_contains_nulls(array);
    for (int i = 0; i < count && !numbers.has_null; i++)
        if (!isfinite(numbers.values[i]))
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                            errmsg("number %d of %s is not finite", i + 1, name)));
    return numbers;
}

static void require_length(const Numbers *numbers, uint32 length, const char *name, const char *other)
{
    if (numbers->columns != 0 || numbers->rows != length)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("%s and %s have %u and %u numbers", name, other,
                               numbers->rows * Max(numbers->columns, 1), length)));
}

/* Reads mean and covariance from this argument and the next; returns false if one contains a NULL. */
static bool distribution_arguments(FunctionCallInfo fcinfo, int argument, const Numbers *x, Numbers *mean,
                                   Numbers *covariance)
{
    *mean = array_argument(fcinfo, argument, "the mean");
    *covariance = array_argument(fcinfo, argument + 1, "the covariance");
    require_length(mean, x->rows, "the mean", "the point");
    if (covariance->rows != x->rows || covariance->columns != x->rows)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("the covariance is %u by %u, but the point has %u numbers", covariance->rows,
                               covariance->columns, x->rows)));
    return !mean->has_null && !covariance->has_null;
}

/* ---- densities ---- */

static double log_density(FunctionCallInfo fcinfo, int argument)
{
    double x = finite_argument(fcinfo, 0, "the point");
    double mean = finite_argument(fcinfo, argument, "the mean");

    return normal_log_density(x, mean, positive_argument(fcinfo, argument + 1, "the standard deviation"));
}

/* Computes the density of an array; returns false if an argument contains a NULL. */
static bool log_density_of(FunctionCallInfo fcinfo, int argument, double *result)
{
    Numbers x = array_argument(fcinfo, 0, "the point"), mean, covariance;

    if (x.columns != 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("the point must be an array of one dimension, not two")));
    if (!distribution_arguments(fcinfo, argument, &x, &mean, &covariance) || x.has_null)
        return false;
    *result = normal_log_density_of(host_env(), x.values, mean.values, covariance.values, x.rows);
    return true;
}

PG_FUNCTION_INFO_V1(pgfit_normal_log_density);
PGDLLEXPORT Datum pgfit_normal_log_density(PG_FUNCTION_ARGS)
{
    return give_number(log_density(fcinfo, 1));
}

PG_FUNCTION_INFO_V1(pgfit_normal_density);
PGDLLEXPORT Datum pgfit_normal_density(PG_FUNCTION_ARGS)
{
    return give_number(exp(log_density(fcinfo, 1)));
}

PG_FUNCTION_INFO_V1(pgfit_normal_log_density_array);
PGDLLEXPORT Datum pgfit_normal_log_density_array(PG_FUNCTION_ARGS)
{
    double result;

    if (!log_density_of(fcinfo, 1, &result))
        PG_RETURN_NULL();
    return give_number(result);
}

PG_FUNCTION_INFO_V1(pgfit_normal_density_array);
PGDLLEXPORT Datum pgfit_normal_density_array(PG_FUNCTION_ARGS)
{
    double result;

    if (!log_density_of(fcinfo, 1, &result))
        PG_RETURN_NULL();
    return give_number(exp(result));
}

/* ---- likelihood ratios and thresholds ---- */

static Datum give_ratio(double log_ratio)
{
    double ratio = exp(log_ratio);

    if (!isfinite(ratio))
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("the likelihood ratio is out of range of double precision"),
                        errhint("Subtract two normal_log_density values instead.")));
    return Float8GetDatum(ratio);
}

PG_FUNCTION_INFO_V1(pgfit_likelihood_ratio);
PGDLLEXPORT Datum pgfit_likelihood_ratio(PG_FUNCTION_ARGS)
{
    double positive = log_density(fcinfo, 1);

    return give_ratio(positive - log_density(fcinfo, 3));
}

PG_FUNCTION_INFO_V1(pgfit_likelihood_ratio_array);
PGDLLEXPORT Datum pgfit_likelihood_ratio_array(PG_FUNCTION_ARGS)
{
    double positive, negative;

    if (!log_density_of(fcinfo, 1, &positive) || !log_density_of(fcinfo, 3, &negative))
        PG_RETURN_NULL();
    return give_ratio(positive - negative);
}

PG_FUNCTION_INFO_V1(pgfit_normal_thresholds);
PGDLLEXPORT Datum pgfit_normal_thresholds(PG_FUNCTION_ARGS)
{
    double mean = finite_argument(fcinfo, 0, "the mean");
    double sd = positive_argument(fcinfo, 1, "the standard deviation");
    double other_mean = finite_argument(fcinfo, 2, "the mean");
    double other_sd = positive_argument(fcinfo, 3, "the standard deviation");
    double prior = PG_GETARG_FLOAT8(4), out[2];

    if (!(prior > 0 && prior < 1))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the prior of the positive class must be between 0 and 1, not %g", prior)));
    return give_array(out, normal_crossings(mean, sd, other_mean, other_sd, log(prior) - log1p(-prior), out));
}

/* ---- decisions ---- */

/* Reads an array of one dimension of finite numbers that are not negative. */
static Numbers likelihood_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
    Numbers numbers = array_argument(fcinfo, argument, name);

    if (numbers.columns != 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("%s must be an array of one dimension, not two", name)));
    for (uint32 i = 0; i < numbers.rows && !numbers.has_null; i++)
        if (numbers.values[i] < 0)
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                            errmsg("number %u of %s is %g, below 0", i + 1, name, numbers.values[i])));
    return numbers;
}

PG_FUNCTION_INFO_V1(pgfit_posterior);
PGDLLEXPORT Datum pgfit_posterior(PG_FUNCTION_ARGS)
{
    Numbers likelihoods = likelihood_argument(fcinfo, 0, "the likelihoods");
    Numbers priors = likelihood_argument(fcinfo, 1, "the priors");
    double *out;

    require_length(&priors, likelihoods.rows, "the priors", "the likelihoods");
    if (likelihoods.has_null || priors.has_null)
        PG_RETURN_NULL();
    out = palloc(likelihoods.rows * sizeof(double));
    if (!bayes_posterior(host_env(), likelihoods.values, priors.values, likelihoods.rows, out))
        PG_RETURN_NULL();
    return give_array(out, likelihoods.rows);
}

PG_FUNCTION_INFO_V1(pgfit_bayes_class);
PGDLLEXPORT Datum pgfit_bayes_class(PG_FUNCTION_ARGS)
{
    Numbers likelihoods = likelihood_argument(fcinfo, 0, "the likelihoods");
    const double *weights = NULL;

    if (PG_NARGS() > 1) {
        Numbers given = likelihood_argument(fcinfo, 1, "the weights");

        require_length(&given, likelihoods.rows, "the weights", "the likelihoods");
        if (given.has_null)
            PG_RETURN_NULL();
        weights = given.values;
    }
    if (likelihoods.has_null)
        PG_RETURN_NULL();
    PG_RETURN_INT32((int32)bayes_decision(likelihoods.values, weights, likelihoods.rows) + 1);
}
