/*
 * normal_distribution.c - normal densities, and the points where two of them cross; Bayes' theorem.
 */
#include "core/normal/normal_distribution.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"

#include <math.h>

#define PRIORS_TOLERANCE 1e-6 /* how far their sum may be from 1: users type rounded numbers */
#define ASYMMETRY 1e-8 /* largest difference of mirrored covariances that counts as rounding, relative to the diagonal */

double normal_log_density(double x, double mean, double sd)
{
    double z = (x - mean) / sd;

    return -0.5 * (z * z + LOG_2PI) - log(sd);
}

/*
 * Solves, for u = (x - mean) / sd with t = other_sd / sd and d = (other_mean - mean) / sd,
 *     (1 - t^2) u^2 - 2 d u + d^2 + 2 t^2 (log t + log_ratio) = 0.
 * The root farther from 0 comes from the sum that does not cancel, the other one from the product of the roots. That keeps it
 * exact as t approaches 1, where the first root goes to infinity.
 */
unsigned normal_crossings(double mean, double sd, double other_mean, double other_sd, double log_ratio,
                          double out[2])
{
    double t = other_sd / sd, d = (other_mean - mean) / sd;
    double log_t = fabs(t - 1) < 0.5 ? log1p((other_sd - sd) / sd) : log(other_sd) - log(sd);
    double a = (sd - other_sd) / sd * (1 + t), l = log_t + log_ratio;
    double c = d * d + 2 * t * t * l, inner = d * d - 2 * a * l, sum, first, second;

    if (a == 0) {
        if (d == 0)
            return 0;
        out[0] = mean + sd * (c / (2 * d));
        return 1;
    }
    if (!(inner >= 0))
        return 0;
    sum = d + copysign(t * sqrt(inner), d);
    if (sum == 0) { /* the means are equal, and the densities touch there only */
        out[0] = mean;
        return 1;
    }
    first = mean + sd * (sum / a);
    second = mean + sd * (c / sum);
    if (!isfinite(first) || first == second) {
        out[0] = second;
        return 1;
    }
    out[0] = fmin(first, second);
    out[1] = fmax(first, second);
    return 2;
}

double normal_factor(Env *env, double *triangle, const double *packed, uint32_t n)
{
    double sum = 0;

    triangle_from_packed(triangle, packed, n);
    if (cholesky_triangle(env, triangle, n, 0) != n)
        return NAN;
    for (uint32_t j = 0; j < n; j++)
        sum += 2 * log(triangle[triangle_at(n, j)]);
    return sum;
}

double normal_log_density_of(Env *env, const double *x, const double *mean, const double *covariance,
                             uint32_t n)
{
    double *triangle = env_array(env, factor_packed(n) + 1, sizeof(double));
    double *z = env_array(env, (size_t)n + 1, sizeof(double)), sum = 0;
    uint32_t done;

    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = j; i < n; i++) {
            double a = covariance[(size_t)i * n + j], b = covariance[(size_t)j * n + i];
            double scale = sqrt(fabs(covariance[(size_t)i * n + i])) * sqrt(fabs(covariance[(size_t)j * n + j]));
            if (!(fabs(a - b) <= ASYMMETRY * scale))
                env_fail(env, ERROR_DATA, NULL, "the covariance is not symmetric: %.17g at (%u, %u), %.17g at (%u, %u)",
                         a, i + 1, j + 1, b, j + 1, i + 1);
            triangle[triangle_at(n, j) + i - j] = 0.5 * a + 0.5 * b;
        }
    done = cholesky_triangle(env, triangle, n, CHOLESKY_TOLERANCE(n));
    if (done < n)
        env_fail(env, ERROR_DATA, "Pass a positive definite covariance: drop a feature that depends on the others.",
                 "the covariance is not positive definite: column %u depends on those before it", done + 1);
    for (uint32_t j = 0; j < n; j++)
        z[j] = x[j] - mean[j];
    triangle_solve(triangle, n, z);
    for (uint32_t j = 0; j < n; j++)
        sum += z[j] * z[j] + LOG_2PI + 2 * log(triangle[triangle_at(n, j)]);
    env->release(env, triangle);
    env->release(env, z);
    return -0.5 * sum;
}

/* ---- Bayes' theorem and decisions for given likelihoods ---- */

bool bayes_posterior(Env *env, const double *likelihoods, const double *priors, uint32_t count, double *out)
{
    double sum = 0, total = 0, largest = 0;

    for (uint32_t k = 0; k < count; k++) {
        sum += priors[k];
        largest = fmax(largest, likelihoods[k]);
    }
    if (!(fabs(sum - 1) <= PRIORS_TOLERANCE))
        env_fail(env, ERROR_PARAMETER, "Give each class its share; shares add up to 1.", "the priors add up to %.10g, not to 1", sum);
    for (uint32_t k = 0; k < count; k++) /* scaled, because likelihoods of many features can underflow */
        total += out[k] = largest > 0 ? likelihoods[k] / largest * priors[k] : 0;
    for (uint32_t k = 0; total > 0 && k < count; k++)
        out[k] /= total;
    return total > 0;
}

uint32_t bayes_decision(const double *likelihoods, const double *weights, uint32_t count)
{
    double largest = -1;
    uint32_t best = 0;

    for (uint32_t k = 0; k < count; k++) {
        double value = likelihoods[k] * (weights ? weights[k] : 1);

        if (value > largest) {
            largest = value;
            best = k;
        }
    }
    return best;
}
