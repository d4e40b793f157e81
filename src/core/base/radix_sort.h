/*
 * radix_sort.h - sorting of many keys, such as those of number_order.h, by their bits.
 */
#ifndef PGFIT_RADIX_SORT_H
#define PGFIT_RADIX_SORT_H

#include "core/base/env.h"

/* Keys, and what moves with them: two of each, for the passes of the sort. */
typedef struct RadixRoom {
    uint64_t *keys[2];
    uint32_t *rows[2]; /* NULL: keys alone */
} RadixRoom;

/* Sorts keys[0] and rows[0] by key, stably. Returns which of the two arrays has the result. Polls. */
int radix_sort(Env *env, RadixRoom *room, uint32_t count);

#endif
