/*
 * boosting_scores.h - what boosted trees make of the values of their leaves, for whoever writes or reads such models elsewhere.
 */
#ifndef PGFIT_BOOSTING_SCORES_H
#define PGFIT_BOOSTING_SCORES_H

#include "core/model/model.h"

/* From the score to the prediction; stored as array "link". */
typedef enum BoostLink { BOOST_IDENTITY = 0, BOOST_LOG = 1, BOOST_LOGISTIC = 2, BOOST_SOFTMAX = 3 } BoostLink;

/*
 * Adds the arrays "baseline" [outputs], which must live until model_build, and "link"; single: scores are summed in single
 * precision, tree after tree, as a program did whose model this is.
 */
void boosting_add_scores(Env *env, ModelBuilder *builder, const double *baseline, uint32_t outputs, BoostLink link, bool single);
/*
 * Adds the array "scale": a score is its sum, divided by `divisor` and then multiplied by `factor`, both positive, as a program did that
 * averages trees or stretches scores. Without it the rounding of leaves that were scaled one by one would change last digits.
 */
void boosting_add_scale(Env *env, ModelBuilder *builder, double divisor, double factor);
/* Returns a sum, of leaves or of what explains them, as a part of the score. */
double boosting_scaled(const Model *model, double sum);
/* Returns the divisor and factor of a model; NULL: sums are scores. */
const double *boosting_scale(const Model *model);
/* Returns how many scores a row has. */
uint32_t boosting_outputs(const Model *model);
BoostLink boosting_link(const Model *model);
bool boosting_is_single(const Model *model);

#endif
