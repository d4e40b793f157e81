/*
 * fold_metrics.h - the metrics that cross_validate offers, and the score of one fold by each of them, computed as the aggregates
 * over predictions compute it.
 */
#ifndef PGFIT_FOLD_METRICS_H
#define PGFIT_FOLD_METRICS_H

#include "core/estimator/estimator.h"
#include "core/rows/special_columns.h"

/* Which metrics a call asks for, and what they are computed from. */
typedef struct MetricPlan {
    const Estimator *estimator;
    uint32_t count;
    uint32_t *metrics;      /* [count] places in the list of metrics */
    const char *const *names; /* [count] */
    bool numbers, arrays, labels, probabilities, ranks, densities, distances, events; /* what a row is scored by */
    SpecialColumn special;  /* of the estimator: whose columns the events of rows are */
    double clip;            /* least probability of log_loss */
    uint32_t classes;       /* of all rows */
    uint32_t positive;      /* place of the positive class in the dictionary of all rows; CLASS_NONE: there is none */
    const Model *schema;    /* of all rows */
} MetricPlan;

/* Tells whether any metric judges models of this estimator. */
bool metric_any(const Estimator *estimator);
/*
 * Reads options metrics and positive. Fails with ERROR_PARAMETER for a metric that the method does not have, naming those that it
 * has, and with ERROR_KIND for a method that predicts nothing that can be compared.
 */
MetricPlan metric_plan(Env *env, const Estimator *estimator, const Options *options, const Model *schema);

/* Tells whether smaller values of metric m of a plan are better. */
bool metric_lower_is_better(const MetricPlan *plan, uint32_t m);

/* What a model says about a row that it was not fitted to. */
typedef struct RowVerdict {
    double number;        /* the prediction, the logarithm of the density, or the distance from the nearest centroid */
    uint32_t class;       /* of the model; CLASS_NONE: it decides for none */
    const double *probabilities; /* [classes of the model] */
    double score;         /* ranks rows of two classes: the larger, the more likely positive */
    const double *array;  /* [outputs] the predictions of several targets */
    const char *event;    /* of the row: what event_tag_write says, or the numbers of its further targets; set by the caller */
    uint32_t event_length;
} RowVerdict;

/* A model that judges rows: what it says about them is compared with their targets. */
typedef struct RowJudge {
    const MetricPlan *plan;
    const Model *model;
    const void *prepared;
    uint32_t classes;
    uint32_t *places;      /* [classes] of the model in the dictionary of all rows */
    uint32_t positive;     /* of the model; CLASS_NONE: it does not have that class */
    double *probabilities; /* [classes] */
    double *scores;
    uint32_t outputs;      /* targets that it predicts */
} RowJudge;
/* Makes room for what a model says. plan: for a schema that has all classes of the model. */
RowJudge row_judge(Env *env, const MetricPlan *plan, const Model *model, const void *prepared);
/* Scores a row of the model. Returns false where the model has no score for it. Fails with ERROR_PARAMETER if rows cannot be ranked. */
bool row_judge_score(Env *env, const RowJudge *judge, const double *slots, double offset, RowVerdict *verdict);

typedef struct FoldTally FoldTally;
/* Begins the score of a fold by a model. pool: for what ranking keeps. */
FoldTally *fold_tally(Env *env, const RowJudge *judge, RowsPool *pool);
/* Adds a row. actual: its target, the first of several, or the place of its class in the dictionary of all rows. */
void fold_tally_add(FoldTally *tally, double actual, const RowVerdict *verdict, double weight);
/* Writes the value of each metric, [count]: NaN where it is undefined. Returns how many rows were scored. */
uint64_t fold_tally_end(FoldTally *tally, double *values);
/* Gives back the rows that it keeps. */
void fold_tally_free(FoldTally *tally);

#endif
