/*
 * column_loops.c - the loops of column_loops.h. They are not in vector_loops.c because contraction is set for a whole file: these
 * sums serve fits and use fused multiply-adds where available; those serve scores and must not.
 */
#include "core/linalg/column_loops.h"

#include "core/base/fused_sums.h"

#define PARTS 16 /* partial sums of a dot product, whatever the width of the vectors */

#define SIMD_FILE "core/linalg/column_loops_simd.h"
#include "core/base/cpu_dispatch.h"

void column_subtract(double *restrict to, const double *restrict from, double times, size_t count)
{
    if (count < PARTS)
        subtract_base(to, from, times, count);
    else
        SIMD_CALL(subtract, to, from, times, count);
}

double column_dot(const double *x, const double *y, size_t count)
{
    return count < PARTS ? dot_base(x, y, count) : SIMD_CALL(dot, x, y, count);
}
