/*
 * validation_options.c - the options of cross_validate, and those of the estimator inside them.
 */
#include "core/validation/cross_validation.h"

#include "core/base/json.h"
#include "core/base/text_buffer.h"
#include "core/estimator/formula_options.h"
#include "core/formula/formula.h"

#include <string.h>

static const char *const failure_choices[] = {"error", "null", NULL};

static const OptionSpec own_options[] = {
    {.name = "candidates",
     .types = OPTION_NESTED_LIST,
     .unset = "the options alone",
     .help = "Objects of numbers that replace or add to those under \"options\", each evaluated on the same folds and returned as one row: [{\"lambda\": "
             "1}, {\"lambda\": 10}]."},
    {.name = "min_probability",
     .formerly = "clip",
     .types = OPTION_NUMBER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 0.5,
     .maximum_open = true,
     .help = "For log_loss: probabilities are kept this far from 0; with 0, a class that was given probability 0 has an infinite loss."},
    {.name = "fold_column",
     .types = OPTION_STRING,
     .unset = "folds by a hash of the row",
     .help = "A column of the feature row whose integers are the folds; it is not used as a feature."},
    {.name = "folds",
     .types = OPTION_INTEGER,
     .fallback = "5",
     .minimum = 2,
     .maximum = FOLDS_MAX,
     .help = "Number of folds, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped."},
    {.name = "group_column",
     .types = OPTION_STRING,
     .unset = "each row by itself",
     .help = "A column of the feature row: rows with equal values are held out together, in folds of about the same "
             "number of rows; it is not used as a feature."},
    {.name = "test_folds",
     .formerly = "hold_out",
     .types = OPTION_INTEGER | OPTION_NUMBER_LIST,
     .minimum = -1e15,
     .maximum = 1e15,
     .unset = "all",
     .help = "The folds of fold_column that are held out in turn; rows of other folds are always fitted."},
    {.name = "metrics",
     .types = OPTION_STRING | OPTION_STRING_LIST,
     .unset = "the usual ones: rmse, mae, r_squared; accuracy, balanced_accuracy, log_loss; log_likelihood; inertia",
     .help = "The metrics to compute."},
    {.name = "on_failure",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = failure_choices,
     .help = "What to do with a group of which the rows, or those of a training part, cannot be fitted: raise an error, or return NULL "
             "and count such groups in one WARNING per query."},
    {.name = "options", .types = OPTION_NESTED, .unset = "the defaults of the estimator", .help = "The options of the estimator."},
    {.name = "positive",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "the last of two labels in their order",
     .help = "The label of the positive class, for metrics of two classes."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .help = "A different seed assigns the rows to different folds."},
    {.name = "stratified",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether each fold gets about the same share of every class."},
    {.name = "time_column",
     .types = OPTION_STRING,
     .unset = "rows have no order",
     .help = "A column of the feature row, a number, date or timestamp: each fold is predicted from the rows before it alone; it is "
             "not used as a feature."},
    {.name = NULL}};

/* The columns, for the reader of rows. */
static const OptionSpec column_options[] = {{.name = "fold_column", .types = OPTION_STRING},
                                            {.name = "group_column", .types = OPTION_STRING},
                                            {.name = "time_column", .types = OPTION_STRING},
                                            {.name = NULL}};

const OptionSpec *const cross_validate_options[] = {own_options, NULL};

/* Options of an estimator that would read a second column of each row. */
static const char *const column_readers[] = {"fold_column", "id_column", "holdout_column"};
/* Options of its standard errors, which change no score; the first two name columns. */
static const char *const of_errors[] = {"cluster", "order", "lag", "vcov"};

/* Returns the names of the estimators that have metrics: "kmeans, knn_classifier". */
static char *judged_names(Env *env)
{
    TextBuffer names = {.env = env};

    for (const Estimator *const *e = estimators; *e != NULL; e++)
        if ((*e)->fit != NULL && metric_any(*e))
            text_print(&names, "%s%s", names.length == 0 ? "" : ", ", (*e)->name);
    return text_finish(&names, NULL);
}

const Estimator *validation_estimator(Env *env, const char *name, size_t length)
{
    TextBuffer hint = {.env = env};
    const char *names[256] = {NULL}, *near;
    uint32_t count = 0;

    for (const Estimator *const *e = estimators; *e != NULL; e++) {
        if ((*e)->fit == NULL)
            continue;
        if (strlen((*e)->name) == length && memcmp((*e)->name, name, length) == 0)
            return *e;
        if (count < 256)
            names[count++] = (*e)->name;
    }
    near = nearest_method(name, length, names, count);
    if (near != NULL)
        text_print(&hint, "Did you mean \"%s\"? ", near);
    text_print(&hint, "Estimators are %s.", judged_names(env));
    env_fail(env, ERROR_PARAMETER, text_finish(&hint, NULL), "there is no estimator \"%.*s\"", (int)(length < 60 ? length : 60), name);
}

static void require_estimator_options(Env *env, const Estimator *estimator, const Options *options)
{
    for (size_t i = 0; i < sizeof(column_readers) / sizeof(column_readers[0]); i++)
        if (options_given(options, column_readers[i]))
            env_fail(env, ERROR_PARAMETER,
                     "Leave it out; folds inside a fit are assigned by a hash, and cross_validate has a \"fold_column\" of its own.",
                     "option \"%s\" of %s cannot be used inside cross_validate", column_readers[i], estimator->name);
}

/* Writes the options for the reader: the estimator's and the column of folds. head: text that comes first. */
static char *reader_json(Env *env, const ValidationOptions *options, const char *head, size_t *length)
{
    TextBuffer out = {.env = env};
    uint32_t size;
    const char *inner = options_json(options->estimator, &size);

    text_print(&out, "{%s", head);
    for (const OptionSpec *column = column_options; column->name != NULL; column++)
        if (options_given(options->judging, column->name))
            text_print(&out, "%s\"%s\":%s", out.length > 1 ? "," : "", column->name, options_value_json(options->judging, column->name));
    if (size > 2) {
        if (out.length > 1)
            text_character(&out, ',');
        text_bytes(&out, inner + 1, size - 2);
    }
    text_character(&out, '}');
    return text_finish(&out, length);
}

/* Tells whether the columns of the features are named, so that "." or a whole row takes in no others. */
static bool names_features(Env *env, const Options *options)
{
    const char *formula = options_string(options, "formula");

    return formula != NULL ? !formula_has_dot(formula_parse(env, formula, strlen(formula))) : options_given(options, "features");
}

/* Returns the options without those of standard errors. Fails where the columns that these name would become features. */
static Options *without_errors(Env *env, const Estimator *estimator, const Options *options)
{
    TextBuffer out = {.env = env};
    uint32_t size;
    const char *json = options_json(options, &size), *text;
    const Json *root = json_parse(env, json, size, ERROR_INTERNAL, "options");
    size_t length;

    for (size_t i = 0; i < 2; i++)
        if (options_given(options, of_errors[i]) && !names_features(env, options))
            env_fail(env, ERROR_PARAMETER, "Name the features in the formula, or leave \"vcov\" and its columns out, which change no score.",
                     "option \"%s\" of %s needs a formula without \".\" inside cross_validate", of_errors[i], estimator->name);
    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key)) {
        const char *name = json_string(env, key);
        bool error = false;

        for (size_t i = 0; i < sizeof(of_errors) / sizeof(of_errors[0]); i++)
            error = error || strcmp(name, of_errors[i]) == 0;
        if (!error)
            text_print(&out, "%c\"%s\":", out.length == 0 ? '{' : ',', name);
        if (!error)
            text_add(&out, options_value_json(options, name));
    }
    text_print(&out, out.length == 0 ? "{}" : "}");
    text = text_finish(&out, &length);
    return options_parse(env, estimator->name, estimator->options, text, length, NULL, NULL, 0);
}

/* Parses the options of the estimator; an intercept that the formula leaves out becomes an option. */
static Options *estimator_options_of(Env *env, const Estimator *estimator, const char *json)
{
    Options *options = options_parse(env, estimator->name, estimator->options, json, strlen(json), NULL, NULL, 0);

    if (special_column(options).absorbed > 0)
        env_fail(env, ERROR_PARAMETER, "Name the column in the formula, such as C(firm).",
                 "option \"absorb\" of %s keeps no effects of the levels, so its predictions cannot be evaluated", estimator->name);
    if (options_given(options, "vcov") || options_given(options, "cluster") || options_given(options, "order"))
        options = without_errors(env, estimator, options);
    return formula_intercept_option(env, estimator->name, estimator->options, options, formula_option(options));
}

/* Refuses options of the estimator among those of cross_validate, with the place where they belong. */
static void refuse_misplaced(Env *env, const Estimator *estimator, const Json *root)
{
    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key)) {
        const char *name = json_string(env, key);
        TextBuffer hint = {.env = env};

        if (option_find(cross_validate_options, name) != NULL || option_find(estimator->options, name) == NULL)
            continue;
        text_print(&hint, "Options of the estimator have a place of their own: {\"options\": {\"%s\": ...}}.", name);
        env_fail(env, ERROR_PARAMETER, text_finish(&hint, NULL), "cross_validate has no option \"%s\", but %s has", name,
                 estimator->name);
    }
}

/* Parses the options of cross_validate, among which those of the estimator are refused, but for a formula alone. */
static Options *own_options_of(Env *env, const Estimator *estimator, const char *json, size_t length)
{
    const char *message;
    const Json *root = json_try_parse(env, json, length, &message);
    TextBuffer nested = {.env = env};

    if (root != NULL && root->type == JSON_OBJECT) { /* else options_parse says what is wrong */
        if (root->length == 1 && json_get(root, "formula") != NULL && option_find(estimator->options, "formula") != NULL) {
            text_add(&nested, "{\"options\":");
            text_bytes(&nested, json, length);
            text_add(&nested, "}");
            json = text_finish(&nested, &length);
        } else {
            refuse_misplaced(env, estimator, root);
        }
    }
    return options_parse(env, "cross_validate", cross_validate_options, json, length, NULL, NULL, 0);
}

/* ---- candidates ---- */

/* Numbers that decide how rows are read or how moments are split. */
static const char *const not_of_fit[] = {"folds", "max_levels", "seed"};

bool validation_varies(const Estimator *estimator, const char *name)
{
    const OptionSpec *spec = option_find(estimator->options, name);

    if (spec == NULL || option_is_common(spec) || (spec->types & (OPTION_NUMBER | OPTION_INTEGER)) == 0)
        return false;
    for (size_t i = 0; i < sizeof(not_of_fit) / sizeof(not_of_fit[0]); i++)
        if (strcmp(name, not_of_fit[i]) == 0 && (estimator->input != INPUT_ROWS || i == 1))
            return false;
    return true;
}

/* Adds the numbers of a candidate. Fails for other options. */
static void add_numbers(Env *env, const Estimator *estimator, const Json *candidate, TextBuffer *out)
{
    for (const Json *key = json_first(candidate); key != NULL; key = json_next(candidate, key)) {
        const char *name = json_string(env, key);

        if (option_find(estimator->options, name) == NULL)
            env_fail(env, ERROR_PARAMETER, NULL, "the candidates have \"%s\", which is no option of %s", name, estimator->name);
        if (json_value(key)->type != JSON_NUMBER || !validation_varies(estimator, name))
            env_fail(env, ERROR_PARAMETER, "Evaluate others by a call each.", "candidates cannot differ in \"%s\": only in numbers that the fit alone reads", name);
        text_character(out, out->length > 0 ? ',' : '{');
        json_quote(out, name, strlen(name));
        text_character(out, ':');
        json_canonical(out, json_value(key));
    }
}

/* Returns the options of a candidate: its own numbers, and all others that are under "options". */
static Options *candidate_options(Env *env, const Estimator *estimator, const Json *base, const Json *candidate)
{
    TextBuffer out = {.env = env};

    add_numbers(env, estimator, candidate, &out);
    for (const Json *key = json_first(base); key != NULL; key = json_next(base, key)) {
        const char *name = json_string(env, key);

        if (json_get(candidate, name) != NULL)
            continue;
        text_character(&out, out.length > 0 ? ',' : '{');
        json_quote(&out, name, strlen(name));
        text_character(&out, ':');
        json_canonical(&out, json_value(key));
    }
    text_add(&out, out.length > 0 ? "}" : "{}");
    return estimator_options_of(env, estimator, text_finish(&out, NULL));
}

/* Reads option "candidates"; base: the JSON of "options". */
static void read_candidates(Env *env, const Estimator *estimator, const char *base, ValidationOptions *options)
{
    const char *list = options_value_json(options->judging, "candidates");
    const Json *candidates, *root;

    options->candidate_count = 1;
    if (list == NULL) {
        options->candidates = env_array(env, 1, sizeof *options->candidates);
        options->candidates[0] = options->estimator;
        return;
    }
    candidates = json_parse(env, list, strlen(list), ERROR_PARAMETER, "candidates");
    root = json_parse(env, base, strlen(base), ERROR_PARAMETER, "options");
    options->candidate_count = 0;
    for (const Json *one = json_first(candidates); one != NULL; one = json_next(candidates, one))
        options->candidate_count++;
    options->candidates = env_array(env, options->candidate_count, sizeof *options->candidates);
    options->candidate_count = 0;
    for (const Json *one = json_first(candidates); one != NULL; one = json_next(candidates, one))
        options->candidates[options->candidate_count++] = candidate_options(env, estimator, root, one);
}

ValidationOptions validation_options(Env *env, const Estimator *estimator, const char *json, size_t length)
{
    ValidationOptions options = {.judging = own_options_of(env, estimator, json, length)};
    const OptionSpec **tables;
    const char *inner, *own;
    uint32_t count = 0, own_length;
    size_t size;
    char *text;
    TextBuffer head = {.env = env};

    inner = options_type(options.judging, "options") != 0 ? options_value_json(options.judging, "options") : "{}";
    options.estimator = estimator_options_of(env, estimator, inner);
    require_estimator_options(env, estimator, options.estimator);
    read_candidates(env, estimator, inner, &options);
    (void)fold_rule(env, options.judging);
    (void)metric_plan(env, estimator, options.judging, NULL);
    while (estimator->options[count] != NULL)
        count++;
    tables = env_array(env, (size_t)count + 2, sizeof *tables);
    memcpy(tables, estimator->options, count * sizeof *tables);
    tables[count] = column_options;
    text = reader_json(env, &options, "", &size);
    options.reader = options_parse(env, estimator->name, tables, text, size, NULL, NULL, 0);
    own = options_json(options.judging, &own_length);
    text_add(&head, "\"cross_validate\":");
    text_bytes(&head, own, own_length);
    options.json = reader_json(env, &options, text_finish(&head, NULL), &size);
    options.json_length = (uint32_t)size;
    return options;
}

ValidationOptions validation_options_of(Env *env, const Estimator *estimator, const Model *schema)
{
    uint32_t length;
    const char *text = model_options(schema, &length);
    const Json *own = json_get(json_parse(env, text, length, ERROR_CORRUPT, "options"), "cross_validate");
    TextBuffer out = {.env = env};
    size_t size;

    if (own == NULL || !json_canonical(&out, own))
        env_fail(env, ERROR_INTERNAL, NULL, "rows of cross_validate without its options");
    text = text_finish(&out, &size);
    return validation_options(env, estimator, text, size);
}
