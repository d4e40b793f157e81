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
#include "core/boosting/boosting_loss.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/math/carried_sum.h"
#include "core/math/exp_log1p.h"
#include "core/math/logistic_function.h"

#include <math.h>
#include <string.h>

#define SCORE_LIMIT 500.0 /* of poisson scores: exp stays finite */

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

    sort_numbers(env, numbers, count, sizeof(Residual));
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

/* The same for targets minus scores; scores NULL: 0. */
static double residual_quantile(Env *env, const BoostRows *rows, RowList of, const double *scores)
{
    double *plain = rows->room;
    Residual *weighted = rows->room;

    for (uint32_t i = 0; i < of.count; i++) {
        uint32_t row = row_at(of, i);
        double residual = rows->targets[row] - (scores != NULL ? scores[row] : 0);

        env_poll_rows(env, i);
        if (rows->weights == NULL)
            plain[i] = residual;
        else
            weighted[i] = (Residual){residual, rows->weights[row]};
    }
    if (rows->weights == NULL)
        return plain_quantile(env, plain, of.count, rows->quantile);
    return weighted_quantile(env, weighted, of.count, rows->quantile);
}

static double quantile_leaf(Env *env, const BoostRows *rows, RowList leaf)
{
    return residual_quantile(env, rows, leaf, rows->scores);
}

/* ---- the best constants ---- */

double boosting_mean(Env *env, const BoostRows *rows, RowList of, double (*of_row)(const BoostRows *rows, uint32_t row))
{
    CarriedSum sum = {0, 0}, weight = {0, 0};

    for (uint32_t i = 0; i < of.count; i++) {
        uint32_t row = row_at(of, i);

        env_poll_rows(env, i);
        carried_add(&sum, row_weight(rows->weights, row) * of_row(rows, row));
        carried_add(&weight, row_weight(rows->weights, row));
    }
    return carried_value(&sum) / carried_value(&weight);
}

double boosting_target(const BoostRows *rows, uint32_t row)
{
    return rows->targets[row];
}

static void mean_constant(Env *env, const BoostRows *rows, RowList train, double *out)
{
    *out = boosting_mean(env, rows, train, boosting_target);
}

static void quantile_constant(Env *env, const BoostRows *rows, RowList train, double *out)
{
    *out = residual_quantile(env, rows, train, NULL);
}

/* Warns if no leaf can have enough weight: hessians of poisson are predictions, which add up to the targets. */
static void poisson_constant(Env *env, const BoostRows *rows, RowList train, double *out)
{
    double mean = boosting_mean(env, rows, train, boosting_target), sum = 0;

    if (!(mean > 0))
        env_fail(env, ERROR_DATA, "Use another \"loss\".", "loss poisson of %s needs a target that is not 0 in every row", rows->method);
    *out = log(mean);
    for (uint32_t i = 0; i < train.count; i++)
        sum += row_weight(rows->weights, row_at(train, i));
    sum *= mean;
    if (sum < 2 * rows->least_weight)
        env_warn(env, ERROR_DATA, "Lower \"min_child_weight\", or multiply the target by a power of ten.",
                 "%s cannot split: under loss poisson two leaves need targets that add up to %g, and these add up to %g",
                 rows->method, 2 * rows->least_weight, sum);
}

/* Writes the log odds of the positive class for one output, log shares for several. */
static void class_constants(Env *env, const BoostRows *rows, RowList train, double *out)
{
    CarriedSum *weights = env_array(env, rows->classes, sizeof(CarriedSum));
    double mean = 0;

    for (uint32_t i = 0; i < train.count; i++) {
        uint32_t row = row_at(train, i);

        env_poll_rows(env, i);
        carried_add(&weights[rows->labels[row]], row_weight(rows->weights, row));
    }
    for (uint32_t c = 0; c < rows->classes; c++)
        if (carried_value(&weights[c]) <= 0)
            env_fail(env, ERROR_DATA, "Lower \"holdout\", or leave \"early_stopping\" out.",
                     "all rows of class number %u are held out by %s", c + 1, rows->method);
    if (rows->classes == 2) {
        *out = log(carried_value(&weights[rows->positive]) / carried_value(&weights[1 - rows->positive]));
        return;
    }
    for (uint32_t c = 0; c < rows->classes; c++)
        mean += out[c] = log(carried_value(&weights[c]));
    for (uint32_t c = 0; c < rows->classes; c++)
        out[c] -= mean / rows->classes;
}

/* ---- gradients ---- */

/* Computes the gradient and the hessian of a row at a score. */
typedef void Slope(const BoostRows *rows, uint32_t output, uint32_t row, double score, double *gradient, double *hessian);

/* Does the work of BoostLoss.slopes: inlined with the slope of each loss, for compilers to vectorize. */
static inline __attribute__((always_inline)) void write_slopes(const BoostRows *given, Slope slope, uint32_t output, uint32_t start,
                                                               uint32_t end, FloatRow *out, Steepness *steepness)
{
    const BoostRows rows = *given; /* so that no store can change it */
    const double *scores = rows.scores + (size_t)output * rows.count;
    float largest = 0, hessian = 0;
    double hessians = 0;

    for (uint32_t row = start; row < end; row++) {
        double g, h = 1, weight = row_weight(rows.weights, row);

        slope(&rows, output, row, scores[row], &g, &h);
        out[row].real.gradient = (float)(weight * g);
        out[row].real.hessian = (float)(weight * h);
        hessians += out[row].real.hessian;
        largest = fmaxf(largest, fabsf(out[row].real.gradient));
        hessian = fmaxf(hessian, out[row].real.hessian);
    }
    steepness->gradient = fmax(steepness->gradient, largest);
    steepness->hessian = fmax(steepness->hessian, hessian);
    steepness->hessians += hessians;
}

#define SLOPE(loss)                                                                                                                 \
    static inline __attribute__((always_inline)) void loss##_slope(const BoostRows *rows, uint32_t output, uint32_t row, double score, \
                                                                   double *gradient, double *hessian)
#define SLOPES(loss)                                                                                                            \
    static void loss##_slopes(const BoostRows *rows, uint32_t output, uint32_t start, uint32_t end, FloatRow *out, Steepness *steepness) \
    {                                                                                                                           \
        write_slopes(rows, loss##_slope, output, start, end, out, steepness);                                                   \
    }

SLOPE(squared)
{
    *gradient = score - rows->targets[row];
}
SLOPES(squared)

SLOPE(quantile)
{
    *gradient = (score > rows->targets[row] ? 1 : 0) - rows->quantile;
    *gradient = score == rows->targets[row] ? 0 : *gradient;
}
SLOPES(quantile)

SLOPE(poisson)
{
    *hessian = exponential_core(score > SCORE_LIMIT ? SCORE_LIMIT : score);
    *gradient = *hessian - rows->targets[row];
}
SLOPES(poisson)

SLOPE(logistic)
{
    double p = 1 / (1 + exponential_core(-score));

    *gradient = p - (rows->labels[row] == rows->positive);
    *hessian = p * (1 - p);
}
SLOPES(logistic)

SLOPE(multinomial)
{
    double p = exponential_core(score - ((double *)rows->room)[row]);

    *gradient = p - (rows->labels[row] == output);
    *hessian = p * (1 - p);
    *hessian = *hessian > 0 ? *hessian : 0;
}
SLOPES(multinomial)

/* Returns the log of the sum of exponentials of a row's scores. */
static double sum_scores(const BoostRows *rows, uint32_t row)
{
    size_t count = rows->count;
    double most = rows->scores[row], sum = 0;

    for (uint32_t k = 1; k < rows->outputs; k++)
        most = fmax(most, rows->scores[k * count + row]);
    for (uint32_t k = 0; k < rows->outputs; k++)
        sum += exponential_core(rows->scores[k * count + row] - most);
    return most + log(sum);
}

static void multinomial_begin(Env *env, const BoostRows *rows, uint32_t start, uint32_t end)
{
    for (uint32_t row = start; row < end; row++) {
        if (row % (ENV_POLL_ROWS / rows->outputs + 1) == 0)
            env->poll(env);
        ((double *)rows->room)[row] = sum_scores(rows, row);
    }
}

/* ---- losses ---- */

static double squared_loss(const BoostRows *rows, uint32_t row)
{
    double difference = rows->targets[row] - rows->scores[row];

    return difference * difference / 2;
}

static double absolute_loss(const BoostRows *rows, uint32_t row)
{
    return fabs(rows->targets[row] - rows->scores[row]);
}

static double quantile_loss(const BoostRows *rows, uint32_t row)
{
    double difference = rows->targets[row] - rows->scores[row];

    return (difference >= 0 ? rows->quantile : rows->quantile - 1) * difference;
}

static double poisson_loss(const BoostRows *rows, uint32_t row)
{
    return exp(fmin(rows->scores[row], SCORE_LIMIT)) - rows->targets[row] * rows->scores[row];
}

static double logistic_loss(const BoostRows *rows, uint32_t row)
{
    return -log_logistic(rows->labels[row] == rows->positive ? rows->scores[row] : -rows->scores[row]);
}

static double multinomial_loss(const BoostRows *rows, uint32_t row)
{
    return sum_scores(rows, row) - rows->scores[rows->labels[row] * (size_t)rows->count + row];
}

/* Those of numbers first, by name; then of two classes and of several. */
static const BoostLoss losses[] = {
    {.name = "squared", .squared = true, .constants = mean_constant, .slopes = squared_slopes, .of_row = squared_loss},
    {.name = "absolute", .room = {8, 16}, .constants = quantile_constant, .slopes = quantile_slopes, .of_row = absolute_loss,
     .leaf = quantile_leaf},
    {.name = "quantile", .room = {8, 16}, .constants = quantile_constant, .slopes = quantile_slopes, .of_row = quantile_loss,
     .leaf = quantile_leaf},
    {.name = "poisson", .link = BOOST_LOG, .constants = poisson_constant, .slopes = poisson_slopes, .of_row = poisson_loss},
    {.link = BOOST_LOGISTIC, .constants = class_constants, .slopes = logistic_slopes, .of_row = logistic_loss},
    {.link = BOOST_SOFTMAX,
     .room = {8, 8},
     .constants = class_constants,
     .begin = multinomial_begin,
     .slopes = multinomial_slopes,
     .of_row = multinomial_loss},
};

const BoostLoss *boosting_loss_of(const Options *options, uint32_t classes)
{
    const BoostLoss *loss = losses;

    while (classes > 0 ? loss->link != (classes == 2 ? BOOST_LOGISTIC : BOOST_SOFTMAX) : !options_is(options, "loss", loss->name))
        loss++;
    return loss;
}

uint32_t boosting_loss_number(const BoostLoss *loss)
{
    return (uint32_t)(loss - losses);
}

const BoostLoss *boosting_loss_numbered(uint32_t number)
{
    return &losses[number];
}
