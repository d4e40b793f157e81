/*
 * row_scale.c - learns centers and scales of columns (Welford 1962), and stores them in models.
 */
#include "core/rows/row_scale.h"
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

RowScale row_scale_new(Env *env, uint32_t columns)
{
    return (RowScale){.columns = columns,
                      .center = env_array(env, (size_t)columns + 1, sizeof(double)),
                      .scale = env_array(env, (size_t)columns + 1, sizeof(double))};
}

void row_scale_add(RowScale *scale, const double *rows, const double *weights, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *x = rows + (size_t)i * scale->columns;
        double own = row_weight(weights, i), share;

        scale->weight += own;
        share = own / scale->weight;
        for (uint32_t j = 0; j < scale->columns; j++) {
            double step = x[j] - scale->center[j];

            scale->center[j] += step * share;
            scale->scale[j] += own * step * (x[j] - scale->center[j]);
        }
    }
}

void row_scale_ready(Env *env, RowScale *scale, double constant)
{
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
