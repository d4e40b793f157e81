/*
 * features.c - the reader of a call site: what the features argument is, and how one of its values becomes slots.
 *
 * A row is encoded in one pass over its values. Work that a NULL would waste comes after the pass: adding levels to the
 * dictionary, and looking for NaN and infinities, in all numbers at once.
 */
#include "pg/features/features_internal.h"
#include "pg/server/read_ahead.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

/* ---- the reader ---- */

/* Makes a source of one column without a name: a single value, or the elements of an array. */
static Source *single_source(FeatureReader *reader)
{
    Source *source = MemoryContextAllocZero(reader->context, sizeof *source);
    SourceColumn *column = MemoryContextAllocZero(reader->context, sizeof *column);

    column->name = "f1";
    column->name_length = 2;
    column->type = reader->type.type;
    column->value_kind = reader->type.value_kind;
    column->element = reader->type.element;
    column->length = reader->length;
    column->by_value = reader->by_value;
    source->type = reader->type.type;
    source->typmod = -1;
    source->context = reader->context;
    source->column_count = source->live_count = 1;
    source->columns = column;
    return source;
}

void features_fail_type(const FeatureReader *reader)
{
    env_fail(host_env(), ERROR_PARAMETER,
             reader->type.type == JSONOID ? "Cast it to jsonb."
                                          : "Pass an array of numbers, a row, a jsonb object, a single value, or a type "
                                            "with a cast to float8[] or real[].",
             "type %s cannot hold features", format_type_be(reader->type.type));
}

FeatureReader *feature_reader_of_type(Oid type, MemoryContext context)
{
    FeatureReader *reader = MemoryContextAllocZero(context, sizeof *reader);
    char alignment;

    reader->context = context;
    reader->type.type = type;
    if (!OidIsValid(type) || type == UNKNOWNOID)
        env_fail(host_env(), ERROR_PARAMETER,
                 "Pass a row or an array, or cast the literal, for example to jsonb. A formula comes after the row: f(y, d, 'a + b') FROM t AS d.",
                 "could not determine the type of the features");
    reader->type = sql_value_of_type(type, true);
    get_typlenbyvalalign(reader->type.base, &reader->length, &reader->by_value, &alignment);
    if (reader->type.value_kind == SQL_VALUE_CAST && OidIsValid(reader->type.cast_function))
        cast_find(&reader->cast, reader->type.cast_function, context);
    reader->single = single_source(reader);
    return reader;
}

FeatureReader *feature_reader(FunctionCallInfo fcinfo, int argument, FeatureReader **slot)
{
    FeatureReader *reader;

    if (likely(*slot != NULL))
        return *slot;
    reader = feature_reader_of_type(argument_type(fcinfo, argument), fcinfo->flinfo->fn_mcxt);
    if (is_row_columns(aggregate_argument(fcinfo, argument)))
        reader->row_columns = reader->by_value = true; /* there is no value to read ahead */
    reader->single->columns->by_value = reader->by_value;
    reader->single->columns->collation = argument_collation(fcinfo, argument);
    *slot = reader;
    return reader;
}

void features_leave_out(FeatureReader *reader, const CallColumns *columns)
{
    reader->call = columns;
}

void features_pass_row(FeatureReader *reader)
{
    reader->rows++;
}

bool features_are_rows(const FeatureReader *reader)
{
    return reader->type.value_kind == SQL_VALUE_ROW;
}

FeatureReader *column_reader(FunctionCallInfo fcinfo, Oid row_type, int32 typmod, int first)
{
    FeatureReader *reader = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof *reader);

    reader->context = fcinfo->flinfo->fn_mcxt;
    reader->type = (SqlValueType){.type = row_type, .base = row_type, .value_kind = SQL_VALUE_ROW};
    reader->by_value = true; /* there is no value to read ahead */
    reader->length = -1;
    reader->first_column = first;
    reader->columns = fcinfo->args + first;
    reader->column_call = fcinfo->flinfo;
    reader->column_arguments = (uint32)(fcinfo->nargs - first);
    reader->single = single_source(reader);
    reader->row_type = row_type;
    reader->row_typmod = typmod;
    return reader;
}

void features_columns(FeatureReader *reader, FunctionCallInfo fcinfo)
{
    reader->columns = fcinfo->args + reader->first_column;
}

const Source *features_source(FeatureReader *reader, Datum datum)
{
    const char *place;
    const Source *source;

    if (reader->type.value_kind == SQL_VALUE_JSONB || reader->type.value_kind == SQL_VALUE_ARRAY ||
        reader->type.value_kind == SQL_VALUE_CAST)
        return NULL;
    if (reader->type.value_kind != SQL_VALUE_ROW)
        return reader->single;
    place = open_value(datum);
    source = reader_row_source(reader, place);
    close_value(datum, place);
    return source;
}

/* ---- a row ---- */

/* Fails unless every field is a number, as an array requires; checked once per schema. */
static void require_numbers(RowRead *row)
{
    FeatureReader *reader = row->reader;

    if (likely(!schema_has_kinds(row->model)))
        return;
    schema_view(row->model, &row->view);
    if (!binding_holds(&reader->binding, row->model, &row->view, reader->single, row->training)) {
        for (uint32 i = 0; i < row->model->field_count; i++) {
            FieldKind kind = schema_view_kind(row->model, &row->view, i);
            char name[SCHEMA_NAME_SIZE];

            if (row->view.formula != NULL)
                fail_formula_unnamed();

            if (kind == FIELD_NUMERIC || kind == FIELD_BOOLEAN)
                continue;
            schema_field_name(row->model, i, name, sizeof name);
            env_fail(host_env(), ERROR_DATA, "Pass a row, in which every feature has its own type.",
                     "feature \"%s\" is %s in %s, but an array holds only numbers", name,
                     field_kind_name(kind), row->training ? "the first row" : "the model");
        }
        binding_keep(reader, row->model, &row->view, reader->single, row->training);
    }
}

/* Does the last binding fit a schema without entries? Fits and scores of rows without names take 1.2 times as long without this. */
static inline bool bare_binding_holds(const Binding *binding, const Model *model,
                                      const Source *source, bool training)
{
    return binding->valid && binding->bare && binding->source == source &&
           binding->training == training && binding->field_count == model->field_count &&
           binding->slot_count == model->slot_count &&
           (!model->entry_count || model_entries(model)->section != SECTION_SCHEMA);
}

/* Compares the whole schema with the binding's, and makes a new binding where they differ. */
static __attribute__((noinline)) void rebind(RowRead *row, const Source *source)
{
    FeatureReader *reader = row->reader;

    schema_view(row->model, &row->view);
    if (!binding_holds(&reader->binding, row->model, &row->view, source, row->training))
        binding_make(reader, row->model, &row->view, source, row->training);
    binding_note(&reader->binding, row->model, &row->view);
}

/* Opens the dictionary of levels by the offsets noted for the schema. */
static inline void levels_open(RowRead *row, const SeenSchema *seen)
{
    const char *value = (const char *)row->model;

    row->levels.size = seen->levels;
    row->levels.text = value + seen->text;
    row->levels.ends = (const uint32 *)(const void *)(value + seen->ends);
    row->levels.fields = (const int64 *)(const void *)(value + seen->fields);
    row->levels.keys = (const double *)(const void *)(value + seen->keys);
    row->levels.sorted = (const int64 *)(const void *)(value + seen->sorted);
}

/* Makes sure that the binding fits the model and this source. */
static inline void bind_source(RowRead *row, const Source *source)
{
    FeatureReader *reader = row->reader;

    if (bare_binding_holds(&reader->binding, row->model, source, row->training))
        return;
    if (unlikely(!binding_seen(&reader->binding, row->model, source, row->training)))
        rebind(row, source);
    if (reader->binding.categorical)
        levels_open(row, &reader->binding.seen);
}

/* Returns the columns of the row to read, which is passed as its columns. */
static inline const Source *column_source(FeatureReader *reader, Datum datum)
{
    const RowColumns *row = (const RowColumns *)DatumGetPointer(datum);

    if (!reader->row_columns)
        return reader_source(reader, reader->row_type, reader->row_typmod);
    if (likely(reader->columns == row->values && reader->generation == source_generation && reader->source != NULL &&
               reader->row_type == row->row_type && reader->row_typmod == row->row_typmod))
        return reader->source;
    return reader_row_source(reader, (const char *)row);
}

/* Fails unless the arguments of a call are the columns of a row type: a user may call with any others. */
static pg_noinline void require_column_types(const FeatureReader *reader, const Source *source)
{
    bool same = source->column_count == reader->column_arguments;

    for (uint32 i = 0; i < source->column_count && same; i++)
        same = source->columns[i].dropped ||
               get_fn_expr_argtype((FmgrInfo *)reader->column_call, reader->first_column + (int)i) == source->columns[i].type;
    if (!same)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the arguments are not the columns of type %s", format_type_be(source->type)),
                        source->type == RECORDOID ? errhint("Call the function of schema pgfit.")
                                                  : errhint("If the type was altered while the query ran, run the query again; else call the function of schema pgfit.")));
}

/* Encodes one value that is the only feature. */
static bool encode_single(RowRead *row, Datum datum)
{
    FeatureReader *reader = row->reader;
    Datum buffer;

    if (unlikely(reader->type.value_kind == SQL_VALUE_NONE && !model_takes_type(row->model, reader->type.base, row->training)))
        features_fail_type(reader);
    bind_source(row, reader->single);
    return row_put(row, &reader->binding.steps[0], datum_place(datum, reader->by_value, reader->length, &buffer));
}

/* Encodes one row; returns false where it is skipped because of a NULL. */
static inline bool row_encode(RowRead *row, Datum datum)
{
    FeatureReader *reader = row->reader;
    const char *place;
    bool complete;

    switch (reader->type.value_kind) {
    case SQL_VALUE_ARRAY:
        if (unlikely(model_takes_values(row->model, row->training) == TAKES_ANY))
            return encode_single(row, datum);
        require_numbers(row);
        return row_read_array(row, DatumGetPointer(datum));
    case SQL_VALUE_CAST:
        if (unlikely(model_takes_values(row->model, row->training) == TAKES_ANY))
            return encode_single(row, datum);
        require_numbers(row);
        place = DatumGetPointer(datum);
        if (OidIsValid(reader->cast.function.fn_oid))
            place = cast_to_array(&reader->cast, place); /* may belong to the function: not freed */
        return place && row_read_array(row, place);
    case SQL_VALUE_ROW:
        if (reader->columns || reader->row_columns) {
            const Source *source = column_source(reader, datum);

            if (unlikely(!reader->binding.valid || reader->binding.source != source))
                require_column_types(reader, source);
            bind_source(row, source);
            return row_read_columns(row);
        }
        place = open_value(datum);
        bind_source(row, reader_row_source(reader, place));
        complete = row_read_tuple(row, place);
        close_value(datum, place);
        return complete;
    case SQL_VALUE_JSONB:
        place = open_value(datum);
        bind_source(row, reader_json_source(reader, place));
        complete = row_read_json(row, place);
        close_value(datum, place);
        return complete;
    default:
        return encode_single(row, datum);
    }
}

static void __attribute__((noreturn, noinline)) fail_not_finite(const RowRead *row)
{
    const char *number = row->reader->call != NULL ? row->reader->call->number : NULL;
    char name[SCHEMA_NAME_SIZE];
    uint32 slot = 0;

    while (isfinite(row->slots[slot]))
        slot++;
    schema_slot_name(row->model, slot, name, sizeof name);
    if (number != NULL)
        env_fail(host_env(), ERROR_DATA, "Exclude such rows with FILTER or WHERE, or replace the values by NULL.", "%s is %s", number,
                 isnan(row->slots[slot]) ? "NaN" : "infinite");
    if (row->overflow_slot == (int32)slot)
        env_fail(host_env(), ERROR_RANGE, NULL,
                 "feature \"%s\" is out of range of double precision", name);
    env_fail(host_env(), ERROR_DATA,
             "Exclude such rows with FILTER or WHERE, or replace the values by NULL.",
             "feature \"%s\" is %s", name, isnan(row->slots[slot]) ? "NaN" : "infinite");
}

/* Adds the levels that appear in this row first. */
static void __attribute__((noinline)) add_levels(RowRead *row, Model **state, uint32 max_levels)
{
    for (uint32 i = 0; i < row->pending_count; i++) {
        const PendingLevel *pending = &row->reader->pending[i];
        uint32 position;
        bool first = pending->step->first && !pending->is_null && pending->length == pending->step->first_length &&
                     memcmp(pending->bytes, pending->step->first, pending->length) == 0;

        if (pending->step->kind == FIELD_CATEGORICAL &&
            schema_field_levels(*state, pending->step->field) >= max_levels) {
            char name[SCHEMA_NAME_SIZE];

            schema_field_name(*state, pending->step->field, name, sizeof name);
            env_fail(host_env(), ERROR_LIMIT,
                     "Drop it if it is an identifier, cast it if it is a number, or raise option \"max_levels\".",
                     "feature \"%s\" has more than %u levels", name, max_levels);
        }
        *state = dictionary_add(host_env(), *state, DICTIONARY_LEVELS, pending->step->field,
                                pending->bytes, pending->length, pending->is_null, first ? LEVEL_KEY_REFERENCE : pending->key,
                                &position);
        row->slots[pending->step->slot] = position;
    }
}

/*
 * Fast path for the most common form: an array of float8 without NULLs, not toasted, for features that are all numbers.
 * Returns false for anything else, and for values that are wrong: the general path reports them. Linear regressions
 * take 1.2 (stored arrays) to 1.5 times as long without it, and scores 1.3, on 500,000 rows of three features.
 */
static inline bool read_plain_array(const FeatureReader *reader, Datum datum, const Model *model,
                                    double *slots)
{
    const char *place = DatumGetPointer(datum);

    if (reader->type.element != SQL_VALUE_FLOAT8 || reader->type.value_kind != SQL_VALUE_ARRAY || schema_has_kinds(model))
        return false;
    return array_plain_doubles(place, model->slot_count, slots);
}

/* Fails if a slot of the encoded row is NaN or infinite. */
static inline void require_finite(const RowRead *row)
{
    if (unlikely(!all_finite(row->slots + row->finite, row->model->slot_count - row->finite)))
        fail_not_finite(row);
}

FeatureResult features_read(FeatureReader *reader, Datum datum, Model **state, double *slots,
                            bool *nulls, uint32_t max_levels)
{
    RowRead row;

    row.model = *state;
    row.flags = row.model->flags;
    row.impute = (row.flags & MODEL_IMPUTE) && nulls;
    if (!row.impute && read_plain_array(reader, datum, row.model, slots))
        return FEATURES_OK;
    row.reader = reader;
    row.training = true;
    row.slots = slots;
    row.variables = NULL;
    row.nulls = row.impute ? nulls : NULL;
    row.finite = 0;
    row.levels.size = 0;
    row.impute_means = NULL;
    row.overflow_slot = -1;
    row.pending_count = 0;

    if (!row_encode(&row, datum))
        return FEATURES_NULL;
    require_finite(&row);
    if (unlikely(row.pending_count))
        add_levels(&row, state, max_levels);
    return FEATURES_OK;
}

/* Returns the reader's marks of the NULLs of a row, [slots], all false. */
static bool *null_buffer(FeatureReader *reader, uint32 slots)
{
    if (reader->null_room < slots) {
        if (reader->null_marks)
            pfree(reader->null_marks);
        reader->null_room = 0;
        reader->null_marks = MemoryContextAlloc(reader->context, slots);
        reader->null_room = slots;
    }
    memset(reader->null_marks, 0, slots);
    return reader->null_marks;
}

/* Begins to read a row that is scored. */
static inline void begin_scored(RowRead *row, FeatureReader *reader, const Model *model, uint8 flags, double *slots)
{
    reader->texts.count = 0;
    row->reader = reader;
    row->model = model;
    row->training = false;
    row->flags = flags;
    row->slots = slots;
    row->variables = NULL;
    row->nulls = NULL;
    row->finite = 0;
    row->levels.size = 0;
    row->overflow_slot = -1;
    row->pending_count = 0;
    row->impute = false;
    row->impute_means = NULL;
    if (model_nulls_are_values(flags)) {
        row->impute = true;
        row->nulls = null_buffer(reader, model->slot_count);
    } else if (flags & MODEL_IMPUTE) {
        row->impute_means = model_f64(model, "impute", NULL);
        row->impute = row->impute_means != NULL;
    }
}

/* Ends the reading of a row: checks its numbers, and writes NaN where NULLs are values. */
static inline void end_scored(const RowRead *row)
{
    require_finite(row);
    if (row->nulls)
        for (uint32 i = 0; i < row->model->slot_count; i++)
            if (row->nulls[i])
                row->slots[i] = NAN;
}

void features_keep(FeatureReader *reader, Datum datum, const Model *model, double *slots, double *variables)
{
    RowRead row;

    if (read_plain_array(reader, datum, model, slots))
        return;
    begin_scored(&row, reader, model, model->flags | MODEL_NULL_VALUES, slots);
    row.variables = variables;
    if (row_encode(&row, datum)) {
        end_scored(&row);
        return;
    }
    for (uint32 i = 0; i < model->slot_count; i++) /* a cast made the features NULL */
        slots[i] = NAN;
}

FeatureResult features_score(FeatureReader *reader, Datum datum, const Model *model, double *slots)
{
    RowRead row;

    if (!reader->by_value)
        read_ahead(&reader->last_place, DatumGetPointer(datum));
    if (read_plain_array(reader, datum, model, slots))
        return FEATURES_OK;
    begin_scored(&row, reader, model, model->flags, slots);
    if (!row_encode(&row, datum))
        return FEATURES_NULL;
    end_scored(&row);
    /* also where the row has none: a model could name a text of another query, whose memory is gone */
    if (unlikely(reader->texts.count > 0 || host_env()->row_texts.count > 0))
        host_env()->row_texts = (TextList){.count = reader->texts.count,
                                           .bytes = (const char *const *)reader->texts.buffers,
                                           .lengths = reader->texts.lengths};
    return FEATURES_OK;
}
