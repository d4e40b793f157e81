/*
 * logistic_newton.c - Newton's method (iteratively reweighted least squares) with step control; under an l1 penalty by
 * coordinate descent on the quadratic model (proximal Newton: Lee, Sun & Saunders 2014).
 */
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_quadratic.h"

#include <math.h>

#define HALVINGS 40    /* of one step, at most */
#define REST 1e-28     /* share of the objective that may be left to gain; estimates are then off by about its square root */
#define NO_GAIN 1e-18  /* share of the objective: a promise below it is the rounding of the gradient */
#define FEW_PIVOT 1e-2  /* of a factor, relative to the start: below it few rows are left that are not certain, */
#define LOST_PIVOT 1e-5 /* and below this none */
#define LONG_STEP 1e-3  /* of its coefficients: near a minimum the last step is far shorter, and on the way to infinity it is longer */

/* Finds the step from the current point with the Hessian in solver->matrix; returns the decrease that the slope promises. */
static double find_step(LogisticSolver *solver, double least_gain)
{
    for (uint32_t i = 0; i < solver->size; i++)
        solver->slope[i] = logistic_slope(solver, &solver->here, i);
    return quadratic_step(solver->env, solver->size, solver->matrix, solver->slope, solver->here.theta,
                          solver->problem->penalty.l1 > 0 ? solver->l1 : NULL, least_gain, solver->factor, solver->step);
}

/* Sets the point to try, `length` steps away. */
static void move(LogisticSolver *solver, double length)
{
    for (uint32_t i = 0; i < solver->size; i++)
        solver->there.theta[i] = solver->here.theta[i] + length * solver->step[i];
}

/* Evaluates points along the step until one has an objective that is low enough; returns false if none has. */
static bool search_line(LogisticSolver *solver, double objective, double promise, double *reached)
{
    double length = 1;

    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        move(solver, length);
        logistic_evaluate(solver, &solver->there, true);
        *reached = solver->there.loss + logistic_penalty(solver, solver->there.theta);
        if (*reached <= objective - NEWTON_ENOUGH * length * promise + NEWTON_ROUNDING * fabs(objective))
            return true;
    }
    return false;
}

/* Takes the step without a pass, if hardly anything is left to gain. The curvature stays that of the point before. Returns the gain. */
static double refine_by(LogisticSolver *solver, double objective, double gain)
{
    double *theta = solver->here.theta;

    if (!(gain >= 0 && gain <= LOGISTIC_FORESEEN * objective))
        return gain;
    for (uint32_t i = 0; i < solver->size; i++)
        theta[i] += solver->step[i];
    solver->here.loss = objective - gain / 2 - logistic_penalty(solver, theta);
    return gain;
}

/* Keeps the diagonal of the factor of the last step. */
static void keep_pivots(LogisticSolver *solver)
{
    for (uint32_t i = 0; i < solver->size; i++)
        solver->pivots[i] = solver->factor[(size_t)i * solver->size + i];
    solver->kept = true;
}

void logistic_keep_pivots(LogisticSolver *solver)
{
    logistic_hessian(solver, solver->here.blocks, solver->matrix);
    (void)find_step(solver, 0);
    keep_pivots(solver);
}

/* Tells whether pivot i of the last factor is less than a share of that at the start. */
static bool is_lost(const LogisticSolver *solver, uint32_t i, double share)
{
    return solver->factor[(size_t)i * solver->size + i] < share * solver->pivots[i];
}

static bool lost_curvature(const LogisticSolver *solver, double share)
{
    for (uint32_t i = 0; i < solver->size; i++)
        if (is_lost(solver, i, share))
            return true;
    return false;
}

/* Tells whether the last step is long along columns without curvature. At a minimum it is short, also where one far row has made the curvature at the start. */
static bool lost_and_long(const LogisticSolver *solver)
{
    double step = 0, theta = 0;

    for (uint32_t i = 0; i < solver->size; i++)
        if (is_lost(solver, i, LOST_PIVOT)) {
            step += solver->step[i] * solver->step[i];
            theta += solver->here.theta[i] * solver->here.theta[i];
        }
    return !(step <= LONG_STEP * LONG_STEP * theta);
}

/*
 * Tells whether a fit that seems to have ended is on its way to infinity. One long step can lead there, as from the null model of a rare
 * class along a level whose rows are all of that class. Steps from there gain less at a steady rate, while near a minimum the gain
 * vanishes; farther out no curvature is left. promise, gain: of the last two steps.
 */
static bool runs_away(LogisticSolver *solver, double promise, double gain)
{
    double least = NO_GAIN * solver->here.loss;

    if (gain > least && gain <= NEWTON_SEPARATED_RATE * promise && lost_curvature(solver, FEW_PIVOT)) {
        logistic_evaluate(solver, &solver->here, true);
        logistic_hessian(solver, solver->here.blocks, solver->matrix);
        promise = gain;
        gain = find_step(solver, 0);
    }
    return (gain > least && gain > NEWTON_SEPARATED_RATE * promise) || lost_and_long(solver);
}

/*
 * Takes one more step from a solution without an l1 penalty, with the Hessian in solver->matrix. The error shrinks in proportion to the
 * length of the step before. Returns what the step gains.
 */
static double refine(LogisticSolver *solver)
{
    double objective = solver->here.loss + logistic_penalty(solver, solver->here.theta);

    return refine_by(solver, objective, find_step(solver, 0));
}

/*
 * Takes the last step, after which less than the goal is left to gain. rate: the promise relative to that of the step before.
 * hessian: evaluate the curvature at the solution. Returns what another step gains; 0 where that was not asked.
 */
static double finish(LogisticSolver *solver, bool separated, double objective, double promise, double rate, bool hessian)
{
    const LossPenalty *penalty = &solver->problem->penalty;
    bool exact = hessian, evaluated = hessian || separated || penalty->l1 > 0 || promise > LOGISTIC_FORESEEN * objective;

    if (penalty->l1 == 0 && promise <= LOGISTIC_NEAR * objective)
        return refine_by(solver, objective, promise);
    move(solver, 1);
    if (evaluated)
        logistic_evaluate(solver, &solver->there, hessian);
    else /* the quadratic model is as accurate */
        solver->there.loss = objective - promise / 2 - logistic_penalty(solver, solver->there.theta);
    if (evaluated && solver->there.loss + logistic_penalty(solver, solver->there.theta) > objective + NEWTON_ROUNDING * fabs(objective))
        return 0; /* on the way to infinity, a step along vanished curvature is rounding */
    logistic_swap(solver);
    if (penalty->l1 > 0 || separated)
        return 0;
    if (!exact && penalty->l2 == 0 && promise * rate * rate > REST * objective) {
        logistic_evaluate(solver, &solver->here, true);
        exact = true;
    }
    if (exact)
        logistic_hessian(solver, solver->here.blocks, solver->matrix);
    return exact || (evaluated && penalty->l2 > 0) ? refine(solver) : 0;
}

/*
 * Goes on from where the curvature has vanished, as beyond the maximum along a rare level, with a share of that at the start. Returns false if no point is better.
 */
static bool search_damped(LogisticSolver *solver, double objective, double *reached)
{
    for (double share = 1e-2; share <= 1; share *= 100) {
        double promise;

        logistic_hessian(solver, solver->here.blocks, solver->matrix);
        for (uint32_t i = 0; i < solver->size; i++)
            solver->matrix[(size_t)i * solver->size + i] += share * solver->pivots[i] * solver->pivots[i];
        promise = find_step(solver, 0);
        if (promise > 0 && search_line(solver, objective, promise, reached))
            return true;
    }
    return false;
}

void logistic_newton(LogisticSolver *solver, LogisticSolution *solution, bool hessian)
{
    const LogisticProblem *problem = solver->problem;
    double rows = (double)rows_count(problem->rows->design->rows), goal = problem->tolerance * (problem->rows->weight / rows);
    double objective = solver->here.loss + logistic_penalty(solver, solver->here.theta);
    bool penalized = loss_penalized(&problem->penalty);
    double before = INFINITY, reached;

    while (solution->iterations < problem->max_iter) {
        double promise, rate;

        logistic_hessian(solver, solver->here.blocks, solver->matrix);
        promise = find_step(solver, 1e-3 * goal);
        if (!penalized && !solver->kept)
            keep_pivots(solver);
        logistic_progress(solver, solution, objective);
        rate = isfinite(before) && promise < before ? promise / before : 1;
        if (promise * rate <= goal || promise <= NEWTON_ROUNDING * objective) {
            double gain;

            solution->separated = !penalized && rate > NEWTON_SEPARATED_RATE && promise > 0 && isfinite(before);
            gain = finish(solver, solution->separated, objective, promise, rate, hessian);
            solution->separated = solution->separated || (!penalized && runs_away(solver, promise, gain));
            solution->converged = !solution->separated;
            break;
        }
        before = promise;
        if (!search_line(solver, objective, promise, &reached)) {
            if (penalized || !search_damped(solver, objective, &reached))
                break;
            before = INFINITY; /* the pace of such steps says nothing */
        }
        objective = reached;
        logistic_swap(solver);
        if (logistic_separates(solver)) {
            solution->separated = true;
            break;
        }
    }
    if (hessian)
        blocks_to_dense(solver->here.blocks, problem->equations, problem->rows->count, solver->matrix);
}
