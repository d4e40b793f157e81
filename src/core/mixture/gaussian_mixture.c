/*
 * gaussian_mixture.c - clusters as normal distributions, fitted by expectation-maximization.
 *
 * Arrays of a model (k components, d features):
 *   weights      F64[k]
 *   means        F64[k x d]
 *   covariances  full F64[k x d (d + 1) / 2], upper triangles by columns; tied F64[1 x d (d + 1) / 2];
 *                diagonal F64[k x d]; spherical F64[k x 1]
 *   history      F64[iterations + 1] log likelihoods before each update and after the last; only with option "history"
 *   k_tried, k_criterion, k_log_likelihood  F64[tried]; only with a range of k
 *   feature_center, feature_scale  F64[d], of standardized rows; the other arrays are in the units of the data, and a spherical
 *                covariance, which differs from feature to feature in these, is stored as a diagonal one
 *   sum_...      only in the state of mixture_step, see mixture_step.h
 * Facts: log_likelihood, iterations, converged. The result of a step holds the log likelihood of the model that it started from,
 * also per row: step_mean_log_likelihood.
 */
#include "core/estimator/estimator.h"
#include "core/linalg/qr_factor.h"
#include "core/mixture/mixture_fit.h"
#include "core/mixture/mixture_model.h"
#include "core/mixture/mixture_step.h"
#include "core/moments/model_terms.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

#define MAX_K 10 /* of "k": "auto" */

static const char *const automatic[] = {"auto", NULL};
static const char *const criteria[] = {"bic", "aic", NULL};
static const char *const inits[] = {"kmeans", "k-means++", "random", NULL};

static const OptionSpec mixture_options[] = {
    {.name = "covariance_type",
     .formerly = "covariance",
     .types = OPTION_STRING,
     .fallback = "\"full\"",
     .choices = mixture_forms,
     .help = "full: one matrix per component; tied: one for all; diagonal: variances per component; spherical: one "
             "variance per component."},
    {.name = "select",
     .formerly = "criterion",
     .types = OPTION_STRING,
     .fallback = "\"bic\"",
     .choices = criteria,
     .help = "How to choose k from a range: by the lowest Bayesian or Akaike information criterion."},
    {.name = "history",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keep the log likelihood of each iteration in the array history."},
    {.name = "init",
     .types = OPTION_STRING | OPTION_NUMBER_MATRIX,
     .fallback = "\"kmeans\"",
     .choices = inits,
     .help = "How to start: from the clusters of k-means, the rows nearest to k-means++ seeds, random rows as means "
             "with the covariance of all rows, or given means, one array per component."},
    {.name = "init_covariances",
     .types = OPTION_NUMBER_MATRIX,
     .unset = "those of init",
     .help = "Starting covariances instead of those of init: one array per component with the matrix row by row, the variances, "
             "or the single variance."},
    {.name = "init_weights",
     .types = OPTION_NUMBER_LIST,
     FROM_ZERO_TO_ONE,
     .unset = "those of init",
     .help = "Starting weights instead of those of init."},
    {.name = "k",
     .types = OPTION_INTEGER | OPTION_NUMBER_LIST | OPTION_STRING,
     .minimum = 1,
     .maximum = 100000,
     .choices = automatic,
     .unset = "that of init, init_weights or start; else required",
     .help = "Number of components, or the smallest and the largest number, from which select chooses; auto: from 1 to max_k."},
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .fallback = "500",
     .minimum = 0,
     .maximum = 1000000,
     .help = "Maximum number of iterations; 0 returns the start as a model."},
    {.name = "max_k",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 100000,
     .unset = "10, or 1 + rows / features if that is less",
     .help = "With \"k\": \"auto\": the largest number of components."},
    {.name = "n_init",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 10000,
     .unset = "5; random starts: 10",
     .help = "Number of starts, of which the one with the highest likelihood is kept."},
    {.name = "regularization",
     .types = OPTION_NUMBER,
     .fallback = "1e-6",
     FROM_ZERO,
     .help = "Added to every variance after each iteration, so that no component shrinks to a point."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 9007199254740992.0,
     .help = "Seed of the random choices at the start."},
    {.name = "start",
     .types = OPTION_MODEL,
     .unset = "a new model",
     .help = "Continue from this gaussian_mixture of the same features and form of covariance."},
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     .fallback = "1e-5",
     FROM_ZERO,
     .help = "Stop when the log likelihood per row changes by at most this."},
    {.name = NULL}};

/* ---- the model ---- */

static const char *mixture_check(Env *env, const Model *model)
{
    const ModelEntry *means = model_find(model, "means"), *covariances = model_find(model, "covariances");
    MixtureForm form;

    if (means->columns > TERMS_MAX)
        return env_message(env, "a model of gaussian_mixture has %u features, but scores take at most %d", means->columns,
                           TERMS_MAX);
    if (!mixture_form_of(means->rows, means->columns, covariances, &form))
        return env_message(env, "array \"covariances\" of gaussian_mixture is f64[%u x %u], which fits no form of %u "
                           "components of %u features", covariances->rows, covariances->columns, means->rows, means->columns);
    return mixture_step_check(model);
}

/* ---- the fit ---- */

/* Returns the model in option "start"; NULL if there is none. Fails if it does not fit the rows or the other options. */
static const Model *read_start(Env *env, const Estimator *self, Rows *rows, const Options *options)
{
    const Model *model = start_model(env, options, self);
    const char *difference;
    Mixture view;

    if (model == NULL)
        return NULL;
    difference = schema_difference(env, rows_schema(rows), model);
    if (difference != NULL)
        env_fail(env, ERROR_PARAMETER, NULL, "option \"start\" of gaussian_mixture does not fit these rows: %s",
                 difference);
    view = mixture_view(model);
    view.form = mixture_fitted_form(env, model, view.form);
    if (options_given(options, "k") && options_integer(options, "k") != view.k)
        env_fail(env, ERROR_PARAMETER, "Omit \"k\", or omit \"start\".",
                 "k is %lld, but the model of option \"start\" has %u components",
                 (long long)options_integer(options, "k"), view.k);
    /* with one component or one feature, several forms are the same */
    if (!options_is(options, "covariance_type", mixture_forms[view.form]) && view.k > 1 && view.dims > 1)
        env_fail(env, ERROR_PARAMETER, "Give the covariance of that model, or omit \"start\".",
                 "option \"covariance_type\" is %s, but the model of option \"start\" has covariance %s",
                 options_string(options, "covariance_type"), mixture_forms[view.form]);
    return model;
}

/* Returns k: from the model to start from, option "k", the given means or the given weights. */
static uint32_t component_count(Env *env, const Options *options, const Model *start)
{
    uint32_t rows = 0, columns;

    if (start != NULL)
        return mixture_view(start).k;
    if (options_given(options, "k"))
        return (uint32_t)options_integer(options, "k");
    if (options_type(options, "init") == OPTION_NUMBER_MATRIX)
        options_matrix(options, "init", &rows, &columns);
    else if (options_given(options, "init_weights"))
        options_numbers(options, "init_weights", &rows);
    if (rows == 0)
        env_fail(env, ERROR_PARAMETER, "Call gaussian_mixture(features, k), or give \"k\".",
                 "gaussian_mixture needs k, the number of components");
    return rows;
}

static void warn(const MixtureFit *fit)
{
    uint32_t empty = 0;

    for (uint32_t j = 0; j < fit->k; j++)
        empty += fit->mixture->weights[j] == 0;
    if (fit->starts_collapsed > 0)
        env_warn(fit->env, ERROR_DATA, "Raise \"regularization\", or ask for fewer components.",
                 "%u start%s of gaussian_mixture ended in a component with a singular covariance",
                 fit->starts_collapsed, fit->starts_collapsed == 1 ? "" : "s");
    if (empty > 0)
        env_warn(fit->env, ERROR_DATA, "Ask for fewer components, or try another \"seed\" or \"init\".",
                 "%u of %u components of gaussian_mixture have no rows", empty, fit->k);
    if (!fit->best.converged && fit->max_iter > 0)
        env_warn(fit->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\", or continue from this model with option \"start\".",
                 "gaussian_mixture stopped after %lld iteration%s, before the log likelihood converged",
                 (long long)fit->best.iterations, fit->best.iterations == 1 ? "" : "s");
}

/* The values of k that were tried, [count] each. */
typedef struct MixtureChoice {
    uint32_t count;
    double *k, *criterion, *log_likelihood;
} MixtureChoice;

static Model *mixture_model(const MixtureFit *fit, const Options *options, const MixtureChoice *choice, ModelBuilder *builder)
{
    builder_fact(builder, "log_likelihood", fit->best.log_likelihood);
    builder_fact_i64(builder, "iterations", fit->best.iterations);
    builder_fact_bool(builder, "converged", fit->best.converged);
    mixture_add_arrays(builder, fit->mixture);
    row_scale_write(builder, fit->scale);
    if (choice->count > 0) {
        builder_f64(builder, SECTION_ARRAYS, "k_tried", choice->k, choice->count);
        builder_f64(builder, SECTION_ARRAYS, "k_criterion", choice->criterion, choice->count);
        builder_f64(builder, SECTION_ARRAYS, "k_log_likelihood", choice->log_likelihood, choice->count);
    }
    if (options_boolean(options, "history"))
        builder_f64(builder, SECTION_ARRAYS, "history", fit->best.history, (uint32_t)fit->best.iterations + 1);
    return model_build(builder);
}

/* Reads the range of k. Returns false if k is a number. */
static bool read_range(Env *env, const Options *options, const Rows *rows, uint32_t *low, uint32_t *high)
{
    OptionType type = options_type(options, "k");
    uint64_t most = rows_count(rows) / ((uint64_t)rows_slots(rows) + 1);
    const double *range;
    uint32_t count;

    if (options_given(options, "max_k") && type != OPTION_STRING)
        env_fail(env, ERROR_PARAMETER, "Give \"k\": \"auto\".", "option \"max_k\" belongs to \"k\": \"auto\"");
    if (type != OPTION_STRING && type != OPTION_NUMBER_LIST)
        return false;
    if (options_value_json(options, "start") != NULL || options_type(options, "init") == OPTION_NUMBER_MATRIX ||
        options_given(options, "init_weights") || options_given(options, "init_covariances"))
        env_fail(env, ERROR_PARAMETER, "Give k as a number.", "a start with given parameters needs one k, not a range");
    if (type == OPTION_STRING) {
        *low = 1;
        most = options_given(options, "max_k") ? (uint64_t)options_integer(options, "max_k") : most < MAX_K ? most : MAX_K;
        *high = most > 1 ? (uint32_t)most : 1;
        return true;
    }
    range = options_numbers(options, "k", &count);
    if (count != 2 || range[0] != floor(range[0]) || range[1] != floor(range[1]) || range[0] < 1 || range[1] < range[0])
        env_fail(env, ERROR_PARAMETER, "Give the smallest and the largest k, such as [1, 6].",
                 "a range of k must be two integers, both at least 1");
    *low = (uint32_t)range[0];
    *high = (uint32_t)range[1];
    return true;
}

/* Returns the fit of k components with the lowest criterion. A k whose starts all collapse is left out. */
static MixtureFit *choose(Env *env, Rows *rows, const Options *options, uint32_t low, uint32_t high, const RowScale *scale,
                          MixtureChoice *choice)
{
    uint32_t count = high - low + 1;
    bool bic = options_is(options, "select", "bic");
    MixtureFit *best = NULL, *fit = NULL;
    double least = INFINITY;

    choice->k = env_array(env, count, sizeof(double));
    choice->criterion = env_array(env, count, sizeof(double));
    choice->log_likelihood = env_array(env, count, sizeof(double));
    for (uint32_t k = low; k <= high; k++) {
        double parameters, value;

        fit = mixture_fit_begin(env, rows, options, k, scale);
        if (!mixture_fit_run(fit, options, NULL)) {
            if (fit->distinct < k && options_given(options, "max_k"))
                env_fail(env, ERROR_DATA, "Lower \"max_k\".", "\"max_k\" is %u, but the rows have only %u distinct value%s", high,
                         fit->distinct, fit->distinct == 1 ? "" : "s");
            continue;
        }
        parameters = mixture_parameters(fit->form, k, fit->dims);
        value = (bic ? log(fit->rows_counted) : 2) * parameters - 2 * fit->best.log_likelihood;
        choice->k[choice->count] = k;
        choice->criterion[choice->count] = value;
        choice->log_likelihood[choice->count++] = fit->best.log_likelihood;
        if (best == NULL || value < least) {
            best = fit;
            least = value;
        }
    }
    if (best == NULL)
        mixture_fit_fail(fit);
    return best;
}

static Model *mixture_fit_rows(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                               ModelBuilder *builder)
{
    MixtureChoice choice = {0};
    const RowScale *scale;
    const Model *start;
    Mixture *first = NULL;
    uint32_t low, high, k;
    MixtureFit *fit;

    if (read_range(env, options, input->rows, &low, &high)) {
        if (high > rows_count(input->rows))
            mixture_fit_begin(env, input->rows, options, high, NULL); /* fails */
        fit = choose(env, input->rows, options, low, high, rows_standardize(env, input->rows, options), &choice);
    } else {
        start = read_start(env, self, input->rows, options);
        k = component_count(env, options, start);
        scale = rows_standardize(env, input->rows, options);
        fit = mixture_fit_begin(env, input->rows, options, k, scale);
        if (start != NULL) {
            Mixture view = mixture_view(start);

            first = mixture_new(env, view.form, view.k, view.dims);
            mixture_copy(first, &view);
            mixture_standardize(env, first, fit->scale, fit->form);
        }
        if (!mixture_fit_run(fit, options, first))
            mixture_fit_fail(fit);
    }
    warn(fit);
    return mixture_model(fit, options, &choice, builder);
}

/* ---- scores ---- */

/* The mixture with the inverse factors. Scores need no LAPACK, so they have the same bits on every machine. */
typedef struct Prepared {
    Mixture mixture; /* of the model */
    double *factors, *constants;
} Prepared;

static const char *mixture_accept(Env *env, const Model *model)
{
    Mixture view = mixture_view(model);
    uint32_t collapsed;

    return mixture_plan(env, &view, &collapsed) != NULL ? NULL
                                                        : "a covariance of a model of gaussian_mixture is not positive definite";
}

static void *mixture_prepare(Env *env, const Model *model, size_t *bytes)
{
    Prepared *prepared = env_array(env, 1, sizeof(Prepared));
    Mixture *mixture = &prepared->mixture;
    size_t factors;
    uint32_t collapsed;
    MixturePlan *plan;

    *mixture = mixture_view(model);
    factors = (size_t)mixture_matrices(mixture->form, mixture->k) * mixture_numbers(mixture->form, mixture->dims);
    plan = mixture_plan(env, mixture, &collapsed);
    if (plan == NULL)
        env_fail(env, ERROR_CORRUPT, NULL,
                 "the covariance of component %u of a model of gaussian_mixture is not positive definite",
                 collapsed + 1);
    prepared->factors = env_array(env, factors + mixture->k, sizeof(double));
    prepared->constants = prepared->factors + factors;
    memcpy(prepared->factors, plan->factors, factors * sizeof(double));
    memcpy(prepared->constants, plan->constants, mixture->k * sizeof(double));
    mixture_plan_free(env, plan);
    *bytes = 0; /* as allocated */
    return prepared;
}

MixturePlan *mixture_plan_prepared(Env *env, const Mixture *mixture, const void *prepared)
{
    const Prepared *made = prepared;

    if (mixture->k != made->mixture.k || mixture->dims != made->mixture.dims || mixture->form != made->mixture.form)
        return NULL;
    return mixture_plan_of(env, mixture, made->factors, made->constants);
}

/* Returns the squared Mahalanobis distance of a row from a component. */
static double square_to(const Prepared *prepared, uint32_t component, const double *slots)
{
    const Mixture *mixture = &prepared->mixture;
    uint32_t dims = mixture->dims;
    const double *mean = mixture->means + (size_t)component * dims, *factor = prepared->factors;
    double x[TERMS_MAX], sum = 0;

    if (mixture->form != MIXTURE_TIED)
        factor += (size_t)component * mixture_numbers(mixture->form, dims);
    if (mixture->form > MIXTURE_TIED) {
        for (uint32_t a = 0; a < dims; a++) {
            double z = (slots[a] - mean[a]) * factor[mixture->form == MIXTURE_DIAGONAL ? a : 0];
            sum += z * z;
        }
        return sum;
    }
    for (uint32_t a = 0; a < dims; a++)
        x[a] = slots[a] - mean[a];
    for (uint32_t a = 0; a < dims; a++) {
        double z = 0;
        for (uint32_t b = 0; b <= a; b++)
            z += factor[b] * x[b];
        factor += a + 1;
        sum += z * z;
    }
    return sum;
}

/* Writes the logarithm of weight times density of each component to out, [k]. Returns the largest. */
static double log_joint(const Prepared *prepared, const double *slots, double *out)
{
    double most = -INFINITY;

    for (uint32_t j = 0; j < prepared->mixture.k; j++) {
        out[j] = prepared->constants[j] - 0.5 * square_to(prepared, j, slots);
        most = out[j] > most ? out[j] : most;
    }
    return most;
}

static void mixture_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    log_joint(prepared, slots, out);
    for (uint32_t j = 0; j < ((const Prepared *)prepared)->mixture.k; j++)
        out[j] = out[j] < -1e308 ? -1e308 : out[j]; /* finite even for a component without weight */
}

/* Returns the logarithm of the density; -infinity if it is 0. */
static double mixture_log_density(const Model *model, const void *made, const double *slots)
{
    const Prepared *prepared = made;
    double most = -INFINITY, sum = 0;

    for (uint32_t j = 0; j < prepared->mixture.k; j++) {
        double value = prepared->constants[j] - 0.5 * square_to(prepared, j, slots);
        if (value > most) { /* sums are relative to the largest value so far */
            sum = sum * exp(most - value) + 1;
            most = value;
        } else if (value > -INFINITY) {
            sum += exp(value - most);
        }
    }
    return sum > 0 ? most + log(sum) : -INFINITY;
}

/* Writes the probability of each component, [k]; if the row is too far from all components, their weights. */
static void mixture_memberships(const Model *model, const void *made, const double *slots, double *out)
{
    const Prepared *prepared = made;
    uint32_t k = prepared->mixture.k, length;
    double most = log_joint(prepared, slots, out), sum = 0;

    if (!isfinite(most)) {
        memcpy(out, model_f64(model, "weights", &length), k * sizeof(double));
        return;
    }
    for (uint32_t j = 0; j < k; j++)
        sum += out[j] = exp(out[j] - most);
    for (uint32_t j = 0; j < k; j++)
        out[j] /= sum;
}

static uint32_t mixture_cluster(const Model *model, const void *made, const double *slots)
{
    const Prepared *prepared = made;
    double most = -INFINITY;
    uint32_t best = 0;

    for (uint32_t j = 0; j < prepared->mixture.k; j++) {
        double value = prepared->constants[j] - 0.5 * square_to(prepared, j, slots);
        if (value > most) {
            most = value;
            best = j;
        }
    }
    return best;
}

static double mixture_distance(const Model *model, const void *made, const double *slots)
{
    const Prepared *prepared = made;
    double least = INFINITY;

    for (uint32_t j = 0; j < prepared->mixture.k; j++)
        least = fmin(least, square_to(prepared, j, slots));
    return sqrt(least);
}

static void mixture_distances(const Model *model, const void *made, const double *slots, double *out)
{
    const Prepared *prepared = made;

    for (uint32_t j = 0; j < prepared->mixture.k; j++)
        out[j] = sqrt(square_to(prepared, j, slots));
}

static uint32_t mixture_width(const Model *model)
{
    return model_find(model, "means")->rows;
}

static const Scoring mixture_scoring = {.prepare = mixture_prepare,
                                        .decisions = mixture_decisions,
                                        .log_density = mixture_log_density,
                                        .memberships = mixture_memberships,
                                        .cluster = mixture_cluster,
                                        .distance = mixture_distance,
                                        .distances = mixture_distances,
                                        .transform = mixture_memberships,
                                        .width = mixture_width};

const Estimator estimator_gaussian_mixture = {
    .name = "gaussian_mixture",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .numeric = true,
    .options = OPTION_TABLES(options_common, option_standardize, mixture_options),
    .positional = positional_k,
    .help = "Clusters as normal distributions: each row gets a probability for every cluster.",
    .source = "Dempster, Laird & Rubin 1977; McLachlan & Peel, Finite Mixture Models",
    .fit = mixture_fit_rows,
    .arrays = mixture_array_tables,
    .check = mixture_check,
    .accept = mixture_accept,
    .scoring = &mixture_scoring,
    .sampling = &mixture_sampling,
    .statistics = mixture_statistics,
    .tables = mixture_tables,
    .summary = mixture_summary,
};
