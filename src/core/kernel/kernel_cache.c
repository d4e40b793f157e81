/*
 * kernel_cache.c - a cache of rows of a Gram matrix in a ring of slabs.
 *
 * Rows are written one behind the other. Where all slabs are full, the oldest is emptied and filled again. A row that is used while its slab is in
 * the older half of the ring moves to the newest, so what is dropped was not used for half a ring. Slabs are large because the system gives them
 * large pages: with a block of memory per row, 17 percent of the time of 20,000 rows is spent on page faults instead of 7.
 */
#include "core/kernel/kernel_cache.h"

#include <string.h>

#define SEGMENT_WORK 65536       /* coordinates compared between two polls */
#define SEGMENT 512              /* values computed at a time, at most; a multiple of KERNEL_PANEL */
#define SLAB_FLOATS (4u << 20)   /* of a slab, where the budget has room for SLABS of them and rows are not longer */
#define SLABS 8

/* What stands before the values of a row in its slab; as long as a vector register, so that values are aligned. */
typedef union CachedRow {
    struct {
        uint32_t owner;  /* the row; the entry is without meaning unless rows[owner] is this one */
        uint32_t length; /* values */
        uint32_t slab;   /* where it stands */
    };
    float size[16];
} CachedRow;

#define HEADER (sizeof(CachedRow) / sizeof(float))

typedef struct Slab {
    void *block;
    float *floats; /* [slab_floats], aligned as CachedRow */
    size_t used;
} Slab;

struct KernelCache {
    Env *env;
    KernelPoints points;
    uint32_t count, dims;
    uint32_t segment;  /* values between two polls */
    double *diagonal;  /* [count] */
    double *query;     /* [dims] */
    CachedRow **rows;  /* [count]; NULL: not kept */
    Slab *slabs;       /* [most_slabs], the first slab_count with memory */
    size_t slab_floats;
    uint32_t slab_count, most_slabs;
    uint32_t newest;   /* the slab that is being filled */
    uint64_t evaluations;
};

/* Returns the floats of a row in a slab; whole vectors, so that the next one is aligned too. */
static size_t row_floats(uint32_t length)
{
    return HEADER + ((size_t)length + KERNEL_CACHE_SPARE + HEADER - 1) / HEADER * HEADER;
}

size_t kernel_cache_least(uint32_t count, uint32_t dims)
{
    double bytes = ((double)count + KERNEL_PANEL) * (dims + 1.0) * sizeof(double) + (count + 1.0) * sizeof(CachedRow *) +
                   2.0 * row_floats(count) * sizeof(float);

    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

/* Divides the budget into slabs: two at least, each with room for a whole row, none larger than the whole matrix. */
static void plan_slabs(KernelCache *cache, size_t budget)
{
    size_t row = row_floats(cache->count), floats = SLAB_FLOATS;

    if (floats > budget / SLABS)
        floats = budget / SLABS;
    if (floats / row >= cache->count)
        floats = row * cache->count;
    if (floats < row)
        floats = row;
    cache->slab_floats = floats / HEADER * HEADER;
    cache->most_slabs = budget / floats > cache->count ? cache->count : (uint32_t)(budget / floats);
    if (cache->most_slabs < 2)
        cache->most_slabs = 2;
    cache->slabs = env_array(cache->env, cache->most_slabs, sizeof(Slab));
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
    cache->rows = env_array(env, (size_t)count + 1, sizeof(CachedRow *));
    plan_slabs(cache, bytes / sizeof(float));
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

    for (uint32_t s = 0; s < cache->slab_count; s++)
        env->release(env, cache->slabs[s].block);
    env->release(env, cache->slabs);
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

/* ---- the ring of slabs ---- */

/* Returns the entry that stands at a place of a slab. */
static CachedRow *entry_at(const Slab *slab, size_t at)
{
    return (CachedRow *)(slab->floats + at);
}

static float *values_of(CachedRow *entry)
{
    return (float *)(entry + 1);
}

/* Gives memory to one more slab. */
static void add_slab(KernelCache *cache)
{
    Slab *slab = &cache->slabs[cache->slab_count];

    slab->floats = (float *)env_aligned_raw(cache->env, cache->slab_floats / 2, &slab->block);
    cache->newest = cache->slab_count++;
}

/* Forgets all rows of the oldest slab, which becomes the newest one. */
static void empty_oldest(KernelCache *cache)
{
    Slab *slab;
    CachedRow *entry;

    cache->newest = (cache->newest + 1) % cache->most_slabs;
    slab = &cache->slabs[cache->newest];
    for (size_t at = 0; at < slab->used; at += row_floats(entry->length)) {
        entry = entry_at(slab, at);
        if (cache->rows[entry->owner] == entry)
            cache->rows[entry->owner] = NULL;
    }
    slab->used = 0;
}

/*
 * Makes an entry of row i for `length` values, and moves those that the row has. The row of the call before keeps its place: its slab is in
 * the newer half of the ring, or the ring is not full.
 */
static CachedRow *place_row(KernelCache *cache, uint32_t i, uint32_t length)
{
    CachedRow *former = cache->rows[i], *entry;
    uint32_t kept = former == NULL ? 0 : former->length < length ? former->length : length;
    size_t floats = row_floats(length);

    if (cache->slab_count == 0 || cache->slabs[cache->newest].used + floats > cache->slab_floats) {
        if (cache->slab_count < cache->most_slabs)
            add_slab(cache);
        else
            empty_oldest(cache);
    }
    entry = entry_at(&cache->slabs[cache->newest], cache->slabs[cache->newest].used);
    if (former) /* it may stand in the slab that was emptied, at the same place or behind */
        memmove(values_of(entry), values_of(former), kept * sizeof(float));
    entry->owner = i;
    entry->length = length;
    entry->slab = cache->newest;
    cache->slabs[cache->newest].used += floats;
    return cache->rows[i] = entry;
}

/* Returns whether a row's slab is in the older half of a full ring. */
static bool is_old(const KernelCache *cache, const CachedRow *entry)
{
    uint32_t age = (cache->newest + cache->most_slabs - entry->slab) % cache->most_slabs;

    return cache->slab_count == cache->most_slabs && age >= cache->most_slabs / 2;
}

const float *kernel_cache_row(KernelCache *cache, uint32_t i, uint32_t length)
{
    CachedRow *entry = cache->rows[i];
    uint32_t from = entry ? entry->length : 0;

    if (entry && from >= length && !is_old(cache, entry))
        return values_of(entry);
    entry = place_row(cache, i, length);
    if (from < length) {
        from = from / KERNEL_PANEL * KERNEL_PANEL;
        kernel_cache_floats(cache, i, from, length - from, values_of(entry) + from);
    }
    memset(values_of(entry) + length, 0, KERNEL_CACHE_SPARE * sizeof(float));
    return values_of(entry);
}

/* ---- exchange ---- */

static void swap_points(KernelCache *cache, uint32_t i, uint32_t j)
{
    double kept = cache->diagonal[i];

    kernel_points_swap(&cache->points, i, j);
    cache->diagonal[i] = cache->diagonal[j];
    cache->diagonal[j] = kept;
}

/* Gives row i's values to row j and back. */
static void swap_rows(KernelCache *cache, uint32_t i, uint32_t j)
{
    CachedRow *a = cache->rows[i], *b = cache->rows[j];

    if (a)
        a->owner = j;
    if (b)
        b->owner = i;
    cache->rows[i] = b;
    cache->rows[j] = a;
}

/* Exchanges the values of one row; returns false where one of a pair was never computed. */
static bool swap_values(CachedRow *entry, const PointPair *pairs, uint32_t count)
{
    float *values = values_of(entry);

    for (uint32_t p = 0; p < count; p++) {
        uint32_t i = pairs[p].first, j = pairs[p].second;
        float kept;

        if (j >= entry->length) {
            if (i >= entry->length)
                continue;
            return false;
        }
        kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
    return true;
}

/* Exchanges the values of the rows of a slab, and forgets those that lack one. */
static void swap_in_slab(KernelCache *cache, const Slab *slab, const PointPair *pairs, uint32_t count)
{
    CachedRow *entry;

    for (size_t at = 0; at < slab->used; at += row_floats(entry->length)) {
        entry = entry_at(slab, at);
        if (cache->rows[entry->owner] != entry)
            continue;
        if (!swap_values(entry, pairs, count))
            cache->rows[entry->owner] = NULL;
        cache->env->poll(cache->env);
    }
}

void kernel_cache_swap(KernelCache *cache, const PointPair *pairs, uint32_t count)
{
    if (count == 0)
        return;
    for (uint32_t p = 0; p < count; p++) {
        swap_points(cache, pairs[p].first, pairs[p].second);
        swap_rows(cache, pairs[p].first, pairs[p].second);
    }
    for (uint32_t s = 0; s < cache->slab_count; s++)
        swap_in_slab(cache, &cache->slabs[s], pairs, count);
}

const double *kernel_cache_diagonal(const KernelCache *cache)
{
    return cache->diagonal;
}

uint64_t kernel_cache_evaluations(const KernelCache *cache)
{
    return cache->evaluations;
}
