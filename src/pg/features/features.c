/*
 * features.c - the reader of a call site: what the argument is, describing, reading, scoring.
 *
 * A row is encoded in one pass over its values. What costs more is put off until the row is known
 * to have no NULL: levels are added to the dictionary, and numbers are looked at for NaN and
 * infinities all at once.
 */
#include "pg/features/features_internal.h"
#include "pg/backend/read_ahead.h"
#include "core/distance/metric.h"

#include <math.h>

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define SECONDS_A_DAY 86400.0

/* ---- the reader ---- */

/* May the current user call the function of a cast? */
void cast_check(Oid function)
{
    if (OidIsValid(function) && compat_function_aclcheck(function, GetUserId()) != ACLCHECK_OK)
        aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, get_func_name(function));
}

/* One column without a name: a single value, or the elements of an array. */
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

FeatureReader *feature_reader(FunctionCallInfo fcinfo, int argument, FeatureReader **slot)
{
    MemoryContext context = fcinfo->flinfo->fn_mcxt;
    FeatureReader *reader;
    char alignment;

    if (likely(*slot != NULL))
        return *slot;
    reader = MemoryContextAllocZero(context, sizeof *reader);
    reader->context = context;
    reader->type.type = argument_type(fcinfo, argument);
    if (!OidIsValid(reader->type.type) || reader->type.type == UNKNOWNOID)
        env_fail(host_env(), ERROR_PARAMETER,
                 "Cast the features, for example to float8[] or jsonb, or give a row.",
                 "could not tell the type of the features");
    reader->type = sql_value_of_type(reader->type.type, true);
    if (reader->type.value_kind == SQL_VALUE_NONE)
        env_fail(host_env(), ERROR_PARAMETER,
                 "Features are an array of numbers, a row, a jsonb object, one value, or of a type "
                 "with a cast to float8[] or real[].",
                 "type %s cannot be features", format_type_be(reader->type.type));
    get_typlenbyvalalign(reader->type.base, &reader->length, &reader->by_value, &alignment);
    if (reader->type.value_kind == SQL_VALUE_CAST && OidIsValid(reader->type.cast_function)) {
        cast_check(reader->type.cast_function);
        fmgr_info_cxt(reader->type.cast_function, &reader->cast, context);
    }
    reader->single = single_source(reader);
    reader->single->columns->collation = argument_collation(fcinfo, argument);
    *slot = reader;
    return reader;
}

bool features_are_rows(const FeatureReader *reader)
{
    return reader->type.value_kind == SQL_VALUE_ROW;
}

/* A value that stays readable for this row: rows and objects are brought into memory where toasted.
 */
static const char *open_value(Datum datum)
{
    const char *place = DatumGetPointer(datum);

    if (VARATT_IS_4B_U(place) || (VARATT_IS_1B(place) && !VARATT_IS_1B_E(place)))
        return place;
    return (const char *)pg_detoast_datum((struct varlena *)place);
}

static void close_value(Datum datum, const char *place)
{
    if (place != DatumGetPointer(datum))
        pfree((void *)place);
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

/* ---- describing ---- */

static void __attribute__((noreturn)) fail_empty(void)
{
    env_fail(host_env(), ERROR_DATA, NULL, "a row has no features");
}

/* The elements of an array, which may come from a cast; 0 where the cast makes NULL of it. */
static uint32 describe_array(FeatureReader *reader, Datum datum, FieldKind *kind)
{
    const char *array = DatumGetPointer(datum);
    ArrayView view;
    SqlValueKind element;

    if (OidIsValid(reader->cast.fn_oid))
        array = cast_to_array(&reader->cast, array);
    if (!array)
        return 0;
    view = array_view(array, "the features are");
    element = array_element_kind(reader, view.element);
    if (view.copy)
        pfree(view.copy);
    if (view.count == 0)
        fail_empty();
    if (view.count > SCHEMA_MAX_SLOTS)
        env_fail(host_env(), ERROR_LIMIT, NULL, "%u features are more than the %u supported",
                 view.count, SCHEMA_MAX_SLOTS);
    *kind = sql_value_kind(element);
    return view.count;
}

/* The option's names, all different. */
static const char *const *option_names(const Options *options, uint32 *count)
{
    const char *const *names;

    *count = 0;
    if (!options || !options_given(options, "features"))
        return NULL;
    names = options_strings(options, "features", count);
    if (*count == 0)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "option \"features\" is an empty list");
    return names;
}

#define NAME_TWICE "option \"features\" has \"%s\" twice"

static int compare_strings(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* format: the message, about the one that is there twice. */
static void require_distinct(const char *const *names, uint32 count, const char *format)
{
    const char **sorted = palloc(count * sizeof *sorted);

    memcpy(sorted, names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_strings);
    for (uint32 i = 1; i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            env_fail(host_env(), ERROR_PARAMETER, NULL, format, sorted[i]);
    pfree(sorted);
}

/* Fields without names of their own, perhaps named by the option. */
static SchemaSpec describe_unnamed(uint32 count, FieldKind kind, const Options *options)
{
    SchemaSpec spec = {.field_count = count};
    uint32 names;

    if (kind != FIELD_NUMERIC) {
        FieldKind *kinds = palloc(count * sizeof *kinds);

        for (uint32 i = 0; i < count; i++)
            kinds[i] = kind;
        spec.kinds = kinds;
    }
    spec.names = option_names(options, &names);
    if (!spec.names)
        return spec;
    require_distinct(spec.names, names, NAME_TWICE);
    if (names != count)
        env_fail(host_env(), ERROR_PARAMETER, NULL,
                 "option \"features\" has %u name(s) for %u feature(s)", names, count);
    spec.named = true;
    return spec;
}

/* The column of this name, its own before one for its place; or -1. */
int source_find(const Source *source, const char *name)
{
    uint32 length = (uint32)strlen(name);
    int found = -1;

    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];

        if (!column->dropped && column->name_length == length &&
            memcmp(column->name, name, length) == 0) {
            if (column->named)
                return (int)i;
            found = (int)i;
        }
    }
    return found;
}

static void __attribute__((noreturn)) fail_selected(const Source *source, const char *name)
{
    env_fail(host_env(), ERROR_PARAMETER, source_list(source),
             "option \"features\" names \"%s\", which the row does not have", name);
}

/*
 * The columns that the option selects by name from a row with names. Where it has as many names as the row columns, one
 * that no column has is for the column at its place, if that has no name.
 */
static void select_columns(const Source *source, const char *const *names, uint32 name_count, uint32 *columns)
{
    bool *taken = palloc0(source->column_count * sizeof *taken);
    uint32 place = 0;

    for (uint32 i = 0; i < name_count; i++) {
        int found = source_find(source, names[i]);

        columns[i] = found < 0 ? source->column_count : (uint32)found;
        if (found >= 0)
            taken[found] = true;
    }
    for (uint32 i = 0; i < source->column_count; i++) {
        if (source->columns[i].dropped)
            continue;
        if (place < name_count && columns[place] == source->column_count && name_count == source->live_count &&
            !source->columns[i].named && !taken[i])
            columns[place] = i;
        place++;
    }
    for (uint32 i = 0; i < name_count; i++)
        if (columns[i] == source->column_count)
            fail_selected(source, names[i]);
    pfree(taken);
}

/* The columns that are features, in order: all but the one set aside, or those that the option selects. */
static uint32 *chosen_columns(const Source *source, const char *const *names, uint32 name_count,
                              const SpecialColumn *special, uint32 *count)
{
    uint32 *columns = palloc(Max(Max(source->column_count, name_count), 1) * sizeof *columns);
    int skipped = special->use ? (int)source_special_column(source, special) : -1;

    *count = 0;
    if (names && source->named_count > 0) {
        select_columns(source, names, name_count, columns);
        *count = name_count;
        return columns;
    }
    if (names && name_count != source->live_count) {
        for (uint32 i = 0; i < name_count; i++) {
            int found = source_find(source, names[i]);

            if (found < 0)
                env_fail(host_env(), ERROR_PARAMETER, NULL,
                         "option \"features\" has %u name(s) for %u feature(s)", name_count,
                         source->live_count);
            columns[(*count)++] = (uint32)found;
        }
        return columns;
    }
    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped && (int)i != skipped)
            columns[(*count)++] = i;
    return columns;
}

/* What one column of a row or object shows. */
static void describe_column(FeatureReader *reader, const Source *source, const char *place,
                            uint32 number, bool impute, FieldKind *kind, uint32 *width)
{
    const SourceColumn *column = &source->columns[number];
    const char *name = message_string(column->name, column->name_length);
    const char *value;
    ArrayView view;
    Datum buffer;

    *width = 1;
    if (column->value_kind == SQL_VALUE_JSONB) {
        *kind = json_value_kind(source, place, number);
        if (*kind == 0 && impute)
            env_fail(host_env(), ERROR_DATA,
                     "Put a row without null first, or cast the values and give a row.",
                     "the first row has null for \"%s\", which does not tell its kind", name);
        if (*kind == 0)
            *kind = FIELD_NUMERIC; /* the row is left out, and this with it */
        return;
    }
    if (column->value_kind == SQL_VALUE_NONE)
        source_fail_column(column);
    if (column->value_kind != SQL_VALUE_ARRAY && column->value_kind != SQL_VALUE_CAST) {
        *kind = sql_value_kind(column->value_kind);
        return;
    }
    *kind = sql_value_kind(column->element);
    value = tuple_value(source, place, number, &buffer);
    if (value && OidIsValid(column->cast)) {
        FmgrInfo cast;

        cast_check(column->cast);
        fmgr_info(column->cast, &cast);
        value = cast_to_array(&cast, value);
    }
    if (!value) {
        if (impute)
            env_fail(host_env(), ERROR_DATA, "Put a row without NULL first.",
                     "the first row has NULL for \"%s\", which does not tell its length", name);
        return;
    }
    view = array_view(value, psprintf("feature \"%s\" is", name));
    if (view.count == 0)
        env_fail(host_env(), ERROR_DATA, NULL, "feature \"%s\" is an empty array", name);
    *width = view.count;
}

static SchemaSpec describe_row(FeatureReader *reader, const Source *source, const char *place,
                               const Options *options)
{
    bool impute = options && options_is(options, "nulls", "impute");
    SchemaSpec spec = {0};
    uint32 name_count, count;
    const char *const *names = option_names(options, &name_count);
    SpecialColumn special = options ? special_column(options) : (SpecialColumn){SPECIAL_NONE};
    uint32 *columns;
    const char **field_names;
    FieldKind *kinds;
    uint32 *widths;

    if (names)
        require_distinct(names, name_count, NAME_TWICE);
    for (uint32 i = 0; i < name_count && special.use; i++)
        if (strcmp(names[i], special.column) == 0)
            env_fail(host_env(), ERROR_PARAMETER, "Leave it out of \"features\".",
                     "column \"%s\" holds the %s and is no feature", special.column,
                     special.use == SPECIAL_FOLD ? "folds" : "ids");
    columns = chosen_columns(source, names, name_count, &special, &count);
    if (count == 0)
        fail_empty();
    field_names = palloc(count * sizeof *field_names);
    kinds = palloc(count * sizeof *kinds);
    widths = palloc(count * sizeof *widths);
    for (uint32 i = 0; i < count; i++) {
        const SourceColumn *column = &source->columns[columns[i]];

        field_names[i] = pnstrdup(column->name, column->name_length);
        describe_column(reader, source, place, columns[i], impute, &kinds[i], &widths[i]);
    }
    spec.field_count = count;
    spec.kinds = kinds;
    spec.widths = widths;
    if (names) {
        spec.names = names;
        spec.named = true;
    } else if (source->named_count > 0 || special.use) {
        spec.names = field_names;
        spec.named = source->named || special.use; /* the column set aside stands among them: no counting */
        if (spec.named && !source->named)
            require_distinct(field_names, count, "two columns are called \"%s\"");
    }
    if (special.use == SPECIAL_ID)
        spec.id_type = source_special_type(reader, source, &special);
    return spec;
}

SchemaSpec features_describe(FeatureReader *reader, Datum datum, const Options *options)
{
    const char *place;
    FieldKind kind = sql_value_kind(reader->type.value_kind);

    switch (reader->type.value_kind) {
    case SQL_VALUE_ROW:
        place = open_value(datum);
        return describe_row(reader, reader_row_source(reader, place), place, options);
    case SQL_VALUE_JSONB:
        place = open_value(datum);
        return describe_row(reader, reader_json_source(reader, place), place, options);
    case SQL_VALUE_ARRAY:
    case SQL_VALUE_CAST: {
        uint32 count = describe_array(reader, datum, &kind);

        if (count == 0)
            return (SchemaSpec){0};
        return describe_unnamed(count, kind, options);
    }
    default:
        return describe_unnamed(1, kind, options);
    }
}

/* ---- one value ---- */

static void __attribute__((noreturn)) fail_clash(const RowRead *row, const Step *step)
{
    const SourceColumn *column = step->column;
    FieldKind here = sql_value_kind(
        column->value_kind == SQL_VALUE_ARRAY || column->value_kind == SQL_VALUE_CAST ? column->element
                                                                            : column->value_kind);
    const char *hint = row->training                     ? "Cast it, so that all rows agree."
                       : step->kind == FIELD_CATEGORICAL ? "Cast it to text."
                       : here == FIELD_CATEGORICAL       ? "Cast it to the type it had in training."
                                                         : NULL;
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(row->model, step->field, name, sizeof name);
    env_fail(host_env(), ERROR_DATA, hint, "feature \"%s\" is %s here and %s in %s", name,
             field_kind_name(here), field_kind_name(step->kind),
             row->training ? "the first row" : "the model");
}

static void __attribute__((noreturn)) fail_width(const RowRead *row, const Step *step, uint32 here)
{
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(row->model, step->field, name, sizeof name);
    env_fail(host_env(), ERROR_DATA, NULL, "feature \"%s\" has %u number(s) here and %u in %s",
             name, here, step->width, row->training ? "the first row" : "the model");
}

static void __attribute__((noreturn))
fail_unseen(const RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null)
{
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(row->model, step->field, name, sizeof name);
    env_fail(host_env(), ERROR_DATA,
             "With option \"unseen\": \"reference\" it counts as the reference level.",
             "level %s%s%s of feature \"%s\" was not seen in training", is_null ? "" : "\"",
             is_null ? "NULL" : message_string(bytes, length), is_null ? "" : "\"", name);
}

/* A level that is not where it was guessed. */
static __attribute__((noinline)) void put_level_slowly(RowRead *row, const Step *step, uint32 *guess, const char *bytes,
                                                       uint32 length, bool is_null, double key)
{
    int position = dictionary_seek(&row->levels, step->field, bytes, length, is_null);

    if (position >= 0) {
        *guess = (uint32)position;
        row->slots[step->slot] = position;
        return;
    }
    row->slots[step->slot] =
        key != 0 && !row->training && metric_orders_levels(row->model) ? slot_of_unseen_key(key) : SLOT_UNSEEN;
    if (row->training) {
        PendingLevel *pending = &row->reader->pending[row->pending_count++];
        char *copy = palloc(Max(length, 1));

        memcpy(copy, bytes, length);
        *pending = (PendingLevel){step, copy, length, is_null, key};
    } else if (row->flags & MODEL_UNSEEN_ERROR)
        fail_unseen(row, step, bytes, length, is_null);
}

void row_put_text(RowRead *row, const Step *step, const char *bytes, uint32 length)
{
    uint64 tail = bytes_tail(bytes, length);
    uint32 *guess = &step->guesses[bits_of_hash(tail ^ length, GUESS_BITS)];

    if (row->nulls)
        row->nulls[step->slot] = false;
    if (likely(dictionary_matches_tail(&row->levels, *guess, step->field, bytes, length, tail)))
        row->slots[step->slot] = *guess;
    else
        put_level_slowly(row, step, guess, bytes, length, false, 0);
}

void row_put_level(RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null,
                   double key)
{
    uint32 *guess = &step->guesses[bytes_place(bytes, length, GUESS_BITS)];

    if (row->nulls)
        row->nulls[step->slot] = false;
    if (dictionary_matches(&row->levels, *guess, step->field, bytes, length, is_null))
        row->slots[step->slot] = *guess;
    else
        put_level_slowly(row, step, guess, bytes, length, is_null, key);
}

bool row_put_null(RowRead *row, const Step *step)
{
    if (!row->impute) {
        if (row->training && (row->flags & MODEL_NULL_ERROR)) {
            char name[SCHEMA_NAME_SIZE];

            schema_field_name(row->model, step->field, name, sizeof name);
            env_fail(
                host_env(), ERROR_DATA,
                "With option \"nulls\": \"skip\", the default, such rows are left out and counted.",
                "feature \"%s\" is null", name);
        }
        return false;
    }
    if (step->kind == FIELD_CATEGORICAL) {
        row_put_level(row, step, "", 0, true, 0);
        return true;
    }
    for (uint32 i = 0; i < step->width; i++) {
        uint32 slot = (uint32)step->slot + i;

        row->slots[slot] = row->training ? 0 : row->impute_means[slot];
        if (row->nulls)
            row->nulls[slot] = true;
    }
    return true;
}

/* Means for the NULLs among the elements of an array that begins at a slot. */
static void impute_elements(RowRead *row, uint32 slot, uint32 count, const bool *nulls)
{
    for (uint32 i = 0; i < count; i++)
        if (nulls[i])
            row->slots[slot + i] = row->impute_means[slot + i];
}

/* The elements of an array into slots; false where one is NULL and nothing imputes. */
static bool put_elements(RowRead *row, const ArrayView *view, SqlValueKind element, uint32 slot)
{
    int32 overflow = -1;
    bool *nulls = NULL;
    bool complete;

    if (row->impute)
        nulls = row->nulls ? row->nulls + slot : view->bitmap ? palloc(view->count) : NULL;
    complete = array_read(view, element, row->slots + slot, nulls, &overflow);
    if (overflow >= 0)
        row->overflow_slot = (int32)slot + overflow;
    if (nulls && !row->training && view->bitmap)
        impute_elements(row, slot, view->count, nulls);
    return complete;
}

/* An array inside a row. */
static bool put_array(RowRead *row, const Step *step, const char *place)
{
    const SourceColumn *column = step->column;
    ArrayView view;
    bool complete;

    if (step->cast) {
        place = cast_to_array(step->cast, place);
        if (!place)
            return row_put_null(row, step);
    }
    view = array_view(place, "a feature is");
    if (view.count != step->width)
        fail_width(row, step, view.count);
    complete = put_elements(row, &view, column->element, (uint32)step->slot);
    if (view.copy)
        pfree(view.copy);
    return complete || row_put_null(row, step);
}

bool row_put(RowRead *row, const Step *step, const char *place)
{
    const SourceColumn *column = step->column;
    SqlValueKind value_kind = column->value_kind;
    bool overflow = false;
    double value;

    if (!place)
        return row_put_null(row, step);
    if (unlikely(step->clash))
        fail_clash(row, step);
    if (sql_value_is_number(value_kind)) {
        if (unlikely(step->width != 1))
            fail_width(row, step, 1);
        value = sql_value_number(value_kind, place, &overflow);
        if (step->conversion == CONVERT_TO_SECONDS)
            value *= SECONDS_A_DAY;
        else if (step->conversion == CONVERT_TO_DAYS)
            value /= SECONDS_A_DAY;
        if (unlikely(overflow))
            row->overflow_slot = step->slot;
        row->slots[step->slot] = value;
        if (row->nulls)
            row->nulls[step->slot] = false;
        return true;
    }
    if (sql_value_is_level(value_kind)) {
        char buffer[SQL_VALUE_BUFFER];
        ReadBytes string = sql_value_bytes(value_kind, place, buffer);

        row_put_level(row, step, string.bytes, string.length, false, string.key);
        return true;
    }
    return put_array(row, step, place);
}

bool row_read_array(RowRead *row, const char *place)
{
    FeatureReader *reader = row->reader;
    ArrayView view = array_view(place, "the features are");
    SqlValueKind element = array_element_kind(reader, view.element);
    bool complete;

    if (unlikely(view.count != row->model->slot_count)) {
        if (row->training)
            env_fail(host_env(), ERROR_DATA, NULL, "an array of %u feature(s) among arrays of %u",
                     view.count, row->model->slot_count);
        env_fail(host_env(), ERROR_DATA, NULL, "the model has %u feature(s), the array %u",
                 row->model->slot_count, view.count);
    }
    complete = put_elements(row, &view, element, 0);
    if (view.copy)
        pfree(view.copy);
    if (!complete && row->training && (row->flags & MODEL_NULL_ERROR)) {
        char name[SCHEMA_NAME_SIZE];
        uint32 first = 0;

        view = array_view(place, "the features are");
        while (view.bitmap[first >> 3] & (1 << (first & 7)))
            first++;
        schema_slot_name(row->model, first, name, sizeof name);
        env_fail(
            host_env(), ERROR_DATA,
            "With option \"nulls\": \"skip\", the default, such rows are left out and counted.",
            "feature \"%s\" is null", name);
    }
    return complete;
}

/* ---- a row ---- */

/* An array may be given where every field is a number: told once a schema. */
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

            if (kind == FIELD_NUMERIC || kind == FIELD_BOOLEAN)
                continue;
            schema_field_name(row->model, i, name, sizeof name);
            env_fail(host_env(), ERROR_DATA, "Give a row, in which every feature has its own type.",
                     "feature \"%s\" is %s in %s, and an array holds numbers", name,
                     field_kind_name(kind), row->training ? "the first row" : "the model");
        }
        binding_keep(reader, row->model, &row->view, reader->single, row->training);
    }
}

/* Is the last binding good for a schema without entries? */
static inline bool bare_binding_holds(const Binding *binding, const Model *model,
                                      const Source *source, bool training)
{
    return binding->valid && binding->bare && binding->source == source &&
           binding->training == training && binding->field_count == model->field_count &&
           binding->slot_count == model->slot_count &&
           (!model->entry_count || model_entries(model)->section != SECTION_SCHEMA);
}

static __attribute__((noinline)) void look_closely(RowRead *row, const Source *source)
{
    FeatureReader *reader = row->reader;

    schema_view(row->model, &row->view);
    if (!binding_holds(&reader->binding, row->model, &row->view, source, row->training))
        binding_make(reader, row->model, &row->view, source, row->training);
    binding_note(&reader->binding, row->model, &row->view);
}

/* The dictionary of a schema that lies as the one noted does. */
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

/* Binds, unless the last binding holds. */
static inline void bind_source(RowRead *row, const Source *source)
{
    FeatureReader *reader = row->reader;

    if (bare_binding_holds(&reader->binding, row->model, source, row->training))
        return;
    if (unlikely(!binding_seen(&reader->binding, row->model, source, row->training)))
        look_closely(row, source);
    if (reader->binding.categorical)
        levels_open(row, &reader->binding.seen);
}

/* Slots of one row; false where it has a NULL and is left out. */
static inline bool row_encode(RowRead *row, Datum datum)
{
    FeatureReader *reader = row->reader;
    const char *place;
    bool complete;

    switch (reader->type.value_kind) {
    case SQL_VALUE_ARRAY:
        require_numbers(row);
        return row_read_array(row, DatumGetPointer(datum));
    case SQL_VALUE_CAST:
        require_numbers(row);
        place = DatumGetPointer(datum);
        if (OidIsValid(reader->cast.fn_oid))
            place = cast_to_array(&reader->cast, place); /* the function's own: not ours to free */
        return place && row_read_array(row, place);
    case SQL_VALUE_ROW:
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
    default: {
        Datum buffer;

        bind_source(row, reader->single);
        return row_put(row, &reader->binding.steps[0],
                       datum_place(datum, reader->by_value, reader->length, &buffer));
    }
    }
}

static void __attribute__((noreturn, noinline)) fail_not_finite(const RowRead *row)
{
    char name[SCHEMA_NAME_SIZE];
    uint32 slot = 0;

    while (isfinite(row->slots[slot]))
        slot++;
    schema_slot_name(row->model, slot, name, sizeof name);
    if (row->overflow_slot == (int32)slot)
        env_fail(host_env(), ERROR_RANGE, NULL,
                 "feature \"%s\" is out of range of double precision", name);
    env_fail(host_env(), ERROR_DATA,
             "Leave such rows out, with FILTER or WHERE, or make them NULL.",
             "feature \"%s\" is %s", name, isnan(row->slots[slot]) ? "NaN" : "infinite");
}

/* Adds the levels that this row is the first to show. */
static void __attribute__((noinline)) add_levels(RowRead *row, Model **state, uint32 max_levels)
{
    for (uint32 i = 0; i < row->pending_count; i++) {
        const PendingLevel *pending = &row->reader->pending[i];
        uint32 position;

        if (schema_field_levels(*state, pending->step->field) >= max_levels) {
            char name[SCHEMA_NAME_SIZE];

            schema_field_name(*state, pending->step->field, name, sizeof name);
            env_fail(host_env(), ERROR_LIMIT,
                     "Leave it out if it is an identifier, cast it if it is a number, or raise the "
                     "option \"max_levels\".",
                     "feature \"%s\" has more than %u levels", name, max_levels);
        }
        *state = dictionary_add(host_env(), *state, DICTIONARY_LEVELS, pending->step->field,
                                pending->bytes, pending->length, pending->is_null, pending->key,
                                &position);
        row->slots[pending->step->slot] = position;
    }
}

/*
 * The commonest form by a straight way: an array of float8 without NULLs and toast, for features
 * that are numbers without names. False: anything else, also what is wrong with it, is for the
 * general way.
 */
static inline bool read_plain_array(const FeatureReader *reader, Datum datum, const Model *model,
                                    double *slots)
{
    const char *place = DatumGetPointer(datum);

    if (reader->type.element != SQL_VALUE_FLOAT8 || reader->type.value_kind != SQL_VALUE_ARRAY)
        return false;
    if (model->entry_count && model_entries(model)->section == SECTION_SCHEMA)
        return false;
    return array_plain_doubles(place, model->slot_count, slots);
}

/* After the slots are filled. */
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

FeatureResult features_score(FeatureReader *reader, Datum datum, const Model *model, double *slots)
{
    RowRead row;

    if (!reader->by_value)
        read_ahead(&reader->last_place, DatumGetPointer(datum));
    if (read_plain_array(reader, datum, model, slots))
        return FEATURES_OK;
    row.reader = reader;
    row.model = model;
    row.training = false;
    row.flags = model->flags;
    row.slots = slots;
    row.nulls = NULL;
    row.finite = 0;
    row.levels.size = 0;
    row.overflow_slot = -1;
    row.pending_count = 0;
    row.impute = false;
    row.impute_means = NULL;
    if (row.flags & MODEL_IMPUTE) {
        row.impute_means = model_f64(model, "impute", NULL);
        row.impute = row.impute_means != NULL;
    }

    if (!row_encode(&row, datum))
        return FEATURES_NULL;
    require_finite(&row);
    return FEATURES_OK;
}
