/*
 * fourth_moments.h - sums of products of third and fourth order over the rows of a class, and how they move.
 *
 * Of the differences c from some center: thirds sum c_j^2 c_l, for every j and l, and fourths sum c_j^2 c_l^2, packed as
 * cross-products are. Moments keeps them about the mean; about another center they follow from those of lower order
 * (Pebay 2008, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order
 * statistical moments").
 */
#ifndef PGFIT_FOURTH_MOMENTS_H
#define PGFIT_FOURTH_MOMENTS_H

#include "core/moments/moments_internal.h"

/* Where the sum of c_j^2 c_l stands: the numbers of columns below n come first, so that columns can be appended. */
static inline size_t thirds_at(size_t j, size_t l)
{
    return j <= l ? l * l + j : j * j + j + 1 + l;
}
static inline size_t thirds_size(size_t columns)
{
    return columns * columns;
}

/* Sums over rows of this weight; first [columns] or NULL for zeros, second and fourths packed. */
typedef struct PowerSums {
    double weight;
    const double *first, *second, *thirds, *fourth_moments;
} PowerSums;

/*
 * The sums of differences that are larger by shift[columns], written to thirds and fourths, which may be those of
 * `from`, or added to what is there.
 */
void fourth_moments_shift(Env *env, uint32_t columns, const PowerSums *from, const double *shift, double *thirds, double *fourth_moments,
                   bool add);

/* The central sums of columns [count], each at columns[j] of all [all], the others zeros. */
void fourth_moments_spread(uint32_t count, const PowerSums *from, const uint32_t *columns, double *second, double *thirds,
                    double *fourth_moments);

/*
 * Central sums of terms, each a column plus `imputed` times the indicator of its NULLs, in rows in which the column is 0
 * where its indicator is 1. from: of the columns, central; means: theirs; term_means and term_second: of the terms,
 * second central too. thirds may be NULL.
 */
void fourth_moments_of_terms(Env *env, const PowerSums *from, const double *means, const TermPlan *plans, uint32_t terms,
                      const double *term_means, const double *term_second, double *thirds, double *fourth_moments);

/* Fails with ERROR_RANGE, naming a feature, where a class's sums of moments that has them are not finite. */
void fourth_moments_require_finite(Env *env, const MomentsView *view, uint32_t class);

#endif
