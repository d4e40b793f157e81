/*
 * moments_scatter.c - turns the columns of moments with cross-products into the terms of a fit.
 *
 * As in moments_design.c, a term is a column, or a column plus the imputed mean times the indicator of its NULLs. Its
 * cross-products follow by bilinearity.
 */
#include "core/moments/fourth_moments.h"
#include "core/moments/moments_internal.h"

#include <math.h>
#include <string.h>

/* Returns element (i, j) of a packed symmetric matrix; 0 if i or j is NO_TERM_COLUMN. */
static double element(const double *packed, uint32_t i, uint32_t j)
{
    if (i == NO_TERM_COLUMN || j == NO_TERM_COLUMN)
        return 0;
    return i <= j ? packed[factor_packed(j) + i] : packed[factor_packed(i) + j];
}

/* Returns the cross-product of two terms. */
static double term_product(const double *packed, const TermPlan *a, const TermPlan *b)
{
    double sum = element(packed, a->column, b->column);

    if (b->indicator != NO_TERM_COLUMN)
        sum += b->imputed * element(packed, a->column, b->indicator);
    if (a->indicator != NO_TERM_COLUMN)
        sum += a->imputed * element(packed, a->indicator, b->column);
    if (a->indicator != NO_TERM_COLUMN && b->indicator != NO_TERM_COLUMN)
        sum += a->imputed * b->imputed * element(packed, a->indicator, b->indicator);
    return sum;
}

/* Returns the sum of squares of a term. */
static double term_square(const MomentsView *view, uint32_t class, const TermPlan *plan)
{
    const double *scatter = view_f64(view, view->scatter) + class * stored_columns(scatter_size(view, view->columns));
    double products;

    if (view->diagonal == NULL)
        return term_product(scatter, plan, plan);
    if (plan->indicator == NO_TERM_COLUMN)
        return scatter[plan->column];
    products = 2 * diagonal_product(view, class, plan->column, plan->indicator) + plan->imputed * scatter[plan->indicator];
    return fmax(0, scatter[plan->column] + plan->imputed * products);
}

/*
 * Writes class `from` of the moments to class `to` of the design. plain: the terms are the columns. imputed: [terms] the
 * means that replace NULLs.
 */
static void take_class(Env *env, const MomentsView *view, TermPlan *plans, const double *imputed, bool plain,
                       uint32_t from, ScatterDesign *design, uint32_t to)
{
    uint32_t terms = design->terms;
    const double *origins = view_origins(view, from);
    const double *means = view_f64(view, view->means) + (size_t)from * stored_columns(view->columns);
    const double *scatter = view_f64(view, view->scatter) +
                            (size_t)from * stored_columns(scatter_size(view, view->columns));
    double *own = design->means + (size_t)to * terms;
    double *out = design->scatter + to * (design->diagonal ? terms : factor_packed(terms));
    const double *counts = view_f64(view, view->counts) + 2 * (size_t)from;

    design->weight[to] = counts[1];
    design->rows[to] = view->state->flags & MODEL_FREQUENCY ? counts[1] : counts[0];
    if (plain && design->fourth_moments != NULL)
        memcpy(design->fourth_moments + (size_t)to * factor_packed(terms),
               view_f64(view, view->fourth_moments) + from * factor_packed(terms), factor_packed(terms) * sizeof(double));
    if (plain) {
        memcpy(own, means, terms * sizeof(double));
        env_copy(env, out, scatter, factor_packed(terms) * sizeof(double));
        for (uint32_t t = 0; t < terms && origins != NULL; t++)
            own[t] += origins[t];
        return;
    }
    for (uint32_t t = 0; t < terms; t++) {
        double origin = origins != NULL ? origins[plans[t].column] : 0;
        own[t] = means[plans[t].column];
        if (plans[t].indicator != NO_TERM_COLUMN) {
            plans[t].imputed = imputed[t] - origin;
            own[t] += plans[t].imputed * means[plans[t].indicator];
        }
    }
    for (uint32_t j = 0; j < terms && design->diagonal; j++)
        *out++ = term_square(view, from, &plans[j]);
    for (uint32_t j = 0; j < terms && !design->diagonal; j++) {
        for (uint32_t i = 0; i <= j; i++)
            *out++ = term_product(scatter, &plans[i], &plans[j]);
        env_poll_every(env, j + 1, 256);
    }
    if (design->fourth_moments != NULL) {
        PowerSums sums = {counts[1], NULL, scatter,
                          view_f64(view, view->thirds) + from * stored_columns(thirds_size(view->columns)),
                          view_f64(view, view->fourth_moments) + from * stored_columns(factor_packed(view->columns))};
        fourth_moments_of_terms(env, &sums, means, plans, terms, own, design->scatter + (size_t)to * factor_packed(terms), NULL,
                                design->fourth_moments + (size_t)to * factor_packed(terms));
    }
    for (uint32_t t = 0; t < terms && origins != NULL; t++)
        own[t] += origins[plans[t].column];
}

/* Returns a design of these terms, with zeros for all classes. */
static ScatterDesign *design_new(Env *env, const MomentsView *view, const TermPlan *plans,
                                 uint32_t terms, bool diagonal)
{
    ScatterDesign *design = env_array(env, 1, sizeof(ScatterDesign));
    size_t classes = 1, size = diagonal ? terms : factor_packed(terms);
    bool fourth_moments = view->fourth_moments != NULL && !diagonal;

    if (view->state->kind == MODEL_CLASS_MOMENTS)
        classes = dictionary_size(view->state, DICTIONARY_CLASSES);
    design->diagonal = diagonal;
    design->terms = terms;
    design->classes = (uint32_t)classes;
    env_require_memory(env, (classes * (size * (fourth_moments ? 2 : 1) + terms + 2)) * sizeof(double),
                       "this fit");
    if (fourth_moments)
        design->fourth_moments = env_array(env, classes * size + 1, sizeof(double));
    design->means = env_array(env, classes * terms + 1, sizeof(double));
    design->scatter = env_array(env, classes * size + 1, sizeof(double));
    design->rows = env_array(env, classes + 1, sizeof(double));
    design->weight = env_array(env, classes + 1, sizeof(double));
    design->term_slot = env_array(env, (size_t)terms + 1, sizeof(uint32_t));
    design->term_level = env_array(env, (size_t)terms + 1, sizeof(int32_t));
    for (uint32_t t = 0; t < terms; t++) {
        design->term_slot[t] = plans[t].slot;
        design->term_level[t] = plans[t].level;
    }
    return design;
}

static ScatterDesign *design_of(Env *env, const Model *moments, TermCoding coding, bool diagonal)
{
    MomentsView view;
    TermPlan *plans;
    ScatterDesign *design;
    uint32_t terms, *order;
    double *means, *imputed;
    bool plain;

    if (moments->kind != MODEL_CLASS_MOMENTS && moments->kind != MODEL_FEATURE_MOMENTS)
        env_fail(env, ERROR_KIND, "Use class_moments(label, features) or feature_moments(features).",
                 "%.31s has no cross-products of the features alone", moments->estimator);
    if (moments_diagonal(moments) && !diagonal)
        env_fail(env, ERROR_KIND, "Use class_moments(label, features) or feature_moments(features).",
                 "these %.31s have sums of squares, and no products of two features", moments->estimator);
    moments_read(env, moments, &view);
    plans = env_array(env, (size_t)view.columns + 1, sizeof(TermPlan));
    terms = moments_plan_terms(env, &view, coding, plans);
    means = moments_impute_means(env, moments);
    imputed = env_array(env, (size_t)terms + 1, sizeof(double));
    plain = terms == view.columns && !diagonal;
    for (uint32_t t = 0; t < terms; t++) {
        if (means != NULL)
            imputed[t] = isnan(means[plans[t].slot]) ? 0 : means[plans[t].slot]; /* of a slot without values, which fits refuse */
        plain = plain && plans[t].column == t && plans[t].indicator == NO_TERM_COLUMN;
    }

    design = design_new(env, &view, plans, terms, diagonal);
    order = env_array(env, (size_t)design->classes + 1, sizeof(uint32_t));
    if (moments->kind == MODEL_CLASS_MOMENTS)
        dictionary_final_order(env, moments, DICTIONARY_CLASSES, order);
    for (uint32_t c = 0; c < design->classes; c++)
        if (order[c] < view.classes)
            take_class(env, &view, plans, imputed, plain, order[c], design, c);
    return design;
}

ScatterDesign *moments_scatter(Env *env, const Model *moments, TermCoding coding)
{
    return design_of(env, moments, coding, false);
}

ScatterDesign *moments_squares(Env *env, const Model *moments, TermCoding coding)
{
    return design_of(env, moments, coding, true);
}

double *scatter_pooled(Env *env, const ScatterDesign *design)
{
    size_t size = design->diagonal ? design->terms : factor_packed(design->terms);
    double *pooled = env_array(env, size + 1, sizeof(double));

    for (uint32_t c = 0; c < design->classes; c++) {
        for (size_t i = 0; i < size; i++)
            pooled[i] += design->scatter[c * size + i];
        env->poll(env);
    }
    return pooled;
}
