/*
 * logistic_quasi.c - logistic models by gradients: limited-memory BFGS, and its orthant-wise form under l1.
 *
 * A pass gives the gradient alone (Nocedal & Wright, Numerical Optimization, 7.2). Steps are measured by the columns'
 * cross-products at first, and where they become shorter too slowly, by the curvature where they have arrived: that
 * pass costs more and makes the next steps Newton's. With an l1 penalty directions and steps stay in the orthant that
 * the pseudo-gradient points into (Andrew & Gao 2007), which only a plain metric allows.
 */
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_newton.h"

#include <math.h>
#include <string.h>

#define PAIRS 20
#define TRIALS 30
#define CURVATURE 1e-10 /* of a remembered step, relative to its length */
#define FORESEEN 1e-8   /* share of the objective up to which a step's end needs no pass */
#define EXPLAINED 0.75  /* share of the classes' variance that the first step believes */
/*
 * A pass with the curvature in passes without, from milliseconds measured at 50 to 200 columns and 1 to 3 equations
 * of ten million numbers, and how many of those are still to come once there is one.
 */
#define CURVATURE_COST(pairs, equations, count) \
    ((3 + 0.17 * (double)(pairs) * (count)) / (1.5 + 2.5 * (double)(equations)))
#define NEWTON_PASSES 3
#define ROUNDING 1e-16  /* of an objective: what slopes promise is known better than the objective itself */
#define ESTIMATED 0.01  /* of the goal: so far a promise by an older curvature may be from what is left */
#define PATIENCE 3      /* steps before their pace is judged */
#define SLOW 0.6        /* what a step left: so slow is judged at once */

typedef struct Quasi {
    LogisticWork *work;
    Env *env;
    uint32_t size;
    bool sparse;
    LogisticPoint *here, there;
    LogisticMetric *metric; /* NULL: none */
    double objective;
    double *slope;      /* [size] pseudo-gradient of the objective here */
    double *direction;  /* [size] */
    double *steps, *changes, *measured; /* [PAIRS x size] x 2, [size] metric^-1 of the newest change */
    double rho[PAIRS], alpha[PAIRS], scale;
    uint32_t pairs, next;
    /* promises since the metric is as it is */
    double first, last;
    uint32_t paces;
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

/* direction := - (remembered inverse curvature) slope; without metric and memory by the columns' weight. */
static void find_direction(Quasi *quasi)
{
    uint32_t size = quasi->size, newest = (quasi->next + PAIRS - 1) % PAIRS;
    double *d = quasi->direction;

    memcpy(d, quasi->slope, size * sizeof(double));
    for (uint32_t k = 0; k < quasi->pairs; k++) {
        uint32_t i = (newest + PAIRS - k) % PAIRS;
        const double *change = quasi->changes + (size_t)i * size;

        quasi->alpha[i] = quasi->rho[i] * dot(quasi->steps + (size_t)i * size, d, size);
        for (uint32_t j = 0; j < size; j++)
            d[j] -= quasi->alpha[i] * change[j];
    }
    if (quasi->metric != NULL)
        logistic_metric_solve(quasi->metric, d);
    for (uint32_t j = 0; j < size; j++)
        d[j] *= quasi->scale;
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

/* Forgets the steps. */
static void forget(Quasi *quasi)
{
    quasi->pairs = 0;
    quasi->scale = quasi->metric != NULL ? 1 : 4 / quasi->work->problem->rows->weight;
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

/*
 * A lower point along the direction into there; false: rounding allows none. *curved: wanted with the curvature, and
 * whether it has it.
 */
static bool search(Quasi *quasi, double length, bool *curved, double *reached)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        double promise = 0;

        move(quasi, length);
        for (uint32_t i = 0; i < quasi->size; i++)
            promise -= quasi->slope[i] * (quasi->there.theta[i] - quasi->here->theta[i]);
        logistic_evaluate(quasi->work, &quasi->there, *curved);
        *reached = quasi->there.loss + logistic_penalty(quasi->work, quasi->there.theta);
        if (*reached <= quasi->objective - NEWTON_SUFFICIENT * promise + NEWTON_ROUNDING * quasi->objective)
            return true;
        length *= trial == 0 && quasi->pairs == 0 && quasi->metric == NULL ? 0.25 : 0.5;
        *curved = false;
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
    memcpy(quasi->measured, change, quasi->size * sizeof(double));
    if (quasi->metric != NULL && !logistic_metric_is_exact(quasi->metric))
        logistic_metric_solve(quasi->metric, quasi->measured);
    if (quasi->metric == NULL || !logistic_metric_is_exact(quasi->metric))
        quasi->scale = product / dot(change, quasi->measured, quasi->size);
    quasi->rho[quasi->next] = 1 / product;
    quasi->next = (quasi->next + 1) % PAIRS;
    quasi->pairs += quasi->pairs < PAIRS;
}

/* The first step from the null model: how far linear discriminants would go (of normal classes that is the end). */
static double first_length(const Quasi *quasi, double promise)
{
    const LogisticProblem *problem = quasi->work->problem;
    double explained = promise / problem->rows->weight / (problem->classes - 1);

    return quasi->metric != NULL ? 1 / (1 - fmin(explained, EXPLAINED)) : 1;
}

/* Is a pass with the curvature quicker than going on like this? */
static bool too_slow(Quasi *quasi, double promise, double goal)
{
    const LogisticWork *work = quasi->work;
    double mean, latest, pace, left;

    if (quasi->metric == NULL || quasi->size > NEWTON_MOST)
        return false;
    if (quasi->paces++ == 0) {
        quasi->first = quasi->last = promise;
        return false;
    }
    mean = pow(promise / quasi->first, 1.0 / (quasi->paces - 1));
    latest = promise / quasi->last;
    quasi->last = promise;
    if (latest <= SLOW && quasi->paces <= PATIENCE)
        return false;
    pace = fmin(latest > SLOW ? latest : mean, 0.999);
    left = log(promise / goal) / -log(pace);
    return left > NEWTON_PASSES + CURVATURE_COST(work->pairs, work->problem->equations, work->problem->rows->count);
}

/* The curvature at `there`, which is evaluated with it, becomes the metric. */
static void take_curvature(Quasi *quasi)
{
    logistic_metric_exact(quasi->metric, quasi->there.blocks);
    quasi->paces = 0;
    forget(quasi);
}

/* The last step, which is short: what it reaches is known well enough. */
static void end(Quasi *quasi, double promise)
{
    double reached = quasi->objective - promise / 2;

    move(quasi, 1);
    if (promise > FORESEEN * quasi->objective)
        logistic_evaluate(quasi->work, &quasi->there, false);
    else
        quasi->there.loss = reached - logistic_penalty(quasi->work, quasi->there.theta);
}

/* The promise that ends the fit. */
static double settled(const Quasi *quasi, double goal)
{
    if (quasi->metric == NULL)
        return fmax(goal, NEWTON_ROUNDING * quasi->objective);
    return fmax(ESTIMATED * goal, ROUNDING * quasi->objective);
}

static Quasi quasi_new(LogisticWork *work, LogisticPoint *at)
{
    const LogisticProblem *problem = work->problem;
    Quasi quasi = {.work = work, .env = problem->rows->env, .size = work->size, .here = at,
                   .sparse = problem->penalty.l1 > 0};
    Env *env = quasi.env;
    size_t size = quasi.size;

    quasi.there = (LogisticPoint){.theta = env_array(env, size, sizeof(double)),
                                  .gradient = env_array(env, size, sizeof(double))};
    quasi.slope = env_array(env, size, sizeof(double));
    quasi.direction = env_array(env, size, sizeof(double));
    quasi.steps = env_array(env, size, PAIRS * sizeof(double));
    quasi.changes = env_array(env, size, PAIRS * sizeof(double));
    quasi.measured = env_array(env, size, sizeof(double));
    if (!quasi.sparse)
        quasi.metric = logistic_metric(work);
    quasi.objective = at->loss + logistic_penalty(work, at->theta);
    forget(&quasi);
    return quasi;
}

static void quasi_free(Quasi *quasi)
{
    Env *env = quasi->env;

    env->release(env, quasi->there.theta);
    env->release(env, quasi->there.gradient);
    if (quasi->there.blocks != NULL)
        env->release(env, quasi->there.blocks);
    env->release(env, quasi->slope);
    env->release(env, quasi->direction);
    env->release(env, quasi->steps);
    env->release(env, quasi->changes);
    env->release(env, quasi->measured);
    if (quasi->metric != NULL)
        logistic_metric_free(quasi->metric);
}

static void swap_points(Quasi *quasi)
{
    double *theta = quasi->here->theta, *gradient = quasi->here->gradient;

    quasi->here->theta = quasi->there.theta;
    quasi->here->gradient = quasi->there.gradient;
    quasi->here->loss = quasi->there.loss;
    quasi->there.theta = theta;
    quasi->there.gradient = gradient;
}

void logistic_quasi_newton(LogisticWork *work, LogisticPoint *at, bool null, LogisticSolution *solution,
                           const char *method)
{
    const LogisticProblem *problem = work->problem;
    Quasi quasi = quasi_new(work, at);
    Env *env = quasi.env;
    double rows = (double)rows_count(problem->rows->design->rows);
    double goal = problem->tolerance * problem->rows->weight / rows, reached;

    while (solution->iterations < problem->max_iter) {
        double promise, least = settled(&quasi, goal);
        bool curved;

        find_slope(&quasi);
        find_direction(&quasi);
        promise = -dot(quasi.slope, quasi.direction, quasi.size);
        env->progress(env, method, (uint64_t)solution->iterations, (uint64_t)problem->max_iter,
                      quasi.objective / rows);
        solution->iterations++;
        if (promise <= least) {
            solution->converged = true;
            if (quasi.metric != NULL && promise > 0) {
                end(&quasi, promise);
                swap_points(&quasi);
            }
            break;
        }
        curved = too_slow(&quasi, promise, least);
        if (curved && quasi.there.blocks == NULL)
            quasi.there.blocks = env_array(env, work->pairs * factor_packed(problem->rows->count) + 1, sizeof(double));
        if (!search(&quasi, null && solution->iterations == 1 ? first_length(&quasi, promise) : 1, &curved,
                    &reached)) {
            if (quasi.pairs == 0)
                break;
            forget(&quasi);
            continue;
        }
        if (curved)
            take_curvature(&quasi);
        else
            remember(&quasi);
        quasi.objective = reached;
        swap_points(&quasi);
        if (problem->penalty.l1 == 0 && problem->penalty.l2 == 0 &&
            at->loss <= LOGISTIC_SEPARATED_LOSS * problem->rows->weight) {
            solution->separated = true;
            break;
        }
    }
    quasi_free(&quasi);
}
