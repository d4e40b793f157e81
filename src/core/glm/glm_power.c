/*
 * glm_power.c - the density of Tweedie distributions as a series (Dunn & Smyth 2005, Statistics and Computing 15), and the power and dispersion of
 * greatest likelihood.
 *
 * The coefficients at a power have the greatest likelihood whatever the dispersion, so that the slope of the profile by the power is that at fixed
 * coefficients and dispersion.
 */
#include "core/glm/glm_power.h"

#include "core/math/digamma.h"

#include <math.h>

#define POWER_LEAST 1.05
#define POWER_MOST 1.95
#define POWER_STRIDE 0.15    /* between powers that are tried for a change of sign */
#define POWER_CLOSE 1e-11    /* of a power that has converged */
#define NEGLIGIBLE 37        /* below the greatest log of a term: its exponential is less than rounding */
#define FARTHEST_TERM 1e12   /* number of the greatest term: beyond, the targets have no spread */
#define TERMS_BETWEEN 4096   /* between two polls */
#define NEWTON_STEPS 50
#define ROOT_STEPS 60

/* Sums over the rows: the log-likelihood, its derivatives by log dispersion, and that by the power. */
typedef struct Sums {
    double likelihood, slope, curvature, by_power;
} Sums;

/* A power and a dispersion, and what the terms of the series take from them. */
typedef struct Tweedie {
    double power, dispersion;
    double alpha;           /* (2 - p) / (1 - p) */
    double constant;        /* of the log of a term, per its number and without the target */
} Tweedie;

static Tweedie tweedie(double power, double dispersion)
{
    double alpha = (2 - power) / (1 - power);

    return (Tweedie){power, dispersion, alpha, alpha * log(power - 1) - (1 - alpha) * log(dispersion) - log(2 - power)};
}

/* The log of the sum of the series, and its means of the number of a term: weights are the terms. */
typedef struct Series {
    double log, mean, square, digamma; /* digamma: of j psi(-j alpha) */
} Series;

/* Adds terms from number j on, by steps of 1 or -1, until they no longer count. top: the log of the greatest. */
static void add_terms(Env *env, const Tweedie *t, double slope, double from, double stride, double top, Series *sums)
{
    uint32_t count = 0;

    for (double j = from; j >= 1; j += stride) {
        double log = j * slope - lgamma(j + 1) - lgamma(-j * t->alpha) - top, term = exp(log);

        if (!(log >= -NEGLIGIBLE))
            return;
        if (++count % TERMS_BETWEEN == 0)
            env->poll(env);
        sums->log += term;
        sums->mean += term * j;
        sums->square += term * j * j;
        sums->digamma += term * j * digamma(-j * t->alpha);
    }
}

/* Sums the series of a target above 0. */
static Series series(const GlmProblem *problem, const Tweedie *t, double target)
{
    double middle = fmax(1, rint(pow(target, 2 - t->power) / (t->dispersion * (2 - t->power)))), slope = t->constant - t->alpha * log(target);
    double top = middle * slope - lgamma(middle + 1) - lgamma(-middle * t->alpha);
    Series sums = {0, 0, 0, 0};

    if (!(middle < FARTHEST_TERM))
        env_fail(problem->env, ERROR_DATA, "Give \"power\".", "the fit of %s nearly meets all targets, with a dispersion of %.3g: their spread does not tell a power", problem->method,
                 t->dispersion);
    add_terms(problem->env, t, slope, middle, 1, top, &sums);
    add_terms(problem->env, t, slope, middle - 1, -1, top, &sums);
    return (Series){top + log(sums.log), sums.mean / sums.log, sums.square / sums.log, sums.digamma / sums.log};
}

/* Adds a row. copies: how often it counts. */
static void add_row(const GlmProblem *problem, const Tweedie *t, double y, double m, double copies, Sums *sums)
{
    double p = t->power, second = pow(m, 2 - p) / (2 - p), second_by_power = second * (1 / (2 - p) - log(m));
    double first = y * pow(m, 1 - p) / (1 - p), first_by_power = first * (1 / (1 - p) - log(m)), kappa = (first - second) / t->dispersion;

    sums->likelihood += copies * kappa;
    sums->slope -= copies * kappa;
    sums->curvature += copies * kappa;
    sums->by_power += copies * (first_by_power - second_by_power) / t->dispersion;
    if (y > 0) {
        Series w = series(problem, t, y);
        double of_alpha = 1 / ((1 - p) * (1 - p)); /* the derivative of alpha by the power */

        sums->likelihood += copies * (w.log - log(y));
        sums->slope -= copies * (1 - t->alpha) * w.mean;
        sums->curvature += copies * (1 - t->alpha) * (1 - t->alpha) * (w.square - w.mean * w.mean);
        sums->by_power += copies * (w.mean * (of_alpha * (log(p - 1) + log(t->dispersion) - log(y)) + t->alpha / (p - 1) + 1 / (2 - p)) + of_alpha * w.digamma);
    }
}

static Sums sum_rows(GlmProblem *problem, const GlmSolution *solution, double dispersion)
{
    Tweedie all = tweedie(problem->parameter, dispersion);
    Sums sums = {0, 0, 0, 0};
    GlmTile tile;

    while (glm_next_tile(problem, solution->at.count, solution->at.theta, &tile))
        for (uint32_t i = 0; i < tile.count; i++) {
            Tweedie own = problem->frequency ? all : tweedie(all.power, dispersion / tile.weights[i]);

            add_row(problem, &own, tile.targets[i], tile.mean[i], problem->frequency ? tile.weights[i] : 1, &sums);
            problem->env->poll(problem->env);
        }
    return sums;
}

/* Improves the dispersion at the coefficients and the power, by Newton's method on its logarithm. Returns the sums at the last but one, which is close. */
static Sums improve(GlmProblem *problem, const GlmSolution *solution, double *dispersion)
{
    Sums sums;

    for (int i = 0; i < NEWTON_STEPS; i++) {
        double step;

        sums = sum_rows(problem, solution, *dispersion);
        step = sums.curvature < 0 ? -sums.slope / sums.curvature : copysign(1, sums.slope);
        *dispersion *= exp(fmin(fmax(step, -1), 1));
        if (fabs(step) < 1e-11)
            break;
    }
    return sums;
}

/* Fits the coefficients and the dispersion at a power. */
static Sums profile(GlmProblem *problem, GlmSolution *solution, double power, GlmPower *result)
{
    double before = solution->at.pearson;
    Sums sums;

    problem->parameter = result->power = power;
    solution->iterations = 0;
    glm_resolve(problem, solution);
    result->dispersion *= solution->at.pearson / before; /* the unit of a dispersion depends on the power */
    sums = improve(problem, solution, &result->dispersion);
    result->likelihood = sums.likelihood;
    return sums;
}

/* Finds two powers between which the slope of the profile changes its sign: slope[0] > 0 >= slope[1]. */
static void bracket(GlmProblem *problem, GlmSolution *solution, GlmPower *result, double power[2], double slope[2])
{
    double at = problem->parameter, now = profile(problem, solution, at, result).by_power, direction = now > 0 ? 1 : -1;

    for (;;) {
        double next = fmin(fmax(at + direction * POWER_STRIDE, POWER_LEAST), POWER_MOST), then;

        if (next == at)
            env_fail(problem->env, ERROR_DATA, direction > 0 ? "Give \"power\", or use family gamma if no target is 0." : "Give \"power\", or use family poisson for counts.",
                     "the likelihood of %s still rises at a power of %g", problem->method, at);
        then = profile(problem, solution, next, result).by_power;
        power[direction > 0] = next;
        slope[direction > 0] = then;
        power[direction < 0] = at;
        slope[direction < 0] = now;
        if ((then > 0) != (now > 0))
            return;
        at = next;
        now = then;
    }
}

GlmPower glm_power_estimate(GlmProblem *problem, GlmSolution *solution)
{
    GlmPower result = {.dispersion = solution->at.pearson / problem->weight};
    double power[2], slope[2];
    int kept = -1; /* the end that the step before kept: the Illinois rule then halves its slope */

    if (!(result.dispersion > 0))
        env_fail(problem->env, ERROR_DATA, "Give \"power\".", "the fit of %s meets all targets: their spread does not tell a power", problem->method);
    bracket(problem, solution, &result, power, slope);
    for (int i = 0; i < ROOT_STEPS && !result.converged; i++) {
        double next = (power[0] * slope[1] - power[1] * slope[0]) / (slope[1] - slope[0]), before = result.power, own;
        int end;

        own = profile(problem, solution, next, &result).by_power;
        end = own > 0 ? 0 : 1;
        power[end] = next;
        slope[end] = own;
        if (kept == 1 - end)
            slope[kept] /= 2;
        kept = 1 - end;
        result.converged = fabs(next - before) <= POWER_CLOSE || own == 0;
    }
    return result;
}
