/*
 * kernel_ridge.c - ridge regression in the feature space of a kernel (Saunders, Gammerman & Vovk 1998).
 *
 * A model is an expansion over all training rows (kernel_model.h), and
 *   path_gamma, path_lambda, path_error  F64[l]  what was tried to choose lambda and gamma, and its mean squared error on rows left out
 *                                                (infinite: not positive definite); path_gamma only if gamma was chosen
 *   loo_residuals                        F64[n]  with option loo
 * Facts: lambda as used; mse of the training rows; loo_mse, and df, the effective number of parameters, where they are known; cv_mse and folds
 * where whole folds were left out to choose.
 */
#include "core/kernel_methods/kernel_ridge.h"

#include "core/estimator/shared_options.h"
#include "core/kernel_methods/feature_map.h"
#include "core/kernel_methods/gram_matrix.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/kernel_methods/kernel_ridge_candidates.h"
#include "core/kernel_methods/kernel_ridge_folds.h"
#include "core/kernel_methods/kernel_ridge_solve.h"
#include "core/rows/special_columns.h"

#include <math.h>
#include <string.h>

static const char *const choice_words[] = {"cv", "loo", NULL};

static const OptionSpec kernel_ridge_options[] = {
    {.name = "gamma",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,
     ABOVE_ZERO,
     .choices = choice_words,
     .unset = "rbf: 1 / (features x variance of all values); polynomial, sigmoid: 1",
     .help = "For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product; of an array, or of \"cv\" or "
             "\"loo\" for 10 to 0.01 times the default of rbf, the one with the smallest error on rows left out."},
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to subtract the mean of the target before the fit and to add it to predictions, so that they tend to the mean "
             "and not to 0 far from all rows."},
    {.name = "lambda",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,
     .fallback = "1",
     ABOVE_ZERO,
     .choices = choice_words,
     .help = "The penalty on the squared norm of the function; of an array, or of \"cv\" or \"loo\" for 100 to 1e-6 times the mean of k(x, x), the one "
             "with the smallest error on rows left out, by folds or one by one."},
    {.name = "loo",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to compute the residual of each row in a fit without it, in closed form, which takes as long as the fit; the model keeps them "
             "in row order."},
    {.name = NULL}};

/* ---- fit ---- */

/* Returns the mean of k(x, x). */
static double mean_diagonal(const KernelSample *sample)
{
    double mean = 0;

    for (uint32_t i = 0; i < sample->count; i++) {
        const double *x = sample->points + (size_t)i * sample->dims;

        mean += kernel_self(&sample->kernel, x, sample->dims) / sample->count;
        env_poll_every(sample->env, i, 1024);
    }
    return mean;
}

#define ROUNDING_WARNED 1e-6 /* rounding errors beyond this share of the targets are worth a WARNING */

typedef struct Fit {
    Env *env;
    KernelSample *sample;
    RidgeCandidates candidates;
    RidgeFolds folds;
    double error; /* of the candidate that was chosen */
    KernelRidge ridge;
    double lambda;
    bool chosen; /* lambda or gamma was chosen */
} Fit;

static void load_gram(Fit *fit)
{
    if (fit->ridge.gram != NULL)
        fit->env->release(fit->env, fit->ridge.gram);
    fit->ridge.gram = gram_matrix(fit->sample, &fit->sample->kernel);
}

/* Tries all candidates; the best ones become lambda and the sample's gamma. Of equal errors the larger lambda counts. */
static void choose(Fit *fit)
{
    Env *env = fit->env;
    RidgeCandidates *candidates = &fit->candidates;
    double best = INFINITY, gamma = fit->sample->kernel.gamma;

    if (fit->ridge.n < 2)
        env_fail(env, ERROR_DATA, "Add rows, or give lambda and gamma as numbers.",
                 "kernel_ridge cannot choose lambda or gamma: leaving out the only row leaves none to fit");
    for (uint32_t g = 0; g < candidates->gamma_count; g++) {
        double *errors = candidates->errors + (size_t)g * candidates->lambda_count;

        if (candidates->gammas != NULL)
            fit->sample->kernel.gamma = candidates->gammas[g];
        load_gram(fit);
        if (fit->folds.count > 0)
            kernel_ridge_fold_errors(&fit->ridge, &fit->folds, candidates->lambdas, candidates->lambda_count, errors);
        else
            kernel_ridge_errors(&fit->ridge, candidates->lambdas, candidates->lambda_count, errors);
        for (uint32_t l = 0; l < candidates->lambda_count; l++)
            if (errors[l] < best) {
                best = errors[l];
                fit->lambda = candidates->lambdas[l];
                gamma = fit->sample->kernel.gamma;
            }
    }
    if (!(best < INFINITY))
        env_fail(env, ERROR_DATA, "Choose a positive semi-definite kernel, or larger lambdas.",
                 "kernel_ridge cannot choose: for every lambda the kernel matrix plus lambda is not positive definite");
    fit->error = best;
    if (gamma != fit->sample->kernel.gamma) {
        fit->sample->kernel.gamma = gamma;
        load_gram(fit);
    }
}

/* Loads the rows, after comparing all that the fit needs with the budget. */
static void load(Fit *fit, const FitInput *input, const Options *options)
{
    Env *env = fit->env;
    Kernel kernel = ridge_kernel(env, options);
    uint64_t count = rows_count(input->rows);
    uint32_t n = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    bool many = option_is_several(options, "lambda") || option_is_several(options, "gamma");

    gram_require_memory(env, count, 1, options_folded(options) ? ridge_folds_memory(n) : kernel_ridge_memory(n, many), "kernel_ridge");
    fit->folds = ridge_folds(env, input->rows, options);
    fit->sample = kernel_sample(env, input->rows, &kernel, options, 2 * (size_t)n * sizeof(double), "kernel_ridge");
    fit->candidates = ridge_gammas(env, options, &fit->sample->kernel);
    ridge_lambdas(env, options, option_is_word(options, "lambda") ? mean_diagonal(fit->sample) : 1, &fit->candidates);
    fit->lambda = fit->candidates.lambdas[0];
    fit->chosen = fit->candidates.gammas != NULL || fit->candidates.lambda_count > 1 || option_is_word(options, "lambda") || fit->folds.count > 0;
    fit->ridge = (KernelRidge){.env = env,
                               .n = fit->sample->count,
                               .targets = fit->sample->targets,
                               .weights = fit->sample->weights,
                               .intercept = options_boolean(options, "intercept"),
                               .counts = (rows_schema(input->rows)->flags & MODEL_FREQUENCY) != 0};
}

/* Fails if folds are asked for where nothing is chosen by them. */
static void require_folds_serve(Env *env, const Options *options, const Kernel *kernel)
{
    static const char *const names[] = {"lambda", "gamma"};

    if (!options_folded(options))
        return;
    if (!option_is_several(options, "lambda") && !option_is_several(options, "gamma"))
        env_fail(env, ERROR_PARAMETER, "Let \"lambda\" or \"gamma\" be chosen: \"cv\", or an array of numbers.",
                 "kernel_ridge has nothing to choose by folds: lambda and gamma are numbers");
    for (size_t i = 0; i < 2; i++)
        if (option_is_word(options, names[i]) && options_is(options, names[i], "loo"))
            env_fail(env, ERROR_PARAMETER, "Write \"cv\", or leave the folds out.", "option \"%s\" is \"loo\", which leaves out single rows and not folds",
                     names[i]);
    if (approximation_of_options(env, options, kernel) != APPROXIMATION_NONE)
        env_fail(env, ERROR_PARAMETER, "Leave \"approximation\" or the folds out, or pass an array of lambdas to pgfit.search.",
                 "kernel_ridge with an approximation leaves out single rows, and no folds");
}

static Model *kernel_ridge_estimate(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                    ModelBuilder *builder)
{
    Fit fit = {.env = env};
    bool keep = options_boolean(options, "loo");
    KernelExpansion expansion;
    KernelRidgeFit result;
    Kernel kernel;

    if (input->frame && rows_count(input->rows) < 2 && (keep || option_is_several(options, "lambda") || option_is_several(options, "gamma")))
        return NULL;
    kernel = ridge_kernel(env, options);
    require_folds_serve(env, options, &kernel);
    if (approximation_of_options(env, options, &kernel) != APPROXIMATION_NONE)
        return mapped_ridge(env, input, options, builder);
    load(&fit, input, options);
    if (fit.folds.count == 1 && input->frame)
        return NULL;
    if (fit.folds.count == 1)
        env_fail(env, ERROR_DATA, "Ask for more folds, another \"seed\", or use a fold column with several values.",
                 "all rows are in one fold: nothing is left to fit while it is held out");
    if (keep && fit.ridge.n < 2)
        env_fail(env, ERROR_DATA, "Add rows, or leave \"loo\" out.",
                 "kernel_ridge has no leave-one-out errors: leaving out the only row leaves none to fit");
    if (fit.chosen) {
        choose(&fit);
        if (!input->frame)
            ridge_warn_of_ends(env, options, &fit.candidates, fit.lambda, fit.sample->kernel.gamma);
    } else {
        load_gram(&fit);
    }
    result = kernel_ridge_fit(&fit.ridge, fit.lambda, (fit.chosen && fit.folds.count == 0) || keep, true);
    if (!result.solved)
        env_fail(env, ERROR_DATA, "Raise lambda, or choose a positive semi-definite kernel.",
                 "the matrix of kernel %s plus lambda %g is not positive definite", kernel_name(fit.sample->kernel.kind), fit.lambda);
    if (result.rounding > ROUNDING_WARNED)
        env_warn(env, ERROR_DATA, "Raise lambda.",
                 "lambda %g is so small that rounding errors may change the predictions of kernel_ridge by about %.0e of the size of the targets",
                 fit.lambda, result.rounding);
    env->release(env, fit.ridge.gram);
    expansion = kernel_expansion(fit.sample, 1, result.multipliers, fit.ridge.intercept ? &result.intercept : NULL, NULL);
    builder_fact(builder, "lambda", fit.lambda);
    builder_fact(builder, "mse", result.mse);
    if (fit.folds.count > 0) {
        builder_fact(builder, "cv_mse", fit.error);
        builder_fact_i64(builder, "folds", fit.folds.count);
    }
    builder_fact_finite(builder, "loo_mse", result.loo_mse);
    builder_fact_finite(builder, "df", result.df);
    kernel_model_add(env, builder, fit.sample, &expansion);
    if (fit.chosen)
        ridge_candidates_add(env, &fit.candidates, builder);
    if (keep)
        builder_f64(builder, SECTION_ARRAYS, "loo_residuals", result.residuals, fit.ridge.n);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec kernel_ridge_arrays[] = {
    {.name = "loo_residuals", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_FREE}},
    {.name = "path_error",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "path_lambda",
     .values = VALUES_ANY,
     .rows = {SIZE_LAMBDAS}},
    {.name = "path_gamma",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .other = "path_lambda",
     .values = VALUES_POSITIVE,
     .rows = {SIZE_LAMBDAS}},
    {.name = "path_lambda",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .rows = {SIZE_LAMBDAS, .defines = true}}};
static const ArraySpec kernel_ridge_facts[] = {FACT_APPROXIMATION,        FACT("cv_mse", ARRAY_F64), FACT("df", ARRAY_F64), FACT("folds", ARRAY_I64), FACT_FREQUENCIES,
                                               FACT("lambda", ARRAY_F64), FACT_LANDMARKS,        FACT("loo_mse", ARRAY_F64),
                                               FACT("mse", ARRAY_F64)};
static const ArrayTable kernel_ridge_array_tables[] =
    ARRAY_TABLES(KERNEL_MODEL_TABLES, ARRAY_TABLE(kernel_ridge_arrays), FACT_TABLE(kernel_ridge_facts));

static const char *kernel_ridge_check(Env *env, const Model *model)
{
    if (kernel_model_problems(model) != 1)
        return "a model of kernel_ridge has one row of multipliers";
    return kernel_model_check(env, model);
}

static const Scoring kernel_ridge_scoring = {
    .prepare = kernel_model_prepare, .predict = kernel_model_predict, .has_explain = kernel_ridge_has_explain,
    .explain = kernel_ridge_explain};

const Estimator estimator_kernel_ridge = {
    .name = "kernel_ridge",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, options_number_kernel, options_kernel, option_standardize, options_approximation, options_folds, option_expanding,
                             kernel_ridge_options),
    .help = "Ridge regression in the feature space of a kernel: smooth functions of any shape.",
    .source = "Saunders, Gammerman & Vovk (1998), ICML",
    .fit = kernel_ridge_estimate,
    .arrays = kernel_ridge_array_tables,
    .check = kernel_ridge_check,
    .scoring = &kernel_ridge_scoring,
    .coefficients = kernel_ridge_coefficients,
    .to_sql = kernel_ridge_to_sql,
    .summary = kernel_ridge_summary,
    .tables = kernel_ridge_tables,
};
