/*
 * arena.h - many small pieces of memory that are given back together.
 */
#ifndef PGFIT_ARENA_H
#define PGFIT_ARENA_H

#include "core/base/env.h"

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    Env *env;
    ArenaBlock *block; /* the last one, of a list */
    size_t left;       /* bytes of it */
    size_t bytes;      /* of all blocks */
} Arena;

/* Returns so many bytes, above 0, of zeroed memory, aligned to 8. */
void *arena_take(Arena *arena, size_t bytes);
/* Gives all memory back. */
void arena_clear(Arena *arena);

#endif
