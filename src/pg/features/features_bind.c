/*
 * features_bind.c - which column fills which slots: made once, checked every row by content.
 */
#include "core/base/json.h"
#include "pg/features/features_internal.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* The bytes of an entry that count: of strings both the bytes and the ends. */
static uint32 entry_bytes(const Model *model, const ModelEntry *entry, const char **data,
                          const char **tail)
{
    *data = model_data(model, entry);
    *tail = NULL;
    if (entry->type == ARRAY_TEXT) {
        uint32 end = 0;

        *tail = *data + entry->reserved - (size_t)entry->rows * sizeof(uint32);
        if (entry->rows)
            memcpy(&end, *tail, sizeof end); /* the last string's */
        return end;
    }
    return entry->rows * 8;
}

static bool bound_same(const BoundBytes *bound, const Model *model, const ModelEntry *entry)
{
    const char *data, *tail;
    uint32 size, tail_size;

    if (!entry || !bound->present)
        return !entry && !bound->present;
    if (entry->rows != bound->rows)
        return false;
    size = entry_bytes(model, entry, &data, &tail);
    tail_size = tail ? entry->rows * sizeof(uint32) : 0;
    return size + tail_size == bound->size && memcmp(bound->bytes, data, size) == 0 &&
           (!tail || memcmp(bound->bytes + size, tail, tail_size) == 0);
}

static void bound_copy(BoundBytes *bound, const Model *model, const ModelEntry *entry)
{
    const char *data, *tail;
    uint32 size, tail_size;

    memset(bound, 0, sizeof *bound);
    if (!entry)
        return;
    size = entry_bytes(model, entry, &data, &tail);
    tail_size = tail ? entry->rows * sizeof(uint32) : 0;
    bound->present = true;
    bound->rows = entry->rows;
    bound->size = size + tail_size;
    bound->bytes = palloc(Max(bound->size, 1));
    memcpy(bound->bytes, data, size);
    if (tail)
        memcpy(bound->bytes + size, tail, tail_size);
}

bool binding_holds(const Binding *binding, const Model *model, const SchemaView *view,
                   const Source *source, bool training)
{
    return binding->valid && binding->source == source && binding->training == training &&
           binding->field_count == model->field_count && binding->slot_count == model->slot_count &&
           binding->model_named == ((model->flags & MODEL_NAMED) != 0) &&
           bound_same(&binding->names, model, view->field_names) &&
           bound_same(&binding->kinds, model, view->field_kinds) &&
           bound_same(&binding->widths, model, view->field_widths);
}

void binding_note(Binding *binding, const Model *model, const SchemaView *view)
{
    const ModelEntry *entries = model_entries(model);
    const ModelEntry *parts[] = {view->field_kinds, view->field_names, view->field_widths};
    SeenSchema *seen = &binding->seen;
    uint64 first = model->size, end = 0, reserved = 0, size;
    uint32 count = 0;

    seen->entries = 0;
    seen->levels = 0;
    if (view->level_text) {
        seen->levels = view->level_text->rows;
        seen->text = view->level_text->offset;
        seen->ends = view->level_text->offset + view->level_text->reserved;
        seen->fields = view->level_field->offset;
        seen->keys = view->level_key->offset;
        seen->sorted = view->level_sorted->offset;
    }
    while (count < model->entry_count && entries[count].section == SECTION_SCHEMA)
        count++;
    for (size_t i = 0; i < lengthof(parts); i++)
        if (parts[i]) {
            first = Min(first, parts[i]->offset);
            end = Max(end, (uint64)parts[i]->offset + parts[i]->reserved);
            reserved += parts[i]->reserved;
        }
    if (count == 0 || (reserved && first + reserved != end))
        return; /* nothing to see, or other arrays lie between them */
    size = count * sizeof(ModelEntry) + reserved;
    if (seen->room < size) {
        if (seen->bytes)
            pfree(seen->bytes);
        seen->bytes = MemoryContextAlloc(binding->context, size);
        seen->room = (uint32)size;
    }
    seen->content = (uint32)first;
    seen->content_size = (uint32)reserved;
    memcpy(seen->bytes, entries, count * sizeof(ModelEntry));
    memcpy(seen->bytes + count * sizeof(ModelEntry), (const char *)model + first, reserved);
    seen->entries = count;
}

/* ---- making one ---- */

char *message_string(const char *bytes, uint32 length)
{
    int kept = pg_mbcliplen(bytes, (int)length, NAMEDATALEN - 1);
    char *string = palloc((Size)kept + 4);

    memcpy(string, bytes, (Size)kept);
    strcpy(string + kept, (uint32)kept < length ? "..." : "");
    return string;
}

/* "The row has: a, b, c." */
char *source_list(const Source *source)
{
    StringInfoData text;
    uint32 listed = 0;

    initStringInfo(&text);
    appendStringInfoString(&text, source->live_count > 0 ? "The row has: " : "The row has none");
    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];

        if (column->dropped)
            continue;
        if (listed == 50) {
            appendStringInfo(&text, ", ... (%u)", source->live_count);
            break;
        }
        appendStringInfo(&text, "%s%s", listed++ ? ", " : "",
                         message_string(column->name, column->name_length));
    }
    appendStringInfoChar(&text, '.');
    return text.data;
}

typedef struct NameSlot {
    const char *name;
    uint32 length;
    uint32 number;
    bool own; /* the column's, not for its place */
} NameSlot;

static int compare_names(const NameSlot *a, const NameSlot *b)
{
    int order = memcmp(a->name, b->name, Min(a->length, b->length));

    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* By name, of one name a column's own first. */
static int compare_slots(const void *left, const void *right)
{
    const NameSlot *a = left, *b = right;
    int order = compare_names(a, b);

    return order ? order : b->own - a->own;
}

/* The live columns of a row in order of name, and those that fields have by now. */
typedef struct Columns {
    const Source *source;
    NameSlot *sorted;
    uint32 count;
    bool *taken;
} Columns;

static Columns columns_open(const Source *source)
{
    Columns columns = {source};

    columns.sorted = palloc(Max(source->live_count, 1) * sizeof *columns.sorted);
    columns.taken = palloc0(Max(source->column_count, 1) * sizeof *columns.taken);
    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];

        if (!column->dropped)
            columns.sorted[columns.count++] = (NameSlot){column->name, column->name_length, i, column->named};
    }
    qsort(columns.sorted, columns.count, sizeof *columns.sorted, compare_slots);
    return columns;
}

#define NO_COLUMN UINT32_MAX

/* Takes the column of this name that is still free. own: only where the name is the column's own. */
static uint32 columns_take(Columns *columns, const NameSlot *wanted, bool own)
{
    uint32 low = 0, high = columns->count;

    while (low < high) {
        uint32 middle = low + (high - low) / 2;

        if (compare_names(&columns->sorted[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < columns->count && compare_names(&columns->sorted[low], wanted) == 0; low++) {
        const NameSlot *slot = &columns->sorted[low];

        if (!columns->taken[slot->number] && (slot->own || !own)) {
            columns->taken[slot->number] = true;
            return slot->number;
        }
    }
    return NO_COLUMN;
}

/*
 * Finds the column of each field by name: first of the fields that have one of their own, then of others by f and the
 * place, where a column is called so. Returns the number of fields left, with NO_COLUMN.
 */
static uint32 match_names(const Model *model, const SchemaView *view, Columns *columns, uint32 *matched)
{
    uint32 left = 0;

    for (int named = 1; named >= 0; named--)
        for (uint32 i = 0; i < model->field_count; i++) {
            char buffer[16];
            NameSlot wanted = {.name = buffer};

            if (schema_field_named(model, view, i) != (named == 1))
                continue;
            if (view->field_names)
                wanted.name = model_text(model, view->field_names, i, &wanted.length);
            else
                wanted.length = (uint32)snprintf(buffer, sizeof buffer, "f%u", i + 1);
            matched[i] = columns_take(columns, &wanted, named == 0 && columns->source->named_count > 0);
            left += matched[i] == NO_COLUMN;
        }
    return left;
}

static void __attribute__((noreturn)) fail_count(const Source *source, const Model *model, bool training)
{
    if (training)
        env_fail(host_env(), ERROR_DATA, NULL, "a row of %u feature(s) among rows of %u",
                 source->live_count, model->field_count);
    env_fail(host_env(), ERROR_DATA, NULL, "the model has %u feature(s), the row %u",
             model->field_count, source->live_count);
}

/* Returns the name of the column that the options of a running state set aside; NULL if none. */
static const char *aside_name(const Model *state)
{
    uint32_t size;
    const char *options = model_options(state, &size);
    const Json *root = size > 0 ? json_parse(host_env(), options, size, ERROR_CORRUPT, "options") : NULL;
    const Json *name = root != NULL ? json_get(root, "fold_column") : NULL;

    if (name == NULL && root != NULL)
        name = json_get(root, "id_column");
    return name != NULL && name->type == JSON_STRING ? json_string(host_env(), name) : NULL;
}

/* Fails for a row of a fit that has all features by name, and a column too many or none to set aside. */
static void __attribute__((noreturn))
fail_columns(const Source *source, const Model *model, const uint32 *columns)
{
    const char *special = aside_name(model);
    bool lacks = special != NULL;

    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];
        bool known = column->dropped;

        for (uint32 f = 0; f < model->field_count && !known; f++)
            known = columns[f] == i;
        if (known)
            continue;
        if (special == NULL || strlen(special) != column->name_length || memcmp(column->name, special, column->name_length) != 0)
            env_fail(host_env(), ERROR_DATA,
                     "Give all rows the same features, or name those to use with option \"features\".",
                     "the row has \"%s\", which the first row did not have",
                     message_string(column->name, column->name_length));
        lacks = false;
    }
    if (lacks)
        env_fail(host_env(), ERROR_DATA, source_list(source),
                 "the row has no \"%s\", which an option sets aside", message_string(special, (uint32)strlen(special)));
    fail_count(source, model, true);
    pg_unreachable();
}

/* A field that no column can be. place: the column there; NULL: the row has others than the fields. */
static void __attribute__((noreturn))
fail_missing(const Model *model, const SchemaView *view, uint32 field, const Source *source,
             const SourceColumn *place, bool training)
{
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(model, field, name, sizeof name);
    if (place == NULL && source_find(source, name) >= 0) /* a name that the model has twice */
        fail_count(source, model, training);
    if (schema_field_named(model, view, field))
        env_fail(host_env(), ERROR_DATA,
                 source->named ? source_list(source)
                               : psprintf("%s Columns without a name go by their place; AS gives them one.",
                                          source_list(source)),
                 "the row has no feature \"%s\"", name);
    if (place == NULL)
        fail_count(source, model, training);
    env_fail(host_env(), ERROR_DATA,
             psprintf("%s Give the columns in the order of training, or name them all in both places, with AS.",
                      source_list(source)),
             "feature \"%s\" has no name in %s and goes by its place, where the row has feature \"%s\"", name,
             training ? "the first row" : "the model", message_string(place->name, place->name_length));
}

/*
 * Gives the fields that are left the columns at their places, one each. A column and a field that both have names, and
 * not the same, do not go together, nor does a column that another field has by name.
 */
static void match_places(const Model *model, const SchemaView *view, Columns *columns, bool training, uint32 *matched)
{
    const Source *source = columns->source;
    uint32 field = 0;

    for (uint32 i = 0; i < model->field_count && source->live_count != model->field_count; i++)
        if (matched[i] == NO_COLUMN)
            fail_missing(model, view, i, source, NULL, training);
    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];

        if (column->dropped)
            continue;
        if (matched[field] == NO_COLUMN) {
            if (columns->taken[i] || (column->named && schema_field_named(model, view, field)))
                fail_missing(model, view, field, source, column, training);
            columns->taken[i] = true;
            matched[field] = i;
        }
        field++;
    }
}

/* The column of each field: by the names there are, and by place. */
static void match_columns(const Model *model, const SchemaView *view, const Source *source,
                          bool training, uint32 *matched)
{
    bool special = training && model_has_special_column(model); /* a column more, which is no feature */
    bool selected = training && model_options_have(model, "\"features\":");
    bool model_knows = schema_named_fields(model) > 0;
    Columns columns = columns_open(source);
    uint32 left = match_names(model, view, &columns, matched), field = 0;

    if ((source->named_count > 0 || source->named) && model_knows) { /* an object without keys has names too */
        if (left > 0)
            match_places(model, view, &columns, training, matched);
        if (training && !selected && source->live_count != model->field_count + special)
            fail_columns(source, model, matched);
        return;
    }
    /* a model of f1 .. fn and columns that are called so; or a column aside, or some selected, of a row without names */
    if (left == 0 && (source->named_count > 0 || ((special || selected) && source->live_count != model->field_count)))
        return;
    if (source->live_count != model->field_count)
        fail_count(source, model, training);
    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped)
            matched[field++] = i;
}

/* How a column's kind becomes the model's; false where it cannot. */
static bool convert(FieldKind from, FieldKind to, Conversion *conversion)
{
    bool from_number = from == FIELD_NUMERIC || from == FIELD_BOOLEAN;
    bool to_number = to == FIELD_NUMERIC || to == FIELD_BOOLEAN;
    bool from_moment = from == FIELD_TIMESTAMP || from == FIELD_TIMESTAMPTZ;
    bool to_moment = to == FIELD_TIMESTAMP || to == FIELD_TIMESTAMPTZ;

    *conversion = CONVERT_NONE;
    if (from == FIELD_DATE && to_moment)
        *conversion = CONVERT_TO_SECONDS;
    else if (from_moment && to == FIELD_DATE)
        *conversion = CONVERT_TO_DAYS;
    else
        return from == to || (from_number && to_number) || (from_moment && to_moment);
    return true;
}

void source_fail_column(const SourceColumn *column)
{
    env_fail(host_env(), ERROR_PARAMETER,
             "Features are numbers, booleans, text, enums, uuids, dates, times and one-dimensional "
             "arrays of numbers. Leave the column out, or cast it.",
             "column \"%s\" of type %s cannot be a feature",
             message_string(column->name, column->name_length), format_type_be(column->type));
}

/* One column's step for a field. */
static void step_make(FeatureReader *reader, Step *step, const Model *model, const SchemaView *view,
                      uint32 field, uint32 slot)
{
    const SourceColumn *column = step->column;
    FieldKind kind;

    if (column->value_kind == SQL_VALUE_NONE)
        source_fail_column(column);
    if (sql_value_is_level(column->value_kind)) {
        SqlValueType type = {column->type, getBaseType(column->type), column->value_kind};

        sql_value_require_equality(&type, column->collation,
                                 psprintf("values of feature \"%s\"",
                                          message_string(column->name, column->name_length)));
    }
    if (OidIsValid(column->cast)) {
        cast_check(column->cast);
        step->cast = palloc0(sizeof *step->cast);
        fmgr_info_cxt(column->cast, step->cast, reader->binding.context);
    }
    step->field = field;
    step->slot = (int32)slot;
    step->width = schema_view_width(model, view, field);
    step->kind = schema_view_kind(model, view, field);
    if (column->value_kind != SQL_VALUE_JSONB) {
        kind = sql_value_kind(column->value_kind == SQL_VALUE_ARRAY || column->value_kind == SQL_VALUE_CAST
                                ? column->element
                                : column->value_kind);
        step->clash = !convert(kind, step->kind, &step->conversion);
    }
    step->plain = step->width == 1 && !step->clash &&
                  (column->value_kind == SQL_VALUE_JSONB
                       ? step->kind == FIELD_NUMERIC || step->kind == FIELD_BOOLEAN
                       : sql_value_is_plain_number(column->value_kind));
    step->text = step->kind == FIELD_CATEGORICAL && !step->clash && column->value_kind == SQL_VALUE_TEXT;
    if (step->kind == FIELD_CATEGORICAL) {
        step->guesses = palloc0((1 << GUESS_BITS) * sizeof *step->guesses);
        reader->binding.categorical = true;
    }
}

/* Is column i a double that is slot i, in a row that holds but doubles before it? */
static bool step_runs(const Step *step, uint32 i)
{
    return step->plain && step->column->value_kind == SQL_VALUE_FLOAT8 && step->slot == (int32)i &&
           step->column->offset == (int32)(i * sizeof(double));
}

/* Begins a binding for a schema in memory of its own. */
static void binding_begin(FeatureReader *reader, const Model *model, const SchemaView *view,
                          const Source *source, bool training)
{
    Binding *binding = &reader->binding;
    MemoryContext context = binding->context;

    if (!context)
        context = AllocSetContextCreate(reader->context, "pgfit features", ALLOCSET_SMALL_SIZES);
    else
        MemoryContextReset(context);
    memset(binding, 0, sizeof *binding);
    binding->context = context;
    binding->source = source;
    binding->training = training;
    binding->field_count = model->field_count;
    binding->slot_count = model->slot_count;
    binding->model_named = (model->flags & MODEL_NAMED) != 0;
}

static void binding_end(Binding *binding, const Model *model, const SchemaView *view)
{
    bound_copy(&binding->names, model, view->field_names);
    bound_copy(&binding->kinds, model, view->field_kinds);
    bound_copy(&binding->widths, model, view->field_widths);
    binding->bare = !binding->names.present && !binding->kinds.present &&
                    !binding->widths.present && !view->level_text && !view->class_text;
    binding->valid = true;
}

void binding_keep(FeatureReader *reader, const Model *model, const SchemaView *view,
                  const Source *source, bool training)
{
    MemoryContext before;

    binding_begin(reader, model, view, source, training);
    before = MemoryContextSwitchTo(reader->binding.context);
    binding_end(&reader->binding, model, view);
    MemoryContextSwitchTo(before);
}

void binding_make(FeatureReader *reader, const Model *model, const SchemaView *view,
                  const Source *source, bool training)
{
    Binding *binding = &reader->binding;
    MemoryContext before;
    uint32 *columns, slot = 0, last = 0;

    binding_begin(reader, model, view, source, training);
    before = MemoryContextSwitchTo(binding->context);

    columns = palloc(Max(model->field_count, 1) * sizeof *columns);
    match_columns(model, view, source, training, columns);
    binding->steps = palloc0(Max(source->column_count, 1) * sizeof *binding->steps);
    for (uint32 i = 0; i < source->column_count; i++) {
        binding->steps[i].column = &source->columns[i];
        binding->steps[i].slot = -1;
    }
    for (uint32 field = 0; field < model->field_count; field++) {
        Step *step = &binding->steps[columns[field]];

        step_make(reader, step, model, view, field, slot);
        slot += step->width;
        last = Max(last, columns[field] + 1);
    }
    binding->step_count = last;
    while (binding->run < last && step_runs(&binding->steps[binding->run], binding->run))
        binding->run++;
    if (reader->pending_room < last) {
        reader->pending = MemoryContextAlloc(reader->context, last * sizeof *reader->pending);
        reader->pending_room = last;
    }
    binding_end(binding, model, view);
    MemoryContextSwitchTo(before);
}
