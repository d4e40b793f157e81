/*
 * scatter_matrix.c - computes the parts of a scatter matrix, total = within + between, and covariances and correlations from it.
 */
#include "core/inference/scatter_matrix.h"

#include <math.h>

/* Returns the mean of the rows of all classes. */
static double *grand_mean(Env *env, const ScatterDesign *design, double weight)
{
    double *mean = env_array(env, (size_t)design->terms + 1, sizeof(double));

    for (uint32_t k = 0; weight > 0 && k < design->classes; k++)
        for (uint32_t t = 0; t < design->terms; t++)
            mean[t] += design->weight[k] / weight *
                       (design->means[(size_t)k * design->terms + t] - design->means[t]);
    for (uint32_t t = 0; t < design->terms; t++)
        mean[t] += design->means[t];
    return mean;
}

/* Returns the share of a class in element (i, j), i <= j. */
static double share_of(const ScatterDesign *design, const double *mean, uint32_t k, uint32_t i,
                       uint32_t j, ScatterPart part)
{
    size_t terms = design->terms;
    const double *own = design->means + k * terms;
    double share = 0;

    if (part != SCATTER_BETWEEN)
        share = design->scatter[k * (terms * (terms + 1) / 2) + (size_t)j * (j + 1) / 2 + i];
    if (part != SCATTER_WITHIN && design->classes > 1)
        share += design->weight[k] * (own[i] - mean[i]) * (own[j] - mean[j]);
    return share;
}

ScatterMatrix scatter_matrix(Env *env, const Model *input, ScatterPart part,
                             const char *function)
{
    ScatterMatrix result = {0};
    ScatterDesign *design;
    double *mean;

    if (input->kind != MODEL_CLASS_MOMENTS &&
        (input->kind != MODEL_FEATURE_MOMENTS || part != SCATTER_TOTAL))
        env_fail(env, ERROR_KIND,
                 part == SCATTER_TOTAL
                     ? "Compute them with feature_moments(features) or class_moments(label, features)."
                     : "Compute them with class_moments(label, features).",
                 "%s needs %s", function,
                 part == SCATTER_TOTAL ? "feature_moments or class_moments" : "class_moments");
    schema_require_numbers(env, input, function);
    design = moments_scatter(env, moments_for_fit(env, input), CODING_FULL);
    result.size = design->terms;
    result.numbers = env_array(env, (size_t)design->terms * design->terms + 1, sizeof(double));
    for (uint32_t k = 0; k < design->classes; k++) {
        result.weight += design->weight[k];
        result.rows += design->rows[k];
    }
    mean = grand_mean(env, design, result.weight);
    for (uint32_t j = 0; j < design->terms; j++) {
        env->poll(env);
        for (uint32_t i = 0; i <= j; i++) {
            double sum = 0;

            for (uint32_t k = 0; k < design->classes; k++)
                sum += share_of(design, mean, k, i, j, part);
            result.numbers[(size_t)i * design->terms + j] = sum;
            result.numbers[(size_t)j * design->terms + i] = sum;
        }
    }
    return result;
}

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
