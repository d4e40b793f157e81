/*
 * multivariate_normal.c - the normal distribution of the rows: densities, Mahalanobis distances, outliers.
 *
 * log density = -(p log 2 pi + log |C| + d^2) / 2 with d^2 = (x - m)' C^-1 (x - m), by the Cholesky factor of C. The covariance
 * may be shrunk toward a multiple of the identity or toward its own diagonal, by a given share or by one estimated from the
 * rows (covariance_shrinkage.h).
 *
 * Arrays (t terms, see model_terms.h; a categorical feature has one term per level except the first):
 *   means              F64[t]
 *   covariance_packed  F64[t (t + 1) / 2]
 * Facts: shrinkage (the share used).
 */
#include "core/estimator/shared_options.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/vector_loops.h"
#include "core/math/special_functions.h"
#include "core/estimator/estimator.h"
#include "core/estimator/sampling.h"
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"
#include "core/normal/covariance_shrinkage.h"
#include "core/normal/distribution_table.h"
#include "core/normal/normal_distribution.h"
#include "core/normal/normal_draw.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

static const OptionSpec normal_options[] = {
    {.name = "ddof",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .help = "The covariance divides by the number of rows minus this; 0 is maximum likelihood."},
    {.name = "regularization",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "Added to every variance."},
    {.name = "shrinkage",
     .types = OPTION_NUMBER | OPTION_STRING,
     .fallback = "0",
     FROM_ZERO_TO_ONE,
     .choices = shrinkage_choices,
     .help = "How far to shrink the covariance toward the mean variance times the identity, 0 to 1, or how to "
             "estimate that: oas, ledoit_wolf, or auto (ledoit_wolf of standardized features, toward the diagonal)."},
    {.name = NULL}};

/* ---- the fit ---- */

/* Turns cross-products into the covariance that the options ask for, in place; returns the shrinkage. */
static double regularize(Env *env, const ScatterDesign *design, const Options *options)
{
    uint32_t terms = design->terms;
    double rows = design->rows[0], ddof = (double)options_integer(options, "ddof"), share = 0;
    double divisor = design->weight[0] * (rows > ddof ? (rows - ddof) / rows : 1);
    double added = options_number(options, "regularization"), mean = 0;
    double *c = design->scatter;
    ShrinkageRule rule = shrinkage_rule(options);

    if (rule >= SHRINKAGE_LEDOIT_WOLF) /* needs the cross-products, before they are divided */
        share = shrinkage_ledoit_wolf(env, design, 0, rule == SHRINKAGE_AUTO, NULL, "multivariate_normal");
    for (size_t i = 0; i < factor_packed(terms); i++)
        c[i] /= divisor;
    for (uint32_t j = 0; j < terms; j++)
        mean += c[factor_packed(j) + j] / terms;
    if (!all_finite(c, factor_packed(terms)) || !isfinite(mean))
        env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                 "the covariances exceed the range of double precision");
    if (rule == SHRINKAGE_OAS)
        share = mean > 0 ? shrinkage_oas(c, terms, mean, rows) : 0;
    else if (rule == SHRINKAGE_SHARE)
        share = options_number(options, "shrinkage");
    for (uint32_t j = 0; j < terms; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double target = i < j ? 0 : rule == SHRINKAGE_AUTO ? *c : mean;
            *c = *c * (1 - share) + share * target + (i == j ? added : 0);
            c++;
        }
    return share;
}

/* Tells whether the covariance is invertible. If not, fails and names the feature, except in a window frame. */
static bool has_inverse(Env *env, const FitInput *input, const ScatterDesign *design)
{
    const Model *moments = input->moments;
    uint32_t terms = design->terms, bad;
    double *dense = env_array(env, (size_t)terms * terms + 1, sizeof(double));
    char name[2 * SCHEMA_NAME_SIZE];

    dense_from_packed(dense, design->scatter, terms);
    bad = cholesky_factor(env, dense, terms, CHOLESKY_TOLERANCE(terms));
    if (bad == terms || input->frame)
        return bad == terms;
    terms_design_name(env, moments, design->term_slot[bad], design->term_level[bad], name, sizeof(name));
    env_fail(env, ERROR_DATA, "Leave the feature out, or give \"shrinkage\" or \"regularization\".",
             design->scatter[factor_packed(bad) + bad] > 0
                 ? "the covariance is singular: feature \"%s\" depends linearly on those before it"
                 : "the covariance is singular: feature \"%s\" is constant",
             name);
}

static Model *normal_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                         ModelBuilder *builder)
{
    const Model *moments = input->moments;
    ScatterDesign *design;
    double share;
    uint32_t terms;

    design = moments_scatter(env, moments, CODING_REFERENCE);
    terms = design->terms;
    if (terms == 0)
        env_fail(env, ERROR_DATA, "Give a feature that takes at least two values.",
                 "multivariate_normal has no feature that varies");
    env_require_memory(env, 2 * (size_t)terms * terms * sizeof(double), "multivariate_normal");
    share = regularize(env, design, options);
    if (design->rows[0] <= terms && share == 0 && options_number(options, "regularization") == 0) {
        if (too_few_rows_are_null(input, options))
            return NULL;
        env_fail(env, ERROR_DATA,
                 "Use more rows or fewer features, or give \"shrinkage\" or \"regularization\".",
                 "multivariate_normal needs more rows than columns of features: %.0f row%s, %u column%s",
                 design->rows[0], design->rows[0] == 1 ? "" : "s", terms, terms == 1 ? "" : "s");
    }
    if (!has_inverse(env, input, design))
        return NULL;

    builder_fact(builder, "shrinkage", share);
    builder_f64(builder, SECTION_ARRAYS, "means", design->means, terms);
    builder_f64(builder, SECTION_ARRAYS, "covariance" MODEL_PACKED, design->scatter,
                (uint32_t)factor_packed(terms));
    terms_add(env, builder, design->term_slot, design->term_level, terms);
    return model_build(builder);
}

/* ---- the model ---- */

typedef struct NormalView {
    Terms terms;
    const double *means, *covariance; /* packed */
} NormalView;

static const ArraySpec normal_arrays[] = {
    {.name = "covariance" MODEL_PACKED,
     .type = ARRAY_F64,
     .rows = {SIZE_TERMS, .packed = true},
     .data_at = VIEW_AT(NormalView, covariance)},
    {.name = "means",
     .type = ARRAY_F64,
     .rows = {SIZE_TERMS},
     .data_at = VIEW_AT(NormalView, means),
     .rows_at = VIEW_AT(NormalView, terms.count)}};
static const ArraySpec normal_facts[] = {FACT("shrinkage", ARRAY_F64)};
static const ArrayTable normal_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(normal_arrays), ARRAY_TABLE_AT(term_arrays, NormalView, terms), FACT_TABLE(normal_facts));

static inline NormalView view_of(const Model *model)
{
    NormalView view = {.means = NULL};

    view_arrays(model, normal_array_tables, &view);
    return view;
}

static const char *normal_check(Env *env, const Model *model)
{
    return view_of(model).terms.count > 0 ? NULL : "a model of multivariate_normal has no terms";
}

static const char *normal_accept(Env *env, const Model *model)
{
    NormalView view = view_of(model);

    return packed_is_definite(env, view.covariance, view.terms.count)
               ? NULL
               : "the covariance of a model of multivariate_normal is not positive definite";
}

/* Prepared for scoring: the Cholesky factor of the covariance and the constant of the log density. */
typedef struct Prepared {
    double log_constant; /* -(p log 2 pi + log |C|) / 2 */
    double triangle[];   /* lower, packed by columns */
} Prepared;

static void *normal_prepare(Env *env, const Model *model, size_t *bytes)
{
    NormalView view = view_of(model);
    uint32_t terms = view.terms.count;
    Prepared *prepared;
    double log_determinant;

    *bytes = sizeof(Prepared) + factor_packed(terms) * sizeof(double);
    prepared = env->alloc(env, *bytes);
    log_determinant = normal_factor(env, prepared->triangle, view.covariance, terms);
    if (isnan(log_determinant))
        env_fail(env, ERROR_CORRUPT, NULL, "the covariance of a model of multivariate_normal is not positive definite");
    prepared->log_constant = -0.5 * terms * log(2 * M_PI) - 0.5 * log_determinant;
    return prepared;
}

/* Returns the Mahalanobis distance of a row from the mean. */
static double normal_distance(const Model *model, const void *made, const double *slots)
{
    const Prepared *prepared = made;
    NormalView view = view_of(model);
    double x[TERMS_MAX], sum = 0;
    uint32_t count = view.terms.count;

    for (uint32_t t = 0; t < count; t++)
        x[t] = term_value(&view.terms, t, slots) - view.means[t];
    triangle_solve(prepared->triangle, count, x);
    for (uint32_t t = 0; t < count; t++)
        sum += x[t] * x[t];
    return loop_norm_of(sum, x, NULL, count);
}

static double row_log_density(const Model *model, const void *made, const double *slots)
{
    double distance = normal_distance(model, made, slots);

    return ((const Prepared *)made)->log_constant - distance * distance / 2;
}

static void normal_decisions(const Model *model, const void *made, const double *slots, double *out)
{
    *out = row_log_density(model, made, slots);
}

static double normal_tail(const Model *model, const void *made, const double *slots)
{
    double distance = normal_distance(model, made, slots);

    return chi_square_upper(distance * distance, view_of(model).terms.count);
}

static uint32_t normal_width(const Model *model)
{
    return 1;
}

static Model *normal_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    NormalView view = view_of(model);
    uint32_t terms = view.terms.count;
    double *triangle = env_array(env, factor_packed(terms), sizeof(double));
    double log_determinant = normal_factor(env, triangle, view.covariance, terms);

    if (!isnan(log_determinant))
        builder_fact(builder, "log_determinant", log_determinant);
    builder_facts_from(builder, model);
    return model_build(builder);
}

static void *open_distributions(Env *env, const Model *model, uint64_t *rows)
{
    static const double whole = 1;
    NormalView view = view_of(model);
    uint32_t terms = view.terms.count;
    double *full = env_array(env, (size_t)terms * terms, sizeof(double));

    for (uint32_t a = 0; a < terms; a++)
        for (uint32_t b = 0; b <= a; b++)
            full[(size_t)a * terms + b] = full[(size_t)b * terms + a] = view.covariance[factor_packed(a) + b];
    return distribution_reader(env, (Distributions){1, terms, &whole, view.means, full}, rows);
}

static const Table distributions = {.name = "distributions", .open = open_distributions, .row = distribution_row};
static const Table *const normal_tables[] = {&distributions, NULL};

/* ---- draws ---- */

static void open_sample(Env *env, const Model *model, SampleSource *source)
{
    NormalView view = view_of(model);

    if (!schema_all_numeric(model) || view.terms.slot != NULL || view.terms.count != model->slot_count)
        env_fail(env, ERROR_KIND, "Leave categorical features out.",
                 "sample cannot draw levels from a model of multivariate_normal, to which categories are numbers");
    *source = (SampleSource){.state = normal_draw_open(env, 1, view.terms.count, view.means, view.covariance, true)};
}

static const Sampling normal_sampling = {open_sample, normal_draw};

static const Scoring normal_scoring = {.prepare = normal_prepare,
                                       .decisions = normal_decisions,
                                       .log_evidence = row_log_density,
                                       .log_density = row_log_density,
                                       .distance = normal_distance,
                                       .tail = normal_tail,
                                       .width = normal_width};

const Estimator estimator_multivariate_normal = {
    .name = "multivariate_normal",
    .task = TASK_DESCRIPTION,
    .input = INPUT_FEATURE_MOMENTS,
    .options = OPTION_TABLES(options_common, option_too_few_rows, normal_options),
    .help = "The normal distribution of the rows: log densities, Mahalanobis distances, outliers.",
    .source = "Mahalanobis 1936; Chen, Wiesel, Eldar & Hero 2010 (shrinkage)",
    .fit = normal_fit,
    .arrays = normal_array_tables,
    .check = normal_check,
    .accept = normal_accept,
    .scoring = &normal_scoring,
    .sampling = &normal_sampling,
    .statistics = normal_statistics,
    .tables = normal_tables,
};
