/*
 * kernel_preimages.c - the way back from scores of kernel_pca to features.
 *
 * A point of the span of the components is in general the image of no row. Kernel ridge regression learns, from the training rows
 * and their scores s_i, a function that is near the rows it came from:
 *     row(z) = center + sum over i of coef_i exp(-gamma |z - s_i|^2),     (K + lambda I) coef = rows - center
 * with K the kernel of the scores and gamma by kernel_scale (Bakir, Weston & Schoelkopf 2004, "Learning to find pre-images"). Unlike
 * the fixed-point iteration of Mika et al. (1999) it has no local minima and takes any kernel.
 */
#include "core/kernel_methods/gram_matrix.h"
#include "core/linalg/cholesky.h"
#include "core/math/exp_log1p.h"
#include "core/reduce/kernel_pca.h"

#include <float.h>
#include <string.h>

size_t preimages_memory(uint64_t rows, uint32_t components, uint32_t terms)
{
    return (size_t)rows * ((size_t)components + 2 * (size_t)terms + 8) * sizeof(double);
}

/* Returns the scores of the training rows, [n x count]: with a = w u / sqrt(value), u sqrt(value) = a value / w. */
static double *scores_of(const KernelSample *sample, const KernelComponents *components)
{
    uint32_t n = sample->count, count = components->count;
    double *scores = env_array_raw(sample->env, (size_t)n * count, sizeof(double));

    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < n; i++)
            scores[(size_t)i * count + c] = components->multipliers[(size_t)c * n + i] * components->values[c] / row_weight(sample->weights, i);
    return scores;
}

/* Returns the weighted means of the features as they came, [dims]. */
static double *means_of(const KernelSample *sample)
{
    double *means = env_array(sample->env, (size_t)sample->dims + 1, sizeof(double)), total = 0;

    for (uint32_t i = 0; i < sample->count; i++) {
        const double *x = sample->points + (size_t)i * sample->dims;
        double weight = row_weight(sample->weights, i);

        total += weight;
        for (uint32_t d = 0; d < sample->dims; d++)
            means[d] += (x[d] - means[d]) * (weight / total);
    }
    return means;
}

void preimages_add(const KernelSample *sample, const KernelComponents *components, double lambda, ModelBuilder *builder)
{
    Env *env = sample->env;
    uint32_t n = sample->count, dims = sample->dims;
    KernelSample scores = {.env = env, .method = sample->method, .count = n, .dims = components->count, .kernel = {.kind = KERNEL_RBF}};
    double *center = means_of(sample), *right = env_array_raw(env, (size_t)n * dims, sizeof(double));
    double *coef = env_array_raw(env, (size_t)n * dims, sizeof(double)), *gamma = env_array(env, 1, sizeof(double)), *gram;

    scores.points = scores_of(sample, components);
    scores.kernel.degree = 1;
    kernel_scale(&scores.kernel, scores.points, sample->weights, n, scores.dims);
    *gamma = scores.kernel.gamma;
    gram = gram_matrix(&scores, &scores.kernel);
    for (uint32_t i = 0; i < n; i++) {
        gram[(size_t)i * n + i] += lambda / row_weight(sample->weights, i);
        for (uint32_t d = 0; d < dims; d++)
            right[(size_t)d * n + i] = sample->points[(size_t)i * dims + d] - center[d];
    }
    if (cholesky_factor(env, gram, n, 8 * DBL_EPSILON) < n)
        env_fail(env, ERROR_DATA, "Raise \"preimage_lambda\".",
                 "kernel_pca found no preimages: the kernel matrix of the scores plus %g is not positive definite", lambda);
    cholesky_solve(env, gram, n, right, dims);
    cholesky_solve_transposed(env, gram, n, right, dims);
    env->release(env, gram);
    for (uint32_t d = 0; d < dims; d++) {
        bool scaled = sample->center != NULL && sample->scale[d] > 0;

        for (uint32_t i = 0; i < n; i++)
            coef[(size_t)i * dims + d] = scaled ? right[(size_t)d * n + i] / sample->scale[d] : right[(size_t)d * n + i];
        if (sample->center != NULL)
            center[d] = sample->center[d] + (scaled ? center[d] / sample->scale[d] : 0);
    }
    builder_f64(builder, SECTION_ARRAYS, "preimage_center", center, dims);
    builder_f64_matrix(builder, SECTION_ARRAYS, "preimage_coef", coef, n, dims);
    builder_f64(builder, SECTION_ARRAYS, "preimage_gamma", gamma, 1);
    builder_f64_matrix(builder, SECTION_ARRAYS, "preimage_scores", scores.points, n, scores.dims);
}

/* ---- reading ---- */

typedef struct Preimages {
    const double *center, *coef, *gamma, *scores;
    uint32_t rows, terms, components;
} Preimages;

const ArraySpec preimage_arrays[4] = {
    {.name = "preimage_center", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_TERMS}, .data_at = VIEW_AT(Preimages, center)},
    {.name = "preimage_coef",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "preimage_center",
     .rows = {SIZE_ROWS},
     .columns = {SIZE_TERMS},
     .data_at = VIEW_AT(Preimages, coef),
     .rows_at = VIEW_AT(Preimages, rows),
     .columns_at = VIEW_AT(Preimages, terms)},
    {.name = "preimage_gamma",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "preimage_center",
     .values = VALUES_POSITIVE,
     .rows = {SIZE_NUMBER, .plus = 1},
     .data_at = VIEW_AT(Preimages, gamma)},
    {.name = "preimage_scores",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "preimage_center",
     .rows = {SIZE_ROWS},
     .columns = {SIZE_EQUATIONS},
     .data_at = VIEW_AT(Preimages, scores),
     .columns_at = VIEW_AT(Preimages, components)}};
static const ArrayTable view_tables[] = ARRAY_TABLES(ARRAY_TABLE(preimage_arrays));

uint32_t preimages_width(const Model *model)
{
    const ModelEntry *entry = model_find(model, "preimage_center");

    return entry != NULL ? entry->rows : 0;
}

/* Called only for models whose width is above 0. */
void preimages_inverse(const Model *model, const double *scores, double *out)
{
    Preimages preimages = {.rows = 0};

    view_arrays(model, view_tables, &preimages);
    memcpy(out, preimages.center, preimages.terms * sizeof(double));
    for (uint32_t i = 0; i < preimages.rows; i++) {
        const double *own = preimages.scores + (size_t)i * preimages.components;
        const double *coef = preimages.coef + (size_t)i * preimages.terms;
        double squares = 0, value;

        for (uint32_t c = 0; c < preimages.components; c++)
            squares += (scores[c] - own[c]) * (scores[c] - own[c]);
        value = exponential_core(-preimages.gamma[0] * squares);
        for (uint32_t t = 0; t < preimages.terms; t++)
            out[t] += value * coef[t];
    }
}
