/*
 * sort.h - sorting of arrays of any length.
 */
#ifndef PGFIT_SORT_H
#define PGFIT_SORT_H

#include "core/base/env.h"
#include "core/base/number_order.h"

/* Sorts like qsort, and polls. Allocates as much memory again as the elements take. */
void sort_polled(Env *env, void *elements, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right));
/*
 * Sorts elements by the number that each begins with, which is not NaN, as sort_polled does by compare_numbers: in a fifth of the time where there are
 * many, by their least significant digit first (Knuth, The Art of Computer Programming 3, 5.2.5).
 */
void sort_numbers(Env *env, void *elements, size_t count, size_t size);
/* Sorts those of sorted elements that begin with the same number. */
void sort_ties(Env *env, void *elements, size_t count, size_t size, int (*compare)(const void *left, const void *right));

/* Sorts numbers by merging, and returns how many pairs of them were in the other order (Knight 1966). room: [count]. Polls. */
uint64_t sort_exchanges(Env *env, double *numbers, double *room, uint64_t count);
/* Returns the term of all t numbers, or of t equal ones, in 18 times the variance of Kendall's score, which counts exchanges. */
static inline double kendall_term(double t)
{
    return t * (t - 1) * (2 * t + 5);
}
/* Returns the median of sorted numbers, of which there is one at least. */
double median_of_sorted(const double *sorted, uint64_t count);

/* Sorts numbers in falling order and removes duplicates; returns how many are left. */
uint32_t sort_falling(double *values, uint32_t count);

#endif
