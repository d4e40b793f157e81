/*
 * sort.h - sorting of arrays of any length.
 */
#ifndef PGFIT_SORT_H
#define PGFIT_SORT_H

#include "core/base/env.h"

/* Sorts like qsort, and polls. Allocates as much memory again as the elements take. */
void sort_polled(Env *env, void *elements, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right));

/* Sorts numbers in falling order and removes duplicates; returns how many are left. */
uint32_t sort_falling(double *values, uint32_t count);

#endif
