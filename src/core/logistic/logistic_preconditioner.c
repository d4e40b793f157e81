/*
 * logistic_preconditioner.c - the preconditioner of a logistic fit by gradients.
 *
 * At the null model the curvature of class e's equation is share_e times the cross-products of the columns, up to what
 * the equations have in common, along which the gradient is 0. One factor serves all equations.
 */
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_newton.h"

#include <string.h>

struct LogisticPreconditioner {
    LogisticWork *work;
    uint32_t side;   /* of the factor: columns of one equation, or all parameters if exact */
    double *factor;  /* [side x side] */
    double *weights; /* [equations] of the curvature of each */
    bool exact;
};

LogisticPreconditioner *logistic_preconditioner(LogisticWork *work)
{
    const LogisticProblem *problem = work->problem;
    const LogisticRows *rows = problem->rows;
    Env *env = rows->env;
    uint32_t count = rows->count, fixed = problem->classes - problem->equations;
    LogisticPreconditioner *preconditioner;
    double *matrix, mean = 0;

    if (rows->gram == NULL)
        return NULL;
    preconditioner = env_array(env, 1, sizeof(LogisticPreconditioner));
    preconditioner->work = work;
    preconditioner->side = count;
    preconditioner->weights = env_array(env, problem->equations, sizeof(double));
    for (uint32_t e = 0; e < problem->equations; e++) {
        preconditioner->weights[e] =
            problem->signs != NULL ? work->shares[0] * work->shares[1] : work->shares[e + fixed];
        mean += preconditioner->weights[e] / problem->equations;
    }
    matrix = env_array(env, (size_t)count * count + 1, sizeof(double));
    preconditioner->factor = env_array(env, (size_t)count * count + 1, sizeof(double));
    blocks_to_dense(rows->gram, 1, count, matrix);
    for (uint32_t j = 0; j < count; j++)
        matrix[(size_t)j * count + j] += 2 * work->l2[j] / mean;
    if (!curvature_factor(env, count, matrix, preconditioner->factor)) {
        logistic_preconditioner_free(preconditioner);
        preconditioner = NULL;
    }
    env->release(env, matrix);
    return preconditioner;
}

void logistic_preconditioner_exact(LogisticPreconditioner *preconditioner, const double *blocks)
{
    LogisticWork *work = preconditioner->work;
    Env *env = work->problem->rows->env;
    size_t square = (size_t)work->size * work->size;
    double *matrix = env_array(env, square + 1, sizeof(double));
    double *factor = env_array(env, square + 1, sizeof(double));

    logistic_curvature(work, blocks, matrix);
    if (curvature_factor(env, work->size, matrix, factor)) {
        env->release(env, preconditioner->factor);
        preconditioner->factor = factor;
        preconditioner->side = work->size;
        preconditioner->exact = true;
    } else {
        env->release(env, factor);
    }
    env->release(env, matrix);
}

bool logistic_preconditioner_is_exact(const LogisticPreconditioner *preconditioner)
{
    return preconditioner->exact;
}

void logistic_preconditioner_solve(LogisticPreconditioner *preconditioner, double *d)
{
    const LogisticProblem *problem = preconditioner->work->problem;
    Env *env = problem->rows->env;
    uint32_t columns = preconditioner->work->size / preconditioner->side;
    bool fixed = problem->equations < problem->classes;

    cholesky_solve(env, preconditioner->factor, preconditioner->side, d, columns);
    cholesky_solve_transposed(env, preconditioner->factor, preconditioner->side, d, columns);
    if (preconditioner->exact)
        return;
    for (uint32_t e = 0; e < problem->equations; e++)
        for (uint32_t j = 0; j < preconditioner->side; j++)
            d[(size_t)e * preconditioner->side + j] /= preconditioner->weights[e];
    if (problem->signs != NULL)
        return;
    for (uint32_t j = 0; j < preconditioner->side; j++) { /* the classes' mean is 0, or the first class's equation */
        double common = 0;

        for (uint32_t e = 0; e < problem->equations; e++)
            common += d[(size_t)e * preconditioner->side + j] *
                      (fixed ? -preconditioner->weights[e] / preconditioner->work->shares[0] : 1.0 / problem->classes);
        for (uint32_t e = 0; e < problem->equations; e++)
            d[(size_t)e * preconditioner->side + j] -= common;
    }
}

void logistic_preconditioner_free(LogisticPreconditioner *preconditioner)
{
    Env *env = preconditioner->work->problem->rows->env;

    env->release(env, preconditioner->factor);
    env->release(env, preconditioner->weights);
    env->release(env, preconditioner);
}
