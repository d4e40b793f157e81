/*
 * feature_map.c - landmarks and random frequencies, and the features of rows, tile by tile.
 */
#include "core/kernel_methods/feature_map_internal.h"
#include "core/base/random.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/gemm.h"
#include "core/linalg/pivoted_cholesky.h"
#include "core/math/cosine_sine.h"
#include "core/options/options.h"
#include "core/rows/row_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define SIMD_FILE "core/kernel_methods/feature_map_simd.h"
#include "core/base/cpu_dispatch.h"

#define POLL_FLOPS 1e8    /* of products between two polls */
#define PRODUCT_ROWS 96   /* rows of one product */

/* ---- options ---- */

static const char *const approximations[] = {"none", "nystroem", "fourier", NULL};

const OptionSpec options_approximation[] = {
    {.name = "approximation",
     .types = OPTION_STRING,
     .fallback = "\"none\"",
     .choices = approximations,
     .help = "Replace the kernel by products of explicit features, for more rows than can be compared with each other: kernel "
             "values with some rows (nystroem, any kernel) or random cosines and sines (fourier, rbf)."},
    {.name = "frequencies",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = LANDMARKS_MOST,
     .unset = "500",
     .help = "For approximation fourier: the number of random frequencies, each of which makes two features."},
    {.name = "landmarks",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = LANDMARKS_MOST,
     .unset = "500, or all distinct rows",
     .help = "For approximation nystroem: the number of rows to compare all others with."},
    {.name = NULL}};

const char *approximation_name(Approximation approximation)
{
    return approximations[approximation];
}

Approximation approximation_of_options(Env *env, const Options *options, const Kernel *kernel)
{
    Approximation approximation = options_is(options, "approximation", "nystroem")  ? APPROXIMATION_NYSTROEM
                                  : options_is(options, "approximation", "fourier") ? APPROXIMATION_FOURIER
                                                                                    : APPROXIMATION_NONE;
    const char *name = approximation_name(approximation);

    if (options_given(options, "landmarks") && approximation != APPROXIMATION_NYSTROEM)
        env_fail(env, ERROR_PARAMETER, "Set \"approximation\" to \"nystroem\".", "landmarks %lld, but approximation \"%s\" has none",
                 (long long)options_integer(options, "landmarks"), name);
    if (options_given(options, "frequencies") && approximation != APPROXIMATION_FOURIER)
        env_fail(env, ERROR_PARAMETER, "Set \"approximation\" to \"fourier\".", "frequencies %lld, but approximation \"%s\" has none",
                 (long long)options_integer(options, "frequencies"), name);
    if (approximation != APPROXIMATION_NONE && kernel->kind == KERNEL_PRECOMPUTED)
        env_fail(env, ERROR_PARAMETER, "Pass the features and a kernel of them, or set \"approximation\": \"none\".",
                 "approximation \"%s\" is not for kernel precomputed, whose rows hold their kernel values with all others already", name);
    if (approximation == APPROXIMATION_FOURIER && kernel->kind != KERNEL_RBF)
        env_fail(env, ERROR_PARAMETER, "Use approximation \"nystroem\", which takes any kernel.",
                 "approximation \"fourier\" is for kernel rbf, not %s", kernel_name(kernel->kind));
    return approximation;
}

/* ---- landmarks ---- */

const uint32_t *feature_map_texts(const KernelSample *sample)
{
    return ((const MapSample *)sample)->texts;
}

void feature_map_points(const FeatureMap *map, double *rows, uint32_t count)
{
    const KernelSample *sample = map->sample;

    if (map->texts != NULL)
        for (uint32_t i = 0; i < count; i++) {
            double *number = &rows[(size_t)i * map->terms + map->kernel.text_at - 1];

            *number = map->texts[(uint32_t)*number];
        }
    if (sample->center == NULL)
        return;
    for (uint32_t i = 0; i < count; i++, rows += map->terms)
        for (uint32_t t = 0; t < map->terms; t++)
            rows[t] = (rows[t] - sample->center[t]) * sample->scale[t];
}

/* Chooses the landmarks: sets basis and rows, in the order of their hashes. */
static void choose_landmarks(FeatureMap *map, uint32_t most, uint64_t seed)
{
    Env *env = map->env;
    uint32_t terms = map->terms;
    RowSample *sample = row_sample_new(env, most, terms, true);
    double *row = env_array_raw(env, terms, sizeof(double));
    DesignReader *reader = design_reader(map->sample->design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double *kept;

            memcpy(row, block.x + (size_t)i * terms, terms * sizeof(double));
            if (map->texts != NULL) /* by their order in the table, which does not depend on that of the rows */
                feature_map_points(map, row, 1);
            kept = row_sample_add(sample, rows_hash(seed, row, terms));
            if (kept != NULL)
                memcpy(kept, row, terms * sizeof(double));
        }
    design_reader_free(reader);
    map->basis = sample->count;
    map->rows = env_array_raw(env, map->basis, terms * sizeof(double));
    row_sample_sort(sample, map->rows);
    if (map->texts == NULL)
        feature_map_points(map, map->rows, map->basis);
    row_sample_free(sample);
}

/* Sets the Gram matrix [basis x basis] of the landmarks. Fails if a value is not finite. */
static void landmark_gram(FeatureMap *map, double *gram)
{
    size_t cells = (size_t)map->basis * map->basis;

    kernel_gram(map->env, &map->kernel, map->rows, map->basis, map->terms, gram);
    for (size_t i = 0; i < cells; i++) {
        if (!isfinite(gram[i]))
            env_fail(map->env, ERROR_RANGE, "Divide the features by a power of ten, or use another kernel.",
                     "values of the kernel are out of range");
        if (i % 1000000 == 0)
            map->env->poll(map->env);
    }
}

/* Moves the landmarks that the factor took into its order, and drops the others. */
static void keep_landmarks(FeatureMap *map, const uint32_t *order, uint32_t rank)
{
    Env *env = map->env;
    double *rows = env_array_raw(env, rank, map->terms * sizeof(double));

    for (uint32_t i = 0; i < rank; i++)
        memcpy(rows + (size_t)i * map->terms, map->rows + (size_t)order[i] * map->terms, map->terms * sizeof(double));
    env->release(env, map->rows);
    map->rows = rows;
    map->basis = map->features = rank;
}

/* Factors the Gram matrix of the landmarks and inverts the factor. */
static void whiten_landmarks(FeatureMap *map)
{
    Env *env = map->env;
    uint32_t m = map->basis, rank, *order = env_array(env, m, sizeof(uint32_t));
    double *gram = env_array_raw(env, (size_t)m * m, sizeof(double)), *columns;

    kernel_warn_indefinite(env, &map->kernel, map->rows, m, map->terms, map->sample->method);
    landmark_gram(map, gram);
    map->evaluations += (uint64_t)m * m;
    rank = pivoted_cholesky(env, gram, m, CHOLESKY_TOLERANCE(m), order);
    if (rank == 0)
        env_fail(env, ERROR_DATA, "Use another kernel, or other features.", "the kernel of each of %u landmarks with itself is at most 0",
                 m);
    keep_landmarks(map, order, rank);
    for (uint32_t j = 1; j < rank; j++) /* from columns of m numbers to columns of rank numbers */
        memmove(gram + (size_t)j * rank, gram + (size_t)j * m, rank * sizeof(double));
    columns = env_array(env, (size_t)rank * rank, sizeof(double));
    for (uint32_t j = 0; j < rank; j++)
        columns[(size_t)j * rank + j] = 1;
    cholesky_solve(env, gram, rank, columns, rank);
    map->inverse = gram;
    for (uint32_t i = 0; i < rank; i++) {
        for (uint32_t j = 0; j < rank; j++)
            map->inverse[(size_t)i * rank + j] = j <= i ? columns[(size_t)j * rank + i] : 0;
        if (i % 256 == 0)
            env->poll(env);
    }
    env->release(env, columns);
    env->release(env, order);
}

/* ---- frequencies ---- */

/* Draws frequencies from the spectrum of the kernel, a normal distribution of variance 2 gamma, in turns per unit. */
static void draw_frequencies(FeatureMap *map, uint32_t count, uint64_t seed)
{
    uint64_t state = seed;
    size_t cells = (size_t)count * map->terms;
    double spread = sqrt(2 * map->kernel.gamma) / 6.283185307179586477;

    map->rows = env_array_raw(map->env, count, map->terms * sizeof(double));
    for (size_t i = 0; i < cells; i++) {
        double cosine, sine, radius = sqrt(-2 * log(1 - random_unit(&state)));

        cosine_sine_core(random_unit(&state), &cosine, &sine);
        map->rows[i] = spread * radius * cosine;
        if (i % 65536 == 0)
            map->env->poll(map->env);
    }
    map->basis = count;
    map->features = 2 * count;
}

/* ---- the map ---- */

/* Returns the bytes that a map with `basis` landmarks or frequencies takes while it is made. */
static size_t map_bytes(Approximation approximation, uint32_t basis, uint32_t terms)
{
    size_t cells = (size_t)basis * (terms * 2 + MAP_TILE + MAP_PANEL);

    if (approximation == APPROXIMATION_NYSTROEM)
        cells += (size_t)basis * basis * 2;
    return cells * sizeof(double);
}

FeatureMap *feature_map(const KernelSample *sample, Approximation approximation, const Options *options)
{
    Env *env = sample->env;
    FeatureMap *map = env_array(env, 1, sizeof(FeatureMap));
    uint64_t seed = (uint64_t)options_integer(options, "seed") * RANDOM_STEP;
    bool nystroem = approximation == APPROXIMATION_NYSTROEM;
    const char *option = nystroem ? "landmarks" : "frequencies";
    uint32_t most = nystroem ? LANDMARKS_DEFAULT : FREQUENCIES_DEFAULT;
    void *block;

    if (options_given(options, option))
        most = (uint32_t)options_integer(options, option);
    if (nystroem && most > sample->count)
        most = sample->count;
    env_require_memory(env, map_bytes(approximation, most, sample->dims),
                       env_message(env, "%s with %u %s", sample->method, most, option));
    *map = (FeatureMap){
        .env = env, .approximation = approximation, .sample = sample, .kernel = sample->kernel, .terms = sample->dims};
    map->texts = feature_map_texts(sample);
    if (nystroem) {
        choose_landmarks(map, most, seed);
        whiten_landmarks(map);
        map->kernels = env_aligned(env, (size_t)map->basis * (MAP_TILE + MAP_PANEL), &block);
        map->packed = map->kernels + (size_t)map->basis * MAP_TILE;
    } else {
        draw_frequencies(map, most, seed);
    }
    return map;
}

/* ---- mapping ---- */

void map_add_product(const double *a, size_t lda, uint32_t rows, const double *panel, uint32_t depth, double *out, size_t ld)
{
    SIMD_CALL(map_product, a, lda, rows, panel, depth, false, 0, out, ld, true);
}

static void count_flops(FeatureMap *map, double flops)
{
    map->flops += flops;
    if (map->flops > POLL_FLOPS) {
        map->flops = 0;
        map->env->poll(map->env);
    }
}

/* Multiplies the lower triangle `inverse` by the kernel values of a tile. */
static void whiten_tile(FeatureMap *map, double *out)
{
    uint32_t m = map->basis;

    for (uint32_t column = 0; column < MAP_TILE; column += MAP_PANEL) {
        for (uint32_t k = 0; k < m; k++)
            memcpy(map->packed + (size_t)k * MAP_PANEL, map->kernels + (size_t)k * MAP_TILE + column, MAP_PANEL * sizeof(double));
        for (uint32_t i = 0; i < m; i += PRODUCT_ROWS) {
            uint32_t rows = m - i < PRODUCT_ROWS ? m - i : PRODUCT_ROWS;

            SIMD_CALL(map_product, map->inverse + (size_t)i * m, m, rows, map->packed, m, true, i,
                      out + (size_t)i * MAP_TILE + column, MAP_TILE, false);
            count_flops(map, 2.0 * rows * (i + rows) * MAP_PANEL);
        }
    }
}

/* Spreads rows that are `count` apart to MAP_TILE apart, with zeros between. */
static void spread_rows(double *x, uint32_t rows, uint32_t count)
{
    if (count == MAP_TILE)
        return;
    for (uint32_t i = rows; i-- > 0;) {
        memmove(x + (size_t)i * MAP_TILE, x + (size_t)i * count, count * sizeof(double));
        memset(x + (size_t)i * MAP_TILE + count, 0, (MAP_TILE - count) * sizeof(double));
    }
}

void feature_map_tile(FeatureMap *map, const double *rows, uint32_t count, double *out)
{
    size_t cells = (size_t)map->basis * MAP_TILE;

    if (map->approximation == APPROXIMATION_NYSTROEM) {
        kernel_matrix(map->env, &map->kernel, map->rows, map->basis, rows, count, map->terms, map->kernels);
        map->evaluations += (uint64_t)map->basis * count;
        for (size_t i = 0; i < (size_t)map->basis * count; i++)
            if (!isfinite(map->kernels[i]))
                env_fail(map->env, ERROR_RANGE, "Divide the features by a power of ten, or use another kernel.",
                         "values of the kernel are out of range");
        spread_rows(map->kernels, map->basis, count);
        whiten_tile(map, out);
        return;
    }
    product_distances(map->env, false, map->rows, map->basis, rows, count, map->terms, map->terms, out);
    spread_rows(out, map->basis, count);
    SIMD_CALL(map_cosines, 1 / sqrt(map->basis), out, out + cells, cells);
    for (uint32_t j = 0; count < MAP_TILE && j < map->features; j++)
        memset(out + (size_t)j * MAP_TILE + count, 0, (MAP_TILE - count) * sizeof(double));
    count_flops(map, 100.0 * (double)cells);
}

/* Adds the multipliers of the landmarks for one function: L'^-1 weights. */
static void add_multipliers(const FeatureMap *map, const double *weights, double *multipliers)
{
    uint32_t m = map->features;

    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j <= i; j++)
            multipliers[j] += map->inverse[(size_t)i * m + j] * weights[i];
}

/* Returns the frequencies twice, with a phase of 0 for cosines and a quarter for sines. */
static void double_frequencies(const FeatureMap *map, KernelExpansion *expansion)
{
    size_t cells = (size_t)map->basis * map->terms;
    double *rows = env_array_raw(map->env, 2 * cells, sizeof(double)), *phases = env_array(map->env, map->features, sizeof(double));

    memcpy(rows, map->rows, cells * sizeof(double));
    memcpy(rows + cells, map->rows, cells * sizeof(double));
    for (uint32_t j = map->basis; j < map->features; j++)
        phases[j] = -0.25;
    expansion->kernel = NULL;
    expansion->rows = rows;
    expansion->phases = phases;
}

KernelExpansion feature_map_expansion(const FeatureMap *map, uint32_t problems, const double *weights, const double *intercept)
{
    bool nystroem = map->approximation == APPROXIMATION_NYSTROEM;
    double *multipliers = env_array(map->env, (size_t)problems * map->features, sizeof(double));
    KernelExpansion expansion = {.kernel = &map->kernel,
                                 .problems = problems,
                                 .count = map->features,
                                 .dims = map->terms,
                                 .rows = map->rows,
                                 .multipliers = multipliers,
                                 .intercept = intercept};

    for (uint32_t p = 0; p < problems; p++) {
        const double *from = weights + (size_t)p * map->features;
        double *to = multipliers + (size_t)p * map->features;

        if (nystroem)
            add_multipliers(map, from, to);
        for (uint32_t j = 0; !nystroem && j < map->features; j++)
            to[j] = from[j] / sqrt(map->basis);
        map->env->poll(map->env);
    }
    if (!nystroem)
        double_frequencies(map, &expansion);
    return expansion;
}

void feature_map_facts(const FeatureMap *map, ModelBuilder *builder)
{
    builder_fact_text(builder, "approximation", approximation_name(map->approximation));
    builder_fact_i64(builder, map->approximation == APPROXIMATION_NYSTROEM ? "landmarks" : "frequencies", map->basis);
}

void feature_map_add(Env *env, const FeatureMap *map, uint32_t problems, const double *weights, const double *intercept,
                     ModelBuilder *builder)
{
    KernelExpansion *expansion = env_array(env, 1, sizeof(KernelExpansion));

    *expansion = feature_map_expansion(map, problems, weights, intercept);
    feature_map_facts(map, builder);
    if (expansion->kernel == NULL)
        builder_fact(builder, "gamma", map->kernel.gamma);
    kernel_model_add(env, builder, map->sample, expansion);
}
