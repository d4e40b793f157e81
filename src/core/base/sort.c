/*
 * sort.c - a merge sort that polls for cancellation, because a million elements take longer than 10 ms.
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
    size_t merged; /* since the last poll */
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
        if (++sort->merged >= POLL_MERGED) {
            sort->merged = 0;
            sort->env->poll(sort->env);
        }
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

uint32_t sort_falling(double *values, uint32_t count)
{
    uint32_t kept = 0;

    qsort(values, count, sizeof(double), compare_numbers_falling);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i])
            values[kept++] = values[i];
    return kept;
}
