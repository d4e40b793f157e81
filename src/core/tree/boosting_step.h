/*
 * boosting_step.h - boosted trees by passes over rows that are not stored: each pass is an aggregate whose sums merge (model_step.h).
 *
 * Passes follow one another so: one for the best constant scores; then for each iteration one that measures the gradients, whose
 * integers get their scale from it, and one per level of the trees of all outputs, which adds up the histograms of the nodes on
 * that level; a last one for the training loss. Sums of gradients are integers, so that they are the same in any order.
 *
 * The model between passes is a model of boosted trees like any other. While a tree grows its leaves add 0, so that the scores
 * are those before the iteration. It also has, with L leaves of the last tree of each output:
 *   step_bins        I64[slots]  bins of each feature, without that of NULLs
 *   step_thresholds  F64         between the bins of each number, slot after slot
 *   step_level_bins  I64         the bin of each level of each category, slot after slot; -1: it counts as NULL
 *   step_place       I64[2]      0: the constants, 1: the gradients, 2 + depth: a level; iterations done
 *   step_factors     F64[q]      class weights
 *   step_numbers     F64[3 x outputs + 2]  on a level: units of gradients, of hessians, bits of counts, by output; rows; weight
 *   step_leaves      F64[L x 4]  on a level: is the leaf open; its value; what it may predict at least, and at most
 *
 * The running state also has
 *   sum_values  F64  sums that carry their errors, and maxima (boosting_step_internal.h)
 *   sum_bins    I64  on a level: by open leaf the histogram of all features, and the sum of its rows
 */
#ifndef PGFIT_BOOSTING_STEP_H
#define PGFIT_BOOSTING_STEP_H

#include "core/estimator/model_step.h"
#include "core/tree/boosting.h"

/* Fails with ERROR_PARAMETER for options of boosted trees that passes cannot follow. */
void boosting_step_require(Env *env, const Estimator *estimator, const Options *options);
/* Returns how many passes a fit takes, at most. */
int64_t boosting_step_passes(const Options *options);
/* Adds the first model's arrays: trees without splits, and the bins of the features. The binned columns must live until model_build. */
void boosting_step_start(Boosting *boosting, ModelBuilder *builder, const Model *schema, BoostLink link);

/* Both are called boosting_step. */
extern const ModelStep boosting_regression_step, boosting_classifier_step;

extern const ArraySpec boosting_step_arrays[9];
/* Returns what is wrong with the step arrays of otherwise sound boosted trees; NULL: nothing. */
const char *boosting_step_check(Env *env, const Model *model);

/* What a scorer keeps of the step arrays of a model; NULL: it has none. */
typedef struct BoostPlan BoostPlan;
BoostPlan *boosting_step_plan(Env *env, const Model *model, TreeScorer *trees, size_t *bytes);
/* Returns it from what boosting_prepare made. */
const BoostPlan *boosting_plan_of(const void *prepared);

#endif
