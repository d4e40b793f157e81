/*
 * boosting_loss.c - losses of gradient boosting: best constants, gradients, leaf values and means.
 *
 *   loss         link      gradient            hessian    of score F, target y, prediction p
 *   squared      identity  F - y               1          (F - y)^2 / 2
 *   absolute     identity  sign(F - y)         1          |F - y|
 *   quantile q   identity  1 - q or -q         1          the pinball loss
 *   poisson      log       exp(F) - y          exp(F)     exp(F) - y F
 *   logistic     logit     p - y               p (1 - p)  log loss
 *   multinomial  softmax   p_k - [y = k]       p_k (1 - p_k)
 *
 * Absolute and quantile loss have no curvature: trees grow on the signs, and each leaf then takes the median or quantile of the
 * residuals of its rows (Friedman 2001).
 */
#include "core/boosting/boosting.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/math/carried_sum.h"
#include "core/math/exp_log1p.h"
#include "core/math/logistic_function.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 65536u
#define SCORE_LIMIT 500.0 /* of poisson scores: exp stays finite */

static void poll_rows(Env *env, uint32_t i)
{
    if (i % POLL_ROWS == 0)
        env->poll(env);
}

/* ---- quantiles ---- */

typedef struct Residual {
    double value, weight;
} Residual;

/*
 * Returns the smallest number with at least the share q of the weight at or below it, the mean of it and the next if that is
 * exactly the share. numbers are reordered.
 */
static double weighted_quantile(Env *env, Residual *numbers, uint32_t count, double q)
{
    double total = 0, sum = 0, target;
    uint32_t i = 0;

    sort_polled(env, numbers, count, sizeof(Residual), compare_numbers);
    for (uint32_t k = 0; k < count; k++)
        total += numbers[k].weight;
    target = q * total;
    while (i + 1 < count && sum + numbers[i].weight < target - 1e-12 * total)
        sum += numbers[i++].weight;
    if (i + 1 < count && fabs(sum + numbers[i].weight - target) <= 1e-12 * total)
        return numbers[i].value / 2 + numbers[i + 1].value / 2;
    return numbers[i].value;
}

/* Moves the number that has `place` smaller ones to x[place], with these before it (Hoare 1961, random pivots). */
static void select_place(Env *env, double *x, uint32_t count, uint32_t place)
{
    uint32_t first = 0, end = count;
    uint64_t random = count;

    while (end - first > 1) {
        double pivot = x[first + (uint32_t)(random_unit(&random) * (end - first))];
        uint32_t low = first, high = end, at = first;

        env->poll(env);
        while (at < high)
            if (x[at] < pivot) {
                double value = x[at];

                x[at++] = x[low];
                x[low++] = value;
            } else if (x[at] > pivot) {
                double value = x[at];

                x[at] = x[--high];
                x[high] = value;
            } else {
                at++;
            }
        if (place >= low && place < high)
            return;
        first = place < low ? first : high;
        end = place < low ? low : end;
    }
}

/* weighted_quantile of numbers of weight 1. */
static double plain_quantile(Env *env, double *x, uint32_t count, double q)
{
    double target = q * count, next = INFINITY;
    uint32_t place = (uint32_t)fmin(fmax(ceil(target - 1e-12 * count) - 1, 0), count - 1);

    select_place(env, x, count, place);
    if (place + 1 >= count || fabs(place + 1 - target) > 1e-12 * count)
        return x[place];
    for (uint32_t i = place + 1; i < count; i++)
        next = x[i] < next ? x[i] : next;
    return x[place] / 2 + next / 2;
}

/* The same for targets minus scores of rows of a list. */
static double residual_quantile(Env *env, Boosting *boosting, const uint32_t *rows, uint32_t count, bool scored)
{
    double *plain = (double *)boosting->residuals;
    Residual *residuals = boosting->residuals;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows != NULL ? rows[i] : i;
        double residual = boosting->targets[row] - (scored ? boosting->scores[row] : 0);

        poll_rows(env, i);
        if (boosting->weights == NULL)
            plain[i] = residual;
        else
            residuals[i] = (Residual){residual, boosting->weights[row]};
    }
    if (boosting->weights == NULL)
        return plain_quantile(env, plain, count, boosting->quantile);
    return weighted_quantile(env, residuals, count, boosting->quantile);
}

/* ---- the best constants ---- */

double boosting_mean_target(Env *env, const Boosting *boosting, const uint32_t *rows, uint32_t count)
{
    CarriedSum sum = {0, 0}, weight = {0, 0};

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows != NULL ? rows[i] : i;

        poll_rows(env, i);
        carried_add(&sum, row_weight(boosting->weights, row) * boosting->targets[row]);
        carried_add(&weight, row_weight(boosting->weights, row));
    }
    return carried_value(&sum) / carried_value(&weight);
}

/* Writes log shares for several classes, the log odds of the positive one for two. */
static void class_baseline(Env *env, Boosting *boosting)
{
    CarriedSum *weights = env_array(env, boosting->classes, sizeof(CarriedSum));
    double mean = 0;

    for (uint32_t i = 0; i < boosting->train_count; i++) {
        uint32_t row = boosting_train_row(boosting, i);

        poll_rows(env, i);
        carried_add(&weights[boosting->labels[row]], row_weight(boosting->weights, row));
    }
    for (uint32_t c = 0; c < boosting->classes; c++)
        if (carried_value(&weights[c]) <= 0)
            env_fail(env, ERROR_DATA, "Lower \"holdout\", or leave \"early_stopping\" out.",
                     "all rows of class number %u are held out by %s", c + 1, boosting->method);
    if (boosting->loss == LOSS_LOGISTIC) {
        uint32_t positive = boosting->positive;

        boosting->baseline[0] = log(carried_value(&weights[positive]) / carried_value(&weights[1 - positive]));
        return;
    }
    for (uint32_t c = 0; c < boosting->classes; c++)
        mean += boosting->baseline[c] = log(carried_value(&weights[c]));
    for (uint32_t c = 0; c < boosting->classes; c++)
        boosting->baseline[c] -= mean / boosting->classes;
}

/* Warns if no leaf can have enough weight: hessians of poisson are predictions, which add up to the targets. */
static void warn_small_targets(Env *env, const Boosting *boosting, double mean)
{
    double least = boosting->growth.min_child_weight, sum = 0;

    for (uint32_t i = 0; i < boosting->train_count; i++)
        sum += row_weight(boosting->weights, boosting_train_row(boosting, i));
    sum *= mean;
    if (sum < 2 * least)
        env_warn(env, ERROR_DATA, "Lower \"min_child_weight\", or multiply the target by a power of ten.",
                 "%s cannot split: under loss poisson two leaves need targets that add up to %g, and these add up to %g",
                 boosting->method, 2 * least, sum);
}

void boosting_baseline(Env *env, Boosting *boosting)
{
    double mean;

    boosting->baseline = env_array(env, boosting->outputs, sizeof(double));
    switch (boosting->loss) {
    case LOSS_SQUARED:
        boosting->baseline[0] = boosting_mean_target(env, boosting, boosting->train, boosting->train_count);
        break;
    case LOSS_ABSOLUTE:
    case LOSS_QUANTILE:
        boosting->baseline[0] = residual_quantile(env, boosting, boosting->train, boosting->train_count, false);
        break;
    case LOSS_POISSON:
        mean = boosting_mean_target(env, boosting, boosting->train, boosting->train_count);
        if (!(mean > 0))
            env_fail(env, ERROR_DATA, "Use another \"loss\".",
                     "loss poisson of %s needs a target that is not 0 in every row", boosting->method);
        boosting->baseline[0] = log(mean);
        warn_small_targets(env, boosting, mean);
        break;
    case LOSS_LOGISTIC:
    case LOSS_MULTINOMIAL:
        class_baseline(env, boosting);
        break;
    }
    if (!isfinite(boosting->baseline[0]))
        env_fail(env, ERROR_RANGE, "Divide the target by a power of ten.", "the mean target of %s is out of range",
                 boosting->method);
}

/* ---- gradients ---- */

typedef struct Steepness {
    double gradient, hessian, hessians; /* the largest ones, and the sum */
} Steepness;

/* A gradient and a hessian before they become integers, in the place of those. */
typedef union FloatRow {
    struct {
        float gradient, hessian;
    } real;
    HistogramRow whole;
} FloatRow;
_Static_assert(sizeof(FloatRow) == sizeof(HistogramRow), "gradients are rounded in place");

/* Returns the log of the sum of exponentials of a row's scores. */
static double sum_scores(const Boosting *boosting, uint32_t row)
{
    size_t rows = boosting->rows;
    double most = boosting->scores[row], sum = 0;

    for (uint32_t k = 1; k < boosting->outputs; k++)
        most = fmax(most, boosting->scores[k * rows + row]);
    for (uint32_t k = 0; k < boosting->outputs; k++)
        sum += exponential_core(boosting->scores[k * rows + row] - most);
    return most + log(sum);
}

/* Sums the scores of all rows at the start of an iteration. */
static void sum_all_scores(Env *env, Boosting *boosting)
{
    for (uint32_t row = 0; boosting->sums != NULL && row < boosting->rows; row++) {
        poll_rows(env, row * (boosting->outputs / 4 + 1));
        boosting->sums[row] = sum_scores(boosting, row);
    }
}

/* Computes the gradient and the hessian of one row. */
static inline __attribute__((always_inline)) void slope(const Boosting *boosting, BoostLoss loss, uint32_t output,
                                                        uint32_t row, double *gradient, double *hessian)
{
    double score = boosting->scores[(size_t)output * boosting->rows + row], p;

    *hessian = 1;
    switch (loss) {
    case LOSS_SQUARED:
        *gradient = score - boosting->targets[row];
        break;
    case LOSS_ABSOLUTE:
    case LOSS_QUANTILE:
        *gradient = (score > boosting->targets[row] ? 1 : 0) - boosting->quantile;
        *gradient = score == boosting->targets[row] ? 0 : *gradient;
        break;
    case LOSS_POISSON:
        *hessian = exponential_core(score > SCORE_LIMIT ? SCORE_LIMIT : score);
        *gradient = *hessian - boosting->targets[row];
        break;
    case LOSS_LOGISTIC:
        p = 1 / (1 + exponential_core(-score));
        *gradient = p - (boosting->labels[row] == boosting->positive);
        *hessian = p * (1 - p);
        break;
    case LOSS_MULTINOMIAL:
        p = exponential_core(score - boosting->sums[row]);
        *gradient = p - (boosting->labels[row] == output);
        *hessian = p * (1 - p);
        *hessian = *hessian > 0 ? *hessian : 0;
        break;
    }
}

/* Writes gradients as floats; updates what is known of their sizes. */
static inline __attribute__((always_inline)) void slopes(Boosting *boosting, BoostLoss loss, uint32_t output, uint32_t start,
                                                         uint32_t end, Steepness *steepness)
{
    FloatRow *rows = (FloatRow *)boosting->gradients;
    float largest = 0, hessian = 0;
    double hessians = 0;

    for (uint32_t row = start; row < end; row++) {
        double g, h, weight = row_weight(boosting->weights, row);

        slope(boosting, loss, output, row, &g, &h);
        rows[row].real.gradient = (float)(weight * g);
        rows[row].real.hessian = (float)(weight * h);
        hessians += rows[row].real.hessian;
        largest = fmaxf(largest, fabsf(rows[row].real.gradient));
        hessian = fmaxf(hessian, rows[row].real.hessian);
    }
    steepness->gradient = fmax(steepness->gradient, largest);
    steepness->hessian = fmax(steepness->hessian, hessian);
    steepness->hessians += hessians;
}

static void slopes_of(Boosting *boosting, uint32_t output, uint32_t start, uint32_t end, Steepness *steepness)
{
    switch (boosting->loss) {
#define SLOPES(loss)                                                                                                    \
    case loss:                                                                                                          \
        slopes(boosting, loss, output, start, end, steepness);                                                         \
        break;
        SLOPES(LOSS_SQUARED)
        SLOPES(LOSS_ABSOLUTE)
        SLOPES(LOSS_QUANTILE)
        SLOPES(LOSS_POISSON)
        SLOPES(LOSS_LOGISTIC)
        SLOPES(LOSS_MULTINOMIAL)
#undef SLOPES
    }
}

/* Warns of rows so light that their hessians are rounded to 0. Before the first tree they differ by weight alone. */
static void warn_light(Env *env, const Boosting *boosting)
{
    const FloatRow *rows = (const FloatRow *)boosting->gradients;
    uint32_t light = 0;

    for (uint32_t row = 0; row < boosting->rows; row++) {
        poll_rows(env, row);
        light += boosting->weights[row] > 0 && rows[row].real.hessian < boosting->scale.hessian / 2;
    }
    if (light > 0)
        env_warn(env, ERROR_DATA, "Use weights that are closer together.",
                 "%u of %u rows do not count in %s: they weigh too little beside the others", light, boosting->rows,
                 boosting->method);
}

/* Rounds to the nearest integer, for numbers below 2^51 in size, in a way that loops over it can be vectorized. */
static inline int64_t nearest(double value)
{
    double shifted = value + 0x1.8p52;
    int64_t bits;

    memcpy(&bits, &shifted, sizeof(bits));
    return bits - 0x4338000000000000;
}

void boosting_gradients(Env *env, Boosting *boosting, uint32_t output)
{
    FloatRow *rows = (FloatRow *)boosting->gradients;
    Steepness steepness = {0, 0, 0};
    double per_gradient, per_hessian;

    if (output == 0)
        sum_all_scores(env, boosting);
    for (uint32_t start = 0; start < boosting->rows; start += POLL_ROWS) {
        poll_rows(env, 0);
        slopes_of(boosting, output, start, boosting->rows - start < POLL_ROWS ? boosting->rows : start + POLL_ROWS, &steepness);
    }
    if (!isfinite(steepness.gradient) || !isfinite(steepness.hessians))
        env_fail(env, ERROR_RANGE, "Divide the target by a power of ten, or use smaller weights.",
                 "the gradients of %s exceed the range of single precision", boosting->method);
    boosting->scale = histogram_scale(boosting->size, steepness.gradient, steepness.hessian, steepness.hessians);
    if (boosting->weights != NULL && boosting->done == boosting->start.begun && output == 0)
        warn_light(env, boosting);
    per_gradient = 1 / boosting->scale.gradient;
    per_hessian = 1 / boosting->scale.hessian;
    for (uint32_t start = 0; start < boosting->rows; start += POLL_ROWS) {
        uint32_t end = boosting->rows - start < POLL_ROWS ? boosting->rows : start + POLL_ROWS;

        poll_rows(env, 0);
        for (uint32_t row = start; row < end; row++) {
            int64_t g = nearest(rows[row].real.gradient * per_gradient), h = nearest(rows[row].real.hessian * per_hessian);

            rows[row].whole = (HistogramRow){.gradient = (int32_t)g, .hessian = (uint32_t)h};
        }
    }
}

/* ---- leaves ---- */

void boosting_leaf_values(Env *env, Boosting *boosting)
{
    const uint32_t *order = histogram_order(boosting->grower);
    bool refit = boosting->loss == LOSS_ABSOLUTE || boosting->loss == LOSS_QUANTILE, floats = boosting_score_unit(boosting) == 1;

    for (uint32_t n = 0; n < boosting->tree->count; n++) {
        GrownNode *node = &boosting->tree->nodes[n];

        if (node->left != TREE_NONE)
            continue;
        if (refit) {
            double value = residual_quantile(env, boosting, order + node->first_row, node->rows, true);
            HistogramNode bounds = histogram_bounds(boosting->grower, n);

            node->value = fmin(fmax(value, bounds.low), bounds.high);
        }
        node->value *= boosting->rate;
        if (floats && isfinite((float)node->value)) /* as the model has it: a fit that continues from it sees the same */
            node->value = (float)node->value;
    }
}

/* ---- means ---- */

double boosting_row_loss(const Boosting *boosting, uint32_t row)
{
    double score = boosting->scores[row], target = boosting->targets != NULL ? boosting->targets[row] : 0;
    double difference = target - score;

    switch (boosting->loss) {
    case LOSS_SQUARED:
        return difference * difference / 2;
    case LOSS_ABSOLUTE:
        return fabs(difference);
    case LOSS_QUANTILE:
        return difference >= 0 ? boosting->quantile * difference : (boosting->quantile - 1) * difference;
    case LOSS_POISSON:
        return exp(fmin(score, SCORE_LIMIT)) - target * score;
    case LOSS_LOGISTIC:
        return -log_logistic(boosting->labels[row] == boosting->positive ? score : -score);
    case LOSS_MULTINOMIAL:
        return sum_scores(boosting, row) - boosting->scores[boosting->labels[row] * (size_t)boosting->rows + row];
    }
    return 0;
}

double boosting_loss(Env *env, Boosting *boosting, const uint32_t *rows, uint32_t count)
{
    CarriedSum sum = {0, 0}, weight = {0, 0};

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows != NULL ? rows[i] : i;

        poll_rows(env, i);
        carried_add(&sum, row_weight(boosting->weights, row) * boosting_row_loss(boosting, row));
        carried_add(&weight, row_weight(boosting->weights, row));
    }
    return carried_value(&sum) / carried_value(&weight);
}
