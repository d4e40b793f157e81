/*
 * linear_influence.c - residuals, leverage and distances of the rows of linear and logistic fits.
 */
#include "core/linear_equations/linear_influence.h"

#include "core/inference/robust_model.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_model.h"

#include <math.h>

#define FULL_LEVERAGE (1 - 1e-10) /* above, what is left of 1 - h is rounding */

/* Fails if the covariance of the model is not that from which leverages follow, or the model does not keep what a fitted value consists of. */
static void require_classical(Env *env, const Model *model)
{
    if (model_find(model, "absorbed_levels") != NULL)
        env_fail(env, ERROR_KIND, "Fit the model again with the columns in the formula, such as C(firm).",
                 "influence needs the effects of the absorbed levels, and this model of %.31s keeps none", model->estimator);
    if (robust_is(model))
        env_fail(env, ERROR_KIND, "Fit the model again without \"vcov\": its coefficients are the same.",
                 "influence needs classical standard errors, from which leverages follow, and this model of %.31s has robust ones", model->estimator);
}

double influence_weight(const Model *model, const InfluenceRow *row)
{
    return (model->flags & MODEL_FREQUENCY) != 0 && row->weight > 0 ? 1 : row->weight;
}

/*
 * Returns the variance of the score of a row, from the covariance of the coefficients. mean_variance: of the score at the means of the training
 * rows, where it is not correlated with the terms; NAN: take that of the intercept.
 */
static double score_variance(Env *env, const Model *model, const double *covariance, const double *slots, double mean_variance)
{
    bool centered = !isnan(mean_variance);

    return linear_variance_of(env, model, covariance, slots, centered, centered && model_find(model, "intercept") != NULL ? mean_variance : 0);
}

static void set_leverage(Influence *out, double leverage)
{
    out->leverage = leverage < 0 ? 0 : leverage > FULL_LEVERAGE && leverage < 2 - FULL_LEVERAGE ? 1 : leverage;
}

/* Returns the residual standard error without the row; NaN where no degrees of freedom are left. squares: sum of the squares of all residuals. */
static double sigma_without(double squares, double df, double residual, double leverage)
{
    return df > 1 ? sqrt((squares - residual * residual / (1 - leverage)) / (df - 1)) : NAN;
}

void linear_influence(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out)
{
    uint32_t length;
    const double *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);
    double sigma = linear_sigma(model), df = linear_df_residual(model), weight = influence_weight(model, row), h, residual;
    double rank = model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL);

    require_classical(env, model);
    out->fitted = linear_equation_score(model, NULL, slots) + row->offset;
    out->residual = row->target - out->fitted;
    if (isnan(out->residual) || !(weight > 0))
        return;
    out->deviance_residual = residual = sqrt(weight) * out->residual;
    if (covariance == NULL || !(sigma > 0))
        return;
    set_leverage(out, weight * score_variance(env, model, covariance, slots, sigma * sigma / model->weight) / (sigma * sigma));
    h = out->leverage;
    if (!(h < 1))
        return;
    out->standardized = residual / (sigma * sqrt(1 - h));
    out->studentized = residual / (sigma_without(sigma * sigma * df, df, residual, h) * sqrt(1 - h));
    out->cooks_distance = out->standardized * out->standardized * h / (rank * (1 - h));
    out->dffits = out->studentized * sqrt(h / (1 - h));
}

void score_influence(Env *env, const Model *model, const double *slots, const ScoreResidual *row, Influence *out)
{
    uint32_t length;
    const double *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);
    double residual = row->deviance, pearson = row->pearson, sigma, h;

    require_classical(env, model);
    if (covariance == NULL || !(row->rank > 0) || !(row->dispersion > 0))
        return;
    set_leverage(out, row->curvature * score_variance(env, model, covariance, slots, NAN) / row->dispersion);
    h = out->leverage;
    if (!(h < 1))
        return;
    sigma = sigma_without(row->squares, row->df, residual, h);
    out->standardized = residual / sqrt(row->dispersion * (1 - h));
    out->studentized = copysign(sqrt(residual * residual + h * pearson * pearson / (1 - h)), residual) / (row->by_sigma ? sigma : 1);
    out->cooks_distance = pearson * pearson * h / ((1 - h) * (1 - h) * row->rank * row->dispersion);
    out->dffits = residual * sqrt(h) / (sigma * (1 - h));
}

void logistic_influence(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    double weight = influence_weight(model, row), score, small, variance;
    ScoreResidual own = {.dispersion = 1, .rank = row->class_weights ? NAN : model_fact(model, "parameters", NAN)};
    LinearView view;

    linear_view(model, &view);
    if (view.equations != 1 || classes != 2)
        env_fail(env, ERROR_KIND, "Fit a model of one class against the others.", "influence applies to models of two classes, and this one has %u", classes);
    require_classical(env, model);
    score = linear_view_score(&view, 0, slots);
    small = exp(-fabs(score));
    out->fitted = (score < 0 ? small : 1) / (1 + small);
    if (isnan(row->target))
        return;
    /* 1 / (1 + exp(s)), with s the score of the class that the row has */
    out->residual = (row->target > 0 ? 1 : -1) * ((row->target > 0) == (score >= 0) ? small : 1) / (1 + small);
    if (!(weight > 0))
        return;
    variance = small / ((1 + small) * (1 + small));
    out->deviance_residual = own.deviance = copysign(sqrt(-2 * weight * log1p(-fabs(out->residual))), row->target > 0 ? 1 : -1);
    own.pearson = sqrt(weight / variance) * out->residual;
    own.curvature = weight * variance;
    own.squares = -2 * model_fact(model, "log_likelihood", NAN);
    own.df = model_counted_rows(model) - own.rank;
    score_influence(env, model, slots, &own, out);
}
