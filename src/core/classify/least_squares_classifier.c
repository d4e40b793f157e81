/*
 * least_squares_classifier.c - linear classifiers from the means and cross-products of the classes.
 *
 * A binary problem regresses 1 and -1 on the features: M w = sum over classes of weight (y - mean y)
 * (class mean - mean), M the centered cross-products of its rows, and the boundary is where the score is 0
 * (Duda & Hart 1973; Flach 2012, 7.2). Option "gram_matrix" reduces M to its diagonal, which ignores correlations, or to a
 * multiple of the identity, which gives the direction between the class means. Everything comes from class_moments;
 * all problems that use all rows share one factor of M.
 */
#include "core/estimator/shared_options.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_options.h"
#include "core/moments/moments.h"
#include "core/model/report_text.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const matrix_choices[] = {"products", "diagonal", "identity", NULL};
static const char *const strategy_choices[] = {"indicator", "ovr", "ovo", "ecoc", NULL};

static const OptionSpec least_squares_options[] = {
    {.name = "lambda",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "The penalty on the sum of squared coefficients, for correlated or many features."},
    {.name = "gram_matrix",
     .formerly = "matrix",
     .types = OPTION_STRING,
     .fallback = "\"products\"",
     .choices = matrix_choices,
     .help = "The matrix of the equations: the cross-products of the features (least squares), their diagonal (as "
             "if features were uncorrelated), or the mean of the diagonal (as if they also had equal variances)."},
    {.name = "multiclass",
     .types = OPTION_STRING,
     .fallback = "\"indicator\"",
     .choices = strategy_choices,
     .help = "How several classes are handled: by one equation per class on 1 and 0 (indicator), or by binary "
             "problems: each class against the others (ovr), pairs of classes (ovo), or output codes (ecoc)."},
    {.name = NULL}};

typedef enum MatrixKind { MATRIX_PRODUCTS, MATRIX_DIAGONAL, MATRIX_IDENTITY } MatrixKind;

/* The equations M w = b of the rows that a binary problem uses. */
typedef struct System {
    bool ready;
    double *mean;   /* [terms] of the rows; 0 without intercept */
    double weight;  /* of the rows */
    double *packed; /* cross-products about mean */
    double *factor; /* lower triangle, dense, of the kept terms */
    uint32_t *kept; /* [count] terms that are not dropped */
    uint32_t count;
    uint8_t *dropped; /* [terms] */
} System;

typedef struct Fit {
    Env *env;
    ScatterDesign *design;
    uint32_t classes, terms;
    double *factors; /* class_weight; NULL: none */
    bool intercept, indicator;
    double lambda;
    MatrixKind matrix;
    const CodeBook *book;
    System system;
    double *center;       /* [terms] */
    double *right;        /* [terms] */
    uint8_t *dropped;     /* [terms] dropped in every problem so far */
    uint8_t *dropped_any; /* [terms] dropped in at least one problem */
    LinearEquations out;
} Fit;

static inline double class_weight(const Fit *fit, uint32_t class)
{
    double factor = fit->factors != NULL ? fit->factors[class] : 1;

    return fit->design->weight[class] * factor;
}

static inline const double *class_means(const Fit *fit, uint32_t class)
{
    return fit->design->means + (size_t)class * fit->terms;
}

/* ---- the system ---- */

/* Computes the weighted mean of the classes in use (signs NULL: all) and returns their weight. */
static double mean_of(const Fit *fit, const int8_t *signs, double *mean)
{
    double weight = 0;

    memset(mean, 0, fit->terms * sizeof(double));
    for (uint32_t c = 0; c < fit->classes; c++) {
        double own = class_weight(fit, c);

        if (signs != NULL && signs[c] == 0)
            continue;
        weight += own;
        for (uint32_t t = 0; t < fit->terms; t++)
            mean[t] += (class_means(fit, c)[t] - mean[t]) * (own / weight);
    }
    return weight;
}

/* Computes the cross-products of the classes in use about the system's mean. */
static void add_products(Fit *fit, const int8_t *signs)
{
    System *system = &fit->system;
    size_t size = factor_packed(fit->terms);

    memset(system->packed, 0, size * sizeof(double));
    for (uint32_t c = 0; c < fit->classes; c++) {
        const double *scatter = fit->design->scatter + c * size, *own = class_means(fit, c);
        double weight = class_weight(fit, c), factor = fit->factors != NULL ? fit->factors[c] : 1;
        double *out = system->packed;

        if (signs[c] == 0)
            continue;
        for (uint32_t t = 0; t < fit->terms; t++) {
            double step = weight * (own[t] - system->mean[t]);

            for (uint32_t u = 0; u <= t; u++)
                *out++ += factor * *scatter++ + step * (own[u] - system->mean[u]);
        }
        fit->env->poll(fit->env);
    }
}

/* Reduces the matrix to its diagonal, or to the mean of its diagonal. */
static void reduce_matrix(Fit *fit)
{
    double *packed = fit->system.packed, trace = 0;

    for (uint32_t t = 0; t < fit->terms; t++)
        trace += packed[factor_packed(t) + t];
    for (uint32_t t = 0; t < fit->terms; t++) {
        double own = packed[factor_packed(t) + t];

        memset(packed + factor_packed(t), 0, t * sizeof(double));
        packed[factor_packed(t) + t] = fit->matrix == MATRIX_IDENTITY && own > 0 ? trace / fit->terms : own;
    }
}

/* Tells whether a term varies no more than by rounding errors. */
static bool is_constant(const Fit *fit, uint32_t term)
{
    const System *system = &fit->system;
    double square = system->packed[factor_packed(term) + term], all = square;
    double tolerance = 100 * DBL_EPSILON * (fit->terms < 10 ? 10 : fit->terms);

    if (fit->intercept)
        all += system->weight * system->mean[term] * system->mean[term];
    return !(square > tolerance * tolerance * all);
}

/* Writes the penalized matrix of the kept terms as a dense lower triangle. */
static void fill_factor(const Fit *fit)
{
    const System *system = &fit->system;
    uint32_t n = system->count;

    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = j; i < n; i++)
            system->factor[(size_t)j * n + i] =
                system->packed[factor_packed(system->kept[i]) + system->kept[j]] +
                (i == j ? fit->lambda : 0);
}

/*
 * Drops terms that depend on those before them: the triangle of the others grows by one column at a time. For
 * matrices that the blocked factorization refuses.
 */
static void drop_dependent(Fit *fit)
{
    Env *env = fit->env;
    System *system = &fit->system;
    uint32_t n = system->count, kept = 0;
    double tolerance = CHOLESKY_TOLERANCE(n);
    double *rows = env_array(env, (size_t)n * n, sizeof(double)); /* row i of the triangle at i n */

    for (uint32_t j = 0; j < n; j++) {
        uint32_t term = system->kept[j];
        double own = system->packed[factor_packed(term) + term] + fit->lambda, left = own;
        double *row = rows + (size_t)kept * n;

        for (uint32_t k = 0; k < kept; k++) {
            const double *other = rows + (size_t)k * n;
            double sum = system->packed[factor_packed(term) + system->kept[k]];

            for (uint32_t i = 0; i < k; i++)
                sum -= row[i] * other[i];
            row[k] = sum / other[k];
            left -= row[k] * row[k];
            if (k % 1024 == 1023)
                env->poll(env);
        }
        env->poll(env);
        if (!(left > tolerance * own)) {
            system->dropped[term] = 1;
            continue;
        }
        row[kept] = sqrt(left);
        system->kept[kept++] = term;
    }
    system->count = kept;
    for (uint32_t j = 0; j < kept; j++)
        for (uint32_t i = j; i < kept; i++)
            system->factor[(size_t)j * kept + i] = rows[(size_t)i * n + j];
    env->release(env, rows);
}

static void build_system(Fit *fit, const int8_t *signs)
{
    System *system = &fit->system;

    system->weight = mean_of(fit, signs, system->mean);
    if (!fit->intercept)
        memset(system->mean, 0, fit->terms * sizeof(double));
    add_products(fit, signs);
    system->count = 0;
    for (uint32_t t = 0; t < fit->terms; t++) {
        system->dropped[t] = is_constant(fit, t);
        if (!system->dropped[t])
            system->kept[system->count++] = t;
    }
    if (fit->matrix != MATRIX_PRODUCTS)
        reduce_matrix(fit);
    fill_factor(fit);
    if (cholesky_factor(fit->env, system->factor, system->count, CHOLESKY_TOLERANCE(system->count)) <
        system->count)
        drop_dependent(fit);
    for (uint32_t t = 0; t < fit->terms; t++) {
        fit->dropped[t] &= system->dropped[t];
        fit->dropped_any[t] |= system->dropped[t];
    }
    system->ready = true;
}

/* ---- a problem ---- */

/* Computes b from the weighted means of the classes on either side; returns the mean of the signs. */
static double right_side(const Fit *fit, const int8_t *signs)
{
    const System *system = &fit->system;
    double weight = 0, mean = 0;

    for (uint32_t c = 0; c < fit->classes; c++) {
        double own = signs[c] != 0 ? class_weight(fit, c) : 0;

        weight += own;
        if (own > 0)
            mean += (signs[c] - mean) * (own / weight);
    }
    if (!fit->intercept)
        mean = 0;
    for (uint32_t k = 0; k < system->count; k++) {
        uint32_t t = system->kept[k];

        fit->right[k] = 0;
        for (uint32_t c = 0; c < fit->classes; c++)
            if (signs[c] != 0)
                fit->right[k] += class_weight(fit, c) * (signs[c] - mean) *
                                 (class_means(fit, c)[t] - system->mean[t]);
    }
    return mean;
}

/* Stores the solution as equation `problem`, with the offset at the center of all rows. */
static void store_equation(Fit *fit, uint32_t problem, double mean)
{
    const System *system = &fit->system;
    uint32_t columns = fit->out.slots + fit->out.levels;
    double *coef = fit->out.coef + (size_t)problem * columns, offset = mean;
    double scale = fit->indicator ? 0.5 : 1;
    bool finite = true;

    for (uint32_t k = 0; k < system->count; k++) {
        uint32_t t = system->kept[k];
        double w = fit->right[k];

        coef[linear_column(fit->out.slots, fit->out.terms, t)] = scale * w;
        /* numbers are centered at the mean of all rows when they are scored, levels are not */
        offset += w * ((fit->design->term_level[t] < 0 ? fit->center[t] : 0) - system->mean[t]);
        finite = finite && isfinite(w);
    }
    if (!finite || !isfinite(offset))
        env_fail(fit->env, ERROR_RANGE, "Divide large features by a power of ten.",
                 "the coefficients of least_squares_classifier exceed the range of double precision");
    if (fit->intercept)
        fit->out.offset[problem] = fit->indicator ? (offset + 1) / 2 : offset;
}

static void fit_problem(Fit *fit, uint32_t problem, const int8_t *signs)
{
    System *system = &fit->system;
    double mean;

    if (!system->ready || fit->book->kind == MULTICLASS_OVO)
        build_system(fit, signs);
    mean = right_side(fit, signs);
    cholesky_solve(fit->env, system->factor, system->count, fit->right, 1);
    cholesky_solve_transposed(fit->env, system->factor, system->count, fit->right, 1);
    store_equation(fit, problem, mean);
}

/* ---- the whole ---- */

static void alloc_fit(Fit *fit)
{
    Env *env = fit->env;
    size_t terms = fit->terms;

    env_require_memory(env, (terms * terms + factor_packed(terms)) * sizeof(double),
                       "least_squares_classifier");
    fit->system.mean = env_array(env, terms + 1, sizeof(double));
    fit->system.packed = env_array(env, factor_packed(terms) + 1, sizeof(double));
    fit->system.factor = env_array(env, terms * terms + 1, sizeof(double));
    fit->system.kept = env_array(env, terms + 1, sizeof(uint32_t));
    fit->system.dropped = env_array(env, terms + 1, 1);
    fit->center = env_array(env, terms + 1, sizeof(double));
    fit->right = env_array(env, terms + 1, sizeof(double));
    fit->dropped = env_array(env, terms + 1, 1);
    fit->dropped_any = env_array(env, terms + 1, 1);
    memset(fit->dropped, 1, terms);
}

static MatrixKind matrix_kind(const Options *options)
{
    MatrixKind kind = MATRIX_PRODUCTS;

    while (!options_is(options, "gram_matrix", matrix_choices[kind]))
        kind++;
    return kind;
}

/* Allocates the equations, the center and the flags of the reference levels. */
static void begin_equations(Fit *fit, const Model *input)
{
    size_t columns = (size_t)input->slot_count + dictionary_size(input, DICTIONARY_LEVELS);

    env_require_memory(fit->env, columns * fit->book->problems * sizeof(double), "least_squares_classifier");
    if (fit->intercept)
        mean_of(fit, NULL, fit->center);
    fit->out = linear_equations(fit->env, input, FIT_TERMS(fit->design), fit->book->problems, fit->intercept ? fit->center : NULL);
}

static Model *least_squares_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                ModelBuilder *builder)
{
    const Model *moments = input->moments;
    Fit fit = {.env = env};
    ClassSet classes;
    ClassRule rule;
    double stored_rule[3];

    classes = class_set(env, moments);
    if (!class_several(&classes, options, "least_squares_classifier", input->frame))
        return NULL;
    rule = class_rule_read(&classes, options);
    fit.book = multiclass_book(&classes, options, rule.positive);
    fit.intercept = options_boolean(options, "intercept");
    fit.lambda = options_number(options, "lambda");
    fit.matrix = matrix_kind(options);
    fit.indicator = classes.count > 2 && options_is(options, "multiclass", "indicator");
    fit.design = moments_scatter(env, moments, fit.intercept ? CODING_REFERENCE : CODING_FIRST_FULL);
    fit.classes = fit.design->classes;
    fit.terms = fit.design->terms;
    fit.factors = class_weights(&classes, options, fit.design->weight);
    class_require_weights(&classes, fit.factors);
    alloc_fit(&fit);
    begin_equations(&fit, moments);
    for (uint32_t p = 0; p < fit.book->problems; p++)
        fit_problem(&fit, p, multiclass_problem(env, fit.book, "least squares classifier", p));

    linear_equations_drop(&fit.out, fit.dropped, fit.book->kind == MULTICLASS_OVO ? fit.dropped_any : NULL, LINEAR_DROPPED_HINT, builder);
    linear_equations_add(builder, &fit.out);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, fit.book);
    return model_build(builder);
}

const Estimator estimator_least_squares_classifier = {
    .name = "least_squares_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_CLASS_MOMENTS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, options_multiclass, option_positive, option_class_weight,
                             option_tie, option_too_few_rows, option_intercept, least_squares_options),
    .help = "A linear classifier: least squares on classes coded as 1 and -1, from class moments.",
    .source = "Duda & Hart 1973; Hastie, Tibshirani & Friedman 2009, 4.2",
    .fit = least_squares_fit,
    .arrays = linear_classifier_array_tables,
    .check = linear_classifier_check,
    .accept = linear_accept,
    .scoring = &linear_classifier_scoring,
    .coefficients = linear_classifier_coefficients,
    .to_sql = linear_classifier_to_sql,
    .summary = linear_classifier_summary,
};
