/*
 * importance.c - what permutation_importance permutes, and the metric by which.
 */
#include "core/explain/importance.h"
#include "core/explain/importance_passes.h"

#include "core/base/json.h"
#include "core/base/text_buffer.h"
#include "core/estimator/class_options.h"

#include <string.h>

static const OptionSpec own_options[] = {
    {.name = "groups",
     .types = OPTION_NESTED,
     .unset = "each column by itself",
     .help = "Columns that are permuted together, by a name for each group: {\"size\": [\"x\", \"y\"]}. A group takes the place of its columns."},
    {.name = "metric",
     .types = OPTION_STRING,
     .unset = "rmse of regressions, accuracy of classifiers, log_loss of calibrations",
     .help = "The metric, one of those of cross_validate."},
    {.name = "min_probability",
     .types = OPTION_NUMBER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 0.5,
     .maximum_open = true,
     .help = "For log_loss: probabilities are kept this far from 0; with 0, a class that was given probability 0 has an infinite loss."},
    {.name = "positive",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "that of the model",
     .help = "The positive class, for metrics of two classes."},
    {.name = "repeats", .types = OPTION_INTEGER, .fallback = "5", .minimum = 1, .maximum = 10000, .help = "How often each column is permuted."},
    {.name = "seed", .types = OPTION_INTEGER, .fallback = "0", .help = "The seed of the permutations."},
    {.name = NULL}};

const OptionSpec *const permutation_importance_options[] = {own_options, model_rows_options, NULL};

/* ---- what is permuted ---- */

static void permuted_add(Env *env, Permuted *permuted, const ModelColumn *column)
{
    uint32_t *places = env_array(env, (size_t)permuted->count + column->count + 1, sizeof(uint32_t));

    memcpy(places, permuted->places, permuted->count * sizeof(uint32_t));
    memcpy(places + permuted->count, column->places, column->count * sizeof(uint32_t));
    permuted->places = places;
    permuted->count += column->count;
}

/* Reads a group; in[c]: whether column c of the model is in one. */
static void read_group(const ModelRows *model, const Json *key, bool *in, Permuted *group)
{
    const Json *names = json_value(key);

    *group = (Permuted){.name = json_string(model->env, key), .places = env_array(model->env, 1, sizeof(uint32_t))};
    if (names->type != JSON_ARRAY || names->length == 0)
        env_fail(model->env, ERROR_PARAMETER, "List its columns: {\"size\": [\"x\", \"y\"]}.", "group \"%.60s\" of option \"groups\" is no list of columns", group->name);
    for (const Json *name = json_first(names); name != NULL; name = json_next(names, name)) {
        const ModelColumn *column;

        if (name->type != JSON_STRING)
            env_fail(model->env, ERROR_PARAMETER, "List its columns: {\"size\": [\"x\", \"y\"]}.", "group \"%.60s\" of option \"groups\" has a %s among its columns",
                     group->name, json_type_name(name));
        column = model_rows_column(model, "option \"groups\"", json_string(model->env, name));
        for (uint32_t c = 0; c < model->column_count; c++) { /* none is one number of an array */
            if (column != &model->columns[c])
                continue;
            if (in[c])
                env_fail(model->env, ERROR_PARAMETER, "Name it once.", "option \"groups\" names column \"%.60s\" twice", column->name);
            in[c] = true;
        }
        permuted_add(model->env, group, column);
    }
}

/* Returns the groups, and the columns that are in none. */
static Permuted *permuted_columns(const ModelRows *model, const Options *options, uint32_t *count)
{
    const char *text = options_type(options, "groups") != 0 ? options_value_json(options, "groups") : NULL;
    const Json *groups = text != NULL ? json_parse(model->env, text, strlen(text), ERROR_PARAMETER, "groups") : NULL;
    Permuted *list = env_array(model->env, (size_t)model->column_count + (groups != NULL ? groups->length : 0) + 1, sizeof *list);
    bool *in = env_array(model->env, (size_t)model->column_count + 1, sizeof(bool));

    *count = 0;
    for (const Json *key = groups != NULL ? json_first(groups) : NULL; key != NULL; key = json_next(groups, key))
        read_group(model, key, in, &list[(*count)++]);
    for (uint32_t c = 0; c < model->column_count; c++)
        if (!in[c])
            list[(*count)++] = (Permuted){model->columns[c].name, model->columns[c].count, model->columns[c].places};
    return list;
}

/* ---- the metric ---- */

static const char *default_metric(const Estimator *estimator)
{
    return estimator->task == TASK_REGRESSION ? "rmse" : estimator->task == TASK_CALIBRATION ? "log_loss" : "accuracy";
}

/* Adds the positive class: the option's, else that of a model of two classes. usual: whether the latter is wanted. */
static void add_positive(const ModelRows *model, const Options *options, bool usual, TextBuffer *json)
{
    const Model *last = model->scorer->model;

    if (options_type(options, "positive") != 0) {
        text_print(json, ",\"positive\":%s", options_value_json(options, "positive"));
    } else if (usual && dictionary_size(last, DICTIONARY_CLASSES) == 2) {
        const char *label = class_string(model->env, last, class_rule_of(last).positive);

        text_add(json, ",\"positive\":");
        json_quote(json, label, strlen(label));
    }
}

/* Returns what a call asks for. read: whether the rows are read, and have the classes of the model. */
static ImportanceTask task_of(const ModelRows *model, const Options *options, bool read)
{
    const char *metric = options_string(options, "metric");
    TextBuffer json = {.env = model->env};
    ImportanceTask task = {.repeats = (uint32_t)options_integer(options, "repeats"), .seed = (uint64_t)options_integer(options, "seed")};
    size_t length;

    if (metric == NULL)
        metric = default_metric(model->scorer->estimator);
    text_add(&json, "{\"metrics\":");
    json_quote(&json, metric, strlen(metric));
    text_add(&json, ",\"min_probability\":");
    json_double(&json, options_number(options, "min_probability"));
    add_positive(model, options, read, &json);
    text_character(&json, '}');
    task.judging = text_finish(&json, &length);
    task.judging_length = (uint32_t)length;
    task.list = permuted_columns(model, options, &task.count);
    return task;
}

void permutation_importance_check(const ModelRows *model, const Options *options)
{
    ImportanceTask task = task_of(model, options, false);

    (void)importance_plan(model, &task, NULL);
}

Importance *permutation_importance(const ModelRows *model, Rows *rows, const Options *options, uint32_t *count)
{
    ImportanceTask task = task_of(model, options, true);
    Importance *out = env_array(model->env, (size_t)task.count + 1, sizeof *out);

    importance_pass_all(model, rows, &task, out);
    *count = task.count;
    return out;
}
