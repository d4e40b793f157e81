/*
 * boosting.h - gradient boosting: trees that are grown one after another, each to the gradients of the loss at the scores so far.
 *
 * The score of a row is a baseline plus what the leaves of all trees add; a link makes it a prediction. With several classes
 * each iteration grows one tree per class. Friedman 2001 (gradient boosting), Chen & Guestrin 2016 (second-order gains), Ke et
 * al. 2017 (histograms, leaf-wise growth).
 */
#ifndef PGFIT_BOOSTING_H
#define PGFIT_BOOSTING_H

#include "core/boosting/boosting_scores.h"
#include "core/estimator/class_options.h"
#include "core/tree_bins/histogram_grow.h"
#include "core/tree_growth/tree_grow.h"
#include "core/tree_value/tree_start.h"

/* ---- the model ---- */

/* Arrays of boosted trees beside those of trees with numbers. */
extern const ArraySpec boosting_arrays[3];
extern const ArraySpec boosting_facts[7];

/* An Estimator.check of both methods. */
const char *boosting_check(Env *env, const Model *model);
/* Scoring.prepare. */
void *boosting_prepare(Env *env, const Model *model, size_t *bytes);
/* Writes the scores of a row, one per output, before the link. */
void boosting_scores(const void *prepared, const double *slots, double *out);
/* Returns room for the scores of a row. */
double *boosting_room(const void *prepared);
/* For tree_start: returns the iterations of the trees of a model; 0 of one whose held-out rows rejected them all. */
uint32_t boosting_begun(const Model *model);
uint32_t boosting_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out);
char *boosting_summary(Env *env, const Model *model);
/* Adds the score of one output as an SQL expression. */
void boosting_sql(TextBuffer *report, const TreeScorer *scorer, uint32_t output);

/* ---- the fit ---- */

typedef enum BoostLoss {
    LOSS_SQUARED,
    LOSS_ABSOLUTE,
    LOSS_QUANTILE,
    LOSS_POISSON,
    LOSS_LOGISTIC,
    LOSS_MULTINOMIAL
} BoostLoss;

/* Options of both methods, for OPTION_TABLES. */
extern const OptionSpec boosting_options[];

typedef struct Boosting {
    const char *method;
    TreeStart start; /* what the fit continues from */
    BoostLoss loss;
    double quantile;   /* LOSS_QUANTILE: which */
    uint32_t outputs;  /* trees per iteration */
    uint32_t positive; /* LOSS_LOGISTIC: the class whose probability is modeled */
    uint32_t classes;
    uint32_t rows;
    TreeColumns *columns;
    double *targets;   /* numbers */
    uint32_t *labels;  /* or classes in final order */
    double *weights;   /* [rows] with class weights; NULL: all 1 */
    uint32_t *sizes;   /* [rows] frequencies, as far as min_samples_leaf needs them; NULL: one each */
    uint64_t size;     /* their sum */
    HistogramGrowth growth;
    double rate, subsample, holdout, tolerance;
    uint32_t iterations, patience; /* patience 0: no early stopping */

    double *baseline; /* [outputs] */
    double *scores;   /* [outputs x rows] */
    double *sums;     /* LOSS_MULTINOMIAL: [rows] log of the sum of exponentials of the scores */
    HistogramRow *gradients; /* [rows] */
    HistogramScale scale;
    HistogramGrower *grower;
    GrownTree *tree; /* the last one */
    GrownTree **later; /* trees since the best iteration, and room for more */
    uint32_t later_count, later_room;
    uint32_t *train, train_count; /* rows to learn from, ascending; NULL: all */
    uint32_t *held, held_count;   /* the others, which stop the fit */
    uint32_t *sample, sample_count; /* rows of this iteration; NULL: those of train */
    uint64_t *numbers;            /* [rows] by content: for random choices; NULL: there are none */
    uint8_t *drawn;               /* [rows] is the row in the sample? NULL: all rows are */
    void *residuals;              /* [rows] numbers, with weights pairs: of a leaf */
    /* results */
    TreeStore *store;
    double *importance; /* [features] */
    uint32_t done, best;
    double *curve; /* [iterations + 1] loss of the held rows */
    double train_loss;
} Boosting;

/*
 * Reads the options that both methods have, loads rows, bins and targets, and grows the trees. classes: NULL if the targets are numbers.
 * Fails with ERROR_PARAMETER if options exclude each other, with ERROR_LIMIT past the budget.
 */
void boosting_run(Env *env, Boosting *boosting, Rows *rows, const Options *options, const ClassSet *classes);
/* Adds arrays and facts; the boosting must live until model_build. */
void boosting_add(Env *env, Boosting *boosting, ModelBuilder *builder, BoostLink link);

/* Returns the unit of scores: those of poisson are logarithms, which leaves do not bring back to the unit of the targets. */
static inline double boosting_score_unit(const Boosting *boosting)
{
    return boosting->loss == LOSS_POISSON ? 1 : boosting->columns->unit;
}

/* Returns the unit of losses where tiny targets were divided by columns->unit. */
static inline double boosting_loss_unit(const Boosting *boosting)
{
    double unit = boosting->columns->unit;

    return boosting->loss == LOSS_SQUARED ? unit * unit : unit;
}

/* ---- losses (boosting_loss.c) ---- */

/* Sets the baseline: the best constant scores. Fails with ERROR_DATA where there are none. */
void boosting_baseline(Env *env, Boosting *boosting);
/* Sets gradients and scale for one output, at the scores before the first output of the iteration. */
void boosting_gradients(Env *env, Boosting *boosting, uint32_t output);
/* Makes the values of the last tree's leaves minimize the loss, where newton steps do not, and multiplies them by the rate. */
void boosting_leaf_values(Env *env, Boosting *boosting);
/* Returns the mean target of these rows, in its unit; rows NULL: the first ones. */
double boosting_mean_target(Env *env, const Boosting *boosting, const uint32_t *rows, uint32_t count);
/* Returns row number i of those that are learned from. */
static inline uint32_t boosting_train_row(const Boosting *boosting, uint32_t i)
{
    return boosting->train != NULL ? boosting->train[i] : i;
}
/* Returns the loss of a row. */
double boosting_row_loss(const Boosting *boosting, uint32_t row);
/* Returns the mean loss of these rows; rows NULL: all. */
double boosting_loss(Env *env, Boosting *boosting, const uint32_t *rows, uint32_t count);

#endif
