/*
 * schema_build.c - adds a schema to a value that is being built: a new one, or that of a state with its levels in final order.
 */
#include "core/model/schema.h"

#include <string.h>

/* Room that a state's dictionaries begin with: a few short levels. */
#define FIRST_LEVELS 8
#define FIRST_TEXT 128

/* Empty arrays of a dictionary with room for a few strings. */
static void add_empty_dictionary(ModelBuilder *builder, DictionaryKind kind)
{
    bool levels = kind == DICTIONARY_LEVELS;

    builder_text(builder, SECTION_SCHEMA, levels ? "level_text" : "class_text", NULL, NULL, 0);
    builder_reserve(builder, FIRST_TEXT);
    if (levels) {
        builder_i64(builder, SECTION_SCHEMA, "level_field", NULL, 0);
        builder_reserve(builder, FIRST_LEVELS * 8);
    }
    builder_f64(builder, SECTION_SCHEMA, levels ? "level_key" : "class_key", NULL, 0);
    builder_reserve(builder, FIRST_LEVELS * 8);
    builder_i64(builder, SECTION_SCHEMA, levels ? "level_sorted" : "class_sorted", NULL, 0);
    builder_reserve(builder, FIRST_LEVELS * 8);
}

static uint32_t *string_lengths(Env *env, const char *const *strings, uint32_t count)
{
    uint32_t *lengths = env_array_raw(env, count, sizeof *lengths);

    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(strings[i]);

        if (length > MODEL_MAX_SIZE)
            env_fail(env, ERROR_LIMIT, NULL, "the name of feature %u is too long", i + 1);
        lengths[i] = (uint32_t)length;
    }
    return lengths;
}

/* One string as an entry of its own. */
static void add_string(Env *env, ModelBuilder *builder, const char *name, const char *string)
{
    const char **strings = env_array_raw(env, 1, sizeof *strings);

    strings[0] = string;
    builder_text(builder, SECTION_SCHEMA, name, strings, string_lengths(env, strings, 1), 1);
}

/* Numbers of an encoded row; fails where there are too many. */
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

/* Kinds, where one is not numeric; true where one is categorical. */
static bool add_kinds(Env *env, ModelBuilder *builder, const SchemaSpec *spec)
{
    bool special = false, categorical = false;
    int64_t *kinds;

    for (uint32_t i = 0; spec->kinds && i < spec->field_count; i++) {
        special = special || spec->kinds[i] != FIELD_NUMERIC;
        categorical = categorical || spec->kinds[i] == FIELD_CATEGORICAL;
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
        builder_text(builder, SECTION_SCHEMA, "field_names", spec->names,
                     string_lengths(env, spec->names, spec->field_count), spec->field_count);
    categorical = add_kinds(env, builder, spec);
    if (spec->widths && slots != spec->field_count) {
        int64_t *widths = env_array_raw(env, spec->field_count, sizeof *widths);

        for (uint32_t i = 0; i < spec->field_count; i++)
            widths[i] = spec->widths[i];
        builder_i64(builder, SECTION_SCHEMA, "field_widths", widths, spec->field_count);
    }
    if (categorical)
        add_empty_dictionary(builder, DICTIONARY_LEVELS);
    if (spec->class_type)
        add_string(env, builder, "class_type", spec->class_type);
    if (spec->class_type || header->kind == MODEL_CLASS_MOMENTS)
        add_empty_dictionary(builder, DICTIONARY_CLASSES);
    if (spec->id_type)
        add_string(env, builder, "id_type", spec->id_type);
    if (spec->target_name)
        add_string(env, builder, "target_name", spec->target_name);

    header->field_count = spec->field_count;
    header->slot_count = slots;
    if (spec->named && spec->names)
        header->flags |= MODEL_NAMED;
}

/* Copies an entry of strings as it stands. */
static void copy_strings(Env *env, ModelBuilder *builder, const Model *source,
                         const ModelEntry *entry)
{
    const char **strings;
    uint32_t *lengths;

    if (!entry)
        return;
    strings = env_array_raw(env, entry->rows, sizeof *strings);
    lengths = env_array_raw(env, entry->rows, sizeof *lengths);
    for (uint32_t i = 0; i < entry->rows; i++)
        strings[i] = model_text(source, entry, i, &lengths[i]);
    builder_text(builder, SECTION_SCHEMA, entry->name, strings, lengths, entry->rows);
}

static void copy_integers(ModelBuilder *builder, const Model *source, const ModelEntry *entry)
{
    if (entry)
        builder_i64(builder, SECTION_SCHEMA, entry->name, model_data(source, entry), entry->rows);
}

/* A dictionary in final order, with its index. */
static void add_final_dictionary(Env *env, ModelBuilder *builder, const Model *source,
                                 const SchemaView *view, DictionaryKind kind)
{
    bool levels = kind == DICTIONARY_LEVELS;
    const ModelEntry *text = levels ? view->level_text : view->class_text;
    Dictionary dictionary;
    uint32_t size, *order, *rank, *lengths;
    const char **strings;
    double *keys;
    int64_t *fields, *sorted;

    if (!text)
        return;
    dictionary_open(source, view, kind, &dictionary);
    size = dictionary.size;
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
        strings[i] = model_text(source, text, order[i], &lengths[i]);
        keys[i] = dictionary.keys[order[i]];
        fields[i] = levels ? dictionary.fields[order[i]] : 0;
    }
    for (uint32_t i = 0; i < size; i++)
        sorted[i] = rank[dictionary.sorted[i]];

    builder_text(builder, SECTION_SCHEMA, levels ? "level_text" : "class_text", strings, lengths,
                 size);
    if (levels)
        builder_i64(builder, SECTION_SCHEMA, "level_field", fields, size);
    builder_f64(builder, SECTION_SCHEMA, levels ? "level_key" : "class_key", keys, size);
    builder_i64(builder, SECTION_SCHEMA, levels ? "level_sorted" : "class_sorted", sorted, size);
    env->release(env, order);
    env->release(env, rank);
}

void schema_add_final(Env *env, ModelBuilder *builder, const Model *source)
{
    Model *header = builder_header(builder);
    SchemaView view;

    schema_view(source, &view);
    copy_strings(env, builder, source, view.field_names);
    copy_integers(builder, source, view.field_kinds);
    copy_integers(builder, source, view.field_widths);
    add_final_dictionary(env, builder, source, &view, DICTIONARY_LEVELS);
    copy_strings(env, builder, source, view.class_type);
    add_final_dictionary(env, builder, source, &view, DICTIONARY_CLASSES);
    copy_strings(env, builder, source, view.id_type);
    copy_strings(env, builder, source, view.target_name);
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
