/*
 * linear_path_model.c - the path that a model keeps: checking it, reading it, extracting the model of one lambda.
 */
#include "core/base/json.h"
#include "core/linear/linear_path.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

#define PATH_FACTS 4

/* ---- the check ---- */

const char *linear_path_check(const Model *model)
{
    static const char *const alone[] = {"path_nonzero", "path_criterion", "path_coef", "path_intercept",
                                        "path_facts", "cv_error", "cv_fold", "cv_weight", NULL};
    const ModelEntry *lambdas = model_find(model, "path_lambda"), *folds = model_find(model, "cv_fold");
    const ModelEntry *entry;
    uint32_t terms = linear_terms(model), count, fold_count = folds != NULL ? folds->rows : 0;
    bool intercept = model_find(model, "intercept") != NULL, kept = model_find(model, "path_facts") != NULL;
    struct {
        const char *name;
        uint32_t rows, columns;
        bool wanted, known; /* known: is it settled whether it is wanted? */
    } shapes[] = {{"path_nonzero", 0, 0, true, true},
                  {"path_criterion", 0, 0, false, false},
                  {"path_coef", 0, terms, kept && terms > 0, true},
                  {"path_intercept", 0, 0, kept && intercept, true},
                  {"path_facts", 0, PATH_FACTS, kept, true},
                  {"cv_error", 0, fold_count, folds != NULL, true},
                  {"cv_fold", fold_count, 0, folds != NULL, true},
                  {"cv_weight", fold_count, 0, folds != NULL, true}};

    if (lambdas == NULL) {
        for (size_t i = 0; alone[i] != NULL; i++)
            if (model_find(model, alone[i]) != NULL)
                return "a linear model with a path of no lambdas";
        return NULL;
    }
    count = lambdas->rows;
    if (count == 0 || !array_is_finite(model, lambdas->name, count, 0) || (folds != NULL && fold_count == 0))
        return "array \"path_lambda\" of a linear model is no list of numbers";
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        entry = model_find(model, shapes[i].name);
        if (entry == NULL && !(shapes[i].known && shapes[i].wanted))
            continue;
        if (entry == NULL || (shapes[i].known && !shapes[i].wanted) ||
            !array_is_finite(model, entry->name, shapes[i].rows > 0 ? shapes[i].rows : count, shapes[i].columns))
            return "an array of the path of a linear model does not fit the others";
    }
    for (uint32_t l = 0; l < count; l++) {
        uint32_t length;
        double nonzero = model_f64(model, "path_nonzero", &length)[l];
        if (!(nonzero >= 0 && nonzero <= terms))
            return "array \"path_nonzero\" of a linear model counts more than there is";
    }
    return NULL;
}

/* ---- facts ---- */

Model *linear_path_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = linear_statistics_begin(env, model);
    double df = model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL);
    uint32_t terms, nonzero = 0;
    const double *coef = model_f64(model, "coef", &terms);

    if (isfinite(df))
        builder_fact(builder, "effective_df", df);
    for (uint32_t t = 0; t < terms; t++)
        nonzero += coef[t] != 0;
    builder_fact_i64(builder, "nonzero", nonzero);
    return model_build(builder);
}

double linear_path_lambda(Env *env, const Model *model)
{
    double lambda = model_fact(model, "lambda", NAN);
    const Estimator *estimator = estimator_of(model);
    const Options *options;

    if (!isnan(lambda) || estimator == NULL)
        return lambda;
    options = estimator_options(env, estimator, model);
    return options_has(options, "lambda") ? options_number(options, "lambda") : NAN;
}

void linear_path_require(Env *env, const Model *model)
{
    if (model_find(model, "path_facts") == NULL)
        env_fail(env, ERROR_DATA,
                 "Fit it with option \"path\" or several lambdas, or with the lambda that you want; stored moments "
                 "(pgfit.moments) can be fitted with any lambda without reading the rows again.",
                 "this model of %.31s keeps no path", model->estimator);
}

uint32_t linear_path_count(const Model *model)
{
    const ModelEntry *lambdas = model_find(model, "path_lambda");

    return lambdas != NULL ? lambdas->rows : 1;
}

double path_fold_mean(const double *errors, uint32_t folds, double *std_error)
{
    double mean = 0, squares = 0;

    for (uint32_t k = 0; k < folds; k++)
        mean += errors[k] / folds;
    for (uint32_t k = 0; k < folds; k++)
        squares += (errors[k] - mean) * (errors[k] - mean);
    *std_error = folds > 1 ? sqrt(squares / (folds - 1) / folds) : NAN;
    return mean;
}

static double pooled_error(const LambdaLine *line, const double *weights)
{
    double all = 0, pooled = 0;

    for (uint32_t k = 0; k < line->folds; k++)
        all += weights[k];
    for (uint32_t k = 0; k < line->folds; k++)
        pooled += line->fold_errors[k] * (weights[k] / all);
    return pooled;
}

LambdaLine linear_path_line(Env *env, const Model *model, uint32_t at)
{
    LambdaLine line = {.lambda = linear_path_lambda(env, model),
                       .chosen = true,
                       .mean_error = NAN,
                       .std_error = NAN,
                       .pooled_error = NAN,
                       .criterion = NAN};
    uint32_t count, length, terms;
    const double *lambdas = model_f64(model, "path_lambda", &count);
    const double *criterion = model_f64(model, "path_criterion", &length);
    const double *errors = model_f64(model, "cv_error", &length);
    const double *weights = model_f64(model, "cv_weight", &line.folds);
    const double *coef = model_f64(model, "coef", &terms);

    for (uint32_t t = 0; lambdas == NULL && t < terms; t++)
        line.nonzero += coef[t] != 0;
    if (lambdas == NULL)
        return line;
    line.chosen = lambdas[at] == line.lambda;
    line.lambda = lambdas[at];
    line.nonzero = (int64_t)model_f64(model, "path_nonzero", &length)[at];
    if (criterion != NULL)
        line.criterion = criterion[at];
    if (errors != NULL) {
        line.fold_errors = errors + (size_t)at * line.folds;
        line.mean_error = path_fold_mean(line.fold_errors, line.folds, &line.std_error);
        line.pooled_error = pooled_error(&line, weights);
    }
    return line;
}

/* Was the lambda chosen by leave-one-out errors? */
static bool leaves_out(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Options *options;

    if (estimator == NULL || model_find(model, "path_criterion") == NULL)
        return false;
    options = estimator_options(env, estimator, model);
    return options_has(options, "lambda") && options_keep_rows(options);
}

void linear_path_report(TextBuffer *report, const Model *model)
{
    Env *env = report->env;
    double lambda = linear_path_lambda(env, model);
    uint32_t count = linear_path_count(model), terms = linear_terms(model);
    const ModelEntry *converged = model_find(model, "converged");
    LambdaLine line;

    if (isnan(lambda))
        return;
    line = linear_path_line(env, model, 0);
    for (uint32_t l = 1; l < count && !line.chosen; l++)
        line = linear_path_line(env, model, l);
    if (line.chosen) {
        text_print(report, "lambda: %.6g", lambda);
        if (count > 1)
            text_print(report, ", chosen from %u", count);
        text_print(report, "; %lld of %u coefficients are not 0\n", (long long)line.nonzero, terms);
    }
    if (line.chosen && line.folds > 0)
        text_print(report, "cross-validation: %u folds, mean squared error %.6g, its standard error %.3g\n",
                   line.folds, line.mean_error, line.std_error);
    if (line.chosen && leaves_out(env, model))
        text_print(report, "leaving out each row: mean squared error %.6g\n", line.criterion);
    if (converged != NULL && converged->type == ARRAY_BOOL && *(const uint8_t *)model_data(model, converged) == 0)
        text_print(report, "not converged\n");
}

/* ---- the model of one lambda ---- */

/* Returns the options with lambda as a number and without those of a path. */
static char *options_of_one(Env *env, const Model *model, double lambda, size_t *size)
{
    static const char *const gone[] = {"lambda", "path",        "path_ratio", "select",
                                       "folds",  "fold_column", "seed",       NULL};
    uint32_t length;
    const char *text = model_options(model, &length);
    const Json *root = json_parse(env, text, length, ERROR_CORRUPT, "options");
    TextBuffer plain, out;
    char *one;

    plain = (TextBuffer){.env = env};
    text_add(&plain, "{\"lambda\":");
    json_double(&plain, lambda);
    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key)) {
        size_t i = 0;
        while (gone[i] != NULL && !json_is(key, gone[i]))
            i++;
        if (gone[i] != NULL)
            continue;
        text_character(&plain, ',');
        json_quote(&plain, key->text, key->length);
        text_character(&plain, ':');
        json_canonical(&plain, json_value(key));
    }
    text_character(&plain, '}');
    one = text_finish(&plain, size);
    /* keys in their order again */
    out = (TextBuffer){.env = env};
    json_canonical(&out, json_parse(env, one, *size, ERROR_CORRUPT, "options"));
    return text_finish(&out, size);
}

/* Returns the row of the path with this lambda, up to the rounding of its decimals. */
static uint32_t find_lambda(Env *env, const Model *model, double lambda)
{
    uint32_t count, near = 0;
    const double *lambdas = model_f64(model, "path_lambda", &count);

    linear_path_require(env, model);
    for (uint32_t l = 1; l < count; l++)
        if (fabs(lambdas[l] - lambda) < fabs(lambdas[near] - lambda))
            near = l;
    if (!(fabs(lambdas[near] - lambda) <= 1e-9 * fabs(lambda)))
        env_fail(env, ERROR_PARAMETER,
                 "pgfit.lambda_path(model) lists the lambdas of the path. For another one, fit again, for example "
                 "from stored moments; nothing is interpolated.",
                 "the path has no lambda %.10g, the nearest is %.10g", lambda, lambdas[near]);
    return near;
}

/*
 * Returns the array "score" for other coefficients. intercept: of a fit with a penalized intercept; NULL: it follows
 * from the means.
 */
static double *score_at(Env *env, const Model *model, const double *coef, const double *intercept)
{
    uint32_t size, length, slots = model->slot_count, terms = linear_terms(model);
    const double *score = model_f64(model, "score", &size), *own = model_f64(model, "coef", &length);
    const double *means = model_f64(model, "means", &length);
    const int64_t *slot = model_i64(model, "column_slot", &length);
    const int64_t *level = model_i64(model, "column_level", &length);
    double *out = env_array_raw(env, size, sizeof(double)), *slopes = out + 3 + slots;

    memcpy(out, score, size * sizeof(double));
    for (uint32_t t = 0; t < terms; t++) {
        if (slot == NULL) {
            slopes[t] = coef[t];
        } else if (level[t] < 0) {
            slopes[slot[t]] = coef[t];
        } else {
            slopes[slots + level[t]] = coef[t];
            out[0] += (own[t] - coef[t]) * means[t]; /* means are 0 without an intercept */
        }
    }
    if (intercept != NULL) {
        out[0] += *intercept - *model_f64(model, "intercept", &length);
        for (uint32_t t = 0; t < terms; t++)
            out[0] += (coef[t] - own[t]) * (slot == NULL ? score[3 + t] : means[t]);
    }
    return out;
}

/* Copies the arrays that do not depend on lambda. */
static void copy_term_map(ModelBuilder *builder, const Model *model)
{
    uint32_t length;
    const double *means = model_f64(model, "means", &length);
    const int64_t *slot = model_i64(model, "column_slot", &length);
    const int64_t *level = model_i64(model, "column_level", &length);

    if (slot == NULL)
        return;
    builder_i64(builder, SECTION_ARRAYS, "column_slot", slot, length);
    builder_i64(builder, SECTION_ARRAYS, "column_level", level, length);
    builder_f64(builder, SECTION_ARRAYS, "means", means, length);
}

Model *linear_path_at(Env *env, const Model *model, double lambda)
{
    uint32_t length, score_size, terms = linear_terms(model), at = find_lambda(env, model, lambda);
    const double *coefs = model_f64(model, "path_coef", &length), *coef = coefs != NULL ? coefs + (size_t)at * terms : NULL;
    const double *facts = model_f64(model, "path_facts", &length) + (size_t)at * PATH_FACTS;
    const double *intercepts = model_f64(model, "path_intercept", &length);
    const double *impute = model_f64(model, "impute", &length);
    double own = model_f64(model, "path_lambda", &length)[at], weight, *score, intercept;
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    Model *header = builder_header(builder);
    const Estimator *estimator = estimator_of(model);
    const Options *options = estimator_options(env, estimator, model);
    bool penalized;
    size_t size;
    char *json;

    schema_add_final(env, builder, model);
    header->flags = model->flags;
    header->field_count = model->field_count;
    header->slot_count = model->slot_count;
    header->rows = model->rows;
    header->skipped = model->skipped;
    header->weight = model->weight;
    if (impute != NULL)
        builder_f64(builder, SECTION_SCHEMA, "impute", impute, model->slot_count);
    json = options_of_one(env, model, own, &size);
    builder_options(builder, json, (uint32_t)size);
    weight = options_is(options, "loss", "mean") ? model->weight : 1;
    builder_fact(builder, "rss", facts[0]);
    builder_fact(builder, "tss", model_fact(model, "tss", NAN));
    builder_fact(builder, "df_model", facts[2]);
    builder_fact(builder, "penalty", facts[1]);
    builder_fact(builder, "objective", facts[0] + own * weight * facts[1]);
    builder_f64(builder, SECTION_ARRAYS, "coef", coef, terms);
    copy_term_map(builder, model);
    penalized = intercepts != NULL && options_has(options, "penalize_intercept") &&
                options_boolean(options, "penalize_intercept");
    score = score_at(env, model, coef, penalized ? intercepts + at : NULL);
    model_f64(model, "score", &score_size);
    linear_require_score(env, score, score_size);
    builder_f64(builder, SECTION_ARRAYS, "score", score, score_size);
    if (intercepts != NULL) {
        intercept = linear_score_intercept(score, model->slot_count);
        linear_require_score(env, &intercept, 1);
        builder_f64(builder, SECTION_ARRAYS, "intercept", &intercept, 1);
    }
    return model_require_readable(env, model_build(builder));
}
