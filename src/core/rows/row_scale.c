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

/* Of one column. */
typedef struct RowSums {
    double first; /* number */
    CarriedSum total, squares; /* of numbers less the first one, and of their squares */
} RowSums;

RowScale row_scale_new(Env *env, uint32_t columns)
{
    RowScale scale = {.columns = columns,
                      .center = env_array(env, (size_t)columns + 1, sizeof(double)),
                      .scale = env_array(env, (size_t)columns + 1, sizeof(double)),
                      .sums = env_array(env, (size_t)columns + 1, sizeof(RowSums))};

    return scale;
}

/* Adds a number of weight `weight`. */
static inline void sums_add(RowSums *sums, double x, double weight)
{
    double away = x - sums->first, back = away + sums->first;
    double rest = (x - back) - (sums->first - (back - away)); /* away + rest is the difference */
    double product = away * weight, error = fma(away, weight, -product) + rest * weight;
    double square = product * away, square_error = fma(product, away, -square) + product * rest + error * away;

    carried_add(&sums->total, product);
    sums->total.carry += error;
    carried_add(&sums->squares, square);
    sums->squares.carry += square_error;
}

static inline __attribute__((always_inline)) void add_rows(RowScale *scale, const double *rows, const double *weights, uint32_t count)
{
    uint32_t columns = scale->columns;

    /* the weights are summed like a column of their own, the last */
    for (uint32_t j = 0; j < columns && scale->sums[columns].total.sum == 0 && count > 0; j++)
        scale->sums[j].first = rows[j];
    for (uint32_t i = 0; i < count; i++) {
        const double *x = rows + (size_t)i * columns;
        double weight = row_weight(weights, i), share;

        carried_add(&scale->sums[columns].total, weight);
        share = weight / scale->sums[columns].total.sum;
        for (uint32_t j = 0; j < columns; j++) {
            sums_add(&scale->sums[j], x[j], weight);
            scale->center[j] += (x[j] - scale->center[j]) * share; /* for sums that overflow */
        }
    }
}

#ifdef CPU_AVX2
/* The same bits, by an instruction rather than a call of fma(): 4 ns a number, not 19. */
static __attribute__((target("fma"))) void add_rows_fused(RowScale *scale, const double *rows, const double *weights, uint32_t count)
{
    add_rows(scale, rows, weights, count);
}
#else
#define CPU_AVX2 false
#define add_rows_fused add_rows
#endif

void row_scale_add(RowScale *scale, const double *rows, const double *weights, uint32_t count)
{
    if (CPU_AVX2)
        add_rows_fused(scale, rows, weights, count);
    else
        add_rows(scale, rows, weights, count);
}

void row_scale_sums(RowScale *scale)
{
    const CarriedSum *weight = &scale->sums[scale->columns].total;

    scale->weight = carried_value(weight);
    for (uint32_t j = 0; j < scale->columns && scale->weight > 0; j++) {
        const RowSums *sums = &scale->sums[j];
        double total = carried_value(&sums->total), total_error = sums->total.carry - (total - sums->total.sum);
        double mean = total / scale->weight;
        double rest = (fma(-mean, scale->weight, total) + total_error - mean * (weight->carry - (scale->weight - weight->sum))) / scale->weight;
        double square = total * mean, error = fma(total, mean, -square) + total * rest + total_error * mean;
        CarriedSum center = {sums->first, 0}, scatter = sums->squares;

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
