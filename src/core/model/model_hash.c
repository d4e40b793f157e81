/*
 * model_hash.c - hashes and compares values by content.
 *
 * The content is what text shows: header fields, names, shapes and data, to the last bit of a double. Offsets,
 * spare room and the numbers of the format do not count. Elements are hashed as numbers, and the bytes of text as
 * little-endian words, so that all platforms agree.
 *
 * The hash follows the design of MurmurHash3_x64_128 and its finalizer (A. Appleby, 2011, public
 * domain; https://github.com/aappleby/smhasher): multiply, rotate, multiply each word into the
 * state, and mix the state at the end.
 */
#include "core/base/bytes.h"
#include "core/model/model_internal.h"

#include <string.h>

#define MULTIPLIER_1 0x87c37b91114253d5u
#define MULTIPLIER_2 0x4cf5ad432745937fu
#define MIXER_1 0xff51afd7ed558ccdu
#define MIXER_2 0xc4ceb9fe1a85ec53u

#define HASH_STEP ((size_t)1 << 17) /* words between two polls */

typedef struct Hash {
    Env *env;
    uint64_t state;
    uint64_t words;
} Hash;

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static void hash_word(Hash *hash, uint64_t word)
{
    word *= MULTIPLIER_1;
    word = rotate(word, 31);
    word *= MULTIPLIER_2;
    hash->state ^= word;
    hash->state = rotate(hash->state, 27) * 5 + 0x52dce729;
    hash->words++;
}

static uint64_t hash_finish(const Hash *hash)
{
    uint64_t x = hash->state ^ hash->words;

    x ^= x >> 33;
    x *= MIXER_1;
    x ^= x >> 33;
    x *= MIXER_2;
    x ^= x >> 33;
    return x;
}

/* Hashes the length first, so that "ab", "c" differs from "a", "bc". */
static void hash_bytes(Hash *hash, const char *bytes, size_t length)
{
    hash_word(hash, length);
    while (length > 0) {
        size_t part = length < 8 ? length : 8;
        uint64_t word = 0;

        for (size_t i = 0; i < part; i++)
            word |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
        hash_word(hash, word);
        env_poll_every(hash->env, hash->words, HASH_STEP);
        bytes += part;
        length -= part;
    }
}

/* Returns elements 2i and 2i + 1 of `count` elements of 4 bytes, the first in the lower half; zero after the last. */
static uint64_t pair_at(const void *data, size_t i, size_t count)
{
    return element_bits(data, 2 * i, 4) | (2 * i + 1 < count ? element_bits(data, 2 * i + 1, 4) << 32 : 0);
}

static void hash_entry(Hash *hash, const Model *model, const ModelEntry *entry)
{
    uint32_t rows = model_rows(model, entry);
    const char *data = model_data(model, entry);
    size_t count = (size_t)rows * entry->columns;

    hash_bytes(hash, entry->name, strlen(entry->name));
    hash_word(hash, (uint64_t)entry->section | (uint64_t)entry->type << 8 |
                        (uint64_t)entry->dimensions << 16);
    hash_word(hash, (uint64_t)rows << 32 | entry->columns);
    if (entry->type == ARRAY_BOOL || entry->type == ARRAY_U8) {
        hash_bytes(hash, data, count);
    } else if (entry->type == ARRAY_TEXT) {
        for (uint32_t i = 0; i < rows; i++) {
            uint32_t length;
            const char *string = model_text(model, entry, i, &length);

            hash_bytes(hash, string, length);
        }
    } else {
        bool pairs = model_element_size(entry->type) == 4;
        size_t words = pairs ? (count + 1) / 2 : count;

        for (size_t i = 0, end; i < words; i = end) {
            end = words - i > HASH_STEP ? i + HASH_STEP : words;
            if (i > 0)
                hash->env->poll(hash->env);
            for (size_t k = i; k < end; k++)
                hash_word(hash, pairs ? pair_at(data, k, count) : element_bits(data, k, 8));
        }
    }
}

uint64_t model_schema_fingerprint(Env *env, const Model *model)
{
    Hash hash = {.env = env, .state = 0x5c6e3a00u};
    const ModelEntry *entry = model_entries(model);

    hash_word(&hash, model->flags & MODEL_NAMED);
    hash_word(&hash, (uint64_t)model->field_count << 32 | model->slot_count);
    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        if (entry->section == SECTION_SCHEMA)
            hash_entry(&hash, model, entry);
    return hash_finish(&hash);
}

uint64_t model_fingerprint(Env *env, const Model *model)
{
    Hash hash = {.env = env, .state = 0x6d6f6465u};
    const ModelEntry *entry = model_entries(model);
    uint64_t result;

    hash_word(&hash, (uint64_t)model->kind | (uint64_t)model->flags << 8);
    hash_bytes(&hash, model->estimator, strlen(model->estimator));
    hash_word(&hash, (uint64_t)model->field_count << 32 | model->slot_count);
    hash_word(&hash, (uint64_t)model->column_count << 32 | model->entry_count);
    hash_word(&hash, (uint64_t)model->rows);
    hash_word(&hash, (uint64_t)model->skipped);
    hash_word(&hash, element_bits(&model->weight, 0, 8));
    hash_word(&hash, (uint64_t)model->pending_rows << 32 | model->flushes);
    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        hash_entry(&hash, model, entry);
    result = hash_finish(&hash);
    return result != 0 ? result : 1; /* 0 means a running state */
}

uint64_t model_seeded_hash(Env *env, const Model *model, uint64_t seed)
{
    uint64_t hash = model_fingerprint(env, model);

    if (seed != 0) {
        hash = (hash ^ seed) * MIXER_1;
        hash ^= hash >> 33;
        hash *= MIXER_2;
        hash ^= hash >> 33;
    }
    return hash;
}

void model_seal(Env *env, Model *model)
{
    model->schema_hash = model_schema_fingerprint(env, model);
    model->fingerprint = model_fingerprint(env, model);
}

static int compare_words(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_headers(const Model *a, const Model *b)
{
    int order = strncmp(a->estimator, b->estimator, sizeof a->estimator);

    if (order == 0)
        order = compare_words(a->kind, b->kind);
    if (order == 0)
        order = compare_words(a->flags, b->flags);
    for (size_t i = 0; order == 0 && i < HEADER_FIELDS; i++)
        order = compare_words(header_bits(a, &header_fields[i]), header_bits(b, &header_fields[i]));
    return order != 0 ? order : compare_words(a->entry_count, b->entry_count);
}

static int compare_entries(const Model *a, const ModelEntry *x, const Model *b, const ModelEntry *y)
{
    const void *left = model_data(a, x), *right = model_data(b, y);
    size_t count = (size_t)model_rows(a, x) * x->columns;
    uint32_t width = model_element_size(x->type);
    int order = strncmp(x->name, y->name, MODEL_NAME_SIZE);

    if (order == 0)
        order = compare_words(x->section, y->section);
    if (order == 0)
        order = compare_words(x->type, y->type);
    if (order == 0)
        order = compare_words(x->dimensions, y->dimensions);
    if (order == 0)
        order = compare_words(model_rows(a, x), model_rows(b, y));
    if (order == 0)
        order = compare_words(x->columns, y->columns);
    for (size_t i = 0; order == 0 && i < count; i++) {
        if (x->type == ARRAY_TEXT) {
            uint32_t m, n;
            const char *p = model_text(a, x, (uint32_t)i, &m), *q = model_text(b, y, (uint32_t)i, &n);

            order = bytes_compare(p, m, q, n);
        } else {
            order = compare_words(element_bits(left, i, width), element_bits(right, i, width));
        }
    }
    return order;
}

int model_compare(const Model *a, const Model *b)
{
    const ModelEntry *x = model_entries(a);
    const ModelEntry *y = model_entries(b);
    int order = compare_headers(a, b);

    for (uint32_t i = 0; i < a->entry_count && order == 0; i++)
        order = compare_entries(a, x + i, b, y + i);
    return order;
}
