/*
 * plot_axes.h - the axes of a plot over two features of a model, and the row in which the other features have one value.
 */
#ifndef PGFIT_PLOT_AXES_H
#define PGFIT_PLOT_AXES_H

#include "core/plot/feature_ranges.h"

#define PLOT_STEPS_MOST 5000 /* of an axis of a grid */

/* A range that a user gave. */
typedef struct AxisGiven {
    bool given;
    uint32_t count; /* of numbers */
    const double *numbers;
} AxisGiven;

typedef struct Axis {
    uint32_t slot;
    double low, high;
} Axis;

/* Returns an axis over a slot: the given range, or what the model knows. Fails with ERROR_PARAMETER if neither is one. */
Axis plot_axis(Env *env, const FeatureRanges *ranges, uint32_t slot, const AxisGiven *given);

/* A grid over two features. */
typedef struct PlotGrid {
    const Model *schema; /* by which rows are read */
    Axis x, y;
    uint32_t steps;
    double *row;         /* [slots] the row of a point; the other features keep their values */
} PlotGrid;

/*
 * Prepares a grid. at: JSON, an object with values of the other features; those that it leaves out have their typical value. Fails with
 * ERROR_PARAMETER if a feature has none, the object has something else, or a feature is computed from the column of an axis.
 */
PlotGrid plot_grid(Env *env, const Model *model, const char *x, const char *y, int64_t steps, const AxisGiven *x_range,
                   const AxisGiven *y_range, const char *at, size_t length);
/* Returns step i of an axis; the last one is its end. */
static inline double axis_step(const Axis *axis, uint32_t steps, uint32_t i)
{
    return i == steps - 1 ? axis->high : axis->low + (axis->high - axis->low) * ((double)i / (steps - 1));
}

#endif
