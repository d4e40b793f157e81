/*
 * tree_start.c - continues from a fitted model (option "start"): the model that fits the rows and the options.
 */
#include "core/tree_value/tree_start.h"
#include "core/estimator/shared_options.h"
#include "core/base/json.h"
#include "core/linear_equations/warm_start.h"

#include <string.h>

typedef struct StartCheck {
    Env *env;
    const char *method;
} StartCheck;

static void __attribute__((noreturn)) fail_start(const StartCheck *check, const char *hint, const char *what)
{
    env_fail(check->env, ERROR_PARAMETER, hint, "option \"start\" of %s does not fit: %s", check->method, what);
}

/* Returns the canonical text of an option; "" if it is not there. */
static char *option_text(Env *env, const Json *options, const char *name)
{
    const Json *value = json_get(options, name);
    TextBuffer out = {.env = env};

    if (value != NULL)
        json_canonical(&out, value);
    return text_finish(&out, NULL);
}

/* Fails if an option of one that is not n_trees is missing or different in the other. */
static void require_options(const StartCheck *check, const Json *one, const Json *other)
{
    Env *env = check->env;

    for (const Json *key = json_first(one); key != NULL; key = json_next(one, key)) {
        char *name = json_string(env, key);

        if (json_is(key, "n_trees") || strcmp(option_text(env, one, name), option_text(env, other, name)) == 0)
            continue;
        fail_start(check, "Give the options of the model, except n_trees.", env_message(env, "option \"%s\" differs", name));
    }
}

/* Fails unless model and rows have the same features, and both fits the same options. */
static void require_same(const StartCheck *check, const TreeStart *start, const Model *rows, const Options *options)
{
    Env *env = check->env;
    const char *difference = schema_difference(env, start->model, rows), *json;
    const Json *before, *now;
    uint32_t length;

    if (difference != NULL)
        fail_start(check, "The model and the rows must have the same features.", difference);
    json = options_used_json(options, &length);
    now = json_parse(env, json, length, ERROR_PARAMETER, "options");
    json = model_options(start->model, &length);
    before = json_parse(env, json, length, ERROR_PARAMETER, "options of the model");
    require_options(check, now, before);
    require_options(check, before, now);
    if (start->begun >= (uint32_t)options_integer(options, "n_trees"))
        fail_start(check, "Raise \"n_trees\", which counts those of the model too.",
                   env_message(env, "\"n_trees\" is %u, and it has %u already", (uint32_t)options_integer(options, "n_trees"),
                               start->begun));
}

TreeStart tree_start(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                     uint32_t (*begun)(const Model *model), ModelBuilder **builder)
{
    Model *schema = rows_schema(input->rows), *copy;
    StartCheck check = {env, self->name};
    TreeStart start = {.model = start_model(env, options, self)};

    if (start.model == NULL)
        return start;
    start.begun = begun(start.model);
    require_same(&check, &start, schema, options);
    copy = warm_start_schema(env, schema, start.model);
    if (dictionary_size(copy, DICTIONARY_CLASSES) != dictionary_size(start.model, DICTIONARY_CLASSES) ||
        dictionary_size(schema, DICTIONARY_CLASSES) != dictionary_size(start.model, DICTIONARY_CLASSES))
        fail_start(&check, "The model and the rows must have the same classes.", "the classes differ");
    if (dictionary_size(copy, DICTIONARY_LEVELS) != dictionary_size(start.model, DICTIONARY_LEVELS))
        fail_start(&check, "Fit a new model of all levels.", "the rows have a level that the model does not know");
    start.former_schema = schema;
    rows_set_schema(input->rows, copy);
    *builder = fit_begin(env, self, input, options);
    return start;
}

void tree_start_end(const TreeStart *start, Rows *rows)
{
    if (start->former_schema != NULL)
        rows_set_schema(rows, start->former_schema);
}
