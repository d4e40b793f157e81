/*
 * correlation.c - covariances and correlations from a scatter matrix.
 */
#include "core/moments/correlation.h"

#include <math.h>

double scatter_trace(const ScatterMatrix *scatter)
{
    double trace = 0;

    for (size_t i = 0; i < scatter->size; i++)
        trace += scatter->numbers[i * scatter->size + i];
    return trace;
}

bool scatter_to_covariance(Env *env, ScatterMatrix *scatter, bool sample)
{
    double divisor = scatter->weight;

    if (sample)
        divisor *= (scatter->rows - 1) / scatter->rows;
    if (!(divisor > 0))
        return false;
    for (size_t i = 0; i < scatter->size; i++) {
        env->poll(env);
        for (size_t j = 0; j < scatter->size; j++)
            scatter->numbers[i * scatter->size + j] /= divisor;
    }
    return true;
}

void scatter_to_correlation(Env *env, ScatterMatrix *scatter, bool *known)
{
    size_t n = scatter->size;
    double *roots = env_array(env, n + 1, sizeof(double));

    for (size_t i = 0; i < n; i++) {
        roots[i] = sqrt(scatter->numbers[i * n + i]);
        known[i] = scatter->numbers[i * n + i] > 0;
    }
    for (size_t i = 0; i < n; i++) {
        double *row = scatter->numbers + i * n;

        env->poll(env);
        for (size_t j = 0; j < n; j++)
            row[j] = i == j ? 1 : fmax(-1, fmin(1, row[j] / (roots[i] * roots[j])));
    }
}
