/*
 * boosting_loss.h - losses of gradient boosting: what each is at a score, the best constant, gradients, leaves.
 */
#ifndef PGFIT_BOOSTING_LOSS_H
#define PGFIT_BOOSTING_LOSS_H

#include "core/boosting/boosting.h"
#include "core/tree_bins/histogram_grow.h"

/* A list of rows, ascending. */
typedef struct RowList {
    const uint32_t *rows; /* NULL: the first ones */
    uint32_t count;
} RowList;
static inline uint32_t row_at(RowList list, uint32_t i)
{
    return list.rows != NULL ? list.rows[i] : i;
}

/* A gradient and a hessian before they become integers, in the place of those. */
typedef union FloatRow {
    struct {
        float gradient, hessian;
    } real;
    HistogramRow whole;
} FloatRow;
_Static_assert(sizeof(FloatRow) == sizeof(HistogramRow), "gradients are rounded in place");

typedef struct Steepness {
    double gradient, hessian, hessians; /* the largest ones, and the sum */
} Steepness;

/* Rows under a loss: what it reads of them, their scores, and the options that are its own. */
typedef struct BoostRows {
    const char *method;
    const struct BoostLoss *loss;
    uint32_t count, classes;
    uint32_t outputs;    /* scores of a row, and trees per iteration */
    double *targets;     /* [count] numbers, divided by the unit */
    double unit;
    uint32_t *labels;    /* [count] or classes in final order */
    double *weights;     /* [count] with class weights; NULL: all 1 */
    double *scores;      /* [outputs x count] */
    void *room;          /* [count] of the loss: what it keeps of the rows */
    double quantile;     /* which one the loss is of */
    uint32_t positive;   /* of two classes, the one whose probability is modeled */
    double least_weight; /* min_child_weight, for a warning */
} BoostRows;

typedef struct BoostLoss {
    const char *name; /* in option "loss"; NULL: of classes */
    BoostLink link;
    bool squared;    /* its unit is the square of that of the targets */
    uint8_t room[2]; /* bytes that it keeps of a row: without weights, and with them */
    /* Writes the best constant scores [outputs]. Fails with ERROR_DATA where there are none. */
    void (*constants)(Env *env, const BoostRows *rows, RowList train, double *out);
    /* Prepares the room of rows from start up to end for their scores, before an iteration; NULL: it keeps nothing of them. */
    void (*begin)(Env *env, const BoostRows *rows, uint32_t start, uint32_t end);
    /* Writes gradients and hessians of an output for rows from start up to end, and updates what is known of their sizes. */
    void (*slopes)(const BoostRows *rows, uint32_t output, uint32_t start, uint32_t end, FloatRow *out, Steepness *steepness);
    /* Returns the loss of a row. */
    double (*of_row)(const BoostRows *rows, uint32_t row);
    /* Returns what a leaf adds to the scores of its rows; NULL: a newton step. */
    double (*leaf)(Env *env, const BoostRows *rows, RowList leaf);
} BoostLoss;

/* Returns the loss of a target: two classes, several, or a number under option "loss". */
const BoostLoss *boosting_loss_of(const Options *options, uint32_t classes);
/* Return the number of a loss, by which another process finds it, and the loss of a number. */
uint32_t boosting_loss_number(const BoostLoss *loss);
const BoostLoss *boosting_loss_numbered(uint32_t number);
/* Returns the weighted mean of a number of rows, such as BoostLoss.of_row or their targets. */
double boosting_mean(Env *env, const BoostRows *rows, RowList of, double (*of_row)(const BoostRows *rows, uint32_t row));
double boosting_target(const BoostRows *rows, uint32_t row);

#endif
