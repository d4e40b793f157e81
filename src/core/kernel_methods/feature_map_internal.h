/*
 * feature_map_internal.h - the product of matrices that maps and sums of mapped rows share.
 */
#ifndef PGFIT_FEATURE_MAP_INTERNAL_H
#define PGFIT_FEATURE_MAP_INTERNAL_H

#include "core/kernel_methods/feature_map.h"

/* What feature_map_sample returns. */
typedef struct MapSample {
    KernelSample sample; /* first */
    uint32_t *texts;     /* positions of texts in the kernel's table, by those in the dictionary; NULL: no texts */
} MapSample;

#define MAP_PANEL 32 /* columns that are packed together: a multiple of the width of all vectors */

/*
 * Writes, or adds, the sum over k < depth of a[i x down + k x along] panel[k x MAP_PANEL + j] to out[i x ld + j], for i < rows and
 * j < MAP_PANEL. Only for fits: sums use fused multiply-adds.
 */
void map_product(const double *a, size_t down, size_t along, uint32_t rows, const double *panel, uint32_t depth, double *out, size_t ld,
                 bool add);

#endif
