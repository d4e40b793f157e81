/*
 * series_tests.c - tests of normality (Jarque-Bera, Shapiro-Wilk) and of series in order (Ljung-Box, Durbin-Watson).
 *
 * Shapiro & Wilk's W by Royston (1995), Applied Statistics 44, algorithm R94: weights from normal scores with polynomials in 1 / sqrt(n).
 */
#include "core/hypothesis/hypothesis_tests.h"
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>

const OptionSpec lag_options[] = {
    {.name = "lags",
     .types = OPTION_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1000000,
     .help = "How many autocorrelations are tested together."},
    {.name = "model_parameters",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1000000,
     .help = "How many parameters of a time series model gave the residuals; they reduce the degrees of freedom."},
    {.name = NULL}};

static bool enough(Env *env, double n, double least, const char *test, HypothesisResult *result)
{
    if (n >= least)
        return true;
    return hypothesis_fails(env, result, "Collect more rows, or leave small groups out with FILTER.", "%s needs %.0f rows, but there are %.0f", test,
                            least, n);
}

static bool not_constant(Env *env, double squares, double n, HypothesisResult *result)
{
    sample_require_finite(env, squares);
    if (squares > 0)
        return true;
    return hypothesis_fails(env, result, "Check that the numbers vary.", "the numbers are constant in all %.0f rows", n);
}

void jarque_bera_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    double n = sample->first[0].count, variance = sample->first[0].squares / n, skewness, kurtosis;

    hypothesis_begin(result, "Jarque-Bera test", NULL, n);
    if (!enough(env, n, 3, "jarque_bera_test", result) || !not_constant(env, variance, n, result))
        return;
    if (!(variance * variance > DBL_MIN / DBL_EPSILON))
        env_fail(env, ERROR_RANGE, "Multiply them by a power of ten.", "the numbers differ by about %.1g, whose fourth power is too small for double precision", sqrt(variance));
    skewness = sample_extra(sample, 0)->cubes / n / pow(variance, 1.5);
    kurtosis = sample_extra(sample, 0)->fourths / n / (variance * variance);
    result->statistic = n * (skewness * skewness / 6 + (kurtosis - 3) * (kurtosis - 3) / 24);
    result->df = 2;
    result->p_value = chi_square_upper(result->statistic, 2);
    sample_require_finite(env, result->statistic);
}

void ljung_box_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    int64_t lags = options_integer(options, "lags"), fitted = options_integer(options, "model_parameters");
    double n = sample->first[0].count, mean = group_mean(&sample->first[0]), sum = 0;

    hypothesis_begin(result, "Ljung-Box test", NULL, n);
    if (!enough(env, n, (double)lags + 1, "ljung_box_test with these lags", result) || !not_constant(env, sample->first[0].squares, n, result))
        return;
    if (fitted >= lags) {
        hypothesis_fails(env, result, "Test more lags than the model has parameters.", "%lld lags leave no degree of freedom to %lld parameters",
                         (long long)lags, (long long)fitted);
        return;
    }
    for (int64_t lag = 1; lag <= lags; lag++) {
        double product = 0, r;

        env->poll(env);
        for (uint64_t i = (uint64_t)lag; i < sample->value_count; i++)
            product += (sample->x[i] - mean) * (sample->x[i - (uint64_t)lag] - mean);
        r = product / sample->first[0].squares;
        sum += r * r / (n - (double)lag);
    }
    result->statistic = n * (n + 2) * sum;
    result->df = (double)(lags - fitted);
    result->p_value = chi_square_upper(result->statistic, result->df);
}

/* The distribution of the statistic depends on the regression behind the residuals, so there is no p-value. */
void durbin_watson_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    double n = sample->first[0].count, changes = 0, squares = 0;

    hypothesis_begin(result, "Durbin-Watson statistic", NULL, n);
    if (!enough(env, n, 2, "durbin_watson_test", result))
        return;
    for (uint64_t i = 0; i < sample->value_count; i++) {
        double d = i > 0 ? sample->x[i] - sample->x[i - 1] : 0;

        changes += d * d;
        squares += sample->x[i] * sample->x[i];
    }
    if (!not_constant(env, squares, n, result))
        return;
    sample_require_finite(env, changes);
    result->statistic = changes / squares;
    result->estimate = 1 - result->statistic / 2;
    result->estimated = "autocorrelation";
}

/* ---- Shapiro-Wilk ---- */

#define SHAPIRO_MOST 5000

static double polynomial(const double *c, int count, double x)
{
    double sum = 0;

    for (int i = count - 1; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

/* Writes the weights of the n / 2 smallest numbers, as positive numbers. */
static void shapiro_weights(double *a, uint32_t n)
{
    static const double first[] = {0, .221157, -.147981, -2.07119, 4.434685, -2.706056}, second[] = {0, .042981, -.293762, -1.752461, 5.682633, -3.582633};
    uint32_t half = n / 2, from = n > 5 ? 2 : 1;
    double sum = 0, root, scale, own, next;

    if (n == 3) {
        a[0] = M_SQRT1_2;
        return;
    }
    for (uint32_t i = 0; i < half; i++) {
        a[i] = normal_quantile((i + 1 - 0.375) / (n + 0.25)); /* negative */
        sum += 2 * a[i] * a[i];
    }
    root = sqrt(sum);
    own = polynomial(first, 6, 1 / sqrt((double)n)) - a[0] / root;
    next = polynomial(second, 6, 1 / sqrt((double)n)) - (n > 5 ? a[1] / root : 0);
    scale = n > 5 ? sqrt((sum - 2 * a[0] * a[0] - 2 * a[1] * a[1]) / (1 - 2 * own * own - 2 * next * next))
                  : sqrt((sum - 2 * a[0] * a[0]) / (1 - 2 * own * own));
    a[0] = own;
    if (n > 5)
        a[1] = next;
    for (uint32_t i = from; i < half; i++)
        a[i] /= -scale;
}

/* Returns p of 1 - W. */
static double shapiro_p(double lack, double n)
{
    static const double mean_small[] = {.544, -.39978, .025054, -6.714e-4}, deviation_small[] = {1.3822, -.77857, .062767, -.0020322};
    static const double mean_large[] = {-1.5861, -.31082, -.083751, .0038915}, deviation_large[] = {-.4803, -.082676, .0030302};
    double y = log(lack), x = log(n), gamma;

    if (n == 3)
        return fmax(0, 1.90985931710274 * (asin(sqrt(1 - lack)) - 1.04719755119660)); /* 6 / pi, asin(sqrt(3 / 4)) */
    if (n > 11)
        return normal_cdf(-(y - polynomial(mean_large, 4, x)) / exp(polynomial(deviation_large, 3, x)));
    gamma = -2.273 + .459 * n;
    if (y >= gamma)
        return 1e-99;
    return normal_cdf(-(-log(gamma - y) - polynomial(mean_small, 4, n)) / exp(polynomial(deviation_small, 4, n)));
}

void shapiro_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    uint32_t n = (uint32_t)sample->value_count;
    double *a, *x, range, mean = 0, weights = 0, xx = 0, aa = 0, ax = 0, lack;

    hypothesis_begin(result, "Shapiro-Wilk test", NULL, (double)sample->value_count);
    if (!enough(env, result->rows, 3, "shapiro_test", result))
        return;
    if (sample->value_count > SHAPIRO_MOST) {
        hypothesis_fails(env, result, "Test a random sample, or use jarque_bera_test.", "shapiro_test takes at most %d rows, but there are %.0f", SHAPIRO_MOST,
                         result->rows);
        return;
    }
    a = env_array(env, n, sizeof(double));
    x = env_array(env, n, sizeof(double));
    for (uint32_t i = 0; i < n; i++)
        x[i] = sample->x[i];
    sort_numbers(env, x, n, sizeof(double));
    range = x[n - 1] - x[0];
    if (!not_constant(env, range, n, result))
        return;
    shapiro_weights(a, n);
    for (uint32_t i = 0; i < n / 2; i++) { /* signed weights of all numbers */
        a[n - 1 - i] = a[i];
        a[i] = -a[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (x[i] - sample->x[0]) / range;
        mean += x[i] / n;
        weights += a[i] / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        xx += (x[i] - mean) * (x[i] - mean);
        aa += (a[i] - weights) * (a[i] - weights);
        ax += (a[i] - weights) * (x[i] - mean);
    }
    lack = fmax(0, (sqrt(aa * xx) - ax) * (sqrt(aa * xx) + ax) / (aa * xx)); /* 1 - W without cancellation; rounding may leave less than nothing */
    result->statistic = 1 - lack;
    result->p_value = shapiro_p(lack, n);
}
