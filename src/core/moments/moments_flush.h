/*
 * moments_flush.h - expands pending rows to columns; shared by moments_flush.c and moments_flush_classes.c.
 */
#ifndef PGFIT_MOMENTS_FLUSH_H
#define PGFIT_MOMENTS_FLUSH_H

#include "core/moments/moments_internal.h"

#include <math.h>

/* Which column of a state holds what. */
typedef struct ColumnMap {
    uint32_t *number;  /* [slots] column of the number, or NO_COLUMN */
    uint32_t *missing; /* [slots] column of the indicator, or NO_COLUMN */
    uint32_t *level;   /* [levels] column of the level, or NO_COLUMN */
    uint32_t *candidates; /* [candidate_count] slots that may need a new column: categorical ones, under impute all */
    uint32_t levels, candidate_count;
    uint32_t target; /* MODEL_MOMENTS: the target's column */
} ColumnMap;
#define NO_COLUMN UINT32_MAX

/* Expands a pending row to its columns: column j minus its origin (origins NULL: 0) goes to out[j * step]. out must hold zeros. */
static inline void column_map_expand(const MomentsView *view, const ColumnMap *map, const double *origins,
                                     const double *row, double *out, size_t step)
{
    uint32_t slots = view->state->slot_count;

    if (view->state->kind == MODEL_MOMENTS)
        out[map->target * step] = row[view->target] - (origins != NULL ? origins[map->target] : 0);
    for (uint32_t k = 0; k < view->further; k++)
        out[(map->target + 1 + k) * step] = row[moments_further_place(view, k)] - (origins != NULL ? origins[map->target + 1 + k] : 0);
    for (uint32_t s = 0; s < slots; s++) {
        if (map->number[s] == NO_COLUMN) {
            out[map->level[(uint32_t)row[s]] * step] = 1;
        } else if (row[s] != NULL_MARK) {
            out[map->number[s] * step] = row[s] - (origins != NULL ? origins[map->number[s]] : 0);
        } else {
            out[map->missing[s] * step] = 1;
        }
    }
}

/* Adds the products to the factor. */
void moments_fold_products(Env *env, const MomentsView *view);
/* Adds at most WIDE_ROWS rows to the means and cross-products of their classes, or of the only class. */
void moments_flush_classes(Env *env, MomentsView *view, const ColumnMap *map, const double *rows, uint32_t count);

#endif
