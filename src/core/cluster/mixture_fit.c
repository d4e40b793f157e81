/*
 * mixture_fit.c - starts and iterations of a mixture over rows.
 */
#include "core/cluster/mixture_fit.h"
#include "core/cluster/kmeans_init.h"
#include "core/linalg/qr_factor.h"
#include "core/cluster/kmeans_choice.h"
#include "core/estimator/shared_options.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

_Static_assert(MIXTURE_TILE == DESIGN_TILE, "tiles of rows are tiles of a mixture");

/* ---- passes ---- */

/* One pass over all rows; false where a covariance has no inverse: *collapsed is its component. */
static bool pass(MixtureFit *fit, const Mixture *mixture, bool hard, MixtureSums *sums, uint32_t *collapsed)
{
    MixturePlan *plan = mixture_plan(fit->env, mixture, collapsed);
    DesignTile tile;

    if (plan == NULL)
        return false;
    mixture_sums_clear(sums, mixture);
    tile_rewind(fit->reader);
    while (tile_next(fit->reader, &tile))
        mixture_tile(fit->env, plan, tile.x, tile.weights, tile.count, hard, sums);
    mixture_plan_free(fit->env, plan);
    if (!hard && !isfinite(sums->log_likelihood))
        env_fail(fit->env, ERROR_RANGE, "Divide large features by a power of ten, or leave out rows far from all others.",
                 "the densities of gaussian_mixture are out of range");
    return true;
}

/* As of so many rows: weights count relative to each other. */
static double scaled_likelihood(const MixtureFit *fit, const MixtureSums *sums)
{
    return sums->log_likelihood / sums->weight * fit->rows_counted;
}

/* Means and variances of all rows, [dims] each, in two passes; the mean variance. */
static double overall(MixtureFit *fit, double *means, double *covariance)
{
    Env *env = fit->env;
    MixtureForm form = fit->form <= MIXTURE_TIED ? MIXTURE_FULL : MIXTURE_DIAGONAL;
    Mixture *one = mixture_new(env, form, 1, fit->dims);
    MixtureSums *sums = mixture_sums(env, one);
    uint32_t dims = fit->dims, unused;
    double spread = 0;

    one->weights[0] = 1;
    for (int round = 0; round < 2; round++) { /* the second about the mean: no digits lost to an offset */
        for (uint32_t a = 0; a < dims; a++)
            one->covariances[form == MIXTURE_FULL ? factor_packed(a) + a : a] = 1;
        pass(fit, one, true, sums, &unused);
        mixture_update(one, sums, 0);
        if (round == 0)
            memset(one->covariances, 0, mixture_numbers(form, dims) * sizeof(double));
    }
    memcpy(means, one->means, dims * sizeof(double));
    memcpy(covariance, one->covariances, mixture_numbers(form, dims) * sizeof(double));
    for (uint32_t a = 0; a < dims; a++)
        spread += covariance[form == MIXTURE_FULL ? factor_packed(a) + a : a] / dims;
    mixture_sums_free(env, sums);
    mixture_free(env, one);
    return spread;
}

/* ---- starts ---- */

/* Equal weights, and the covariance of all rows for every component. */
static void spread_evenly(MixtureFit *fit, Mixture *mixture)
{
    Env *env = fit->env;
    uint32_t dims = fit->dims, numbers = mixture_numbers(fit->form, dims);
    double *means = env_array(env, dims, sizeof(double));
    double *covariance = env_array(env, factor_packed(dims), sizeof(double)), mean;

    mean = overall(fit, means, covariance);
    if (fit->form == MIXTURE_SPHERICAL)
        *covariance = mean;
    for (uint32_t j = 0; j < fit->k; j++) {
        mixture->weights[j] = 1.0 / fit->k;
        if (j < mixture_matrices(fit->form, fit->k))
            memcpy(mixture->covariances + (size_t)j * numbers, covariance, numbers * sizeof(double));
    }
    for (uint32_t j = 0; j < mixture_matrices(fit->form, fit->k); j++)
        for (uint32_t a = 0; a < (fit->form == MIXTURE_SPHERICAL ? 1 : dims); a++)
            mixture->covariances[(size_t)j * numbers + (fit->form <= MIXTURE_TIED ? factor_packed(a) + a : a)] +=
                fit->regularization;
    env->release(env, means);
    env->release(env, covariance);
}

/* Unit covariances and equal weights: a hard pass then goes by Euclidean distance. */
static void make_round(Mixture *mixture)
{
    uint32_t numbers = mixture_numbers(mixture->form, mixture->dims);

    for (uint32_t j = 0; j < mixture->k; j++)
        mixture->weights[j] = 1.0 / mixture->k;
    for (uint32_t j = 0; j < mixture_matrices(mixture->form, mixture->k); j++) {
        double *covariance = mixture->covariances + (size_t)j * numbers;
        memset(covariance, 0, numbers * sizeof(double));
        if (mixture->form == MIXTURE_SPHERICAL)
            *covariance = 1;
        for (uint32_t a = 0; a < mixture->dims && mixture->form != MIXTURE_SPHERICAL; a++)
            covariance[mixture->form <= MIXTURE_TIED ? factor_packed(a) + a : a] = 1;
    }
}

/* Weights, means and covariances of the rows nearest to each mean. */
static void take_nearest(MixtureFit *fit, Mixture *mixture)
{
    MixtureSums *sums = mixture_sums(fit->env, mixture);
    uint32_t unused;

    make_round(mixture);
    pass(fit, mixture, true, sums, &unused);
    mixture_update(mixture, sums, fit->regularization);
    mixture_sums_free(fit->env, sums);
}

/* k-means from the means, until they move little. */
static void settle(MixtureFit *fit, double *means)
{
    static const char settled[] = "{\"tolerance\": 1e-4}";
    Options *options = options_parse(fit->env, estimator_kmeans.name, estimator_kmeans.options, settled, strlen(settled), NULL, NULL, 0);
    KmeansResult *result = kmeans_best(fit->env, fit->rows, fit->k, means, options);

    memcpy(means, result->centroids, (size_t)fit->k * fit->dims * sizeof(double));
    kmeans_result_free(fit->env, result);
}

/* Start number `number` by option init. */
static void start_mixture(MixtureFit *fit, const Options *options, uint32_t number, Mixture *mixture)
{
    CentroidStart seeds = {.env = fit->env, .rows = fit->rows, .k = fit->k,
                           .seed = (uint64_t)options_integer(options, "seed") * SEED_STEP + number};
    uint32_t distinct;

    if (options_is(options, "init", "random"))
        distinct = centroid_start_random(&seeds, mixture->means);
    else
        distinct = centroid_start_plus_plus(&seeds, mixture->means);
    if (distinct < fit->k)
        env_fail(fit->env, ERROR_DATA, "Ask for fewer components.",
                 "k is %u, but the rows have only %u distinct value%s", fit->k, distinct,
                 distinct == 1 ? "" : "s");
    if (options_is(options, "init", "random")) {
        spread_evenly(fit, mixture);
        return;
    }
    if (options_is(options, "init", "kmeans"))
        settle(fit, mixture->means);
    take_nearest(fit, mixture);
}

/* What the options give of a start by numbers; the rest as of a random start. */
static void given_start(MixtureFit *fit, const Options *options, Mixture *mixture)
{
    uint32_t rows, columns, count, numbers = mixture_numbers(fit->form, fit->dims), dims = fit->dims;
    const double *means = options_matrix(options, "init", &rows, &columns);
    const double *weights = options_numbers(options, "init_weights", &count), *covariances;
    double sum = 0;

    if (rows != fit->k || columns != dims)
        env_fail(fit->env, ERROR_PARAMETER, "Pass one array of numbers per component.",
                 "\"init\" of gaussian_mixture has %u x %u numbers, not %u means of %u features", rows, columns,
                 fit->k, dims);
    memcpy(mixture->means, means, (size_t)fit->k * dims * sizeof(double));
    spread_evenly(fit, mixture);
    if (weights != NULL) {
        for (uint32_t j = 0; j < count; j++)
            sum += weights[j];
        if (count != fit->k || !(fabs(sum - 1) < 1e-6))
            env_fail(fit->env, ERROR_PARAMETER, NULL,
                     "\"init_weights\" of gaussian_mixture has %u numbers with a sum of %g, not %u with a sum of 1",
                     count, sum, fit->k);
        for (uint32_t j = 0; j < count; j++)
            mixture->weights[j] = weights[j] / sum;
    }
    covariances = options_matrix(options, "init_covariances", &rows, &columns);
    if (covariances == NULL)
        return;
    if (rows != mixture_matrices(fit->form, fit->k) || columns != (fit->form <= MIXTURE_TIED ? dims * dims : numbers))
        env_fail(fit->env, ERROR_PARAMETER,
                 "Pass one array of numbers per component (\"tied\": one in all): the matrix row by row, the "
                 "variances, or one variance.",
                 "\"init_covariances\" of gaussian_mixture has %u x %u numbers, not %u x %u", rows, columns,
                 mixture_matrices(fit->form, fit->k), fit->form <= MIXTURE_TIED ? dims * dims : numbers);
    for (uint32_t j = 0; j < rows; j++) {
        const double *from = covariances + (size_t)j * columns;
        double *to = mixture->covariances + (size_t)j * numbers;
        if (fit->form > MIXTURE_TIED) {
            memcpy(to, from, numbers * sizeof(double));
            continue;
        }
        for (uint32_t a = 0; a < dims; a++)
            for (uint32_t b = 0; b <= a; b++) {
                if (from[a * dims + b] != from[b * dims + a])
                    env_fail(fit->env, ERROR_PARAMETER, NULL,
                             "row %u of \"init_covariances\" is not a symmetric matrix", j + 1);
                *to++ = from[a * dims + b];
            }
    }
}

/* ---- iterations ---- */

typedef struct Attempt {
    Mixture *mixture;
    MixtureSums *sums;
    double *history;
    double log_likelihood;
    int64_t iterations;
    bool converged;
    uint32_t collapsed; /* k: none */
} Attempt;

/* From the parameters as they are to the end; false: a component collapsed. */
static bool iterate(MixtureFit *fit, Attempt *attempt)
{
    double before = -INFINITY;

    attempt->converged = false;
    for (attempt->iterations = 0;; attempt->iterations++) {
        double likelihood;
        if (!pass(fit, attempt->mixture, false, attempt->sums, &attempt->collapsed))
            return false;
        likelihood = scaled_likelihood(fit, attempt->sums);
        attempt->log_likelihood = attempt->history[attempt->iterations] = likelihood;
        fit->env->progress(fit->env, "gaussian_mixture", (uint64_t)attempt->iterations, (uint64_t)fit->max_iter,
                           -likelihood);
        attempt->converged = attempt->iterations > 0 &&
                             fabs(likelihood - before) <= fit->tolerance * fit->rows_counted;
        if (attempt->converged || attempt->iterations == fit->max_iter)
            return true;
        before = likelihood;
        mixture_update(attempt->mixture, attempt->sums, fit->regularization);
    }
}

static void keep(MixtureFit *fit, const Attempt *attempt)
{
    mixture_copy(fit->mixture, attempt->mixture);
    fit->log_likelihood = attempt->log_likelihood;
    fit->iterations = attempt->iterations;
    fit->converged = attempt->converged;
    memcpy(fit->history, attempt->history, ((size_t)attempt->iterations + 1) * sizeof(double));
}

void mixture_fit_run(MixtureFit *fit, const Options *options, const Mixture *start)
{
    Env *env = fit->env;
    bool given = start != NULL || options_type(options, "init") == OPTION_NUMBER_MATRIX;
    uint32_t starts = start != NULL ? 1 : options_starts(options, options_is(options, "init", "random"));
    Attempt attempt = {.mixture = mixture_new(env, fit->form, fit->k, fit->dims)};
    bool found = false;

    attempt.sums = mixture_sums(env, attempt.mixture);
    attempt.history = env_array(env, (size_t)fit->max_iter + 1, sizeof(double));
    for (uint32_t i = 0; i < starts; i++) {
        if (start != NULL)
            mixture_copy(attempt.mixture, start);
        else if (given)
            given_start(fit, options, attempt.mixture);
        else
            start_mixture(fit, options, i, attempt.mixture);
        if (!iterate(fit, &attempt)) {
            fit->starts_lost++;
            continue;
        }
        if (!found || attempt.log_likelihood > fit->log_likelihood)
            keep(fit, &attempt);
        found = true;
    }
    if (!found)
        env_fail(env, ERROR_DATA,
                 "Raise \"regularization\", ask for fewer components, or leave out features that depend on others.",
                 "component %u of gaussian_mixture collapsed: its covariance is singular", attempt.collapsed + 1);
    mixture_sums_free(env, attempt.sums);
    mixture_free(env, attempt.mixture);
    env->release(env, attempt.history);
}

MixtureFit *mixture_fit_begin(Env *env, Rows *rows, const Options *options, uint32_t k)
{
    MixtureFit *fit = env_array(env, 1, sizeof(MixtureFit));

    fit->env = env;
    fit->rows = rows;
    fit->k = k;
    fit->dims = rows_slots(rows);
    while (!options_is(options, "covariance", mixture_forms[fit->form]))
        fit->form++;
    fit->regularization = options_number(options, "regularization");
    fit->tolerance = options_number(options, "tolerance");
    fit->max_iter = options_integer(options, "max_iter");
    fit->rows_counted = model_counted_rows(rows_schema(rows));
    if (fit->dims > TERMS_MAX)
        env_fail(env, ERROR_LIMIT, "Use fewer features, such as components of pca.",
                 "gaussian_mixture takes at most %u features, not %u", TERMS_MAX, fit->dims);
    if (rows_count(rows) < fit->k)
        env_fail(env, ERROR_DATA, "Ask for fewer components.", "k is %u, but there %s only %llu row%s", fit->k,
                 rows_count(rows) == 1 ? "is" : "are", (unsigned long long)rows_count(rows),
                 rows_count(rows) == 1 ? "" : "s");
    env_require_memory(env, mixture_memory(fit->form, fit->k, fit->dims), "gaussian_mixture");
    fit->mixture = mixture_new(env, fit->form, fit->k, fit->dims);
    fit->history = env_array(env, (size_t)fit->max_iter + 1, sizeof(double));
    fit->design = row_design(env, rows, DESIGN_SLOTS, "gaussian_mixture");
    fit->reader = tile_reader(fit->design);
    return fit;
}

void mixture_fit_free(MixtureFit *fit)
{
    Env *env = fit->env;

    tile_reader_free(fit->reader);
    row_design_free(fit->design);
    mixture_free(env, fit->mixture);
    env->release(env, fit->history);
    env->release(env, fit);
}
