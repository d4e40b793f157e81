/*
 * nearest_centroid_report.c - coefficients, SQL and a summary of nearest centroids.
 */
#include "core/linalg/cholesky.h"
#include "core/estimator/class_options.h"
#include "core/estimator/explanation.h"
#include "core/linalg/qr_factor.h"
#include "core/classify/nearest_centroid.h"
#include "core/model/report_text.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

#define CLASSES_SHOWN 6
#define TERMS_SHOWN 100

/* The parts of a linear score, one number per term. */
typedef struct Linear {
    Env *env;
    const Model *model;
    CentroidModel view;
    uint32_t positive; /* of two classes */
    double *factor;    /* of the covariance, lower and dense; NULL: another metric */
    double *coef;      /* [terms] of the equation at hand */
} Linear;

static Linear linear_open(Env *env, const Model *model)
{
    Linear linear = {.env = env, .model = model, .view = centroid_model(model)};

    linear.positive = class_rule_view(linear.view.class_rule).positive;
    linear.coef = env_array(env, linear.view.terms.count, sizeof(double));
    return linear;
}

/* Returns the centroid of a class, [terms]. */
static const double *centroid_at(const Linear *linear, uint32_t class)
{
    return linear->view.centroids + (size_t)class * linear->view.terms.count;
}

static void require_linear(const Linear *linear, const char *what)
{
    if (!centroid_metric_squares(linear->view.kind))
        env_fail(linear->env, ERROR_KIND,
                 "Call centroids for the means, or distances for the distances of a row from them.",
                 "nearest_centroid with metric %s has no %s", metric_name(linear->view.kind), what);
}

/* Multiplies coef by the matrix of the metric. */
static void apply_matrix(Linear *linear)
{
    uint32_t n = linear->view.terms.count;

    for (uint32_t t = 0; t < n; t++) {
        if (linear->view.kind == METRIC_STANDARDIZED_EUCLIDEAN)
            linear->coef[t] /= linear->view.scales[t] * linear->view.scales[t];
        else if (linear->view.kind == METRIC_EUCLIDEAN)
            linear->coef[t] *= centroid_term_share(&linear->view.terms, t);
    }
    if (linear->view.kind != METRIC_MAHALANOBIS)
        return;
    if (linear->factor == NULL) {
        linear->factor = env_array(linear->env, (size_t)n * n, sizeof(double));
        dense_from_packed(linear->factor, linear->view.covariance, n);
        if (cholesky_factor(linear->env, linear->factor, n, 0) < n)
            env_fail(linear->env, ERROR_DATA, NULL,
                     "a model of nearest_centroid whose covariance is not positive definite");
    }
    cholesky_solve(linear->env, linear->factor, n, linear->coef, 1);
    cholesky_solve_transposed(linear->env, linear->factor, n, linear->coef, 1);
}

/* Sets coef to the matrix of the metric times (centroid of a class - origin); origin NULL: 0. */
static void set_direction(Linear *linear, uint32_t class, const double *origin)
{
    const double *own = centroid_at(linear, class);

    for (uint32_t t = 0; t < linear->view.terms.count; t++)
        linear->coef[t] = own[t] - (origin != NULL ? origin[t] : 0);
    apply_matrix(linear);
}

static double log_prior(const Linear *linear, uint32_t class)
{
    return linear->view.log_priors != NULL ? linear->view.log_priors[class] : 0;
}

/* Returns the product of coef with the midpoint of two points; b NULL: with half of a. */
static double at_middle(const Linear *linear, const double *a, const double *b)
{
    double sum = 0;

    for (uint32_t t = 0; t < linear->view.terms.count; t++)
        sum += linear->coef[t] * (a[t] / 2 + (b != NULL ? b[t] / 2 : 0));
    return sum;
}

/* ---- what made a score ---- */

/* Returns the contribution of a term to the difference of two classes' scores. */
static double part_between(const Linear *linear, uint32_t term, double x, uint32_t plus, uint32_t minus)
{
    double a = centroid_at(linear, plus)[term];
    double b = centroid_at(linear, minus)[term];

    if (linear->view.kind == METRIC_MANHATTAN)
        return centroid_term_share(&linear->view.terms, term) * (fabs(x - b) - fabs(x - a));
    return linear->coef[term] * (x - a / 2 - b / 2);
}

/* Returns the contribution of a term to the score of a class. */
static double part_of(const Linear *linear, uint32_t term, double x, uint32_t class)
{
    double difference = x - centroid_at(linear, class)[term];

    if (linear->view.kind == METRIC_MANHATTAN)
        return -centroid_term_share(&linear->view.terms, term) * fabs(difference);
    return -difference * linear->coef[term] / 2;
}

uint32_t centroid_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                          Explanation **out)
{
    Linear linear = linear_open(env, model);
    uint32_t equations = linear.view.classes == 2 ? 1 : linear.view.classes;
    double *parts = env_array(env, (size_t)model->slot_count + 1, sizeof(double));
    ExplanationList list;

    (void)prepared;
    if (linear.view.kind == METRIC_CHEBYSHEV || linear.view.kind == METRIC_COSINE)
        env_fail(env, ERROR_KIND, "Call distances instead.",
                 "the scores of nearest_centroid with metric %s are not sums over the features",
                 metric_name(linear.view.kind));
    list = explanation_list(env, model, slots, equations);
    for (uint32_t e = 0; e < equations; e++) {
        uint32_t class = equations == 1 ? linear.positive : e, other = 1 - class;

        if (equations == 1) {
            set_direction(&linear, class, centroid_at(&linear, other));
            explanation_base(&list, NULL, log_prior(&linear, class) - log_prior(&linear, other));
        } else {
            for (uint32_t t = 0; t < linear.view.terms.count; t++)
                linear.coef[t] = term_value(&linear.view.terms, t, slots) - centroid_at(&linear, class)[t];
            apply_matrix(&linear);
            explanation_base(&list, class_string(env, model, class), log_prior(&linear, class));
        }
        memset(parts, 0, model->slot_count * sizeof(double));
        for (uint32_t t = 0; t < linear.view.terms.count; t++) {
            uint32_t slot = linear.view.terms.slot != NULL ? (uint32_t)linear.view.terms.slot[t] : t;
            double x = term_value(&linear.view.terms, t, slots);

            parts[slot] += equations == 1 ? part_between(&linear, t, x, class, other)
                                          : part_of(&linear, t, x, class);
        }
        for (uint32_t slot = 0; slot < model->slot_count; slot++)
            explanation_slot(&list, slot, parts[slot]);
        env->poll(env);
    }
    *out = list.lines;
    return list.count;
}

/* ---- coefficients ---- */

uint32_t centroid_coefficients(Env *env, const Model *model, Coefficient **out)
{
    Linear linear = linear_open(env, model);
    uint32_t equations = linear.view.classes == 2 ? 1 : linear.view.classes, each = linear.view.terms.count + 1;
    const char **names = env_array(env, linear.view.terms.count, sizeof(char *));
    Coefficient *list;

    require_linear(&linear, "coefficients");
    for (uint32_t t = 0; t < linear.view.terms.count; t++) {
        char *name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);

        terms_name(model, &linear.view.terms, t, name, 2 * SCHEMA_NAME_SIZE);
        names[t] = name;
    }
    *out = list = env_array(env, (size_t)equations * each, sizeof(Coefficient));
    for (uint32_t e = 0; e < equations; e++) {
        const char *label = equations == 1 ? NULL : class_string(env, model, e);
        uint32_t class = equations == 1 ? linear.positive : e;
        const double *own = centroid_at(&linear, class), *other = NULL;
        double intercept = log_prior(&linear, class);

        if (equations == 1) {
            other = centroid_at(&linear, 1 - linear.positive);
            intercept -= log_prior(&linear, 1 - linear.positive);
        }
        set_direction(&linear, class, other);
        intercept -= at_middle(&linear, own, other);
        for (uint32_t i = 0; i < each; i++, list++)
            *list = (Coefficient){label, i == 0 ? "(intercept)" : names[i - 1],
                                  i == 0 ? intercept : linear.coef[i - 1], NAN, NAN, NAN, NAN, NAN};
        env->poll(env);
    }
    return equations * each;
}

/* ---- SQL ---- */

/* coef . (x - center) + intercept over the features; center: a number a term. */
static void put_linear(TextBuffer *out, const Linear *linear, double intercept, const double *center)
{
    Env *env = linear->env;
    uint32_t slots = linear->model->slot_count;
    uint32_t levels = dictionary_size(linear->model, DICTIONARY_LEVELS);
    double *coef = env_array(env, (size_t)slots + 1, sizeof(double));
    double *centers = env_array(env, (size_t)slots + 1, sizeof(double));
    double *of_levels = env_array(env, (size_t)levels + 1, sizeof(double));

    for (uint32_t t = 0; t < linear->view.terms.count; t++) {
        int64_t level = linear->view.terms.level != NULL ? linear->view.terms.level[t] : -1;
        uint32_t slot = linear->view.terms.slot != NULL ? (uint32_t)linear->view.terms.slot[t] : t;

        if (level < 0) {
            coef[slot] = linear->coef[t];
            centers[slot] = center[t];
        } else {
            of_levels[level] = linear->coef[t];
            intercept -= linear->coef[t] * center[t];
        }
    }
    sql_linear(out, linear->model, intercept, centers, coef, of_levels);
    env->release(env, coef);
    env->release(env, centers);
    env->release(env, of_levels);
}

/* Returns the mean of the centroids; scores about it keep their digits. */
static double *middle_of(const Linear *linear)
{
    double *middle = env_array(linear->env, linear->view.terms.count, sizeof(double));

    for (uint32_t c = 0; c < linear->view.classes; c++)
        for (uint32_t t = 0; t < linear->view.terms.count; t++)
            middle[t] += centroid_at(linear, c)[t] / linear->view.classes;
    return middle;
}

char *centroid_to_sql(Env *env, const Model *model)
{
    Linear linear = linear_open(env, model);
    double *middle = middle_of(&linear);
    TextBuffer out = {.env = env};

    require_linear(&linear, "SQL expression");
    if (linear.view.classes == 2) {
        uint32_t positive = linear.positive;

        set_direction(&linear, positive, centroid_at(&linear, 1 - positive));
        put_linear(&out, &linear, log_prior(&linear, positive) - log_prior(&linear, 1 - positive), middle);
        return out.text;
    }
    text_print(&out, "(SELECT label FROM (VALUES");
    for (uint32_t c = 0; c < linear.view.classes; c++) {
        const double *own = centroid_at(&linear, c);
        double half = 0;
        uint32_t length;
        const char *label = dictionary_text(model, DICTIONARY_CLASSES, c, &length);

        env->poll(env);
        set_direction(&linear, c, middle);
        for (uint32_t t = 0; t < linear.view.terms.count; t++)
            half += linear.coef[t] * (own[t] - middle[t]) / 2;
        text_print(&out, "%s\n (%u, ", c > 0 ? "," : "", c);
        sql_literal(&out, label, length);
        text_print(&out, ", ");
        put_linear(&out, &linear, log_prior(&linear, c) - half, middle);
        text_print(&out, ")");
    }
    text_print(&out, ") AS class (place, label, score)\n"
                     " WHERE score IS NOT NULL ORDER BY score DESC, place LIMIT 1)");
    return out.text;
}

/* ---- summary ---- */

char *centroid_summary(Env *env, const Model *model)
{
    Linear linear = linear_open(env, model);
    uint32_t classes = linear.view.classes < CLASSES_SHOWN ? linear.view.classes : CLASSES_SHOWN;
    uint32_t count = linear.view.terms.count < TERMS_SHOWN ? linear.view.terms.count : TERMS_SHOWN;
    TextBuffer out = {.env = env};
    int width = 4;

    text_print(&out, "nearest_centroid: ");
    report_formula(&out, model, true);
    text_print(&out, "metric: %s, classes: %u", metric_name(linear.view.kind), linear.view.classes);
    if (linear.view.classes == 2)
        text_print(&out, " (positive: %s)", class_string(env, model, linear.positive));
    text_print(&out, "\n\n");
    for (uint32_t t = 0; t < count; t++) {
        char name[2 * SCHEMA_NAME_SIZE];
        int own;

        terms_name(model, &linear.view.terms, t, name, sizeof(name));
        own = report_characters(name);
        width = own > width ? own : width;
    }
    report_padded(&out, "mean", width);
    for (uint32_t c = 0; c < classes; c++) {
        const char *label = class_string(env, model, c);

        for (int pad = 14 - report_characters(label); pad > 0; pad--)
            text_print(&out, " ");
        text_print(&out, " %s", label);
    }
    text_print(&out, "\n");
    for (uint32_t t = 0; t < count; t++) {
        char name[2 * SCHEMA_NAME_SIZE];

        terms_name(model, &linear.view.terms, t, name, sizeof(name));
        report_padded(&out, name, width);
        for (uint32_t c = 0; c < classes; c++)
            report_cell(&out, centroid_at(&linear, c)[t], 15, 6);
        text_print(&out, "\n");
    }
    if (count < linear.view.terms.count || classes < linear.view.classes)
        text_print(&out, "(%u of %u terms, %u of %u classes; centroids() lists all)\n", count, linear.view.terms.count,
                   classes, linear.view.classes);
    text_print(&out, "\n");
    report_rows(&out, model);
    out.text[out.length - 1] = 0;
    return out.text;
}
