/*
 * bayesian_regression.c - linear regression with a normal prior on the coefficients, whose posterior is the model.
 *
 * Without "prior_precision" the variances of the noise and of the prior are those of the greatest evidence (MacKay 1992). With it the prior is
 * conjugate: coefficients of variance noise / prior_precision, and a gamma distribution of 1 / noise. Either way the mean of the posterior is
 * that of ridge regression at lambda = noise / prior variance, and the constant has a flat prior, over which the evidence is integrated: n rows
 * tell as much of the noise as n - 1 without a constant.
 *
 * From the singular values s of the triangular factor and the target's coordinates g, the evidence at the best noise depends on lambda alone,
 *     -2 log evidence = sum log(1 + s^2 / lambda) + n log(rest + sum g^2 lambda / (s^2 + lambda)) + ...
 * so its maximum is found on a line, where fixed-point iterations take hundreds of steps and end at whichever maximum is near.
 *
 * Arrays: those of linear_model.h; covariance_packed has no factor df / (df - 2) under a conjugate prior, whose posterior is a t distribution.
 */
#include "core/estimator/shared_options.h"
#include "core/linalg/gemm.h"
#include "core/linalg/qr_factor.h"
#include "core/linear/linear_path.h"
#include "core/linear/linear_svd.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_options.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MANY 1e12       /* degrees of freedom: as many are a normal distribution */
#define BLOCK_ROWS 16   /* of the covariance between two polls */
#define GRID_STEP 2     /* of lambda: the slope of the evidence by log lambda changes on the scale of 1 */
#define GRID_BELOW 1e-4 /* of the least lambda at which the evidence can have a maximum */
#define GRID_ABOVE 1e8  /* times the largest s^2: above, lambda could as well be infinite */

static const OptionSpec bayesian_options[] = {
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Probability between the limits in coefficients() and predict_interval()."},
    {.name = "noise_rate",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "With prior_precision: the rate of the prior gamma distribution of 1 / variance of the noise; 0: improper."},
    {.name = "noise_shape",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "With prior_precision: the shape of that distribution; 0: improper."},
    {.name = "prior_precision",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "chosen by the evidence",
     .help = "The prior variance of each coefficient is the variance of the noise divided by this number, which is the lambda of ridge_regression."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether the prior is that of the coefficients of standardized features, divided by their standard deviation (divisor n)."},
    {.name = NULL}};

/* The problem; numbers without units are those of the divided columns and the divided target. */
typedef struct Bayes {
    LinearFit *fit;
    uint32_t terms;
    double rows;         /* that tell of the noise: without one for the constant */
    LinearSvd svd;
    bool conjugate;
    double shape, rate;  /* of the posterior of 1 / noise, if conjugate */
    double ratio;        /* variance of the noise / prior variance; may be 0 or infinite */
    double noise, prior; /* variances */
} Bayes;

/* What the evidence depends on at a ratio. */
typedef struct Sums {
    double explained; /* sum of s^2 / (s^2 + ratio): the effective number of terms */
    double weights;   /* sum of squares of the coefficients */
    double squares;   /* of the residuals, plus ratio weights */
    double shrinkage; /* sum of log(ratio / (s^2 + ratio)) */
} Sums;

static Sums sums_at(const Bayes *bayes, double ratio)
{
    const Singular *svd = &bayes->svd.form;
    Sums sums = {.squares = bayes->svd.rest};

    for (uint32_t j = 0; j < svd->rank; j++) {
        double s = svd->values[j], g = svd->left[j], kept = linear_svd_share(s, ratio), lost = 1 / (1 + s * s / ratio);

        sums.explained += kept;
        sums.weights += (kept * g / s) * (kept * g / s);
        sums.squares += lost * g * g;
        sums.shrinkage += log(lost);
    }
    return sums;
}

/* ---- the evidence ---- */

/* Returns twice the logarithm of the evidence at the best noise, without what does not depend on the ratio; ratio 0: the limit, if there is one. */
static double evidence_at(const Bayes *bayes, double ratio)
{
    const Singular *svd = &bayes->svd.form;
    Sums sums = sums_at(bayes, ratio);

    if (ratio > 0)
        return sums.shrinkage - bayes->rows * log(sums.squares);
    sums = (Sums){0};
    for (uint32_t j = 0; j < svd->rank; j++) {
        sums.weights += svd->left[j] / svd->values[j] * (svd->left[j] / svd->values[j]);
        sums.shrinkage -= 2 * log(svd->values[j]);
    }
    return sums.shrinkage - bayes->rows * log(sums.weights);
}

/* Returns the derivative of evidence_at by the logarithm of the ratio. */
static double evidence_slope(const Bayes *bayes, double ratio)
{
    Sums sums = sums_at(bayes, ratio);

    return sums.explained - bayes->rows * (ratio * sums.weights / sums.squares);
}

/* Returns the maximum between two ratios, where the slope is above and below 0. */
static double maximum_between(const Bayes *bayes, double low, double high)
{
    for (double middle = sqrt(low) * sqrt(high); middle > low && middle < high; middle = sqrt(low) * sqrt(high)) {
        if (evidence_slope(bayes, middle) > 0)
            low = middle;
        else
            high = middle;
        bayes->fit->env->poll(bayes->fit->env);
    }
    return low;
}

/* Returns the ratio of the greatest evidence: infinite if there is no more with terms than without, 0 if there is no noise. */
static double best_ratio(const Bayes *bayes)
{
    const Singular *svd = &bayes->svd.form;
    double greatest, best = INFINITY, value, least, low, high, slopes = 0;

    for (uint32_t j = 0; j < svd->rank; j++)
        slopes += svd->left[j] / svd->values[j] * (svd->left[j] / svd->values[j]);
    if (!(slopes > 0))
        return INFINITY;
    if (bayes->svd.rest == 0 && svd->rank < bayes->rows)
        return 0;
    least = svd->values[svd->rank - 1] * svd->values[svd->rank - 1];
    if (bayes->svd.rest > 0)
        least = fmin(least, bayes->svd.rest / bayes->rows * (svd->rank / slopes));
    low = fmax(least * GRID_BELOW, DBL_MIN);
    high = svd->values[0] * svd->values[0] * GRID_ABOVE;
    greatest = evidence_at(bayes, INFINITY);
    for (double ratio = low; ratio < high; ratio *= GRID_STEP) {
        value = evidence_at(bayes, ratio);
        if (value > greatest) {
            greatest = value;
            best = ratio;
        }
        bayes->fit->env->poll(bayes->fit->env);
    }
    if (bayes->svd.rest == 0 && evidence_at(bayes, 0) >= greatest)
        return 0;
    if (isinf(best) || (best * GRID_STEP >= high && evidence_slope(bayes, best * GRID_STEP) > 0))
        return INFINITY;
    return maximum_between(bayes, best / GRID_STEP, best * GRID_STEP);
}

/* ---- the posterior ---- */

/* Sets the variances, and for a conjugate prior the distribution of the noise. */
static void set_variances(Bayes *bayes)
{
    Sums sums = sums_at(bayes, bayes->ratio);
    double squares = sums.squares * bayes->svd.target * bayes->svd.target;

    if (bayes->conjugate) {
        bayes->shape += bayes->rows / 2;
        bayes->rate += squares / 2;
        bayes->noise = bayes->rate / bayes->shape / bayes->svd.target / bayes->svd.target;
    } else {
        bayes->noise = bayes->fit->tss > 0 ? sums.squares / bayes->rows : 0;
    }
    bayes->prior = bayes->ratio > 0 ? bayes->noise / bayes->ratio : sums.weights / sums.explained;
}

/* Returns the root of the posterior covariance: [terms x terms], the coordinates of each term along the singular vectors. */
static double *covariance_root(const Bayes *bayes)
{
    uint32_t terms = bayes->terms;
    double *root = env_array(bayes->fit->env, (size_t)terms * terms + 1, sizeof(double));

    for (uint32_t j = 0; j < terms; j++) {
        double s = bayes->svd.form.values[j], along = sqrt(s > 0 ? bayes->noise / (s * s + bayes->ratio) : bayes->prior);

        for (uint32_t t = 0; t < terms; t++)
            root[(size_t)t * terms + j] =
                bayes->svd.form.vectors[(size_t)j * terms + t] * along * (bayes->svd.target / bayes->svd.norm / bayes->svd.scales[t]);
        if (j % 256 == 255)
            bayes->fit->env->poll(bayes->fit->env);
    }
    return root;
}

/* Sets the covariance of the intercept, which at the means is not correlated with the terms. */
static void set_intercept_covariance(const Bayes *bayes, const double *root)
{
    LinearFit *fit = bayes->fit;
    uint32_t terms = bayes->terms;
    double *mean = env_array(fit->env, (size_t)terms + 1, sizeof(double)), *c = fit->covariance;

    c[0] = bayes->noise * bayes->svd.target * bayes->svd.target / fit->design->weight;
    for (uint32_t t = 0; t < terms; t++) {
        for (uint32_t j = 0; j < terms; j++)
            mean[j] += root[(size_t)t * terms + j] * fit->design->means[t];
        if (t % 256 == 255)
            fit->env->poll(fit->env);
    }
    for (uint32_t j = 0; j < terms; j++)
        c[0] += mean[j] * mean[j];
    for (uint32_t t = 0; t < terms; t++) {
        for (uint32_t j = 0; j < terms; j++)
            c[factor_packed(t + 1)] -= root[(size_t)t * terms + j] * mean[j];
        if (t % 256 == 255)
            fit->env->poll(fit->env);
    }
    fit->env->release(fit->env, mean);
}

static void set_covariance(const Bayes *bayes)
{
    LinearFit *fit = bayes->fit;
    Env *env = fit->env;
    uint32_t terms = bayes->terms, first = fit->with_intercept;
    size_t ld = ((size_t)terms + PRODUCT_STRIP - 1) / PRODUCT_STRIP * PRODUCT_STRIP;
    double *root = covariance_root(bayes), *packed, *products;

    fit->covariance = env_array(env, factor_packed((size_t)terms + first) + 1, sizeof(double));
    fit->scaled = true;
    if (first)
        set_intercept_covariance(bayes, root);
    if (terms == 0)
        return;
    packed = env_array(env, product_packed(terms, terms), sizeof(double));
    products = env_array(env, BLOCK_ROWS * ld, sizeof(double));
    product_pack(root, terms, terms, terms, NULL, packed);
    for (uint32_t t = 0; t < terms; t += BLOCK_ROWS) {
        uint32_t rows = terms - t < BLOCK_ROWS ? terms - t : BLOCK_ROWS;

        product_block(root + (size_t)t * terms, rows, packed, terms, terms, products, ld);
        for (uint32_t i = 0; i < rows; i++)
            memcpy(fit->covariance + factor_packed(t + i + first) + first, products + i * ld, (t + i + 1) * sizeof(double));
        env->poll(env);
    }
    env->release(env, products);
    env->release(env, packed);
    env->release(env, root);
}

/* ---- the fit ---- */

/* Adds the variances or the distribution of the noise, and the density of the targets; under an improper prior there is none. */
static void add_posterior(const Bayes *bayes, double shape, double rate, ModelBuilder *builder)
{
    const LinearFit *fit = bayes->fit;
    const Design *design = fit->design;
    double noise = bayes->noise * bayes->svd.target * bayes->svd.target, scale = bayes->svd.target / bayes->svd.norm;
    double evidence = design->log_weight_sum / 2 - bayes->rows / 2 * log(2 * M_PI) - (fit->with_intercept ? log(design->weight) / 2 : 0);

    builder_fact_finite(builder, "lambda", bayes->ratio * bayes->svd.norm * bayes->svd.norm);
    if (bayes->conjugate) {
        evidence += sums_at(bayes, bayes->ratio).shrinkage / 2 + shape * log(rate) - bayes->shape * log(bayes->rate) + lgamma(bayes->shape) - lgamma(shape);
        builder_fact_finite(builder, "posterior_rate", bayes->rate);
        builder_fact_finite(builder, "posterior_shape", bayes->shape);
    } else {
        evidence += evidence_at(bayes, bayes->ratio) / 2 + bayes->rows / 2 * (log(bayes->rows) - 1 - 2 * log(bayes->svd.target));
        builder_fact_finite(builder, "noise_variance", noise);
        builder_fact_finite(builder, "prior_variance", bayes->prior * scale * scale);
    }
    if (bayes->ratio > 0 || bayes->svd.form.rank >= bayes->rows) /* else without bound */
        builder_fact_finite(builder, "log_evidence", evidence);
}

static void warn_extreme(const Bayes *bayes)
{
    Env *env = bayes->fit->env;

    if (bayes->terms == 0 || !(bayes->fit->tss > 0))
        return;
    if (bayes->ratio == 0)
        env_warn(env, ERROR_DATA, "Use fewer features, or give \"prior_precision\".",
                 "the evidence is greatest without noise: the equation meets all %.0f rows", bayes->fit->rows);
    else if (isinf(bayes->ratio))
        env_warn(env, ERROR_DATA, "Use other features, or give \"prior_precision\".",
                 "the evidence is greatest where all coefficients are 0: the terms (%u) tell nothing of the target", bayes->terms);
}

static Model *bayesian_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    LinearFit *fit = linear_begin(env, moments_design(env, input->moments, intercept), intercept);
    double shape = options_number(options, "noise_shape"), rate = options_number(options, "noise_rate");
    Bayes bayes = {.fit = fit, .terms = fit->design->terms, .rows = fit->rows - intercept};
    size_t terms = bayes.terms + (size_t)PRODUCT_STRIP;

    bayes.conjugate = options_given(options, "prior_precision");
    if (!bayes.conjugate && (options_given(options, "noise_shape") || options_given(options, "noise_rate")))
        env_fail(env, ERROR_PARAMETER, "Give \"prior_precision\" too.", "\"noise_shape\" and \"noise_rate\" belong to a prior, and without one the evidence decides");
    if (!(bayes.rows + 2 * shape > 0) && too_few_rows_are_null(input, options))
        return NULL;
    if (!(bayes.rows + 2 * shape > 0))
        env_fail(env, ERROR_DATA, "Use more rows.", "%s needs two rows to tell the noise from the constant, not %.0f", self->name, fit->rows);
    env_require_memory(env, 4 * terms * terms * sizeof(double), "the posterior of the coefficients");
    bayes.svd = linear_svd(fit, path_scales(fit, options));
    bayes.shape = shape;
    bayes.rate = rate;
    if (bayes.conjugate)
        bayes.ratio = fmin(1e300, fmax(DBL_MIN, options_number(options, "prior_precision") / bayes.svd.norm / bayes.svd.norm));
    else
        bayes.ratio = best_ratio(&bayes);
    set_variances(&bayes);
    linear_svd_solve(fit, &bayes.svd, bayes.ratio);
    fit->condition = linear_condition(env, fit->design->factor, (size_t)bayes.terms + 1, bayes.terms);
    set_covariance(&bayes);
    if (!bayes.conjugate)
        warn_extreme(&bayes);
    add_posterior(&bayes, shape, rate, builder);
    return linear_finish(fit, builder);
}

/* ---- reports ---- */

static const ArraySpec bayesian_facts[] = {FACT("log_evidence", ARRAY_F64), FACT("noise_variance", ARRAY_F64), FACT("posterior_rate", ARRAY_F64),
                                           FACT("posterior_shape", ARRAY_F64), FACT("prior_variance", ARRAY_F64)};

static const ArrayTable bayesian_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_model_arrays), FACT_TABLE(linear_facts), FACT_TABLE(bayesian_facts));

/* Returns the degrees of freedom of the posterior: INFINITY for a normal distribution. */
static double posterior_df(const Model *model)
{
    double df = 2 * model_fact(model, "posterior_shape", INFINITY);

    return df < MANY ? df : INFINITY;
}

static PredictionInterval bayesian_interval(Env *env, const Model *model, const void *prepared, const double *slots, double level)
{
    double shape = model_fact(model, "posterior_shape", NAN), variance = model_fact(model, "posterior_rate", NAN) / shape, df = posterior_df(model);

    (void)prepared;
    if (isnan(shape))
        variance = model_fact(model, "noise_variance", NAN);
    return linear_interval_of(env, model, slots, sqrt(variance), df > 0 ? linear_critical(level, df) : NAN);
}

/* Lists the posterior: its means, standard deviations and limits. There are no tests. */
static uint32_t bayesian_coefficients(Env *env, const Model *model, Coefficient **out)
{
    double df = posterior_df(model), spread = isinf(df) ? 1 : df > 2 ? sqrt(df / (df - 2)) : NAN;
    uint32_t count = linear_list_coefficients(env, model, NULL, df, out);

    for (uint32_t i = 0; i < count; i++) {
        (*out)[i].std_error *= spread;
        (*out)[i].statistic = (*out)[i].p_value = NAN;
    }
    return count;
}

static Model *bayesian_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double rss = model_fact(model, "rss", NAN), tss = model_fact(model, "tss", NAN);

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "effective_df", model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL));
    builder_fact_finite(builder, "n", model_counted_rows(model));
    builder_fact_finite(builder, "mse", rss / model->weight);
    builder_fact_finite(builder, "rmse", sqrt(rss / model->weight));
    if (tss > 0)
        builder_fact_finite(builder, "r_squared", 1 - rss / tss);
    if (model_find(model, "log_likelihood") == NULL)
        builder_fact_finite(builder, "log_likelihood", linear_log_likelihood(model_counted_rows(model), rss, 0));
    return model_build(builder);
}

static void put_posterior(TextBuffer *out, const Coefficient *list, uint32_t count, double level)
{
    int width = 4;

    for (uint32_t i = 0; i < count; i++) {
        int own = report_characters(list[i].term);

        width = own > width ? own : width;
    }
    text_print(out, "\n");
    report_padded(out, "term", width);
    text_print(out, "%14s%14s%12g limits\n", "mean", "std. dev.", level);
    for (uint32_t i = 0; i < count; i++) {
        report_padded(out, list[i].term, width);
        report_cell(out, list[i].estimate, 14, 6);
        report_cell(out, list[i].std_error, 14, 4);
        report_cell(out, list[i].conf_low, 14, 6);
        report_cell(out, list[i].conf_high, 14, 6);
        text_print(out, "\n");
    }
}

/* Adds a fact, if it is known. */
static void put_fact(TextBuffer *out, const Model *facts, const char *format, const char *name)
{
    double value = model_fact(facts, name, NAN);

    if (!isnan(value))
        text_print(out, format, value);
}

static char *bayesian_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    const Model *facts = estimator_statistics(env, model);
    double df = posterior_df(model);
    Coefficient *list;
    uint32_t count = bayesian_coefficients(env, model, &list);

    text_print(&out, "bayesian_regression: ");
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    put_posterior(&out, list, count, estimator_level(env, estimator_of(model), model));
    text_print(&out, "\n");
    report_rows(&out, model);
    if (isfinite(df))
        text_print(&out, "posterior: t distribution with %.6g degrees of freedom\n", df);
    else
        text_print(&out, "posterior: normal distribution\n");
    put_fact(&out, facts, "1 / noise variance: gamma distribution with shape %.6g", "posterior_shape");
    put_fact(&out, facts, " and rate %.6g\n", "posterior_rate");
    put_fact(&out, facts, "noise variance: %.6g", "noise_variance");
    put_fact(&out, facts, ", prior variance: %.6g\n", "prior_variance");
    put_fact(&out, facts, "log evidence: %.6g\n", "log_evidence");
    put_fact(&out, facts, "R-squared: %.4f\n", "r_squared");
    put_fact(&out, facts, "effective degrees of freedom: %.5g", "effective_df");
    return out.text;
}

static const Scoring bayesian_scoring = {.predict = linear_equation_score, .interval = bayesian_interval, .explain = linear_classifier_explain};

const Estimator estimator_bayesian_regression = {
    .name = "bayesian_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .takes_offset = true,
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_too_few_rows, option_intercept, bayesian_options),
    .help = "Linear regression with a normal prior on the coefficients: their posterior distribution, and that of predictions.",
    .source = "MacKay 1992, Neural Computation 4(3); Bishop 2006, Pattern Recognition and Machine Learning, chapter 3",
    .fit = bayesian_fit,
    .arrays = bayesian_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &bayesian_scoring,
    .coefficients = bayesian_coefficients,
    .to_sql = linear_to_sql,
    .summary = bayesian_summary,
    .statistics = bayesian_statistics,
};
