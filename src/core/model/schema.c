/*
 * schema.c - finds, names and reads the fields and slots of a value.
 */
#include "core/model/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
    [FIELD_NUMERIC] = "numeric",
    [FIELD_BOOLEAN] = "boolean",
    [FIELD_CATEGORICAL] = "categorical",
    [FIELD_DATE] = "date",
    [FIELD_TIMESTAMP] = "timestamp",
    [FIELD_TIMESTAMPTZ] = "timestamptz",
    [FIELD_TIME] = "time",
    [FIELD_INTERVAL] = "interval",
    [FIELD_TEXT] = "text",
};

const char *field_kind_name(FieldKind kind)
{
    return (int)kind >= FIELD_NUMERIC && kind <= FIELD_KIND_LAST ? kind_names[kind] : "unknown";
}

bool schema_field_named(const Model *model, const SchemaView *view, uint32_t field)
{
    char standin[16];
    uint32_t length, standin_length;
    const char *name;

    if (view->field_names == NULL || (model->flags & MODEL_NAMED))
        return view->field_names != NULL;
    standin_length = (uint32_t)snprintf(standin, sizeof standin, "f%u", field + 1);
    name = model_text(model, view->field_names, field, &length);
    return length != standin_length || memcmp(name, standin, length) != 0;
}

const char *schema_formula(const Model *model, uint32_t *length)
{
    SchemaView view;

    schema_view(model, &view);
    return view.formula != NULL ? model_text(model, view.formula, 0, length) : NULL;
}

const char *schema_formula_text(Env *env, const Model *model)
{
    const ModelEntry *inputs = model_find(model, "formula_inputs");
    uint32_t length;
    const char *text;

    if (inputs != NULL && inputs->type == ARRAY_U8)
        model = model_parse_binary(env, model_data(model, inputs), inputs->rows);
    text = schema_formula(model, &length);
    return text != NULL ? env_text(env, text, length) : NULL;
}

uint32_t schema_named_fields(const Model *model)
{
    SchemaView view;
    uint32_t named = 0;

    schema_view(model, &view);
    for (uint32_t i = 0; view.field_names != NULL && i < model->field_count; i++)
        named += schema_field_named(model, &view, i);
    return named;
}

uint32_t schema_field_count(const Model *model)
{
    return model->field_count;
}

FieldKind schema_field_kind(const Model *model, uint32_t field)
{
    SchemaView view;

    schema_view(model, &view);
    return schema_view_kind(model, &view, field);
}

uint32_t schema_field_width(const Model *model, uint32_t field)
{
    SchemaView view;

    schema_view(model, &view);
    return schema_view_width(model, &view, field);
}

bool schema_all_numeric(const Model *model)
{
    SchemaView view;

    schema_view(model, &view);
    for (uint32_t i = 0; view.field_kinds && i < model->field_count; i++)
        if (schema_view_kind(model, &view, i) == FIELD_CATEGORICAL)
            return false;
    return true;
}

uint32_t schema_slot_without_mean(const Model *model, const double *means)
{
    uint32_t slot = 0;

    while (slot < model->slot_count && (means == NULL || isfinite(means[slot])))
        slot++;
    return slot;
}

double *schema_require_means(Env *env, const Model *model, double *means)
{
    uint32_t slot = schema_slot_without_mean(model, means);
    char name[SCHEMA_NAME_SIZE];

    if (slot == model->slot_count)
        return means;
    schema_slot_name(model, slot, name, sizeof name);
    env_fail(env, ERROR_DATA, "Drop the feature.", "feature \"%s\" is NULL in every row, so there is no mean to impute", name);
}

void schema_require_numbers(Env *env, const Model *model, const char *method)
{
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t field = 0; field < schema_field_count(model); field++) {
        if (schema_field_kind(model, field) != FIELD_CATEGORICAL)
            continue;
        schema_field_name(model, field, name, sizeof name);
        env_fail(env, ERROR_DATA, "Drop the feature, or encode it as numbers.",
                 "feature \"%s\" is categorical, and %s takes numbers only", name, method);
    }
}

int schema_find_field(const Model *model, const char *name, size_t length)
{
    SchemaView view;
    char buffer[32];

    schema_view(model, &view);
    for (uint32_t i = 0; i < model->field_count; i++) {
        const char *other = buffer;
        uint32_t other_length;

        if (view.field_names)
            other = model_text(model, view.field_names, i, &other_length);
        else
            other_length = (uint32_t)snprintf(buffer, sizeof buffer, "f%u", i + 1);
        if (other_length == length && memcmp(other, name, length) == 0)
            return (int)i;
    }
    return -1;
}

void schema_field_name(const Model *model, uint32_t field, char *buffer, size_t size)
{
    SchemaView view;
    uint32_t length;

    schema_view(model, &view);
    if (view.field_names) {
        const char *name = model_text(model, view.field_names, field, &length);

        snprintf(buffer, size, "%.*s", (int)bytes_cut(name, length, size - 1), name);
    } else
        snprintf(buffer, size, "f%u", field + 1);
}

/* Returns the field of a slot, and sets the position of the slot within it and its width. */
static uint32_t slot_place(const Model *model, uint32_t slot, uint32_t *within, uint32_t *width)
{
    SchemaView view;

    schema_view(model, &view);
    *within = 0;
    *width = 1;
    if (!view.field_widths)
        return slot;
    for (uint32_t field = 0; field < model->field_count; field++) {
        *width = schema_view_width(model, &view, field);
        if (slot < *width) {
            *within = slot;
            return field;
        }
        slot -= *width;
    }
    return model->field_count ? model->field_count - 1 : 0;
}

uint32_t schema_slot_field(const Model *model, uint32_t slot)
{
    uint32_t within, width;

    return slot_place(model, slot, &within, &width);
}

int64_t schema_same_slot(const Model *model, const Model *other, uint32_t slot)
{
    uint32_t within, width, place, length;
    uint32_t field = slot_place(other, slot, &within, &width);
    SchemaView named, view;
    const char *name;
    int found;

    schema_view(other, &named);
    schema_view(model, &view);
    if (!schema_field_named(other, &named, field))
        return -1;
    name = model_text(other, named.field_names, field, &length);
    found = schema_find_field(model, name, length);
    if (found < 0 || !schema_field_named(model, &view, (uint32_t)found) || schema_view_width(model, &view, (uint32_t)found) != width)
        return -1;
    place = within;
    for (int before = 0; before < found; before++)
        place += schema_view_width(model, &view, (uint32_t)before);
    return place;
}

void schema_slot_name(const Model *model, uint32_t slot, char *buffer, size_t size)
{
    uint32_t within, width;
    uint32_t field = slot_place(model, slot, &within, &width);
    size_t used;

    schema_field_name(model, field, buffer, size - 12); /* the place and what schema_term_name adds have room */
    used = strlen(buffer);
    if (width > 1)
        snprintf(buffer + used, size - used, "[%u]", within + 1);
}

void schema_term_name(const Model *model, uint32_t slot, int64_t level, char *buffer, size_t size)
{
    uint32_t length;
    const char *text;
    size_t used;

    schema_slot_name(model, slot, buffer, size);
    if (level < 0)
        return;
    used = strlen(buffer);
    if (isinf(dictionary_key(model, DICTIONARY_LEVELS, (uint32_t)level))) {
        snprintf(buffer + used, size - used, " IS NULL");
        return;
    }
    text = dictionary_text(model, DICTIONARY_LEVELS, (uint32_t)level, &length);
    snprintf(buffer + used, size - used, "=%.*s",
             (int)bytes_cut(text, length, size - used - 2), text);
}

char *schema_term_text(Env *env, const Model *model, uint32_t slot, int64_t level)
{
    SchemaView view;
    uint32_t name = 0, text = 0;
    size_t size;
    char *whole;

    schema_view(model, &view);
    if (view.field_names)
        model_text(model, view.field_names, schema_slot_field(model, slot), &name);
    if (level >= 0)
        dictionary_text(model, DICTIONARY_LEVELS, (uint32_t)level, &text);
    size = (size_t)name + text + SCHEMA_NAME_SIZE;
    whole = env_array(env, size, 1);
    schema_term_name(model, slot, level, whole, size);
    return whole;
}
