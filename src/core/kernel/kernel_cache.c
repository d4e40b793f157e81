/*
 * kernel_cache.c - a least recently used cache of rows of a Gram matrix.
 */
#include "core/kernel/kernel_cache.h"

#include <string.h>

#define SEGMENT_WORK 65536 /* coordinates compared between two polls */
#define SEGMENT 512        /* values computed at a time, at most; a multiple of KERNEL_PANEL */

typedef struct CachedRow {
    float *values;        /* [length], or NULL */
    uint32_t length;      /* values computed */
    uint32_t newer, older; /* in the order of use; count: none */
} CachedRow;

struct KernelCache {
    Env *env;
    KernelPoints points;
    uint32_t count, dims;
    uint32_t segment; /* values between two polls */
    double *diagonal; /* [count] */
    double *query;    /* [dims] */
    CachedRow *rows;  /* [count + 1]; the last heads the list: its `older` is the newest row */
    size_t spare;     /* floats that may still be allocated */
    uint64_t evaluations;
};

size_t kernel_cache_least(uint32_t count, uint32_t dims)
{
    double bytes = ((double)count + KERNEL_PANEL) * (dims + 1.0) * sizeof(double) + (count + 1.0) * sizeof(CachedRow) +
                   2 * ((double)count + KERNEL_CACHE_SPARE) * sizeof(float);

    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

KernelCache *kernel_cache(Env *env, const Kernel *kernel, const double *points, uint32_t count, uint32_t dims, size_t bytes)
{
    KernelCache *cache = env_array(env, 1, sizeof(KernelCache));
    uint32_t segment = SEGMENT_WORK / (dims + 1) / KERNEL_PANEL * KERNEL_PANEL;

    cache->env = env;
    cache->points = kernel_points(env, kernel, points, count, dims);
    cache->count = count;
    cache->dims = dims;
    cache->segment = segment < KERNEL_PANEL ? KERNEL_PANEL : segment < SEGMENT ? segment : SEGMENT;
    cache->diagonal = env_array(env, (size_t)count + 1, sizeof(double));
    cache->query = env_array(env, (size_t)dims + 1, sizeof(double));
    cache->rows = env_array(env, (size_t)count + 1, sizeof(CachedRow));
    cache->rows[count].newer = cache->rows[count].older = count;
    cache->spare = bytes / sizeof(float);
    if (cache->spare < 2 * ((size_t)count + KERNEL_CACHE_SPARE))
        cache->spare = 2 * ((size_t)count + KERNEL_CACHE_SPARE);
    for (uint32_t i = 0; i < count; i++) {
        const double *point = points + (size_t)i * dims;

        cache->diagonal[i] = kernel_value(kernel, point, point, dims);
        env_poll_every(env, i, cache->segment);
    }
    return cache;
}

void kernel_cache_free(KernelCache *cache)
{
    Env *env = cache->env;

    for (uint32_t i = 0; i < cache->count; i++)
        if (cache->rows[i].values != NULL)
            env->release(env, cache->rows[i].values);
    env->release(env, cache->rows);
    env->release(env, cache->query);
    env->release(env, cache->diagonal);
    env->release(env, cache->points.numbers);
    env->release(env, cache);
}

void kernel_cache_values(KernelCache *cache, uint32_t i, uint32_t first, uint32_t count, double *out)
{
    kernel_points_read(&cache->points, i, cache->query);
    for (uint32_t from = 0; from < count; from += cache->segment) {
        uint32_t some = count - from < cache->segment ? count - from : cache->segment;

        kernel_points_values(&cache->points, cache->query, first + from, some, out + from);
        cache->env->poll(cache->env);
    }
    cache->evaluations += count;
}

void kernel_cache_floats(KernelCache *cache, uint32_t i, uint32_t first, uint32_t count, float *out)
{
    kernel_points_read(&cache->points, i, cache->query);
    for (uint32_t from = 0; from < count; from += cache->segment) {
        uint32_t some = count - from < cache->segment ? count - from : cache->segment;

        kernel_points_floats(&cache->points, cache->query, first + from, some, out + from);
        cache->env->poll(cache->env);
    }
    cache->evaluations += count;
}

/* ---- the order of use ---- */

static void unlink_row(KernelCache *cache, uint32_t i)
{
    CachedRow *row = &cache->rows[i];

    cache->rows[row->newer].older = row->older;
    cache->rows[row->older].newer = row->newer;
}

static void link_newest(KernelCache *cache, uint32_t i)
{
    CachedRow *head = &cache->rows[cache->count], *row = &cache->rows[i];

    row->newer = cache->count;
    row->older = head->older;
    cache->rows[head->older].newer = i;
    head->older = i;
}

static void drop_row(KernelCache *cache, uint32_t i)
{
    CachedRow *row = &cache->rows[i];

    unlink_row(cache, i);
    cache->env->release(cache->env, row->values);
    cache->spare += row->length + KERNEL_CACHE_SPARE;
    row->values = NULL;
    row->length = 0;
}

/* Makes room for more floats by dropping the rows that were not used for longest; the newest one stays. */
static void make_room(KernelCache *cache, uint32_t floats)
{
    CachedRow *head = &cache->rows[cache->count];

    while (cache->spare < floats && head->newer != head->older)
        drop_row(cache, head->newer);
}

const float *kernel_cache_row(KernelCache *cache, uint32_t i, uint32_t length)
{
    CachedRow *row = &cache->rows[i];
    uint32_t from = row->length, more;

    if (row->values != NULL)
        unlink_row(cache, i);
    if (from < length) {
        more = length - from + (from == 0 ? KERNEL_CACHE_SPARE : 0);
        make_room(cache, more);
        cache->spare -= more < cache->spare ? more : cache->spare;
        row->values = cache->env->resize(cache->env, row->values, ((size_t)length + KERNEL_CACHE_SPARE) * sizeof(float));
        from = from / KERNEL_PANEL * KERNEL_PANEL;
        kernel_cache_floats(cache, i, from, length - from, row->values + from);
        memset(row->values + length, 0, KERNEL_CACHE_SPARE * sizeof(float));
        row->length = length;
    }
    link_newest(cache, i);
    return row->values;
}

/* ---- exchange ---- */

static void swap_points(KernelCache *cache, uint32_t i, uint32_t j)
{
    double kept = cache->diagonal[i];

    kernel_points_swap(&cache->points, i, j);
    cache->diagonal[i] = cache->diagonal[j];
    cache->diagonal[j] = kept;
}

/* Gives row i's place in the order of use, and its values, to row j and back. */
static void swap_rows(KernelCache *cache, uint32_t i, uint32_t j)
{
    CachedRow *a = &cache->rows[i], *b = &cache->rows[j], kept;
    bool has_a = a->values != NULL, has_b = b->values != NULL;

    if (has_a)
        unlink_row(cache, i);
    if (has_b)
        unlink_row(cache, j);
    kept = *a;
    *a = *b;
    *b = kept;
    if (has_b)
        link_newest(cache, i);
    if (has_a)
        link_newest(cache, j);
}

/* Exchanges the values of one row; returns false where one of a pair was never computed. */
static bool swap_values(CachedRow *row, const PointPair *pairs, uint32_t count)
{
    float *values = row->values;

    for (uint32_t p = 0; p < count; p++) {
        uint32_t i = pairs[p].first, j = pairs[p].second;
        float kept;

        if (j >= row->length) {
            if (i >= row->length)
                continue;
            return false;
        }
        kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
    return true;
}

void kernel_cache_swap(KernelCache *cache, const PointPair *pairs, uint32_t count)
{
    CachedRow *rows = cache->rows;
    uint32_t older;

    if (count == 0)
        return;
    for (uint32_t p = 0; p < count; p++) {
        swap_points(cache, pairs[p].first, pairs[p].second);
        swap_rows(cache, pairs[p].first, pairs[p].second);
    }
    for (uint32_t r = rows[cache->count].older; r != cache->count; r = older) {
        older = rows[r].older;
        if (!swap_values(&rows[r], pairs, count))
            drop_row(cache, r);
        cache->env->poll(cache->env);
    }
}

const double *kernel_cache_diagonal(const KernelCache *cache)
{
    return cache->diagonal;
}

uint64_t kernel_cache_evaluations(const KernelCache *cache)
{
    return cache->evaluations;
}
