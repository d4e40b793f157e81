/*
 * model_layout.c - checks that bytes have the layout of a value. No offset or length is used before it has been checked.
 */
#include "core/base/json.h"
#include "core/model/model_internal.h"

#include <math.h>
#include <string.h>

const char *model_kind_name(unsigned kind)
{
    switch (kind) {
    case MODEL_FITTED:
        return "model";
    case MODEL_MOMENTS:
        return "moments";
    case MODEL_CLASS_MOMENTS:
        return "class_moments";
    case MODEL_FEATURE_MOMENTS:
        return "feature_moments";
    default:
        return NULL;
    }
}

/* Tells whether a field holds a valid name, followed by zeros to its end. */
static bool padded_name(const char *name, size_t size)
{
    size_t length = strnlen(name, size);

    if (length == size || !model_name_valid(name, length))
        return false;
    for (size_t i = length; i < size; i++)
        if (name[i] != '\0')
            return false;
    return true;
}

void model_require_format(Env *env, ErrorCode code, int64_t format, int64_t reader)
{
    if (reader > MODEL_READER)
        env_fail(env, code, "Update pgfit to a version that reads this format.",
                 "the model needs a reader of format %lld, but this one reads up to %d", (long long)reader, MODEL_READER);
    if (format == 0 || reader == 0 || reader > format)
        env_fail(env, code, NULL, "malformed %s: format %lld with minimum reader %lld",
                 code == ERROR_TEXT ? "model" : "binary model", (long long)format, (long long)reader);
}

static const char *check_format(Env *env, const Model *model, size_t size)
{
    if (model->magic != MODEL_MAGIC)
        return "not a model value";
    if (model->min_reader > MODEL_READER)
        return env_message(env, "the value needs a reader of format %u, but this one reads up to %u",
                           model->min_reader, MODEL_READER);
    if (model->format == 0 || model->min_reader == 0 || model->min_reader > model->format)
        return env_message(env, "format %u with minimum reader %u", model->format, model->min_reader);
    if (model->size != size)
        return env_message(env, "the value claims %u bytes but has %zu", model->size, size);
    return NULL;
}

static const char *check_header(Env *env, const Model *model)
{
    const char *kind = model_kind_name(model->kind);
    size_t room = model->size - sizeof(Model);

    if (kind == NULL)
        return env_message(env, "kind %u is unknown", model->kind);
    if ((model->flags & MODEL_FOLDED) && model->kind != MODEL_MOMENTS)
        return "a value of this kind cannot have folds";
    if ((model->flags & MODEL_FREQUENCY) && !(model->flags & MODEL_WEIGHTED))
        return "the weights are marked as frequencies, but there are none";
    if (model_nulls_are_values(model->flags) && model->kind != MODEL_FITTED)
        return "NULLs are both imputed and refused";
    if ((model->flags & MODEL_OUTPUT) && model->kind != MODEL_FITTED)
        return "moments cannot have a decision rule";
    if (!padded_name(model->estimator, sizeof model->estimator))
        return "the estimator's name is malformed";
    if (model->kind != MODEL_FITTED && strcmp(model->estimator, kind) != 0)
        return env_message(env, "moments of kind \"%s\" named \"%s\"", kind, model->estimator);
    if (model->entry_count > MODEL_MAX_ENTRIES || model->entry_count > room / sizeof(ModelEntry))
        return env_message(env, "%u arrays do not fit", model->entry_count);
    if (model->field_count > model->slot_count || model->slot_count > MODEL_MAX_SIZE / 8)
        return env_message(env, "%u features in %u slots", model->field_count, model->slot_count);
    if (model->rows < 0 || model->skipped < 0)
        return "a negative number of rows";
    if (model->rows > MODEL_MAX_ROWS || model->skipped > MODEL_MAX_ROWS)
        return "more rows than can be counted";
    if (!isfinite(model->weight) || model->weight < 0)
        return "the sum of weights is not a finite number";
    if (model->pending_rows > model->pending_capacity)
        return env_message(env, "%u pending rows do not fit in a capacity of %u", model->pending_rows,
                           model->pending_capacity);
    if (model->kind == MODEL_FITTED && (model->column_count != 0 || model->pending_capacity != 0 ||
                                        model->pending_offset != 0 || model->flushes != 0 ||
                                        model->options_hash != 0))
        return "a fitted model has header fields of moments";
    return NULL;
}

/* Checks that the strings are text, follow each other, and end before the table of ends. */
static const char *check_text(Env *env, const Model *model, const ModelEntry *entry)
{
    const char *data = (const char *)model + entry->offset;
    const char *table = data + entry->reserved;
    uint64_t limit = entry->reserved - 4 * (uint64_t)entry->rows;
    uint32_t start = 0;

    for (uint32_t i = 0; i < entry->rows; i++) {
        uint32_t end;

        memcpy(&end, table - 4 * ((size_t)i + 1), 4);
        if (end < start || end > limit)
            return env_message(env, "string %u of \"%s\" lies outside its array", i + 1, entry->name);
        if (!text_is_valid(env, data + start, end - start))
            return env_message(env, "string %u of \"%s\" is not text", i + 1, entry->name);
        start = end;
        env_poll_every(env, i, 4096);
    }
    return NULL;
}

static const char *check_pending(Env *env, const Model *model, const ModelEntry *entry)
{
    if (entry->section != SECTION_ARRAYS || entry->type != ARRAY_F64 || entry->dimensions != 2)
        return "\"pending\" is not a matrix of pending rows";
    if (model->pending_offset != entry->offset)
        return "the offset of the pending rows is wrong";
    if (entry->rows > model->pending_capacity ||
        (uint64_t)model->pending_capacity * entry->columns > entry->reserved / 8)
        return env_message(env, "%u pending rows of %u numbers do not fit", model->pending_capacity,
                           entry->columns);
    return NULL;
}

const char *model_entry_problem(Env *env, const ModelEntry *entry)
{
    if (entry->section < SECTION_SCHEMA || entry->section > SECTION_ARRAYS)
        return env_message(env, "\"%s\" is in section %u", entry->name, entry->section);
    if (entry->type < ARRAY_F64 || entry->type > ARRAY_TYPES)
        return env_message(env, "\"%s\" is of type %u", entry->name, entry->type);
    if (entry->reserved0 != 0)
        return env_message(env, "\"%s\" has a reserved field that is not zero", entry->name);
    if (entry->dimensions == 1 ? entry->columns != 1
                               : entry->dimensions != 2 || entry->columns == 0 ||
                                     entry->type == ARRAY_BOOL || entry->type == ARRAY_TEXT)
        return env_message(env, "\"%s\" has %u dimensions and %u columns", entry->name,
                           entry->dimensions, entry->columns);
    return NULL;
}

/* Checks an entry whose data must begin at offset. */
static const char *check_entry(Env *env, const Model *model, const ModelEntry *entry,
                               uint64_t offset)
{
    uint64_t count = (uint64_t)entry->rows * entry->columns;
    uint64_t width = model_element_size(entry->type);
    const char *error = model_entry_problem(env, entry);

    if (error != NULL)
        return error;
    if (entry->offset != offset)
        return env_message(env, "\"%s\" begins at byte %u and not at %llu", entry->name,
                           entry->offset, (unsigned long long)offset);
    if (entry->reserved < 8 || entry->reserved % 8 != 0 || entry->reserved > model->size - offset)
        return env_message(env, "\"%s\" has room for %u bytes", entry->name, entry->reserved);
    if (count > entry->reserved / width)
        return env_message(env, "\"%s\" of %u x %u does not fit in %u bytes", entry->name, entry->rows,
                           entry->columns, entry->reserved);
    if (strcmp(entry->name, "pending") == 0)
        return check_pending(env, model, entry);
    if (entry->type == ARRAY_TEXT)
        return check_text(env, model, entry);
    if (entry->type != ARRAY_F64 && entry->type != ARRAY_I64)
        for (uint64_t i = count * width; i % 8 != 0; i++)
            if (((const uint8_t *)model)[offset + i] != 0)
                return env_message(env, "the padding after \"%s\" is not zero", entry->name);
    if (entry->type == ARRAY_BOOL) {
        const uint8_t *flags = (const uint8_t *)model + entry->offset;

        for (uint32_t i = 0; i < entry->rows; i++)
            if (flags[i] > 1)
                return env_message(env, "element %u of \"%s\" is neither true nor false", i + 1,
                                   entry->name);
    }
    return NULL;
}

/* Checks that entries are in order of section and name, and that no name occurs twice. */
static const char *check_names(Env *env, const Model *model)
{
    const ModelEntry *entries = model_entries(model);

    for (uint32_t i = 0; i < model->entry_count; i++) {
        if (!padded_name(entries[i].name, MODEL_NAME_SIZE))
            return env_message(env, "the name of array %u is malformed", i + 1);
        for (uint32_t k = 0; k < i; k++)
            if (memcmp(entries[k].name, entries[i].name, MODEL_NAME_SIZE) == 0)
                return env_message(env, "two arrays are named \"%s\"", entries[i].name);
        if (i > 0 && (entries[i - 1].section > entries[i].section ||
                      (entries[i - 1].section == entries[i].section &&
                       strcmp(entries[i - 1].name, entries[i].name) > 0)))
            return env_message(env, "\"%s\" is out of order", entries[i].name);
    }
    return NULL;
}

const char *model_check_layout(Env *env, const void *value, size_t size)
{
    const Model *model = value;
    const ModelEntry *entries;
    const char *error;
    uint64_t offset;
    bool pending = false;

    if (size < sizeof(Model) || size > MODEL_MAX_SIZE || size % 8 != 0)
        return env_message(env, "%zu bytes are not a model", size);
    if ((uintptr_t)value % 8 != 0)
        return "the value is not aligned";
    error = check_format(env, model, size);
    if (error == NULL)
        error = check_header(env, model);
    if (error == NULL)
        error = check_names(env, model);
    if (error != NULL)
        return error;

    entries = model_entries(model);
    offset = sizeof(Model) + (uint64_t)model->entry_count * sizeof(ModelEntry);
    for (uint32_t i = 0; i < model->entry_count; i++) {
        error = check_entry(env, model, &entries[i], offset);
        if (error != NULL)
            return error;
        pending = pending || strcmp(entries[i].name, "pending") == 0;
        offset += entries[i].reserved;
        env->poll(env);
    }
    if (offset != size)
        return env_message(env, "%zu bytes after the last array", (size_t)(size - offset));
    if (!pending && (model->pending_offset != 0 || model->pending_capacity != 0))
        return "there are pending rows but no array \"pending\"";
    return NULL;
}

const char *model_check_options(Env *env, const Model *model)
{
    const ModelEntry *entry = model_entries(model);
    const char *error = NULL;
    const char *text;
    const Json *root;
    TextBuffer writer;
    uint32_t length;

    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        if (entry->section == SECTION_OPTIONS &&
            (strcmp(entry->name, "options") != 0 || entry->type != ARRAY_TEXT || entry->rows != 1))
            return "the options are not one text";
    text = model_options(model, &length);
    root = json_try_parse(env, text, length, &error);
    if (root == NULL)
        return env_message(env, "the options are malformed: %s", error);
    if (root->type != JSON_OBJECT)
        return "the options are not an object";
    if (root->length == 0)
        return length == 2 && model_find(model, "options") == NULL ? NULL : "empty options";
    writer = (TextBuffer){.env = env};
    if (!json_canonical(&writer, root) || writer.length != length ||
        memcmp(writer.text, text, length) != 0)
        return "the options are not in canonical form";
    return NULL;
}
