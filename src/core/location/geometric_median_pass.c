/*
 * geometric_median_pass.c - one pass over the rows: the sum of distances to a point, and its derivatives.
 */
#include "core/linalg/vector_loops.h"
#include "core/location/geometric_median_internal.h"

#include <string.h>

#define COINCIDENT 1e-290 /* rows nearer than this, scaled, coincide with the point */

/* Sets difference to row x scale - (high + low), and returns its norm. */
static double row_distance(const double *row, double scale, const double *high, const double *low,
                           uint32_t count, double *difference)
{
    double sums[4] = {0, 0, 0, 0};
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double d = (row[i + lane] * scale - high[i + lane]) - low[i + lane];

            difference[i + lane] = d;
            sums[lane] += d * d;
        }
    for (; i < count; i++) {
        double d = (row[i] * scale - high[i]) - low[i];

        difference[i] = d;
        sums[0] += d * d;
    }
    return loop_norm_of((sums[0] + sums[1]) + (sums[2] + sums[3]), difference, NULL, count);
}

/* Tells whether `scaled` is the row times scale. */
static bool same_scaled(const double *scaled, const double *row, double scale, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (scaled[i] != row[i] * scale)
            return false;
    return true;
}

/* Adds the sums of one block; summing block by block keeps the rounding of long sums small. */
static void evaluate_block(Median *median, Evaluation *at, const RowsBlock *block)
{
    uint32_t slots = median->slots;
    double objective = 0, inverse = 0;

    memset(median->block_gradient, 0, slots * sizeof(double));
    for (uint32_t i = 0; i < block->count; i++) {
        const double *row = block->slots + (size_t)i * slots;
        double weight = block_weight(median, block, i), weight_by_distance;
        double distance =
            row_distance(row, median->scale, at->high, at->low, slots, median->difference);

        if (distance <= COINCIDENT) {
            at->on += weight;
            continue;
        }
        weight_by_distance = weight / distance;
        objective += weight * distance;
        inverse += weight_by_distance;
        for (uint32_t j = 0; j < slots; j++)
            median->block_gradient[j] += weight_by_distance * median->difference[j];
        if (distance < at->nearest) {
            at->nearest = distance;
            at->nearest_weight = weight;
            copy_scaled(at->nearest_row, row, median->scale, slots);
        } else if (distance == at->nearest &&
                   same_scaled(at->nearest_row, row, median->scale, slots)) {
            at->nearest_weight += weight;
        }
        if (distance > at->farthest) {
            at->farthest = distance;
            if (median->passes == 0)
                copy_scaled(median->farthest_row, row, median->scale, slots);
        }
    }
    at->objective += objective;
    at->inverse += inverse;
    for (uint32_t j = 0; j < slots; j++)
        at->gradient[j] -= median->block_gradient[j];
}

void median_evaluate(Median *median, Evaluation *at)
{
    RowsBlock block;

    at->objective = at->inverse = at->on = at->farthest = at->nearest_weight = 0;
    at->nearest = INFINITY;
    memset(at->gradient, 0, median->slots * sizeof(double));
    rows_rewind(median->reader);
    while (rows_next_block(median->reader, &block))
        evaluate_block(median, at, &block);
    at->norm = loop_norm_of(dot(at->gradient, at->gradient, median->slots), at->gradient, NULL, median->slots);
    median->passes++;
}
