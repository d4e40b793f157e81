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
        if (linear->view.scales != NULL)
            linear->coef[t] /= linear->view.scales[t] * linear->view.scales[t];
        if (linear->view.kind == METRIC_EUCLIDEAN)
            linear->coef[t] *= centroid_term_share(&linear->view.terms, t);
    }
    if (linear->view.kind != METRIC_MAHALANOBIS)
        return;
    if (linear->factor == NULL) {
        linear->factor = env_array(linear->env, (size_t)n * n, sizeof(double));
        dense_from_packed(linear->factor, linear->view.covariance, n);
        if (cholesky_factor(linear->env, linear->factor, n, 0) < n)
            env_fail(linear->env, ERROR_DATA, NULL,
                     "the covariance of a model of nearest_centroid is not positive definite");
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

/* ---- explanations ---- */

/* Returns the factor of a term's difference in metric manhattan. */
static double manhattan_share(const Linear *linear, uint32_t term)
{
    double share = centroid_term_share(&linear->view.terms, term);

    return linear->view.scales != NULL ? share / linear->view.scales[term] : share;
}

/* Returns the contribution of a term to the difference of two classes' scores. */
static double part_between(const Linear *linear, uint32_t term, double x, uint32_t plus, uint32_t minus)
{
    double a = centroid_at(linear, plus)[term];
    double b = centroid_at(linear, minus)[term];

    if (linear->view.kind == METRIC_MANHATTAN)
        return manhattan_share(linear, term) * (fabs(x - b) - fabs(x - a));
    return linear->coef[term] * (x - a / 2 - b / 2);
}

/* Returns the contribution of a term to the score of a class. */
static double part_of(const Linear *linear, uint32_t term, double x, uint32_t class)
{
    double difference = x - centroid_at(linear, class)[term];

    if (linear->view.kind == METRIC_MANHATTAN)
        return 0 - manhattan_share(linear, term) * fabs(difference);
    return 0 - difference * linear->coef[term] / 2;
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
    const char *const *names = terms_names(env, model, &linear.view.terms);
    Coefficient *list;

    require_linear(&linear, "coefficients");
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

/* Returns the mean of the centroids; scores about it keep their digits. */
static double *middle_of(const Linear *linear)
{
    double *middle = env_array(linear->env, linear->view.terms.count, sizeof(double));

    for (uint32_t c = 0; c < linear->view.classes; c++)
        for (uint32_t t = 0; t < linear->view.terms.count; t++)
            middle[t] += centroid_at(linear, c)[t] / linear->view.classes;
    return middle;
}

typedef struct CentroidSql {
    Linear linear;
    const double *middle; /* [terms] */
} CentroidSql;

/* Prints the score of a class; of two classes, the difference of that of the positive one and the other. */
static void put_score(TextBuffer *out, void *context, uint32_t class)
{
    CentroidSql *sql = context;
    Linear *linear = &sql->linear;
    const double *own = centroid_at(linear, class);
    double intercept = log_prior(linear, class), half = 0;

    if (linear->view.classes == 2) {
        set_direction(linear, class, centroid_at(linear, 1 - class));
        intercept -= log_prior(linear, 1 - class);
    } else {
        set_direction(linear, class, sql->middle);
        for (uint32_t t = 0; t < linear->view.terms.count; t++)
            half += linear->coef[t] * (own[t] - sql->middle[t]) / 2;
    }
    terms_sql(out, linear->model, &linear->view.terms, intercept - half, sql->middle, linear->coef);
}

char *centroid_to_sql(Env *env, const Model *model)
{
    CentroidSql sql = {.linear = linear_open(env, model)};
    TextBuffer out = {.env = env};

    require_linear(&sql.linear, "SQL expression");
    sql.middle = middle_of(&sql.linear);
    if (sql.linear.view.classes == 2)
        put_score(&out, &sql, sql.linear.positive);
    else
        sql_best_class(&out, model, put_score, &sql);
    return out.text;
}

/* ---- summary ---- */

char *centroid_summary(Env *env, const Model *model)
{
    Linear linear = linear_open(env, model);
    uint32_t classes = linear.view.classes < CLASSES_SHOWN ? linear.view.classes : CLASSES_SHOWN;
    uint32_t count = linear.view.terms.count < TERMS_SHOWN ? linear.view.terms.count : TERMS_SHOWN;
    const char *const *names = terms_names(env, model, &linear.view.terms);
    TextBuffer out = {.env = env};
    int width = 4;

    text_print(&out, "nearest_centroid: ");
    report_formula(&out, model, true);
    text_print(&out, "metric: %s, classes: %u", metric_name(linear.view.kind), linear.view.classes);
    if (linear.view.classes == 2)
        text_print(&out, " (positive: %s)", class_string(env, model, linear.positive));
    text_print(&out, "\n\n");
    for (uint32_t t = 0; t < count; t++)
        width = report_characters(names[t]) > width ? report_characters(names[t]) : width;
    report_padded(&out, "mean", width);
    for (uint32_t c = 0; c < classes; c++) {
        const char *label = class_string(env, model, c);

        for (int pad = 14 - report_characters(label); pad > 0; pad--)
            text_print(&out, " ");
        text_print(&out, " %s", label);
    }
    text_print(&out, "\n");
    for (uint32_t t = 0; t < count; t++) {
        report_padded(&out, names[t], width);
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
