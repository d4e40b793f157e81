/*
 * covariance_shrinkage.c - how much to shrink a covariance.
 */
#include "core/normal/covariance_shrinkage.h"
#include "core/linalg/qr_factor.h"

#include <math.h>

const char *const shrinkage_choices[] = {"auto", "ledoit_wolf", "oas", NULL};

static const OptionSpec fourth_moments_option[] = {
    {.name = "fourth_moments",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Also sum products of third and fourth order, which Ledoit-Wolf shrinkage needs."},
    {.name = NULL}};
const OptionSpec *const fourth_moments_options[] = {options_common, fourth_moments_option, NULL};

ShrinkageRule shrinkage_rule(const Options *options)
{
    if (options_is(options, "shrinkage", "oas"))
        return SHRINKAGE_OAS;
    if (options_is(options, "shrinkage", "ledoit_wolf"))
        return SHRINKAGE_LEDOIT_WOLF;
    return options_is(options, "shrinkage", "auto") ? SHRINKAGE_AUTO : SHRINKAGE_SHARE;
}

bool options_fourth_moments(const Options *options)
{
    if (options_has(options, "fourth_moments"))
        return options_boolean(options, "fourth_moments");
    return options_has(options, "shrinkage") && shrinkage_rule(options) >= SHRINKAGE_LEDOIT_WOLF;
}

double shrinkage_oas(const double *covariance, uint32_t p, double mean, double n)
{
    double squares = 0, numerator, denominator;

    for (uint32_t j = 0; j < p; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double value = *covariance++ / mean; /* in units of the mean variance, whose squares cannot overflow */
            squares += i == j ? value * value : 2 * value * value;
        }
    squares /= (double)p * p;
    numerator = squares + 1;
    denominator = (n + 1) * (squares - 1.0 / p);
    return denominator > numerator ? numerator / denominator : 1;
}

#define LEAST_FOURTH 1e-290 /* smaller fourth moments come near the denormal numbers and lose digits */

double shrinkage_ledoit_wolf(Env *env, const ScatterDesign *design, uint32_t class, bool correlations,
                             const bool *vanish, const char *method)
{
    uint32_t p = design->terms, used = 0;
    const double *scatter = design->scatter + class * factor_packed(p), *fourth_moments;
    double weight = design->weight[class], mean = 0, fourth = 0, squares = 0, distance = 0, least = INFINITY, error;
    double *scale = env_array(env, (size_t)p + 1, sizeof(double)); /* variances, then 1 / their unit */

    if (design->fourth_moments == NULL)
        env_fail(env, ERROR_KIND,
                 "Compute them with option \"fourth_moments\": true of class_moments or feature_moments, fit from "
                 "the rows, or use \"oas\".",
                 "option \"shrinkage\" of %s needs fourth moments, and these moments have none", method);
    fourth_moments = design->fourth_moments + class * factor_packed(p);
    for (uint32_t t = 0; t < p; t++) {
        double variance = scatter[factor_packed(t) + t] / weight;
        if (correlations && (!(variance > 0) || (vanish != NULL && vanish[t])))
            continue;
        used++;
        mean += (variance - mean) / used;
        scale[t] = variance;
        if (variance > 0)
            least = fmin(least, variance);
    }
    if (used < 2 || !(mean > 0))
        return 0;
    if (!correlations)
        least = mean;
    if (!(least * least > LEAST_FOURTH))
        env_fail(env, ERROR_RANGE, "Multiply the features by a power of ten.",
                 "variances as small as %g have no fourth moments in the range of double precision", least);
    for (uint32_t t = 0; t < p; t++)
        scale[t] = correlations ? (scale[t] > 0 ? 1 / scale[t] : 0) : 1 / mean;
    for (uint32_t j = 0; j < p; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double value = scatter[factor_packed(j) + i] / weight * sqrt(scale[i]) * sqrt(scale[j]);
            double times = i == j ? 1 : 2; /* both triangles */
            fourth += times * (fourth_moments[factor_packed(j) + i] / weight * scale[i] * scale[j]);
            squares += times * (value * value);
            if (scale[j] > 0) /* the target, the mean variance, is 1 in these units */
                distance += i == j ? (value - 1) * (value - 1) : 2 * (value * value);
        }
    error = (fourth - squares) / design->rows[class]; /* estimated squared error of the covariance */
    if (!(error > 0))
        return 0;
    return error < distance ? error / distance : 1;
}
