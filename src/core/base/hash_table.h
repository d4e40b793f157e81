/*
 * hash_table.h - an index by hash over entries that the caller keeps in an array, numbered in the order of arrival.
 *
 * Open addressing with linear probing, at most half full. A slot holds the hash beside the number, so growing needs no keys, and a
 * search reads an entry only if its hash is the wanted one. The highest bits of a hash choose its slot, so they must differ between
 * keys: the functions below see to that. Find the entry whose key is equal like this:
 *
 *     uint32_t place = hash_start(&table, hash), entry;
 *
 *     while ((entry = hash_next(&table, hash, &place)) != HASH_NONE && !equal(&entries[entry], key))
 *         ;
 */
#ifndef PGFIT_HASH_TABLE_H
#define PGFIT_HASH_TABLE_H

#include "core/base/bytes.h"
#include "core/base/env.h"

#define HASH_NONE UINT32_MAX /* no entry */

typedef struct HashSlot {
    uint32_t hash, entry; /* entry HASH_NONE: empty */
} HashSlot;

typedef struct HashTable {
    HashSlot *slots; /* [2^bits] */
    unsigned bits;
    uint32_t count; /* of entries */
} HashTable;

/* Returns an empty table, allocated from env. bits: 1 .. 31; it takes 2^(bits - 1) entries before it grows. */
HashTable hash_table(Env *env, unsigned bits);
/* Removes all entries. */
void hash_clear(HashTable *table);
/* Adds an entry and returns its number, the count before. Fails with ERROR_LIMIT past 2^30 entries. */
uint32_t hash_add(Env *env, HashTable *table, uint32_t hash);

/* Returns a hash of 32 bits, one to one: numbers that differ have hashes that differ. */
static inline uint32_t hash_32(uint32_t number)
{
    return number * 2654435761u;
}

/* Returns a hash of 64 bits. */
static inline uint32_t hash_64(uint64_t number)
{
    return bits_of_hash(number, 32);
}

/* Returns a hash of all bytes, eight at a time. */
static inline uint32_t hash_bytes(const char *bytes, uint32_t length)
{
    uint64_t hash = 0;

    for (; length > 8; bytes += 8, length -= 8) {
        hash = (hash ^ bytes_8(bytes)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash ^ bytes_place(bytes, length, 32);
}

/* Returns how many entries the table takes before it grows. */
static inline uint32_t hash_room(const HashTable *table)
{
    return (uint32_t)1 << (table->bits - 1);
}

/* Returns where a search for this hash starts. */
static inline uint32_t hash_start(const HashTable *table, uint32_t hash)
{
    return hash >> (32 - table->bits);
}

/* Returns the next entry with this hash, or HASH_NONE after the last one, and advances *place. */
static inline uint32_t hash_next(const HashTable *table, uint32_t hash, uint32_t *place)
{
    uint32_t mask = (uint32_t)(((uint64_t)1 << table->bits) - 1), at = *place;
    const HashSlot *slot;

    do {
        slot = &table->slots[at];
        at = (at + 1) & mask;
    } while (slot->hash != hash && slot->entry != HASH_NONE);
    *place = at;
    return slot->entry;
}

#endif
