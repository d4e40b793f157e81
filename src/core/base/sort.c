/*
 * sort.c - sorts that poll for cancellation, because a million elements take longer than 10 ms: by merging, and by the bits of numbers.
 */
#include "core/base/sort.h"
#include "core/base/number_order.h"

#include <stdlib.h>
#include <string.h>

#define RUN 4096           /* elements that one qsort sorts */
#define POLL_MERGED 65536u /* elements between polls */

typedef struct Sort {
    Env *env;
    size_t size;
    int (*compare)(const void *left, const void *right);
    uint64_t merged; /* since the last poll */
} Sort;

/* Merges two adjacent runs. */
static void merge_runs(Sort *sort, const char *left, size_t left_count, size_t right_count, char *to)
{
    size_t size = sort->size;
    const char *right = left + left_count * size, *middle = right, *end = right + right_count * size;

    for (; left < middle && right < end; to += size) {
        const char **from = sort->compare(left, right) <= 0 ? &left : &right;

        memcpy(to, *from, size);
        *from += size;
        env_poll_after(sort->env, &sort->merged, 1, POLL_MERGED);
    }
    memcpy(to, left, (size_t)(middle - left));
    memcpy(to + (middle - left), right, (size_t)(end - right));
}

void sort_polled(Env *env, void *elements, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right))
{
    Sort sort = {.env = env, .size = size, .compare = compare};
    char *from = elements, *to, *room;

    for (size_t first = 0; first < count; first += RUN) {
        qsort(from + first * size, count - first < RUN ? count - first : RUN, size, compare);
        env->poll(env);
    }
    if (count <= RUN)
        return;
    to = room = env_array_raw(env, count, size);
    for (size_t run = RUN; run < count; run *= 2) {
        char *former = from;

        for (size_t first = 0; first < count; first += 2 * run) {
            size_t left = count - first < run ? count - first : run;
            size_t right = count - first - left < run ? count - first - left : run;

            merge_runs(&sort, from + first * size, left, right, to + first * size);
        }
        env->poll(env);
        from = to;
        to = former;
    }
    if (from != (char *)elements)
        memcpy(elements, from, count * size);
    env->release(env, room);
}

/* ---- by the bits of numbers ---- */

#define DIGIT_BITS 11
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define DIGITS 6         /* of 64 bits */
#define FEW_NUMBERS 256  /* a merge sort of so many takes less time than counting digits */

/* Returns the key of the number that an element begins with, -0 as 0. By integers alone: number_key makes roc_auc take a tenth more. */
static inline uint64_t key_of(const char *element)
{
    uint64_t bits;

    memcpy(&bits, element, sizeof bits);
    return key_of_bits(bits << 1 != 0 ? bits : 0);
}

static void count_digits(Env *env, const char *elements, size_t count, size_t size, size_t counts[DIGITS][DIGIT_VALUES])
{
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_of(elements + i * size);

        for (unsigned d = 0; d < DIGITS; d++, key >>= DIGIT_BITS)
            counts[d][key & (DIGIT_VALUES - 1)]++;
        env_poll_every(env, i, POLL_MERGED);
    }
}

/* Distributes elements by one digit of their keys. counts: of its values. */
static inline __attribute__((always_inline)) void distribute(Env *env, const char *from, char *to, size_t count, size_t size, unsigned shift, size_t *counts)
{
    for (size_t value = 0, place = 0; value < DIGIT_VALUES; value++) {
        size_t here = counts[value];

        counts[value] = place;
        place += here;
    }
    for (size_t i = 0; i < count; i++, from += size) {
        memcpy(to + size * counts[key_of(from) >> shift & (DIGIT_VALUES - 1)]++, from, size);
        env_poll_every(env, i, POLL_MERGED);
    }
}

void sort_numbers(Env *env, void *elements, size_t count, size_t size)
{
    size_t(*counts)[DIGIT_VALUES];
    char *from = elements, *to, *room;

    if (count <= FEW_NUMBERS) {
        sort_polled(env, elements, count, size, compare_numbers);
        return;
    }
    counts = env_array(env, DIGITS, sizeof *counts);
    count_digits(env, from, count, size, counts);
    to = room = env_array_raw(env, count, size);
    for (unsigned d = 0, shift = 0; d < DIGITS; d++, shift += DIGIT_BITS) {
        char *former = from;

        if (counts[d][key_of(from) >> shift & (DIGIT_VALUES - 1)] == count)
            continue; /* all share this digit */
        if (size == sizeof(double))
            distribute(env, from, to, count, sizeof(double), shift, counts[d]);
        else if (size == 2 * sizeof(double))
            distribute(env, from, to, count, 2 * sizeof(double), shift, counts[d]);
        else
            distribute(env, from, to, count, size, shift, counts[d]);
        from = to;
        to = former;
    }
    if (from != (char *)elements)
        env_copy(env, elements, from, count * size);
    env->release(env, room);
    env->release(env, counts);
}

void sort_ties(Env *env, void *elements, size_t count, size_t size, int (*compare)(const void *left, const void *right))
{
    char *list = elements;

    for (size_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && compare_numbers(list + last * size, list + first * size) == 0; last++)
            ;
        if (last - first > 1)
            sort_polled(env, list + first * size, last - first, size, compare);
        else
            env_poll_rows(env, first);
    }
}

/* ---- exchanges ---- */

/* Merges two sorted runs. Returns how many numbers of the right one are below how many of the left one. */
static uint64_t merge_exchanges(Env *env, const double *left, uint64_t lefts, const double *right, uint64_t rights, double *out)
{
    uint64_t exchanges = 0, i = 0, j = 0;

    while (i < lefts && j < rights) {
        bool falls = right[j] < left[i];

        *out++ = falls ? right[j] : left[i];
        exchanges += falls ? lefts - i : 0;
        i += !falls;
        j += falls;
        env_poll_rows(env, i + j);
    }
    while (i < lefts)
        *out++ = left[i++];
    while (j < rights)
        *out++ = right[j++];
    return exchanges;
}

uint64_t sort_exchanges(Env *env, double *numbers, double *room, uint64_t count)
{
    uint64_t exchanges = 0, merged = 0;
    double *from = numbers, *to = room;

    for (uint64_t width = 1; width < count; width *= 2) {
        double *former = from;

        for (uint64_t first = 0; first < count; first += 2 * width) {
            uint64_t lefts = width < count - first ? width : count - first, rights = count - first - lefts < width ? count - first - lefts : width;

            exchanges += merge_exchanges(env, from + first, lefts, from + first + lefts, rights, to + first);
            env_poll_after(env, &merged, lefts + rights, ENV_POLL_ROWS);
        }
        from = to;
        to = former;
    }
    if (from != numbers)
        env_copy(env, numbers, from, count * sizeof(double));
    return exchanges;
}

double median_of_sorted(const double *sorted, uint64_t count)
{
    double low = sorted[(count - 1) / 2], high = sorted[count / 2];

    return low == high ? low : low / 2 + high / 2;
}

uint32_t sort_falling(double *values, uint32_t count)
{
    uint32_t kept = 0;

    qsort(values, count, sizeof(double), compare_numbers_falling);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i])
            values[kept++] = values[i];
    return kept;
}
