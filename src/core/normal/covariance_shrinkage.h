/*
 * covariance_shrinkage.h - how much a covariance is shrunk toward a multiple of the identity, or its own diagonal.
 */
#ifndef PGFIT_COVARIANCE_SHRINKAGE_H
#define PGFIT_COVARIANCE_SHRINKAGE_H

#include "core/moments/moments.h"
#include "core/model/options.h"

/*
 * Option "shrinkage": a share, or how it is found. "ledoit_wolf" and "auto" want fourth moments; "auto" is Ledoit and
 * Wolf's share of the features in units of their standard deviations, so the target is the covariance's diagonal.
 */
typedef enum ShrinkageRule { SHRINKAGE_SHARE, SHRINKAGE_OAS, SHRINKAGE_LEDOIT_WOLF, SHRINKAGE_AUTO } ShrinkageRule;
extern const char *const shrinkage_choices[];
ShrinkageRule shrinkage_rule(const Options *options);

/* Option "fourth_moments" of class_moments and feature_moments. */
extern const OptionSpec fourth_moments_options[];
/* Do the options need fourth moments, by option "fourth_moments" or for a shrinkage? */
bool options_fourth_moments(const Options *options);

/*
 * The share of the mean variance times the identity that Chen, Wiesel, Eldar & Hero (2010), "Shrinkage
 * algorithms for MMSE covariance estimation", find for n normal rows (OAS), of a packed covariance of p
 * terms whose mean variance is mean > 0; without the terms of size 2 / p, as it is used elsewhere too.
 */
double shrinkage_oas(const double *covariance, uint32_t p, double mean, double n);

/*
 * The share that Ledoit & Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices", find
 * for the rows of one class of a design, n as degrees of freedom count them; of their correlations where
 * `correlations`, without the features that are constant (variances that vanish[terms] says are rounding; NULL: none).
 * Fails where the moments has no fourth moments (method: whose fit it is), and where they are out of range.
 */
double shrinkage_ledoit_wolf(Env *env, const ScatterDesign *design, uint32_t class, bool correlations,
                             const bool *vanish, const char *method);

#endif
