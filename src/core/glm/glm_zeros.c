/*
 * glm_zeros.c - the test of zeros.
 *
 * The number of zeros less its expectation at the estimates has the variance sum of p (1 - p), less what estimation takes: with d the slope of the
 * expectation by the parameters and V their covariance, d' V d (as for any moment of a likelihood: Newey 1985).
 */
#include "core/glm/glm_zeros.h"
#include "core/glm/glm_zero_sums.h"

#include "core/linalg/cholesky.h"

#include <math.h>
#include <string.h>

#define MANY_Z 3.090232306167813 /* p = 0.001, of one side */
#define MANY_SHARE 0.05

bool glm_zeros_counted(const GlmFamily *family)
{
    return strcmp(family->name, "poisson") == 0 || strcmp(family->name, "negative_binomial") == 0;
}

GlmZeros glm_zeros_of(Env *env, const GlmZeroSums *sums, double *slope, const double *factor, uint32_t count, double theta_error)
{
    GlmZeros zeros = {sums->observed, sums->expected, NAN};
    double left = sums->variance;

    cholesky_solve(env, factor, count, slope, 1);
    for (uint32_t j = 0; j < count; j++)
        left -= slope[j] * slope[j];
    if (!isnan(theta_error))
        left -= sums->theta * sums->theta * theta_error * theta_error;
    if (left > 1e-9 * sums->variance)
        zeros.z = (zeros.observed - zeros.expected) / sqrt(left);
    return zeros;
}

GlmZeros glm_zeros(GlmProblem *problem, const GlmSolution *solution, double theta_error)
{
    Env *env = problem->env;
    const GlmPoint *at = &solution->at;
    uint32_t count = at->count;
    GlmZeroSums sums = {.observed = 0};
    GlmZeros zeros;
    GlmTile tile;
    double *slope;

    if (!glm_zeros_counted(problem->family) || solution->factor == NULL)
        return (GlmZeros){NAN, NAN, NAN};
    if (at->counted)
        return glm_zeros_of(env, &at->zeros, at->zero_slope, solution->factor, count, theta_error);
    slope = env_array(env, (size_t)count + TILE_PADDING, sizeof(double));
    while (glm_next_tile(problem, count, at->theta, &tile))
        glm_zeros_add(problem, problem->rows->columns, count, &tile, &sums, slope);
    zeros = glm_zeros_of(env, &sums, slope, solution->factor, count, theta_error);
    env->release(env, slope);
    return zeros;
}

bool glm_zeros_many(const GlmZeros *zeros)
{
    return zeros->z > MANY_Z && zeros->expected < (1 - MANY_SHARE) * zeros->observed;
}

void glm_zeros_warn(Env *env, const GlmFamily *family, const char *method, const GlmZeros *zeros)
{
    if (glm_zeros_many(zeros))
        env_warn(env, ERROR_NONE, strcmp(family->name, "poisson") == 0 ? "Use family negative_binomial." : "Fit whether a count is 0 by itself, and the other counts by themselves.",
                 "%.15g targets of %s are 0, and the fit expects %.6g: it does not describe the zeros", zeros->observed, method, zeros->expected);
}

void glm_zeros_facts(const GlmZeros *zeros, ModelBuilder *builder)
{
    builder_fact_finite(builder, "expected_zeros", zeros->expected);
    builder_fact_finite(builder, "zeros", zeros->observed);
    builder_fact_finite(builder, "zeros_z", zeros->z);
}
