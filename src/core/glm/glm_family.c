/*
 * glm_family.c - the table of families.
 */
#include "core/glm/glm_family.h"

#include "core/glm/glm_tile.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MET 1e-13 /* a mean as close to its target meets it: exp of a score of hundreds is known no better, and what rounding leaves would never stop to shrink */
#define LOG_2_PI 1.8378770664093453
#define WHOLE 1e-3 /* a number of successes that is farther from a whole number has no likelihood: R warns of it */

/* ---- starts ---- */

static double start_same(double target, double weight)
{
    (void)weight;
    return target;
}

static double start_share(double target, double weight)
{
    return (weight * target + 0.5) / (weight + 1);
}

static double start_tenth(double target, double weight)
{
    (void)weight;
    return target + 0.1;
}

static double start_sixth(double target, double weight)
{
    (void)weight;
    return target > 0 ? target : 1.0 / 6;
}

/* ---- variances and deviances ---- */

/* Returns y log (y / m), 0 for y = 0. */
static inline double log_ratio(double y, double m)
{
    return y > 0 ? y * log(y / m) : 0;
}

/* Returns y log (y / m) - (y - m), with the digits of y - m where that is small beside both. */
static inline double rate_deviance(double y, double m)
{
    double ratio = (y - m) / m;

    return fabs(ratio) < MET ? 0 : (fabs(ratio) < 0.5 ? y * log1p(ratio) : log_ratio(y, m)) - (y - m);
}

/*
 * Returns y log (y / m) - (y + p) log ((y + p) / (m + p)), with the digits of y - m for a p far above both, and with those of p for a y and an m far above
 * it: what y is multiplied by is of the size of p / y there, and not the difference of two logarithms.
 */
static inline double count_deviance(double y, double m, double p)
{
    double ratio = (y - m) / (m + p), other = (y - m) / m * (p / (y + p));
    double shifted = fabs(ratio) < 0.5 ? log1p(ratio) : log((y + p) / (m + p));

    if (fabs(y - m) < MET * m)
        return 0;
    return (y > 0 ? y * (fabs(other) < 0.5 ? log1p(other) : log(y / m) - shifted) : 0) - p * shifted;
}

/* Returns x^exponent: with the default power of family tweedie by square roots, because pow was a third of its time. */
static inline double power_of(double x, double exponent)
{
    return exponent == 0.5 ? sqrt(x) : exponent == 1.5 ? x * sqrt(x) : pow(x, exponent);
}

/*
 * Returns half the deviance of family tweedie, with the digits of y - m where that is small beside m: as the series of (1 + (y - m) / m)^(2 - p) from its
 * square on. variance: m^p, which may be out of range where the deviance is not.
 */
static inline double power_deviance(double y, double m, double p, double variance)
{
    double ratio = (y - m) / m, term = ratio * ratio / 2, sum = term;
    double rest = variance > 0 && variance <= DBL_MAX ? m / variance : pow(m, 1 - p); /* m^(1 - p) */

    if (fabs(ratio) < MET)
        return 0;
    if (fabs(ratio) > 0.1)
        return power_of(y, 2 - p) / ((1 - p) * (2 - p)) + rest * (m / (2 - p) - y / (1 - p));
    for (int k = 2; fabs(term) > DBL_EPSILON / 2 * sum; k++) {
        term *= (2 - p - k) / (k + 1) * ratio;
        sum += term;
    }
    return rest * m * sum;
}

/* Defines the loop over the rows of a tile from the variance and the deviance of one row, in y, m and p. */
#define TILE(name, variance_of, deviance_of)                                                                                                         \
    static void name(const double *target, const double *mean, uint32_t count, double p, double *variance, double *deviance)                         \
    {                                                                                                                                                \
        (void)p;                                                                                                                                     \
        for (uint32_t i = 0; i < count; i++) {                                                                                                       \
            double y = target[i], m = mean[i];                                                                                                       \
                                                                                                                                                     \
            variance[i] = variance_of;                                                                                                               \
            deviance[i] = deviance_of;                                                                                                               \
        }                                                                                                                                            \
    }

TILE(gaussian_tile, 1, (y - m) * (y - m))
TILE(binomial_tile, m *(1 - m), 2 * (log_ratio(y, m) + log_ratio(1 - y, 1 - m)))
TILE(poisson_rows, m, 2 * rate_deviance(y, m))
TILE(gamma_rows, m *m, 2 * ((y - m) / m - log(y / m)))
TILE(inverse_gaussian_tile, m *m *m, (y - m) * (y - m) / (y * m * m))
TILE(negative_binomial_tile, m + m * m / p, 2 * count_deviance(y, m, p))
TILE(tweedie_tile, power_of(m, p), 2 * power_deviance(y, m, p, variance[i]))

static void poisson_tile(const double *target, const double *mean, uint32_t count, double p, double *variance, double *deviance)
{
    if (!glm_poisson_rows(target, mean, count, MET, variance, deviance))
        poisson_rows(target, mean, count, p, variance, deviance);
}

static void gamma_tile(const double *target, const double *mean, uint32_t count, double p, double *variance, double *deviance)
{
    if (!glm_gamma_rows(target, mean, count, variance, deviance))
        gamma_rows(target, mean, count, p, variance, deviance);
}

static double gamma_elasticity(double mean, double p)
{
    (void)mean;
    (void)p;
    return 1;
}

static double negative_binomial_elasticity(double mean, double p)
{
    return mean / (mean + p);
}

static double tweedie_elasticity(double mean, double p)
{
    (void)mean;
    return p - 1;
}

/* ---- likelihoods ---- */

static double gaussian_constant(double target, double log_target, double weight, bool frequency)
{
    (void)target;
    (void)log_target;
    return frequency ? 0 : log(weight);
}

static double gaussian_likelihood(const GlmSums *sums)
{
    return 0.5 * sums->constant - 0.5 * sums->rows * (log(2 * M_PI * sums->deviance / sums->rows) + 1);
}

/* Of the perfect fit: weights are numbers of trials, of which the target is the share of successes. */
static double binomial_constant(double target, double log_target, double weight, bool frequency)
{
    double trials = frequency ? 1 : weight, successes = target * trials;

    (void)log_target;
    if (fabs(successes - rint(successes)) > WHOLE || fabs(trials - rint(trials)) > WHOLE)
        return NAN;
    return (frequency ? weight : 1) * binomial_log_density(rint(successes), rint(trials), target, 1 - target);
}

/* Of the perfect fit. */
static double poisson_constant(double target, double log_target, double weight, bool frequency)
{
    (void)frequency;
    if (target != rint(target))
        return NAN;
    return target > 0 ? -weight * (stirling_error(target) + 0.5 * (LOG_2_PI + log_target)) : 0;
}

static double fixed_likelihood(const GlmSums *sums)
{
    return sums->constant - sums->deviance / 2;
}

static double weighted_log(double target, double log_target, double weight, bool frequency)
{
    (void)target;
    (void)frequency;
    return weight * log_target;
}

/* As R estimates it: with the mean deviance as the dispersion. */
static double gamma_likelihood(const GlmSums *sums)
{
    double shape = sums->weight / sums->deviance;

    return sums->weight * (0.5 * log(shape / (2 * M_PI)) - stirling_error(shape) - 0.5) - sums->constant;
}

static double inverse_gaussian_likelihood(const GlmSums *sums)
{
    return -0.5 * (sums->weight * (log(2 * M_PI * sums->deviance / sums->weight) + 1) + 3 * sums->constant);
}

/* ---- the table ---- */

#define SHARES .lowest = 0, .highest = 1, .targets = "between 0 and 1"
#define FROM_NOTHING .lowest = 0, .highest = INFINITY, .targets = "at least 0"
#define ABOVE_NOTHING .lowest = 0, .highest = INFINITY, .above = true, .targets = "above 0"

const GlmFamily glm_families[GLM_FAMILIES] = {
    {.name = "gaussian",
     .link = "identity",
     .lowest = -INFINITY,
     .highest = INFINITY,
     .targets = "finite",
     .start = start_same,
     .tile = gaussian_tile,
     .constant = gaussian_constant,
     .likelihood = gaussian_likelihood},
    {.name = "binomial", .link = "logit", .fixed = true, SHARES, .start = start_share, .tile = binomial_tile, .constant = binomial_constant, .likelihood = fixed_likelihood},
    {.name = "poisson",
     .link = "log",
     .fixed = true,
     .counts = true,
     FROM_NOTHING,
     .start = start_tenth,
     .tile = poisson_tile,
     .constant = poisson_constant,
     .likelihood = fixed_likelihood},
    {.name = "gamma", .link = "inverse", ABOVE_NOTHING, .start = start_same, .tile = gamma_tile, .elasticity = gamma_elasticity, .constant = weighted_log, .likelihood = gamma_likelihood},
    {.name = "inverse_gaussian",
     .link = "inverse_squared",
     ABOVE_NOTHING,
     .start = start_same,
     .tile = inverse_gaussian_tile,
     .constant = weighted_log,
     .likelihood = inverse_gaussian_likelihood},
    {.name = "negative_binomial", .link = "log", .fixed = true, .counts = true, FROM_NOTHING, .start = start_sixth, .tile = negative_binomial_tile, .elasticity = negative_binomial_elasticity},
    {.name = "tweedie", .link = "log", .counts = true, FROM_NOTHING, .start = start_tenth, .tile = tweedie_tile, .elasticity = tweedie_elasticity},
    {.name = "quasipoisson", .link = "log", .counts = true, FROM_NOTHING, .start = start_tenth, .tile = poisson_tile},
    {.name = "quasibinomial", .link = "logit", SHARES, .start = start_share, .tile = binomial_tile},
};

const char *const glm_family_names[] = {"gaussian", "binomial", "poisson", "gamma", "inverse_gaussian", "negative_binomial", "tweedie", "quasipoisson", "quasibinomial", NULL};

const GlmFamily *glm_family_find(const char *name)
{
    const GlmFamily *family = glm_families;

    while (strcmp(family->name, name) != 0)
        family++;
    return family;
}

bool glm_family_has(const GlmFamily *family, double target)
{
    return (family->above ? target > family->lowest : target >= family->lowest) && target <= family->highest;
}
