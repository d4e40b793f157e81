/*
 * glm_theta.c - maximum likelihood of theta at fixed means, by Newton's method on log theta.
 *
 * What depends on theta and a count alone is kept for the smaller counts, so that a pass calls few special functions.
 */
#include "core/glm/glm_theta.h"

#include "core/math/digamma.h"
#include "core/math/special_functions.h"

#include <math.h>

#define KEPT 1024           /* counts below */
#define THETA_CLOSE 1e-11   /* relative change of a theta that has converged; */
#define THETA_NOISE 1e-8    /* where the coefficients stay, what rounding may still change in a large one */
#define NEWTON_STEPS 30     /* at one set of means */
#define FARTHEST 3          /* most that log theta changes in one step */

/* What depends on theta and a count: the log of gamma(theta + y) / gamma(theta) / y!, and its derivatives by theta. */
typedef struct CountTerms {
    double log, first, second;
} CountTerms;

/* Returns log (gamma(theta + y) / gamma(y + 1)): of a count far above theta by Stirling's formula, because the difference of logarithms would lose the digits of theta. */
static double log_rise(double theta, double y)
{
    if (!(y >= KEPT && y > theta))
        return lgamma(theta + y) - lgamma(y + 1);
    return stirling_error(theta + y) - stirling_error(y + 1) + (y + 0.5) * log1p((theta - 1) / (y + 1)) + (theta - 1) * (log(theta + y) - 1);
}

static CountTerms count_terms(double theta, double y)
{
    return (CountTerms){log_rise(theta, y) - lgamma(theta), digamma(theta + y) - digamma(theta), trigamma(theta) - trigamma(theta + y)};
}

/* Returns the log-likelihood of a count, from the logarithm of its terms. */
static inline double log_density(double theta, double y, double m, double log_terms)
{
    return log_terms - theta * log1p(m / theta) + (y > 0 ? y * (m > theta ? -log1p(theta / m) : log(m / (m + theta))) : 0);
}

/* Fills the terms of `count` counts from 0, which are sums and so exact for a large theta. */
static void fill_terms(double theta, CountTerms *kept, uint32_t count)
{
    kept[0] = (CountTerms){0, 0, 0};
    for (uint32_t y = 1; y < count; y++) {
        double at = theta + (y - 1);

        kept[y].log = kept[y - 1].log + log(at / y);
        kept[y].first = kept[y - 1].first + 1 / at;
        kept[y].second = kept[y - 1].second + 1 / (at * at);
    }
}

/* Adds up the rows of a tile. kept: the terms of the counts below `count`. */
static void add_tile(double theta, const CountTerms *kept, double count, const GlmTile *tile, GlmThetaSums *sums)
{
    for (uint32_t i = 0; i < tile->count; i++) {
        double y = tile->targets[i], m = tile->mean[i], weight = tile->weights[i], all = m + theta, ratio = log1p(m / theta);
        CountTerms terms = y >= 0 && y < count && y == floor(y) ? kept[(uint32_t)y] : count_terms(theta, y);

        sums->likelihood += weight * log_density(theta, y, m, terms.log);
        sums->score += weight * (terms.first - ratio + (m - y) / all);
        sums->information += weight * (terms.second - m / (theta * all) + (m - y) / (all * all));
    }
}

void glm_theta_add(Env *env, double theta, const GlmTile *tile, GlmThetaSums *sums)
{
    double most = 0;
    uint32_t count;
    CountTerms *kept;

    for (uint32_t i = 0; i < tile->count; i++)
        most = fmax(most, tile->targets[i]);
    count = most < KEPT ? (uint32_t)most + 1 : KEPT;
    kept = env_array(env, count, sizeof(CountTerms));
    fill_terms(theta, kept, count);
    add_tile(theta, kept, count, tile, sums);
    env->release(env, kept);
}

double glm_theta_step(double theta, const GlmThetaSums *sums, double *gain)
{
    /* the derivatives by log theta are theta score and theta score - theta^2 information */
    double slope = theta * sums->score, curvature = theta * theta * sums->information - slope;
    double step = curvature > 0 ? slope / curvature : copysign(FARTHEST, slope);

    step = fmin(fmax(step, -FARTHEST), FARTHEST);
    *gain = theta >= GLM_THETA_MOST && step > 0 ? 0 : slope * step;
    return step;
}

double glm_theta_after(double theta, double step)
{
    return fmin(theta * exp(step), GLM_THETA_MOST);
}

double glm_theta_error(const GlmThetaSums *sums)
{
    return sums->information > 0 ? 1 / sqrt(sums->information) : NAN;
}

void glm_theta_warn(Env *env, const char *method, double theta)
{
    if (theta >= GLM_THETA_MOST)
        env_warn(env, ERROR_DATA, "Use family poisson.", "the counts vary no more than those of family poisson: theta of %s grows without bound and was stopped at %g",
                 method, GLM_THETA_MOST);
}

/* Adds up the rows at these means. */
static GlmThetaSums sum_rows(GlmProblem *problem, const GlmSolution *solution, double theta, CountTerms *kept)
{
    GlmThetaSums sums = {0, 0, 0};
    GlmTile tile;

    fill_terms(theta, kept, KEPT);
    while (glm_next_tile(problem, solution->at.count, solution->at.theta, &tile))
        add_tile(theta, kept, KEPT, &tile, &sums);
    return sums;
}

GlmTheta glm_theta_given(GlmProblem *problem, const GlmSolution *solution)
{
    CountTerms *kept = env_array(problem->env, KEPT, sizeof(CountTerms));

    return (GlmTheta){problem->parameter, NAN, sum_rows(problem, solution, problem->parameter, kept).likelihood, true};
}

/* Returns the theta that goes with the squares of the residuals of family poisson. */
static double moment_start(GlmProblem *problem, const GlmSolution *solution)
{
    double squares = 0, weights = 0;
    GlmTile tile;

    if (problem->mean == 0) /* no row has a count: any theta will do */
        return GLM_THETA_MOST;
    while (glm_next_tile(problem, solution->at.count, solution->at.theta, &tile))
        for (uint32_t i = 0; i < tile.count; i++) {
            double left = tile.targets[i] / tile.mean[i] - 1;

            weights += tile.weights[i];
            squares += tile.weights[i] * left * left;
        }
    return squares > 0 ? fmin(weights / squares, GLM_THETA_MOST) : GLM_THETA_MOST;
}

/* Improves theta at fixed means. Returns the sums at the theta before the last step, which is tiny if it has converged. */
static GlmThetaSums improve(GlmProblem *problem, const GlmSolution *solution, double *theta, CountTerms *kept)
{
    GlmThetaSums sums;

    if (problem->mean == 0)
        return sum_rows(problem, solution, *theta, kept);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double step, gain;

        sums = sum_rows(problem, solution, *theta, kept);
        step = glm_theta_step(*theta, &sums, &gain);
        *theta = glm_theta_after(*theta, step);
        if (*theta >= GLM_THETA_MOST)
            return sum_rows(problem, solution, *theta, kept);
        if (fabs(step) < 1e-7) /* the next one would be its square */
            break;
    }
    return sums;
}

GlmTheta glm_theta_estimate(GlmProblem *problem, GlmSolution *solution)
{
    Env *env = problem->env;
    CountTerms *kept = env_array(env, KEPT, sizeof(CountTerms));
    GlmTheta result = {.theta = moment_start(problem, solution), .converged = false};
    GlmThetaSums sums = {0, 0, 0};

    problem->family = glm_family_find("negative_binomial");
    problem->parameter = result.theta;
    if (solution->iterations >= problem->max_iter) /* the first theta stays */
        glm_resolve(problem, solution);
    while (!result.converged && solution->iterations < problem->max_iter) {
        double before = result.theta;
        int64_t steps = solution->iterations;

        sums = improve(problem, solution, &result.theta, kept);
        problem->parameter = result.theta;
        glm_resolve(problem, solution);
        result.converged = fabs(result.theta - before) <= (solution->iterations == steps ? THETA_NOISE : THETA_CLOSE) * before && solution->converged;
        solution->iterations++;
        if (solution->singular || !solution->at.valid)
            break;
    }
    sums = sum_rows(problem, solution, result.theta, kept);
    result.likelihood = sums.likelihood;
    result.std_error = glm_theta_error(&sums);
    glm_theta_warn(env, problem->method, result.theta);
    return result;
}
