/*
 * column_quantiles.c - quantiles of the columns of rows.
 */
#include "core/prepare/column_quantiles.h"
#include "core/base/sort.h"

#include <float.h>
#include <math.h>

typedef struct WeightedValue {
    double value, weight;
} WeightedValue;

/* Returns a place between rows. One that only rounding errors keep from a row is that row: a quantile that is a number of the data must
 * equal it, or the number would fall on either side of its own edge. */
static double place_of(double share, double last)
{
    double place = share * last, near = floor(place + 0.5);

    return fabs(place - near) <= 4 * DBL_EPSILON * last ? near : place;
}

/* Interpolates as numpy does: from the nearer end. */
static double between(double a, double b, double share)
{
    if (share <= 0 || share >= 1)
        return share <= 0 ? a : b;
    return share < 0.5 ? a + (b - a) * share : b - (b - a) * (1 - share);
}

/*
 * Returns the value at a whole position among rows repeated by their weights. *at, *sum: where the search stands, and the weights
 * before.
 */
static double repeated_value(const WeightedValue *sorted, uint64_t count, double position, uint64_t *at, double *sum)
{
    while (*at + 1 < count && *sum + sorted[*at].weight <= position)
        *sum += sorted[(*at)++].weight;
    return sorted[*at].value;
}

/* Returns a quantile of rows whose weights count rows. */
static double repeated_quantile(const WeightedValue *sorted, uint64_t count, double weight, double share)
{
    double position = place_of(share, fmax(0, weight - 1)), whole = floor(position), sum = 0, low;
    uint64_t at = 0;

    low = repeated_value(sorted, count, whole, &at, &sum);
    return between(low, repeated_value(sorted, count, whole + 1, &at, &sum), position - whole);
}

/* Returns a quantile of rows with other weights. */
static double weighted_quantile(const WeightedValue *sorted, uint64_t count, double weight, double share)
{
    double rows = (double)count, target = share * (rows - 1) * weight, sum = 0, place = 0;

    for (uint64_t k = 0; k + 1 < count; k++) {
        double next;

        sum += sorted[k].weight;
        next = (double)(k + 1) * sorted[k + 1].weight + (rows - 1) * sum;
        if (next >= target)
            return between(sorted[k].value, sorted[k + 1].value, (target - place) / (next - place));
        place = next;
    }
    return sorted[count - 1].value;
}

/* Returns a quantile of rows without weights: the general one would add up n numbers. */
static double plain_quantile(const WeightedValue *sorted, uint64_t count, double share)
{
    double position = place_of(share, (double)count - 1), whole = floor(position);
    uint64_t at = (uint64_t)whole;

    return at + 1 < count ? between(sorted[at].value, sorted[at + 1].value, position - whole) : sorted[count - 1].value;
}

/* Reads columns first .. first + columns - 1 into sorted[columns x rows]. */
static void read_columns(RowsReader *reader, WeightedValue *values, uint64_t rows, uint32_t slots, uint32_t first, uint32_t columns)
{
    RowsBlock block;

    rows_rewind(reader);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            for (uint32_t c = 0; c < columns; c++)
                values[c * rows + block.first + i] = (WeightedValue){block.slots[(size_t)i * slots + first + c],
                                                                     row_weight(block.weights, i)};
}

double *column_quantiles(Env *env, Rows *rows, const double *shares, uint32_t count, const char *method)
{
    uint32_t slots = rows_slots(rows), at_once;
    uint64_t n = rows_count(rows), column = n * sizeof(WeightedValue), room = env->memory_limit / 2;
    bool weighted = (rows_contents(rows) & ROWS_WEIGHT) != 0, frequency = (rows_schema(rows)->flags & MODEL_FREQUENCY) != 0;
    double *out = env_array(env, (size_t)slots * count + 1, sizeof(double)), weight = rows_schema(rows)->weight;
    RowsReader *reader;
    WeightedValue *values;

    /* sorting takes a column as much again */
    env_require_memory(env, (size_t)(2 * column), env_message(env, "sorting a feature of %llu rows for %s", (unsigned long long)n, method));
    at_once = room / column > 1 ? (uint32_t)(room / column > slots ? slots : room / column) : 1;
    values = env_array_raw(env, (size_t)(at_once * n) + 1, sizeof(WeightedValue));
    reader = rows_reader(env, rows);
    for (uint32_t first = 0; first < slots; first += at_once) {
        uint32_t columns = slots - first < at_once ? slots - first : at_once;

        read_columns(reader, values, n, slots, first, columns);
        for (uint32_t c = 0; c < columns; c++) {
            WeightedValue *sorted = values + c * n;

            env->progress(env, "sorting features", first + c, slots, NAN);
            sort_numbers(env, sorted, n, sizeof *sorted);
            for (uint32_t q = 0; q < count; q++)
                out[(size_t)(first + c) * count + q] = !weighted   ? plain_quantile(sorted, n, shares[q])
                                                       : frequency ? repeated_quantile(sorted, n, weight, shares[q])
                                                                   : weighted_quantile(sorted, n, weight, shares[q]);
        }
    }
    env->release(env, values);
    return out;
}
