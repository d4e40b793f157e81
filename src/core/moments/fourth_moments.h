/*
 * fourth_moments.h - sums of products of third and fourth order over the rows of a class, and how they change with their center.
 *
 * For differences c from some center, thirds are the sums of c_j^2 c_l for every j and l, and fourths the sums of
 * c_j^2 c_l^2, packed like cross-products. Moments keep them about the mean; about another center they follow from those of lower order
 * (Pebay 2008, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order
 * statistical moments").
 */
#ifndef PGFIT_FOURTH_MOMENTS_H
#define PGFIT_FOURTH_MOMENTS_H

#include "core/moments/moments_internal.h"

/* Returns the index of the sum of c_j^2 c_l. Sums of the first n columns come first, so that columns can be appended. */
static inline size_t thirds_at(size_t j, size_t l)
{
    return j <= l ? l * l + j : j * j + j + 1 + l;
}
static inline size_t thirds_size(size_t columns)
{
    return columns * columns;
}

/* Sums over rows with this total weight. first: [columns], or NULL if 0; second and fourth_moments: packed. */
typedef struct PowerSums {
    double weight;
    const double *first, *second, *thirds, *fourth_moments;
} PowerSums;

/*
 * Computes the sums after adding shift[columns] to every difference, and writes them to thirds and fourth_moments (which
 * may be those of `from`) or, if add, adds them to what is there.
 */
void fourth_moments_shift(Env *env, uint32_t columns, const PowerSums *from, const double *shift, double *thirds, double *fourth_moments,
                          bool add);

/* Copies the central sums of `count` columns to their positions columns[j] in larger arrays. */
void fourth_moments_spread(uint32_t count, const PowerSums *from, const uint32_t *columns, double *second, double *thirds,
                           double *fourth_moments);

/*
 * Computes central sums of terms. A term is a column plus `imputed` times the indicator of its NULLs; a column is 0 in
 * rows where its indicator is 1. from: central sums of the columns; means: their means; term_means, term_second: means
 * and central cross-products of the terms. thirds may be NULL.
 */
void fourth_moments_of_terms(Env *env, const PowerSums *from, const double *means, const TermPlan *plans, uint32_t terms,
                             const double *term_means, const double *term_second, double *thirds, double *fourth_moments);

/* Fails with ERROR_RANGE, naming a feature, if the third or fourth order sums of a class are not finite. */
void fourth_moments_require_finite(Env *env, const MomentsView *view, uint32_t class);

#endif
