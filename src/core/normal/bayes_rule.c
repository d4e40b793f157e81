/*
 * bayes_rule.c - Bayes' theorem and decisions for given likelihoods.
 */
#include "core/normal/bayes_rule.h"

#include <math.h>

#define PRIORS_TOLERANCE 1e-6 /* how far their sum may be from 1: users type rounded numbers */

bool bayes_posterior(Env *env, const double *likelihoods, const double *priors, uint32_t count, double *out)
{
    double sum = 0, total = 0, largest = 0;

    for (uint32_t k = 0; k < count; k++) {
        sum += priors[k];
        largest = fmax(largest, likelihoods[k]);
    }
    if (!(fabs(sum - 1) <= PRIORS_TOLERANCE))
        env_fail(env, ERROR_PARAMETER, "Give each class its share; shares add up to 1.", "the priors add up to %.10g, not to 1", sum);
    for (uint32_t k = 0; k < count; k++) /* scaled, because likelihoods of many features can underflow */
        total += out[k] = largest > 0 ? likelihoods[k] / largest * priors[k] : 0;
    for (uint32_t k = 0; total > 0 && k < count; k++)
        out[k] /= total;
    return total > 0;
}

uint32_t bayes_decision(const double *likelihoods, const double *weights, uint32_t count)
{
    double largest = -1;
    uint32_t best = 0;

    for (uint32_t k = 0; k < count; k++) {
        double value = likelihoods[k] * (weights ? weights[k] : 1);

        if (value > largest) {
            largest = value;
            best = k;
        }
    }
    return best;
}
