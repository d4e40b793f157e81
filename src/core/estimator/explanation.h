/*
 * explanation.h - what made a row's score: terms that add up to it.
 *
 * The first line of an equation is the base: the score where every number is its mean in the training rows (0 in a
 * model that keeps no means) and every category at its reference level. The others say what the row's own values add
 * to it, one a number and one a category, in the order of the features; their sum with the base is the score.
 */
#ifndef PGFIT_EXPLANATION_H
#define PGFIT_EXPLANATION_H

#include "core/estimator/estimator.h"

#define EXPLANATION_BASE "(base)"

/* Lines in the making; terms are the slots of the row. */
typedef struct ExplanationList {
    Env *env;
    const Model *model;
    Explanation *lines;
    uint32_t count;
    char **names; /* [slots] of this row's terms */
} ExplanationList;

ExplanationList explanation_list(Env *env, const Model *model, const double *slots, uint32_t equations);
/* The base of the next equation, then each slot's contribution. class_name: NULL where there is one equation. */
void explanation_base(ExplanationList *list, const char *class_name, double value);
void explanation_slot(ExplanationList *list, uint32_t slot, double contribution);

#endif
