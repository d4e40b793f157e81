/*
 * bayes_rule.h - Bayes' theorem and decisions for given likelihoods.
 */
#ifndef PGFIT_BAYES_RULE_H
#define PGFIT_BAYES_RULE_H

#include "core/base/env.h"

/*
 * Writes the posterior probabilities of `count` classes to out: likelihood times prior, divided by their sum. Likelihoods and
 * priors must be finite and not negative. Returns false if all products are 0. Fails with ERROR_PARAMETER if the priors do not add
 * up to 1.
 */
bool bayes_posterior(Env *env, const double *likelihoods, const double *priors, uint32_t count, double *out);
/* Returns the class with the largest likelihood times weight; the first one wins a tie. weights: NULL for all 1. */
uint32_t bayes_decision(const double *likelihoods, const double *weights, uint32_t count);

#endif
