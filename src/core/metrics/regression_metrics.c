/*
 * regression_metrics.c - sums of squared and absolute errors, and the metrics that follow from them.
 */
#include "core/metrics/regression_metrics.h"

#include <math.h>

#define SCALED_MAX 0x1p300 /* squares of scaled numbers stay below 2^600 */
#define FACTOR_MAX 1000    /* exponent of a scale: its reciprocal is a normal number too */

_Static_assert(sizeof(RegressionMetrics) == REGRESSION_METRICS_SIZE * sizeof(double),
               "the state is an array of doubles");

/* Returns the power of two that brings x near 1. */
static double factor_for(double x)
{
    int exponent = -ilogb(x);

    if (exponent > FACTOR_MAX)
        exponent = FACTOR_MAX;
    if (exponent < -FACTOR_MAX)
        exponent = -FACTOR_MAX;
    return ldexp(1.0, exponent);
}

/* Changes the factor of a sum and rescales the sum. */
static void scaled_change(ScaledSum *s, double factor, int power)
{
    if (s->factor != 0.0) {
        double ratio = factor / s->factor;

        for (int i = 0; i < power; i++) {
            s->powers.sum *= ratio;
            s->powers.carry *= ratio;
        }
    }
    s->factor = factor;
}

/* Adds weight |x|^power. */
static inline void scaled_add(ScaledSum *s, double weight, double x, int power)
{
    double v = fabs(x * s->factor);

    if (x == 0.0)
        return;
    if (s->factor == 0.0 || v > SCALED_MAX) {
        scaled_change(s, factor_for(x), power);
        v = fabs(x * s->factor);
    }
    carried_add(&s->powers, weight * (power == 2 ? v * v : v));
}

static void scaled_merge(ScaledSum *s, const ScaledSum *other, int power)
{
    ScaledSum b = *other;

    if (b.factor == 0.0)
        return;
    if (s->factor == 0.0 || b.factor < s->factor)
        scaled_change(s, b.factor, power);
    else
        scaled_change(&b, s->factor, power);
    carried_add(&s->powers, b.powers.sum);
    s->powers.carry += b.powers.carry;
}

static double scaled_total(const ScaledSum *s)
{
    return carried_value(&s->powers);
}

static void fail_overflow(Env *env)
{
    env_fail(env, ERROR_RANGE, NULL, "value out of range: overflow");
}

/* Fails if a sum has overflowed. */
static void check_finite(Env *env, const RegressionMetrics *s)
{
    if (!isfinite(s->weight + s->mean) || !isfinite(s->spread.powers.sum + s->squares.powers.sum) ||
        !isfinite(s->absolute.powers.sum))
        fail_overflow(env);
}

static void fail_number(Env *env, const char *what, double value)
{
    env_fail(env, ERROR_DATA, NULL, "the %s is %s", what,
             isnan(value) ? "NaN" : (value > 0 ? "infinity" : "-infinity"));
}

/* Fails because the difference of two values is not finite. */
static void fail_error(Env *env, double actual, double predicted)
{
    if (!isfinite(actual))
        fail_number(env, "actual value", actual);
    if (!isfinite(predicted))
        fail_number(env, "predicted value", predicted);
    fail_overflow(env);
}

void metrics_add(Env *env, RegressionMetrics *s, double actual, double predicted, double weight)
{
    double error = actual - predicted;
    double before = s->weight, delta, share;

    if (!isfinite(error))
        fail_error(env, actual, predicted);
    if (!(weight >= 0.0) || isinf(weight)) {
        if (!isfinite(weight))
            fail_number(env, "weight", weight);
        env_fail(env, ERROR_DATA, "Give a finite weight of at least 0; rows of weight 0 are skipped.",
                 "the weight %g is negative", weight);
    }
    if (weight == 0.0)
        return;

    s->rows += 1.0;
    s->weight = before + weight;
    share = weight / s->weight;
    if (before == 0.0) {
        s->origin = actual;
    } else {
        delta = (actual - s->origin) - s->mean;
        if (!isfinite(delta))
            fail_overflow(env);
        scaled_add(&s->spread, before * share, delta, 2);
        s->mean += delta * share;
    }
    scaled_add(&s->squares, weight, error, 2);
    scaled_add(&s->absolute, weight, error, 1);
    check_finite(env, s);
}

void metrics_merge(Env *env, RegressionMetrics *s, const RegressionMetrics *other)
{
    double delta, share;

    if (other->weight == 0.0)
        return;
    if (s->weight == 0.0) {
        *s = *other;
        return;
    }
    delta = (other->origin - s->origin) + (other->mean - s->mean);
    share = other->weight / (s->weight + other->weight);
    if (!isfinite(delta))
        fail_overflow(env);
    scaled_merge(&s->spread, &other->spread, 2);
    scaled_add(&s->spread, s->weight * share, delta, 2);
    s->mean += delta * share;
    s->rows += other->rows;
    s->weight += other->weight;
    scaled_merge(&s->squares, &other->squares, 2);
    scaled_merge(&s->absolute, &other->absolute, 1);
    check_finite(env, s);
}

/* Tells whether this can be a sum of weighted powers: finite, with a factor that is 0 or a normal power of two. */
static bool scaled_sound(const ScaledSum *s)
{
    int exponent;

    if (!isfinite(s->powers.sum) || !isfinite(s->powers.carry))
        return false;
    if (s->factor == 0.0)
        return s->powers.sum == 0.0 && s->powers.carry == 0.0;
    return isfinite(s->factor) && s->factor > 0.0 && frexp(s->factor, &exponent) == 0.5 &&
           exponent - 1 >= -FACTOR_MAX && exponent - 1 <= FACTOR_MAX;
}

const char *metrics_check(const RegressionMetrics *s)
{
    if (!(s->rows >= 0.0) || !(s->weight >= 0.0) || isinf(s->rows) || isinf(s->weight) ||
        !isfinite(s->origin) || !isfinite(s->mean))
        return "its counts are not numbers of rows";
    if (!scaled_sound(&s->spread) || !scaled_sound(&s->squares) || !scaled_sound(&s->absolute))
        return "its sums are not finite";
    return NULL;
}

static bool give(Env *env, double value, double *result)
{
    if (!isfinite(value))
        fail_overflow(env);
    *result = value;
    return true;
}

bool metrics_mse(Env *env, const RegressionMetrics *s, double *result)
{
    if (s->weight == 0.0)
        return false;
    if (s->squares.factor == 0.0)
        return give(env, 0.0, result);
    return give(env, scaled_total(&s->squares) / s->weight / s->squares.factor / s->squares.factor,
                result);
}

bool metrics_rmse(Env *env, const RegressionMetrics *s, double *result)
{
    if (s->weight == 0.0)
        return false;
    if (s->squares.factor == 0.0)
        return give(env, 0.0, result);
    return give(env, sqrt(scaled_total(&s->squares) / s->weight) / s->squares.factor, result);
}

bool metrics_mae(Env *env, const RegressionMetrics *s, double *result)
{
    if (s->weight == 0.0)
        return false;
    if (s->absolute.factor == 0.0)
        return give(env, 0.0, result);
    return give(env, scaled_total(&s->absolute) / s->weight / s->absolute.factor, result);
}

bool metrics_r_squared(Env *env, const RegressionMetrics *s, double *result)
{
    double ratio;

    if (s->weight == 0.0 || s->spread.factor == 0.0 || !(scaled_total(&s->spread) > 0.0))
        return false;
    if (s->squares.factor == 0.0)
        return give(env, 1.0, result);
    ratio = s->spread.factor / s->squares.factor;
    return give(env, 1.0 - scaled_total(&s->squares) / scaled_total(&s->spread) * ratio * ratio,
                result);
}

bool metrics_average(Env *env, RegressionMetric metric, const RegressionMetrics *states, uint32_t count, double *result)
{
    double sum = 0, mean = 0, value;

    for (uint32_t k = 0; k < count; k++) {
        if (!metric(env, &states[k], &value))
            return false;
        sum += value;
        mean += value / count; /* whose sum overflows only if the mean does */
    }
    return count > 0 && give(env, isfinite(sum) ? sum / count : mean, result);
}

/* ---- errors of one prediction ---- */

double percentage_error(Env *env, double actual, double predicted, double quantile)
{
    double error = fabs(actual - predicted);

    if (!isfinite(error))
        fail_error(env, actual, predicted);
    if (actual == 0)
        env_fail(env, ERROR_DATA, "Leave out such rows: FILTER (WHERE actual <> 0), or use smape.",
                 "an actual value is 0, of which no error is a percentage");
    return error / fabs(actual);
}

double symmetric_percentage_error(Env *env, double actual, double predicted, double quantile)
{
    double largest = fmax(fabs(actual), fabs(predicted));

    if (!isfinite(actual) || !isfinite(predicted))
        fail_error(env, actual, predicted);
    if (largest == 0)
        return 0;
    actual /= largest;
    predicted /= largest;
    return 2 * fabs(actual - predicted) / (fabs(actual) + fabs(predicted));
}

double pinball_loss(Env *env, double actual, double predicted, double quantile)
{
    double error = actual - predicted;

    if (!(quantile >= 0 && quantile <= 1))
        env_fail(env, ERROR_PARAMETER, "Give the quantile that was predicted, such as 0.9.",
                 "the quantile of pinball_loss is %g, not between 0 and 1", quantile);
    if (!isfinite(error))
        fail_error(env, actual, predicted);
    return error >= 0 ? quantile * error : (quantile - 1) * error;
}
