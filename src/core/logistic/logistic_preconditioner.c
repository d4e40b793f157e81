/*
 * logistic_preconditioner.c - the preconditioner of a logistic fit by gradients.
 *
 * At the null model the curvature of class e's equation is share_e times the cross-products of the columns, up to what
 * the equations have in common, along which the gradient is 0. One factor serves all equations.
 */
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_quadratic.h"

LogisticPreconditioner logistic_preconditioner(LogisticSolver *solver)
{
    const LogisticProblem *problem = solver->problem;
    LogisticPreconditioner preconditioner = {.solver = solver};
    uint32_t count = problem->rows->count, most = solver->size <= NEWTON_MOST ? solver->size : count;
    size_t numbers = (size_t)most * most + 1;

    if (problem->rows->gram == NULL || problem->penalty.l1 > 0)
        return preconditioner;
    preconditioner.factor = env_array_raw(solver->env, numbers, sizeof(double));
    preconditioner.spare = env_array_raw(solver->env, numbers, sizeof(double));
    preconditioner.matrix = env_array_raw(solver->env, numbers, sizeof(double));
    preconditioner.weights = env_array(solver->env, problem->equations, sizeof(double));
    return preconditioner;
}

void logistic_preconditioner_null(LogisticPreconditioner *preconditioner)
{
    const LogisticSolver *solver = preconditioner->solver;
    const LogisticProblem *problem = solver->problem;
    const double *shares = solver->shares;
    uint32_t count = problem->rows->count, fixed = problem->classes - problem->equations;
    double *matrix = preconditioner->matrix, mean = 0;

    preconditioner->exact = false;
    if (matrix == NULL)
        return;
    for (uint32_t e = 0; e < problem->equations; e++) {
        preconditioner->weights[e] = problem->softmax ? shares[e + fixed] : shares[0] * shares[1];
        mean += preconditioner->weights[e] / problem->equations;
    }
    blocks_to_dense(problem->rows->gram, 1, count, matrix);
    for (uint32_t j = 0; j < count; j++)
        matrix[(size_t)j * count + j] += 2 * solver->l2[j] / mean;
    preconditioner->side = curvature_factor(solver->env, count, matrix, preconditioner->factor) ? count : 0;
}

void logistic_preconditioner_exact(LogisticPreconditioner *preconditioner, const double *blocks)
{
    const LogisticSolver *solver = preconditioner->solver;
    double *factor = preconditioner->spare;

    logistic_hessian(solver, blocks, preconditioner->matrix);
    if (!curvature_factor(solver->env, solver->size, preconditioner->matrix, factor))
        return;
    preconditioner->spare = preconditioner->factor;
    preconditioner->factor = factor;
    preconditioner->side = solver->size;
    preconditioner->exact = true;
}

void logistic_preconditioner_solve(const LogisticPreconditioner *preconditioner, double *d)
{
    const LogisticSolver *solver = preconditioner->solver;
    const LogisticProblem *problem = solver->problem;
    uint32_t side = preconditioner->side, columns = solver->size / side;
    bool fixed = problem->equations < problem->classes;

    cholesky_solve(solver->env, preconditioner->factor, side, d, columns);
    cholesky_solve_transposed(solver->env, preconditioner->factor, side, d, columns);
    if (preconditioner->exact)
        return;
    for (uint32_t e = 0; e < problem->equations; e++)
        for (uint32_t j = 0; j < side; j++)
            d[(size_t)e * side + j] /= preconditioner->weights[e];
    if (!problem->softmax)
        return;
    for (uint32_t j = 0; j < side; j++) { /* so that the mean over the classes, or the first class's equation, is 0 */
        double common = 0;

        for (uint32_t e = 0; e < problem->equations; e++)
            common += d[(size_t)e * side + j] *
                      (fixed ? -preconditioner->weights[e] / solver->shares[0] : 1.0 / problem->classes);
        for (uint32_t e = 0; e < problem->equations; e++)
            d[(size_t)e * side + j] -= common;
    }
}
