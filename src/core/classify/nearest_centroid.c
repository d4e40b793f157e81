/*
 * nearest_centroid.c - the class whose mean is nearest: the basic linear classifier and its generalization.
 *
 * With two classes and the Euclidean distance the boundary is the perpendicular bisector of the two means:
 * w = mean+ - mean-, t = (|mean+|^2 - |mean-|^2) / 2 (Flach 2012, 7.1; Rocchio 1971). Distances divided by the
 * pooled standard deviations, or by the pooled covariance (Mahalanobis), are linear as well: half the difference of
 * squared distances is the log of the likelihood ratio of normal distributions, to which priors add.
 *
 * Arrays (t terms, see model_terms.h: a categorical feature has one term per level, with mahalanobis all but the first;
 * q classes in final order):
 *   centroids          F64[q x t]
 *   metric             I64[1]  MetricKind; missing: euclidean
 *   scales             F64[t]  of standardized_euclidean: pooled standard deviations (divisor n); of standardized features: those of
 *                              all rows, 1 for levels
 *   covariance_packed  F64[t (t + 1) / 2]  of mahalanobis: the pooled covariance (divisor n)
 *   log_priors         F64[q]  only where they differ
 *   class_rule         F64[3]  class_options.h
 * Two levels of a category are 1 apart: the squares of its terms count half, as do their differences in manhattan.
 */
#include "core/linalg/cholesky.h"
#include "core/estimator/shared_options.h"
#include "core/estimator/class_options.h"
#include "core/linalg/vector_loops.h"
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"
#include "core/distance/metric.h"
#include "core/classify/nearest_centroid.h"
#include "core/moments/model_terms.h"

#include <math.h>

static const char *const centroid_metrics[] = {
    "euclidean", "manhattan", "chebyshev", "cosine", "standardized_euclidean", "mahalanobis", NULL};

/* Others need rows; they are choices so that a hint can say what takes them. */
static const char *const centroid_exemplars[] = {"mean", "medoid", "geometric_median", NULL};

static const OptionSpec centroid_options[] = {
    {.name = "exemplar",
     .types = OPTION_STRING,
     .choices = centroid_exemplars,
     .unset = "mean",
     .help = "What stands for a class: its mean; medoids and geometric medians, which need all rows, are those of nearest_exemplar."},
    {.name = "metric",
     .types = OPTION_STRING,
     .fallback = "\"euclidean\"",
     .choices = centroid_metrics,
     .help = "The distance of a row from the mean of a class."},
    {.name = "priors",
     .types = OPTION_STRING | OPTION_OBJECT,
     .fallback = "\"uniform\"",
     FROM_ZERO_TO_ONE,
     .choices = class_priors_choices,
     .help = "Probabilities of the classes before a row is seen, of which the logarithms are added to minus half the squared distances: equal "
             "(uniform), the shares of the training rows (data), or {\"label\": probability} for all classes, where 0 rules a class out."},
    {.name = NULL}};

/* ---- the fit ---- */

/* Tells whether the distance needs products of two features. */
static bool centroid_wants_products(const Options *options)
{
    return options_is(options, "metric", "mahalanobis");
}

/* Returns the cross-products, packed, or squares within the classes divided by the weight of all rows. */
static double *pooled_covariance(Env *env, const ScatterDesign *design)
{
    size_t size = design->diagonal ? design->terms : factor_packed(design->terms);
    double *pooled = scatter_pooled(env, design), weight = 0;

    for (uint32_t c = 0; c < design->classes; c++)
        weight += design->weight[c];
    for (size_t i = 0; i < size; i++)
        pooled[i] /= weight;
    if (!all_finite(pooled, size))
        env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                 "the covariances exceed the range of double precision");
    return pooled;
}

static double *pooled_deviations(Env *env, const Model *moments, const ScatterDesign *design)
{
    double *pooled = pooled_covariance(env, design);
    double *deviations = env_array(env, (size_t)design->terms + 1, sizeof(double));

    for (uint32_t t = 0; t < design->terms; t++) {
        double variance = pooled[t];
        char name[2 * SCHEMA_NAME_SIZE];

        if (!(variance > 0)) {
            terms_design_name(env, moments, design->term_slot[t], design->term_level[t], name, sizeof(name));
            env_fail(env, ERROR_DATA, "Leave the feature out, or use another metric.",
                     "feature \"%s\" does not vary within the classes", name);
        }
        deviations[t] = sqrt(variance);
    }
    return deviations;
}

/* Returns the standard deviations of all rows (divisor n), for option standardize; 1 for levels and for terms that do not vary. */
static double *total_deviations(Env *env, const ScatterDesign *design, MetricKind kind)
{
    double *deviations = env_array(env, (size_t)design->terms + 1, sizeof(double)), *pooled;

    if (kind == METRIC_COSINE)
        env_fail(env, ERROR_PARAMETER, "Leave out \"standardize\", or use another metric.",
                 "metric cosine compares directions from the origin, which standardized features move");
    if (kind == METRIC_STANDARDIZED_EUCLIDEAN || kind == METRIC_MAHALANOBIS)
        env_fail(env, ERROR_PARAMETER, "Leave out \"standardize\", or use another metric.", "metric %s scales the features itself",
                 metric_name(kind));
    pooled = pooled_covariance(env, design);
    for (uint32_t t = 0; t < design->terms; t++) {
        double mean = 0, weight = 0, variance = pooled[t];

        for (uint32_t c = 0; c < design->classes; c++) {
            weight += design->weight[c];
            mean += (design->means[(size_t)c * design->terms + t] - mean) * (design->weight[c] / weight);
        }
        for (uint32_t c = 0; c < design->classes; c++) {
            double away = design->means[(size_t)c * design->terms + t] - mean;

            variance += design->weight[c] / weight * away * away;
        }
        deviations[t] = design->term_level[t] < 0 && sqrt(variance) > 1e-14 * fabs(mean) && isfinite(1 / sqrt(variance)) ? sqrt(variance) : 1;
        if (!isfinite(variance))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "the variance of a feature exceeds the range of double precision");
    }
    return deviations;
}

static double *invertible_covariance(Env *env, const Model *moments, const ScatterDesign *design)
{
    uint32_t terms = design->terms, bad;
    char name[2 * SCHEMA_NAME_SIZE];
    double *pooled, *dense;

    env_require_memory(env, ((size_t)terms * terms + factor_packed(terms)) * sizeof(double),
                       "nearest_centroid");
    pooled = pooled_covariance(env, design);
    dense = env_array(env, (size_t)terms * terms + 1, sizeof(double));
    dense_from_packed(dense, pooled, terms);
    bad = cholesky_factor(env, dense, terms, CHOLESKY_TOLERANCE(terms));
    if (bad < terms) {
        terms_design_name(env, moments, design->term_slot[bad], design->term_level[bad], name, sizeof(name));
        env_fail(env, ERROR_DATA, "Leave the feature out, use more rows, or another metric.",
                 pooled[factor_packed(bad) + bad] > 0
                     ? "the pooled covariance is singular: feature \"%s\" depends linearly on those before it"
                     : "the pooled covariance is singular: feature \"%s\" does not vary within the classes",
                 name);
    }
    return pooled;
}

/* Fails if the mean of a class is 0: a cosine needs a direction. */
static void require_directions(Env *env, const ClassSet *classes, const ScatterDesign *design)
{
    for (uint32_t c = 0; c < design->classes; c++) {
        const double *means = design->means + (size_t)c * design->terms;
        bool zero = true;

        for (uint32_t t = 0; t < design->terms && zero; t++)
            zero = means[t] == 0;
        if (zero)
            env_fail(env, ERROR_DATA, "Use another metric.",
                     "the mean of class \"%s\" is 0, which has no direction for metric cosine",
                     class_label(classes, c));
    }
}

/* Returns the logarithms of the priors; NULL: they are equal. */
static double *log_priors(const ClassSet *classes, const Options *options, MetricKind kind,
                          const double *totals)
{
    double *priors = class_priors(classes, options, totals);
    bool equal = true;

    for (uint32_t c = 1; c < classes->count; c++)
        equal = equal && priors[c] == priors[0];
    for (uint32_t c = 0; c < classes->count; c++)
        priors[c] = class_log_prior(priors[c]);
    if (!equal && !centroid_metric_squares(kind))
        env_fail(classes->env, ERROR_PARAMETER,
                 "Use metric euclidean, standardized_euclidean or mahalanobis, or priors uniform.",
                 "priors need the squared distances of normal distributions, which metric %s does not use",
                 metric_name(kind));
    return equal ? NULL : priors;
}

static Model *centroid_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                           ModelBuilder *builder)
{
    const Model *moments = input->moments;
    MetricKind kind = metric_find(options_string(options, "metric"));
    ClassSet classes;
    ClassRule rule;
    ScatterDesign *design;
    double stored_rule[3], *priors;
    int64_t stored_kind = kind;
    uint32_t terms;

    if (options_given(options, "exemplar") && !options_is(options, "exemplar", "mean"))
        env_fail(env, ERROR_PARAMETER, "Use nearest_exemplar(label, features, options), which keeps the rows of a fit.",
                 "nearest_centroid has no exemplar %s: it learns from moments, which know means only",
                 options_string(options, "exemplar"));
    classes = class_set(env, moments);
    if (!class_several(&classes, options, "nearest_centroid", input->frame))
        return NULL;
    rule = class_rule_read(&classes, options);
    design = kind == METRIC_MAHALANOBIS ? moments_scatter(env, moments, CODING_REFERENCE) : moments_squares(env, moments, CODING_FULL);
    terms = design->terms;
    if (terms == 0)
        env_fail(env, ERROR_DATA, "Give a feature that takes at least two values.",
                 "nearest_centroid has no feature that varies");
    priors = log_priors(&classes, options, kind, design->weight);
    if (kind == METRIC_COSINE)
        require_directions(env, &classes, design);

    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", design->means, design->classes, terms);
    terms_add(env, builder, design->term_slot, design->term_level, terms);
    if (kind != METRIC_EUCLIDEAN)
        builder_i64(builder, SECTION_ARRAYS, "metric", &stored_kind, 1);
    if (kind == METRIC_STANDARDIZED_EUCLIDEAN)
        builder_f64(builder, SECTION_ARRAYS, "scales", pooled_deviations(env, moments, design), terms);
    if (standardize_wanted(options))
        builder_f64(builder, SECTION_ARRAYS, "scales", total_deviations(env, design, kind), terms);
    if (kind == METRIC_MAHALANOBIS)
        builder_f64(builder, SECTION_ARRAYS, "covariance" MODEL_PACKED,
                    invertible_covariance(env, moments, design), (uint32_t)factor_packed(terms));
    if (priors != NULL)
        builder_f64(builder, SECTION_ARRAYS, "log_priors", priors, classes.count);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    return model_build(builder);
}

/* ---- distances ---- */

static bool centroid_prepares(const Model *model)
{
    return centroid_model(model).kind == METRIC_MAHALANOBIS;
}

static const char *centroid_accept(Env *env, const Model *model)
{
    CentroidModel view = centroid_model(model);

    return view.covariance == NULL || packed_is_definite(env, view.covariance, view.terms.count)
               ? NULL
               : "the covariance of a model of nearest_centroid is not positive definite";
}

static void *centroid_prepare(Env *env, const Model *model, size_t *bytes)
{
    CentroidModel view = centroid_model(model);
    uint32_t terms = view.terms.count;
    size_t numbers = factor_packed(terms) + (size_t)view.classes * terms;
    CentroidWhitening *prepared;
    double *triangle, *whitened;

    *bytes = 0;
    if (view.covariance == NULL)
        return NULL;
    *bytes = sizeof(CentroidWhitening) + numbers * sizeof(double);
    prepared = env->alloc(env, *bytes);
    triangle = (double *)(prepared + 1);
    whitened = triangle + factor_packed(terms);
    triangle_from_packed(triangle, view.covariance, terms);
    if (cholesky_triangle(env, triangle, terms, 0) < terms)
        env_fail(env, ERROR_CORRUPT, NULL,
                 "the covariance of a model of nearest_centroid is not positive definite");
    for (uint32_t c = 0; c < view.classes; c++) {
        double *own = whitened + (size_t)c * terms;

        for (uint32_t t = 0; t < terms; t++)
            own[t] = view.centroids[(size_t)c * terms + t] - view.centroids[t];
        triangle_solve(triangle, terms, own);
        env->poll(env);
    }
    prepared->triangle = triangle;
    prepared->whitened = whitened;
    return prepared;
}

/* Returns the arrays together with what centroid_prepare made. */
static inline CentroidModel view_of(const Model *model, const void *prepared)
{
    CentroidModel view = centroid_model(model);

    view.prepared = prepared;
    return view;
}

/* Writes the terms of a row; for mahalanobis relative to the first centroid, in the coordinates of the factor. */
static void read_terms(const CentroidModel *view, const double *slots, double *x)
{
    for (uint32_t t = 0; t < view->terms.count; t++)
        x[t] = term_value(&view->terms, t, slots);
    if (view->prepared == NULL)
        return;
    for (uint32_t t = 0; t < view->terms.count; t++)
        x[t] -= view->centroids[t];
    triangle_solve(view->prepared->triangle, view->terms.count, x);
}

/* Returns the centroid of a class in the same coordinates. */
static inline const double *centroid_of(const CentroidModel *view, uint32_t class)
{
    const double *all = view->prepared != NULL ? view->prepared->whitened : view->centroids;

    return all + (size_t)class * view->terms.count;
}

/* Returns the factor of a difference, before it is squared. */
static inline double scale_of(const CentroidModel *view, uint32_t term)
{
    double share = view->kind == METRIC_EUCLIDEAN ? sqrt(centroid_term_share(&view->terms, term)) : 1;

    return view->scales != NULL ? share / view->scales[term] : share;
}

/* Returns a Euclidean distance without overflow or underflow of its squares, by dividing by the largest difference. */
static double careful_distance(const CentroidModel *view, const double *x, const double *centroid)
{
    double largest = 0, sum = 0;

    for (uint32_t t = 0; t < view->terms.count; t++) /* halves: the difference itself may overflow */
        largest = fmax(largest, fabs(x[t] / 2 - centroid[t] / 2) * scale_of(view, t));
    if (largest == 0 || isinf(largest))
        return largest;
    for (uint32_t t = 0; t < view->terms.count; t++) {
        double part = (x[t] / 2 - centroid[t] / 2) * scale_of(view, t) / largest;

        sum += part * part;
    }
    return largest * sqrt(sum) * 2;
}

static double squared_distance(const CentroidModel *view, const double *x, const double *centroid)
{
    double sum = 0;

    if (view->terms.level == NULL && view->scales == NULL) {
        for (uint32_t t = 0; t < view->terms.count; t++)
            sum += (x[t] - centroid[t]) * (x[t] - centroid[t]);
        return sum;
    }
    for (uint32_t t = 0; t < view->terms.count; t++) {
        double difference = (x[t] - centroid[t]) * scale_of(view, t);

        sum += difference * difference;
    }
    return sum;
}

/* Returns 1 - cos; NaN if a vector is 0 or too large. */
static double cosine_distance(const CentroidModel *view, const double *x, const double *centroid)
{
    double product = 0, a = 0, b = 0, largest_x = 0, largest_c = 0, cosine;

    for (uint32_t t = 0; t < view->terms.count; t++) {
        largest_x = fmax(largest_x, fabs(x[t]));
        largest_c = fmax(largest_c, fabs(centroid[t]));
    }
    for (uint32_t t = 0; t < view->terms.count; t++) {
        double share = centroid_term_share(&view->terms, t), u = x[t] / largest_x, v = centroid[t] / largest_c;

        product += share * u * v;
        a += share * u * u;
        b += share * v * v;
    }
    cosine = product / sqrt(a) / sqrt(b);
    return isnan(cosine) ? NAN : 1 - fmax(-1, fmin(1, cosine));
}

static double distance_from(const CentroidModel *view, const double *x, uint32_t class)
{
    const double *centroid = centroid_of(view, class);
    double result = 0;

    switch (view->kind) {
    case METRIC_MANHATTAN:
        for (uint32_t t = 0; t < view->terms.count; t++)
            result += centroid_term_share(&view->terms, t) * fabs(x[t] - centroid[t]) * scale_of(view, t);
        return result;
    case METRIC_CHEBYSHEV:
        for (uint32_t t = 0; t < view->terms.count; t++)
            result = fmax(result, fabs(x[t] - centroid[t]) * scale_of(view, t));
        return result;
    case METRIC_COSINE:
        return cosine_distance(view, x, centroid);
    default:
        result = squared_distance(view, x, centroid);
        return squares_sound(result) ? sqrt(result) : careful_distance(view, x, centroid);
    }
}

/* Returns the score of a class: minus half the squared distance plus the log prior, or minus the distance. */
static double score_of(const CentroidModel *view, const double *x, uint32_t class)
{
    double score;

    if (!centroid_metric_squares(view->kind))
        return 0 - distance_from(view, x, class); /* 0 at the centroid, not -0 */
    score = 0 - squared_distance(view, x, centroid_of(view, class)) / 2;
    return view->log_priors != NULL ? score + view->log_priors[class] : score;
}

/* Returns the difference of two scores, w.x - t, without the squares that they share. */
static double score_between(const CentroidModel *view, const double *x, uint32_t positive, uint32_t negative)
{
    const double *plus = centroid_of(view, positive), *minus = centroid_of(view, negative);
    double sum = 0;

    if (!centroid_metric_squares(view->kind))
        return distance_from(view, x, negative) - distance_from(view, x, positive);
    for (uint32_t t = 0; t < view->terms.count; t++) {
        double scale = scale_of(view, t);

        sum += (plus[t] - minus[t]) * scale * ((x[t] - plus[t] / 2 - minus[t] / 2) * scale);
    }
    if (view->log_priors != NULL)
        sum += view->log_priors[positive] - view->log_priors[negative];
    return sum;
}

/* ---- scoring ---- */

static double centroid_decision(const Model *model, const void *prepared, const double *slots)
{
    double x[TERMS_MAX];
    uint32_t positive;
    CentroidModel view = view_of(model, prepared);

    positive = class_rule_view(view.class_rule).positive;
    read_terms(&view, slots, x);
    return score_between(&view, x, positive, 1 - positive);
}

static void centroid_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    double x[TERMS_MAX];
    CentroidModel view = view_of(model, prepared);

    read_terms(&view, slots, x);
    for (uint32_t c = 0; c < view.classes; c++)
        out[c] = score_of(&view, x, c);
}

static uint32_t centroid_classify(const Model *model, const void *prepared, const double *slots)
{
    double x[TERMS_MAX], best_score = -INFINITY;
    uint32_t best = CLASS_NONE;
    CentroidModel view = view_of(model, prepared);

    read_terms(&view, slots, x);
    if (view.classes == 2) {
        ClassRule rule = class_rule_view(view.class_rule);
        double score = score_between(&view, x, rule.positive, 1 - rule.positive);

        return isnan(score) ? CLASS_NONE : class_rule_pick(&rule, score);
    }
    for (uint32_t c = 0; c < view.classes; c++) {
        double score = score_of(&view, x, c);

        if (score > best_score || (c == 0 && !isnan(score))) {
            best_score = score;
            best = c;
        }
    }
    return best;
}

static void centroid_distances(const Model *model, const void *prepared, const double *slots, double *out)
{
    double x[TERMS_MAX];
    CentroidModel view = view_of(model, prepared);

    read_terms(&view, slots, x);
    for (uint32_t c = 0; c < view.classes; c++)
        out[c] = distance_from(&view, x, c);
}

static double centroid_distance(const Model *model, const void *prepared, const double *slots)
{
    double x[TERMS_MAX], least;
    CentroidModel view = view_of(model, prepared);

    read_terms(&view, slots, x);
    least = distance_from(&view, x, 0);
    for (uint32_t c = 1; c < view.classes; c++)
        least = fmin(least, distance_from(&view, x, c));
    return least;
}

static uint32_t centroid_width(const Model *model)
{
    return centroid_model(model).classes;
}

static const Scoring centroid_scoring = {
    .partial = true, /* a row of zeros has no cosine */
    .prepare = centroid_prepare,
    .prepares = centroid_prepares,
    .classify = centroid_classify,
    .decisions = centroid_decisions,
    .decision = centroid_decision,
    .distance = centroid_distance,
    .distances = centroid_distances,
    .explain = centroid_explain,
    .width = centroid_width,
};

const Estimator estimator_nearest_centroid = {
    .name = "nearest_centroid",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_CLASS_MOMENTS,
    .supervised = true,
    .by_scale = true,
    .diagonal = true,
    .wants_products = centroid_wants_products,
    .options = OPTION_TABLES(options_common, option_positive, option_standardize, option_tie, option_too_few_rows, centroid_options),
    .help = "The class whose mean is nearest; with two classes and Euclidean distance, the basic linear classifier.",
    .source = "Rocchio 1971; Tibshirani, Hastie, Narasimhan & Chu 2002",
    .fit = centroid_fit,
    .arrays = centroid_array_tables,
    .check = centroid_check,
    .accept = centroid_accept,
    .scoring = &centroid_scoring,
    .coefficients = centroid_coefficients,
    .to_sql = centroid_to_sql,
    .summary = centroid_summary,
};
