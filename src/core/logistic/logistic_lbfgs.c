/*
 * logistic_lbfgs.c - logistic models by gradients: limited-memory BFGS (Nocedal & Wright, Numerical Optimization, 7.2), and
 * its orthant-wise form under an l1 penalty.
 *
 * A pass computes the gradient alone. Steps are preconditioned by the columns' cross-products; if they shrink too slowly, by
 * the curvature at the current point: that pass costs more and makes the next steps Newton's. Under an l1 penalty directions
 * and steps stay in the orthant that the pseudo-gradient points into (Andrew & Gao 2007), without a preconditioner.
 *
 * The promise of a step is the decrease of the objective that the slope predicts for it; a small promise ends the fit.
 */
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_quadratic.h"

#include <math.h>
#include <string.h>

#define PAIRS 20        /* steps remembered at most */
#define TRIALS 30       /* points evaluated along one direction */
#define CURVATURE 1e-10 /* least curvature of a remembered step, relative to its squared length */
#define EXPLAINED 0.75  /* largest share of the classes' variance that the first step relies on */
/*
 * The cost of a pass with the curvature, in passes without it, and the number of passes that usually follow one. From times
 * measured on ten million numbers in 50 to 200 columns, with 1 to 3 equations.
 */
#define CURVATURE_COST(pairs, equations, count) \
    ((3 + 0.17 * (double)(pairs) * (count)) / (1.5 + 2.5 * (double)(equations)))
#define NEWTON_PASSES 3
#define ROUNDING 1e-16  /* relative to an objective: promises are more accurate than the objective itself */
#define ESTIMATED 0.01  /* share of the goal: an older curvature may underestimate the rest by this factor */
#define PATIENCE 3      /* steps before their mean pace is judged */
#define SLOW 0.6        /* a step that leaves more than this share of the promise is judged at once */

struct Lbfgs {
    LogisticSolver *solver;
    LogisticPreconditioner preconditioner;
    double objective;
    double *steps, *changes; /* [PAIRS x size] each: of theta and of the gradient */
    double *scaled;          /* [size] preconditioner^-1 of the newest change */
    double *blocks;          /* of a pass with the curvature; NULL: none so far */
    double rho[PAIRS], alpha[PAIRS], scale;
    uint32_t pairs, next;    /* steps remembered; where the next one goes */
    double first, last;      /* promises since the preconditioner last changed: the first and the latest */
    uint32_t paces;          /* their number */
};

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static bool has_preconditioner(const Lbfgs *lbfgs)
{
    return lbfgs->preconditioner.side > 0;
}

/* Computes the pseudo-gradient of the objective at the current point. */
static void find_slope(LogisticSolver *solver)
{
    for (uint32_t i = 0; i < solver->size; i++) {
        double g = logistic_slope(solver, &solver->here, i), l1 = solver->l1[i], theta = solver->here.theta[i];

        if (theta != 0 || l1 == 0)
            solver->slope[i] = g + (theta > 0 ? l1 : theta < 0 ? -l1 : 0);
        else
            solver->slope[i] = g + l1 < 0 ? g + l1 : g - l1 > 0 ? g - l1 : 0;
    }
}

/* Sets the step to - (remembered inverse curvature) slope; without preconditioner and memory, scaled by the rows' weight. */
static void find_step(Lbfgs *lbfgs)
{
    LogisticSolver *solver = lbfgs->solver;
    uint32_t size = solver->size, newest = (lbfgs->next + PAIRS - 1) % PAIRS;
    double *d = solver->step;

    memcpy(d, solver->slope, size * sizeof(double));
    for (uint32_t k = 0; k < lbfgs->pairs; k++) {
        uint32_t i = (newest + PAIRS - k) % PAIRS;
        const double *change = lbfgs->changes + (size_t)i * size;

        lbfgs->alpha[i] = lbfgs->rho[i] * dot(lbfgs->steps + (size_t)i * size, d, size);
        for (uint32_t j = 0; j < size; j++)
            d[j] -= lbfgs->alpha[i] * change[j];
    }
    if (has_preconditioner(lbfgs))
        logistic_preconditioner_solve(&lbfgs->preconditioner, d);
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
        if (solver->problem->penalty.l1 > 0 && d[j] * solver->slope[j] > 0)
            d[j] = 0;
    }
}

/* Forgets the steps. */
static void forget(Lbfgs *lbfgs)
{
    lbfgs->pairs = 0;
    lbfgs->scale = has_preconditioner(lbfgs) ? 1 : 4 / lbfgs->solver->problem->rows->weight;
}

/* Sets the point to try, `length` steps away; under an l1 penalty, parameters that would change sign become 0. */
static void move(LogisticSolver *solver, double length)
{
    for (uint32_t i = 0; i < solver->size; i++) {
        double from = solver->here.theta[i], to = from + length * solver->step[i];

        if (solver->l1[i] > 0 && to * (from != 0 ? from : -solver->slope[i]) < 0)
            to = 0;
        solver->there.theta[i] = to;
    }
}

/*
 * Finds a lower point along the step; returns false if rounding leaves none. curved: evaluate it with the curvature, from the first
 * point on, and once more if a later one is found.
 */
static bool search_line(Lbfgs *lbfgs, double length, bool curved, double *reached)
{
    LogisticSolver *solver = lbfgs->solver;
    double share = solver->matrix != NULL ? NEWTON_ENOUGH : NEWTON_SUFFICIENT;

    for (int trial = 0; trial < TRIALS; trial++) {
        double promise = 0;

        move(solver, length);
        for (uint32_t i = 0; i < solver->size; i++)
            promise -= solver->slope[i] * (solver->there.theta[i] - solver->here.theta[i]);
        if (curved)
            solver->there.blocks = lbfgs->blocks;
        logistic_evaluate(solver, &solver->there, curved && trial == 0);
        *reached = solver->there.loss + logistic_penalty(solver, solver->there.theta);
        if (*reached <= lbfgs->objective - share * promise + NEWTON_ROUNDING * lbfgs->objective) {
            if (curved && trial > 0)
                logistic_evaluate(solver, &solver->there, true);
            return true;
        }
        length *= trial == 0 && lbfgs->pairs == 0 && !has_preconditioner(lbfgs) ? 0.25 : 0.5;
    }
    return false;
}

/* Remembers the step from the current point to the one tried. */
static void remember(Lbfgs *lbfgs)
{
    LogisticSolver *solver = lbfgs->solver;
    uint32_t size = solver->size;
    double *step = lbfgs->steps + (size_t)lbfgs->next * size, *change = lbfgs->changes + (size_t)lbfgs->next * size;
    double product;

    for (uint32_t i = 0; i < size; i++) {
        step[i] = solver->there.theta[i] - solver->here.theta[i];
        change[i] = logistic_slope(solver, &solver->there, i) - logistic_slope(solver, &solver->here, i);
    }
    product = dot(step, change, size);
    if (!(product > CURVATURE * dot(step, step, size)) || !isfinite(1 / product))
        return;
    if (!lbfgs->preconditioner.exact) {
        memcpy(lbfgs->scaled, change, size * sizeof(double));
        if (has_preconditioner(lbfgs))
            logistic_preconditioner_solve(&lbfgs->preconditioner, lbfgs->scaled);
        lbfgs->scale = product / dot(change, lbfgs->scaled, size);
    }
    lbfgs->rho[lbfgs->next] = 1 / product;
    lbfgs->next = (lbfgs->next + 1) % PAIRS;
    lbfgs->pairs += lbfgs->pairs < PAIRS;
}

/* Returns the length of the first step from the null model: that of linear discriminants, the solution for normal classes. */
static double first_length(const Lbfgs *lbfgs, double promise)
{
    const LogisticProblem *problem = lbfgs->solver->problem;
    double explained = promise / problem->rows->weight / (problem->classes - 1);

    return has_preconditioner(lbfgs) ? 1 / (1 - fmin(explained, EXPLAINED)) : 1;
}

/*
 * Tells whether the fit ends sooner with a pass that computes the curvature than at its current pace. goal: the promise that
 * ends it.
 */
static bool too_slow(Lbfgs *lbfgs, double promise, double goal)
{
    const LogisticSolver *solver = lbfgs->solver;
    double mean, latest, pace, left;

    if (!has_preconditioner(lbfgs) || solver->size > NEWTON_MOST)
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
    return left > NEWTON_PASSES +
                      CURVATURE_COST(solver->pairs, solver->problem->equations, solver->problem->rows->count);
}

/* Takes the last step; if it is short, the point it leads to needs no pass. */
static void finish(LogisticSolver *solver, double objective, double promise)
{
    double reached = objective - promise / 2;

    move(solver, 1);
    if (promise > LOGISTIC_FORESEEN * objective)
        logistic_evaluate(solver, &solver->there, false);
    else
        solver->there.loss = reached - logistic_penalty(solver, solver->there.theta);
    logistic_swap(solver);
}

/* Returns the promise that ends the fit. */
static double last_promise(const Lbfgs *lbfgs, double goal)
{
    if (lbfgs->solver->matrix != NULL)
        return LOGISTIC_NEAR * lbfgs->objective;
    if (!has_preconditioner(lbfgs))
        return fmax(goal, NEWTON_ROUNDING * lbfgs->objective);
    return fmax(ESTIMATED * goal, ROUNDING * lbfgs->objective);
}

Lbfgs *logistic_lbfgs_new(LogisticSolver *solver)
{
    Env *env = solver->env;
    Lbfgs *lbfgs = env_array(env, 1, sizeof(Lbfgs));

    lbfgs->solver = solver;
    lbfgs->steps = env_array(env, solver->size, PAIRS * sizeof(double));
    lbfgs->changes = env_array(env, solver->size, PAIRS * sizeof(double));
    lbfgs->scaled = env_array(env, solver->size, sizeof(double));
    lbfgs->preconditioner = logistic_preconditioner(solver);
    return lbfgs;
}

void logistic_lbfgs(LogisticSolver *solver, LogisticSolution *solution, bool null)
{
    const LogisticProblem *problem = solver->problem;
    Lbfgs *lbfgs = solver->lbfgs;
    double rows = (double)rows_count(problem->rows->design->rows);
    double goal = problem->tolerance * problem->rows->weight / rows, reached;
    int64_t most = solver->matrix != NULL ? problem->max_iter / 2 : problem->max_iter;

    logistic_preconditioner_null(&lbfgs->preconditioner);
    lbfgs->objective = solver->here.loss + logistic_penalty(solver, solver->here.theta);
    lbfgs->next = lbfgs->paces = 0;
    forget(lbfgs);
    while (solution->iterations < most) {
        double promise, least = last_promise(lbfgs, goal);
        bool curved;

        find_slope(solver);
        find_step(lbfgs);
        promise = -dot(solver->slope, solver->step, solver->size);
        logistic_progress(solver, solution, lbfgs->objective);
        if (promise <= least) {
            solution->converged = true;
            if (has_preconditioner(lbfgs) && promise > 0)
                finish(solver, lbfgs->objective, promise);
            break;
        }
        curved = too_slow(lbfgs, promise, least);
        if (curved && solver->matrix != NULL) /* Newton's method follows, and knows separated classes by its pace */
            break;
        if (curved && lbfgs->blocks == NULL)
            lbfgs->blocks = env_array_raw(solver->env, solver->pairs * factor_packed(problem->rows->count) + 1,
                                          sizeof(double));
        if (!search_line(lbfgs, null && solution->iterations == 1 ? first_length(lbfgs, promise) : 1, curved, &reached)) {
            if (lbfgs->pairs == 0)
                break;
            forget(lbfgs);
            continue;
        }
        if (curved) {
            logistic_preconditioner_exact(&lbfgs->preconditioner, lbfgs->blocks);
            lbfgs->paces = 0;
            forget(lbfgs);
        } else {
            remember(lbfgs);
        }
        lbfgs->objective = reached;
        logistic_swap(solver);
        if (logistic_separates(solver)) {
            solution->separated = true;
            break;
        }
    }
}
