/*
 * loss.h - losses of single predictions, and mean losses over rows of two classes.
 *
 * A mean is summed before it is known which of two labels is the positive one: each label's rows are summed both ways, and the
 * result takes the right sum.
 */
#ifndef PGFIT_LOSS_H
#define PGFIT_LOSS_H

#include "core/math/carried_sum.h"
#include "core/options/options.h"

typedef enum Loss {
    LOSS_ABSOLUTE,
    LOSS_EPSILON_INSENSITIVE, /* max(0, |y - f| - epsilon) */
    LOSS_HINGE,               /* max(0, 1 - y f), y = -1 or 1 */
    LOSS_LOGISTIC,            /* log(1 + exp(-y f)) */
    LOSS_SQUARED,
    LOSS_ZERO_ONE,            /* 1 if y f <= 0 */
    LOSS_COUNT
} Loss;

extern const char *const loss_names[]; /* [LOSS_COUNT + 1], NULL-terminated */

/* Returns the loss for a number or for a class, -1 or 1. Fails with ERROR_DATA for another class, NaN and infinities. */
double loss_of(Env *env, Loss loss, double actual, double predicted, double epsilon);

/* Returns -log(probability), the loss of a row whose class was given this probability, 0 to 1: 0 to infinity. */
double cross_entropy(double probability);

/* ---- means ---- */

typedef enum MeanLoss {
    MEAN_LOG,   /* -log p, where p is the probability of the row's class */
    MEAN_BRIER, /* (1 - p)^2 */
    MEAN_HINGE  /* of a score, which is above 0 for the positive class */
} MeanLoss;

/* Tables with the options of means: "positive", and for the log loss "min_probability". */
extern const OptionSpec clip_options[], positive_options[];

/* The rows of one label: their losses if it is the negative class, and if it is the positive one. */
typedef struct LabelLoss {
    char *label; /* NULL: not seen */
    uint32_t length;
    bool is_number;
    double key;
    double rows, weight;
    CarriedSum if_negative, if_positive;
} LabelLoss;

typedef struct OtherLabel {
    char *label;
    uint32_t length;
    double key;
} OtherLabel;

typedef struct MeanLossState {
    MeanLoss loss;
    double clip;     /* probabilities are kept this far from 0 and 1 */
    char *positive;  /* option; NULL: the last of two */
    LabelLoss labels[2]; /* if option positive is given: all others, then the positive one */
    OtherLabel *others;  /* what the others are, in order, as long as no row is positive: for the message if none is */
    uint32_t other_count;
    bool more_others;    /* there are more than are kept */
} MeanLossState;

/* Begins a state. several: more than two classes, whose rows are added by mean_loss_add_value. options: NULL if there are none. */
void mean_loss_begin(Env *env, MeanLossState *state, MeanLoss loss, bool several, const Options *options);
/*
 * Adds a row, unless its weight is 0. score: a probability of the positive class, or a score. Fails with ERROR_DATA for a third
 * label, a probability outside 0 to 1, NaN, infinite scores, and weights that are negative or not finite.
 */
void mean_loss_add(Env *env, MeanLossState *state, const char *label, uint32_t length, double key, bool is_number,
                   double score, double weight);
/* Adds a row whose loss is known, for several classes. */
void mean_loss_add_value(Env *env, MeanLossState *state, double loss, double weight);
void mean_loss_merge(Env *env, MeanLossState *into, const MeanLossState *other);
/* Begins a state with the options of another. */
void mean_loss_copy_options(Env *env, MeanLossState *state, const MeanLossState *other);
/* Convert a state to bytes and back, for parallel workers of one server. Fails with ERROR_BINARY if the bytes are not a state. */
uint8_t *mean_loss_bytes(Env *env, const MeanLossState *state, size_t *size);
void mean_loss_of_bytes(Env *env, MeanLossState *state, const uint8_t *bytes, size_t size);
/*
 * Returns the mean; false if there are no rows, or only rows of one label that does not tell whether it is positive (true and
 * numbers above 0 are; false and other numbers are not). Fails with ERROR_RANGE if sums overflow; a log loss may be infinite.
 * Fails with ERROR_DATA if option positive names none of two or more labels.
 */
bool mean_loss_result(Env *env, const MeanLossState *state, double *result);

/* Returns the loss of a row of several classes from their probabilities and the position of its class. Fails with ERROR_DATA if
 * a number is not a probability, or they do not add up to 1. */
double several_loss(Env *env, MeanLoss loss, const double *probabilities, uint32_t count, uint32_t position, double clip);

#endif
