/*
 * schema_build.c - adds a schema to a value that is being built: a new one, or that of a state with levels in final order.
 */
#include "core/model/schema.h"

#include <string.h>

/* Room of new dictionaries, enough for a few short levels. */
#define FIRST_LEVELS 8
#define FIRST_TEXT 128

/* Adds the arrays of an empty dictionary, with room for a few strings. */
static void add_empty_dictionary(ModelBuilder *builder, DictionaryKind kind)
{
    const DictionaryNames *names = &dictionary_names[kind];

    builder_text(builder, SECTION_SCHEMA, names->text, NULL, NULL, 0);
    builder_reserve(builder, FIRST_TEXT);
    if (names->field != NULL) {
        builder_i64(builder, SECTION_SCHEMA, names->field, NULL, 0);
        builder_reserve(builder, FIRST_LEVELS * 8);
    }
    builder_f64(builder, SECTION_SCHEMA, names->key, NULL, 0);
    builder_reserve(builder, FIRST_LEVELS * 8);
    builder_i64(builder, SECTION_SCHEMA, names->sorted, NULL, 0);
    builder_reserve(builder, FIRST_LEVELS * 8);
}

static void add_string(ModelBuilder *builder, const char *name, const char *string)
{
    if (string != NULL)
        builder_string(builder, SECTION_SCHEMA, name, string, strlen(string));
}

/* Counts the numbers of an encoded row. Fails with ERROR_LIMIT above SCHEMA_MAX_SLOTS. */
static uint32_t spec_slots(Env *env, const SchemaSpec *spec)
{
    uint64_t slots = 0;

    for (uint32_t i = 0; i < spec->field_count && slots <= SCHEMA_MAX_SLOTS; i++)
        slots += spec->widths ? spec->widths[i] : 1;
    if (slots > SCHEMA_MAX_SLOTS || spec->field_count > SCHEMA_MAX_SLOTS)
        env_fail(env, ERROR_LIMIT, NULL, "more than %u features are not supported",
                 SCHEMA_MAX_SLOTS);
    return (uint32_t)slots;
}

/* Adds the kinds if one is not numeric. Returns whether one is categorical or a text. */
static bool add_kinds(Env *env, ModelBuilder *builder, const SchemaSpec *spec)
{
    bool special = false, categorical = false;
    int64_t *kinds;

    for (uint32_t i = 0; spec->kinds && i < spec->field_count; i++) {
        special = special || spec->kinds[i] != FIELD_NUMERIC;
        categorical = categorical || spec->kinds[i] == FIELD_CATEGORICAL || spec->kinds[i] == FIELD_TEXT;
    }
    if (!special)
        return false;
    kinds = env_array_raw(env, spec->field_count, sizeof *kinds);
    for (uint32_t i = 0; i < spec->field_count; i++)
        kinds[i] = spec->kinds[i];
    builder_i64(builder, SECTION_SCHEMA, "field_kinds", kinds, spec->field_count);
    return categorical;
}

void schema_add(Env *env, ModelBuilder *builder, const SchemaSpec *spec)
{
    Model *header = builder_header(builder);
    uint32_t slots = spec_slots(env, spec);
    bool categorical;

    if (spec->names)
        builder_text(builder, SECTION_SCHEMA, "field_names", spec->names, NULL, spec->field_count);
    categorical = add_kinds(env, builder, spec);
    if (spec->widths && slots != spec->field_count) {
        int64_t *widths = env_array_raw(env, spec->field_count, sizeof *widths);

        for (uint32_t i = 0; i < spec->field_count; i++)
            widths[i] = spec->widths[i];
        builder_i64(builder, SECTION_SCHEMA, "field_widths", widths, spec->field_count);
    }
    if (categorical)
        add_empty_dictionary(builder, DICTIONARY_LEVELS);
    add_string(builder, "class_type", spec->class_type);
    if (spec->class_type || header->kind == MODEL_CLASS_MOMENTS)
        add_empty_dictionary(builder, DICTIONARY_CLASSES);
    add_string(builder, "id_type", spec->id_type);
    add_string(builder, "target_name", spec->target_name);
    add_string(builder, "formula", spec->formula);
    if (spec->missing) {
        int64_t *refused = env_array_raw(env, 1, sizeof *refused);

        *refused = 1;
        builder_i64(builder, SECTION_SCHEMA, "missing", refused, 1);
    }
    if (spec->formula_kinds != NULL)
        builder_i64(builder, SECTION_SCHEMA, "formula_kinds", spec->formula_kinds, spec->formula_kind_count);
    if (spec->formula_inputs != NULL) {
        builder_u8(builder, SECTION_SCHEMA, "formula_inputs", spec->formula_inputs, spec->formula_inputs_size);
        builder_f64(builder, SECTION_SCHEMA, "formula_parameters", spec->formula_parameters, spec->formula_parameter_count);
    }

    header->field_count = spec->field_count;
    header->slot_count = slots;
    if (spec->named && spec->names)
        header->flags |= MODEL_NAMED;
}

/* Counts the strings of a dictionary that a fitted model has: all but those of text fields. */
static uint32_t count_kept(const Model *source, const SchemaView *view, const Dictionary *dictionary)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < dictionary->size; i++)
        kept += dictionary->fields == NULL || schema_view_kind(source, view, (uint32_t)dictionary->fields[i]) != FIELD_TEXT;
    return kept;
}

/* Adds a dictionary in final order, with its index. */
static void add_final_dictionary(Env *env, ModelBuilder *builder, const Model *source,
                                 const SchemaView *view, DictionaryKind kind)
{
    const DictionaryNames *names = &dictionary_names[kind];
    Dictionary dictionary;
    uint32_t size, kept, *order, *rank, *lengths, next = 0;
    const char **strings;
    double *keys;
    int64_t *fields, *sorted;

    if ((kind == DICTIONARY_LEVELS ? view->level_text : view->class_text) == NULL ||
        (kind == DICTIONARY_LEVELS && schema_all_numeric(source)))
        return;
    dictionary_open(source, view, kind, &dictionary);
    size = dictionary.size;
    kept = count_kept(source, view, &dictionary);
    order = env_array_raw(env, size, sizeof *order);
    rank = env_array_raw(env, size, sizeof *rank);
    strings = env_array_raw(env, size, sizeof *strings);
    lengths = env_array_raw(env, size, sizeof *lengths);
    keys = env_array_raw(env, size, sizeof *keys);
    fields = env_array_raw(env, size, sizeof *fields);
    sorted = env_array_raw(env, size, sizeof *sorted);

    dictionary_final_order(env, source, kind, order);
    for (uint32_t i = 0; i < size; i++) {
        rank[order[i]] = i;
        strings[i] = dictionary_string(&dictionary, order[i], &lengths[i]);
        keys[i] = dictionary.keys[order[i]];
        fields[i] = dictionary.fields != NULL ? dictionary.fields[order[i]] : 0;
    }
    for (uint32_t i = 0; i < size; i++)
        if (rank[dictionary.sorted[i]] < kept)
            sorted[next++] = rank[dictionary.sorted[i]];

    builder_text(builder, SECTION_SCHEMA, names->text, strings, lengths, kept);
    if (names->field != NULL)
        builder_i64(builder, SECTION_SCHEMA, names->field, fields, kept);
    builder_f64(builder, SECTION_SCHEMA, names->key, keys, kept);
    builder_i64(builder, SECTION_SCHEMA, names->sorted, sorted, kept);
}

void schema_add_final(Env *env, ModelBuilder *builder, const Model *source)
{
    Model *header = builder_header(builder);
    SchemaView view;

    schema_view(source, &view);
    {
        const ModelEntry *const copied[] = {view.field_names, view.field_kinds, view.field_widths,
                                            view.class_type,  view.id_type,     view.target_name,
                                            view.formula,     view.formula_kinds, view.formula_inputs, view.formula_parameters,
                                            view.missing};

        for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
            if (copied[i] != NULL)
                builder_entry_from(builder, source, copied[i]);
    }
    add_final_dictionary(env, builder, source, &view, DICTIONARY_LEVELS);
    add_final_dictionary(env, builder, source, &view, DICTIONARY_CLASSES);
    header->field_count = source->field_count;
    header->slot_count = source->slot_count;
    header->flags = (uint8_t)((header->flags & ~MODEL_NAMED) | (source->flags & MODEL_NAMED));
}

Model *schema_final(Env *env, const Model *source)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema");

    schema_add_final(env, builder, source);
    return model_build(builder);
}

SchemaSpec schema_spec_of(Env *env, const Model *model)
{
    uint32_t count = schema_field_count(model), length;
    const char **names = env_array(env, (size_t)count + 1, sizeof *names);
    FieldKind *kinds = env_array(env, (size_t)count + 1, sizeof *kinds);
    uint32_t *widths = env_array(env, (size_t)count + 1, sizeof *widths);
    SchemaSpec spec = {.field_count = count,
                       .kinds = kinds,
                       .widths = widths,
                       .named = (model->flags & MODEL_NAMED) != 0};
    SchemaView view;

    schema_view(model, &view);
    for (uint32_t i = 0; i < count; i++) {
        kinds[i] = schema_field_kind(model, i);
        widths[i] = schema_field_width(model, i);
        if (view.field_names) {
            const char *name = model_text(model, view.field_names, i, &length);

            names[i] = env_text(env, name, length);
        }
    }
    if (view.field_names)
        spec.names = names;
    spec.class_type = model_string(env, model, view.class_type);
    spec.target_name = model_string(env, model, view.target_name);
    spec.formula = model_string(env, model, view.formula);
    if (view.formula_kinds) {
        int64_t *copy = env_array(env, view.formula_kinds->rows, sizeof *copy);

        spec.formula_kind_count = view.formula_kinds->rows;
        spec.formula_kinds = memcpy(copy, model_data(model, view.formula_kinds), spec.formula_kind_count * sizeof *copy);
    }
    spec.missing = view.missing != NULL;
    return spec;
}
