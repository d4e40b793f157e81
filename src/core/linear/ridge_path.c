/*
 * ridge_path.c - ridge regression over a path of lambdas.
 *
 * One bidiagonalization of the triangular factor serves all lambdas: each is then a least-squares problem with two
 * diagonals, solved in time proportional to the number of terms (Elden 1977). X'X is never formed.
 */
#include "core/linear/linear_path.h"

#include "core/linalg/bidiagonal.h"

#include <math.h>
#include <string.h>

#define LARGEST_TIMES 10 /* an automatic path begins at this many times the sum of squares of all terms */

typedef struct RidgeSolver {
    PathSolver base;
    bool intercept_too, mean_loss;
    const double *given; /* scales of the penalty; NULL: 1 */
    double *scales;
    bool reduced;        /* the bidiagonal form exists; the first lambda that needs it makes it */
    Bidiagonal form;
    double norm, target; /* norms by which the matrix and y are divided */
    double *right;       /* U'y */
    double *work;        /* [4 x terms] */
} RidgeSolver;

/* Divides the columns by their scales and by the largest norm, so that squares neither overflow nor vanish. */
static void reduce(RidgeSolver *solver)
{
    LinearFit *fit = solver->base.fit;
    Env *env = fit->env;
    uint32_t terms = fit->design->terms, all = terms + 1;
    const double *y = fit->design->factor + (size_t)terms * all;
    double *a;

    env_require_memory(env, 2 * (size_t)all * all * sizeof(double), "a path of ridge fits");
    a = env_array(env, (size_t)terms * terms + 1, sizeof(double));
    solver->right = env_array(env, 5 * (size_t)terms + 1, sizeof(double));
    solver->work = solver->right + terms;
    solver->target = linear_norm(fit, terms);
    for (uint32_t t = 0; t < terms; t++)
        solver->norm = fmax(solver->norm, linear_norm(fit, t) / solver->scales[t]);
    for (uint32_t t = 0; t < terms; t++) {
        const double *from = fit->design->factor + (size_t)t * all;
        if (solver->norm > 0 && linear_norm(fit, t) > 0)
            for (uint32_t i = 0; i <= t; i++)
                a[(size_t)t * terms + i] = from[i] / solver->scales[t] / solver->norm;
        if (solver->target > 0)
            solver->right[t] = y[t] / solver->target;
    }
    solver->form = bidiagonal_make(env, a, terms, solver->right);
    solver->reduced = true;
}

/* Minimizes |B z - g|^2 + added |z|^2 by rotations that keep two diagonals; returns the trace of the hat matrix. */
static double solve_two_diagonals(const RidgeSolver *solver, double added, double *z)
{
    const Bidiagonal *form = &solver->form;
    uint32_t n = form->n;
    double root = sqrt(added), carried = 0, carried_right = 0, trace = n, row = 0;
    double *own = solver->work, *next = own + n, *right = next + n;

    for (uint32_t k = 0; k < n; k++) {
        double low = hypot(root, carried), low_right = low > 0 ? carried_right * (carried / low) : 0;
        double h = hypot(form->diagonal[k], low), c = h > 0 ? form->diagonal[k] / h : 1, s = h > 0 ? low / h : 0;
        own[k] = h;
        next[k] = c * form->above[k];
        right[k] = c * solver->right[k] + s * low_right;
        carried = -s * form->above[k];
        carried_right = c * low_right - s * solver->right[k];
    }
    for (uint32_t k = n; k-- > 0;) {
        double share = own[k] > 0 && k + 1 < n ? next[k] / own[k] : 0;
        z[k] = own[k] > 0 ? right[k] / own[k] - (k + 1 < n ? share * z[k + 1] : 0) : 0;
        row = (own[k] > 0 ? 1 / own[k] / own[k] : 0) + share * share * row;
        trace -= added * row;
    }
    return fmax(0, trace);
}

static void set_penalty(RidgeSolver *solver)
{
    PathSolver *base = &solver->base;
    const LinearFit *fit = base->fit;

    base->penalty = 0;
    for (uint32_t t = 0; t < fit->design->terms; t++) {
        double scaled = fit->coef[t] * solver->scales[t];
        base->penalty += scaled * scaled;
    }
    if (fit->with_intercept && solver->intercept_too)
        base->penalty += fit->intercept * fit->intercept;
}

static void ridge_solve_plainly(RidgeSolver *solver, double lambda)
{
    PathSolver *base = &solver->base;

    if (lambda == 0) {
        path_least_squares(base);
    } else {
        path_reset(base->fit);
        base->fit->kept = 0;
        linear_ridge(base->fit, lambda * base->weight, solver->given, solver->intercept_too);
        base->df = base->fit->df_model;
    }
    set_penalty(solver);
}

static void ridge_solve(PathSolver *base, double lambda)
{
    RidgeSolver *solver = (RidgeSolver *)base;
    LinearFit *fit = base->fit;
    uint32_t terms = fit->design->terms;
    double *z;

    if (lambda == 0 || (fit->with_intercept && solver->intercept_too)) {
        ridge_solve_plainly(solver, lambda);
        return;
    }
    if (!solver->reduced)
        reduce(solver);
    path_reset(fit);
    z = solver->work + 3 * (size_t)terms;
    base->df = solver->norm > 0 ? solve_two_diagonals(
                                      solver, lambda * base->weight / solver->norm / solver->norm, z)
                                : 0;
    if (solver->norm > 0 && solver->target > 0) {
        bidiagonal_right(&solver->form, z);
        for (uint32_t t = 0; t < terms; t++)
            fit->coef[t] = z[t] * (solver->target / solver->norm) / solver->scales[t];
    }
    linear_set_intercept(fit);
    fit->rss = linear_residual(fit);
    set_penalty(solver);
}

static void ridge_finish(PathSolver *base, double lambda)
{
    ridge_solve_plainly((RidgeSolver *)base, lambda);
}

static void ridge_loo_all(PathSolver *base, const KeptRows *rows, const double *lambdas, uint32_t count, double *errors)
{
    const RidgeSolver *solver = (const RidgeSolver *)base;
    LeaveOut problem = {.fit = base->fit,
                        .rows = rows,
                        .scales = solver->scales,
                        .intercept_too = solver->intercept_too,
                        .mean_loss = solver->mean_loss};

    ridge_loo(&problem, lambdas, count, errors);
}

static void ridge_free(PathSolver *base)
{
    RidgeSolver *solver = (RidgeSolver *)base;
    Env *env = base->fit->env;

    if (solver->reduced) {
        bidiagonal_free(env, &solver->form);
        env->release(env, solver->right);
    }
    env->release(env, solver->scales);
    env->release(env, solver);
}

PathSolver *ridge_path_open(LinearFit *fit, const Options *options)
{
    RidgeSolver *solver = env_array(fit->env, 1, sizeof(RidgeSolver));
    double squares = 0;

    solver->base = (PathSolver){.fit = fit,
                                .weight = path_loss_weight(fit, options),
                                .solve = ridge_solve,
                                .finish = ridge_finish,
                                .leave_out = ridge_loo_all,
                                .free = ridge_free,
                                .converged = true};
    solver->intercept_too =
        options_has(options, "penalize_intercept") && options_boolean(options, "penalize_intercept");
    solver->mean_loss = options_is(options, "reduction", "mean");
    solver->scales = path_scales(fit, options);
    solver->given = options_boolean(options, "standardize") ? solver->scales : NULL;
    for (uint32_t t = 0; t < fit->design->terms; t++) {
        double norm = linear_norm(fit, t) / solver->scales[t];
        squares += norm * norm;
    }
    solver->base.greatest = fmin(LARGEST_TIMES * squares / solver->base.weight, 1e300);
    return &solver->base;
}
