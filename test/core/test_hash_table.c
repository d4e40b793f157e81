/*
 * test_hash_table.c - an index by hash: entries found again while it grows, equal hashes, clearing.
 */
#include "check.h"

#include "core/base/hash_table.h"

/* Returns the number of an entry with this key, HASH_NONE if there is none. */
static uint32_t find(const HashTable *table, const uint64_t *keys, uint64_t key, uint32_t hash)
{
    uint32_t place = hash_start(table, hash), entry;

    while ((entry = hash_next(table, hash, &place)) != HASH_NONE && keys[entry] != key)
        ;
    return entry;
}

static void test_numbers(Host *host)
{
    enum { COUNT = 10000 };
    static uint64_t keys[COUNT];

    for (unsigned bits = 1; bits < 6; bits++)
        for (uint32_t kept = 0; kept < 3; kept++) { /* bits of the hash, of which fewer make more keys share one */
            uint32_t masks[] = {UINT32_MAX, UINT32_C(0xff000000), UINT32_C(0x0000ff00)};
            uint32_t count = kept == 0 ? COUNT : 1000;
            HashTable table = hash_table(&host->env, bits);

            CHECK_INT(hash_room(&table), 1u << (bits - 1));
            for (uint32_t i = 0; i < count; i++) {
                uint64_t key = (uint64_t)i << 32 | (i * 7);
                uint32_t hash = hash_64(key) & masks[kept];

                if (find(&table, keys, key, hash) != HASH_NONE)
                    CHECK(!"a key was found before it was added");
                keys[i] = key;
                if (hash_add(&host->env, &table, hash) != i)
                    CHECK(!"entries are not numbered in order");
            }
            for (uint32_t i = 0; i < count; i++)
                if (find(&table, keys, keys[i], hash_64(keys[i]) & masks[kept]) != i)
                    CHECK(!"an entry was not found");
            CHECK(table.count == count && hash_room(&table) >= count);
            hash_clear(&table);
            CHECK_INT(table.count, 0);
            CHECK_INT(find(&table, keys, keys[0], hash_64(keys[0])), HASH_NONE);
        }
    host_reset(host);
}

/* Hashes of all ones are those of empty slots. */
static void test_ones(Host *host)
{
    HashTable table = hash_table(&host->env, 1);
    uint64_t keys[3] = {5, 6, 7};

    CHECK_INT(find(&table, keys, 5, UINT32_MAX), HASH_NONE);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_INT(hash_add(&host->env, &table, UINT32_MAX), i);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_INT(find(&table, keys, 5 + i, UINT32_MAX), i);
    host_reset(host);
}

/* Hashes of short strings depend on every byte. */
static void test_bytes(void)
{
    char text[40];

    for (uint32_t length = 1; length < sizeof(text); length++) {
        uint32_t hash;

        memset(text, 'a', sizeof(text));
        hash = hash_bytes(text, length);
        CHECK(hash != hash_bytes(text, length - 1));
        for (uint32_t i = 0; i < length; i++) {
            text[i] = 'b';
            CHECK(hash != hash_bytes(text, length));
            text[i] = 'a';
        }
    }
}

static void test_limit(Host *host)
{
    HashTable full = {.bits = 31, .count = UINT32_C(1) << 30};

    CHECK_FAILS(host, ERROR_LIMIT, "1073741824 entries", hash_add(&host->env, &full, 1));
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_numbers(host);
    test_ones(host);
    test_bytes();
    test_limit(host);
    host_free(host);
    return check_report();
}
