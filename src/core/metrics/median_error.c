/*
 * median_error.c - the median of absolute errors.
 */
#include "core/metrics/ranking_metrics.h"

#include "core/math/weighted_median.h"

#include <math.h>

const Estimator median_absolute_error_rows = {.name = "median_absolute_error",
                                              .task = TASK_REGRESSION,
                                              .input = INPUT_ROWS,
                                              .supervised = true,
                                              .numeric = true,
                                              .options = OPTION_TABLES(options_common)};

/* The rows as weighted_median reads them: the errors, in blocks. */
typedef struct ErrorReader {
    Env *env;
    RowsReader *reader;
    RowsBlock block;
    uint32_t next; /* row of the block */
} ErrorReader;

static uint32_t next_errors(void *source, double *errors, double *weights)
{
    ErrorReader *reader = source;
    uint32_t count = 0;

    if (reader->next == reader->block.count) {
        reader->next = 0;
        if (!rows_next_block(reader->reader, &reader->block)) {
            reader->block.count = 0;
            rows_rewind(reader->reader);
            return 0;
        }
    }
    for (; count < WEIGHTED_BLOCK && reader->next < reader->block.count; count++, reader->next++) {
        errors[count] = fabs(reader->block.targets[reader->next] - reader->block.slots[reader->next]);
        weights[count] = row_weight(reader->block.weights, reader->next);
        if (!isfinite(errors[count]))
            env_fail(reader->env, ERROR_RANGE, NULL, "value out of range: overflow");
    }
    return count;
}

double median_absolute_error(Env *env, Rows *rows)
{
    ErrorReader reader = {.env = env, .reader = rows_reader(env, rows)};
    WeightedNumbers errors = {&reader, next_errors};
    double weight = rows_schema(rows)->weight;
    WeightedMedian median = weighted_median(&errors, weight, rows_contents(rows) & ROWS_WEIGHT ? 1e-14 * weight : 0);

    return median.lower / 2 + median.upper / 2;
}
