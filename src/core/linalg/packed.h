/*
 * packed.h - the upper triangle R of p columns, packed by columns: R[i][j] at j (j + 1) / 2 + i.
 */
#ifndef PGFIT_PACKED_H
#define PGFIT_PACKED_H

#include <stddef.h>

#define FACTOR_LANES 8 /* rows of blocks are padded to a multiple of this */

/* Returns the length of a packed factor. */
static inline size_t factor_packed(size_t columns)
{
    return columns * (columns + 1) / 2;
}
/* Rounds up to a multiple of FACTOR_LANES. */
static inline size_t factor_padded(size_t count)
{
    return (count + FACTOR_LANES - 1) / FACTOR_LANES * FACTOR_LANES;
}

#endif
