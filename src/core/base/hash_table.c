/*
 * hash_table.c - makes, clears and grows the index.
 */
#include "core/base/hash_table.h"

#define MAX_BITS 31

static size_t slot_count(const HashTable *table)
{
    return (size_t)1 << table->bits;
}

HashTable hash_table(Env *env, unsigned bits)
{
    HashTable table = {.bits = bits};

    table.slots = env_array_raw(env, slot_count(&table), sizeof(HashSlot));
    hash_clear(&table);
    return table;
}

void hash_clear(HashTable *table)
{
    memset(table->slots, 0xff, slot_count(table) * sizeof(HashSlot));
    table->count = 0;
}

static void put(HashTable *table, HashSlot slot)
{
    size_t mask = slot_count(table) - 1, at = hash_start(table, slot.hash);

    while (table->slots[at].entry != HASH_NONE)
        at = (at + 1) & mask;
    table->slots[at] = slot;
}

static void grow(Env *env, HashTable *table)
{
    HashTable larger;

    if (table->bits == MAX_BITS)
        env_fail(env, ERROR_LIMIT, NULL, "a hash table cannot hold more than %u entries", table->count);
    larger = hash_table(env, table->bits + 1);
    larger.count = table->count;
    for (size_t i = 0; i < slot_count(table); i++)
        if (table->slots[i].entry != HASH_NONE)
            put(&larger, table->slots[i]);
    env->release(env, table->slots);
    *table = larger;
}

uint32_t hash_add(Env *env, HashTable *table, uint32_t hash)
{
    if (table->count == hash_room(table))
        grow(env, table);
    put(table, (HashSlot){hash, table->count});
    return table->count++;
}
