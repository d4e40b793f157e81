/*
 * neighbor_batch.c - the nearest rows of many queries at once.
 *
 * Because |q - x|^2 = |q|^2 + |x|^2 - 2 q'x, a product of matrices gives approximate squared distances from a block of queries to a
 * block of rows. The mean of the rows is subtracted from both, so that few digits cancel. Exact distances, as in a single search,
 * are computed only for rows that may be nearer than the last neighbor so far, given the largest rounding error. So results do not
 * depend on how the product was summed.
 */
#include "core/neighbors/neighbor_index.h"
#include "core/linalg/gemm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PRODUCT_MIN_QUERIES 4          /* with fewer queries packing the rows costs more than it saves */
#define PRODUCT_SHARE 20               /* a row costs 1/20 of the time in a product that it costs in a tree */
#define TRIALS 8                       /* tree searches by which neighbor_batch_pays decides */
#define QUERY_BLOCK 64                 /* queries */
#define ROW_BLOCK (20 * PRODUCT_STRIP) /* rows; packed rows and sums fit into the L2 cache */
#define SCAN 8                         /* sums compared at once */

/* Rows or queries less the mean of the rows, with one more column, and their squared lengths. */
typedef struct Centered {
    double *data;    /* [count x (numbers + 1)] */
    double *squares; /* [count] */
    double largest;  /* of squares */
} Centered;

typedef struct Batch {
    NeighborSearch *search;
    const NeighborIndex *index;
    uint32_t k, depth; /* depth: of the product, numbers + 1 */
    uint32_t end;          /* rows [0, end) are compared */
    const uint32_t *skips; /* [queries] position to leave out, or NULL */
    NeighborCandidate candidate; /* takes the rows that may be near enough; NULL: they go to the heaps */
    void *context;
    double *limits;              /* with candidate: [queries] */
    Centered queries, rows;
} Batch;

/* Writes (x, |x|^2) for rows and (-2 q, 1) for queries, so that their product is |x|^2 - 2 q'x. */
static void center_rows(const Batch *batch, const double *from, uint32_t count, bool is_query, Centered *to)
{
    uint32_t numbers = batch->index->width;
    const double *center = batch->index->center;

    to->largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double *row = to->data + (size_t)i * batch->depth, squares = 0;

        for (uint32_t j = 0; j < numbers; j++) {
            double difference = from[(size_t)i * numbers + j] - center[j];

            squares += difference * difference;
            row[j] = is_query ? -2 * difference : difference;
        }
        row[numbers] = is_query ? 1 : squares;
        to->squares[i] = squares;
        if (!(squares <= to->largest)) /* keeps a NaN */
            to->largest = squares;
    }
}

/* Returns the largest |x|^2 - 2 q'x, as the product gives it, of a row that may come before the last neighbor found, or be within the query's limit. */
static inline double sum_limit(const Batch *batch, const Neighbor *found, uint32_t found_count,
                               uint32_t query)
{
    double squares = batch->queries.squares[query];
    /* bounds the rounding of subtracting the mean, of the squares, of the product and of the exact sum together; DBL_MIN: where squares underflow */
    double slack = 8 * (batch->depth + 8) * DBL_EPSILON * (squares + batch->rows.largest + DBL_MIN);

    if (batch->candidate != NULL)
        return batch->limits[query] - squares + slack;
    return (found_count < batch->k ? INFINITY : found[0].reduced) - squares + slack;
}

/* Computes the exact distance of a row, as a single search does, and adds it to the heap if it is near enough. */
static void add_candidate(Batch *batch, uint32_t query, uint32_t position,
                           const double *coordinates, Neighbor *found, uint32_t *found_count)
{
    const NeighborIndex *index = batch->index;
    double reduced;

    if (batch->skips && batch->skips[query] == position)
        return;
    reduced = metric_reduced(index->metric, coordinates,
                             index->rows + (size_t)position * index->width);
    batch->search->evaluated++;
    if (!isnan(reduced))
        neighbor_heap_put(found, found_count, batch->k, reduced, position);
}

/* Adds the rows of a block that may be near enough. sums[i]: approximate |x|^2 - 2 q'x of row first + i. */
static void add_candidates(Batch *batch, const double *sums, uint32_t query, uint32_t first,
                            uint32_t count, const double *coordinates, Neighbor *found,
                            uint32_t *found_count)
{
    double limit = sum_limit(batch, found, *found_count, query);

    for (uint32_t i = 0; i < count; i += SCAN) {
        uint32_t end = count - i < SCAN ? count : i + SCAN;
        bool any = false;

        if (end - i == SCAN) {
            for (uint32_t j = 0; j < SCAN; j++)
                any |= !(sums[i + j] > limit); /* a NaN rules nothing out */
            if (!any)
                continue;
        }
        for (uint32_t j = i; j < end; j++) {
            if (sums[j] > limit)
                continue;
            if (batch->candidate != NULL)
                batch->limits[query] = batch->candidate(batch->context, query, first + j);
            else
                add_candidate(batch, query, first + j, coordinates, found, found_count);
            limit = sum_limit(batch, found, *found_count, query);
        }
    }
}

size_t neighbor_product_numbers(const NeighborIndex *index, uint32_t count)
{
    uint32_t depth = index->width + 1;

    return (count + ROW_BLOCK) * ((size_t)depth + 1) + product_packed(ROW_BLOCK, depth) + (size_t)QUERY_BLOCK * ROW_BLOCK;
}

/* Finds the neighbors of all queries, or their candidates, by products of blocks of queries and blocks of rows. */
static void nearest_by_products(Batch *batch, const double *queries, uint32_t count,
                                Neighbor *found, uint32_t *counts)
{
    const NeighborIndex *index = batch->index;
    Env *env = index->env;
    uint32_t width = index->width;
    size_t numbers = (size_t)batch->depth + 1; /* of a row or query, with its square */
    double *work = env_array_raw(env, neighbor_product_numbers(index, count), sizeof(double));
    double *rows_work = work + count * numbers, *packed = rows_work + ROW_BLOCK * numbers;
    double *sums = packed + product_packed(ROW_BLOCK, batch->depth);

    batch->queries = (Centered){.data = work, .squares = work + (size_t)count * batch->depth};
    batch->rows = (Centered){.data = rows_work, .squares = rows_work + (size_t)ROW_BLOCK * batch->depth};
    center_rows(batch, queries, count, true, &batch->queries);
    for (uint32_t first = 0, rows; first < batch->end; first += rows) {
        rows = batch->end - first < ROW_BLOCK ? batch->end - first : ROW_BLOCK;
        center_rows(batch, index->rows + (size_t)first * width, rows, false, &batch->rows);
        product_pack(batch->rows.data, rows, batch->depth, batch->depth, NULL, packed);
        for (uint32_t from = 0; from < count; from += QUERY_BLOCK) {
            uint32_t block = count - from < QUERY_BLOCK ? count - from : QUERY_BLOCK;

            env->poll(env);
            product_block(batch->queries.data + (size_t)from * batch->depth, block, packed, rows,
                          batch->depth, sums, ROW_BLOCK);
            for (uint32_t i = from; i < from + block; i++)
                add_candidates(batch, sums + (size_t)(i - from) * ROW_BLOCK, i, first, rows,
                               queries + (size_t)i * width, found + (size_t)i * batch->k,
                               &counts[i]);
        }
    }
    env->release(env, work);
}

/*
 * Compares all queries with one block of rows after the other, each block while it is in the cache: leave-one-out of 30,000 rows of 60
 * features by Manhattan distance takes 12 s, and 21 s query by query; of rows that fit into the cache about the same.
 */
static void nearest_by_blocks(Batch *batch, const double *queries, uint32_t count,
                              Neighbor *found, uint32_t *counts)
{
    const NeighborIndex *index = batch->index;
    uint32_t width = index->width, row_block = 1 + 65536 / (8 * width);
    double *reduced = env_array_raw(index->env, row_block, sizeof(double));

    for (uint32_t first = 0, rows; first < index->count; first += rows) {
        rows = index->count - first < row_block ? index->count - first : row_block;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t skip = batch->skips ? batch->skips[i] : NEIGHBOR_NONE;
            Neighbor *heap = found + (size_t)i * batch->k;
            double limit = counts[i] < batch->k ? neighbor_farthest(index->metric) : heap[0].reduced;

            metric_reduced_rows(index->metric, queries + (size_t)i * width,
                                index->rows + (size_t)first * width, rows, reduced);
            batch->search->evaluated += rows;
            for (uint32_t j = 0; j < rows; j++) {
                if (!(reduced[j] <= limit) || first + j == skip)
                    continue;
                neighbor_heap_put(heap, &counts[i], batch->k, reduced[j], first + j);
                if (counts[i] == batch->k)
                    limit = heap[0].reduced;
            }
            env_poll_every(index->env, i, 16);
        }
    }
    index->env->release(index->env, reduced);
}

bool neighbor_batch_pays(NeighborSearch *search, const double *queries, uint32_t count, uint32_t k)
{
    const NeighborIndex *index = search->index;
    uint64_t evaluated = search->evaluated, nodes = search->nodes;
    bool pays;

    if (index->kind == INDEX_BRUTE)
        return true;
    if (!index->center || count < TRIALS * TRIALS)
        return false;
    search->evaluated = 0;
    for (uint32_t i = 0; i < TRIALS; i++) {
        memcpy(search->query, queries + (size_t)(i * (count / TRIALS)) * index->width,
               index->width * sizeof(double));
        neighbor_nearest(search, k, NEIGHBOR_NONE);
    }
    pays = search->evaluated / TRIALS > index->count / PRODUCT_SHARE;
    search->evaluated = evaluated;
    search->nodes = nodes;
    return pays;
}

void neighbor_nearest_batch(NeighborSearch *search, const double *queries, uint32_t count,
                             uint32_t k, const uint32_t *skips, Neighbor *found, uint32_t *counts)
{
    const NeighborIndex *index = search->index;
    Batch batch = {.search = search, .index = index, .k = k, .depth = index->width + 1, .end = index->count, .skips = skips};

    if (!neighbor_batch_pays(search, queries, count, k)) {
        for (uint32_t i = 0; i < count; i++) {
            memcpy(search->query, queries + (size_t)i * index->width,
                   index->width * sizeof(double));
            neighbor_nearest(search, k, skips ? skips[i] : NEIGHBOR_NONE);
            memcpy(found + (size_t)i * k, search->found, search->count * sizeof(Neighbor));
            counts[i] = search->count;
            env_poll_every(index->env, i + 1, 64);
        }
        return;
    }
    memset(counts, 0, count * sizeof(uint32_t));
    if (index->center && count >= PRODUCT_MIN_QUERIES)
        nearest_by_products(&batch, queries, count, found, counts);
    else
        nearest_by_blocks(&batch, queries, count, found, counts);
    for (uint32_t i = 0; i < count; i++)
        neighbor_heap_sort(found + (size_t)i * k, counts[i]);
}

void neighbor_candidates(NeighborSearch *search, const double *queries, uint32_t count, uint32_t end, double *limits, NeighborCandidate candidate,
                         void *context)
{
    const NeighborIndex *index = search->index;
    Batch batch = {.search = search, .index = index, .depth = index->width + 1, .end = end, .candidate = candidate, .context = context, .limits = limits};
    Neighbor none;
    uint32_t *counts = env_array(index->env, count, sizeof(uint32_t)); /* no neighbors are kept */

    nearest_by_products(&batch, queries, count, &none, counts);
    index->env->release(index->env, counts);
}
