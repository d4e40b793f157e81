/*
 * linear_view.h - the linear equations of a model as scores read them: one storage, one view and one order of summation
 * for regressions and classifiers.
 *
 *     score_e = offset_e + sum over slots (x - center) coef[e][slot] + sum over levels coef[e][S + level]
 *
 * E equations (regressions have one) over W = S + L columns: a slot's number is a column, and so is each level in the
 * model's dictionary (1 where the row has it). Arrays of a fitted model:
 *   coef          F64[E x W] (one dimension if E is 1); 0 for categorical slots, for reference levels and levels that no
 *                 row had, and for dropped terms
 *   center        F64[S]   means of the training rows or their like, 0 for categorical slots, so that scores of features far from 0
 *                 keep their digits; missing: 0
 *   offset        F64[E]   the score of a row at the center whose levels have no coefficient; only with center
 *   intercept     F64[E]   the score where all features are 0, offset - sum of center coef; only with an intercept;
 *                 without center it is the offset
 *   level_slots   I64[C]   the categorical slots in order; only if there are any
 *   reference     BOOL[L]  levels without a term; only if there are levels
 *   dropped       BOOL[W]  terms dropped because they depend on others; only if there are any
 *   covariance_packed F64[k(k+1)/2] of intercept and terms in the order of coefficients() (0 for dropped ones); only if
 *                 E = 1 and the fit has tests
 *   coef_error    F64[E x (1 + W)] standard errors of intercept and columns, 0: none; only if E > 1 and the fit has tests
 *   link          I64[1]   LinearLink, of classifiers; missing: LINK_NONE
 * Arrays that only regressions or only classifiers have: linear_model.h, linear_classifier.h.
 */
#ifndef PGFIT_LINEAR_VIEW_H
#define PGFIT_LINEAR_VIEW_H

#include "core/estimator/explanation.h"
#include "core/model/model.h"

/* How scores become probabilities. */
typedef enum LinearLink {
    LINK_NONE = 0,     /* not at all */
    LINK_LOGISTIC = 1, /* 1 / (1 + exp(-score)); of several equations: normalized to a sum of 1 */
    LINK_SOFTMAX = 2   /* exp(score) / sum exp(score) */
} LinearLink;

typedef struct LinearView {
    uint32_t equations, slots, levels, columns; /* columns = slots + levels */
    uint32_t categorical;       /* slots of categorical features */
    const int64_t *level_slots; /* [categorical] */
    const double *coef;         /* [equations x columns]; 0 for categorical slots */
    const double *offset;       /* [equations]; NULL: 0 */
    const double *intercept;    /* [equations]; NULL: fitted without one */
    const double *center;       /* [slots]; NULL: 0 */
    const double *class_rule;   /* of classifiers; NULL: missing */
    LinearLink link;
} LinearView;

/* Opens the equations of a checked model in one pass over its arrays. */
void linear_view(const Model *model, LinearView *view);
/* Returns the score of a row by a checked regression: Scoring.predict. */
double linear_equation_score(const Model *model, const void *prepared, const double *slots);

/* Returns the score of an encoded row. A level outside the dictionary adds nothing. */
static inline double linear_view_score(const LinearView *view, uint32_t equation, const double *slots)
{
    const double *coef = view->coef + (size_t)equation * view->columns, *center = view->center;
    double sum = view->offset != NULL ? view->offset[equation] : 0;

    if (center != NULL)
        for (uint32_t s = 0; s < view->slots; s++)
            sum += (slots[s] - center[s]) * coef[s];
    else
        for (uint32_t s = 0; s < view->slots; s++)
            sum += slots[s] * coef[s];
    for (uint32_t c = 0; c < view->categorical; c++) {
        double level = slots[view->level_slots[c]];

        if (level >= 0 && level < view->levels)
            sum += coef[view->slots + (uint32_t)level];
    }
    return sum;
}

/* Explains the score of each equation (explanation.h). names: of the equations; NULL: there is one. */
uint32_t linear_view_explain(Env *env, const Model *model, const LinearView *view, const double *slots,
                             char *const *names, Explanation **out);

/* ---- terms ---- */

/* A term of the equations: slot by slot; a categorical slot is replaced by its levels except the references. */
typedef struct LinearTerm {
    uint32_t slot;
    int64_t level; /* dictionary position, or -1 */
    uint32_t column;
} LinearTerm;
/* Returns the terms of a checked model, [*count], in the order of coefficients(). */
LinearTerm *linear_terms(Env *env, const Model *model, uint32_t *count);
/* Returns the terms of an encoded row, [*count], with `centered` each less its mean in the training rows. The caller releases them. */
double *linear_row_terms(Env *env, const Model *model, const LinearView *view, const double *slots, bool centered, uint32_t *count);
/*
 * Returns a variance plus that of x' beta. centered: about the means of the training rows, where the intercept, which is left out, is not correlated
 * with the terms. NaN without a covariance.
 */
double linear_variance(Env *env, const Model *model, const double *slots, bool centered, double plus);
/* The same from this packed covariance of all coefficients, the intercept first. */
double linear_variance_of(Env *env, const Model *model, const double *covariance, const double *slots, bool centered, double plus);
/* Returns their number. */
uint32_t linear_term_count(const Model *model);
/* Returns the flags of the dropped columns; NULL: none are. */
const uint8_t *linear_dropped(const Model *model);
/* Returns the names of the terms: "carat", "cut=Ideal". */
const char **linear_term_names(Env *env, const Model *model, const LinearTerm *terms, uint32_t count);

#endif
