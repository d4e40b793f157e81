/*
 * column_loops.h - the two loops over columns that direct methods consist of, in the widest vectors available. For fits: sums
 * contract, and may differ in the last bits from machine to machine.
 */
#ifndef PGFIT_COLUMN_LOOPS_H
#define PGFIT_COLUMN_LOOPS_H

#include <stddef.h>

/* Subtracts times x from; the two must not overlap. */
void column_subtract(double *restrict to, const double *restrict from, double times, size_t count);
/* Returns x . y. */
double column_dot(const double *x, const double *y, size_t count);

#endif
