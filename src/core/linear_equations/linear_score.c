/*
 * linear_score.c - scores, prediction intervals and arrays of linear regressions.
 *
 * Scores read the flat value in place: no preparation, no allocation, one fixed order of summation.
 */
#include "core/inference/robust_model.h"
#include "core/linear_equations/linear_influence.h"
#include "core/linear_equations/linear_model.h"
#include "core/math/special_functions.h"

#include <math.h>

PredictionInterval linear_interval_of(Env *env, const Model *model, const double *slots, double sigma, double critical)
{
    double fit = linear_equation_score(model, NULL, slots), variance = sigma * sigma, half;
    PredictionInterval interval = {fit, NAN, NAN};
    bool robust = robust_is(model);

    if (model_find(model, "covariance" MODEL_PACKED) == NULL || !(sigma >= 0))
        return interval;
    if (!robust && model_find(model, "intercept") != NULL && model->weight > 0)
        variance += sigma * sigma / model->weight;
    variance = linear_variance(env, model, slots, !robust, variance);
    half = critical * sqrt(variance < 0 ? 0 : variance); /* not fmax, which hides NaN */
    interval.lower = fit - half;
    interval.upper = fit + half;
    return interval;
}

static PredictionInterval linear_interval(Env *env, const Model *model, const void *prepared, const double *slots, double level)
{
    double df = linear_df_residual(model);
    bool known = df > 0 && model_find(model, "absorbed_levels") == NULL; /* the effects of a row's own levels are not kept */

    (void)prepared;
    return linear_interval_of(env, model, slots, known ? linear_sigma(model) : NAN, known ? t_critical(level, df) : NAN);
}

static uint32_t linear_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                               Explanation **out)
{
    LinearView view;

    (void)prepared;
    linear_view(model, &view);
    return linear_view_explain(env, model, &view, slots, NULL, out);
}

const Scoring linear_scoring = {
    .predict = linear_equation_score, .interval = linear_interval, .explain = linear_explain, .influence = linear_influence};

const ArraySpec linear_model_arrays[1] = {{.name = "level_means",
                                           .type = ARRAY_F64,
                                           .sized = true,
                                           .presence = ARRAY_WITH,
                                           .other = "center",
                                           .rows = {SIZE_LEVELS}}};

/* A fit stores these facts; linear_statistics derives the others. */
const ArraySpec linear_facts[19] = {
    FACT("absorbed_df", ARRAY_F64),        FACT_LIST("absorbed_levels", ARRAY_I64),
    FACT("condition_number", ARRAY_F64),   FACT("converged", ARRAY_BOOL),     FACT("df_model", ARRAY_F64),
    FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("duality_gap", ARRAY_F64),    FACT("iterations", ARRAY_I64),
    FACT("lambda", ARRAY_F64),             FACT("lambda_1se", ARRAY_F64),     FACT("lambda_max", ARRAY_F64),
    FACT("lambda_min", ARRAY_F64),         FACT("log_likelihood", ARRAY_F64), FACT("objective", ARRAY_F64),
    FACT("orthogonal_rss", ARRAY_F64),     FACT("penalty", ARRAY_F64),        FACT("rss", ARRAY_F64),
    FACT("tss", ARRAY_F64),                FACT("within_tss", ARRAY_F64)};

const ArrayTable linear_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_model_arrays), FACT_TABLE(linear_facts));
