/*
 * metric_fit.c - what metrics learn from training rows: variances, the covariance matrix, the width of the kernel, the
 * largest number.
 *
 * Means and variances are those of row_scale.h, which do not depend on the order of rows; cross-products are updated row by row about
 * the running mean (West 1979).
 */
#include "core/linalg/cholesky.h"
#include "core/distance/metric_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

void metric_learner_new(Env *env, Metric *metric)
{
    MetricLearner *learner = env_array(env, 1, sizeof(MetricLearner));

    metric->learner = learner;
    learner->row = env_array(env, (size_t)metric->numbers + 1, sizeof(double));
}

static bool wants_variances(const Metric *metric)
{
    const MetricLearner *learner = metric->learner;

    return ((metric->kind == METRIC_MIXED || metric->kind == METRIC_STANDARDIZED_EUCLIDEAN) &&
            !learner->scales_given) ||
           (metric->kind == METRIC_KERNEL && metric->kernel.kind == KERNEL_RBF &&
            metric->kernel.gamma == 0);
}

/* Decides what to sum, and allocates the sums. */
static void learner_begin(Env *env, Metric *metric)
{
    MetricLearner *learner = metric->learner;
    uint32_t n = metric->numbers;

    learner->variances = wants_variances(metric);
    if (learner->standardize)
        learner->numbers = row_scale_new(env, n);
    learner->ranges = metric->kind == METRIC_GOWER && !learner->scales_given;
    if (learner->ranges) {
        learner->least = env_array(env, (size_t)n + 1, sizeof(double));
        learner->most = env_array(env, (size_t)n + 1, sizeof(double));
    }
    learner->products = metric->kind == METRIC_MAHALANOBIS && !learner->matrix_given;
    learner->means_alone = !learner->variances && !learner->products &&
                           (learner->ranges || learner->matrix_given || learner->scales_given || learner->standardize);
    learner->spread = row_scale_new(env, n);
    learner->means = learner->spread.center;
    learner->scatter = learner->spread.scale;
    if (!learner->products)
        return;
    env_require_memory(env, metric_packed_size(n) * 2 * sizeof(double), metric->method);
    learner->difference = env_array(env, (size_t)n + 1, sizeof(double));
    learner->scatter = env_array(env, metric_packed_size(n) + 1, sizeof(double));
}

/* Widens the ranges by a row. */
static void learn_ranges(MetricLearner *learner, const double *row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (learner->weight == 0 || row[i] < learner->least[i])
            learner->least[i] = row[i];
        if (learner->weight == 0 || row[i] > learner->most[i])
            learner->most[i] = row[i];
    }
}

/* Updates the means and cross-products by a row. */
static void learn_products(MetricLearner *learner, const double *row, uint32_t n, double weight)
{
    double share, before = learner->weight, *column = learner->scatter;

    learner->weight += weight;
    share = weight / learner->weight;
    for (uint32_t i = 0; i < n; i++) {
        learner->difference[i] = row[i] - learner->means[i];
        learner->means[i] += learner->difference[i] * share;
    }
    share *= before;
    for (uint32_t j = 0; j < n; column += ++j) {
        double d = learner->difference[j] * share;

        for (uint32_t i = 0; i <= j; i++)
            column[i] += learner->difference[i] * d;
    }
}

void metric_learn(Env *env, Metric *metric, const double *slots, const double *weights,
                  uint32_t count)
{
    MetricLearner *learner = metric->learner;
    uint32_t n = metric->numbers;
    double work = 0;

    if (learner->means == NULL)
        learner_begin(env, metric);
    for (uint32_t r = 0; r < count; r++) {
        double *row = learner->row;

        metric_collect(metric, slots + (size_t)r * metric->slots, row);
        for (uint32_t i = 0; i < n; i++)
            learner->largest = fmax(learner->largest, fabs(row[i]));
        if (learner->standardize)
            row_scale_add(&learner->numbers, row, weights != NULL ? weights + r : NULL, 1);
        if (learner->ranges)
            learn_ranges(learner, row, n);
        if (learner->products)
            learn_products(learner, row, n, weights != NULL ? weights[r] : 1);
        else if (learner->variances || learner->means_alone) {
            row_scale_add(&learner->spread, row, weights != NULL ? weights + r : NULL, 1);
            learner->weight += row_weight(weights, r);
        }
        work += learner->products ? (double)n * n : n;
        if (work > 4e6) {
            env->poll(env);
            work = 0;
        }
    }
}

/* ---- matrices ---- */

uint32_t metric_factorize(Env *env, Metric *metric)
{
    uint32_t n = metric->numbers;
    double *factor = env_array(env, metric_packed_size(n) + 1, sizeof(double));

    triangle_from_packed(factor, metric->matrix, n);
    metric->factor = factor;
    return cholesky_triangle(env, factor, n, CHOLESKY_TOLERANCE(n));
}

void metric_factor(Env *env, Metric *metric, const double *matrix, const char *what)
{
    uint32_t n = metric->numbers;
    double *packed = env_array(env, metric_packed_size(n) + 1, sizeof(double)), *at = packed;
    uint32_t dependent;

    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double upper = matrix[(size_t)i * n + j], lower = matrix[(size_t)j * n + i];

            if (!(fabs(upper - lower) <= 1e-9 * fmax(fabs(upper), fabs(lower))))
                env_fail(env, ERROR_PARAMETER, "Make element (i,j) equal to element (j,i).",
                         "the %s is not symmetric: elements (%u,%u) and (%u,%u) are %g and %g",
                         what, i + 1, j + 1, j + 1, i + 1, upper, lower);
            *at++ = upper / 2 + lower / 2;
        }
    metric->matrix = packed;
    dependent = metric_factorize(env, metric);
    if (dependent < n)
        env_fail(env, ERROR_PARAMETER,
                 "Drop features that depend linearly on others, or add a little to the diagonal.",
                 "the %s is singular or not positive definite, from row %u on", what,
                 dependent + 1);
    if (metric->learner != NULL)
        metric->learner->matrix_given = true;
}

static bool slot_is_named(const Model *model, uint32_t slot)
{
    SchemaView view;

    schema_view(model, &view);
    return schema_field_named(model, &view, schema_slot_field(model, slot));
}

/* Finds the term of the moments for a number of the metric: by name, or by position if one of them has no name. */
static uint32_t term_of(Env *env, const Metric *metric, const Model *input, uint32_t number)
{
    uint32_t slot = metric->number_slots[number];
    int64_t same = schema_same_slot(input, metric->schema, slot);
    char wanted[SCHEMA_NAME_SIZE];

    if (same >= 0)
        return (uint32_t)same;
    if (!slot_is_named(metric->schema, slot) || !slot_is_named(input, number))
        return number;
    schema_slot_name(metric->schema, slot, wanted, sizeof wanted);
    env_fail(env, ERROR_DATA, NULL, "the moments have no feature \"%s\"", wanted);
}

/* Sets the term of each number; fails if two numbers have the same. */
static void find_terms(Env *env, const Metric *metric, const Model *input, uint32_t *terms)
{
    uint8_t *taken = env_array(env, (size_t)input->slot_count + 1, sizeof(uint8_t));
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t i = 0; i < metric->numbers; i++) {
        terms[i] = term_of(env, metric, input, i);
        if (taken[terms[i]]) {
            schema_slot_name(input, terms[i], name, sizeof name);
            env_fail(env, ERROR_DATA, "Name all columns of the rows, in the order of the moments.",
                     "two columns of a row match feature \"%s\" of the moments, one by name and one by position", name);
        }
        taken[terms[i]] = 1;
    }
}

void metric_set_moments(Env *env, Metric *metric, const Model *input)
{
    uint32_t n = metric->numbers;
    double *full = env_array(env, (size_t)n * n + 1, sizeof(double));
    uint32_t *terms = env_array(env, (size_t)n + 1, sizeof(uint32_t));
    ScatterDesign *design;

    if (input->kind != MODEL_FEATURE_MOMENTS)
        env_fail(env, ERROR_KIND, "Compute them with feature_moments(features).",
                 "metric %s needs feature_moments", metric_name(metric->kind));
    if (!schema_all_numeric(input) || input->slot_count != n)
        env_fail(env, ERROR_DATA, NULL, "the moments have %u features, and the rows have %u",
                 input->slot_count, n);
    design = moments_scatter(env, moments_for_fit(env, input), CODING_FULL);
    if (!(design->weight[0] > 0))
        env_fail(env, ERROR_DATA, NULL, "the moments have no rows");
    find_terms(env, metric, input, terms);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            uint32_t low = terms[i] < terms[j] ? terms[i] : terms[j];
            uint32_t high = terms[i] < terms[j] ? terms[j] : terms[i];

            full[(size_t)i * n + j] =
                design->scatter[(size_t)high * (high + 1) / 2 + low] / design->weight[0];
        }
    metric_factor(env, metric, full, "covariance of the moments");
}

void metric_scale_by(Env *env, Metric *metric, const double *spreads, bool squared)
{
    double *scales = env_array(env, (size_t)metric->numbers + 1, sizeof(double));

    for (uint32_t i = 0; i < metric->numbers; i++)
        scales[i] = spreads[i] > 0 ? 1 / (squared ? sqrt(spreads[i]) : spreads[i]) : 0;
    metric->scales = scales;
    if (metric->learner != NULL)
        metric->learner->scales_given = true;
}

/* ---- after the last row ---- */

static void number_name(const Metric *metric, uint32_t number, char name[SCHEMA_NAME_SIZE])
{
    schema_slot_name(metric->schema, metric->number_slots[number], name, SCHEMA_NAME_SIZE);
}

static void ready_variances(Env *env, Metric *metric)
{
    MetricLearner *learner = metric->learner;
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t i = 0; i < metric->numbers; i++) {
        learner->scatter[i] /= learner->weight;
        number_name(metric, i, name);
        if (!isfinite(learner->scatter[i]))
            env_fail(env, ERROR_RANGE, "Scale the feature.",
                     "the variance of feature \"%s\" is too large for a number", name);
        if (!(learner->scatter[i] >= DBL_MIN) && metric->kind != METRIC_MIXED)
            env_fail(env, ERROR_DATA, "Drop the feature, or use \"metric\": \"mixed\".",
                     "feature \"%s\" is constant, and metric %s of %s divides by its variance", name,
                     metric_name(metric->kind), metric->method);
    }
    metric_scale_by(env, metric, learner->scatter, true);
}

/* Makes 1 / range the scale of each number; a number that does not vary adds nothing. */
static void ready_ranges(Env *env, Metric *metric)
{
    MetricLearner *learner = metric->learner;
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t i = 0; i < metric->numbers; i++) {
        double range = learner->most[i] - learner->least[i];

        if (!(range == 0 || (isfinite(range) && isfinite(1 / range)))) {
            number_name(metric, i, name);
            env_fail(env, ERROR_RANGE, "Scale the feature.",
                     "the range of feature \"%s\", %g to %g, is too large or too small for a number", name,
                     learner->least[i], learner->most[i]);
        }
        learner->scatter[i] = range;
    }
    metric_scale_by(env, metric, learner->scatter, false);
}

static void ready_covariance(Env *env, Metric *metric)
{
    MetricLearner *learner = metric->learner;
    char name[SCHEMA_NAME_SIZE];
    uint32_t dependent;

    for (size_t i = 0; i < metric_packed_size(metric->numbers); i++)
        learner->scatter[i] /= learner->weight;
    metric->matrix = learner->scatter;
    learner->scatter = NULL;
    dependent = metric_factorize(env, metric);
    if (dependent < metric->numbers) {
        number_name(metric, dependent, name);
        env_fail(
            env, ERROR_DATA,
            "Drop the feature, give \"covariance\", or use \"metric\": \"standardized_euclidean\".",
            "the covariance of the rows is singular: feature \"%s\" is constant or follows from those before it",
            name);
    }
}

/* Makes the means and standard deviations of the numbers origin and scales; variances and means become those of the coordinates. */
static void ready_standardized(Env *env, Metric *metric)
{
    MetricLearner *learner = metric->learner;

    row_scale_ready(env, &learner->numbers, 1);
    metric->origin = learner->numbers.center;
    metric->scales = learner->numbers.scale;
    for (uint32_t i = 0; i < metric->numbers; i++) {
        learner->means[i] = 0;
        learner->scatter[i] *= metric->scales[i] * metric->scales[i];
    }
}

static void ready_kernel(Metric *metric)
{
    MetricLearner *learner = metric->learner;
    uint32_t n = metric->numbers;
    double mean = 0, variance = 0, gamma = 1.0 / n;

    if (metric->kernel.kind != KERNEL_RBF || metric->kernel.gamma != 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        mean += learner->means[i] / n;
    for (uint32_t i = 0; i < n; i++)
        variance += (learner->scatter[i] / learner->weight +
                     (learner->means[i] - mean) * (learner->means[i] - mean)) /
                    n;
    metric->kernel.gamma = variance > 0 && isfinite(gamma / variance) && gamma / variance > 0
                               ? gamma / variance
                               : gamma;
}

/* Returns a power of two that brings the largest number near 1 if its powers would overflow, else 1. */
static double safe_scale(const Metric *metric, double largest)
{
    double limit = metric->form == FORM_SQUARES  ? 1e130
                   : metric->form == FORM_POWERS ? pow(1e260, 1 / fmax(metric->p, 1))
                                                 : 1e290;
    int exponent;

    if (largest == 0 || metric->form == FORM_DIFFERING || metric->form == FORM_SETS || metric->directions ||
        metric->kind == METRIC_KERNEL || metric->scales != NULL || metric->factor != NULL)
        return 1;
    if (largest < limit && largest > 1 / limit)
        return 1;
    frexp(largest, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

void metric_ready(Env *env, Metric *metric)
{
    MetricLearner *learner = metric->learner;

    if (learner->means == NULL)
        learner_begin(env, metric);
    if (learner->weight > 0) {
        if (!learner->products) {
            row_scale_sums(&learner->spread);
            learner->weight = learner->spread.weight;
        }
        if (learner->standardize)
            ready_standardized(env, metric);
        if (metric->kind == METRIC_KERNEL)
            ready_kernel(metric);
        else if (learner->variances)
            ready_variances(env, metric);
        else if (learner->ranges)
            ready_ranges(env, metric);
        else if (learner->products)
            ready_covariance(env, metric);
        if (metric->origin == NULL && (metric->scales != NULL || metric->factor != NULL)) {
            metric->origin = learner->means;
            learner->means = NULL;
        }
    } else if (learner->variances || learner->products || learner->ranges) {
        env_fail(env, ERROR_PARAMETER,
                 metric->kind == METRIC_KERNEL        ? "Give gamma or sigma."
                 : metric->kind == METRIC_MAHALANOBIS ? "Give the covariance."
                 : metric->kind == METRIC_GOWER       ? "Give the ranges."
                                                      : "Give the variances.",
                 "metric %s of %s has no rows to learn from", metric_name(metric->kind),
                 metric->method);
    }
    metric->scale = safe_scale(metric, learner->largest);
    metric->learner = NULL;
    metric_derive(metric);
}
