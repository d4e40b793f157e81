/*
 * metric_objects.c - metrics between values that the rows have as texts: metrics of texts, and functions of the host.
 *
 * A fit numbers the values in order of their bytes, so that nothing depends on the order of arrival. A model keeps those that it needs
 * in "texts", and its rows hold their positions there.
 */
#include "core/base/random.h"
#include "core/distance/metric_internal.h"
#include "core/distance/text_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE_PAIRS 64 /* on which a function is checked before the fit relies on it */

typedef struct Objects {
    MetricObjects objects;
    Env *env;
    TextList texts;
    PairFunction *function;
    const char *signature;
    double replacement; /* of infinite distances of a function */
    uint64_t infinite;  /* of them that were replaced */
    const uint32_t *ranks; /* [rank_count] the number of the text at each position of the dictionary */
    uint32_t rank_count;
} Objects;

MetricValues metric_options_values(const Options *options)
{
    MetricKind kind;

    if (!options_has(options, "metric") || options_string(options, "metric") == NULL)
        return METRIC_OF_FEATURES;
    kind = metric_find(options_string(options, "metric"));
    return kind == METRIC_FUNCTION  ? METRIC_OF_VALUES
           : kind == METRIC_HAMMING ? METRIC_OF_STRINGS
           : metric_of_texts(kind)  ? METRIC_OF_TEXTS
                                    : METRIC_OF_FEATURES;
}

/* Fails unless the rows have one feature, and it is a text. */
void metric_require_value(Env *env, const Metric *metric)
{
    const Model *schema = metric->schema;
    const char *what = metric->kind == METRIC_FUNCTION ? "the metric function" : env_message(env, "metric %s", metric_name(metric->kind));
    char name[SCHEMA_NAME_SIZE], other[SCHEMA_NAME_SIZE];
    uint32_t wrong = 0;

    if (schema_field_count(schema) > 1) {
        while (wrong + 1 < schema_field_count(schema) && schema_field_kind(schema, wrong) == FIELD_TEXT)
            wrong++;
        schema_field_name(schema, 0, name, sizeof name);
        schema_field_name(schema, 1, other, sizeof other);
        env_fail(env, ERROR_DATA, "Select the one to compare by option \"features\", or join several into one value.",
                 "%s of %s compares one feature, but there are \"%s\" and \"%s\"", what, metric->method, name, other);
    }
    if (schema_field_kind(schema, 0) == FIELD_TEXT)
        return;
    schema_field_name(schema, 0, name, sizeof name);
    env_fail(env, ERROR_DATA,
             schema_field_kind(schema, 0) == FIELD_CATEGORICAL ? "Name the column alone in the formula, or select it by option \"features\"."
                                                              : "Cast it to text, or use a metric of numbers.",
             "feature \"%s\" is %s, and %s of %s compares texts", name,
             field_kind_name(schema_field_kind(schema, 0)), what, metric->method);
}

/* ---- functions of the host ---- */

/* Returns a value for a message, cut where it is long. */
static const char *value_for_message(const Objects *of, double number, char *buffer, size_t size)
{
    const TextList *row = &of->env->row_texts;
    bool stored = number >= 0 && number < of->texts.count;
    uint32_t i, length, limit = (uint32_t)size - 4;
    const char *bytes;

    if (stored)
        i = (uint32_t)number;
    else if (!row_text_of(row, number, &i))
        return "?";
    bytes = stored ? of->texts.bytes[i] : row->bytes[i];
    length = stored ? of->texts.lengths[i] : row->lengths[i];
    if (length > limit) {
        for (length = limit; length > 0 && ((unsigned char)bytes[length] & 0xC0) == 0x80;)
            length--;
        snprintf(buffer, size, "%.*s...", (int)length, bytes);
    } else {
        snprintf(buffer, size, "%.*s", (int)length, bytes);
    }
    return buffer;
}

static void __attribute__((noreturn)) fail_value(const Objects *of, double a, double b, const char *what, const char *hint)
{
    char first[80], second[80];

    env_fail(of->env, ERROR_DATA, hint, "metric function %s returned %s for '%s' and '%s'", of->signature, what,
             value_for_message(of, a, first, sizeof first), value_for_message(of, b, second, sizeof second));
}

/* Calls the function. A MetricObjects.distances. */
static void function_distances(const MetricObjects *objects, double a, const double *others, uint32_t count, double *out)
{
    Objects *of = objects->context;
    uint32_t done = of->function->distances(of->function, a, others, count, out);
    char number[64];

    if (done < count)
        fail_value(of, a, others[done], "NULL", "Return a number; infinity for values that cannot be reached from each other.");
    for (uint32_t i = 0; i < count; i++) {
        if (!(out[i] >= 0)) {
            snprintf(number, sizeof number, "%g", out[i]);
            fail_value(of, a, others[i], isnan(out[i]) ? "NaN" : number,
                       "A distance is 0 or more; infinity for values that cannot be reached from each other.");
        }
        out[i] += 0.0; /* no -0 */
        if (isinf(out[i])) {
            of->infinite++;
            out[i] = of->replacement;
        }
    }
}

/* Fails unless the function is 0 between equal values, and symmetric, on pairs that the number of values determines. */
static void check_function(const Objects *of)
{
    uint32_t n = of->texts.count;
    uint64_t seed = n;
    char first[80], second[80];

    for (uint32_t i = 0; i < SAMPLE_PAIRS && n > 0; i++) {
        double a = i < n && n <= SAMPLE_PAIRS ? i : floor(random_unit(&seed) * n), b = floor(random_unit(&seed) * n);
        double self, there, back;

        function_distances(&of->objects, a, &a, 1, &self);
        if (self != 0)
            env_fail(of->env, ERROR_DATA, "Return 0 where both arguments are the same.",
                     "metric function %s returned %g for '%s' and itself", of->signature, self,
                     value_for_message(of, a, first, sizeof first));
        function_distances(&of->objects, a, &b, 1, &there);
        function_distances(&of->objects, b, &a, 1, &back);
        if (there != back && !(fabs(there - back) <= 1e-9 * fmax(there, back)))
            env_fail(of->env, ERROR_DATA, "Return the same for both orders, such as the mean or the larger of the two.",
                     "metric function %s is not symmetric: it returned %g for '%s' and '%s', but %g the other way round",
                     of->signature, there, value_for_message(of, a, first, sizeof first),
                     value_for_message(of, b, second, sizeof second), back);
        of->env->poll(of->env);
    }
}

/* ---- values ---- */

/* Makes the metric compare these values. */
static void set_values(Env *env, Metric *metric, Objects *of, const char *method)
{
    of->env = env;
    of->replacement = INFINITY;
    if (metric->kind == METRIC_FUNCTION) {
        if (env->pair_function == NULL)
            env_fail(env, ERROR_PARAMETER, NULL, "there are no functions here");
        of->function = env->pair_function(env, metric->signature, method == NULL);
        of->signature = of->function->signature;
        of->function->set_values(of->function, &of->texts);
        of->objects = (MetricObjects){.distances = function_distances, .context = of};
    } else {
        of->objects = (MetricObjects){.distances = text_distances,
                                      .triangle = metric->kind != METRIC_JARO_WINKLER,
                                      .context = text_table(env, metric->kind, &of->texts, metric->prefix_weight, method)};
    }
    metric->objects = &of->objects;
    metric_derive(metric);
}

void metric_learn_objects(Env *env, Metric *metric, const Model *running)
{
    Objects *of;
    Dictionary dictionary;
    SchemaView view;
    uint32_t *ranks, *lengths, count = 0;
    const char **bytes;

    if (!metric_of_values(metric->kind))
        return;
    of = env_array(env, 1, sizeof *of);
    schema_view(running, &view);
    dictionary_open(running, &view, DICTIONARY_LEVELS, &dictionary);
    env_require_memory(env, (size_t)dictionary.size * (sizeof *ranks + sizeof *lengths + sizeof *bytes), metric->method);
    ranks = env_array(env, (size_t)dictionary.size + 1, sizeof *ranks);
    bytes = env_array_raw(env, (size_t)dictionary.size + 1, sizeof *bytes);
    lengths = env_array_raw(env, (size_t)dictionary.size + 1, sizeof *lengths);
    for (uint32_t i = 0; i < dictionary.size; i++) { /* text is the only field */
        uint32_t position = (uint32_t)dictionary.sorted[i];

        ranks[position] = count;
        bytes[count] = dictionary_string(&dictionary, position, &lengths[count]);
        count++;
    }
    of->ranks = ranks;
    of->rank_count = dictionary.size;
    of->texts = (TextList){count, bytes, lengths};
    set_values(env, metric, of, metric->method);
    metric->signature = of->signature;
    if (metric->kind == METRIC_FUNCTION)
        check_function(of);
}

void metric_replace_infinite(const Metric *metric, double replacement)
{
    Objects *of = metric->kind == METRIC_FUNCTION ? metric->objects->context : NULL;

    if (of != NULL) {
        of->replacement = replacement;
        of->infinite = 0;
    }
}

uint64_t metric_infinite(const Metric *metric)
{
    return metric->kind == METRIC_FUNCTION ? ((const Objects *)metric->objects->context)->infinite : 0;
}

void metric_number_objects(const Metric *metric, double *slots, size_t count)
{
    const Objects *of = (const Objects *)metric->objects; /* its first member */

    if (!metric_of_values(metric->kind))
        return;
    for (size_t i = 0; i < count; i++)
        slots[i] = of->ranks[(uint32_t)slots[i]];
}

/* ---- models ---- */

void metric_write_objects(Env *env, const Metric *metric, ModelBuilder *builder, double *numbers, uint32_t count)
{
    const Objects *of = (const Objects *)metric->objects; /* its first member */
    uint32_t *renumbered, *lengths, kept = 0;
    const char **bytes;

    if (!metric_of_values(metric->kind))
        return;
    renumbered = env_array(env, (size_t)of->texts.count + 1, sizeof *renumbered); /* new number + 1; 0: not used */
    bytes = env_array_raw(env, (size_t)of->texts.count + 1, sizeof *bytes);
    lengths = env_array_raw(env, (size_t)of->texts.count + 1, sizeof *lengths);
    for (uint32_t i = 0; i < count; i++)
        renumbered[(uint32_t)numbers[i]] = 1;
    for (uint32_t i = 0; i < of->texts.count; i++)
        if (renumbered[i] > 0) {
            bytes[kept] = of->texts.bytes[i];
            lengths[kept] = of->texts.lengths[i];
            renumbered[i] = ++kept;
        }
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = renumbered[(uint32_t)numbers[i]] - 1;
    builder_text(builder, SECTION_ARRAYS, "texts", bytes, lengths, kept);
}

const char *metric_check_objects(const Model *model, const double *numbers, size_t count)
{
    const ModelEntry *texts = model_find(model, "texts");

    for (size_t i = 0; texts != NULL && i < count; i++)
        if (!(numbers[i] >= 0 && numbers[i] < texts->rows && numbers[i] == floor(numbers[i])))
            return "a row of the model refers to no text";
    return NULL;
}

const char *metric_check_array(const Model *model, const char *array)
{
    const ModelEntry *entry = model_find(model, array);
    const double *numbers = model_f64(model, array, NULL);

    return numbers != NULL ? metric_check_objects(model, numbers, (size_t)entry->rows * entry->columns) : NULL;
}

Metric *metric_open(Env *env, const Model *model)
{
    const ModelEntry *texts = model_find(model, "texts");
    const char *wrong, **bytes;
    uint32_t *lengths;
    Metric *metric;
    Objects *of;

    wrong = metric_read(env, model, &metric);
    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "a stored model is damaged: %s", wrong);
    if (metric->kind == METRIC_GIVEN)
        env_fail(env, ERROR_KIND, "Read what it found for the objects themselves, for example by members(model).",
                 "the model of %.31s was fitted to given distances, which new rows do not have", model->estimator);
    if (!metric_of_values(metric->kind))
        return metric;
    of = env_array(env, 1, sizeof *of);
    bytes = env_array_raw(env, (size_t)texts->rows + 1, sizeof *bytes);
    lengths = env_array_raw(env, (size_t)texts->rows + 1, sizeof *lengths);
    for (uint32_t i = 0; i < texts->rows; i++)
        bytes[i] = model_text(model, texts, i, &lengths[i]);
    of->texts = (TextList){texts->rows, bytes, lengths};
    set_values(env, metric, of, NULL);
    return metric;
}
