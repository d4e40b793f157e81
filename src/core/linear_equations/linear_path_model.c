/*
 * linear_path_model.c - the path that a model keeps: checking it, reading it, extracting the model of one lambda.
 */
#include "core/base/json.h"
#include "core/linear_equations/linear_path_model.h"

#include <math.h>
#include <string.h>

/* ---- the arrays ---- */

const ArraySpec path_fold_arrays[4] = {
    PATH_ARRAY("cv_error", ARRAY_WITH, "cv_fold", .columns = {SIZE_FOLDS}),
    {.name = "cv_fold",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .other = "path_lambda",
     .rows = {SIZE_FOLDS, .defines = true}},
    {.name = "cv_weight", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "cv_fold", .rows = {SIZE_FOLDS}},
    PATH_ARRAY("path_nonzero", ARRAY_WITH, "path_lambda", .values = VALUES_NONNEGATIVE)};

static const ArraySpec path_arrays[] = {
    PATH_ARRAY("path_coef", ARRAY_WITH, "path_facts", .columns = {SIZE_SLOTS, .other = SIZE_LEVELS}),
    PATH_ARRAY("path_criterion", ARRAY_OPTIONAL, "path_lambda", ),
    PATH_ARRAY("path_facts", ARRAY_OPTIONAL, "path_lambda", .columns = {SIZE_NUMBER, .plus = PATH_FACTS}),
    PATH_ARRAY("path_intercept", ARRAY_OPTIONAL, "path_facts", ),
    {.name = "path_lambda", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_LAMBDAS, .defines = true}}};

const ArrayTable linear_path_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_model_arrays), ARRAY_TABLE(path_arrays), ARRAY_TABLE(path_fold_arrays),
                 FACT_TABLE(linear_facts));

const char *path_nonzero_check(Env *env, const Model *model, uint32_t coefficients)
{
    uint32_t count = 0;
    const double *nonzero = model_f64(model, "path_nonzero", &count);

    for (uint32_t l = 0; nonzero != NULL && l < count; l++)
        if (nonzero[l] > coefficients)
            return env_message(env, "\"path_nonzero\" of %.31s counts %g of %u coefficients", model->estimator, nonzero[l],
                               coefficients);
    return NULL;
}

const char *linear_path_check(Env *env, const Model *model)
{
    bool kept = model_find(model, "path_facts") != NULL, intercept = model_find(model, "intercept") != NULL;
    const char *wrong;

    if ((model_find(model, "path_intercept") != NULL) != (kept && intercept))
        return env_message(env, "%.31s has intercepts of a path without coefficients, or the reverse", model->estimator);
    wrong = path_nonzero_check(env, model, linear_term_count(model));
    return wrong != NULL ? wrong : linear_equation_check(env, model);
}

/* ---- facts ---- */

static uint32_t count_nonzero(const Model *model)
{
    uint32_t columns, nonzero = 0;
    const double *coef = model_f64(model, "coef", &columns);

    for (uint32_t c = 0; c < columns; c++)
        nonzero += coef[c] != 0;
    return nonzero;
}

Model *linear_path_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = linear_statistics_begin(env, model);
    double df = model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL);
    builder_fact_finite(builder, "effective_df", df);
    builder_fact_i64(builder, "nonzero", count_nonzero(model));
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
    return folds > 0 ? mean : NAN;
}

void path_choose_by_folds(const double *lambdas, uint32_t count, const double *errors, uint32_t folds, double *minimum, double *one_se)
{
    double least = INFINITY, allowed = INFINITY, error;

    for (uint32_t l = 0; l < count; l++) {
        double mean = path_fold_mean(errors + (size_t)l * folds, folds, &error);

        if (mean < least) {
            least = mean;
            allowed = mean + error;
            *minimum = lambdas[l];
        }
    }
    for (uint32_t l = count; l-- > 0;)
        if (path_fold_mean(errors + (size_t)l * folds, folds, &error) <= allowed)
            *one_se = lambdas[l];
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
                       .criterion = NAN,
                       .penalty = NAN};
    uint32_t count, length;
    const ModelEntry *facts = model_find(model, "path_facts");
    const double *lambdas = model_f64(model, "path_lambda", &count);
    const double *criterion = model_f64(model, "path_criterion", &length);
    const double *errors = model_f64(model, "cv_error", &length);
    const double *weights = model_f64(model, "cv_weight", &line.folds);

    if (lambdas == NULL) {
        line.nonzero = count_nonzero(model);
        line.penalty = model_fact(model, "penalty", NAN);
        return line;
    }
    line.chosen = lambdas[at] == line.lambda;
    line.lambda = lambdas[at];
    line.nonzero = (int64_t)model_f64(model, "path_nonzero", &length)[at];
    if (facts != NULL)
        line.penalty = ((const double *)model_data(model, facts))[(size_t)at * facts->columns + PATH_PENALTY];
    else if (line.chosen)
        line.penalty = model_fact(model, "penalty", NAN);
    if (criterion != NULL)
        line.criterion = criterion[at];
    if (errors != NULL) {
        line.fold_errors = errors + (size_t)at * line.folds;
        line.mean_error = path_fold_mean(line.fold_errors, line.folds, &line.std_error);
        line.pooled_error = pooled_error(&line, weights);
    }
    return line;
}

/* Tells whether leave-one-out errors chose the lambda. */
static bool leaves_out(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Options *options;

    if (estimator == NULL || model_find(model, "path_criterion") == NULL)
        return false;
    options = estimator_options(env, estimator, model);
    return options_has(options, "lambda") && options_keep_rows(options);
}

/* Writes the budget that lambda was found for, and whether it binds. */
static void put_budget(TextBuffer *report, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    double penalty = model_fact(model, "penalty", NAN), budget;
    const Options *options;

    if (estimator == NULL || option_find(estimator->options, "penalty_budget") == NULL)
        return;
    options = estimator_options(report->env, estimator, model);
    if (!options_given(options, "penalty_budget"))
        return;
    budget = options_number(options, "penalty_budget");
    text_print(report, "penalty: %.6g, of a budget of %.6g%s\n", penalty, budget,
               penalty < budget * (1 - 1e-9) ? ", which does not bind" : "");
}

void linear_path_report(TextBuffer *report, const Model *model)
{
    Env *env = report->env;
    double lambda = linear_path_lambda(env, model);
    uint32_t count = linear_path_count(model), terms = linear_term_count(model);
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
    put_budget(report, model);
    if (line.chosen && line.folds > 0)
        text_print(report, "cross-validation: %u folds, mean squared error %.6g, its standard error %.3g\n",
                   line.folds, line.mean_error, line.std_error);
    if (line.chosen && leaves_out(env, model))
        text_print(report, "leave-one-out: mean squared error %.6g\n", line.criterion);
    if (converged != NULL && converged->type == ARRAY_BOOL && *(const uint8_t *)model_data(model, converged) == 0)
        text_print(report, "not converged\n");
}

/* ---- the model of one lambda ---- */

char *path_options_of_one(Env *env, const Model *model, double lambda, size_t *size)
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

uint32_t path_find_lambda(Env *env, const Model *model, double lambda)
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

/* Sets the offset that goes with the coefficients of another lambda. penalized: the intercept is penalized. */
static void set_offset(Env *env, const Model *model, LinearEquations *out, bool penalized, double intercept)
{
    uint32_t length, count;
    const LinearTerm *terms = linear_terms(env, model, &count);
    const double *level_means = model_f64(model, "level_means", &length);
    LinearView own;

    linear_view(model, &own);
    out->offset[0] = own.offset[0];
    for (uint32_t t = 0; t < count && level_means != NULL; t++) {
        uint32_t column = terms[t].column;

        if (terms[t].level >= 0)
            out->offset[0] += (own.coef[column] - out->coef[column]) * level_means[terms[t].level];
    }
    if (!penalized) /* else the intercept does not follow from the means */
        return;
    out->offset[0] += intercept - own.intercept[0];
    for (uint32_t t = 0; t < count && own.center != NULL; t++) {
        uint32_t column = terms[t].column;
        double mean = terms[t].level < 0 ? own.center[terms[t].slot] : level_means[terms[t].level];

        out->offset[0] += (out->coef[column] - own.coef[column]) * mean;
    }
}

/* Returns the equation at a row of the path. */
static LinearEquations equation_at(Env *env, const Model *model, uint32_t at)
{
    LinearEquations out = linear_equations(env, model, (FitTerms){0}, 1, NULL);
    const Options *options = estimator_options(env, estimator_of(model), model);
    uint32_t length, columns = out.slots + out.levels;
    const double *intercepts = model_f64(model, "path_intercept", &length), *center = model_f64(model, "center", &length);
    const ModelEntry *reference = model_find(model, "reference");

    memcpy(out.coef, model_f64(model, "path_coef", &length) + (size_t)at * columns, columns * sizeof(double));
    if (reference != NULL)
        memcpy(out.reference, model_data(model, reference), out.levels);
    if (intercepts == NULL)
        return out;
    out.center = (double *)(uintptr_t)center;
    out.offset = env_array(env, 1, sizeof(double));
    set_offset(env, model, &out,
               options_has(options, "penalize_intercept") && options_boolean(options, "penalize_intercept"),
               intercepts[at]);
    return out;
}

Model *linear_path_at(Env *env, const Model *model, double lambda)
{
    uint32_t length, at = path_find_lambda(env, model, lambda);
    const double *facts = model_f64(model, "path_facts", &length) + (size_t)at * PATH_FACTS;
    const double *impute = model_f64(model, "impute", &length);
    double own = model_f64(model, "path_lambda", &length)[at], weight;
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    Model *header = builder_header(builder);
    const Options *options = estimator_options(env, estimator_of(model), model);
    LinearEquations equation = equation_at(env, model, at);
    const double *level_means;
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
    json = path_options_of_one(env, model, own, &size);
    builder_options(builder, json, (uint32_t)size);
    weight = options_is(options, "reduction", "mean") ? model->weight : 1;
    builder_fact(builder, "rss", facts[0]);
    builder_fact(builder, "tss", model_fact(model, "tss", NAN));
    builder_fact(builder, "df_model", facts[2]);
    builder_fact(builder, "penalty", facts[1]);
    builder_fact(builder, "objective", facts[0] + own * weight * facts[1]);
    linear_equations_add(builder, &equation);
    level_means = model_f64(model, "level_means", &length);
    if (level_means != NULL)
        builder_f64(builder, SECTION_ARRAYS, "level_means", level_means, length);
    return model_require_readable(env, model_build(builder));
}
