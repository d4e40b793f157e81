/*
 * covariance_shrinkage.h - how much to shrink a covariance toward a multiple of the identity, or toward its own diagonal.
 */
#ifndef PGFIT_COVARIANCE_SHRINKAGE_H
#define PGFIT_COVARIANCE_SHRINKAGE_H

#include "core/moments/moments.h"
#include "core/model/options.h"

/*
 * Option "shrinkage": a share, or how it is found. "ledoit_wolf" and "auto" need fourth moments; "auto" is Ledoit and
 * Wolf's share of the features in units of their standard deviations, so the target is the covariance's diagonal.
 */
typedef enum ShrinkageRule { SHRINKAGE_SHARE, SHRINKAGE_OAS, SHRINKAGE_LEDOIT_WOLF, SHRINKAGE_AUTO } ShrinkageRule;
extern const char *const shrinkage_choices[];
ShrinkageRule shrinkage_rule(const Options *options);

/* Option "fourth_moments" of class_moments and feature_moments. */
extern const OptionSpec *const fourth_moments_options[];
/* Tells whether options ask for fourth moments: by that name, or by a shrinkage that needs them. */
bool options_fourth_moments(const Options *options);

/*
 * Returns the share of the mean variance times the identity by the oracle approximating shrinkage of Chen, Wiesel,
 * Eldar & Hero (2010), "Shrinkage algorithms for MMSE covariance estimation", for a packed covariance of p terms from n
 * normal rows, whose mean variance is mean > 0. Like other implementations it leaves out the terms of size 2 / p.
 */
double shrinkage_oas(const double *covariance, uint32_t p, double mean, double n);

/*
 * Returns the share of Ledoit & Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices",
 * for the rows of one class of a design. correlations: shrinks the correlations instead, without constant features;
 * vanish: [terms] variances that are rounding; NULL: none. Fails if the moments have no fourth moments (method: the
 * estimator, for the message) or these are out of range.
 */
double shrinkage_ledoit_wolf(Env *env, const ScatterDesign *design, uint32_t class, bool correlations,
                             const bool *vanish, const char *method);

#endif
