/*
 * glm_theta.c - maximum likelihood of theta at fixed means, by Newton's method on log theta.
 *
 * What depends on theta and a count alone is kept for the smaller counts, so that a pass calls few special functions.
 */
#include "core/glm/glm_theta.h"

#include "core/math/digamma.h"

#include <math.h>

#define KEPT 1024           /* counts below */
#define THETA_MOST 1e8      /* beyond, the counts have the variance of Poisson's to nine digits */
#define THETA_CLOSE 1e-11   /* relative change of a theta that has converged; */
#define THETA_NOISE 1e-8    /* where the coefficients stay, what rounding may still change in a large one */
#define NEWTON_STEPS 30     /* at one set of means */
#define FARTHEST 3          /* most that log theta changes in one step */

/* Sums over the rows: the log-likelihood, and its first two derivatives by theta. */
typedef struct Sums {
    double likelihood, score, information;
} Sums;

/* What depends on theta and a count: the log of gamma(theta + y) / gamma(theta) / y!, and its derivatives by theta. */
typedef struct CountTerms {
    double log, first, second;
} CountTerms;

static CountTerms count_terms(double theta, double y)
{
    return (CountTerms){lgamma(theta + y) - lgamma(theta) - lgamma(y + 1), digamma(theta + y) - digamma(theta), trigamma(theta) - trigamma(theta + y)};
}

/* Returns the log-likelihood of a count, from the logarithm of its terms. */
static inline double log_density(double theta, double y, double m, double log_terms)
{
    return log_terms - theta * log1p(m / theta) + (y > 0 ? y * log(m / (m + theta)) : 0);
}

double glm_theta_log_density(double theta, double y, double m)
{
    return log_density(theta, y, m, count_terms(theta, y).log);
}

/* Fills the terms of the counts from 0, which are sums and so exact for a large theta. */
static void fill_terms(double theta, CountTerms *kept)
{
    kept[0] = (CountTerms){0, 0, 0};
    for (uint32_t y = 1; y < KEPT; y++) {
        double at = theta + (y - 1);

        kept[y].log = kept[y - 1].log + log(at / y);
        kept[y].first = kept[y - 1].first + 1 / at;
        kept[y].second = kept[y - 1].second + 1 / (at * at);
    }
}

/* Adds up the rows at these means. */
static Sums sum_rows(GlmProblem *problem, const GlmSolution *solution, double theta, CountTerms *kept)
{
    Sums sums = {0, 0, 0};
    GlmTile tile;

    fill_terms(theta, kept);
    while (glm_next_tile(problem, solution->at.count, solution->at.theta, &tile))
        for (uint32_t i = 0; i < tile.count; i++) {
            double y = tile.targets[i], m = tile.mean[i], weight = tile.weights[i], all = m + theta, ratio = log1p(m / theta);
            CountTerms terms = y < KEPT && y == floor(y) ? kept[(uint32_t)y] : count_terms(theta, y);

            sums.likelihood += weight * log_density(theta, y, m, terms.log);
            sums.score += weight * (terms.first - ratio + (m - y) / all);
            sums.information += weight * (terms.second - m / (theta * all) + (m - y) / (all * all));
        }
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

    while (glm_next_tile(problem, solution->at.count, solution->at.theta, &tile))
        for (uint32_t i = 0; i < tile.count; i++) {
            double left = tile.targets[i] / tile.mean[i] - 1;

            weights += tile.weights[i];
            squares += tile.weights[i] * left * left;
        }
    return squares > 0 ? fmin(weights / squares, THETA_MOST) : THETA_MOST;
}

/* Improves theta at fixed means. Returns the sums at the theta before the last step, which is tiny if it has converged. */
static Sums improve(GlmProblem *problem, const GlmSolution *solution, double *theta, CountTerms *kept)
{
    Sums sums;

    for (int i = 0; i < NEWTON_STEPS; i++) {
        double step, curvature;

        sums = sum_rows(problem, solution, *theta, kept);
        /* the derivatives by log theta are theta score and theta score - theta^2 information */
        curvature = *theta * *theta * sums.information - *theta * sums.score;
        step = curvature > 0 ? *theta * sums.score / curvature : copysign(FARTHEST, sums.score);
        *theta *= exp(fmin(fmax(step, -FARTHEST), FARTHEST));
        if (*theta > THETA_MOST) {
            *theta = THETA_MOST;
            return sum_rows(problem, solution, *theta, kept);
        }
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
    Sums sums = {0, 0, 0};

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
    result.std_error = sums.information > 0 ? 1 / sqrt(sums.information) : NAN;
    if (result.theta >= THETA_MOST)
        env_warn(env, ERROR_DATA, "Use family poisson.", "the counts vary no more than those of family poisson: theta of %s grows without bound and was stopped at %g",
                 problem->method, THETA_MOST);
    return result;
}
