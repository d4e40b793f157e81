/*
 * row_scale.c - learns centers and scales of columns, and stores them in models.
 *
 * Numbers are summed less those of the first row, with the rounding errors of differences, products and sums: these sums of the first
 * and second powers have twice the digits of a double, so what is lost where they cancel is not missed.
 */
#include "core/rows/row_scale.h"
#include "core/base/cpu_dispatch.h"
#include "core/math/carried_sum.h"
#include "core/rows/rows_internal.h"

#include <math.h>

const OptionSpec option_standardize[] = {
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to compare standardized features, less the mean and divided by the standard deviation (divisor n), which the model keeps, so "
             "rows to score are given as they come."},
    {.name = NULL}};

bool standardize_wanted(const Options *options)
{
    return options_has(options, "standardize") && options_boolean(options, "standardize");
}

/* Of all columns: numbers less the first one, and their squares, with the rounding errors of both sums. */
struct RowSums {
    double *first, *total, *total_carry, *squares, *squares_carry; /* [columns] each */
    CarriedSum weight;
};

RowScale row_scale_new(Env *env, uint32_t columns)
{
    RowScale scale = {.columns = columns,
                      .center = env_array(env, (size_t)columns + 1, sizeof(double)),
                      .scale = env_array(env, (size_t)columns + 1, sizeof(double)),
                      .sums = env_array(env, 1, sizeof(struct RowSums))};

    scale.sums->first = env_array(env, (size_t)columns + 1, 5 * sizeof(double));
    scale.sums->total = scale.sums->first + columns;
    scale.sums->total_carry = scale.sums->total + columns;
    scale.sums->squares = scale.sums->total_carry + columns;
    scale.sums->squares_carry = scale.sums->squares + columns;
    return scale;
}

#define TOGETHER 4 /* rows added at once */
#define SIMD_FILE "core/rows/row_scale_simd.h"
#include "core/base/cpu_dispatch.h"

void row_scale_add(RowScale *scale, const double *rows, const double *weights, uint32_t count)
{
    struct RowSums *sums = scale->sums;
    uint32_t columns = scale->columns, few;

    for (uint32_t j = 0; j < columns && sums->weight.sum == 0 && count > 0; j++)
        sums->first[j] = rows[j];
    for (uint32_t at = 0; at < count; at += few) {
        double own[TOGETHER], shares[TOGETHER];

        few = count - at < TOGETHER ? count - at : TOGETHER;
        for (uint32_t i = 0; i < few; i++) {
            own[i] = row_weight(weights, at + i);
            carried_add(&sums->weight, own[i]);
            shares[i] = own[i] / sums->weight.sum;
        }
        SIMD_CALL(add_rows, rows + (size_t)at * columns, few, own, shares, columns, sums, scale->center);
    }
}

void row_scale_sums(RowScale *scale)
{
    const struct RowSums *sums = scale->sums;
    const CarriedSum *weight = &sums->weight;

    scale->weight = carried_value(weight);
    for (uint32_t j = 0; j < scale->columns && scale->weight > 0; j++) {
        double total = sums->total[j] + sums->total_carry[j], total_error = sums->total_carry[j] - (total - sums->total[j]);
        double mean = total / scale->weight;
        double rest = (fma(-mean, scale->weight, total) + total_error - mean * (weight->carry - (scale->weight - weight->sum))) / scale->weight;
        double square = total * mean, error = fma(total, mean, -square) + total * rest + total_error * mean;
        CarriedSum center = {sums->first[j], 0}, scatter = {sums->squares[j], sums->squares_carry[j]};

        if (!isfinite(total)) {
            scale->scale[j] = INFINITY;
            continue;
        }
        carried_add(&center, mean);
        scale->center[j] = center.sum + (center.carry + rest);
        carried_add(&scatter, -square);
        scale->scale[j] = scatter.sum + (scatter.carry - error);
        if (!isfinite(scale->scale[j]))
            scale->scale[j] = INFINITY;
        if (scale->scale[j] < 0)
            scale->scale[j] = 0;
    }
}

void row_scale_ready(Env *env, RowScale *scale, double constant)
{
    row_scale_sums(scale);
    for (uint32_t j = 0; j < scale->columns; j++) {
        double deviation = sqrt(scale->scale[j] / scale->weight);

        if (!isfinite(deviation))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "the variance of a feature exceeds the range of double precision");
        /* a deviation this small is the rounding error of a constant */
        scale->scale[j] = deviation > 1e-14 * fabs(scale->center[j]) && isfinite(1 / deviation) ? 1 / deviation : constant;
    }
}

const RowScale *rows_standardize(Env *env, Rows *rows, const Options *options)
{
    RowScale *scale;
    RowsReader *reader;
    RowsBlock block;

    rows->scale = NULL;
    if (!standardize_wanted(options))
        return NULL;
    scale = env_array(env, 1, sizeof(RowScale));
    *scale = row_scale_new(env, rows_slots(rows));
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block))
        row_scale_add(scale, block.slots, block.weights, block.count);
    rows_reader_free(reader);
    row_scale_ready(env, scale, 1);
    rows->scale = scale;
    return scale;
}

void rows_reset_scale(Rows *rows)
{
    rows->scale = NULL;
}

void row_scale_write(ModelBuilder *builder, const RowScale *scale)
{
    if (scale == NULL)
        return;
    builder_f64(builder, SECTION_ARRAYS, "feature_center", scale->center, scale->columns);
    builder_f64(builder, SECTION_ARRAYS, "feature_scale", scale->scale, scale->columns);
}
