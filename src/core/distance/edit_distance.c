/*
 * edit_distance.c - bit-parallel edit distance (Myers 1999, in the form of Hyyro 2003).
 *
 * The longer string is the pattern, cut into blocks of 64 characters, one bit each. A block runs over the whole shorter string,
 * reading and writing a horizontal step of -1, 0 or 1 per character. Apart from the characters themselves, memory therefore
 * depends only on the shorter string.
 */
#include "core/distance/edit_distance.h"
#include "core/base/hash_table.h"
#include "core/kernel/string_kernel.h"

#include <string.h>

#define POLL_STEPS 1000000
#define PLAIN 256 /* code points below it are their own numbers */

typedef struct Characters {
    const unsigned char *bytes; /* of a pure ASCII string */
    uint32_t *points;           /* else its code points */
    size_t count;
} Characters;

static Characters characters_of(Env *env, const char *string, size_t length)
{
    Characters result = {.bytes = (const unsigned char *)string, .count = length};
    unsigned char high = 0;
    uint32_t count;

    for (size_t i = 0; i < length; i++)
        high |= (unsigned char)string[i];
    if (high < 0x80)
        return result;
    result.points = string_characters(env, string, length, &count);
    result.count = count;
    return result;
}

static inline uint32_t character(const Characters *of, size_t i)
{
    return of->points != NULL ? of->points[i] : of->bytes[i];
}

static void skip(Characters *of, size_t count)
{
    if (of->points != NULL)
        of->points += count;
    else
        of->bytes += count;
    of->count -= count;
}

/* Drops the common beginning and end. */
static void skip_common(Characters *a, Characters *b)
{
    size_t common = 0, least = a->count < b->count ? a->count : b->count;

    while (common < least && character(a, common) == character(b, common))
        common++;
    skip(a, common);
    skip(b, common);
    while (a->count > 0 && b->count > 0 &&
           character(a, a->count - 1) == character(b, b->count - 1)) {
        a->count--;
        b->count--;
    }
}

/*
 * Replaces code points from PLAIN on by numbers: those of the text by PLAIN, PLAIN + 1 and so on, those that only the pattern has
 * by the next one. Returns how many numbers there are.
 */
static uint32_t number_points(Env *env, Characters *pattern, Characters *text)
{
    HashTable numbers = hash_table(env, 5);
    Characters *both[] = {text, pattern};
    uint32_t count;

    for (int side = 0; side < 2; side++) {
        size_t points = both[side]->points != NULL ? both[side]->count : 0;

        for (size_t i = 0; i < points; i++) {
            uint32_t point = both[side]->points[i], hash = hash_32(point), place = hash_start(&numbers, hash), entry;

            env_poll_every(env, i + 1, POLL_STEPS);
            if (point < PLAIN)
                continue;
            entry = hash_next(&numbers, hash, &place); /* different points have different hashes */
            if (entry == HASH_NONE)
                entry = side == 0 ? hash_add(env, &numbers, hash) : numbers.count;
            both[side]->points[i] = PLAIN + entry;
        }
    }
    count = PLAIN + numbers.count + 1;
    env->release(env, numbers.slots);
    return count;
}

/*
 * Runs one block of `rows` characters over the text. masks: the positions of each character in the block, one bit each.
 * steps [text->count]: those above the block, replaced by those below it.
 */
static void block_run(Env *env, const uint64_t *masks, const Characters *text, unsigned rows, int8_t *steps)
{
    EditSteps block = {~(uint64_t)0, 0};

    for (size_t j = 0; j < text->count; j++) {
        steps[j] = (int8_t)edit_step(&block, masks[character(text, j)], rows - 1, steps[j]);
        env_poll_every(env, j + 1, POLL_STEPS);
    }
}

uint64_t edit_distance(Env *env, const char *a, size_t a_length, const char *b, size_t b_length)
{
    Characters pattern = characters_of(env, a, a_length), text = characters_of(env, b, b_length);
    uint32_t *owned[] = {pattern.points, text.points}, numbers = PLAIN;
    uint64_t distance, work = 0, *masks;
    int8_t *steps;

    skip_common(&pattern, &text);
    if (pattern.count < text.count) {
        Characters shorter = pattern;

        pattern = text;
        text = shorter;
    }
    distance = pattern.count;
    if (text.count > 0) {
        if (pattern.points != NULL || text.points != NULL)
            numbers = number_points(env, &pattern, &text);
        masks = env_array(env, numbers + text.count / sizeof(uint64_t) + 1, sizeof(uint64_t));
        steps = (int8_t *)(masks + numbers);
        memset(steps, 1, text.count);
        for (size_t first = 0; first < pattern.count; first += 64) {
            unsigned rows = pattern.count - first < 64 ? (unsigned)(pattern.count - first) : 64;

            for (unsigned i = 0; i < rows; i++)
                masks[character(&pattern, first + i)] |= (uint64_t)1 << i;
            block_run(env, masks, &text, rows, steps);
            for (unsigned i = 0; i < rows; i++)
                masks[character(&pattern, first + i)] = 0;
            env_poll_after(env, &work, text.count + 64, POLL_STEPS);
        }
        for (size_t j = 0; j < text.count; j++)
            distance += (uint64_t)(int64_t)steps[j];
        env->release(env, masks);
    }
    for (int i = 0; i < 2; i++)
        if (owned[i] != NULL)
            env->release(env, owned[i]);
    return distance;
}

uint64_t hamming_distance_bits(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    uint64_t distance = 0;

    for (size_t i = 0; i < bytes; i++)
        distance += (uint64_t)__builtin_popcount(a[i] ^ b[i]);
    return distance;
}

uint64_t hamming_distance_text(Env *env, const char *a, size_t a_length, const char *b,
                               size_t b_length)
{
    Characters x = characters_of(env, a, a_length), y = characters_of(env, b, b_length);
    uint64_t distance = 0;

    if (x.count != y.count)
        env_fail(env, ERROR_DATA, "Use edit_distance, which compares strings of different lengths.",
                 "the strings have %zu and %zu characters", x.count, y.count);
    for (size_t i = 0; i < x.count; i++)
        distance += character(&x, i) != character(&y, i);
    if (x.points != NULL)
        env->release(env, x.points);
    if (y.points != NULL)
        env->release(env, y.points);
    return distance;
}
