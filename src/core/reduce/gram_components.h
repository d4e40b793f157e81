/*
 * gram_components.h - the leading eigenvectors of a centered matrix of products, as many as options ask for: the components of
 * kernel_pca, from all pairs of rows or from the features of an approximation.
 */
#ifndef PGFIT_GRAM_COMPONENTS_H
#define PGFIT_GRAM_COMPONENTS_H

#include "core/base/env.h"

typedef struct GramComponents {
    uint32_t count;  /* computed; their eigenvalues need not be positive if k asked for them */
    double *values;  /* [count] descending */
    double *vectors; /* [count x n] */
    double least;    /* smallest eigenvalue of all, or a bound from above */
} GramComponents;

/*
 * Returns the leading components of gram [n x n], which it overwrites. k: as many as that, at most n; 0: as many as explain `share` of the
 * trace total (NaN: all), without those whose eigenvalues are rounding. Fails with ERROR_LIMIT past the budget; method: a name for
 * messages.
 */
GramComponents gram_components(Env *env, double *gram, uint32_t n, uint32_t k, double share, double total, const char *method);

#endif
