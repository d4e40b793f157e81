/*
 * model.c - builds the flat value of model.h, and changes it in place.
 *
 * Entries and their data are in order of (section, name), without gaps. Equal content therefore has equal layout, apart from
 * spare room, in whatever order it was built or typed.
 */
#include "core/model/model_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEGABYTE (1024.0 * 1024.0)

typedef struct Item {
    ModelEntry entry;
    const void *data;           /* numbers; NULL: value has the one number */
    uint64_t value;
    const char *const *strings; /* of TEXT */
    const uint32_t *lengths;    /* NULL: strings are zero-terminated */
    const Model *source;        /* not NULL: the strings are those of source_entry */
    const ModelEntry *source_entry;
    uint64_t room; /* bytes that builder_reserve asked for */
} Item;

struct ModelBuilder {
    Env *env;
    Model header;
    Item *items;
    uint32_t count;
    uint32_t capacity;
};

static uint64_t align8(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

const char *array_type_name(unsigned type)
{
    static const char *const names[] = {"", "f64", "i64", "bool", "text", "f32", "i32", "u8"};

    return names[type];
}

/* ---- building ---- */

ModelBuilder *model_builder(Env *env, ModelKind kind, const char *estimator)
{
    ModelBuilder *builder = env_array(env, 1, sizeof *builder);
    size_t length = strlen(estimator);

    if (length >= sizeof builder->header.estimator || !model_name_valid(estimator, length))
        env_fail(env, ERROR_INTERNAL, NULL, "\"%s\" is not a valid estimator name", estimator);
    builder->env = env;
    builder->capacity = 16;
    builder->items = env_array_raw(env, builder->capacity, sizeof(Item));
    builder->header.magic = MODEL_MAGIC;
    builder->header.format = MODEL_FORMAT;
    builder->header.min_reader = 1;
    builder->header.kind = (uint8_t)kind;
    memcpy(builder->header.estimator, estimator, length);
    return builder;
}

Model *builder_header(ModelBuilder *builder)
{
    return &builder->header;
}

/* Adds an item for an entry of this name, section, type and shape. */
static Item *builder_item(ModelBuilder *b, const ModelEntry *entry)
{
    const char *problem = model_entry_problem(b->env, entry);
    Item *item;

    if (problem != NULL)
        env_fail(b->env, ERROR_INTERNAL, NULL, "%s", problem);
    if (b->count == MODEL_MAX_ENTRIES)
        env_fail(b->env, ERROR_LIMIT, NULL, "a model has at most %d arrays", MODEL_MAX_ENTRIES);
    if (b->count == b->capacity) {
        b->capacity *= 2;
        b->items = b->env->resize(b->env, b->items, b->capacity * sizeof(Item));
    }
    item = &b->items[b->count++];
    *item = (Item){.entry = *entry};
    return item;
}

/* Returns an entry to add. */
static ModelEntry new_entry(ModelBuilder *b, ModelSection section, const char *name, ElementType type,
                            unsigned dimensions, uint32_t rows, uint32_t columns)
{
    ModelEntry entry = {.section = (uint8_t)section,
                        .type = (uint8_t)type,
                        .dimensions = (uint8_t)dimensions,
                        .rows = rows,
                        .columns = columns};
    size_t length = strlen(name);

    if (length >= MODEL_NAME_SIZE || !model_name_valid(name, length))
        env_fail(b->env, ERROR_INTERNAL, NULL, "\"%s\" is not a valid array name", name);
    memcpy(entry.name, name, length);
    return entry;
}

void builder_entry(ModelBuilder *b, const ModelEntry *entry, const void *data)
{
    if (data == NULL && entry->rows > 0)
        env_fail(b->env, ERROR_INTERNAL, NULL, "\"%s\" of %u x %u numbers without data", entry->name, entry->rows,
                 entry->columns);
    builder_item(b, entry)->data = data;
}

void builder_numbers(ModelBuilder *b, ModelSection s, const char *name, ElementType type, const void *data,
                     unsigned dimensions, uint32_t rows, uint32_t columns)
{
    ModelEntry entry = new_entry(b, s, name, type, dimensions, rows, columns);

    builder_entry(b, &entry, data);
}

void builder_f64(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t count)
{
    builder_numbers(b, s, name, ARRAY_F64, data, 1, count, 1);
}

void builder_i64(ModelBuilder *b, ModelSection s, const char *name, const int64_t *data, uint32_t count)
{
    builder_numbers(b, s, name, ARRAY_I64, data, 1, count, 1);
}

void builder_f32(ModelBuilder *b, ModelSection s, const char *name, const float *data, uint32_t count)
{
    builder_numbers(b, s, name, ARRAY_F32, data, 1, count, 1);
}

void builder_i32(ModelBuilder *b, ModelSection s, const char *name, const int32_t *data, uint32_t count)
{
    builder_numbers(b, s, name, ARRAY_I32, data, 1, count, 1);
}

void builder_u8(ModelBuilder *b, ModelSection s, const char *name, const uint8_t *data, uint32_t count)
{
    builder_numbers(b, s, name, ARRAY_U8, data, 1, count, 1);
}

void builder_f64_matrix(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t rows,
                        uint32_t columns)
{
    builder_numbers(b, s, name, ARRAY_F64, data, 2, rows, columns);
}

void builder_i64_matrix(ModelBuilder *b, ModelSection s, const char *name, const int64_t *data, uint32_t rows,
                        uint32_t columns)
{
    builder_numbers(b, s, name, ARRAY_I64, data, 2, rows, columns);
}

/* Returns the narrowest type that holds all numbers exactly. */
static ElementType narrowest(Env *env, const double *data, uint32_t count)
{
    bool u8 = true, i32 = true, f32 = true;

    for (uint32_t i = 0; i < count && (i32 || f32); i++) {
        double x = data[i];
        bool whole = x >= INT32_MIN && x <= INT32_MAX && x == (int32_t)x && !(x == 0 && signbit(x));

        u8 = u8 && whole && x >= 0 && x <= UINT8_MAX;
        i32 = i32 && whole;
        f32 = f32 && (isinf(x) || (fabs(x) <= FLT_MAX && (double)(float)x == x));
        env_poll_every(env, i + 1, 65536);
    }
    return u8 ? ARRAY_U8 : f32 ? ARRAY_F32 : i32 ? ARRAY_I32 : ARRAY_F64;
}

void builder_narrow(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t count)
{
    ElementType type = narrowest(b->env, data, count);
    char *copy = env_array_raw(b->env, (size_t)count + 1, model_element_size(type));

    for (uint32_t i = 0; i < count; i++) {
        double x = data[i];

        if (type == ARRAY_U8)
            ((uint8_t *)copy)[i] = (uint8_t)x;
        else if (type == ARRAY_I32)
            ((int32_t *)(void *)copy)[i] = (int32_t)x;
        else if (type == ARRAY_F32)
            ((float *)(void *)copy)[i] = (float)x;
        else
            ((double *)(void *)copy)[i] = x;
    }
    builder_numbers(b, s, name, type, copy, 1, count, 1);
}

void builder_bool(ModelBuilder *b, ModelSection s, const char *name, const uint8_t *data, uint32_t rows)
{
    builder_numbers(b, s, name, ARRAY_BOOL, data, 1, rows, 1);
}

void builder_text(ModelBuilder *b, ModelSection s, const char *name, const char *const *strings,
                  const uint32_t *lengths, uint32_t rows)
{
    ModelEntry entry = new_entry(b, s, name, ARRAY_TEXT, 1, rows, 1);
    Item *item = builder_item(b, &entry);

    item->strings = strings;
    item->lengths = lengths;
}

void builder_string(ModelBuilder *b, ModelSection s, const char *name, const char *bytes, size_t length)
{
    const char **string = env_array_raw(b->env, 1, sizeof *string);
    uint32_t *own_length = env_array_raw(b->env, 1, sizeof *own_length);

    if (length > MODEL_MAX_SIZE)
        env_fail(b->env, ERROR_LIMIT, NULL, "a string of %zu bytes is too long for a model", length);
    *string = bytes;
    *own_length = (uint32_t)length;
    builder_text(b, s, name, string, own_length, 1);
}

void builder_reserve(ModelBuilder *b, uint32_t bytes)
{
    b->items[b->count - 1].room = bytes;
}

/* Adds a fact of one number, whose bits are the lowest bytes of value. */
static void builder_single(ModelBuilder *b, const char *name, ElementType type, uint64_t value)
{
    ModelEntry entry = new_entry(b, SECTION_FACTS, name, type, 1, 1, 1);

    element_set_bits(&builder_item(b, &entry)->value, 0, model_element_size(type), value);
}

void builder_fact(ModelBuilder *b, const char *name, double value)
{
    builder_single(b, name, ARRAY_F64, element_bits(&value, 0, 8));
}

void builder_fact_finite(ModelBuilder *b, const char *name, double value)
{
    if (isfinite(value))
        builder_fact(b, name, value);
}

void builder_fact_i64(ModelBuilder *b, const char *name, int64_t value)
{
    builder_single(b, name, ARRAY_I64, (uint64_t)value);
}

void builder_fact_bool(ModelBuilder *b, const char *name, bool value)
{
    builder_single(b, name, ARRAY_BOOL, value);
}

void builder_fact_text(ModelBuilder *b, const char *name, const char *value)
{
    builder_string(b, SECTION_FACTS, name, value, strlen(value));
}

void builder_options(ModelBuilder *b, const char *json, uint32_t length)
{
    if (length > 0 && !(length == 2 && memcmp(json, "{}", 2) == 0))
        builder_string(b, SECTION_OPTIONS, "options", json, length);
}

void builder_entry_from(ModelBuilder *b, const Model *source, const ModelEntry *entry)
{
    Item *item = builder_item(b, entry);

    item->entry.rows = model_rows(source, entry);
    item->source = source;
    item->source_entry = entry;
    item->data = model_data(source, entry);
}

void builder_facts_from(ModelBuilder *b, const Model *source)
{
    const ModelEntry *entry = model_entries(source);

    for (uint32_t i = 0; i < source->entry_count; i++, entry++)
        if (entry->section == SECTION_FACTS)
            builder_entry_from(b, source, entry);
}

ModelBuilder *builder_from(Env *env, const Model *model, bool (*keep)(const ModelEntry *entry))
{
    ModelBuilder *b = model_builder(env, model->kind, model->estimator);
    const ModelEntry *entry = model_entries(model);

    b->header = *model;
    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        if (keep == NULL || keep(entry))
            builder_entry_from(b, model, entry);
    return b;
}

static const char *item_string(const Item *item, uint32_t i, uint32_t *length)
{
    if (item->source != NULL)
        return model_text(item->source, item->source_entry, i, length);
    *length = item->lengths != NULL ? item->lengths[i] : (uint32_t)strlen(item->strings[i]);
    return item->strings[i];
}

/* Returns the bytes of a string in JSON, with quotes and a comma. */
static uint64_t quoted_bytes(const char *bytes, uint32_t length)
{
    uint64_t total = (uint64_t)length + 3;

    for (uint32_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];

        if (c < 0x20)
            total += 5;
        else if (c == '"' || c == '\\')
            total += 1;
    }
    return total;
}

/* Returns the bytes of an item in a value, and adds an upper bound of those in the text form to *text. */
static uint64_t item_bytes(const Item *item, uint64_t *text)
{
    const ModelEntry *entry = &item->entry;
    uint64_t count = (uint64_t)entry->rows * entry->columns;
    uint64_t bytes = 0;

    *text += 128;
    if (entry->type == ARRAY_TEXT) {
        for (uint32_t i = 0; i < entry->rows; i++) {
            uint32_t length;
            const char *string = item_string(item, i, &length);

            bytes += length + 4;
            *text += quoted_bytes(string, length);
        }
        return bytes;
    }
    bytes = count * model_element_size(entry->type);
    *text += count <= MODEL_SHORT_ARRAY ? count * 30 : bytes / 3 * 4;
    return bytes;
}

static int compare_items(const void *a, const void *b)
{
    const ModelEntry *x = &((const Item *)a)->entry;
    const ModelEntry *y = &((const Item *)b)->entry;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return memcmp(x->name, y->name, MODEL_NAME_SIZE);
}

/* Tells whether an entry can be "pending": it has the rows that the header counts, or room for them. */
static bool pending_fits(const Model *header, const Item *item)
{
    uint64_t bytes = (uint64_t)header->pending_rows * item->entry.columns * 8;
    uint64_t data = (uint64_t)item->entry.rows * item->entry.columns * 8;

    return item->entry.section == SECTION_ARRAYS && item->entry.type == ARRAY_F64 &&
           item->entry.dimensions == 2 && (bytes <= data || bytes <= item->room);
}

const char *builder_problem(const ModelBuilder *b, bool exact)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const Item *item = &b->items[i];

        if (strcmp(item->entry.name, "pending") == 0 &&
            (!pending_fits(&b->header, item) ||
             (exact && item->entry.rows != b->header.pending_rows)))
            return "malformed pending rows";
        for (uint32_t k = 0; k < i; k++)
            if (memcmp(item->entry.name, b->items[k].entry.name, MODEL_NAME_SIZE) == 0)
                return "two arrays of the same name";
    }
    return NULL;
}

static void copy_item(Env *env, Model *model, const ModelEntry *entry, const Item *item)
{
    char *data = (char *)model + entry->offset;
    char *table = data + entry->reserved;
    size_t count = (size_t)entry->rows * entry->columns;
    uint32_t end = 0;

    if (entry->type != ARRAY_TEXT) {
        if (count > 0)
            env_copy(env, data, item->data != NULL ? item->data : &item->value,
                     count * model_element_size(entry->type));
        return;
    }
    for (uint32_t i = 0; i < entry->rows; i++) {
        uint32_t length;
        const char *string = item_string(item, i, &length);

        memcpy(data + end, string, length);
        end += length;
        memcpy(table - 4 * ((size_t)i + 1), &end, 4);
    }
}

static void refuse_size(Env *env, const char *what, uint64_t needed, uint64_t allowed)
{
    if (needed > allowed)
        env_fail(env, ERROR_LIMIT, "Fit on fewer features or levels, or keep fewer rows in the model.",
                 "%s of this model would take %.0f MB, and at most %.0f MB are allowed", what,
                 (double)needed / 1e6, (double)allowed / 1e6);
}

Model *model_build(ModelBuilder *b)
{
    uint64_t size = sizeof(Model) + (uint64_t)b->count * sizeof(ModelEntry);
    uint64_t text = 1024;
    const char *problem = builder_problem(b, false);
    Model *model;
    ModelEntry *entry;

    if (problem != NULL)
        env_fail(b->env, ERROR_INTERNAL, NULL, "a model was built with %s", problem);
    qsort(b->items, b->count, sizeof(Item), compare_items);
    for (uint32_t i = 0; i < b->count; i++) {
        Item *item = &b->items[i];
        uint64_t bytes = item_bytes(item, &text);

        if (bytes < item->room)
            bytes = item->room;
        if (bytes == 0)
            bytes = 8; /* no two entries share an offset */
        refuse_size(b->env, "the value", size + bytes, MODEL_MAX_SIZE);
        item->entry.offset = (uint32_t)size;
        item->entry.reserved = (uint32_t)align8(bytes);
        size += item->entry.reserved;
        b->env->poll(b->env);
    }
    refuse_size(b->env, "the value", size, MODEL_MAX_SIZE);
    refuse_size(b->env, "the text", text, MODEL_MAX_TEXT);

    model = b->env->alloc(b->env, size);
    env_zero(b->env, model, size);
    *model = b->header;
    model->host_word = 0;
    model->size = (uint32_t)size;
    model->entry_count = b->count;
    model->pending_offset = 0;
    model->options_hash = 0;
    if (model->kind == MODEL_FITTED)
        model->column_count = 0;
    entry = (ModelEntry *)(model + 1);
    for (uint32_t i = 0; i < b->count; i++, entry++) {
        *entry = b->items[i].entry;
        copy_item(b->env, model, entry, &b->items[i]);
        if (strcmp(entry->name, "pending") == 0) {
            model->pending_offset = entry->offset;
            if (model->pending_capacity == 0)
                model->pending_capacity = entry->rows;
        }
    }
    model_seal(b->env, model);
    return model;
}

Model *model_compact(Env *env, const Model *model)
{
    ModelBuilder *b = builder_from(env, model, NULL);

    b->header.pending_capacity = model->pending_rows;
    return model_build(b);
}

/* ---- changing in place ---- */

#define FREE_GROWTH ((uint64_t)1 << 20) /* bytes that a state may have under any limit */

/* Tells whether a state of this many bytes is too large for pgfit.fit_mem. */
static bool passes_limit(const Env *env, uint64_t size)
{
    return size > FREE_GROWTH && size > env->memory_limit;
}

void model_require_growth(Env *env, const Model *model, uint64_t more, const char *what)
{
    uint64_t needed = model->size + more;

    if (passes_limit(env, needed))
        env_fail(env, ERROR_LIMIT, "Set pgfit.fit_mem higher, or use fewer or shorter levels and classes.",
                 "%s would need %.1f MB, and pgfit.fit_mem allows %.1f MB", what, (double)needed / MEGABYTE,
                 (double)env->memory_limit / MEGABYTE);
}

Model *model_grow(Env *env, const Model *model, const char *name, uint32_t bytes)
{
    const ModelEntry *old = model_find(model, name);
    uint64_t room, size;
    uint32_t index, added;
    Model *grown;
    ModelEntry *entries;

    if (old == NULL)
        env_fail(env, ERROR_INTERNAL, NULL, "the state has no array \"%s\"", name);
    room = (uint64_t)old->reserved * 2;
    if (room < align8(bytes))
        room = align8(bytes);
    size = (uint64_t)model->size + (room - old->reserved);
    if (passes_limit(env, size) || size > MODEL_MAX_SIZE) {
        uint64_t eighth = align8((uint64_t)bytes + bytes / 8);
        room = eighth > old->reserved ? eighth : old->reserved;
        size = (uint64_t)model->size + (room - old->reserved);
    }
    if (size > MODEL_MAX_SIZE) { /* half of what is left, so that not every addition copies all */
        room = old->reserved + align8((MODEL_MAX_SIZE - model->size) / 2);
        if (room < align8(bytes))
            room = align8(bytes);
        size = (uint64_t)model->size + (room - old->reserved);
    }
    refuse_size(env, "the value", size, MODEL_MAX_SIZE);

    index = (uint32_t)(old - model_entries(model));
    added = (uint32_t)(room - old->reserved);
    grown = env->alloc(env, size);
    env_copy(env, grown, model, (size_t)old->offset + old->reserved);
    env_zero(env, (char *)grown + old->offset + old->reserved, added);
    env_copy(env, (char *)grown + old->offset + room, (const char *)model + old->offset + old->reserved,
             model->size - old->offset - old->reserved);
    grown->size = (uint32_t)size;
    entries = (ModelEntry *)(grown + 1);
    entries[index].reserved = (uint32_t)room;
    if (old->type == ARRAY_TEXT) /* the table of ends moves to the new end */
        memmove((char *)grown + old->offset + room - 4 * (size_t)old->rows,
                (char *)grown + old->offset + old->reserved - 4 * (size_t)old->rows,
                4 * (size_t)old->rows);
    for (uint32_t i = index + 1; i < grown->entry_count; i++)
        entries[i].offset += added;
    if (grown->pending_offset > old->offset)
        grown->pending_offset += added;
    return grown;
}

ModelEntry *model_entry_mutable(Model *model, const char *name)
{
    return (ModelEntry *)model_find(model, name);
}

void *model_data_mutable(Model *model, ModelEntry *entry)
{
    return (char *)model + entry->offset;
}

bool model_text_append(Model *model, ModelEntry *entry, const char *bytes, uint32_t length)
{
    char *data = (char *)model + entry->offset;
    uint32_t start = entry->rows > 0 ? model_text_end(model, entry, entry->rows - 1) : 0;
    uint64_t end = (uint64_t)start + length;
    uint32_t stored = (uint32_t)end;

    if (end + 4 * ((uint64_t)entry->rows + 1) > entry->reserved)
        return false;
    memcpy(data + start, bytes, length);
    memcpy(data + entry->reserved - 4 * ((size_t)entry->rows + 1), &stored, 4);
    entry->rows++;
    return true;
}

static bool append_number(Model *model, ModelEntry *entry, const void *value)
{
    if (((uint64_t)entry->rows + 1) * 8 > entry->reserved)
        return false;
    memcpy((char *)model + entry->offset + (size_t)entry->rows * 8, value, 8);
    entry->rows++;
    return true;
}

bool model_append_f64(Model *model, ModelEntry *entry, double value)
{
    return append_number(model, entry, &value);
}

bool model_append_i64(Model *model, ModelEntry *entry, int64_t value)
{
    return append_number(model, entry, &value);
}
