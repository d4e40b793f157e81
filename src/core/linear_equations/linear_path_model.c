/*
 * linear_path_model.c - the path that a linear or logistic model keeps: checking it, its tables, the model of one lambda.
 */
#include "core/base/json.h"
#include "core/estimator/class_options.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/linear_equations/link_function.h"

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

uint32_t linear_path_count(const Model *model)
{
    const ModelEntry *lambdas = model_find(model, "path_lambda");

    return lambdas != NULL ? lambdas->rows : 1;
}

double path_fold_mean(const double *errors, uint32_t folds, double *std_error)
{
    double mean = 0, largest = 0, squares = 0;
    int exponent;

    for (uint32_t k = 0; k < folds; k++)
        mean += errors[k] / folds;
    for (uint32_t k = 0; k < folds; k++)
        largest = fmax(largest, fabs(errors[k] - mean));
    (void)frexp(largest, &exponent); /* errors are squares themselves: theirs may be out of range */
    for (uint32_t k = 0; k < folds; k++) {
        double deviation = ldexp(errors[k] - mean, -exponent);

        squares += deviation * deviation;
    }
    *std_error = folds > 1 ? ldexp(sqrt(squares / (folds - 1) / folds), exponent) : NAN;
    return folds > 0 ? mean : NAN;
}

void path_folds_choose(PathFolds *folds, const double *lambdas, uint32_t count)
{
    double least = INFINITY, allowed = INFINITY, error;

    for (uint32_t l = 0; l < count; l++) {
        double mean = path_fold_mean(folds->errors + (size_t)l * folds->count, folds->count, &error);

        if (mean < least) {
            least = mean;
            allowed = mean + error;
            folds->minimum = lambdas[l];
        }
    }
    for (uint32_t l = count; l-- > 0;)
        if (path_fold_mean(folds->errors + (size_t)l * folds->count, folds->count, &error) <= allowed)
            folds->one_se = lambdas[l];
}

void path_folds_add(ModelBuilder *builder, const PathFolds *folds, uint32_t lambdas)
{
    if (folds->count == 0)
        return;
    builder_fact_finite(builder, "lambda_min", folds->minimum);
    builder_fact_finite(builder, "lambda_1se", folds->one_se);
    builder_f64_matrix(builder, SECTION_ARRAYS, "cv_error", folds->errors, lambdas, folds->count);
    builder_f64(builder, SECTION_ARRAYS, "cv_fold", folds->labels, folds->count);
    builder_f64(builder, SECTION_ARRAYS, "cv_weight", folds->weights, folds->count);
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
        text_print(report, "cross-validation: %u folds, mean %s %.6g, its standard error %.3g\n",
                   line.folds, link_of_model(model).function != NULL ? "loss" : "squared error", line.mean_error, line.std_error);
    if (line.chosen && leaves_out(env, model))
        text_print(report, "leave-one-out: mean squared error %.6g\n", line.criterion);
    if (converged != NULL && converged->type == ARRAY_BOOL && *(const uint8_t *)model_data(model, converged) == 0)
        text_print(report, "not converged\n");
}

/* ---- lambda_path: one row per lambda ---- */

static void *open_lambdas(Env *env, const Model *model, uint64_t *rows)
{
    *rows = linear_path_count(model);
    return NULL;
}

static bool lambda_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    LambdaLine line = linear_path_line(env, model, (uint32_t)i);

    cell_number(&cells[0], line.lambda);
    cell_integer(&cells[1], line.chosen);
    cell_integer(&cells[2], line.nonzero);
    cell_number(&cells[3], line.mean_error);
    cell_number(&cells[4], line.std_error);
    cell_number(&cells[5], line.pooled_error);
    if (line.folds > 0)
        cell_numbers(&cells[6], line.fold_errors, 0, line.folds);
    cell_number(&cells[7], line.criterion);
    cell_number(&cells[8], line.penalty);
    return true;
}

const Table lambda_path_table = {.name = "lambda_path", .open = open_lambdas, .row = lambda_row};

/* ---- coefficient_path: for each lambda and equation the intercept, then the terms ---- */

/* A path as stored: of regressions with intercepts, of classifiers with offsets. */
typedef struct PathReader {
    const double *lambdas, *coef, *intercepts, *offsets, *center; /* intercepts, offsets, center NULL: none */
    uint32_t count, equations, columns;
    const LinearTerm *terms;
    const char **names;    /* of the terms */
    uint32_t first, lines; /* intercepts of an equation, and all its lines */
} PathReader;

/* Opens the arrays of a path. Fails with ERROR_DATA if the model keeps none. */
static PathReader path_open(Env *env, const Model *model)
{
    PathReader path = {.equations = 1};
    const ModelEntry *coef = model_find(model, "coef");
    uint32_t length;

    if (model_find(model, "path_facts") == NULL)
        env_fail(env, ERROR_DATA,
                 "Fit it with option \"path\" or several lambdas, or with the lambda that you want; stored moments "
                 "(pgfit.moments) can be fitted with any lambda without reading the rows again.",
                 "this model of %.31s keeps no path", model->estimator);
    if (coef->dimensions == 2)
        path.equations = coef->rows;
    path.lambdas = model_f64(model, "path_lambda", &path.count);
    path.coef = model_f64(model, "path_coef", &length);
    path.columns = model_find(model, "path_coef")->columns / path.equations;
    path.intercepts = model_f64(model, "path_intercept", &length);
    path.offsets = model_f64(model, "path_offset", &length);
    path.center = model_f64(model, "center", &length);
    path.first = path.intercepts != NULL || path.offsets != NULL;
    return path;
}

static void *open_path(Env *env, const Model *model, uint64_t *rows)
{
    PathReader *reader = env_array(env, 1, sizeof *reader);
    uint32_t terms;

    *reader = path_open(env, model);
    reader->terms = linear_terms(env, model, &terms);
    reader->names = linear_term_names(env, model, reader->terms, terms);
    reader->lines = reader->first + terms;
    *rows = (uint64_t)reader->count * reader->equations * reader->lines;
    return reader;
}

static bool path_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const PathReader *path = data;
    uint64_t equation = i / path->lines; /* counted over all lambdas */
    uint32_t line = (uint32_t)(i % path->lines);
    const double *coef = path->coef + equation * path->columns;

    cell_number(&cells[0], path->lambdas[equation / path->equations]);
    cell_string(&cells[1], line < path->first ? "(intercept)" : path->names[line - path->first]);
    if (line >= path->first)
        cell_number(&cells[2], coef[path->terms[line - path->first].column]);
    else
        cell_number(&cells[2], path->intercepts != NULL ? path->intercepts[equation]
                                                        : linear_intercept(path->offsets[equation], path->center, coef, model->slot_count));
    if (path->equations > 1)
        cell_string(&cells[3], class_string(env, model, (uint32_t)(equation % path->equations)));
    return true;
}

const Table coefficient_path_table = {.name = "coefficient_path", .open = open_path, .row = path_row};

const Table *const linear_path_tables[] = {&lambda_path_table, &coefficient_path_table, NULL};

/* ---- the model of one lambda ---- */

/* Adds the options with lambda as a number and without those of a path. */
static void add_options(Env *env, const Model *model, double lambda, ModelBuilder *builder)
{
    static const char *const gone[] = {"lambda", "path",        "path_ratio", "select",
                                       "folds",  "fold_column", "seed",       NULL};
    uint32_t length;
    const char *text = model_options(model, &length);
    const Json *root = json_parse(env, text, length, ERROR_CORRUPT, "options");
    TextBuffer plain = {.env = env}, out = {.env = env};
    size_t size;
    char *one;

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
    one = text_finish(&plain, &size);
    /* keys in their order again */
    json_canonical(&out, json_parse(env, one, size, ERROR_CORRUPT, "options"));
    one = text_finish(&out, &size);
    builder_options(builder, one, (uint32_t)size);
}

/* Returns the row of the path with this lambda, up to the rounding of its decimals. Fails with ERROR_PARAMETER if there is none. */
static uint32_t find_lambda(Env *env, const PathReader *path, double lambda)
{
    const double *lambdas = path->lambdas;
    uint32_t near = 0;

    for (uint32_t l = 1; l < path->count; l++)
        if (fabs(lambdas[l] - lambda) < fabs(lambdas[near] - lambda))
            near = l;
    if (!(fabs(lambdas[near] - lambda) <= 1e-9 * fabs(lambda)))
        env_fail(env, ERROR_PARAMETER,
                 "pgfit.lambda_path(model) lists the lambdas of the path. For another one, fit again, for example "
                 "from stored moments; nothing is interpolated.",
                 "the path has no lambda %.10g, the nearest is %.10g", lambda, lambdas[near]);
    return near;
}

/* Returns the offset of a regression that goes with the coefficients of another lambda, and with this intercept. */
static double offset_at(Env *env, const Model *model, const double *coef, double intercept)
{
    uint32_t length, count;
    const LinearTerm *terms = linear_terms(env, model, &count);
    const double *level_means = model_f64(model, "level_means", &length);
    const Options *options = estimator_options(env, estimator_of(model), model);
    double offset;
    LinearView own;

    linear_view(model, &own);
    offset = own.offset[0];
    for (uint32_t t = 0; t < count && level_means != NULL; t++) {
        uint32_t column = terms[t].column;

        if (terms[t].level >= 0)
            offset += (own.coef[column] - coef[column]) * level_means[terms[t].level];
    }
    if (!options_has(options, "penalize_intercept") || !options_boolean(options, "penalize_intercept"))
        return offset;
    offset += intercept - own.intercept[0]; /* a penalized intercept does not follow from the means */
    for (uint32_t t = 0; t < count && own.center != NULL; t++) {
        uint32_t column = terms[t].column;
        double mean = terms[t].level < 0 ? own.center[terms[t].slot] : level_means[terms[t].level];

        offset += (coef[column] - own.coef[column]) * mean;
    }
    return offset;
}

/* Tells whether the model of one lambda has this entry as it is. */
static bool stays(const ModelEntry *entry)
{
    static const char *const facts[] = {"null_deviance", "parameters", "theta", "tss", NULL};
    static const char *const gone[] = {"coef", "covariance" MODEL_PACKED, "dropped", "intercept", "offset", NULL};

    if (entry->section == SECTION_FACTS)
        return model_entry_is_any(entry, facts);
    if (entry->section == SECTION_ARRAYS)
        return !model_entry_is_any(entry, gone) && strncmp(entry->name, "path_", 5) != 0 && strncmp(entry->name, "cv_", 3) != 0;
    return entry->section != SECTION_OPTIONS;
}

/* Adds the intercepts of the equations at a row of the path. */
static void add_intercepts(Env *env, const Model *model, const PathReader *path, uint32_t at, ModelBuilder *builder)
{
    double *offsets = env_array(env, 2 * (size_t)path->equations, sizeof(double)), *intercepts = offsets + path->equations;

    for (uint32_t e = 0; e < path->equations; e++) {
        size_t equation = (size_t)at * path->equations + e;
        const double *coef = path->coef + equation * path->columns;

        offsets[e] = path->offsets != NULL ? path->offsets[equation] : offset_at(env, model, coef, path->intercepts[equation]);
        intercepts[e] = path->center != NULL ? linear_intercept(offsets[e], path->center, coef, model->slot_count) : offsets[e];
    }
    builder_f64(builder, SECTION_ARRAYS, "intercept", intercepts, path->equations);
    if (path->center != NULL)
        builder_f64(builder, SECTION_ARRAYS, "offset", offsets, path->equations);
}

Model *linear_path_at(Env *env, const Model *model, double lambda)
{
    PathReader path = path_open(env, model);
    uint32_t at = find_lambda(env, &path, lambda), nonzero = 0;
    const Options *options = estimator_options(env, estimator_of(model), model);
    const ModelEntry *entry = model_find(model, "path_facts");
    const double *facts = (const double *)model_data(model, entry) + (size_t)at * entry->columns;
    const double *coef = path.coef + (size_t)at * path.equations * path.columns;
    ModelBuilder *builder = builder_from(env, model, stays);

    add_options(env, model, path.lambdas[at], builder);
    builder_fact(builder, "penalty", facts[PATH_PENALTY]);
    if (dictionary_size(model, DICTIONARY_CLASSES) > 0 || link_of_model(model).function != NULL) {
        for (size_t i = 0; i < (size_t)path.equations * path.columns; i++)
            nonzero += coef[i] != 0;
        if (link_of_model(model).function != NULL)
            builder_fact(builder, "deviance", 2 * facts[0]);
        else
            builder_fact(builder, "log_likelihood", -facts[0]);
        builder_fact(builder, "objective", facts[2]);
        builder_fact_i64(builder, "nonzero", nonzero);
    } else {
        builder_fact(builder, "rss", facts[0]);
        builder_fact(builder, "df_model", facts[2]);
        builder_fact(builder, "objective",
                     facts[0] + path.lambdas[at] * (options_is(options, "reduction", "mean") ? model->weight : 1) * facts[PATH_PENALTY]);
    }
    if (path.equations > 1)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef", coef, path.equations, path.columns);
    else
        builder_f64(builder, SECTION_ARRAYS, "coef", coef, path.columns);
    if (path.first)
        add_intercepts(env, model, &path, at, builder);
    return model_require_readable(env, model_build(builder));
}
