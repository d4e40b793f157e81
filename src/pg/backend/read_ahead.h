/*
 * read_ahead.h - asks for the next row's memory while this row is at work.
 *
 * Rows of a page lie behind each other, from its end downwards, and a scan looks at the header of each
 * before it gives out the first. The rest of a row comes from memory when it is first read, which takes as long
 * as the whole of a short row's work. Rows that follow at an even distance are asked for in time. Where
 * the next row lies elsewhere nothing is read: a prefetch of any address does no harm.
 */
#ifndef PGFIT_READ_AHEAD_H
#define PGFIT_READ_AHEAD_H

#include "pg/backend/compat.h"

#define READ_AHEAD_NEAR 2048 /* bytes between rows that are near */
#define READ_AHEAD_LINE 64
#define READ_AHEAD_BYTES 512 /* of one row: behind these the processor reads on by itself */
#define READ_AHEAD_ROWS 2

/* place: where this row lies; *last: where the last one did, a call site's. */
static inline void read_ahead(uintptr_t *last, const char *place)
{
    uintptr_t stride = (uintptr_t)place - *last, next = (uintptr_t)place + READ_AHEAD_ROWS * stride;
    uintptr_t size = (intptr_t)stride < 0 ? -stride : stride;

    *last = (uintptr_t)place;
    if (size - 1 >= READ_AHEAD_NEAR)
        return;
    for (uintptr_t i = 0; i < size && i < READ_AHEAD_BYTES; i += READ_AHEAD_LINE)
        __builtin_prefetch((const void *)(next + i));
}

#endif
