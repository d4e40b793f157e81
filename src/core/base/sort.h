/*
 * sort.h - sorting of arrays of any length.
 */
#ifndef PGFIT_SORT_H
#define PGFIT_SORT_H

#include "core/base/env.h"

/* As qsort, and it polls. Takes as much memory again as the elements, and gives it back. */
void sort_polled(Env *env, void *elements, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right));

#endif
