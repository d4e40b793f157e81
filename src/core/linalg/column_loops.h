/*
 * column_loops.h - the two loops over columns that direct methods consist of, in the widest vectors available. Only for fits: sums
 * use fused multiply-adds, and may differ in the last bits between machines.
 */
#ifndef PGFIT_COLUMN_LOOPS_H
#define PGFIT_COLUMN_LOOPS_H

#include <stddef.h>

#define REPORT_COLUMNS 1000 /* columns of a matrix whose factorization reports its progress */

/* Subtracts times x `from` from `to`; the two must not overlap. */
void column_subtract(double *restrict to, const double *restrict from, double times, size_t count);
/* Returns x . y. */
double column_dot(const double *x, const double *y, size_t count);

#endif
