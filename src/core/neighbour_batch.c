/*
 * neighbour_batch.c - the nearest rows of many queries at once.
 *
 * |q - x|^2 = |q|^2 + |x|^2 - 2 q'x: a product of matrices gives the approximate squared distances of a
 * block of queries from a block of rows, moved to the rows' mean so that little cancels. Only what may, for all that rounding
 * can have done, come before the last neighbour so far is then computed as a single search
 * computes it. So results do not depend on the product, nor on the BLAS that made it.
 */
#include "lapack.h"
#include "neighbour_index.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PRODUCT_MIN_WIDTH 8 /* coordinates from which a product pays */
#define PRODUCT_FLOPS 1e8   /* of one call; the limit is 2e8 */
#define QUERY_BLOCK 128
#define ROW_BLOCK 1024

/* Rows or queries, less the mean of the rows, with one more column, and bounds of their squares. */
typedef struct Moved {
    double *data; /* [count x (numbers + 1)] */
    double *squares; /* [count] */
    double largest;
} Moved;

typedef struct Batch {
    NeighbourSearch *search;
    const NeighbourIndex *index;
    uint32_t k, depth; /* depth: of the product, numbers + 1 */
    const uint32_t *skips;
    Moved queries, rows;
    double *sums; /* [queries x rows] of blocks */
} Batch;

static void center_rows(NeighbourIndex *index)
{
    uint32_t width = index->width;
    double share = 1.0 / index->count;

    index->center = env_array(index->env, width, sizeof(double));
    for (uint32_t i = 0; i < index->count; i++) {
        for (uint32_t j = 0; j < width; j++)
            index->center[j] += index->rows[(size_t)i * width + j] * share;
        if (i % 4096 == 4095)
            index->env->poll(index->env);
    }
}

/* Rows: x, |x|^2; queries: -2 q, 1; so that their product is |x|^2 - 2 q'x. */
static void move(const Batch *batch, const double *from, uint32_t count, bool is_query, Moved *to)
{
    uint32_t numbers = batch->index->width;
    const double *center = batch->index->center;

    to->largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double *row = to->data + (size_t)i * batch->depth, squares = 0;

        for (uint32_t j = 0; j < numbers; j++) {
            double moved = from[(size_t)i * numbers + j] - center[j];

            squares += moved * moved;
            row[j] = is_query ? -2 * moved : moved;
        }
        row[numbers] = is_query ? 1 : squares;
        to->squares[i] = squares;
        if (!(squares <= to->largest)) /* a NaN stays */
            to->largest = squares;
    }
}

/* The largest sum that a row may have and still come before the last neighbour found. */
static inline double sum_limit(const Batch *batch, const Neighbour *found, uint32_t found_count,
                               uint32_t query)
{
    double squares = batch->queries.squares[query];
    /* of the move, the squares, the product and the exact sum, each at most this many roundings */
    double slack = 8 * (batch->depth + 8) * DBL_EPSILON * (squares + batch->rows.largest);

    return (found_count < batch->k ? INFINITY : found[0].reduced) - squares + slack;
}

/* Exact distances of what may be near: sums[i] is |x|^2 - 2 q'x of row first + i, about. */
static void take_candidates(Batch *batch, const double *sums, uint32_t query, uint32_t first,
                            uint32_t count, const double *coordinates, Neighbour *found,
                            uint32_t *found_count)
{
    const NeighbourIndex *index = batch->index;
    uint32_t skip = batch->skips ? batch->skips[query] : NEIGHBOUR_NONE;
    double limit = sum_limit(batch, found, *found_count, query);

    for (uint32_t i = 0; i < count; i++) {
        double reduced;

        if (sums[i] > limit) /* a NaN is looked at */
            continue;
        if (first + i == skip)
            continue;
        reduced = metric_reduced(index->metric, coordinates,
                                 index->rows + (size_t)(first + i) * index->width);
        batch->search->evaluated++;
        if (isnan(reduced))
            continue;
        neighbour_heap_put(found, found_count, batch->k, reduced, first + i);
        limit = sum_limit(batch, found, *found_count, query);
    }
}

/* sums = moved rows x moved queries, a column a query. */
static void multiply(const Batch *batch, uint32_t rows, uint32_t first_query, uint32_t queries)
{
    int m = (int)rows, n = (int)queries, k = (int)batch->depth;
    double one = 1, zero = 0;

    dgemm_("T", "N", &m, &n, &k, &one, batch->rows.data, &k,
           batch->queries.data + (size_t)first_query * batch->depth, &k, &zero, batch->sums, &m, 1,
           1);
}

static void moved_alloc(const Batch *batch, Moved *moved, uint32_t count)
{
    moved->data = env_array_raw(batch->index->env, count, batch->depth * sizeof(double));
    moved->squares = env_array_raw(batch->index->env, count, sizeof(double));
}

static void nearest_by_products(Batch *batch, const double *queries, uint32_t count,
                                Neighbour *found, uint32_t *counts)
{
    const NeighbourIndex *index = batch->index;
    Env *env = index->env;
    uint32_t width = index->width;
    uint32_t row_block = (uint32_t)(PRODUCT_FLOPS / 2 / QUERY_BLOCK / batch->depth);

    row_block = row_block > ROW_BLOCK ? ROW_BLOCK : row_block < 8 ? 8 : row_block;
    moved_alloc(batch, &batch->queries, count);
    moved_alloc(batch, &batch->rows, row_block);
    batch->sums = env_array_raw(env, (size_t)QUERY_BLOCK * row_block, sizeof(double));
    move(batch, queries, count, true, &batch->queries);
    for (uint32_t first = 0; first < index->count;) {
        uint32_t rows = index->count - first < row_block ? index->count - first : row_block;

        move(batch, index->rows + (size_t)first * width, rows, false, &batch->rows);
        for (uint32_t from = 0; from < count; from += QUERY_BLOCK) {
            uint32_t some = count - from < QUERY_BLOCK ? count - from : QUERY_BLOCK;

            env->poll(env);
            multiply(batch, rows, from, some);
            for (uint32_t i = from; i < from + some; i++)
                take_candidates(batch, batch->sums + (size_t)(i - from) * rows, i, first, rows,
                                queries + (size_t)i * width, found + (size_t)i * batch->k,
                                &counts[i]);
        }
        first += rows;
    }
    env->release(env, batch->queries.data);
    env->release(env, batch->queries.squares);
    env->release(env, batch->rows.data);
    env->release(env, batch->rows.squares);
    env->release(env, batch->sums);
}

/* Rows in blocks that stay in the cache while the queries of a block pass by. */
static void nearest_by_blocks(Batch *batch, const double *queries, uint32_t count,
                              Neighbour *found, uint32_t *counts)
{
    const NeighbourIndex *index = batch->index;
    uint32_t width = index->width, row_block = 1 + 65536 / (8 * width);
    double *reduced = env_array_raw(index->env, row_block, sizeof(double));

    for (uint32_t first = 0, rows; first < index->count; first += rows) {
        rows = index->count - first < row_block ? index->count - first : row_block;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t skip = batch->skips ? batch->skips[i] : NEIGHBOUR_NONE;
            Neighbour *heap = found + (size_t)i * batch->k;
            double limit = counts[i] < batch->k ? INFINITY : heap[0].reduced;

            metric_reduced_rows(index->metric, queries + (size_t)i * width,
                                index->rows + (size_t)first * width, rows, reduced);
            batch->search->evaluated += rows;
            for (uint32_t j = 0; j < rows; j++) {
                if (!(reduced[j] <= limit) || first + j == skip)
                    continue;
                neighbour_heap_put(heap, &counts[i], batch->k, reduced[j], first + j);
                if (counts[i] == batch->k)
                    limit = heap[0].reduced;
            }
            if (i % 16 == 0)
                index->env->poll(index->env);
        }
    }
    index->env->release(index->env, reduced);
}

void neighbour_nearest_batch(NeighbourSearch *search, const double *queries, uint32_t count,
                             uint32_t k, const uint32_t *skips, Neighbour *found, uint32_t *counts)
{
    const NeighbourIndex *index = search->index;
    Batch batch = {.search = search, .index = index, .k = k, .skips = skips};

    if (index->kind != INDEX_BRUTE) {
        for (uint32_t i = 0; i < count; i++) {
            memcpy(search->query, queries + (size_t)i * index->width,
                   index->width * sizeof(double));
            neighbour_nearest(search, k, skips ? skips[i] : NEIGHBOUR_NONE);
            memcpy(found + (size_t)i * k, search->found, search->count * sizeof(Neighbour));
            counts[i] = search->count;
            if (i % 64 == 63)
                index->env->poll(index->env);
        }
        return;
    }
    memset(counts, 0, count * sizeof(uint32_t));
    if (index->metric->form == FORM_SQUARES && index->metric->symbols == 0 &&
        index->width >= PRODUCT_MIN_WIDTH && count >= 4) {
        batch.depth = index->width + 1;
        if (!index->center)
            center_rows((NeighbourIndex *)index);
        nearest_by_products(&batch, queries, count, found, counts);
    } else {
        nearest_by_blocks(&batch, queries, count, found, counts);
    }
    for (uint32_t i = 0; i < count; i++)
        neighbour_heap_sort(found + (size_t)i * k, counts[i]);
}
