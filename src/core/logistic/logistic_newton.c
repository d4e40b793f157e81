/*
 * logistic_newton.c - Newton's method (iteratively reweighted least squares) with step control; under an l1 penalty by
 * coordinate descent on the quadratic model (proximal Newton: Lee, Sun & Saunders 2014).
 */
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_quadratic.h"

#include <math.h>

#define SHORTENINGS 40 /* at most, of one step */
#define REST 1e-28     /* share of the objective: if that much is left to gain, estimates may be off by about its root */

/* Finds the step from the current point by solver->matrix; returns the decrease of the objective that the slope promises. */
static double find_step(LogisticSolver *solver, double settled)
{
    for (uint32_t i = 0; i < solver->size; i++)
        solver->slope[i] = logistic_slope(solver, &solver->here, i);
    return quadratic_step(solver->env, solver->size, solver->matrix, solver->slope, solver->here.theta,
                          solver->problem->penalty.l1 > 0 ? solver->l1 : NULL, settled, solver->factor, solver->step);
}

static void move(LogisticSolver *solver, double length)
{
    for (uint32_t i = 0; i < solver->size; i++)
        solver->there.theta[i] = solver->here.theta[i] + length * solver->step[i];
}

/* Evaluates points along the step until one has a lower objective; false: none has. */
static bool search(LogisticSolver *solver, double objective, double promise, double *reached)
{
    double length = 1;

    for (int i = 0; i < SHORTENINGS; i++, length /= 2) {
        move(solver, length);
        logistic_evaluate(solver, &solver->there, true);
        *reached = solver->there.loss + logistic_penalty(solver, solver->there.theta);
        if (*reached <= objective - NEWTON_SUFFICIENT * length * promise + NEWTON_ROUNDING * fabs(objective))
            return true;
    }
    return false;
}

/*
 * Takes one more step from a solution without an l1 penalty, by solver->matrix, if hardly anything is left to gain: the
 * error shrinks by the length of the step before, without a pass over the rows.
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
 * Takes the last step, which leaves less than the goal. rate: promise relative to that of the step before. hessian: the
 * solution is evaluated with its curvature.
 */
static void finish(LogisticSolver *solver, bool separated, double objective, double promise, double rate, bool hessian)
{
    const LogisticPenalty *penalty = &solver->problem->penalty;
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
            solution->separated = !logistic_penalized(&problem->penalty) && rate > NEWTON_SEPARATED_RATE && promise > 0 &&
                                  isfinite(before);
            solution->converged = !solution->separated;
            finish(solver, solution->separated, objective, promise, rate, hessian);
            break;
        }
        if (!search(solver, objective, promise, &reached))
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
