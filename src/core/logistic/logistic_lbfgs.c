/*
 * logistic_lbfgs.c - logistic models by gradients: limited-memory BFGS, and its orthant-wise form under l1.
 *
 * A pass gives the gradient alone (Nocedal & Wright, Numerical Optimization, 7.2). Steps are measured by the columns'
 * cross-products at first, and where they become shorter too slowly, by the curvature where they have arrived: that
 * pass costs more and makes the next steps Newton's. With an l1 penalty directions and steps stay in the orthant that
 * the pseudo-gradient points into (Andrew & Gao 2007), which only a plain preconditioner allows.
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

typedef struct Lbfgs {
    LogisticWork *work;
    Env *env;
    uint32_t size;
    bool sparse;
    LogisticPoint *here, there;
    LogisticPreconditioner *preconditioner; /* NULL: none */
    double objective;
    double *slope;      /* [size] pseudo-gradient of the objective here */
    double *direction;  /* [size] */
    double *steps, *changes, *measured; /* [PAIRS x size] x 2, [size] preconditioner^-1 of the newest change */
    double rho[PAIRS], alpha[PAIRS], scale;
    uint32_t pairs, next;
    /* promises since the preconditioner is as it is */
    double first, last;
    uint32_t paces;
} Lbfgs;

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Gradient of the smooth part. */
static double smooth_slope(const Lbfgs *lbfgs, const LogisticPoint *point, uint32_t i)
{
    return point->gradient[i] + 2 * lbfgs->work->l2[i] * point->theta[i];
}

static void find_slope(Lbfgs *lbfgs)
{
    for (uint32_t i = 0; i < lbfgs->size; i++) {
        double g = smooth_slope(lbfgs, lbfgs->here, i), l1 = lbfgs->work->l1[i];
        double theta = lbfgs->here->theta[i];

        if (theta != 0 || l1 == 0)
            lbfgs->slope[i] = g + (theta > 0 ? l1 : theta < 0 ? -l1 : 0);
        else
            lbfgs->slope[i] = g + l1 < 0 ? g + l1 : g - l1 > 0 ? g - l1 : 0;
    }
}

/* direction := - (remembered inverse curvature) slope; without preconditioner and memory by the columns' weight. */
static void find_direction(Lbfgs *lbfgs)
{
    uint32_t size = lbfgs->size, newest = (lbfgs->next + PAIRS - 1) % PAIRS;
    double *d = lbfgs->direction;

    memcpy(d, lbfgs->slope, size * sizeof(double));
    for (uint32_t k = 0; k < lbfgs->pairs; k++) {
        uint32_t i = (newest + PAIRS - k) % PAIRS;
        const double *change = lbfgs->changes + (size_t)i * size;

        lbfgs->alpha[i] = lbfgs->rho[i] * dot(lbfgs->steps + (size_t)i * size, d, size);
        for (uint32_t j = 0; j < size; j++)
            d[j] -= lbfgs->alpha[i] * change[j];
    }
    if (lbfgs->preconditioner != NULL)
        logistic_preconditioner_solve(lbfgs->preconditioner, d);
    for (uint32_t j = 0; j < size; j++)
        d[j] *= lbfgs->scale;
    for (uint32_t k = lbfgs->pairs; k > 0; k--) {
        uint32_t i = (newest + PAIRS - (k - 1)) % PAIRS;
        const double *step = lbfgs->steps + (size_t)i * size;
        double beta = lbfgs->rho[i] * dot(lbfgs->changes + (size_t)i * size, d, size);

        for (uint32_t j = 0; j < size; j++)
            d[j] += (lbfgs->alpha[i] - beta) * step[j];
    }
    for (uint32_t j = 0; j < size; j++) {
        d[j] = -d[j];
        if (lbfgs->sparse && d[j] * lbfgs->slope[j] > 0)
            d[j] = 0;
    }
}

/* Forgets the steps. */
static void forget(Lbfgs *lbfgs)
{
    lbfgs->pairs = 0;
    lbfgs->scale = lbfgs->preconditioner != NULL ? 1 : 4 / lbfgs->work->problem->rows->weight;
}

/* there := here + length direction; with l1 what would change its sign is 0. */
static void move(Lbfgs *lbfgs, double length)
{
    for (uint32_t i = 0; i < lbfgs->size; i++) {
        double from = lbfgs->here->theta[i], to = from + length * lbfgs->direction[i];

        if (lbfgs->work->l1[i] > 0 &&
            to * (from != 0 ? from : -lbfgs->slope[i]) < 0)
            to = 0;
        lbfgs->there.theta[i] = to;
    }
}

/*
 * A lower point along the direction into there; false: rounding allows none. *curved: wanted with the curvature, and
 * whether it has it.
 */
static bool search(Lbfgs *lbfgs, double length, bool *curved, double *reached)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        double promise = 0;

        move(lbfgs, length);
        for (uint32_t i = 0; i < lbfgs->size; i++)
            promise -= lbfgs->slope[i] * (lbfgs->there.theta[i] - lbfgs->here->theta[i]);
        logistic_evaluate(lbfgs->work, &lbfgs->there, *curved);
        *reached = lbfgs->there.loss + logistic_penalty(lbfgs->work, lbfgs->there.theta);
        if (*reached <= lbfgs->objective - NEWTON_SUFFICIENT * promise + NEWTON_ROUNDING * lbfgs->objective)
            return true;
        length *= trial == 0 && lbfgs->pairs == 0 && lbfgs->preconditioner == NULL ? 0.25 : 0.5;
        *curved = false;
    }
    return false;
}

static void remember(Lbfgs *lbfgs)
{
    double *step = lbfgs->steps + (size_t)lbfgs->next * lbfgs->size;
    double *change = lbfgs->changes + (size_t)lbfgs->next * lbfgs->size, product;

    for (uint32_t i = 0; i < lbfgs->size; i++) {
        step[i] = lbfgs->there.theta[i] - lbfgs->here->theta[i];
        change[i] = smooth_slope(lbfgs, &lbfgs->there, i) - smooth_slope(lbfgs, lbfgs->here, i);
    }
    product = dot(step, change, lbfgs->size);
    if (!(product > CURVATURE * dot(step, step, lbfgs->size)) || !isfinite(1 / product))
        return;
    memcpy(lbfgs->measured, change, lbfgs->size * sizeof(double));
    if (lbfgs->preconditioner != NULL && !logistic_preconditioner_is_exact(lbfgs->preconditioner))
        logistic_preconditioner_solve(lbfgs->preconditioner, lbfgs->measured);
    if (lbfgs->preconditioner == NULL || !logistic_preconditioner_is_exact(lbfgs->preconditioner))
        lbfgs->scale = product / dot(change, lbfgs->measured, lbfgs->size);
    lbfgs->rho[lbfgs->next] = 1 / product;
    lbfgs->next = (lbfgs->next + 1) % PAIRS;
    lbfgs->pairs += lbfgs->pairs < PAIRS;
}

/* The first step from the null model: how far linear discriminants would go (of normal classes that is the end). */
static double first_length(const Lbfgs *lbfgs, double promise)
{
    const LogisticProblem *problem = lbfgs->work->problem;
    double explained = promise / problem->rows->weight / (problem->classes - 1);

    return lbfgs->preconditioner != NULL ? 1 / (1 - fmin(explained, EXPLAINED)) : 1;
}

/* Is a pass with the curvature quicker than going on like this? */
static bool too_slow(Lbfgs *lbfgs, double promise, double goal)
{
    const LogisticWork *work = lbfgs->work;
    double mean, latest, pace, left;

    if (lbfgs->preconditioner == NULL || lbfgs->size > NEWTON_MOST)
        return false;
    if (lbfgs->paces++ == 0) {
        lbfgs->first = lbfgs->last = promise;
        return false;
    }
    mean = pow(promise / lbfgs->first, 1.0 / (lbfgs->paces - 1));
    latest = promise / lbfgs->last;
    lbfgs->last = promise;
    if (latest <= SLOW && lbfgs->paces <= PATIENCE)
        return false;
    pace = fmin(latest > SLOW ? latest : mean, 0.999);
    left = log(promise / goal) / -log(pace);
    return left > NEWTON_PASSES + CURVATURE_COST(work->pairs, work->problem->equations, work->problem->rows->count);
}

/* The curvature at `there`, which is evaluated with it, becomes the preconditioner. */
static void take_curvature(Lbfgs *lbfgs)
{
    logistic_preconditioner_exact(lbfgs->preconditioner, lbfgs->there.blocks);
    lbfgs->paces = 0;
    forget(lbfgs);
}

/* The last step, which is short: what it reaches is known well enough. */
static void end(Lbfgs *lbfgs, double promise)
{
    double reached = lbfgs->objective - promise / 2;

    move(lbfgs, 1);
    if (promise > FORESEEN * lbfgs->objective)
        logistic_evaluate(lbfgs->work, &lbfgs->there, false);
    else
        lbfgs->there.loss = reached - logistic_penalty(lbfgs->work, lbfgs->there.theta);
}

/* The promise that ends the fit. */
static double settled(const Lbfgs *lbfgs, double goal)
{
    if (lbfgs->preconditioner == NULL)
        return fmax(goal, NEWTON_ROUNDING * lbfgs->objective);
    return fmax(ESTIMATED * goal, ROUNDING * lbfgs->objective);
}

static Lbfgs lbfgs_new(LogisticWork *work, LogisticPoint *at)
{
    const LogisticProblem *problem = work->problem;
    Lbfgs lbfgs = {.work = work, .env = problem->rows->env, .size = work->size, .here = at,
                   .sparse = problem->penalty.l1 > 0};
    Env *env = lbfgs.env;
    size_t size = lbfgs.size;

    lbfgs.there = (LogisticPoint){.theta = env_array(env, size, sizeof(double)),
                                  .gradient = env_array(env, size, sizeof(double))};
    lbfgs.slope = env_array(env, size, sizeof(double));
    lbfgs.direction = env_array(env, size, sizeof(double));
    lbfgs.steps = env_array(env, size, PAIRS * sizeof(double));
    lbfgs.changes = env_array(env, size, PAIRS * sizeof(double));
    lbfgs.measured = env_array(env, size, sizeof(double));
    if (!lbfgs.sparse)
        lbfgs.preconditioner = logistic_preconditioner(work);
    lbfgs.objective = at->loss + logistic_penalty(work, at->theta);
    forget(&lbfgs);
    return lbfgs;
}

static void lbfgs_free(Lbfgs *lbfgs)
{
    Env *env = lbfgs->env;

    env->release(env, lbfgs->there.theta);
    env->release(env, lbfgs->there.gradient);
    if (lbfgs->there.blocks != NULL)
        env->release(env, lbfgs->there.blocks);
    env->release(env, lbfgs->slope);
    env->release(env, lbfgs->direction);
    env->release(env, lbfgs->steps);
    env->release(env, lbfgs->changes);
    env->release(env, lbfgs->measured);
    if (lbfgs->preconditioner != NULL)
        logistic_preconditioner_free(lbfgs->preconditioner);
}

static void swap_points(Lbfgs *lbfgs)
{
    double *theta = lbfgs->here->theta, *gradient = lbfgs->here->gradient;

    lbfgs->here->theta = lbfgs->there.theta;
    lbfgs->here->gradient = lbfgs->there.gradient;
    lbfgs->here->loss = lbfgs->there.loss;
    lbfgs->there.theta = theta;
    lbfgs->there.gradient = gradient;
}

void logistic_lbfgs(LogisticWork *work, LogisticPoint *at, bool null, LogisticSolution *solution,
                           const char *method)
{
    const LogisticProblem *problem = work->problem;
    Lbfgs lbfgs = lbfgs_new(work, at);
    Env *env = lbfgs.env;
    double rows = (double)rows_count(problem->rows->design->rows);
    double goal = problem->tolerance * problem->rows->weight / rows, reached;

    while (solution->iterations < problem->max_iter) {
        double promise, least = settled(&lbfgs, goal);
        bool curved;

        find_slope(&lbfgs);
        find_direction(&lbfgs);
        promise = -dot(lbfgs.slope, lbfgs.direction, lbfgs.size);
        env->progress(env, method, (uint64_t)solution->iterations, (uint64_t)problem->max_iter,
                      lbfgs.objective / rows);
        solution->iterations++;
        if (promise <= least) {
            solution->converged = true;
            if (lbfgs.preconditioner != NULL && promise > 0) {
                end(&lbfgs, promise);
                swap_points(&lbfgs);
            }
            break;
        }
        curved = too_slow(&lbfgs, promise, least);
        if (curved && lbfgs.there.blocks == NULL)
            lbfgs.there.blocks = env_array(env, work->pairs * factor_packed(problem->rows->count) + 1, sizeof(double));
        if (!search(&lbfgs, null && solution->iterations == 1 ? first_length(&lbfgs, promise) : 1, &curved,
                    &reached)) {
            if (lbfgs.pairs == 0)
                break;
            forget(&lbfgs);
            continue;
        }
        if (curved)
            take_curvature(&lbfgs);
        else
            remember(&lbfgs);
        lbfgs.objective = reached;
        swap_points(&lbfgs);
        if (problem->penalty.l1 == 0 && problem->penalty.l2 == 0 &&
            at->loss <= LOGISTIC_SEPARATED_LOSS * problem->rows->weight) {
            solution->separated = true;
            break;
        }
    }
    lbfgs_free(&lbfgs);
}
