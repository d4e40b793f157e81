/*
 * features_json.c - jsonb objects: keys are names, values are numbers, booleans, strings or null.
 *
 * The object is walked once per row. Rows from one source mostly have the same keys, which jsonb stores in one order: one
 * memcmp compares them with those of the last row, and only where they differ are they matched with the model again.
 */
#include "pg/features/features_internal.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* An object at any address. */
typedef struct ObjectView {
    const char *entries; /* uint32 JEntry[2 count]: keys, then values */
    uint32 count;
    const char *data;
    uint32 key_bytes; /* of all keys, which come first */
} ObjectView;

static inline uint32 entry_at(const ObjectView *view, uint32 i)
{
    return READ_AT(uint32, view->entries + (size_t)i * sizeof(uint32));
}

/* Returns where the data of an entry ends, given where it begins. */
static inline uint32 entry_end(uint32 entry, uint32 start)
{
    return JBE_HAS_OFF(entry) ? JBE_OFFLENFLD(entry) : start + JBE_OFFLENFLD(entry);
}

/* Opens an object without setting key_bytes, which takes a walk over the keys. */
static inline ObjectView object_open(const char *place)
{
    ObjectView view;
    uint32 size, header;
    const char *content = varlena_content(place, &size);

    header = READ_AT(uint32, content);
    if (!(header & JB_FOBJECT))
        env_fail(host_env(), ERROR_DATA,
                 "Pass an object with one key per feature, or cast to float8[].",
                 "features given as jsonb must be an object, not %s",
                 header & JB_FSCALAR ? "a single value" : "an array");
    view.count = header & JB_CMASK;
    view.entries = content + sizeof(uint32);
    view.data = view.entries + (size_t)view.count * 2 * sizeof(uint32);
    view.key_bytes = 0;
    return view;
}

static ObjectView object_view(const char *place)
{
    ObjectView view = object_open(place);
    uint32 end = 0;

    for (uint32 i = 0; i < view.count; i++)
        end = entry_end(entry_at(&view, i), end);
    view.key_bytes = end;
    return view;
}

/* Are the keys those of the last object? Equal entries mean equal lengths, so that no walk is needed. */
static inline bool same_keys(const FeatureReader *reader, const ObjectView *object)
{
    return reader->keys && reader->keys->column_count == object->count &&
           memcmp(reader->key_bytes, object->entries, reader->key_entries_size) == 0 &&
           memcmp(reader->key_bytes + reader->key_entries_size, object->data,
                  reader->key_bytes_size) == 0;
}

/* Keeps the keys as columns, and their bytes for comparison with the next object. */
static void keys_make(FeatureReader *reader, const ObjectView *view)
{
    MemoryContext before;
    Source *source;
    uint32 start = 0;

    reader->keys = NULL;
    reader->binding.valid = false;
    if (!reader->keys_context)
        reader->keys_context =
            AllocSetContextCreate(reader->context, "pgfit keys", ALLOCSET_SMALL_SIZES);
    MemoryContextReset(reader->keys_context);
    before = MemoryContextSwitchTo(reader->keys_context);

    reader->key_entries_size = view->count * sizeof(uint32);
    reader->key_bytes_size = view->key_bytes;
    reader->key_bytes = palloc(reader->key_entries_size + reader->key_bytes_size + 1);
    memcpy(reader->key_bytes, view->entries, reader->key_entries_size);
    memcpy(reader->key_bytes + reader->key_entries_size, view->data, reader->key_bytes_size);

    source = palloc0(sizeof *source);
    source->type = JSONBOID;
    source->typmod = -1;
    source->context = reader->keys_context;
    source->column_count = source->live_count = view->count;
    source->columns = palloc0(Max(view->count, 1) * sizeof *source->columns);
    for (uint32 i = 0; i < view->count; i++) {
        uint32 end = entry_end(entry_at(view, i), start);
        SourceColumn *column = &source->columns[i];

        column->name = reader->key_bytes + reader->key_entries_size + start;
        column->name_length = end - start;
        column->type = JSONBOID;
        column->value_kind = SQL_VALUE_JSONB;
        column->named = true;
        start = end;
    }
    source->named_count = view->count;
    source->named = true; /* keys are names, whatever they are; an object without keys counts as named */
    MemoryContextSwitchTo(before);
    reader->keys = source;
}

const Source *reader_json_source(FeatureReader *reader, const char *place)
{
    ObjectView view = object_open(place);

    if (unlikely(!same_keys(reader, &view))) {
        view = object_view(place);
        keys_make(reader, &view);
    }
    return reader->keys;
}

static void __attribute__((noreturn)) fail_nested(const SourceColumn *column)
{
    env_fail(host_env(), ERROR_DATA, "Extract its values, or pass the features as float8[].",
             "feature \"%s\" is a jsonb array or object",
             message_string(column->name, column->name_length));
}

FieldKind json_value_kind(const Source *keys, const char *place, uint32 column)
{
    ObjectView view = object_view(place);
    uint32 entry = entry_at(&view, view.count + column);

    if (JBE_ISNULL(entry))
        return (FieldKind)0;
    if (JBE_ISSTRING(entry))
        return FIELD_CATEGORICAL;
    if (JBE_ISCONTAINER(entry))
        fail_nested(&keys->columns[column]);
    return JBE_ISBOOL(entry) ? FIELD_BOOLEAN : FIELD_NUMERIC;
}

/* Returns the entry of a key's value and the offset of its data; reader->keys are the keys of this object. */
static uint32 value_entry(const FeatureReader *reader, const ObjectView *view, uint32 column, uint32 *start)
{
    *start = reader->key_bytes_size;
    for (uint32 i = 0; i < column; i++)
        *start = entry_end(entry_at(view, view->count + i), *start);
    return entry_at(view, view->count + column);
}

bool json_value_number(FeatureReader *reader, const char *place, uint32 column, double *number)
{
    ObjectView view = object_open(place);
    uint32 start, entry = value_entry(reader, &view, column, &start);
    bool overflow = false;

    if (JBE_ISNULL(entry))
        return false;
    *number = JBE_ISNUMERIC(entry) ? sql_value_numeric(view.data + INTALIGN(start), &overflow) : JBE_ISBOOL(entry) ? JBE_ISBOOL_TRUE(entry) : NAN;
    return true;
}

/* Returns the text of a number of an object, which may lie at any address. */
static const char *numeric_text(const char *place, uint32 *length)
{
    char *number = palloc(VARSIZE_ANY(place));
    const char *text;

    memcpy(number, place, VARSIZE_ANY(place));
    text = numeric_normalize((Numeric)number);
    *length = (uint32)strlen(text);
    return text;
}

const char *json_value_text(FeatureReader *reader, const char *place, uint32 column, uint32_t *length)
{
    ObjectView view = object_open(place);
    uint32 start, entry = value_entry(reader, &view, column, &start);
    const char *text;

    if (JBE_ISNULL(entry))
        return NULL;
    if (JBE_ISSTRING(entry)) {
        *length = entry_end(entry, start) - start;
        return view.data + start;
    }
    if (JBE_ISCONTAINER(entry))
        env_fail(host_env(), ERROR_DATA, "Extract a string or number from it.", "column \"%s\" is a jsonb array or object",
                 message_string(reader->keys->columns[column].name, reader->keys->columns[column].name_length));
    if (JBE_ISBOOL(entry))
        text = JBE_ISBOOL_TRUE(entry) ? "true" : "false";
    else
        return numeric_text(view.data + INTALIGN(start), length);
    *length = (uint32_t)strlen(text);
    return text;
}

static void __attribute__((noreturn))
fail_kind(const RowRead *row, const Step *step, const char *here)
{
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(row->model, step->field, name, sizeof name);
    env_fail(host_env(), ERROR_DATA,
             step->kind == FIELD_NUMERIC && strcmp(here, "a string") == 0 ? "Write numbers without quotes."
             : step->kind == FIELD_CATEGORICAL                            ? "Write categories as strings, in quotes."
             : step->kind >= FIELD_DATE && step->kind <= FIELD_INTERVAL
                 ? "Objects hold no dates and times: make a row of it, as in jsonb_populate_record(NULL::my_table, object)."
                 : NULL,
             "feature \"%s\" is %s here and %s in %s", name, here,
             field_kind_name(step->kind), row->training ? "the first row" : "the model");
}

/* Reads a number or a boolean of an object as a level, ordered by its value. */
static void put_any(RowRead *row, const Step *step, const ObjectView *view, uint32 entry, uint32 start)
{
    bool overflow = false;
    uint32 length;
    const char *text;
    double key;

    if (JBE_ISBOOL(entry)) {
        key = JBE_ISBOOL_TRUE(entry) ? 1 : 0;
        text = JBE_ISBOOL_TRUE(entry) ? "true" : "false";
        length = JBE_ISBOOL_TRUE(entry) ? 4 : 5;
    } else {
        key = sql_value_numeric(view->data + INTALIGN(start), &overflow);
        text = numeric_text(view->data + INTALIGN(start), &length);
    }
    row_put_level(row, step, text, length, false, overflow ? 0 : key);
}

/* Encodes one value of an object. */
static bool put_value(RowRead *row, const Step *step, const ObjectView *view, uint32 entry,
                      uint32 start, uint32 end)
{
    bool number = step->kind == FIELD_NUMERIC || step->kind == FIELD_BOOLEAN;

    if (JBE_ISNULL(entry))
        return row_put_null(row, step);
    if (JBE_ISCONTAINER(entry))
        fail_nested(step->column);
    if (JBE_ISSTRING(entry)) {
        if (step->kind == FIELD_TEXT && !row->training)
            row_put_level(row, step, view->data + start, end - start, false, 0);
        else if (step->kind == FIELD_CATEGORICAL || step->kind == FIELD_TEXT)
            row_put_text(row, step, view->data + start, end - start);
        else
            fail_kind(row, step, "a string");
        return true;
    }
    if (step->kind == FIELD_TEXT && model_takes_values(row->model, row->training) == TAKES_ANY) {
        put_any(row, step, view, entry, start);
        return true;
    }
    if (!number || step->width != 1)
        fail_kind(row, step, JBE_ISBOOL(entry) ? "a boolean" : "a number");
    if (JBE_ISBOOL(entry))
        row->slots[step->slot] = JBE_ISBOOL_TRUE(entry) ? 1 : 0;
    else {
        bool overflow = false;

        row->slots[step->slot] = sql_value_numeric(view->data + INTALIGN(start), &overflow);
        require_boolean(step, row->slots[step->slot]);
        if (overflow)
            row->overflow_slot = step->slot;
    }
    if (row->nulls)
        row->nulls[step->slot] = false;
    return true;
}

/* Encodes a value of an object for each step of a chain. */
static bool put_expressions(RowRead *row, const Step *step, const ObjectView *view, uint32 entry, uint32 start, uint32 end)
{
    Binding *binding = &row->reader->binding;

    for (; step; step = step->next) {
        if (step->variable) {
            bool overflow = false;

            if (JBE_ISNULL(entry))
                variable_set_null(binding, step);
            else if (step->level && JBE_ISSTRING(entry))
                variable_set_level(binding, step, view->data + start, end - start);
            else if (step->level)
                fail_level(step, "no string");
            else if (JBE_ISBOOL(entry))
                variable_set(binding, step, JBE_ISBOOL_TRUE(entry) ? 1 : 0);
            else if (JBE_ISNUMERIC(entry)) {
                variable_set(binding, step, sql_value_numeric(view->data + INTALIGN(start), &overflow));
                require_boolean(step, binding->expressions->variables[step->variable - 1]);
            } else
                env_fail(host_env(), ERROR_DATA, "Use factor() to read any value as a category.",
                         "the formula takes a number from \"%s\", which is %s",
                         message_string(step->column->name, step->column->name_length),
                         JBE_ISSTRING(entry) ? "a string" : "an array or object");
        } else if (step->slot < 0)
            continue;
        else if (step->any && (JBE_ISBOOL(entry) || JBE_ISNUMERIC(entry)))
            put_any(row, step, view, entry, start);
        else if (!put_value(row, step, view, entry, start, end))
            return false;
    }
    return true;
}

/* Encodes an object for a formula with expressions, or one that lacks keys of the schema. */
static pg_noinline bool read_expressions(RowRead *row, const ObjectView *view)
{
    const Binding *binding = &row->reader->binding;
    uint32 start = row->reader->key_bytes_size;

    for (uint32 i = 0; i < binding->step_count; i++) {
        uint32 entry = entry_at(view, view->count + i), end = entry_end(entry, start);

        if (!put_expressions(row, &binding->steps[i], view, entry, start, end))
            return false;
        start = end;
    }
    for (uint32 i = 0; i < binding->absent_count; i++)
        if (!row_put_null(row, &binding->absent[i]))
            return false;
    return binding->expressions == NULL || row_put_expressions(row);
}

bool row_read_json(RowRead *row, const char *place)
{
    const Binding *binding = &row->reader->binding;
    ObjectView view = object_open(place); /* reader->keys are its keys */
    uint32 start = row->reader->key_bytes_size;

    if (unlikely(binding->expressions != NULL || binding->absent_count > 0))
        return read_expressions(row, &view);
    for (uint32 i = 0; i < binding->step_count; i++) {
        const Step *step = &binding->steps[i];
        uint32 entry = entry_at(&view, view.count + i);
        uint32 end = entry_end(entry, start);

        /* fits of numbers of few digits take 1.08 times as long without this */
        if (likely(step->plain && JBE_ISNUMERIC(entry) &&
                   numeric_small(view.data + INTALIGN(start), &row->slots[step->slot]))) {
            if (row->nulls)
                row->nulls[step->slot] = false;
        } else if (step->slot >= 0 && !put_value(row, step, &view, entry, start, end))
            return false;
        start = end;
    }
    return true;
}
