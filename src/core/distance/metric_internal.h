/*
 * metric_internal.h - what the files that implement metric.h share.
 *
 *   metric.c           names, coordinates of a row
 *   metric_distance.c  distances between coordinates
 *   metric_fit.c       variances, covariance and scale from training rows
 *   metric_objects.c   metrics between texts and other values
 *   metric_options.c   metrics from options
 *   metric_store.c     metrics in models
 */
#ifndef PGFIT_METRIC_INTERNAL_H
#define PGFIT_METRIC_INTERNAL_H

#include "core/distance/metric.h"

/* What is summed over the training rows until metric_ready. */
typedef struct MetricLearner {
    bool variances, products, means_alone, ranges; /* wanted */
    double weight, largest;
    double *row, *difference, *means;
    double *scatter; /* [numbers], or packed upper triangle */
    RowScale spread; /* of the numbers, unless products: means and scatter are its arrays */
    double *least, *most; /* [numbers] */
    bool matrix_given, scales_given;
    bool standardize; /* option standardize: the numbers' means and deviations become origin and scales */
    RowScale numbers; /* of that option */
} MetricLearner;

Metric *metric_new(Env *env, MetricKind kind);
/* Sets number_slots, symbol_slots and what goes with them. Returns NULL, or what is wrong. */
const char *metric_divide_slots(Env *env, Metric *metric, const Model *schema);
/* Sets form, width and flags; call it after anything that they depend on has changed. */
void metric_derive(Metric *metric);
/* Collects the numbers of a row, ordered symbols as the keys of their levels. */
void metric_collect(const Metric *metric, const double *slots, double *numbers);
/* Tells whether the metric takes ordered symbols as numbers. */
static inline bool metric_orders_symbols(MetricKind kind)
{
    return kind == METRIC_MIXED || kind == METRIC_GOWER;
}

/* Returns |x|^p, for FORM_POWERS. */
double metric_power(const Metric *metric, double x);

void metric_learner_new(Env *env, Metric *metric);
/* Sets matrix and factor from a full matrix. Fails with ERROR_PARAMETER if it is not symmetric or not positive definite;
 * what: its name for messages. */
void metric_factor(Env *env, Metric *metric, const double *matrix, const char *what);
/* Sets scales to 1 / spread, 0 where a spread is 0: of ranges, or if squared of the roots of variances. */
void metric_scale_by(Env *env, Metric *metric, const double *spreads, bool squared);
/* Sets the factor from the matrix. Returns `numbers`, or the first column that depends on those before it. */
uint32_t metric_factorize(Env *env, Metric *metric);
/* Fails unless the rows have one feature, a text, as metrics between values need. */
void metric_require_value(Env *env, const Metric *metric);
static inline size_t metric_packed_size(uint32_t count)
{
    return (size_t)count * (count + 1) / 2;
}

#endif
