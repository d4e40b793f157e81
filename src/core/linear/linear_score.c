/*
 * linear_score.c - scores and prediction intervals of linear models, and the check that makes them safe.
 *
 * Scores read the flat value in place: no preparation, no allocation, one fixed order of summation.
 */
#include "core/math/special_functions.h"
#include "core/estimator/dropped_terms.h"
#include "core/estimator/explanation.h"
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"
#include "core/linear/linear_path.h"

#include <math.h>
#include <string.h>

static double linear_predict(const Model *model, const void *prepared, const double *slots)
{
    LinearView view = linear_view_of_score(linear_score_array(model), model->slot_count);

    (void)prepared;
    return linear_view_score(&view, 0, slots);
}

/* Returns x - mean of a term of an encoded row. */
static double term_value(const int64_t *slot, const int64_t *level, const double *means, uint32_t t,
                         const double *slots)
{
    double x;

    if (slot == NULL)
        x = slots[t];
    else if (level[t] < 0)
        x = slots[slot[t]];
    else
        x = slots[slot[t]] == (double)level[t];
    return x - means[t];
}

/*
 * Returns fit -+ t sqrt(sigma^2 + variance of the fit); the variance is computed about the means of the training rows.
 */
static PredictionInterval linear_interval(Env *env, const Model *model, const double *slots,
                                          double level)
{
    double fit = linear_predict(model, NULL, slots);
    PredictionInterval interval = {fit, NAN, NAN};
    double sigma = linear_sigma(model), df = linear_df_residual(model);
    uint32_t length, terms = linear_terms(model), first;
    const double *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);
    const double *means = model_f64(model, "means", &length);
    const int64_t *term_slot = model_i64(model, "column_slot", &length);
    const int64_t *term_level = model_i64(model, "column_level", &length);
    double variance, half, *x;

    if (covariance == NULL || !(sigma >= 0) || !(df > 0))
        return interval;
    if (means == NULL) /* terms are the slots */
        means = linear_score_array(model) + 3;
    first = model_find(model, "intercept") != NULL;
    variance = sigma * sigma;
    if (first && model->weight > 0)
        variance += sigma * sigma / model->weight;
    x = env_array(env, terms + 1, sizeof(double));
    for (uint32_t t = 0; t < terms; t++)
        x[t] = term_value(term_slot, term_level, means, t, slots);
    for (uint32_t i = 0; i < terms; i++) {
        const double *column = covariance + factor_packed(i + first) + first;
        double sum = 0;
        for (uint32_t j = 0; j < i; j++)
            sum += column[j] * x[j];
        variance += x[i] * (2 * sum + column[i] * x[i]);
    }
    env->release(env, x);
    half = t_critical(level, df) * sqrt(fmax(0, variance));
    interval.lower = fit - half;
    interval.upper = fit + half;
    return interval;
}

static uint32_t linear_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                               Explanation **out)
{
    LinearView view = linear_view_of_score(linear_score_array(model), model->slot_count);
    ExplanationList list = explanation_list(env, model, slots, 1);

    (void)prepared;
    explanation_base(&list, NULL, *view.offset);
    linear_view_explain(&view, 0, slots, &list);
    *out = list.lines;
    return list.count;
}

const Scoring linear_scoring = {
    .predict = linear_predict, .interval = linear_interval, .explain = linear_explain};

/* A whole number in [0, limit)? */
static bool is_index(double value, uint32_t limit)
{
    return value >= 0 && value < limit && value == floor(value);
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Facts are those that a fit stores: what follows from them is nowhere else. */
static const char *check_entries(const Model *model)
{
    static const char *const arrays[] = {
        "coef",        "column_level", "column_slot", "covariance" MODEL_PACKED, "dropped",
        "intercept",   "means",        "score",       "path_lambda",             "path_nonzero",
        "path_coef",   "path_facts",   "cv_error",    "path_criterion",          "path_intercept",
        "cv_fold",     "cv_weight",    NULL};
    static const char *const facts[] = {
        "condition_number", "df_model",   "duality_gap", "lambda",  "lambda_1se",     "lambda_max",
        "lambda_min",       "objective",  "penalty",     "rss",     "log_likelihood", "orthogonal_rss",
        "tss",              NULL};
    const ModelEntry *entry = model_entries(model);

    for (uint32_t i = 0; i < model->entry_count; i++, entry++) {
        if (entry->section == SECTION_ARRAYS && !is_one_of(entry->name, arrays))
            return "a linear model with an array that does not belong to it";
        if (entry->section != SECTION_FACTS)
            continue;
        if (strcmp(entry->name, "dropped_terms") == 0) {
            if (!dropped_is_sound(entry))
                return "fact \"dropped_terms\" of a linear model is not a list of names";
        } else if (strcmp(entry->name, "converged") == 0 || strcmp(entry->name, "iterations") == 0) {
            if (entry->type != (entry->name[0] == 'c' ? ARRAY_BOOL : ARRAY_I64) || entry->rows != 1)
                return "what a linear model says of its iterations is of the wrong type";
        } else if (!is_one_of(entry->name, facts)) {
            return "a linear model with a fact that does not belong to it";
        } else if (entry->type != ARRAY_F64 || entry->dimensions != 1 || entry->rows != 1) {
            return "a fact of a linear model is not a number";
        }
    }
    return NULL;
}

static const char *check_score(const Model *model)
{
    uint32_t slots = model->slot_count, levels = dictionary_size(model, DICTIONARY_LEVELS);
    uint32_t length, categorical = 0;
    const double *score = model_f64(model, "score", &length), *list;
    const char *last = model_entries(model)[model->entry_count - 1].name;

    for (uint32_t f = 0; f < model->field_count; f++)
        if (schema_field_kind(model, f) == FIELD_CATEGORICAL)
            categorical += schema_field_width(model, f);
    if (score == NULL || strcmp(last, "score") != 0)
        return "a linear model without its array \"score\"";
    if (length != 3 + 2 * (uint64_t)slots + levels + categorical || !all_finite(score, length) ||
        score[1] != levels || score[2] != categorical)
        return "array \"score\" of a linear model does not fit its features";
    list = score + 3 + 2 * (size_t)slots + levels;
    for (uint32_t c = 0; c < categorical; c++)
        if (!is_index(list[c], slots))
            return "array \"score\" of a linear model names a feature that is not there";
    return NULL;
}

/* Does every term say of its place in "score" what stands there, and is nothing else there? */
static bool terms_agree(const Model *model, const double *score)
{
    uint32_t length, terms, slots = model->slot_count, places = slots + (uint32_t)score[1], left = 0;
    const double *coef = model_f64(model, "coef", &terms), *means = model_f64(model, "means", &length);
    const int64_t *slot = model_i64(model, "column_slot", &length), *level = model_i64(model, "column_level", &length);
    const ModelEntry *entry = model_find(model, "dropped");
    const uint8_t *dropped = entry != NULL ? model_data(model, entry) : NULL;
    const double *center = score + 3, *stored = center + slots; /* of the slots, and behind them of the levels */

    for (uint32_t p = 0; p < places; p++)
        left += stored[p] != 0;
    for (uint32_t t = 0; t < terms; t++) {
        size_t own = slot == NULL ? t : level[t] < 0 ? (size_t)slot[t] : (size_t)slots + (size_t)level[t];

        if (stored[own] != coef[t] || (own < slots && means != NULL && center[own] != means[t]) ||
            (dropped != NULL && dropped[t] && coef[t] != 0))
            return false;
        left -= coef[t] != 0;
    }
    return left == 0;
}

/* The list of categorical slots at the end of "score". */
static bool categories_agree(const Model *model, const double *list)
{
    uint32_t slot = 0;

    for (uint32_t f = 0; f < model->field_count; f++) {
        uint32_t width = schema_field_width(model, f);
        for (uint32_t i = 0; i < width; i++, slot++)
            if (schema_field_kind(model, f) == FIELD_CATEGORICAL && *list++ != slot)
                return false;
    }
    return true;
}

const char *linear_accept(Env *env, const Model *model)
{
    uint32_t length, slots = model->slot_count;
    const double *score = model_f64(model, "score", &length), *intercept = model_f64(model, "intercept", &length);

    (void)env;
    if (!terms_agree(model, score))
        return "array \"score\" of a linear model contradicts \"coef\" or \"means\"";
    if ((intercept != NULL ? *intercept : 0) != (intercept != NULL ? linear_score_intercept(score, slots) : score[0]))
        return "array \"score\" of a linear model contradicts \"intercept\"";
    if (!categories_agree(model, score + 3 + 2 * (size_t)slots + (uint32_t)score[1]))
        return "array \"score\" of a linear model does not list its categorical features";
    return NULL;
}

const char *linear_check(Env *env, const Model *model)
{
    const ModelEntry *coef = model_find(model, "coef"), *means = model_find(model, "means");
    const ModelEntry *dropped = model_find(model, "dropped");
    const ModelEntry *covariance = model_find(model, "covariance" MODEL_PACKED);
    const char *wrong = check_entries(model);
    uint32_t terms, length, levels = dictionary_size(model, DICTIONARY_LEVELS);
    const double *numbers;
    const int64_t *slot, *level;
    bool intercept;

    (void)env;
    if (wrong != NULL)
        return wrong;
    if (coef == NULL || coef->type != ARRAY_F64 || coef->dimensions != 1 ||
        coef->section != SECTION_ARRAYS)
        return "a linear model without coefficients";
    terms = coef->rows;
    if (!all_finite(model_data(model, coef), terms))
        return "a coefficient is not finite";
    intercept = model_find(model, "intercept") != NULL;
    numbers = model_f64(model, "intercept", &length);
    if (intercept && (numbers == NULL || length != 1 || !isfinite(*numbers)))
        return "the intercept of a linear model is not a number";
    if (dropped != NULL && (dropped->type != ARRAY_BOOL || dropped->rows != terms))
        return "array \"dropped\" of a linear model does not fit its terms";
    if (covariance != NULL) {
        size_t count = factor_packed((size_t)terms + intercept);
        if (covariance->type != ARRAY_F64 || covariance->dimensions != 1 || covariance->rows != count ||
            !all_finite(model_data(model, covariance), count))
            return "array \"covariance_packed\" of a linear model does not fit its terms";
    }
    slot = model_i64(model, "column_slot", &length);
    if (slot != NULL && length != terms)
        return "array \"column_slot\" of a linear model does not fit its terms";
    level = model_i64(model, "column_level", &length);
    if ((slot == NULL) != (level == NULL) || (level != NULL && length != terms))
        return "array \"column_level\" of a linear model does not fit its terms";
    if ((means != NULL) != (slot != NULL) ||
        (means != NULL && (means->type != ARRAY_F64 || means->dimensions != 1 || means->rows != terms ||
                           !all_finite(model_data(model, means), terms))))
        return "array \"means\" of a linear model does not fit its terms";
    if (slot == NULL && terms != model->slot_count)
        return "the terms of a linear model do not fit its features";
    for (uint32_t t = 0; slot != NULL && t < terms; t++)
        if (slot[t] < 0 || slot[t] >= model->slot_count || level[t] < -1 ||
            (level[t] >= 0 && level[t] >= levels))
            return "a term of a linear model names a feature or level that is not there";
    if ((model_find(model, "column_slot") != NULL) != (slot != NULL) ||
        (model_find(model, "column_level") != NULL) != (level != NULL))
        return "the terms of a linear model are of the wrong type";
    wrong = linear_path_check(model);
    return wrong != NULL ? wrong : check_score(model);
}
