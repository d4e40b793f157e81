/*
 * schema.c - fields and slots of a value: adding, finding, naming, checking, comparing.
 */
#include "core/model/schema.h"
#include "core/base/all_finite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room that a state's dictionaries begin with: a few short levels. */
#define FIRST_LEVELS 8
#define FIRST_TEXT 128

static const char *const kind_names[] = {
    [FIELD_NUMERIC] = "numeric",
    [FIELD_BOOLEAN] = "boolean",
    [FIELD_CATEGORICAL] = "categorical",
    [FIELD_DATE] = "date",
    [FIELD_TIMESTAMP] = "timestamp",
    [FIELD_TIMESTAMPTZ] = "timestamptz",
    [FIELD_TIME] = "time",
    [FIELD_INTERVAL] = "interval",
};
#define LAST_KIND FIELD_INTERVAL

const char *field_kind_name(FieldKind kind)
{
    return (int)kind >= FIELD_NUMERIC && kind <= LAST_KIND ? kind_names[kind] : "unknown";
}

FieldKind field_kind_of(const char *name, size_t length)
{
    for (int kind = FIELD_NUMERIC; kind <= LAST_KIND; kind++)
        if (strlen(kind_names[kind]) == length && memcmp(kind_names[kind], name, length) == 0)
            return (FieldKind)kind;
    return (FieldKind)0;
}

/* ---- adding ---- */

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

/* ---- reading ---- */

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

void schema_require_numbers(Env *env, const Model *model, const char *method)
{
    char name[SCHEMA_NAME_SIZE];

    for (uint32_t field = 0; field < schema_field_count(model); field++) {
        if (schema_field_kind(model, field) != FIELD_CATEGORICAL)
            continue;
        schema_field_name(model, field, name, sizeof name);
        env_fail(env, ERROR_DATA, "Leave the feature out, or turn it into numbers.",
                 "feature \"%s\" is categorical, %s takes numbers", name, method);
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

/* A copy of at most size - 1 bytes that does not cut a UTF-8 character in two. */
static void copy_name(char *buffer, size_t size, const char *name, uint32_t length)
{
    size_t kept = length;

    if (kept >= size) {
        kept = size - 1;
        while (kept && ((unsigned char)name[kept] & 0xC0) == 0x80)
            kept--;
    }
    memcpy(buffer, name, kept);
    buffer[kept] = 0;
}

void schema_field_name(const Model *model, uint32_t field, char *buffer, size_t size)
{
    SchemaView view;
    uint32_t length;

    schema_view(model, &view);
    if (view.field_names) {
        const char *name = model_text(model, view.field_names, field, &length);

        copy_name(buffer, size, name, length);
    } else
        snprintf(buffer, size, "f%u", field + 1);
}

/* The field of a slot and the slot's place inside it. */
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

void schema_slot_name(const Model *model, uint32_t slot, char *buffer, size_t size)
{
    uint32_t within, width;
    uint32_t field = slot_place(model, slot, &within, &width);
    size_t used;

    schema_field_name(model, field, buffer, size > 16 ? size - 12 : size);
    used = strlen(buffer);
    if (width > 1)
        snprintf(buffer + used, size - used, "[%u]", within + 1);
}

/* Bytes of text up to limit that do not cut a character of several bytes (UTF-8). */
static int cut(const char *text, uint32_t length, uint32_t limit)
{
    if (length <= limit)
        return (int)length;
    while (limit > 0 && ((unsigned char)text[limit] & 0xc0) == 0x80)
        limit--;
    return (int)limit;
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
             cut(text, length, size - used > 2 ? (uint32_t)(size - used - 2) : 0), text);
}

/* ---- checks ---- */

typedef struct NameTable {
    const Model *model;
    const ModelEntry *entry;
} NameTable;

static int compare_names(const NameTable *table, uint32_t a, uint32_t b)
{
    uint32_t a_length, b_length;
    const char *a_name = model_text(table->model, table->entry, a, &a_length);
    const char *b_name = model_text(table->model, table->entry, b, &b_length);
    uint32_t common = a_length < b_length ? a_length : b_length;
    int order = common ? memcmp(a_name, b_name, common) : 0;

    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* Moves an element down a heap that is largest first. */
static void sift_name(const NameTable *table, uint32_t *heap, uint32_t count, uint32_t root)
{
    uint32_t moved = heap[root];

    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare_names(table, heap[child], heap[child + 1]) < 0)
            child++;
        if (compare_names(table, moved, heap[child]) >= 0)
            break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

/* Is any name there twice? By heap sort: n log n whatever the names are. */
static bool names_repeat(Env *env, const Model *model, const ModelEntry *entry)
{
    NameTable table = {model, entry};
    uint32_t count = entry->rows;
    uint32_t *heap = env_array_raw(env, count, sizeof *heap);
    bool repeat = false;

    for (uint32_t i = 0; i < count; i++)
        heap[i] = i;
    for (uint32_t i = count / 2; i-- > 0;)
        sift_name(&table, heap, count, i);
    for (uint32_t last = count; last-- > 1 && !repeat;) {
        uint32_t largest = heap[0];

        heap[0] = heap[last];
        heap[last] = largest;
        sift_name(&table, heap, last, 0);
        repeat = compare_names(&table, heap[0], largest) == 0;
    }
    env->release(env, heap);
    return repeat;
}

static bool strings_sound(const Model *model, const ModelEntry *entry, uint32_t rows)
{
    if (entry->type != ARRAY_TEXT || entry->dimensions != 1 || entry->rows != rows)
        return false;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t length;
        const char *string = model_text(model, entry, i, &length);

        if (length && memchr(string, 0, length))
            return false;
    }
    return true;
}

static const char *check_fields(Env *env, const Model *model, const SchemaView *view)
{
    uint32_t fields = model->field_count;
    const int64_t *kinds = NULL, *widths = NULL;
    uint64_t slots = 0;

    if (view->field_names && !strings_sound(model, view->field_names, fields))
        return "field_names does not have one name per feature";
    if ((model->flags & MODEL_NAMED) &&
        (!view->field_names || names_repeat(env, model, view->field_names)))
        return "the features are marked as named, but a name is missing or occurs twice";
    if (view->field_kinds) {
        if (view->field_kinds->type != ARRAY_I64 || view->field_kinds->dimensions != 1 ||
            view->field_kinds->rows != fields)
            return "field_kinds does not have one number per feature";
        kinds = model_data(model, view->field_kinds);
    }
    if (view->field_widths) {
        if (view->field_widths->type != ARRAY_I64 || view->field_widths->dimensions != 1 ||
            view->field_widths->rows != fields)
            return "field_widths does not have one number per feature";
        widths = model_data(model, view->field_widths);
    }
    for (uint32_t i = 0; i < fields; i++) {
        if (kinds && (kinds[i] < FIELD_NUMERIC || kinds[i] > LAST_KIND))
            return "a feature has an unknown kind";
        if (widths && (widths[i] < 0 || widths[i] > SCHEMA_MAX_SLOTS))
            return "a feature has an impossible width";
        if (widths && widths[i] != 1 && kinds && kinds[i] != FIELD_NUMERIC &&
            kinds[i] != FIELD_BOOLEAN)
            return "only numbers come in runs";
        slots += widths ? (uint64_t)widths[i] : 1;
    }
    if (slots != model->slot_count)
        return "the widths of the features do not add up to the slots";
    return NULL;
}

static const char *check_impute(const Model *model, const ModelEntry *impute)
{
    if (!impute)
        return NULL;
    if (impute->type != ARRAY_F64 || impute->dimensions != 1 || impute->rows != model->slot_count)
        return "impute does not have one number per slot";
    return all_finite(model_data(model, impute), impute->rows) ? NULL : "a number to impute is not finite";
}

const char *schema_check(Env *env, const Model *model)
{
    SchemaView view;
    const char *wrong;

    if (model->field_count > SCHEMA_MAX_SLOTS || model->slot_count > SCHEMA_MAX_SLOTS)
        return "too many features";
    wrong = schema_view(model, &view) ? NULL : "an entry of the schema has an unknown name";
    if (!wrong)
        wrong = check_fields(env, model, &view);
    if (!wrong)
        wrong = dictionary_check(model, &view, DICTIONARY_LEVELS);
    if (!wrong)
        wrong = dictionary_check(model, &view, DICTIONARY_CLASSES);
    if (!wrong && !view.level_text && !schema_all_numeric(model))
        wrong = "a categorical feature has no levels";
    if (!wrong && view.class_type && !strings_sound(model, view.class_type, 1))
        wrong = "class_type is not one name";
    if (!wrong && view.id_type && !strings_sound(model, view.id_type, 1))
        wrong = "id_type is not one name";
    if (!wrong && view.target_name && !strings_sound(model, view.target_name, 1))
        wrong = "target_name is not one name";
    if (!wrong)
        wrong = check_impute(model, view.impute);
    return wrong;
}

/* ---- differences ---- */

/* A message in memory of its own. */
static const char *difference(Env *env, const char *format, const char *a, const char *b,
                              const char *c)
{
    size_t size = 4 * SCHEMA_NAME_SIZE + 128;
    char *message = env->alloc(env, size);

    snprintf(message, size, format, a, b, c);
    return message;
}

/* Equal bytes and equal ends. */
static bool strings_equal(const Model *a, const ModelEntry *a_entry, const Model *b,
                          const ModelEntry *b_entry, uint32_t i)
{
    uint32_t a_length, b_length;
    const char *a_string = model_text(a, a_entry, i, &a_length);
    const char *b_string = model_text(b, b_entry, i, &b_length);

    return a_length == b_length && (!a_length || memcmp(a_string, b_string, a_length) == 0);
}

static const char *class_difference(Env *env, const Model *a, const SchemaView *a_view,
                                    const Model *b, const SchemaView *b_view)
{
    char a_type[SCHEMA_NAME_SIZE], b_type[SCHEMA_NAME_SIZE];
    uint32_t a_length, b_length;
    const char *a_text, *b_text;

    if (!a_view->class_type || !b_view->class_type ||
        strings_equal(a, a_view->class_type, b, b_view->class_type, 0))
        return NULL;
    a_text = model_text(a, a_view->class_type, 0, &a_length);
    b_text = model_text(b, b_view->class_type, 0, &b_length);
    copy_name(a_type, sizeof a_type, a_text, a_length);
    copy_name(b_type, sizeof b_type, b_text, b_length);
    return difference(env, "the labels of one are of type %s, those of the other of type %s%s",
                      a_type, b_type, "");
}

const char *schema_difference(Env *env, const Model *a, const Model *b)
{
    SchemaView a_view, b_view;
    char a_name[SCHEMA_NAME_SIZE], b_name[SCHEMA_NAME_SIZE], place[32];

    if (a->field_count != b->field_count) {
        snprintf(a_name, sizeof a_name, "%u", a->field_count);
        snprintf(b_name, sizeof b_name, "%u", b->field_count);
        return difference(env, "one has %s feature(s), the other %s%s", a_name, b_name, "");
    }
    if ((schema_named_fields(a) == 0) != (schema_named_fields(b) == 0))
        return "the features of one have names, those of the other have none";
    if ((a->flags ^ b->flags) & MODEL_NAMED)
        return "all features of one have names, and some of the other have none";
    schema_view(a, &a_view);
    schema_view(b, &b_view);
    for (uint32_t i = 0; i < a->field_count; i++) {
        uint32_t a_width = schema_view_width(a, &a_view, i);
        uint32_t b_width = schema_view_width(b, &b_view, i);
        FieldKind a_kind = schema_view_kind(a, &a_view, i);
        FieldKind b_kind = schema_view_kind(b, &b_view, i);

        if (schema_field_named(a, &a_view, i) && schema_field_named(b, &b_view, i) &&
            !strings_equal(a, a_view.field_names, b, b_view.field_names, i)) {
            schema_field_name(a, i, a_name, sizeof a_name);
            schema_field_name(b, i, b_name, sizeof b_name);
            snprintf(place, sizeof place, "%u", i + 1);
            return difference(env, "feature %s is \"%s\" in one and \"%s\" in the other", place,
                              a_name, b_name);
        }
        if (a_kind != b_kind) {
            schema_field_name(a, i, a_name, sizeof a_name);
            return difference(env, "feature \"%s\" is %s in one and %s in the other", a_name,
                              field_kind_name(a_kind), field_kind_name(b_kind));
        }
        if (a_width != b_width) {
            schema_field_name(a, i, a_name, sizeof a_name);
            snprintf(place, sizeof place, "%u", a_width);
            snprintf(b_name, sizeof b_name, "%u", b_width);
            return difference(env, "feature \"%s\" has %s number(s) in one and %s in the other",
                              a_name, place, b_name);
        }
    }
    return class_difference(env, a, &a_view, b, &b_view);
}
