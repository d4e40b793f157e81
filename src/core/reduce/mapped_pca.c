/*
 * mapped_pca.c - the eigenvectors of the covariance of mapped rows, from sums over one pass. With all rows as landmarks the components
 * are those of kernel_pca without an approximation.
 *
 * total_variance is that of the rows in the kernel's feature space, of which the features of the map show only a part.
 */
#include "core/reduce/kernel_pca.h"

#include "core/kernel_methods/mapped_rows.h"
#include "core/reduce/component_sign.h"
#include "core/reduce/gram_components.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct MappedPca {
    Env *env;
    const Options *options;
    FeatureMap *map;
    MappedSums *sums;
    bool center;
    double total;    /* variance times weight */
    uint32_t wanted, count;
    double *values;  /* [count] */
    double *vectors; /* [count x features] */
} MappedPca;

/* Subtracts the product of the means from the sums of products. */
static void center_gram(MappedPca *pca)
{
    MappedSums *sums = pca->sums;
    uint32_t m = sums->features;

    for (uint32_t j = 0; j < m; j++) {
        for (uint32_t i = 0; i < m; i++)
            sums->gram[(size_t)j * m + i] -= sums->sums[i] * (sums->sums[j] / sums->weight);
        env_poll_every(pca->env, j, 256);
    }
}

static void find_components(MappedPca *pca)
{
    double share = options_given(pca->options, "explained") ? options_number(pca->options, "explained") : NAN;
    GramComponents found =
        gram_components(pca->env, pca->sums->gram, pca->sums->features, pca->wanted, share, pca->total, "kernel_pca");

    pca->wanted = found.count;
    pca->values = found.values;
    pca->vectors = found.vectors;
}

/* Counts the components with a positive value; warns if there are fewer than k, and fails if there are none. */
static void count_components(MappedPca *pca, bool frame, uint32_t asked)
{
    double rounding = 4 * DBL_EPSILON * pca->sums->features * fmax(pca->values[0], 0);

    while (pca->count < pca->wanted && pca->values[pca->count] > rounding && pca->values[pca->count] / pca->sums->weight > 0)
        pca->count++;
    if (frame)
        return;
    if (pca->count == 0)
        env_fail(pca->env, ERROR_DATA, "Use rows that differ.", "kernel_pca has no components: no eigenvalue is positive, as where all "
                 "rows are equal");
    if (pca->count < asked)
        env_warn(pca->env, ERROR_DATA, "Ask for fewer components, or raise \"landmarks\" or \"frequencies\".",
                 "kernel_pca has %u component%s instead of %u: the approximation has %u features", pca->count,
                 pca->count == 1 ? "" : "s", asked, pca->sums->features);
}

/* Makes the largest score of a landmark positive, as kernel_pca does of all rows; without landmarks the largest coefficient. */
static void fix_signs(MappedPca *pca)
{
    FeatureMap *map = pca->map;
    Env *env = pca->env;
    uint32_t m = map->features;
    double *features, *scores;

    if (map->approximation != APPROXIMATION_NYSTROEM) {
        for (uint32_t c = 0; c < pca->count; c++)
            component_fix_sign(pca->vectors + (size_t)c * m, m);
        return;
    }
    features = env_array(env, m, MAP_ROWS * sizeof(double));
    scores = env_array(env, pca->count, (map->basis + 1) * sizeof(double)); /* after each, its sign */
    for (uint32_t first = 0; first < map->basis; first += MAP_ROWS) {
        uint32_t count = map->basis - first < MAP_ROWS ? map->basis - first : MAP_ROWS;

        feature_map_rows(map, map->rows + (size_t)first * map->terms, count, features);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t c = 0; c < pca->count; c++)
                for (uint32_t j = 0; j < m; j++)
                    scores[(size_t)c * map->basis + first + i] +=
                        pca->vectors[(size_t)c * m + j] * (features[(size_t)i * m + j] - (pca->center ? pca->sums->sums[j] / pca->sums->weight : 0));
    }
    for (uint32_t c = 0; c < pca->count; c++) {
        double *own = scores + (size_t)c * map->basis, before = own[0];

        component_fix_sign(own, map->basis);
        for (uint32_t j = 0; own[0] != before && j < m; j++)
            pca->vectors[(size_t)c * m + j] = 0 - pca->vectors[(size_t)c * m + j];
    }
}

static void add_components(MappedPca *pca, ModelBuilder *builder)
{
    const MappedSums *sums = pca->sums;
    uint32_t m = sums->features;
    double *variances = env_array(pca->env, pca->count, sizeof(double)), *intercepts = NULL;

    if (pca->center)
        intercepts = env_array(pca->env, pca->count, sizeof(double));
    for (uint32_t c = 0; c < pca->count; c++) {
        variances[c] = pca->values[c] / sums->weight;
        for (uint32_t j = 0; pca->center && j < m; j++)
            intercepts[c] -= pca->vectors[(size_t)c * m + j] * (sums->sums[j] / sums->weight);
    }
    builder_fact(builder, "total_variance", pca->total / sums->weight);
    builder_f64(builder, SECTION_ARRAYS, "variances", variances, pca->count);
    feature_map_add(pca->env, pca->map, pca->count, pca->vectors, intercepts, builder);
}

Model *mapped_pca(Env *env, const FitInput *input, const Options *options, Approximation approximation, const Kernel *kernel,
                  uint32_t wanted, ModelBuilder *builder)
{
    MappedPca pca = {.env = env, .options = options, .center = options_boolean(options, "center"), .wanted = wanted};
    KernelSample *sample;
    Rows *rows;

    if (options_boolean(options, "preimages"))
        env_fail(env, ERROR_PARAMETER, "Leave \"preimages\" out, or set \"approximation\": \"none\".",
                 "\"preimages\" of kernel_pca are learned from all rows, which approximation \"%s\" does not keep",
                 approximation_name(approximation));
    sample = feature_map_sample(env, input->rows, kernel, options, "kernel_pca");
    pca.map = feature_map(sample, approximation, options);
    rows = mapped_rows(pca.map, 0);
    pca.sums = mapped_sums(env, rows, 0, "kernel_pca");
    rows_free(rows);
    pca.total = feature_map_self(sample, true) * pca.sums->weight;
    if (pca.center) {
        for (uint32_t j = 0; j < pca.sums->features; j++)
            pca.total -= pca.sums->sums[j] * (pca.sums->sums[j] / pca.sums->weight);
        center_gram(&pca);
    }
    find_components(&pca);
    count_components(&pca, input->frame, wanted);
    if (pca.count == 0)
        return NULL;
    fix_signs(&pca);
    add_components(&pca, builder);
    return model_build(builder);
}
