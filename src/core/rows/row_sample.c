/*
 * row_sample.c - keeps the rows with the least hashes.
 */
#include "core/rows/row_sample.h"
#include "core/base/heap.h"
#include "core/base/number_order.h"

#include <stdlib.h>

/* A HeapBefore. */
static bool hashes_higher(const void *left, const void *right, const void *context)
{
    const SampledRow *a = left, *b = right;

    (void)context;
    return a->hash > b->hash;
}

RowSample *row_sample_new(Env *env, uint32_t most, uint32_t width, bool distinct)
{
    RowSample *sample = env_array(env, 1, sizeof(RowSample));
    double *numbers;

    *sample = (RowSample){.env = env, .width = width, .most = most, .distinct = distinct};
    sample->rows = env_array(env, most, sizeof(SampledRow) + width * sizeof(double));
    numbers = (double *)(sample->rows + most);
    for (uint32_t i = 0; i < most; i++)
        sample->rows[i].row = numbers + (size_t)i * width;
    return sample;
}

double *row_sample_add(RowSample *sample, uint64_t hash)
{
    bool full = sample->count == sample->most;
    SampledRow item = {hash, sample->rows[full ? 0 : sample->count].row};

    if (full && hash >= sample->rows[0].hash)
        return NULL;
    for (uint32_t i = 0; sample->distinct && i < sample->count; i++)
        if (sample->rows[i].hash == hash)
            return NULL;
    if (full)
        heap_replace_first(sample->rows, sample->most, &item, sizeof item, hashes_higher, NULL);
    else
        heap_add(sample->rows, sample->count++, &item, sizeof item, hashes_higher, NULL);
    return item.row;
}

void row_sample_sort(RowSample *sample, double *to)
{
    qsort(sample->rows, sample->count, sizeof(SampledRow), compare_keys);
    for (uint32_t i = 0; i < sample->count; i++)
        memcpy(to + (size_t)i * sample->width, sample->rows[i].row, sample->width * sizeof(double));
}

void row_sample_free(RowSample *sample)
{
    sample->env->release(sample->env, sample->rows);
    sample->env->release(sample->env, sample);
}
