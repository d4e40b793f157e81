/*
 * glm_zeros.c - the test of zeros.
 *
 * The number of zeros less its expectation at the estimates has the variance sum of p (1 - p), less what estimation takes: with d the slope of the
 * expectation by the parameters and V their covariance, d' V d (as for any moment of a likelihood: Newey 1985).
 */
#include "core/glm/glm_zeros.h"

#include "core/linalg/cholesky.h"

#include <math.h>
#include <string.h>

#define MANY_Z 3.090232306167813 /* p = 0.001, of one side */
#define MANY_SHARE 0.05

/* Sums over the rows. */
typedef struct Sums {
    GlmZeros zeros;
    double variance;
    double theta; /* of the slopes by theta */
    double *slope; /* [columns + padding] by the coefficients */
} Sums;

/* Adds a row whose count is 0 with probability p. by_theta: the slope of p. */
static void add_row(Sums *sums, double target, double weight, double p, double by_theta)
{
    sums->zeros.observed += target == 0 ? weight : 0;
    sums->zeros.expected += weight * p;
    sums->variance += weight * p * (1 - p);
    sums->theta += weight * by_theta;
}

/* Adds the rows of a tile, and sets the slopes of their probabilities by the score. theta: NaN for family poisson. */
static void add_tile(const GlmTile *tile, double theta, Sums *sums)
{
    memset(tile->gradient, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t i = 0; i < tile->count; i++) {
        double m = tile->mean[i], all = theta + m, ratio = isnan(theta) ? m : log1p(m / theta), p = exp(isnan(theta) ? -m : -theta * ratio);

        add_row(sums, tile->targets[i], tile->weights[i], p, isnan(theta) ? 0 : p * (m / all - ratio));
        tile->gradient[i] = -tile->weights[i] * tile->slope[i] * p * (isnan(theta) ? 1 : theta / all);
    }
}

GlmZeros glm_zeros(GlmProblem *problem, const GlmSolution *solution, double theta_error)
{
    Env *env = problem->env;
    uint32_t count = solution->at.count;
    bool poisson = strcmp(problem->family->name, "poisson") == 0;
    double theta = poisson ? NAN : problem->parameter, taken = 0;
    Sums sums = {.variance = 0};
    GlmTile tile;

    if ((!poisson && strcmp(problem->family->name, "negative_binomial") != 0) || solution->factor == NULL)
        return (GlmZeros){NAN, NAN, NAN};
    sums.slope = env_array(env, (size_t)count + TILE_PADDING, sizeof(double));
    while (glm_next_tile(problem, count, solution->at.theta, &tile)) {
        add_tile(&tile, theta, &sums);
        tile_products(problem->rows->columns, count, tile.gradient, sums.slope);
    }
    cholesky_solve(env, solution->factor, count, sums.slope, 1);
    for (uint32_t j = 0; j < count; j++)
        taken += sums.slope[j] * sums.slope[j];
    if (!isnan(theta_error))
        taken += sums.theta * sums.theta * theta_error * theta_error;
    sums.zeros.z = sums.variance - taken > 1e-9 * sums.variance ? (sums.zeros.observed - sums.zeros.expected) / sqrt(sums.variance - taken) : NAN;
    env->release(env, sums.slope);
    return sums.zeros;
}

bool glm_zeros_many(const GlmZeros *zeros)
{
    return zeros->z > MANY_Z && zeros->expected < (1 - MANY_SHARE) * zeros->observed;
}
