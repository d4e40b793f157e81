/*
 * features_bind.c - decides which column fills which slots: once per schema and row type, checked on every row by content.
 */
#include "pg/features/features_internal.h"

#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/memutils.h"

/* Finds the bytes of an entry that identify it: for strings, *data are the characters and *tail their ends. */
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

/* The parts of a schema that decide how rows are read. */
#define SCHEMA_PARTS(view_) {view_->field_names, view_->field_kinds, view_->field_widths, view_->formula, view_->formula_kinds}

static bool parts_same(const Binding *binding, const Model *model, const SchemaView *view)
{
    const ModelEntry *parts[] = SCHEMA_PARTS(view);

    for (size_t i = 0; i < lengthof(parts); i++)
        if (!bound_same(&binding->parts[i], model, parts[i]))
            return false;
    return true;
}

bool binding_holds(const Binding *binding, const Model *model, const SchemaView *view,
                   const Source *source, bool training)
{
    return binding->valid && binding->source == source && binding->training == training &&
           binding->field_count == model->field_count && binding->slot_count == model->slot_count &&
           binding->model_named == ((model->flags & MODEL_NAMED) != 0) &&
           parts_same(binding, model, view) && binding->missing == (view->missing != NULL) &&
           binding->values == model_takes_values(model, training);
}

void binding_note(Binding *binding, const Model *model, const SchemaView *view)
{
    const ModelEntry *entries = model_entries(model);
    const ModelEntry *parts[] = SCHEMA_PARTS(view);
    SeenSchema *seen = &binding->seen;
    uint64 first = model->size, end = 0, reserved = 0, size;
    uint32 count = 0;

    seen->entries = 0;
    seen->levels = 0;
    if (!binding->training && model->field_count == 1 && schema_has_kinds(model) && schema_field_kind(model, 0) == FIELD_TEXT)
        return; /* whether it takes other values than strings is not in the schema */
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
        return; /* no schema entries, or other arrays between them */
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

/* ---- making a binding ---- */

typedef struct NameSlot {
    const char *name;
    uint32 length;
    uint32 number;
    bool is_name; /* a name of the column's own, not one for its position */
} NameSlot;

static int compare_names(const NameSlot *a, const NameSlot *b)
{
    return name_order(a->name, a->length, b->name, b->length);
}

/* Orders by name; of equal names, a column's own comes first. */
static int compare_slots(const void *left, const void *right)
{
    const NameSlot *a = left, *b = right;
    int order = compare_names(a, b);

    return order ? order : b->is_name - a->is_name;
}

/* The live columns of a row in order of name, and which are taken by a field. */
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

/* Takes a free column of this name; own: only if the name is its own. Returns NO_COLUMN where there is none. */
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

        if (!columns->taken[slot->number] && (slot->is_name || !own)) {
            columns->taken[slot->number] = true;
            return slot->number;
        }
    }
    return NO_COLUMN;
}

/*
 * Finds the column of each field by name: first of the fields that have a name of their own, then of the others, whose
 * name is f and their position (f3). Returns the number of fields left without one (NO_COLUMN).
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

#define HIDDEN_ROW_HINT \
    "A single value was passed. If it should be a row: a column hides a row of the same name; choose an alias that is no column, as " \
    "in FROM t AS d."

#define POSITION_HINT \
    "A model of features without names takes the columns of its fit, in their order. Fitted to rows with names, it finds them by name."

/* What may be meant where the counts differ; NULL if that is open. */
static const char *count_hint(const Source *source, const Model *model)
{
    if (source->descriptor == NULL && source->type != JSONBOID)
        return model->field_count > 1 ? HIDDEN_ROW_HINT : NULL;
    return source->named_count > 0 && !(model->flags & MODEL_NAMED) ? POSITION_HINT : NULL;
}

static void __attribute__((noreturn)) fail_count(const Source *source, const Model *model, bool training)
{
    if (training)
        env_fail(host_env(), ERROR_DATA, NULL, "the row has %u feature%s, but earlier rows have %u",
                 source->live_count, source->live_count == 1 ? "" : "s", model->field_count);
    env_fail(host_env(), ERROR_DATA, count_hint(source, model),
             "the model has %u feature%s, but the row has %u", model->field_count, model->field_count == 1 ? "" : "s", source->live_count);
}

/*
 * Fails for a training row that has every feature by name, and either a column that the first row did not have or no
 * special columns.
 */
static void __attribute__((noreturn))
fail_columns(const Source *source, const Model *model, const RowOptions *options, const uint32 *columns)
{
    const SpecialColumn *special = &options->special;

    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];
        bool known = column->dropped;

        for (uint32 f = 0; f < model->field_count && !known; f++)
            known = columns[f] == i;
        if (known)
            continue;
        if (!special_is(special, column->name, column->name_length))
            env_fail(host_env(), ERROR_DATA,
                     "Pass the same columns in every row, or name those to use in option \"features\".",
                     "the row has column \"%s\", which the first row does not have",
                     message_string(column->name, column->name_length));
    }
    for (uint32 i = 0; i < special->count; i++) {
        const char *name = special->columns[i];

        if (source_find(source, name) < 0)
            env_fail(host_env(), ERROR_DATA, source_hint(source, name, (uint32)strlen(name)), "option \"%s\" names \"%s\", which the row does not have",
                     special_option(special, i), message_string(name, (uint32)strlen(name)));
    }
    fail_count(source, model, true);
    pg_unreachable();
}

/* Fails for a field without a column. place: the column at its position; NULL: the counts differ. */
static void __attribute__((noreturn))
fail_missing(const Model *model, const SchemaView *view, uint32 field, const Source *source,
             const SourceColumn *place, bool training)
{
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(model, field, name, sizeof name);
    if (place == NULL && source_find(source, name) >= 0) /* the model has this name twice */
        fail_count(source, model, training);
    if (schema_field_named(model, view, field))
        env_fail(host_env(), ERROR_DATA,
                 source->named ? source_hint(source, name, (uint32)strlen(name))
                               : psprintf("%s Columns without a name are matched by position; name them with AS.",
                                          source_list(source)),
                 "the row has no feature \"%s\"", name);
    if (place == NULL)
        fail_count(source, model, training);
    env_fail(host_env(), ERROR_DATA,
             psprintf("%s Pass the columns in the order of training, or name all of them in both places with AS.",
                      source_list(source)),
             "feature \"%s\" has no name in %s and is matched by position, where the row has feature \"%s\"", name,
             training ? "the first row" : "the model", message_string(place->name, place->name_length));
}

/*
 * Matches the remaining fields by position. Fails where the column there has another name than the field, or is
 * already taken by another field under its name.
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

/*
 * Fails where a row without names is matched by position with a model that has names, but a boolean meets a number: the order of the
 * columns is then another one. Other kinds that do not go together are refused anyway.
 */
static void require_kinds(const Model *model, const SchemaView *view, const Source *source)
{
    uint32 field = 0;

    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];
        FieldKind here, kind;
        char name[SCHEMA_NAME_SIZE];

        if (column->dropped)
            continue;
        kind = schema_view_kind(model, view, field++);
        if (column->value_kind == SQL_VALUE_NONE)
            continue;
        here = column_field_kind(column);
        if ((here == FIELD_BOOLEAN) == (kind == FIELD_BOOLEAN) || (here != FIELD_NUMERIC && kind != FIELD_NUMERIC))
            continue;
        schema_field_name(model, field - 1, name, sizeof name);
        env_fail(host_env(), ERROR_DATA,
                 "Pass the columns in the order of training, or give them names, as in LATERAL (SELECT a, b) AS f.",
                 "the row has no names, and its column %u is %s, where the model has feature \"%s\", which is %s", field,
                 field_kind_name(here), name, field_kind_name(kind));
    }
}

/*
 * Fails for a row without names where Citus is installed, which sends rows of chosen columns to its workers as ROW(): they may have been written in
 * another order than that of the fit, with names that would have told.
 */
static void require_sent_names(const Source *source)
{
    if (source->type == RECORDOID && OidIsValid(get_extension_oid("citus", true)))
        env_fail(host_env(), ERROR_DATA,
                 "Pass whole rows of the table or a jsonb object, which keep their names, or an array, in the order of the fit.",
                 "the model has names, but the row has none: Citus may have lost them on the way");
}

/* Tells whether an object lacks only keys that have names in the schema, and may lack them: they count as NULL. */
static bool may_lack(const Model *model, const SchemaView *view, const Source *source, const uint32 *matched)
{
    if (source->type != JSONBOID || view->missing != NULL)
        return false;
    for (uint32 i = 0; i < model->field_count; i++)
        if (matched[i] == NO_COLUMN && !schema_field_named(model, view, i))
            return false;
    return true;
}

/* Finds the column of each field, by name as far as there are names, else by position; NO_COLUMN: a key that an object lacks. */
static void match_columns(const Model *model, const SchemaView *view, const Source *source,
                          bool training, uint32 *matched)
{
    RowOptions options = training ? state_row_options(host_env(), model) : (RowOptions){.selected = false};
    uint32 special = special_distinct(&options.special);
    bool selected = options.selected;
    bool model_knows = schema_named_fields(model) > 0;
    Columns columns = columns_open(source);
    uint32 left = match_names(model, view, &columns, matched), field = 0;

    if ((source->named_count > 0 || source->named) && model_knows) { /* an object without keys counts as named */
        if (left > 0 && may_lack(model, view, source, matched)) {
            if (training && !selected && source->live_count + left > model->field_count + special)
                fail_columns(source, model, &options, matched);
            return;
        }
        if (left > 0)
            match_places(model, view, &columns, training, matched);
        if (training && !selected && source->live_count != model->field_count + special)
            fail_columns(source, model, &options, matched);
        return;
    }
    /* every field found a column named f1, f2, ...: used if columns have names, or if not all columns are features */
    if (left == 0 && (source->named_count > 0 || ((special || selected) && source->live_count != model->field_count)))
        return;
    if (source->live_count != model->field_count)
        fail_count(source, model, training);
    if (source->type == JSONBOID && source->named_count > 0 && source->live_count > 1)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the keys of a jsonb object have no order, and the %u features of the model have no names", model->field_count),
                        errhint("Pass an array, in the order of the fit, or an object with the keys f1 to f%u.", model->field_count)));
    if (!training && model_knows && source->descriptor != NULL) {
        require_sent_names(source);
        require_kinds(model, view, source);
    }
    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped)
            matched[field++] = i;
}

/* Is column i a double that goes to slot i, with only doubles before it? */
static bool step_runs(const Step *step, uint32 i)
{
    return step->plain && step->column->value_kind == SQL_VALUE_FLOAT8 && step->slot == (int32)i &&
           step->column->offset == (int32)(i * sizeof(double));
}

/* Begins a binding, in memory of its own. */
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
    const ModelEntry *parts[] = SCHEMA_PARTS(view);

    for (size_t i = 0; i < lengthof(parts); i++)
        bound_copy(&binding->parts[i], model, parts[i]);
    binding->missing = view->missing != NULL;
    binding->values = model_takes_values(model, binding->training);
    binding->bare = !view->field_names && !view->field_kinds && !view->field_widths && !view->missing && !view->level_text && !view->class_text;
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
    columns = palloc(Max(model->field_count, 1) * sizeof *columns);
    if (view->formula == NULL)
        match_columns(model, view, source, training, columns); /* in the row's memory, with everything it allocates */
    before = MemoryContextSwitchTo(binding->context);

    binding->steps = palloc0(Max(source->column_count, 1) * sizeof *binding->steps);
    for (uint32 i = 0; i < source->column_count; i++) {
        binding->steps[i].column = &source->columns[i];
        binding->steps[i].slot = -1;
    }
    if (view->formula != NULL)
        binding_make_formula(reader, model, view, source);
    for (uint32 field = 0; field < model->field_count && view->formula == NULL; field++) {
        step_make(reader, columns[field] == NO_COLUMN ? step_absent(binding, model) : &binding->steps[columns[field]], model, view, field, slot);
        slot += schema_view_width(model, view, field);
    }
    for (uint32 i = 0; i < source->column_count; i++)
        if (binding->steps[i].slot >= 0 || binding->steps[i].variable > 0)
            last = i + 1;
    if (training)
        steps_reference(reader, model);
    binding->step_count = last;
    while (binding->expressions == NULL && binding->run < last && step_runs(&binding->steps[binding->run], binding->run))
        binding->run++;
    binding->needed = palloc((last + 1) * sizeof *binding->needed);
    for (uint32 i = binding->run; i < last; i++)
        if (binding->steps[i].slot >= 0 || binding->steps[i].variable > 0)
            binding->needed[binding->needed_count++] = i;
    if (reader->pending_room < model->field_count) {
        reader->pending = MemoryContextAlloc(reader->context, model->field_count * sizeof *reader->pending);
        reader->pending_room = model->field_count;
    }
    binding_end(binding, model, view);
    MemoryContextSwitchTo(before);
}
