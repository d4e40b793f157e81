/*
 * evaluation.h - metrics of a model on rows of a source, by the aggregates that users have.
 */
#ifndef PGFIT_EVALUATION_H
#define PGFIT_EVALUATION_H

#include "pg/operations/fit_query.h"

#define METRICS_MAX 20

/* Which metrics to compute for an estimator. */
typedef struct EvaluationMetrics {
    const FitQuery *query;
    int metrics[METRICS_MAX]; /* places in the list of metrics */
    int count;
    int decides; /* which of them compares models; -1: the estimator has no metrics */
} EvaluationMetrics;

/* The metrics of a model. */
typedef struct Evaluation {
    double values[METRICS_MAX]; /* as in EvaluationMetrics; NaN: undefined */
    double errors[METRICS_MAX]; /* standard errors over folds; NaN: not known */
    int64 rows;                 /* that were scored */
} Evaluation;

/*
 * Chooses the usual metrics of an estimator with this target, and the one of this name, which decides; NULL: rmse or accuracy does. Fails for a metric
 * that the estimator does not have.
 */
EvaluationMetrics evaluation_metrics(const FitQuery *query, const char *name);
const char *evaluation_metric(const EvaluationMetrics *choice, int which);
bool evaluation_lower_is_better(const EvaluationMetrics *choice);
/* Tells whether a model is better than another by more than the margin. */
bool evaluation_better(const EvaluationMetrics *choice, const Evaluation *one, const Evaluation *other, double margin);
/* Returns the values as a JSON object, or the standard errors. */
char *evaluation_json(const EvaluationMetrics *choice, const double *values);

/* Scores the rows of the source that meet a condition (NULL: all) and computes the metrics. Needs SPI. */
Evaluation evaluate_model(const EvaluationMetrics *choice, const Model *model, const char *condition);
/* Computes the metrics by cross_validate with these options, a JSON object. */
Evaluation evaluate_by_folds(const EvaluationMetrics *choice, Jsonb *folds);

#endif
