/*
 * lasso_fit.c - lasso (Tibshirani 1996) and elastic net (Zou & Hastie 2005) over a linear fit.
 *
 * Columns and target are divided by their norms, so that no product overflows and a duality gap is a
 * share of the target's sum of squares; X'X comes from the triangular factor, in blocks.
 */
#include "core/linear/linear_path.h"

#include "core/linalg/cholesky.h"
#include "core/linear/coordinate_descent.h"
#include "core/linalg/qr_factor.h"
#include "core/linalg/lapack.h"

#include <math.h>
#include <string.h>

#define CALL_FLOPS 1e8    /* of one call into BLAS */
#define SMALL_COLUMNS 64u /* up to here the inner products are our own loops */
#define PATH_EXACT 256u   /* nonzero coefficients: with more, only the model's own lambda is solved exactly */
#define FARTHEST 3.0      /* largest ratio of one lambda to the next without others in between */
#define BETWEEN_GAP 1e-4  /* duality gap at lambdas in between, as a share of the target's sum of squares */
#define BETWEEN_LEAST 1e-6 /* of the greatest lambda: none are put in between below */
#define SHARP_GAP 1e-13   /* duality gap of solutions that are to be exact, as a share of the same */
#define LEAST_ALPHA 1e-3  /* least alpha that an automatic path begins with: as alpha nears 0 the first lambda would become infinite */

typedef struct SparseSolver {
    PathSolver base;
    double alpha;
    uint32_t count;  /* terms that vary */
    uint32_t *terms; /* [count] */
    double *norms, target; /* norms of their columns and of the target */
    double *scales;  /* [terms of the design] */
    double *gram, *cross;
    double *absolute, *squared; /* penalties of the coefficients of the divided columns at lambda 1 */
    double *l1, *l2;
    Descent descent;
    double last; /* lambda of the current solution */
    uint32_t between; /* passes at the lambdas in between */
} SparseSolver;

/*
 * Computes the upper triangle of X'X by BLAS in pieces. x: n columns of ld rows; column j is 0 below row ends[j], and
 * the ends rise.
 */
static void gram_by_blocks(Env *env, const double *x, size_t ld, const uint32_t *ends, uint32_t n,
                           double *gram)
{
    const uint32_t width = 32;
    const double one = 1, zero = 0;
    int rows = (int)ld, order = (int)n;

    for (uint32_t j = 0; j < n; j += width) {
        uint32_t columns = n - j < width ? n - j : width, last = j + columns;
        uint32_t height = (uint32_t)fmax(width, CALL_FLOPS / (2.0 * columns * ld));
        for (uint32_t i = 0; i < last; i += height) {
            uint32_t count = last - i < height ? last - i : height;
            int m = (int)count, w = (int)columns, depth = (int)ends[i + count - 1] + 1;
            dgemm_("T", "N", &m, &w, &depth, &one, x + i * ld, &rows, x + j * ld, &rows, &zero,
                   gram + (size_t)j * n + i, &order, 1, 1);
            env->poll(env);
        }
    }
}

/* The same for few columns, without BLAS. */
static void gram_by_hand(const double *x, size_t ld, const uint32_t *ends, uint32_t n, double *gram)
{
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double sum = 0;
            for (uint32_t k = 0; k <= ends[i]; k++)
                sum += x[i * ld + k] * x[j * ld + k];
            gram[(size_t)j * n + i] = sum;
        }
}

/* Computes the inner products of the scaled columns among themselves and with the scaled target. */
static void set_products(SparseSolver *solver)
{
    const LinearFit *fit = solver->base.fit;
    Env *env = fit->env;
    uint32_t n = solver->count, all = fit->design->terms + 1;
    const double *y = fit->design->factor + (size_t)(all - 1) * all;
    double *x;

    env_require_memory(env, 2 * (size_t)all * all * sizeof(double), "the inner products of the terms");
    solver->gram = env_array(env, (size_t)n * n + 1, sizeof(double));
    solver->cross = env_array(env, (size_t)n + 1, sizeof(double));
    x = env_array(env, (size_t)all * all, sizeof(double));
    for (uint32_t j = 0; j < n; j++) {
        const double *from = fit->design->factor + (size_t)solver->terms[j] * all;
        double *to = x + (size_t)j * all, sum = 0;
        for (uint32_t i = 0; i <= solver->terms[j]; i++) {
            to[i] = from[i] / solver->norms[j];
            sum += to[i] * (solver->target > 0 ? y[i] / solver->target : 0);
        }
        solver->cross[j] = sum;
        if (j % 256 == 255)
            env->poll(env);
    }
    if (n <= SMALL_COLUMNS)
        gram_by_hand(x, all, solver->terms, n, solver->gram);
    else
        gram_by_blocks(env, x, all, solver->terms, n, solver->gram);
    env->release(env, x);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < j; i++)
            solver->gram[(size_t)i * n + j] = solver->gram[(size_t)j * n + i];
        if (j % 256 == 255)
            env->poll(env);
    }
}

/* Returns the degrees of freedom: the trace of the hat matrix of the nonzero coefficients under the squared penalty. */
static double squared_df(const SparseSolver *solver, uint32_t nonzero)
{
    Env *env = solver->base.fit->env;
    size_t n = nonzero;
    double *matrix = env_array(env, 2 * n * n + 1, sizeof(double)), *inverse = matrix + n * n;
    uint32_t *active = env_array(env, n + 1, sizeof(uint32_t)), at = 0;
    double df = nonzero;

    for (uint32_t j = 0; j < solver->count; j++)
        if (solver->descent.coef[j] != 0)
            active[at++] = j;
    for (uint32_t i = 0; i < nonzero; i++) {
        for (uint32_t j = 0; j < nonzero; j++)
            matrix[i * n + j] = solver->gram[(size_t)active[i] * solver->count + active[j]];
        matrix[i * n + i] += solver->l2[active[i]];
        inverse[i * n + i] = 1;
    }
    if (cholesky_factor(env, matrix, nonzero, CHOLESKY_TOLERANCE(nonzero)) == nonzero) {
        cholesky_solve(env, matrix, nonzero, inverse, nonzero);
        for (uint32_t i = 0; i < nonzero; i++) {
            double norm = 0;
            for (uint32_t k = 0; k < nonzero; k++)
                norm += inverse[i * n + k] * inverse[i * n + k];
            df -= solver->l2[active[i]] * norm;
        }
    }
    env->release(env, active);
    env->release(env, matrix);
    return df;
}

/* Returns the penalty of the coefficients of the fit. */
static double penalty_of(const SparseSolver *solver)
{
    const LinearFit *fit = solver->base.fit;
    double penalty = 0;

    for (uint32_t t = 0; t < fit->design->terms; t++) {
        double scaled = fabs(fit->coef[t]) * solver->scales[t];
        penalty += solver->alpha * scaled + (1 - solver->alpha) * scaled * scaled;
    }
    return penalty;
}

/* Copies the solution of the descent to the fit: coefficients, intercept, penalty. */
static void take_solution(SparseSolver *solver)
{
    PathSolver *base = &solver->base;
    LinearFit *fit = base->fit;
    uint32_t nonzero = 0;

    path_reset(fit);
    for (uint32_t j = 0; j < solver->count; j++) {
        if (solver->descent.coef[j] == 0)
            continue;
        nonzero++;
        fit->coef[solver->terms[j]] = solver->descent.coef[j] * (solver->target / solver->norms[j]);
    }
    linear_set_intercept(fit);
    fit->rss = linear_residual(fit);
    base->penalty = penalty_of(solver);
    base->df = nonzero;
    base->gap = solver->descent.gap * solver->target * solver->target;
    base->iterations = solver->between + solver->descent.passes;
    base->converged = solver->descent.converged;
}

static void solve_least_squares(SparseSolver *solver)
{
    PathSolver *base = &solver->base;

    path_least_squares(base);
    base->penalty = penalty_of(solver);
    base->gap = 0;
    base->iterations = 0;
    base->converged = true;
}

/* Descends from the current solution to that of lambda. */
static void descend_to(SparseSolver *solver, double lambda)
{
    double added = lambda * solver->base.weight;

    for (uint32_t j = 0; j < solver->count; j++) {
        solver->l1[j] = fmin(added * solver->absolute[j], 1e150);
        solver->l2[j] = fmin(added * solver->squared[j], 1e150);
    }
    descent_solve(&solver->descent, solver->l1, solver->l2, fmax(1, solver->last / lambda));
    solver->last = lambda;
}

/*
 * Descends through a few lambdas in between, roughly. Far below the last lambda too many coefficients enter at once
 * with signs that do not last, and solving for signs drops them one by one.
 */
static void approach(SparseSolver *solver, double lambda)
{
    Descent *descent = &solver->descent;
    uint32_t exact = descent->exact, passes = descent->max_passes;
    double tolerance = descent->tolerance, end = fmax(lambda, BETWEEN_LEAST * solver->last);
    double steps = ceil(log(solver->last / end) / log(FARTHEST)), share = pow(end / solver->last, 1 / steps);

    descent->exact = 0;
    descent->tolerance = fmax(tolerance, BETWEEN_GAP);
    for (; steps > 1 && solver->between < passes / 2; steps--) {
        descent->max_passes = passes / 2 - solver->between;
        descend_to(solver, solver->last * share);
        solver->between += descent->passes;
    }
    descent->exact = exact;
    descent->tolerance = tolerance;
    descent->max_passes = passes;
}

static void sparse_solve(PathSolver *base, double lambda)
{
    SparseSolver *solver = (SparseSolver *)base;

    if (lambda == 0) {
        solve_least_squares(solver);
        return;
    }
    solver->between = 0;
    if (solver->target > 0) {
        if (lambda < solver->last / FARTHEST && solver->last < 1e300)
            approach(solver, lambda);
        solver->descent.max_passes -= solver->between;
        descend_to(solver, lambda);
        solver->descent.max_passes += solver->between;
    } else {
        solver->descent.converged = true;
    }
    take_solution(solver);
}

/* With dependent terms the last steps cannot be solved as equations: only the duality gap says how exact they are. */
static void sparse_sharpen(PathSolver *base)
{
    SparseSolver *solver = (SparseSolver *)base;

    solver->descent.exact = UINT32_MAX;
    solver->descent.tolerance = fmin(solver->descent.tolerance, SHARP_GAP);
}

static void sparse_finish(PathSolver *base, double lambda)
{
    SparseSolver *solver = (SparseSolver *)base;
    LinearFit *fit = base->fit;

    solver->descent.exact = UINT32_MAX;
    sparse_solve(base, lambda);
    if (lambda == 0)
        return;
    if (solver->alpha < 1)
        base->df = squared_df(solver, (uint32_t)base->df);
    fit->df_model = base->df;
}

static void sparse_free(PathSolver *base)
{
    SparseSolver *solver = (SparseSolver *)base;
    Env *env = base->fit->env;

    descent_free(&solver->descent);
    env->release(env, solver->gram);
    env->release(env, solver->cross);
    env->release(env, solver->norms);
    env->release(env, solver->scales);
    env->release(env, solver->terms);
    env->release(env, solver);
}

PathSolver *lasso_path_open(LinearFit *fit, const Options *options, double alpha)
{
    Env *env = fit->env;
    uint32_t terms = fit->design->terms;
    SparseSolver *solver = env_array(env, 1, sizeof(SparseSolver));
    double largest = 0;

    solver->base = (PathSolver){.fit = fit,
                                .weight = path_loss_weight(fit, options),
                                .solve = sparse_solve,
                                .finish = sparse_finish,
                                .sharpen = sparse_sharpen,
                                .free = sparse_free,
                                .iterative = true};
    solver->alpha = alpha;
    solver->scales = path_scales(fit, options);
    solver->target = linear_norm(fit, terms);
    solver->terms = env_array(env, (size_t)terms + 1, sizeof(uint32_t));
    solver->norms = env_array(env, 5 * ((size_t)terms + 1), sizeof(double));
    solver->absolute = solver->norms + terms + 1;
    solver->squared = solver->absolute + terms + 1;
    solver->l1 = solver->squared + terms + 1;
    solver->l2 = solver->l1 + terms + 1;
    for (uint32_t t = 0; t < terms; t++) {
        double norm = linear_norm(fit, t), share;
        uint32_t j = solver->count;
        if (norm == 0)
            continue;
        share = fmin(solver->scales[t] / norm, 1e150);
        solver->terms[j] = t;
        solver->norms[j] = norm;
        solver->absolute[j] = solver->target > 0 ? alpha * share / solver->target : 0;
        solver->squared[j] = (1 - alpha) * share * share;
        solver->count++;
    }
    set_products(solver);
    for (uint32_t j = 0; j < solver->count; j++) {
        double alone = alpha > LEAST_ALPHA ? solver->absolute[j] : solver->absolute[j] / alpha * LEAST_ALPHA;
        if (alone > 0)
            largest = fmax(largest, 2 * fabs(solver->cross[j]) / alone);
    }
    solver->base.greatest = largest / solver->base.weight;
    solver->last = solver->base.greatest; /* where all coefficients are 0 */
    solver->descent = descent_begin(env, solver->count, solver->gram, solver->cross, solver->target > 0);
    solver->descent.tolerance = options_number(options, "tolerance");
    solver->descent.max_passes = (uint32_t)options_integer(options, "max_iter");
    solver->descent.exact = PATH_EXACT;
    return &solver->base;
}
