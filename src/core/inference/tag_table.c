/*
 * tag_table.c - numbers the different tags of rows.
 */
#include "core/inference/tag_table.h"

#include <string.h>

#define FIRST_ROOM 64

TagTable tag_table(Env *env, uint32_t width)
{
    return (TagTable){.table = hash_table(env, 7), .width = width};
}

static void make_room(Env *env, TagTable *tags)
{
    uint32_t room = tags->room == 0 ? FIRST_ROOM : 2 * tags->room;
    size_t bytes = (size_t)room * tags->width * sizeof(double);

    env_require_memory(env, bytes, "the table of all clusters or levels");
    tags->keys = env->resize(env, tags->keys, bytes);
    tags->room = room;
}

/* Numbers of tags are whole and not negative, so equal ones have equal bits. */
static inline bool equal(const double *a, const double *b, uint32_t width)
{
    while (width > 0 && a[width - 1] == b[width - 1])
        width--;
    return width == 0;
}

uint32_t tag_table_place(Env *env, TagTable *tags, const double *key)
{
    uint64_t bits = 0;
    uint32_t hash, place, entry;

    for (uint32_t i = 0; i < tags->width; i++)
        bits = (bits ^ (uint64_t)(int64_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash = hash_64(bits ^ bits >> 32);
    place = hash_start(&tags->table, hash);
    while ((entry = hash_next(&tags->table, hash, &place)) != HASH_NONE &&
           !equal(tags->keys + (size_t)entry * tags->width, key, tags->width))
        ;
    if (entry != HASH_NONE)
        return entry;
    if (tags->table.count == tags->room)
        make_room(env, tags);
    entry = hash_add(env, &tags->table, hash);
    memcpy(tags->keys + (size_t)entry * tags->width, key, tags->width * sizeof(double));
    return entry;
}
