/*
 * logistic_newton.c - Newton's method (iteratively reweighted least squares) with step control; under an l1 penalty by
 * coordinate descent on the quadratic model (proximal Newton: Lee, Sun & Saunders 2014).
 */
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_quadratic.h"

#include <math.h>

#define HALVINGS 40    /* of one step, at most */
#define REST 1e-28     /* share of the objective that may be left to gain; estimates are then off by about its square root */

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

/* Evaluates points along the step until one has a lower objective; returns false if none has. */
static bool search_line(LogisticSolver *solver, double objective, double promise, double *reached)
{
    double length = 1;

    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        move(solver, length);
        logistic_evaluate(solver, &solver->there, true);
        *reached = solver->there.loss + logistic_penalty(solver, solver->there.theta);
        if (*reached <= objective - NEWTON_SUFFICIENT * length * promise + NEWTON_ROUNDING * fabs(objective))
            return true;
    }
    return false;
}

/*
 * Takes one more step from a solution without an l1 penalty, with the Hessian in solver->matrix, if hardly anything is left to
 * gain. The error shrinks in proportion to the length of the step before, without a pass over the rows.
 */
static void refine(LogisticSolver *solver)
{
    double *theta = solver->here.theta, objective = solver->here.loss + logistic_penalty(solver, theta);
    double gain = find_step(solver, 0);

    if (!(gain >= 0 && gain <= LOGISTIC_FORESEEN * objective))
        return;
    for (uint32_t i = 0; i < solver->size; i++)
        theta[i] += solver->step[i];
    solver->here.loss = objective - gain / 2 - logistic_penalty(solver, theta);
}

/*
 * Takes the last step, after which less than the goal is left to gain. rate: the promise relative to that of the step before.
 * hessian: evaluate the curvature at the solution.
 */
static void finish(LogisticSolver *solver, bool separated, double objective, double promise, double rate, bool hessian)
{
    const LossPenalty *penalty = &solver->problem->penalty;
    bool exact = hessian, evaluated = hessian || penalty->l1 > 0 || promise > LOGISTIC_FORESEEN * objective;

    move(solver, 1);
    if (evaluated)
        logistic_evaluate(solver, &solver->there, hessian);
    else /* the quadratic model is as accurate */
        solver->there.loss = objective - promise / 2 - logistic_penalty(solver, solver->there.theta);
    logistic_swap(solver);
    if (penalty->l1 > 0 || separated)
        return;
    if (!exact && penalty->l2 == 0 && promise * rate * rate > REST * objective) {
        logistic_evaluate(solver, &solver->here, true);
        exact = true;
    }
    if (exact)
        logistic_hessian(solver, solver->here.blocks, solver->matrix);
    if (exact || (evaluated && penalty->l2 > 0))
        refine(solver);
}

void logistic_newton(LogisticSolver *solver, LogisticSolution *solution, bool hessian)
{
    const LogisticProblem *problem = solver->problem;
    double rows = (double)rows_count(problem->rows->design->rows), goal = problem->tolerance * (problem->rows->weight / rows);
    double objective = solver->here.loss + logistic_penalty(solver, solver->here.theta);
    double before = INFINITY, reached;

    while (solution->iterations < problem->max_iter) {
        double promise, rate;

        logistic_hessian(solver, solver->here.blocks, solver->matrix);
        promise = find_step(solver, 1e-3 * goal);
        logistic_progress(solver, solution, objective);
        rate = isfinite(before) && promise < before ? promise / before : 1;
        if (promise * rate <= goal || promise <= NEWTON_ROUNDING * objective) {
            solution->separated = !loss_penalized(&problem->penalty) && rate > NEWTON_SEPARATED_RATE && promise > 0 &&
                                  isfinite(before);
            solution->converged = !solution->separated;
            finish(solver, solution->separated, objective, promise, rate, hessian);
            break;
        }
        if (!search_line(solver, objective, promise, &reached))
            break;
        before = promise;
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
