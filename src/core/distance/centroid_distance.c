/*
 * centroid_distance.c - squared distances from rows to centroids, and bounds on them.
 */
#include "core/distance/centroid_distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Everything else is compiled with -ffp-contract=off. */
#ifdef __clang__
#pragma clang fp contract(fast)
#define FUSED
#else
#define FUSED __attribute__((optimize("fp-contract=fast")))
#endif

#define TILE_DIMS 128 /* dimensions of eight rows side by side: 8 kB */

#define SIMD_FILE "core/distance/centroid_distance_simd.h"
#include "core/base/cpu_dispatch.h"

static uint32_t blocks_of(uint32_t count)
{
    return (count + CENTROID_LANES - 1) / CENTROID_LANES;
}

size_t centroid_lanes_bytes(uint32_t count, uint32_t dims)
{
    size_t cells;

    if (__builtin_mul_overflow((size_t)blocks_of(count) * CENTROID_LANES, (size_t)dims, &cells) ||
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
    return lanes;
}

void centroid_lanes_free(Env *env, CentroidLanes *lanes)
{
    env->release(env, lanes->data);
    env->release(env, lanes);
}

void centroid_lanes_set(CentroidLanes *lanes, const double *centroids, const uint32_t *order)
{
    for (uint32_t place = 0; place < lanes->blocks * CENTROID_LANES; place++) {
        uint32_t centroid = order != NULL ? order[place] : place < lanes->count ? place : CENTROID_NONE;
        double *lane = lanes->data + place / CENTROID_LANES * lanes->stride + place % CENTROID_LANES;

        for (uint32_t j = 0; j < lanes->dims; j++)
            lane[(size_t)j * CENTROID_LANES] =
                centroid == CENTROID_NONE ? INFINITY : centroids[(size_t)centroid * lanes->dims + j];
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

void centroid_nearest_rows(const CentroidLanes *lanes, const double *rows, uint32_t count, uint32_t *nearest,
                           double *squares)
{
    SIMD_CALL(nearest_rows, lanes, rows, count, nearest, squares);
}

void centroid_two_nearest(const CentroidLanes *lanes, uint32_t first, uint32_t count, const int64_t *numbers,
                          const double *row, CentroidPair *pair)
{
    SIMD_CALL(two_nearest, lanes, first, count, numbers, row, pair);
}

double centroid_square(const double *a, const double *b, uint32_t dims)
{
    return SIMD_CALL(pair_square, a, b, dims);
}

void centroid_picked_squares(const double *rows, const uint32_t *picks, uint32_t count, uint32_t dims,
                             const uint32_t *nearest, const double *centroids, double *squares)
{
    SIMD_CALL(picked_squares, rows, picks, count, dims, nearest, centroids, squares);
}

void centroid_add_rows(const double *rows, uint32_t count, uint32_t dims, const uint32_t *nearest,
                       const double *weights, const double *centroids, double *sums, double *totals)
{
    SIMD_CALL(add_rows, rows, count, dims, nearest, weights, centroids, sums, totals);
}

uint32_t centroid_open_rows(const CentroidBounds *bounds, const float *lower, const float *upper,
                            const uint32_t *assigned, uint32_t count, uint32_t *open)
{
    return SIMD_CALL(bounded_rows, bounds, lower, upper, assigned, count, open);
}

float bound_up(double value)
{
    value = value > 0 ? value * (1 + 0x1p-22) : value * (1 - 0x1p-22);
    if (fabs(value) < FLT_MIN)
        return FLT_MIN;
    return (float)value;
}

float bound_down(double value)
{
    value = value > 0 ? value * (1 - 0x1p-22) : value * (1 + 0x1p-22);
    if (fabs(value) < FLT_MIN)
        return -FLT_MIN;
    return value > FLT_MAX ? FLT_MAX : (float)value;
}
