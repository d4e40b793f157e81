/*
 * arena.c - hands out memory from blocks.
 */
#include "core/base/arena.h"

#include <string.h>

#define BLOCK_BYTES ((size_t)1 << 16)

struct ArenaBlock {
    ArenaBlock *before;
    char *free; /* what is handed out next */
};

/* Adds a block of so many bytes. */
static ArenaBlock *add_block(Arena *arena, size_t bytes)
{
    ArenaBlock *block = arena->env->alloc(arena->env, sizeof(ArenaBlock) + bytes);

    block->before = arena->block;
    block->free = (char *)(block + 1);
    arena->block = block;
    arena->bytes += sizeof(ArenaBlock) + bytes;
    arena->left = bytes;
    return block;
}

void *arena_take(Arena *arena, size_t bytes)
{
    char *out;

    bytes = (bytes + 7) & ~(size_t)7;
    if (bytes > arena->left)
        add_block(arena, bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
    out = arena->block->free;
    arena->block->free += bytes;
    arena->left -= bytes;
    memset(out, 0, bytes);
    return out;
}

void arena_clear(Arena *arena)
{
    while (arena->block != NULL) {
        ArenaBlock *before = arena->block->before;

        arena->env->release(arena->env, arena->block);
        arena->block = before;
    }
    arena->left = arena->bytes = 0;
}
