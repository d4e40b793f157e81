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
    double *folds[METRICS_MAX]; /* values of the folds; of rows that were held out once: none */
    int fold_count;
    int64 rows;                 /* that have a target and were scored */
    int64 targets;              /* rows that have a target; not known of folds */
} Evaluation;

/*
 * Chooses the usual metrics of an estimator, and the one of this name, which decides; NULL: the first of the usual ones does. folds: those that
 * cross_validate has. Fails for a metric that the estimator does not have.
 */
EvaluationMetrics evaluation_metrics(const FitQuery *query, const char *name, bool folds);
const char *evaluation_metric(const EvaluationMetrics *choice, int which);
/* Fails because models of an estimator have no metrics. */
void evaluation_fail(const Estimator *estimator) __attribute__((noreturn));
/* Returns the metrics to compute: those named, or the usual ones if none are. The first one decides. */
EvaluationMetrics evaluation_metrics_named(const FitQuery *query, Jsonb *names);
bool evaluation_lower_is_better(const EvaluationMetrics *choice);
/* Tells whether a model is better than another by more than the margin. */
bool evaluation_better(const EvaluationMetrics *choice, const Evaluation *one, const Evaluation *other, double margin);
/* Returns the values as a JSON object, or the standard errors. */
char *evaluation_json(const EvaluationMetrics *choice, const double *values);

/* Tells whether the metric that decides can be computed for a model, which may be of another estimator. */
bool evaluation_decides(const EvaluationMetrics *choice, const Model *model);
/*
 * Tells whether two models can be compared by the metric that decides. Densities and distances depend on the features, and on the units that they are
 * measured in: models of others have others.
 */
bool evaluation_comparable(const EvaluationMetrics *choice, const Model *a, const Model *b);
/* Tells whether two models have a class in common, or one has none. Labels of another type have none: true is not 1. */
bool evaluation_shares_classes(const Model *a, const Model *b);
/* What is scored. */
typedef struct Judged {
    const Model *model;
    const Model *also;     /* only rows that this model scores, too; NULL: all */
    const char *positive;  /* the positive one of two classes; NULL: metrics of two classes are not computed */
    const char *condition; /* of the rows of the source; NULL: all */
} Judged;
/* Returns the positive class of a model, or NULL if it does not have two classes. */
char *evaluation_positive(const Model *model);
/* Scores rows of the source and computes the metrics; those that the model cannot have are NaN. Needs SPI. */
Evaluation evaluate_model(const EvaluationMetrics *choice, const Judged *judged);
/*
 * Computes the metrics by cross_validate with these options, a JSON object; of a fit with option "prepare" by a fit of all its steps per fold. positive: as
 * above; options may name another one. condition: of the rows of the source; judged: of those that are judged, all others are only fitted; NULL: all.
 */
Evaluation evaluate_by_folds(const EvaluationMetrics *choice, Jsonb *folds, const char *positive, const char *condition, const char *judged);
/* Writes a call of cross_validate. condition: of the rows that are judged, all others are only fitted; NULL: all are judged. */
char *cross_validate_call(const FitQuery *query, const char *options, const char *condition);

#endif
