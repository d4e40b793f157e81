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
/* Returns how many scores a row has. */
uint32_t boosting_outputs(const Model *model);
BoostLink boosting_link(const Model *model);
bool boosting_is_single(const Model *model);

#endif
