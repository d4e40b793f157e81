/*
 * radix_sort.c - sorting by the least significant digit first (Knuth, The Art of Computer Programming 3, 5.2.5). Digits that all
 * keys share are left out.
 */
#include "core/base/radix_sort.h"

#include <string.h>

#define RADIX_BITS 11
#define RADIX (1u << RADIX_BITS)
#define DIGITS 6 /* of 64 bits */
#define POLL_ROWS 65536

static void count_digits(Env *env, const uint64_t *keys, uint32_t count, uint32_t places[DIGITS][RADIX])
{
    memset(places, 0, DIGITS * RADIX * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t d = 0; d < DIGITS; d++)
            places[d][keys[i] >> (d * RADIX_BITS) & (RADIX - 1)]++;
        env_poll_every(env, i, POLL_ROWS);
    }
}

/* Distributes keys [begin, end), and their rows, by one digit. */
static void distribute(const RadixRoom *room, int from, uint32_t begin, uint32_t end, uint32_t shift, uint32_t *place)
{
    const uint64_t *restrict keys = room->keys[from];
    uint64_t *restrict to = room->keys[1 - from];

    if (room->rows[0] == NULL) {
        for (uint32_t i = begin; i < end; i++)
            to[place[keys[i] >> shift & (RADIX - 1)]++] = keys[i];
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        uint32_t at = place[keys[i] >> shift & (RADIX - 1)]++;

        to[at] = keys[i];
        room->rows[1 - from][at] = room->rows[from][i];
    }
}

int radix_sort(Env *env, RadixRoom *room, uint32_t count)
{
    uint32_t(*places)[RADIX] = env_array_raw(env, DIGITS, sizeof(*places));
    int from = 0;

    count_digits(env, room->keys[0], count, places);
    for (uint32_t d = 0; d < DIGITS && count > 0; d++) {
        uint32_t *place = places[d], at = 0, shift = d * RADIX_BITS;

        if (place[room->keys[from][0] >> shift & (RADIX - 1)] == count)
            continue;
        for (uint32_t b = 0; b < RADIX; b++) {
            uint32_t size = place[b];

            place[b] = at;
            at += size;
        }
        for (uint32_t begin = 0; begin < count; begin += POLL_ROWS) {
            env->poll(env);
            distribute(room, from, begin, count - begin < POLL_ROWS ? count : begin + POLL_ROWS, shift, place);
        }
        from = 1 - from;
    }
    env->release(env, places);
    return from;
}
