/*
 * feature_map.c - landmarks and random frequencies, and the features of rows.
 */
#include "core/kernel_methods/feature_map.h"
#include "core/base/all_finite.h"
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

#include "core/base/fused_sums.h"

#define SIMD_FILE "core/kernel_methods/feature_map_simd.h"
#include "core/base/cpu_dispatch.h"

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

void feature_map_points(const FeatureMap *map, double *rows, uint32_t count)
{
    const KernelSample *sample = map->sample;

    if (map->sample->texts != NULL)
        for (uint32_t i = 0; i < count; i++) {
            double *number = &rows[(size_t)i * map->terms + map->kernel.text_at - 1];

            *number = map->sample->texts[(uint32_t)*number];
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
            if (map->sample->texts != NULL) /* by their order in the table, which does not depend on that of the rows */
                feature_map_points(map, row, 1);
            kept = row_sample_add(sample, rows_hash(seed, row, terms));
            if (kept != NULL)
                memcpy(kept, row, terms * sizeof(double));
        }
    design_reader_free(reader);
    map->basis = sample->count;
    map->rows = env_array_raw(env, map->basis, terms * sizeof(double));
    row_sample_sort(sample, map->rows);
    if (map->sample->texts == NULL)
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
        env_poll_every(map->env, i, 1000000);
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

/* Returns where the panel that starts at a column begins: those before it reach as far down as their last column. */
static size_t panel_at(uint32_t column)
{
    return (size_t)column / MAP_PANEL * (column / MAP_PANEL + 1) / 2 * MAP_PANEL * MAP_PANEL;
}

/* Inverts the factor and packs its transpose. */
static void pack_inverse(FeatureMap *map)
{
    Env *env = map->env;
    uint32_t m = map->basis;
    double *inverse = env_array(env, (size_t)m * m, sizeof(double));

    for (uint32_t j = 0; j < m; j++)
        inverse[(size_t)j * m + j] = 1;
    cholesky_solve(env, map->factor, m, inverse, m);
    map->panels = env_array(env, panel_at((m + MAP_PANEL - 1) / MAP_PANEL * MAP_PANEL) + 1, sizeof(double));
    for (uint32_t column = 0; column < m; column += MAP_PANEL)
        for (uint32_t k = 0; k < m && k < column + MAP_PANEL; k++)
            for (uint32_t j = 0; j < MAP_PANEL && column + j < m; j++)
                map->panels[panel_at(column) + (size_t)k * MAP_PANEL + j] = inverse[(size_t)k * m + column + j];
    env->release(env, inverse);
}

/* Factors the Gram matrix of the landmarks. */
static void factor_landmarks(FeatureMap *map)
{
    Env *env = map->env;
    uint32_t m = map->basis, rank, *order = env_array(env, m, sizeof(uint32_t));
    double *gram = env_array_raw(env, (size_t)m * m, sizeof(double));

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
    map->factor = gram;
    pack_inverse(map);
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
        env_poll_every(map->env, i, 65536);
    }
    map->basis = count;
    map->features = 2 * count;
}

/* ---- the map ---- */

/* Returns the bytes that a map with `basis` landmarks or frequencies takes while it is made. */
static size_t map_bytes(Approximation approximation, uint32_t basis, uint32_t terms)
{
    size_t cells = (size_t)basis * (terms * 2 + MAP_ROWS);

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

    if (options_given(options, option))
        most = (uint32_t)options_integer(options, option);
    if (nystroem && most > sample->count)
        most = sample->count;
    env_require_memory(env, map_bytes(approximation, most, sample->dims), env_message(env, "%s with %u %s", sample->method, most, option));
    *map = (FeatureMap){.env = env, .approximation = approximation, .sample = sample, .kernel = sample->kernel, .terms = sample->dims};
    if (nystroem) {
        choose_landmarks(map, most, seed);
        factor_landmarks(map);
    } else {
        draw_frequencies(map, most, seed);
    }
    map->values = env_array_raw(env, (size_t)MAP_ROWS * (map->basis + MAP_PANEL), sizeof(double));
    return map;
}

/* ---- mapping ---- */

void map_product(const double *a, size_t down, size_t along, uint32_t rows, const double *panel, uint32_t depth, double *out, size_t ld,
                 bool add)
{
    SIMD_CALL(map_product, a, down, along, rows, panel, depth, out, ld, add);
}

/* Multiplies kernel values by L'^-1. */
static void whiten_rows(FeatureMap *map, uint32_t count, double *out)
{
    double panel[MAP_ROWS * MAP_PANEL];
    uint32_t m = map->basis;

    for (uint32_t column = 0; column < m; column += MAP_PANEL) {
        uint32_t width = m - column < MAP_PANEL ? m - column : MAP_PANEL, depth = column + width;

        map_product(map->values, m, 1, count, map->panels + panel_at(column), depth, panel, MAP_PANEL, false);
        for (uint32_t i = 0; i < count; i++)
            memcpy(out + (size_t)i * m + column, panel + (size_t)i * MAP_PANEL, width * sizeof(double));
        env_poll_every(map->env, column / MAP_PANEL + 1, 16);
    }
}

void feature_map_rows(FeatureMap *map, const double *points, uint32_t count, double *out)
{
    uint32_t m = map->basis;

    map->env->poll(map->env);
    if (map->approximation == APPROXIMATION_NYSTROEM) {
        kernel_matrix(map->env, &map->kernel, points, count, map->rows, m, map->terms, map->values);
        if (!all_finite(map->values, (size_t)m * count))
            env_fail(map->env, ERROR_RANGE, "Divide the features by a power of ten, or use another kernel.",
                     "values of the kernel are out of range");
        whiten_rows(map, count, out);
        return;
    }
    product_distances(map->env, false, points, count, map->rows, m, map->terms, map->terms, map->values);
    for (uint32_t i = 0; i < count; i++, out += 2 * (size_t)m) {
        memcpy(out, map->values + (size_t)i * m, m * sizeof(double));
        SIMD_CALL(map_cosines, 1 / sqrt(m), out, out + m, m);
    }
}

double feature_map_self(const KernelSample *sample, bool weighted)
{
    FeatureMap map = {.sample = sample, .kernel = sample->kernel, .terms = sample->dims};
    double mean = 0, weight = 0, *point;
    DesignReader *reader;
    DesignBlock block;

    if (sample->kernel.kind == KERNEL_RBF)
        return 1;
    reader = design_reader(sample->design);
    point = env_array(sample->env, sample->dims, sizeof(double));
    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double own = weighted ? row_weight(block.weights, i) : 1;

            memcpy(point, block.x + (size_t)i * sample->dims, sample->dims * sizeof(double));
            feature_map_points(&map, point, 1);
            weight += own;
            mean += (kernel_self(&sample->kernel, point, sample->dims) - mean) * (own / weight);
        }
    design_reader_free(reader);
    return mean;
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

    for (size_t j = 0; j < (size_t)problems * map->features; j++)
        multipliers[j] = nystroem ? weights[j] : weights[j] / sqrt(map->basis);
    if (nystroem)
        cholesky_solve_transposed(map->env, map->factor, map->basis, multipliers, problems);
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
