/*
 * centroid_distance.c - squared distances from rows to centroids.
 */
#include "core/distance/centroid_distance.h"

#include <math.h>
#include <string.h>

/* Everything else is compiled with -ffp-contract=off. */
#ifdef __clang__
#pragma clang fp contract(fast)
#define FUSED
#else
#define FUSED __attribute__((optimize("fp-contract=fast")))
#endif

#define TILE_DIMS 1024 /* dimensions of eight rows side by side: 64 kB */
/* How far ahead rows are asked for: a fit of 20 passes over 500,000 x 8 with k = 10 takes 0.29, not 0.34 s. */
#define TILES_AHEAD 4
/* With fewer, what products save goes into finding the second nearest and the square of the nearest. */
#define PRODUCTS_COUNT 24
#define PRODUCTS_DIMS 16

#define SIMD_FILE "core/distance/centroid_distance_simd.h"
#include "core/base/cpu_dispatch.h"

static uint32_t blocks_of(uint32_t count)
{
    return (count + CENTROID_LANES - 1) / CENTROID_LANES;
}

size_t centroid_lanes_bytes(uint32_t count, uint32_t dims)
{
    size_t cells;

    if (__builtin_mul_overflow((size_t)blocks_of(count) * CENTROID_LANES, (size_t)dims + 1, &cells) ||
        cells > SIZE_MAX / sizeof(double))
        return SIZE_MAX;
    return cells * sizeof(double);
}

CentroidLanes *centroid_lanes_new(Env *env, uint32_t count, uint32_t dims)
{
    CentroidLanes *lanes = env_array(env, 1, sizeof(CentroidLanes));

    lanes->count = count;
    lanes->dims = dims;
    lanes->blocks = blocks_of(count);
    lanes->stride = (size_t)dims * CENTROID_LANES;
    lanes->data = env_array_raw(env, lanes->blocks, lanes->stride * sizeof(double));
    lanes->halves = env_array_raw(env, (size_t)lanes->blocks * CENTROID_LANES, sizeof(double));
    return lanes;
}

void centroid_lanes_free(Env *env, CentroidLanes *lanes)
{
    env->release(env, lanes->data);
    env->release(env, lanes->halves);
    env->release(env, lanes);
}

void centroid_lanes_set(CentroidLanes *lanes, const double *centroids)
{
    lanes->longest = 0;
    for (uint32_t place = 0; place < lanes->blocks * CENTROID_LANES; place++) {
        double *lane = lanes->data + place / CENTROID_LANES * lanes->stride + place % CENTROID_LANES;

        for (uint32_t j = 0; j < lanes->dims; j++)
            lane[(size_t)j * CENTROID_LANES] = place < lanes->count ? centroids[(size_t)place * lanes->dims + j] : INFINITY;
        lanes->halves[place] = 0;
        for (uint32_t j = 0; place < lanes->count && j < lanes->dims; j++)
            lanes->halves[place] += lane[(size_t)j * CENTROID_LANES] * lane[(size_t)j * CENTROID_LANES] / 2;
        if (!(lanes->halves[place] * 2 <= lanes->longest))
            lanes->longest = lanes->halves[place] * 2;
    }
}

void centroid_distances(const CentroidLanes *lanes, const double *row, double *out)
{
    SIMD_CALL(all_distances, lanes, row, out);
}

void centroid_block_distances(const CentroidLanes *lanes, uint32_t block, const double *row, double *out)
{
    SIMD_CALL(block_distances, lanes->data + block * lanes->stride, row, lanes->dims, out);
}

uint32_t centroid_nearest(const CentroidLanes *lanes, const double *row, double *square)
{
    return SIMD_CALL(nearest, lanes, row, square);
}

void centroid_nearest_rows(const CentroidLanes *lanes, const double *centroids, const double *rows, uint32_t count, uint32_t *nearest,
                           double *squares)
{
    SIMD_CALL(nearest_rows, lanes, centroids, rows, count, nearest, squares);
}

void centroid_take_rows(const CentroidLanes *lanes, const double *rows, uint32_t count, const double *squares, const double *weights, double *taken)
{
    SIMD_CALL(take_rows, lanes, rows, count, squares, weights, taken);
}

double centroid_square(const double *a, const double *b, uint32_t dims)
{
    return SIMD_CALL(pair_square, a, b, dims);
}

void centroid_add_rows(const double *rows, uint32_t count, uint32_t dims, const uint32_t *nearest,
                       const double *weights, const double *centroids, double *sums, double *totals)
{
    SIMD_CALL(add_rows, rows, count, dims, nearest, weights, centroids, sums, totals);
}
