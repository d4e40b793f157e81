/*
 * explanation.h - splits the score of a row into contributions that add up to it.
 *
 * The first contribution of an equation is the base: the score with every number at its mean in the training rows (0 in a model
 * that keeps no means) and every category at its reference level. The others are what the row's own values add, one per number
 * and one per category, in the order of the features.
 */
#ifndef PGFIT_EXPLANATION_H
#define PGFIT_EXPLANATION_H

#include "core/estimator/estimator.h"

#define EXPLANATION_BASE "(base)"

/* The contributions so far; terms are the slots of the row. */
typedef struct ExplanationList {
    Env *env;
    const Model *model;
    Explanation *lines;
    uint32_t count;
    char **names; /* [slots] names of this row's terms */
} ExplanationList;

/* Begins a list for a row of slots and this many equations. */
ExplanationList explanation_list(Env *env, const Model *model, const double *slots, uint32_t equations);
/* Adds the base of the next equation. class_name: NULL if there is one equation. */
void explanation_base(ExplanationList *list, const char *class_name, double value);
/* Adds the contribution of a slot to the last equation. */
void explanation_slot(ExplanationList *list, uint32_t slot, double contribution);

#endif
