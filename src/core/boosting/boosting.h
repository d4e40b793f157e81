/*
 * boosting.h - gradient boosting: trees that are grown one after another, each to the gradients of the loss at the scores so far.
 *
 * The score of a row is a baseline plus what the leaves of all trees add; a link makes it a prediction. With several classes
 * each iteration grows one tree per class. Friedman 2001 (gradient boosting), Chen & Guestrin 2016 (second-order gains), Ke et
 * al. 2017 (histograms, leaf-wise growth).
 */
#ifndef PGFIT_BOOSTING_H
#define PGFIT_BOOSTING_H

#include "core/boosting/boosting_scores.h"
#include "core/estimator/class_options.h"
#include "core/tree_growth/tree_grow.h"
#include "core/tree_value/tree_model.h"

/* ---- the model ---- */

/* Arrays of boosted trees beside those of trees with numbers. */
extern const ArraySpec boosting_arrays[4];
extern const ArraySpec boosting_facts[7];

/* An Estimator.check of both methods. */
const char *boosting_check(Env *env, const Model *model);
/* Scoring.prepare. */
void *boosting_prepare(Env *env, const Model *model, size_t *bytes);
/* Writes the scores of a row, one per output, before the link. */
void boosting_scores(const void *prepared, const double *slots, double *out);
/* Returns room for the scores of a row. */
double *boosting_room(const void *prepared);
/* For tree_start: returns the iterations of the trees of a model; 0 of one whose held-out rows rejected them all. */
uint32_t boosting_begun(const Model *model);
uint32_t boosting_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out);
char *boosting_summary(Env *env, const Model *model);
/* Adds the score of one output as an SQL expression. */
void boosting_sql(TextBuffer *report, const TreeScorer *scorer, uint32_t output);

/* ---- the fit ---- */

/* Options of both methods, for OPTION_TABLES. */
extern const OptionSpec boosting_options[];
/*
 * An Estimator.fit of both methods; its loss follows from the target and option "loss". Fails with ERROR_PARAMETER if options exclude
 * each other, with ERROR_LIMIT past the budget.
 */
Model *boosting_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder);

#endif
