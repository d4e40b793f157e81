/*
 * outputs.c - names the numbers that transform writes, and writes the rows that they came from.
 */
#include "core/inspection/outputs.h"
#include "core/base/hash_table.h"
#include "core/base/json.h"
#include "core/inspection/model_info.h"
#include "core/model/report_text.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

void output_field_name(TextBuffer *out, const Model *model, uint32_t field)
{
    uint32_t length;
    char buffer[16];
    const char *name = describe_field_name(model, field, buffer, &length);

    text_bytes(out, name, length);
}

void output_slot_name(TextBuffer *out, const Model *model, uint32_t slot)
{
    SchemaView view;
    uint32_t field = slot, width = 1;

    schema_view(model, &view);
    if (view.field_widths != NULL)
        for (field = 0; slot >= (width = schema_view_width(model, &view, field)); field++)
            slot -= width;
    output_field_name(out, model, field);
    if (width > 1)
        text_print(out, "[%u]", slot + 1);
}

void output_term_name(TextBuffer *out, const Model *model, uint32_t slot, int64_t level)
{
    uint32_t length;
    const char *text;

    output_slot_name(out, model, slot);
    if (level < 0)
        return;
    if (isinf(dictionary_key(model, DICTIONARY_LEVELS, (uint32_t)level))) {
        text_add(out, " IS NULL");
        return;
    }
    text = dictionary_text(model, DICTIONARY_LEVELS, (uint32_t)level, &length);
    text_character(out, '=');
    text_bytes(out, text, length);
}

/* Returns a message if two names are equal, else NULL. */
static const char *equal_names(Env *env, const Model *model, const char *const *names, uint32_t count)
{
    HashTable table = hash_table(env, 4);

    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        uint32_t hash = hash_bytes(names[i], (uint32_t)length), place, other;

        env_poll_every(env, i, 1024);
        place = hash_start(&table, hash);
        while ((other = hash_next(&table, hash, &place)) != HASH_NONE)
            if (strcmp(names[other], names[i]) == 0)
                return env_message(env, "two outputs of the model of %.31s, %u and %u, are called \"%.80s\"", model->estimator, other + 1,
                                   i + 1, names[i]);
        hash_add(env, &table, hash);
    }
    return NULL;
}

const char *const *output_names(Env *env, const Model *model, uint32_t *count, const char **wrong)
{
    const Estimator *estimator = estimator_of(model);
    const char **names, *equal;

    *count = scoring_outputs(estimator->scoring, model);
    names = env_array(env, (size_t)*count + 1, sizeof(char *));
    for (uint32_t i = 0; i < *count; i++) {
        TextBuffer name = {.env = env};

        env_poll_every(env, i, 1024);
        if (estimator->output_name != NULL)
            estimator->output_name(&name, model, i);
        else
            text_print(&name, "%s%u", estimator->name, i + 1);
        names[i] = text_finish(&name, NULL);
    }
    equal = equal_names(env, model, names, *count);
    if (equal != NULL && wrong == NULL)
        env_fail(env, ERROR_DATA, "Rename the column, and fit again.", "%s", equal);
    if (wrong != NULL)
        *wrong = equal;
    return names;
}

void output_inverse_row(TextBuffer *out, const Model *model, const double *numbers)
{
    const Estimator *estimator = estimator_of(model);
    uint32_t width;
    double *values;
    Terms terms = {0};
    static const ArrayTable tables[] = ARRAY_TABLES({term_arrays, 2, 0, false});

    if (estimator->inverse_row != NULL) {
        estimator->inverse_row(out, model, numbers);
        return;
    }
    width = estimator->scoring->inverse_width(model);
    values = env_array(out->env, (size_t)width + 1, sizeof(double));
    estimator->scoring->inverse(model, numbers, values);
    view_arrays(model, tables, &terms);
    for (uint32_t i = 0; i < width; i++) {
        TextBuffer name = {.env = out->env};
        size_t length;
        char *text;

        output_term_name(&name, model, terms.slot != NULL ? (uint32_t)terms.slot[i] : i, terms.level != NULL ? terms.level[i] : -1);
        text = text_finish(&name, &length);
        text_character(out, i == 0 ? '{' : ',');
        json_quote(out, text, length);
        text_character(out, ':');
        if (!isfinite(values[i]))
            env_fail(out->env, ERROR_RANGE, NULL, "the score is out of range of double precision");
        json_double(out, values[i]);
    }
    text_add(out, width == 0 ? "{}" : "}");
}

/* ---- rows of a model ---- */

void output_level(TextBuffer *out, const Model *model, double position)
{
    uint32_t length;
    const char *text;

    if (!(position >= 0 && position < dictionary_size(model, DICTIONARY_LEVELS)) ||
        isinf(dictionary_key(model, DICTIONARY_LEVELS, (uint32_t)position))) {
        text_add(out, "null");
        return;
    }
    text = dictionary_text(model, DICTIONARY_LEVELS, (uint32_t)position, &length);
    json_quote(out, text, length);
}

static void write_slot(TextBuffer *out, double number)
{
    if (isfinite(number))
        json_double(out, number);
    else
        text_add(out, isnan(number) ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

void output_row(TextBuffer *out, const Model *model, const double *slots)
{
    for (uint32_t field = 0; field < schema_field_count(model); field++) {
        uint32_t width = schema_field_width(model, field), length;
        char buffer[16];
        const char *name = describe_field_name(model, field, buffer, &length);

        text_character(out, field == 0 ? '{' : ',');
        json_quote(out, name, length);
        text_add(out, width > 1 ? ":[" : ":");
        for (uint32_t s = 0; s < width; s++, slots++) {
            if (s > 0)
                text_character(out, ',');
            if (schema_field_kind(model, field) == FIELD_CATEGORICAL)
                output_level(out, model, *slots);
            else
                write_slot(out, *slots);
        }
        if (width > 1)
            text_character(out, ']');
    }
    text_character(out, '}');
}

char *outputs_to_sql(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    uint32_t count = scoring_outputs(estimator->scoring, model);
    TextBuffer out = {.env = env};

    sql_if_complete(&out, model);
    text_add(&out, count == 0 ? "ARRAY[]::float8[]" : "ARRAY[");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_add(&out, ",\n");
        estimator->output_sql(&out, model, i);
        env->poll(env);
    }
    text_add(&out, count == 0 ? "" : "]");
    sql_end_complete(&out, model);
    return text_finish(&out, NULL);
}
