/*
 * loss.h - losses of single predictions, and their means over rows of two classes.
 *
 * A mean is taken without knowing beforehand which of two labels is the positive one: each label's rows are
 * summed both ways, and the result takes the right one.
 */
#ifndef PGFIT_LOSS_H
#define PGFIT_LOSS_H

#include "core/model/options.h"

typedef enum Loss {
    LOSS_ABSOLUTE,
    LOSS_EPSILON_INSENSITIVE, /* max(0, |y - f| - epsilon) */
    LOSS_HINGE,               /* max(0, 1 - y f), y = -1 or 1 */
    LOSS_LOGISTIC,            /* log(1 + exp(-y f)) */
    LOSS_SQUARED,
    LOSS_ZERO_ONE,            /* 1 where y f <= 0 */
    LOSS_COUNT
} Loss;

extern const char *const loss_names[]; /* [LOSS_COUNT + 1], NULL-terminated */

/* Of a number or of a class -1 or 1. Fails with ERROR_DATA for another class, NaN and infinities. */
double loss_of(Env *env, Loss loss, double actual, double predicted, double epsilon);

/* ---- means ---- */

typedef enum MeanLoss {
    MEAN_LOG,   /* -log of the probability of the row's class */
    MEAN_BRIER, /* (1 - that)^2 */
    MEAN_HINGE  /* of a score, above 0 for the positive class */
} MeanLoss;

/* Options of the means: "positive", and "clip" of the log loss. */
extern const OptionSpec clip_options[], positive_options[];

typedef struct LossSum {
    double sum, rest; /* and what rounding has taken from it (Neumaier 1974) */
} LossSum;

/* Rows of one label: their losses if it is the negative class, and if it is the positive one. */
typedef struct LabelLoss {
    char *label; /* NULL: not seen */
    uint32_t length;
    bool is_number;
    double key;
    double rows, weight;
    LossSum if_negative, if_positive;
} LabelLoss;

typedef struct MeanLossState {
    MeanLoss loss;
    double clip;     /* probabilities are kept this far from 0 and 1 */
    char *positive;  /* option; NULL: the last of two */
    LabelLoss labels[2]; /* with the option: all others, the positive one */
} MeanLossState;

/* several: rows come with mean_loss_add_value alone. options: NULL where the metric has none. */
void mean_loss_begin(Env *env, MeanLossState *state, MeanLoss loss, bool several, const Options *options);
/* Adds a row; weight 0 is no row. score: a probability of the positive class, or a score. Fails with ERROR_DATA for
 * a third label, a probability outside 0 to 1, NaN, infinite scores and bad weights. */
void mean_loss_add(Env *env, MeanLossState *state, const char *label, uint32_t length, double key, bool is_number,
                   double score, double weight);
/* A row whose loss is known: of several classes. */
void mean_loss_add_value(Env *env, MeanLossState *state, double loss, double weight);
void mean_loss_merge(Env *env, MeanLossState *into, const MeanLossState *other);
/* A fresh state with the options of another. */
void mean_loss_copy_options(Env *env, MeanLossState *state, const MeanLossState *other);
/* For parallel workers of one server: bytes of a state and back. Fails with ERROR_BINARY on bytes that are none. */
uint8_t *mean_loss_bytes(Env *env, const MeanLossState *state, size_t *size);
void mean_loss_of_bytes(Env *env, MeanLossState *state, const uint8_t *bytes, size_t size);
/*
 * false: no row, or of one label alone that does not tell whether it is positive (true, or numbers above 0, are;
 * false and other numbers are not). ERROR_RANGE where sums left double precision; a log loss may be infinite.
 */
bool mean_loss_result(Env *env, const MeanLossState *state, double *result);

/* The loss of a row of several classes: probabilities and the position of the row's class. Fails with ERROR_DATA where
 * they are no probabilities that add up to 1. */
double several_loss(Env *env, MeanLoss loss, const double *probabilities, uint32_t count, uint32_t position, double clip);

#endif
