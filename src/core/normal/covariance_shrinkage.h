/*
 * covariance_shrinkage.h - how much to shrink a covariance toward a multiple of the identity, or toward its own diagonal.
 */
#ifndef PGFIT_COVARIANCE_SHRINKAGE_H
#define PGFIT_COVARIANCE_SHRINKAGE_H

#include "core/moments/moments.h"
#include "core/options/options.h"

/*
 * Option "shrinkage": a share, or how to estimate it. "ledoit_wolf" and "auto" need fourth moments. "auto" is Ledoit and
 * Wolf's share for standardized features, so its target is the diagonal of the covariance.
 */
typedef enum ShrinkageRule { SHRINKAGE_SHARE, SHRINKAGE_OAS, SHRINKAGE_LEDOIT_WOLF, SHRINKAGE_AUTO } ShrinkageRule;
extern const char *const shrinkage_choices[];
/* Returns what option "shrinkage" asks for. */
ShrinkageRule shrinkage_rule(const Options *options);

/* Option "fourth_moments" of class_moments and feature_moments. */
extern const OptionSpec *const fourth_moments_options[];
/* Tells whether fourth moments are needed: because option "fourth_moments" or the kind of shrinkage asks for them. */
bool options_fourth_moments(const Options *options);

/*
 * Returns the share of the target, the mean variance times the identity, by the oracle approximating shrinkage of Chen, Wiesel,
 * Eldar & Hero (2010), "Shrinkage algorithms for MMSE covariance estimation". covariance: packed, of p terms, estimated from n
 * rows; mean: its mean variance, above 0. Like other implementations it leaves out the terms of size 2 / p.
 */
double shrinkage_oas(const double *covariance, uint32_t p, double mean, double n);

/*
 * Returns the share of the target by Ledoit & Wolf (2004), "A well-conditioned estimator for large-dimensional covariance
 * matrices", for the rows of one class of a design. correlations: the share for shrinking the correlations instead, which
 * ignores constant features; vanish: [terms] which variances are nothing but rounding, NULL for none. Fails if the moments have
 * no fourth moments (method: name of the estimator, for the message) or if they are out of range.
 */
double shrinkage_ledoit_wolf(Env *env, const ScatterDesign *design, uint32_t class, bool correlations,
                             const bool *vanish, const char *method);

#endif
