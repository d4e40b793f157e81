/*
 * mixed_moments.h - moments per group in place of the rows of a mixed model with one grouping factor.
 *
 * Such a model depends on its rows through the count, the means and the cross-products of each group alone, which are those that
 * class_moments(group, features) sums, with the target as one of the features.
 */
#ifndef PGFIT_MIXED_MOMENTS_H
#define PGFIT_MIXED_MOMENTS_H

#include "core/estimator/estimator.h"

#define MIXED_NO_TERM UINT32_MAX /* a level that no row has */

typedef struct MixedMoments {
    const Model *moments;
    const ScatterDesign *sums; /* groups in the order of their levels */
    FitInput input;        /* no rows, with schema and counts of those that were summed; its fields are the terms of the formula */
    uint32_t target;       /* its term in the sums */
    int64_t *slots;        /* [slots of the input] the slot of the moments; -1: the groups */
    int64_t *levels;       /* [levels of the input] the place of the level in the moments; -1: a group */
    double log_weights;    /* sum of the logarithms of the weights */
} MixedMoments;

/*
 * Resolves option formula, target ~ terms, against the features of moments. Its grouping factor is the name that is no feature. Fails with
 * ERROR_PARAMETER where a term is not one of the features, or the groups are not those of the moments.
 */
MixedMoments *mixed_moments(Env *env, const Estimator *estimator, const Model *moments, const Options *options);
/* Returns the term of the sums that a slot of the input, or a level of it, stands for, or MIXED_NO_TERM. level: -1: the slot's number. */
uint32_t mixed_term(const MixedMoments *moments, uint32_t slot, int32_t level);

#endif
