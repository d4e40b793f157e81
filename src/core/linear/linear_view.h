/*
 * linear_view.h - the linear equations of a model as scores read them: one view and one order of summation for linear
 * models, which keep them in the array "score" (linear_model.h), and for linear classifiers, which keep them in arrays
 * of their own (linear_classifier.h).
 *
 *     score_e = offset_e + sum over slots (x - center) coef[e][slot] + sum over levels coef[e][S + level]
 *
 * offset: the score of a row at the center whose levels have no coefficient. center: means of the training rows, 0 for
 * categorical slots, so that scores of features far from 0 keep their digits. intercept: the score where all features
 * are 0, offset - sum of center coef; without a center it is the offset.
 */
#ifndef PGFIT_LINEAR_VIEW_H
#define PGFIT_LINEAR_VIEW_H

#include "core/estimator/explanation.h"
#include "core/model/model.h"

#include <string.h>

/* How scores become probabilities. */
typedef enum LinearLink {
    LINK_NONE = 0,     /* not at all */
    LINK_LOGISTIC = 1, /* 1 / (1 + exp(-score)); of several equations: normalized to a sum of 1 */
    LINK_SOFTMAX = 2   /* exp(score) / sum exp(score) */
} LinearLink;

typedef struct LinearView {
    uint32_t equations, slots, levels, columns; /* columns = slots + levels */
    uint32_t categorical;       /* slots of categorical features */
    const int64_t *level_slots; /* [categorical], or */
    const double *listed_slots; /* [categorical] in "score" */
    const double *coef;         /* [equations x columns]; 0 for categorical slots */
    const double *offset;       /* [equations]; NULL: 0 */
    const double *center;       /* [slots]; NULL: 0 */
    const double *class_rule;   /* of classifiers; NULL: missing */
    LinearLink link;
} LinearView;

/* Opens the arrays of a linear classifier, or of a regression in such arrays, in one pass over the entries. */
void linear_view(const Model *model, LinearView *view);

/* Returns the array "score" of a linear model: the last entry where the model is checked; else searched for. */
static inline const double *linear_score_array(const Model *model)
{
    const ModelEntry *entry = model_entries(model) + model->entry_count - 1;

    if (__builtin_expect(memcmp(entry->name, "score", 6) != 0, 0))
        entry = model_find(model, "score");
    return (const double *)((const char *)model + entry->offset);
}

/* Opens the array "score" of a linear model of so many slots. */
static inline LinearView linear_view_of_score(const double *score, uint32_t slots)
{
    LinearView view = {.equations = 1,
                       .slots = slots,
                       .levels = (uint32_t)score[1],
                       .columns = slots + (uint32_t)score[1],
                       .categorical = (uint32_t)score[2],
                       .coef = score + 3 + slots,
                       .offset = score,
                       .center = score + 3};

    view.listed_slots = view.coef + view.columns;
    return view;
}

/* Returns the score of an encoded row; position: of a level outside the dictionary, adds nothing. */
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
        size_t slot = view->listed_slots != NULL ? (size_t)view->listed_slots[c] : (size_t)view->level_slots[c];
        double level = slots[slot];

        if (level >= 0 && level < view->levels)
            sum += coef[view->slots + (uint32_t)level];
    }
    return sum;
}

/* Adds the lines of one equation, slot by slot; the caller has added its offset. */
void linear_view_explain(const LinearView *view, uint32_t equation, const double *slots, ExplanationList *list);

/* Returns the intercept that goes with an offset, [slots] centers and coefficients, in the order that checks repeat. */
static inline double linear_intercept(double offset, const double *center, const double *coef, uint32_t slots)
{
    for (uint32_t s = 0; s < slots; s++)
        offset -= center[s] * coef[s];
    return offset;
}

/* The same of an array "score". */
double linear_score_intercept(const double *score, uint32_t slots);
/* Fails with ERROR_RANGE where a new array "score" is not finite. */
void linear_require_score(Env *env, const double *score, uint32_t size);

/* Returns the number of terms of a linear model. */
uint32_t linear_terms(const Model *model);

#endif
