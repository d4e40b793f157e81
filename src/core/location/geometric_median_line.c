/*
 * geometric_median_line.c - the weighted median of rows that lie on one line.
 */
#include "core/linalg/vector_loops.h"
#include "core/location/geometric_median_internal.h"
#include "core/math/weighted_median.h"

#include <float.h>

/* Returns the position of a row along the line from `origin` in `direction`. */
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

/* The positions of the rows along the line, for weighted_median. */
typedef struct LineReader {
    const Median *median;
    const double *origin, *direction;
    RowsBlock block;
    uint32_t next; /* row of the block */
} LineReader;

/* Reads the next positions and weights, at most WEIGHTED_BLOCK. Returns 0 at the end, and starts over. */
static uint32_t next_positions(void *source, double *positions, double *weights)
{
    LineReader *line = source;
    const Median *median = line->median;
    uint32_t count = 0;

    while (count < WEIGHTED_BLOCK) {
        if (line->next == line->block.count) {
            line->next = line->block.count = 0;
            if (count > 0)
                break;
            if (!rows_next_block(median->reader, &line->block)) {
                line->block.count = 0;
                rows_rewind(median->reader);
                return 0;
            }
            continue;
        }
        positions[count] = line_position(median, line->block.slots + (size_t)line->next * median->slots,
                                         line->origin, line->direction);
        weights[count++] = block_weight(median, &line->block, line->next++);
    }
    return count;
}

void median_of_line(Median *median, const double *origin, const double *direction)
{
    double slack = rows_contents(median->rows) & ROWS_WEIGHT ? 1e-14 * median->weight : 0;
    double *low_row = median->direction, *high_row = median->trial.nearest_row;
    LineReader line = {.median = median, .origin = origin, .direction = direction};
    WeightedNumbers positions = {&line, next_positions};
    bool found = false;
    WeightedMedian ends;
    RowsBlock block;

    rows_rewind(median->reader);
    ends = weighted_median(&positions, median->weight, slack);
    while (rows_next_block(median->reader, &block)) {
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * median->slots;
            double position = line_position(median, row, origin, direction);

            if (position == ends.lower)
                copy_scaled(low_row, row, median->scale, median->slots);
            if (position == ends.upper && !found) {
                copy_scaled(high_row, row, median->scale, median->slots);
                found = true;
            }
        }
    }
    if (ends.lower == ends.upper)
        high_row = low_row;
    for (uint32_t j = 0; j < median->slots; j++) {
        median->current.high[j] = low_row[j] / 2 + high_row[j] / 2;
        median->current.low[j] = 0;
    }
}
