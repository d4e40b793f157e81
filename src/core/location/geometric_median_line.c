/*
 * geometric_median_line.c - rows on one line: a weighted median along it, found by radix selection.
 */
#include "core/linalg/vector_loops.h"
#include "core/location/geometric_median_internal.h"

#include <float.h>
#include <string.h>

#define RADIX_BITS 11

/* The position of a row along the line from `origin` in `direction`. */
static double line_position(const Median *median, const double *row, const double *origin,
                            const double *direction)
{
    double sum = 0;

    if (median->slots == 1)
        return row[0] * median->scale;
    for (uint32_t j = 0; j < median->slots; j++)
        sum += (row[j] * median->scale - origin[j]) * direction[j];
    return sum;
}

bool median_on_line(Median *median, const double *origin, double *direction)
{
    uint32_t slots = median->slots;
    const double *far = median->farthest_row;
    RowsBlock block;
    double length;

    for (uint32_t j = 0; j < slots; j++)
        direction[j] = far[j] - origin[j];
    length = loop_norm_of(dot(direction, direction, slots), direction, NULL, slots);
    if (slots == 1)
        return true;
    if (length == 0)
        return false;
    for (uint32_t j = 0; j < slots; j++)
        direction[j] /= length;
    rows_rewind(median->reader);
    while (rows_next_block(median->reader, &block)) {
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * slots;
            double position = line_position(median, row, origin, direction);

            for (uint32_t j = 0; j < slots; j++) {
                double x = row[j] * median->scale;
                double off = (x - origin[j]) - position * direction[j];

                double rounding = fabs(x) + fabs(origin[j]) +
                                  fabs(position) * ((fabs(origin[j]) + fabs(far[j])) / length);

                if (!(fabs(off) <= 2 * DBL_EPSILON * rounding))
                    return false;
            }
        }
    }
    return true;
}

/* Bits that sort as the numbers do. */
static uint64_t ordered_bits(double value)
{
    uint64_t bits;

    value = value == 0 ? 0.0 : value;
    memcpy(&bits, &value, sizeof(bits));
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* The smallest key with at least half of the weight at or below it; *slack: rounding of such sums. */
static uint64_t line_select(Median *median, const double *origin, const double *direction,
                            double slack)
{
    double *bins = env_array_raw(median->env, 1u << RADIX_BITS, sizeof(double));
    double below = 0, half = median->weight / 2;
    uint64_t prefix = 0;
    unsigned known = 0;
    RowsBlock block;

    while (known < 64) {
        unsigned bits = 64 - known < RADIX_BITS ? 64 - known : RADIX_BITS;
        unsigned shift = 64 - known - bits;
        uint64_t bin, last = 0, mask = ((uint64_t)1 << bits) - 1;

        memset(bins, 0, sizeof(double) << RADIX_BITS);
        rows_rewind(median->reader);
        while (rows_next_block(median->reader, &block)) {
            for (uint32_t i = 0; i < block.count; i++) {
                uint64_t key = ordered_bits(line_position(
                    median, block.slots + (size_t)i * median->slots, origin, direction));

                if (known == 0 || key >> (64 - known) == prefix)
                    bins[key >> shift & mask] += block_weight(median, &block, i);
            }
        }
        for (bin = 0; bin <= mask; bin++) {
            if (bins[bin] == 0)
                continue;
            last = bin;
            if (below + bins[bin] >= half - slack)
                break;
            below += bins[bin];
        }
        prefix = prefix << bits | last;
        known += bits;
    }
    median->env->release(median->env, bins);
    return prefix;
}

void median_of_line(Median *median, const double *origin, const double *direction)
{
    double slack = rows_contents(median->rows) & ROWS_WEIGHT ? 1e-14 * median->weight : 0;
    uint64_t lower = line_select(median, origin, direction, slack), upper = UINT64_MAX;
    double up_to = 0, *low_row = median->direction, *high_row = median->trial.nearest_row;
    RowsBlock block;

    rows_rewind(median->reader);
    while (rows_next_block(median->reader, &block)) {
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * median->slots;
            uint64_t key = ordered_bits(line_position(median, row, origin, direction));

            if (key <= lower)
                up_to += block_weight(median, &block, i);
            if (key == lower)
                copy_scaled(low_row, row, median->scale, median->slots);
            if (key > lower && key < upper) {
                upper = key;
                copy_scaled(high_row, row, median->scale, median->slots);
            }
        }
    }
    if (upper == UINT64_MAX || up_to > median->weight / 2 + slack)
        high_row = low_row;
    for (uint32_t j = 0; j < median->slots; j++) {
        median->current.high[j] = low_row[j] / 2 + high_row[j] / 2;
        median->current.low[j] = 0;
    }
    median_evaluate(median, &median->current);
}
