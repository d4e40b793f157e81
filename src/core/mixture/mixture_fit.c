/*
 * mixture_fit.c - starts and iterations of a mixture over rows.
 */
#include "core/mixture/mixture_fit.h"
#include "core/mixture/mixture_model.h"
#include "core/kmeans/kmeans_init.h"
#include "core/linalg/qr_factor.h"
#include "core/kmeans/kmeans.h"
#include "core/estimator/estimator.h"
#include "core/estimator/shared_options.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

#define METHOD "gaussian_mixture"
#define EXPECTED_PASSES 20u /* after one: to tell whether other processes pay */

/* ---- passes ---- */

/* Sums all rows with the mixture of the plan. Returns its k, or the first component whose covariance is singular. */
static uint32_t pass(MixtureBlocks *blocks, Team *team, MixturePlan *plan, bool hard, MixtureSums *sums)
{
    uint32_t collapsed = mixture_plan_update(blocks->env, plan);

    if (collapsed < plan->mixture->k)
        return collapsed;
    mixture_blocks_run(blocks, team, plan, hard, sums);
    if (!hard && !isfinite(sums->log_likelihood))
        env_fail(blocks->env, ERROR_RANGE, "Divide large features by a power of ten, or leave out rows far from all others.",
                 "the densities of gaussian_mixture are out of range");
    return collapsed;
}

/* Returns the log likelihood scaled to fit->rows_counted, because only ratios of weights matter. */
static double scaled_likelihood(const MixtureFit *fit)
{
    return fit->sums->log_likelihood / fit->sums->weight * fit->rows_counted;
}

/* ---- starts ---- */

/* Sets fit->overall to the covariance of all rows (form spherical: to their mean variance), in two passes. */
static void compute_overall(MixtureFit *fit)
{
    Env *env = fit->env;
    MixtureForm form = fit->form <= MIXTURE_TIED ? MIXTURE_FULL : MIXTURE_DIAGONAL;
    Mixture *one = mixture_new(env, form, 1, fit->dims);
    MixturePlan *plan = mixture_plan_new(env, one);
    MixtureSums *sums = mixture_sums(env, one);
    MixtureBlocks *blocks = mixture_blocks_new(env, rows_count(fit->rows), fit->reader, one);
    uint32_t dims = fit->dims;
    double variance = 0;

    one->weights[0] = 1;
    for (int round = 0; round < 2; round++) { /* the second is about the mean, so that an offset costs no digits */
        for (uint32_t a = 0; a < dims; a++)
            one->covariances[form == MIXTURE_FULL ? factor_packed(a) + a : a] = 1;
        pass(blocks, NULL, plan, true, sums);
        mixture_update(one, sums, 0);
        if (round == 0)
            memset(one->covariances, 0, mixture_numbers(form, dims) * sizeof(double));
    }
    for (uint32_t a = 0; a < dims; a++)
        variance += one->covariances[form == MIXTURE_FULL ? factor_packed(a) + a : a] / dims;
    fit->overall = one->covariances;
    if (fit->form == MIXTURE_SPHERICAL)
        *fit->overall = variance;
}

/* Gives every component the same weight and the covariance of all rows. */
static void set_overall_covariances(MixtureFit *fit)
{
    Mixture *mixture = fit->trial;
    uint32_t dims = fit->dims, numbers = mixture_numbers(fit->form, dims);

    if (fit->overall == NULL)
        compute_overall(fit);
    for (uint32_t j = 0; j < fit->k; j++) {
        mixture->weights[j] = 1.0 / fit->k;
        if (j < mixture_matrices(fit->form, fit->k))
            memcpy(mixture->covariances + (size_t)j * numbers, fit->overall, numbers * sizeof(double));
    }
    for (uint32_t j = 0; j < mixture_matrices(fit->form, fit->k); j++)
        for (uint32_t a = 0; a < (fit->form == MIXTURE_SPHERICAL ? 1 : dims); a++)
            mixture->covariances[(size_t)j * numbers + (fit->form <= MIXTURE_TIED ? factor_packed(a) + a : a)] +=
                fit->regularization;
}

/* Sets equal weights and unit covariances, with which a hard pass assigns rows by Euclidean distance. */
static void set_unit_covariances(Mixture *mixture)
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

/* Sets the parameters of each component to those of the rows nearest to its mean. */
static void fit_nearest(MixtureFit *fit)
{
    set_unit_covariances(fit->trial);
    pass(fit->blocks, NULL, fit->plan, true, fit->sums);
    mixture_update(fit->trial, fit->sums, fit->regularization);
}

/* Improves the means by k-means until they move little. */
static void refine_means(MixtureFit *fit, double *means)
{
    static const char refined[] = "{\"tolerance\": 1e-4}";
    Options *options = options_parse(fit->env, estimator_kmeans.name, estimator_kmeans.options, refined, strlen(refined), NULL, NULL, 0);
    KmeansResult *result = kmeans_best(fit->env, fit->rows, fit->k, means, options);

    memcpy(means, result->centroids, (size_t)fit->k * fit->dims * sizeof(double));
    kmeans_result_free(fit->env, result);
}

/*
 * Sets fit->trial to the start that option "init" asks for. number: of the start, which varies the seed. Returns how many of the k
 * means are distinct: with fewer than k there is no start.
 */
static uint32_t start_mixture(MixtureFit *fit, const Options *options, uint32_t number)
{
    CentroidStart seeds = {.env = fit->env, .rows = fit->rows, .k = fit->k,
                           .seed = (uint64_t)options_integer(options, "seed") * SEED_STEP + number};
    uint32_t distinct;

    if (options_is(options, "init", "random"))
        distinct = centroid_start_random(&seeds, fit->trial->means);
    else
        distinct = centroid_start_plus_plus(&seeds, fit->trial->means);
    if (distinct < fit->k)
        return distinct;
    if (options_is(options, "init", "random")) {
        set_overall_covariances(fit);
        return distinct;
    }
    if (options_is(options, "init", "kmeans"))
        refine_means(fit, fit->trial->means);
    fit_nearest(fit);
    return distinct;
}

/* Replaces the weights of the start by those in the options, if there are any. Fails if they do not fit. */
static void give_weights(MixtureFit *fit, const Options *options)
{
    uint32_t count;
    const double *weights = options_numbers(options, "init_weights", &count);
    double sum = 0;

    if (weights == NULL)
        return;
    for (uint32_t j = 0; j < count; j++)
        sum += weights[j];
    if (count != fit->k || !(fabs(sum - 1) < 1e-6))
        env_fail(fit->env, ERROR_PARAMETER, NULL,
                 "\"init_weights\" of gaussian_mixture has %u number%s with a sum of %g, not %u with a sum of 1",
                 count, count == 1 ? "" : "s", sum, fit->k);
    for (uint32_t j = 0; j < count; j++)
        fit->trial->weights[j] = weights[j] / sum;
}

/* Does the same with covariances. */
static void give_covariances(MixtureFit *fit, const Options *options)
{
    Mixture *mixture = fit->trial;
    uint32_t rows, columns, dims = fit->dims, numbers = mixture_numbers(fit->form, dims);
    const double *covariances = options_matrix(options, "init_covariances", &rows, &columns);

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
                double lower = from[a * dims + b], upper = from[b * dims + a], size = sqrt(fabs(from[a * dims + a])) * sqrt(fabs(from[b * dims + b]));

                if (!(fabs(lower - upper) <= 1e-9 * size)) /* rounding of where the matrix comes from */
                    env_fail(fit->env, ERROR_PARAMETER, "Make element (i,j) equal to element (j,i).",
                             "row %u of \"init_covariances\" is not a symmetric matrix: elements (%u,%u) and (%u,%u) are %g and %g", j + 1, a + 1, b + 1, b + 1, a + 1, lower, upper);
                *to++ = lower / 2 + upper / 2;
            }
    }
    if (fit->scale != NULL)
        mixture_standardize_covariances(mixture, fit->scale);
}

/* Sets the means of fit->trial to those in the options, with the weights and covariances of a random start. Fails if they do not fit. */
static void give_means(MixtureFit *fit, const Options *options)
{
    uint32_t rows, columns;
    const double *means = options_matrix(options, "init", &rows, &columns);

    if (rows != fit->k || columns != fit->dims)
        env_fail(fit->env, ERROR_PARAMETER, "Pass one array of numbers per component.",
                 "\"init\" of gaussian_mixture has %u x %u numbers, not %u means of %u features", rows, columns,
                 fit->k, fit->dims);
    memcpy(fit->trial->means, means, (size_t)fit->k * fit->dims * sizeof(double));
    if (fit->scale != NULL)
        mixture_standardize_means(fit->trial, fit->scale);
    set_overall_covariances(fit);
}

/* ---- iterations ---- */

/* Iterations from a start. */
typedef struct Iterations {
    MixtureFit *fit;
    MixtureRun *run;
    double before;      /* log likelihood */
    uint32_t collapsed; /* k, or the component that did */
} Iterations;

/* Does a pass and updates the parameters: a TeamWork.step. */
static bool do_iteration(void *owner, Team *team, uint32_t step)
{
    Iterations *iterations = owner;
    MixtureFit *fit = iterations->fit;
    MixtureRun *run = iterations->run;
    double likelihood;

    (void)step;
    iterations->collapsed = pass(fit->blocks, team, fit->plan, false, fit->sums);
    if (iterations->collapsed < fit->k)
        return false;
    likelihood = scaled_likelihood(fit);
    run->log_likelihood = run->history[run->iterations] = likelihood;
    fit->env->progress(fit->env, METHOD, (uint64_t)run->iterations, (uint64_t)fit->max_iter, -likelihood);
    run->converged = run->iterations > 0 && fabs(likelihood - iterations->before) <= fit->tolerance * fit->rows_counted;
    if (run->converged || run->iterations == fit->max_iter)
        return false;
    iterations->before = likelihood;
    mixture_update(fit->trial, fit->sums, fit->regularization);
    run->iterations++;
    return true;
}

static void finish(void *owner)
{
    (void)owner;
}

/* Iterates from the parameters in fit->trial until it converges or reaches max_iter. Returns k, or the component that collapsed. */
static uint32_t iterate(MixtureFit *fit, MixtureRun *run)
{
    Iterations iterations = {.fit = fit, .run = run, .before = -INFINITY};
    TeamWork work = {.kind = &mixture_blocks_kind,
                     .data = fit->blocks,
                     .end = (uint32_t)fit->max_iter + 1,
                     .expected = EXPECTED_PASSES,
                     .pays = fit->blocks->blocks > 1,
                     .process_room = mixture_memory(fit->form, fit->k, fit->dims),
                     .spare = rows_spare(fit->rows),
                     .step = do_iteration,
                     .finish = finish,
                     .owner = &iterations};

    run->converged = false;
    run->iterations = 0;
    fit->env->progress(fit->env, METHOD, 0, (uint64_t)fit->max_iter, NAN);
    team_work(fit->env, &work);
    return iterations.collapsed;
}

/*
 * Returns how many starts there are. Five starts from k-means find the best likelihood known of iris with 3 components for each of
 * 60 seeds and every form of covariance; one start misses it for 1 in 20 seeds.
 */
static uint32_t mixture_starts(const Options *options)
{
    return options_starts(options, options_is(options, "init", "random") ? STARTS_RANDOM : 5);
}

/*
 * Returns by how much the likelihood of a later start must be higher: starts that end in the same mixture differ by how early they stopped,
 * and by rounding, which a component of hardly any variance magnifies; the first one numbers the components.
 */
static double same_likelihood(const MixtureFit *fit)
{
    return fmax(0.01 * fit->tolerance * fit->rows_counted, 1e-10 * fabs(fit->best.log_likelihood));
}

/* Turns the result into one in the units of the data. */
static void unstandardize(MixtureFit *fit)
{
    double volume = mixture_log_volume(fit->scale) * fit->rows_counted;

    mixture_unstandardize(fit->env, fit->mixture, fit->scale);
    fit->best.log_likelihood += volume;
    for (int64_t i = 0; i <= fit->best.iterations; i++)
        fit->best.history[i] += volume;
}

/* Sets fit->trial to a start. Returns false if the rows have too few distinct values for it. */
static bool set_start(MixtureFit *fit, const Options *options, const Mixture *start, uint32_t number)
{
    if (start != NULL) {
        mixture_copy(fit->trial, start);
        return true;
    }
    if (options_type(options, "init") == OPTION_NUMBER_MATRIX) {
        give_means(fit, options);
    } else {
        fit->distinct = start_mixture(fit, options, number);
        if (fit->distinct < fit->k)
            return false;
    }
    give_weights(fit, options);
    give_covariances(fit, options);
    return true;
}

/* What a process has for the starts. */
typedef struct MixtureStarts {
    Env *env;
    Rows *rows;
    uint32_t k;
    const Options *options;
    const Mixture *given; /* the only one to start from; NULL: by the options */
    MixtureFit *fit;      /* of this process */
    MixtureRun run;       /* from the last start; history NULL: not made yet */
    uint32_t collapsed;   /* the component that it ended in; k: in none */
    bool found;           /* by now there is a best one */
} MixtureStarts;

static void run_start(void *data, uint32_t number)
{
    MixtureStarts *starts = data;
    MixtureFit *fit = starts->fit;

    starts->collapsed = fit->k;
    if (set_start(fit, starts->options, starts->given, number))
        starts->collapsed = iterate(fit, &starts->run);
}

/* Keeps the mixture of a start if it is the best so far. */
static void receive_start(void *receiver, uint32_t number)
{
    MixtureStarts *starts = receiver;
    MixtureFit *fit = starts->fit;
    MixtureRun former = fit->best;

    (void)number;
    if (fit->distinct < fit->k)
        return;
    if (starts->collapsed < fit->k) {
        fit->collapsed = starts->collapsed;
        fit->starts_collapsed++;
        return;
    }
    if (!starts->found || starts->run.log_likelihood > fit->best.log_likelihood + same_likelihood(fit)) {
        mixture_copy(fit->mixture, fit->trial);
        fit->best = starts->run;
        starts->run.history = former.history;
    }
    starts->found = true;
}

static void begin_starts(Env *env, void *data)
{
    MixtureStarts *starts = data;

    starts->env = env;
    if (starts->fit == NULL)
        starts->fit = mixture_fit_begin(env, starts->rows, starts->options, starts->k, NULL);
    starts->fit->distinct = starts->k;
    starts->run.history = env_array(env, (size_t)starts->fit->max_iter + 1, sizeof(double));
}

static void pack_starts(Pack *pack, void *data)
{
    MixtureStarts *starts = data;
    uint32_t length = 0;
    const char *json = pack->mode == PACK_OPEN ? NULL : options_json(starts->options, &length);

    pack_value(pack, &starts->k, sizeof starts->k);
    pack_value(pack, &length, sizeof length);
    pack_array_if(pack, true, &json, length, 1);
    rows_pack(pack, &starts->rows);
    if (pack->mode == PACK_OPEN)
        starts->options = options_parse(pack->env, METHOD, estimator_find(METHOD)->options, json, length, NULL, NULL, 0);
}

static void pack_run(Pack *pack, void *data)
{
    MixtureStarts *starts = data;
    MixtureFit *fit = starts->fit;
    Mixture *trial = fit->trial;
    MixtureRun *run = &starts->run;

    pack_value(pack, &fit->distinct, sizeof fit->distinct);
    pack_value(pack, &starts->collapsed, sizeof starts->collapsed);
    if (fit->distinct < fit->k || starts->collapsed < fit->k)
        return;
    pack_value(pack, &run->log_likelihood, sizeof run->log_likelihood);
    pack_value(pack, &run->iterations, sizeof run->iterations);
    pack_value(pack, &run->converged, sizeof run->converged);
    pack_value(pack, run->history, (size_t)(run->iterations + 1) * sizeof(double));
    pack_value(pack, trial->weights, fit->k * sizeof(double));
    pack_value(pack, trial->means, (size_t)fit->k * fit->dims * sizeof(double));
    pack_value(pack, trial->covariances, (size_t)mixture_matrices(fit->form, fit->k) * mixture_numbers(fit->form, fit->dims) * sizeof(double));
}

const SharedKind mixture_starts_kind = {.name = "starts of a mixture",
                                        .data_size = sizeof(MixtureStarts),
                                        .has_rows = true,
                                        .pack = pack_starts,
                                        .begin = begin_starts,
                                        .run = run_start,
                                        .pack_result = pack_run};

bool mixture_fit_run(MixtureFit *fit, const Options *options, const Mixture *start)
{
    MixtureStarts starts = {.rows = fit->rows, .k = fit->k, .options = options, .given = start, .fit = fit};
    SharedWork work = {.kind = &mixture_starts_kind,
                       .data = &starts,
                       .end = start != NULL ? 1 : mixture_starts(options),
                       .packs = fit->scale == NULL || options_type(options, "init_covariances") == 0,
                       .process_room = mixture_memory(fit->form, fit->k, fit->dims),
                       .spare = rows_spare(fit->rows),
                       .receive = receive_start,
                       .receiver = &starts};

    begin_starts(fit->env, &starts);
    shared_work(fit->env, &work);
    if (starts.found && fit->scale != NULL)
        unstandardize(fit);
    return starts.found;
}

void mixture_fit_fail(const MixtureFit *fit)
{
    if (fit->distinct < fit->k)
        env_fail(fit->env, ERROR_DATA, "Ask for fewer components.",
                 "k is %u, but the rows have only %u distinct value%s", fit->k, fit->distinct,
                 fit->distinct == 1 ? "" : "s");
    env_fail(fit->env, ERROR_DATA,
             "Raise \"regularization\", ask for fewer components, or leave out features that depend on others.",
             "component %u of gaussian_mixture collapsed: its covariance is singular", fit->collapsed + 1);
}

MixtureFit *mixture_fit_begin(Env *env, Rows *rows, const Options *options, uint32_t k, const RowScale *scale)
{
    MixtureFit *fit = env_array(env, 1, sizeof(MixtureFit));

    fit->env = env;
    fit->rows = rows;
    fit->k = k;
    fit->dims = rows_slots(rows);
    while (!options_is(options, "covariance_type", mixture_forms[fit->form]))
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
    fit->trial = mixture_new(env, fit->form, fit->k, fit->dims);
    fit->plan = mixture_plan_new(env, fit->trial);
    fit->sums = mixture_sums(env, fit->trial);
    fit->best.history = env_array(env, (size_t)fit->max_iter + 1, sizeof(double));
    fit->scale = scale;
    fit->reader = tile_reader(row_design(env, rows, DESIGN_SLOTS, METHOD));
    fit->blocks = mixture_blocks_new(env, rows_count(rows), fit->reader, fit->trial);
    return fit;
}
