/*
 * forest_model.h - forests: trees that vote. Shared by forest_classifier, forest_regression, extra_trees_classifier and
 * extra_trees_regression, which differ in their options alone.
 */
#ifndef PGFIT_FOREST_MODEL_H
#define PGFIT_FOREST_MODEL_H

#include "core/estimator/class_options.h"
#include "core/estimator/shared_options.h"
#include "core/tree_growth/tree_grow.h"

/* ---- fit ---- */

/* Grows a forest; of extremely randomized trees for a method without option "split". */
Model *forest_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder);
/* Returns a model with the trees of both. Fails with ERROR_KIND or ERROR_DATA if they do not go together. */
Model *forest_merge(Env *env, const Model *a, const Model *b);

/* ---- arrays ---- */

/*
 * Beside those of trees:
 *   hard_votes              U8[1]       there with voting "hard"
 *   class_rule              F64[3]      class_options.h
 *   permutation_importance  F64[slots]  increase of the out-of-bag error per feature, mean of the trees; instead of importance
 *   importance_sum          F64[slots]  sum of the importance over the trees, for option "start"; a fit's alone
 *   oob_curve               F64[trees]  out-of-bag error of the first trees
 *   seeds                   I64[]       of the parts that were merged
 */
extern const ArrayTable forest_class_tables[], forest_number_tables[];
const char *forest_check(Env *env, const Model *model);

/* ---- scoring and reading ---- */

/* Scoring.prepare of all forests, also of isolation forests. */
void *forest_prepare(Env *env, const Model *model, size_t *bytes);
char *forest_to_sql(Env *env, const Model *model);
char *forest_probability_sql(Env *env, const Model *model, uint32_t class);

extern const Scoring forest_class_scoring, forest_number_scoring;
extern const Table *const forest_tables[];
char *forest_summary(Env *env, const Model *model);

#endif
