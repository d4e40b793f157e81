/*
 * row_scale.h - the option standardize: centers and scales of columns, learned from the rows of a fit, and rows read by them.
 *
 * A standardized number is (x - center) x scale, where center is the weighted mean and scale is 1 / standard deviation (divisor: the
 * weight). A column that does not vary is centered only: its scale is 1.
 *
 * Methods that read their rows more than once call rows_standardize, and every reader of the rows then returns standardized
 * numbers. Their models store the scale and hold results in the units of the data. Metrics and kernels, which turn rows into
 * coordinates themselves, learn a RowScale of those.
 */
#ifndef PGFIT_ROW_SCALE_H
#define PGFIT_ROW_SCALE_H

#include "core/options/options.h"
#include "core/rows/rows.h"

/* The option standardize, for OPTION_TABLES. */
extern const OptionSpec option_standardize[];
/* Tells whether a method has the option and it is true. */
bool standardize_wanted(const Options *options);

typedef struct RowScale {
    uint32_t columns;
    double weight;
    double *center;      /* [columns] weighted means, after row_scale_sums */
    double *scale;       /* [columns] sums of squares about them, until row_scale_ready */
    struct RowSums *sums; /* while rows are added */
} RowScale;

/* Returns a scale that has seen no rows. */
RowScale row_scale_new(Env *env, uint32_t columns);
/*
 * Adds rows [count x columns]; weights: NULL for all 1. Sums carry their rounding errors, so that the order of the rows does not change
 * the last digits of a scale: distances that are equal stay so, and a tie is not decided by the plan.
 */
void row_scale_add(RowScale *scale, const double *rows, const double *weights, uint32_t count);
/* Sets the weight, the means and the sums of squares of the rows added. */
void row_scale_sums(RowScale *scale);
/*
 * Ends learning. constant: the scale of columns that do not vary, 1 or 0. Fails with ERROR_RANGE if a variance is too large for a
 * number.
 */
void row_scale_ready(Env *env, RowScale *scale, double constant);
/* Writes the standardized row to out, which may be the row itself. */
static inline void row_scale_apply(const RowScale *scale, const double *row, double *out)
{
    for (uint32_t j = 0; j < scale->columns; j++)
        out[j] = (row[j] - scale->center[j]) * scale->scale[j];
}
/* Writes the row that a standardized row came from, up to rounding. */
static inline void row_scale_undo(const RowScale *scale, const double *row, double *out)
{
    for (uint32_t j = 0; j < scale->columns; j++)
        out[j] = scale->center[j] + row[j] / scale->scale[j];
}

/*
 * With option standardize, learns the scale of rows of numbers in one pass, and makes all readers opened from then on return
 * standardized numbers, until rows_end_readers. Returns the scale; NULL without the option, or where the method has none.
 */
const RowScale *rows_standardize(Env *env, Rows *rows, const Options *options);
/* Makes readers return numbers as they came again. */
void rows_reset_scale(Rows *rows);

/* Adds the arrays "feature_center" and "feature_scale" (scale_arrays in array_spec.h) to a model; nothing if scale is NULL. */
void row_scale_write(ModelBuilder *builder, const RowScale *scale);

#endif
