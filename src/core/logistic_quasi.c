/*
 * logistic_quasi.c - logistic models of many numbers: limited-memory BFGS, and its orthant-wise form under l1.
 *
 * A pass gives the gradient alone. Nocedal & Wright, Numerical Optimization, 7.2; with an l1 penalty directions
 * and steps stay in the orthant that the pseudo-gradient points into (Andrew & Gao 2007).
 */
#include "logistic_fit.h"

#include <math.h>
#include <string.h>

#define PAIRS 10
#define TRIALS 30
#define SUFFICIENT 1e-4
#define CURVATURE 1e-10 /* of a remembered step, relative to its length */

typedef struct Quasi {
    LogisticWork *work;
    Env *env;
    uint32_t size;
    bool sparse;
    LogisticPoint *here, there;
    double objective;
    double *slope;      /* [size] pseudo-gradient of the objective here */
    double *direction, *scaled; /* [size] */
    double *steps, *changes;    /* [PAIRS x size] */
    double rho[PAIRS], alpha[PAIRS];
    uint32_t pairs, next;
} Quasi;

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Gradient of the smooth part. */
static double smooth_slope(const Quasi *quasi, const LogisticPoint *point, uint32_t i)
{
    return point->gradient[i] + 2 * quasi->work->l2[i] * point->theta[i];
}

static void find_slope(Quasi *quasi)
{
    for (uint32_t i = 0; i < quasi->size; i++) {
        double g = smooth_slope(quasi, quasi->here, i), l1 = quasi->work->l1[i];
        double theta = quasi->here->theta[i];

        if (theta != 0 || l1 == 0)
            quasi->slope[i] = g + (theta > 0 ? l1 : theta < 0 ? -l1 : 0);
        else
            quasi->slope[i] = g + l1 < 0 ? g + l1 : g - l1 > 0 ? g - l1 : 0;
    }
}

/* direction := - (remembered inverse curvature) slope; without memory down the slope, by the columns' weight. */
static void find_direction(Quasi *quasi)
{
    uint32_t size = quasi->size, newest = (quasi->next + PAIRS - 1) % PAIRS;
    double *d = quasi->direction, scale = 4 / quasi->work->problem->rows->weight;

    memcpy(d, quasi->slope, size * sizeof(double));
    for (uint32_t k = 0; k < quasi->pairs; k++) {
        uint32_t i = (newest + PAIRS - k) % PAIRS;
        const double *change = quasi->changes + (size_t)i * size;

        quasi->alpha[i] = quasi->rho[i] * dot(quasi->steps + (size_t)i * size, d, size);
        for (uint32_t j = 0; j < size; j++)
            d[j] -= quasi->alpha[i] * change[j];
    }
    if (quasi->pairs > 0) {
        const double *change = quasi->changes + (size_t)newest * size;

        scale = 1 / (quasi->rho[newest] * dot(change, change, size));
    }
    for (uint32_t j = 0; j < size; j++)
        d[j] *= scale;
    for (uint32_t k = quasi->pairs; k > 0; k--) {
        uint32_t i = (newest + PAIRS - (k - 1)) % PAIRS;
        const double *step = quasi->steps + (size_t)i * size;
        double beta = quasi->rho[i] * dot(quasi->changes + (size_t)i * size, d, size);

        for (uint32_t j = 0; j < size; j++)
            d[j] += (quasi->alpha[i] - beta) * step[j];
    }
    for (uint32_t j = 0; j < size; j++) {
        d[j] = -d[j];
        if (quasi->sparse && d[j] * quasi->slope[j] > 0)
            d[j] = 0;
    }
}

/* there := here + length direction; with l1 what would change its sign is 0. */
static void move(Quasi *quasi, double length)
{
    for (uint32_t i = 0; i < quasi->size; i++) {
        double from = quasi->here->theta[i], to = from + length * quasi->direction[i];

        if (quasi->work->l1[i] > 0 &&
            to * (from != 0 ? from : -quasi->slope[i]) < 0)
            to = 0;
        quasi->there.theta[i] = to;
    }
}

/* A lower point along the direction into there; false: rounding allows none. */
static bool search(Quasi *quasi, double *reached)
{
    double length = 1;

    for (int trial = 0; trial < TRIALS; trial++) {
        double promise = 0;

        move(quasi, length);
        for (uint32_t i = 0; i < quasi->size; i++)
            promise -= quasi->slope[i] * (quasi->there.theta[i] - quasi->here->theta[i]);
        logistic_evaluate(quasi->work, &quasi->there, false);
        *reached = quasi->there.loss + logistic_penalty(quasi->work, quasi->there.theta);
        if (*reached <= quasi->objective - SUFFICIENT * promise + 1e-14 * quasi->objective)
            return true;
        length *= trial == 0 && quasi->pairs == 0 ? 0.25 : 0.5;
    }
    return false;
}

static void remember(Quasi *quasi)
{
    double *step = quasi->steps + (size_t)quasi->next * quasi->size;
    double *change = quasi->changes + (size_t)quasi->next * quasi->size, product;

    for (uint32_t i = 0; i < quasi->size; i++) {
        step[i] = quasi->there.theta[i] - quasi->here->theta[i];
        change[i] = smooth_slope(quasi, &quasi->there, i) - smooth_slope(quasi, quasi->here, i);
    }
    product = dot(step, change, quasi->size);
    if (!(product > CURVATURE * dot(step, step, quasi->size)) || !isfinite(1 / product))
        return;
    quasi->rho[quasi->next] = 1 / product;
    quasi->next = (quasi->next + 1) % PAIRS;
    quasi->pairs += quasi->pairs < PAIRS;
}

void logistic_quasi_newton(LogisticWork *work, LogisticPoint *at, LogisticSolution *solution,
                           const char *method)
{
    const LogisticProblem *problem = work->problem;
    Quasi quasi = {.work = work, .env = problem->rows->env, .size = work->size, .here = at,
                   .sparse = problem->penalty.l1 > 0};
    Env *env = quasi.env;
    double rows = (double)rows_count(problem->rows->design->rows);
    double goal = problem->tolerance * problem->rows->weight / rows, reached;
    size_t size = quasi.size;

    quasi.there = (LogisticPoint){.theta = env_array(env, size, sizeof(double)),
                                  .gradient = env_array(env, size, sizeof(double))};
    quasi.slope = env_array(env, size, sizeof(double));
    quasi.direction = env_array(env, size, sizeof(double));
    quasi.steps = env_array(env, size, PAIRS * sizeof(double));
    quasi.changes = env_array(env, size, PAIRS * sizeof(double));
    quasi.objective = at->loss + logistic_penalty(work, at->theta);
    while (solution->iterations < problem->max_iter) {
        double promise;

        find_slope(&quasi);
        find_direction(&quasi);
        promise = -dot(quasi.slope, quasi.direction, quasi.size);
        env->progress(env, method, (uint64_t)solution->iterations, (uint64_t)problem->max_iter,
                      quasi.objective / rows);
        /* the remembered curvature says what is left to gain; of steepest descent it is a bound */
        if (promise <= goal || promise <= 1e-13 * quasi.objective) {
            solution->converged = true;
            break;
        }
        solution->iterations++;
        if (!search(&quasi, &reached)) {
            if (quasi.pairs == 0)
                break;
            quasi.pairs = 0;
            continue;
        }
        remember(&quasi);
        quasi.objective = reached;
        LogisticPoint swap = *quasi.here;
        *quasi.here = quasi.there;
        quasi.there = swap;
        if (problem->penalty.l1 == 0 && problem->penalty.l2 == 0 &&
            at->loss <= LOGISTIC_SEPARATED_LOSS * problem->rows->weight) {
            solution->separated = true;
            break;
        }
    }
    env->release(env, quasi.there.theta);
    env->release(env, quasi.there.gradient);
    env->release(env, quasi.slope);
    env->release(env, quasi.direction);
    env->release(env, quasi.steps);
    env->release(env, quasi.changes);
}
