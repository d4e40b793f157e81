/*
 * pca_density.c - the density of a row under probabilistic principal components (Tipping & Bishop 1999).
 *
 * Rows are normal with the variances of the model along its components, and one variance in every direction besides: the mean of the
 * eigenvalues that were left out. So the density needs the scores and the distance from the span of the components.
 */
#include "core/normal/normal_distribution.h"
#include "core/reduce/pca_model.h"

#include <math.h>

#define NO_VARIANCE 1e-13 /* what is left of the total variance by rounding */

/* Returns the variance in the directions that have no component; 0: there are none, or the rows do not vary in them. */
static double noise_variance(const Model *model, const PcaModel *pca)
{
    double total = model_fact(model, "total_variance", NAN), rest = total;

    for (uint32_t i = 0; i < pca->k; i++)
        rest -= pca->variances[i];
    return pca->k < pca->terms.count && rest > NO_VARIANCE * total ? rest / (pca->terms.count - pca->k) : 0;
}

bool pca_has_density(const Model *model)
{
    PcaModel pca;

    pca_open(model, &pca);
    for (uint32_t i = 0; i < pca.k; i++)
        if (!(pca.variances[i] > NO_VARIANCE * pca.variances[0]))
            return false;
    return pca.k == pca.terms.count || noise_variance(model, &pca) > 0;
}

double pca_log_density(const Model *model, const void *prepared, const double *slots)
{
    double x[TERMS_MAX], logs = 0, squares = 0, rest = 0, noise;
    PcaModel pca;
    uint32_t terms;

    (void)prepared;
    pca_open(model, &pca);
    terms = pca.terms.count;
    noise = noise_variance(model, &pca);
    for (uint32_t t = 0; t < terms; t++) {
        x[t] = term_value(&pca.terms, t, slots) - pca.means[t];
        if (pca.scale != NULL) { /* the density is in the units of the data */
            x[t] /= pca.scale[t];
            logs += 2 * log(pca.scale[t]);
        }
    }
    for (uint32_t i = 0; i < pca.k; i++) { /* components are orthogonal, so each score may be taken of what is left */
        const double *c = pca.components + (size_t)i * terms;
        double score = 0;

        for (uint32_t t = 0; t < terms; t++)
            score += x[t] * c[t];
        for (uint32_t t = 0; t < terms; t++)
            x[t] -= score * c[t];
        squares += score * score / pca.variances[i];
        logs += log(pca.variances[i]);
    }
    if (pca.k < terms) {
        for (uint32_t t = 0; t < terms; t++)
            rest += x[t] * x[t];
        squares += rest / noise;
        logs += (terms - pca.k) * log(noise);
    }
    return -0.5 * (terms * LOG_2PI + logs + squares);
}
