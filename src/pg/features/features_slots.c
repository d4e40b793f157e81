/*
 * features_slots.c - encodes one value of a row, or one array of numbers, into the slots of its feature.
 */
#include "pg/features/features_internal.h"
#include "core/distance/metric.h"
#include "core/estimator/estimator.h"

/* Tells whether a scored row met the feature by position, so that the columns may be in another order. */
static bool by_position(const RowRead *row, const Step *step)
{
    return !row->training && row->model->field_count > 1 && (!step->column->named || !(row->model->flags & MODEL_NAMED));
}

static void __attribute__((noreturn)) fail_clash(const RowRead *row, const Step *step)
{
    FieldKind here = column_field_kind(step->column);
    const char *hint = row->training                     ? "Cast it so that all rows agree."
                       : by_position(row, step)
                           ? "Columns are matched by position here: pass them in the order and with the types of the fit."
                       : step->kind == FIELD_CATEGORICAL || step->kind == FIELD_TEXT ? "Cast it to text."
                                                                                     : "Cast it to the type it had in training.";
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
    env_fail(host_env(), ERROR_DATA, NULL, "feature \"%s\" has %u number%s here and %u in %s",
             name, here, here == 1 ? "" : "s", step->width, row->training ? "the first row" : "the model");
}

static void __attribute__((noreturn))
fail_unseen(const RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null)
{
    const Estimator *estimator = estimator_find(row->model->estimator);
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(row->model, step->field, name, sizeof name);
    env_fail(host_env(), ERROR_DATA,
             estimator != NULL && estimator->nulls_are_values
                 ? "Fit with option \"unseen\": \"missing\", the default, to treat such levels like NULL."
                 : "Fit with option \"unseen\": \"reference\" to treat such levels as the reference level.",
             "level %s%s%s of feature \"%s\" was not seen in training", is_null ? "" : "\"",
             is_null ? "NULL" : message_string(bytes, length), is_null ? "" : "\"", name);
}

void fail_boolean(const char *name, double value)
{
    env_fail(host_env(), ERROR_DATA, "Pass true or false, or 1 or 0.", "feature \"%s\" is boolean, but is %g here", name, value);
    pg_unreachable();
}

/* Returns what to do about NULLs where option nulls is "error". model: a state. */
static const char *null_hint(const Model *model)
{
    const Estimator *estimator = estimator_find(model->estimator);

    if (estimator != NULL && estimator->nulls_are_values)
        return "Use option \"nulls\": \"branch\", the default, to learn where such rows go, or \"skip\" to skip and count them.";
    return "Use option \"nulls\": \"skip\", the default, to skip and count such rows.";
}

static void __attribute__((noreturn)) fail_null(const Model *model, const char *name)
{
    env_fail(host_env(), ERROR_DATA, null_hint(model), "feature \"%s\" is null", name);
}

/* Looks a level up and encodes it. Keeps its position in *guess; NULL: nowhere. */
static __attribute__((noinline)) void put_level(RowRead *row, const Step *step, uint32 *guess, const char *bytes,
                                                uint32 length, bool is_null, double key)
{
    int position = dictionary_seek(&row->levels, step->field, bytes, length, is_null);

    if (position >= 0) {
        if (guess)
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
    } else if (row->flags & MODEL_UNSEEN_ERROR) {
        fail_unseen(row, step, bytes, length, is_null);
    } else if (row->slots[step->slot] == SLOT_UNSEEN) { /* others are compared by their place in the order of levels */
        count_unseen(row, step, bytes, length, is_null);
    }
}

void row_put_text(RowRead *row, const Step *step, const char *bytes, uint32 length)
{
    uint64 tail = bytes_tail(bytes, length);
    uint32 *guess = &step->guesses[bits_of_hash(tail ^ length, GUESS_BITS)];

    if (row->nulls)
        row->nulls[step->slot] = false;
    if (likely(dictionary_matches(&row->levels, *guess, step->field, bytes, length, tail)))
        row->slots[step->slot] = *guess;
    else
        put_level(row, step, guess, bytes, length, false, 0);
}

/* Makes room for one more text of the row that is scored. */
static void need_row_text(RowTexts *texts, MemoryContext context)
{
    if (texts->count < texts->room)
        return;
    texts->room = Max(4, 2 * texts->room);
    texts->buffers = texts->buffers ? repalloc(texts->buffers, texts->room * sizeof *texts->buffers)
                                    : MemoryContextAlloc(context, texts->room * sizeof *texts->buffers);
    texts->lengths = texts->lengths ? repalloc(texts->lengths, texts->room * sizeof *texts->lengths)
                                    : MemoryContextAlloc(context, texts->room * sizeof *texts->lengths);
    texts->sizes = texts->sizes ? repalloc(texts->sizes, texts->room * sizeof *texts->sizes)
                                : MemoryContextAlloc(context, texts->room * sizeof *texts->sizes);
    memset(texts->sizes + texts->count, 0, (texts->room - texts->count) * sizeof *texts->sizes);
    memset(texts->buffers + texts->count, 0, (texts->room - texts->count) * sizeof *texts->buffers);
}

/* Copies a text of the row that is scored, which outlives the row's own value; its slot says which one it is. */
static __attribute__((noinline)) void put_row_text(RowRead *row, const Step *step, const char *bytes, uint32 length)
{
    RowTexts *texts = &row->reader->texts;
    uint32 i = texts->count;

    need_row_text(texts, row->reader->context);
    if (texts->sizes[i] <= length) {
        uint32 size = Max(256, length + length / 2 + 1);

        if (texts->buffers[i])
            pfree(texts->buffers[i]);
        texts->buffers[i] = NULL;
        texts->sizes[i] = 0;
        texts->buffers[i] = MemoryContextAlloc(row->reader->context, size);
        texts->sizes[i] = size;
    }
    memcpy(texts->buffers[i], bytes, length);
    texts->lengths[i] = length;
    texts->count++;
    row->slots[step->slot] = slot_of_row_text(i);
}

void row_put_level(RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null,
                   double key)
{
    if (unlikely(step->kind == FIELD_TEXT && !row->training)) {
        put_row_text(row, step, bytes, length);
        return;
    }
    if (row->nulls)
        row->nulls[step->slot] = false;
    put_level(row, step, NULL, bytes, length, is_null, key);
}

bool row_put_null(RowRead *row, const Step *step)
{
    if (!row->impute) {
        if (row->training && (row->flags & MODEL_NULL_ERROR)) {
            char name[SCHEMA_NAME_SIZE];

            schema_field_name(row->model, step->field, name, sizeof name);
            fail_null(row->model, name);
        }
        return false;
    }
    if (step->kind == FIELD_CATEGORICAL && !model_nulls_are_values(row->flags)) {
        row_put_level(row, step, "", 0, true, 0);
        return true;
    }
    for (uint32 i = 0; i < step->width; i++) {
        uint32 slot = (uint32)step->slot + i;

        row->slots[slot] = row->impute_means == NULL ? 0 : row->impute_means[slot];
        if (row->nulls)
            row->nulls[slot] = true;
    }
    return true;
}

/* Replaces NULL elements of an array that begins at this slot by the training means. */
static void impute_elements(RowRead *row, uint32 slot, uint32 count, const bool *nulls)
{
    for (uint32 i = 0; i < count; i++)
        if (nulls[i])
            row->slots[slot + i] = row->impute_means[slot + i];
}

/* Encodes the elements of an array; returns false where one is NULL and the model does not impute. */
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
    if (nulls && row->impute_means != NULL && view->bitmap)
        impute_elements(row, slot, view->count, nulls);
    return complete;
}

/* Encodes an array inside a row. */
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

/* Encodes a value of any type by its text. */
static pg_noinline bool put_value_text(RowRead *row, const Step *step, const char *place)
{
    uint32_t length;
    const char *text = value_text(step->label, datum_of_place(step->column, place), &length);

    row_put_level(row, step, text, length, false, 0);
    return true;
}

bool row_put(RowRead *row, const Step *step, const char *place)
{
    const SourceColumn *column = step->column;
    SqlValueKind value_kind = column->value_kind;
    bool overflow = false;
    double value;

    if (!place)
        return row_put_null(row, step);
    if (unlikely(step->label != NULL && step->kind == FIELD_TEXT) && model_takes_type(row->model, column->type, row->training))
        return put_value_text(row, step, place);
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
        require_boolean(step, value);
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

/* Fails unless the elements of an array that are read as booleans are 0 or 1. */
static void require_booleans(const RowRead *row, const ArrayView *view)
{
    for (uint32 field = 0; field < row->model->field_count; field++) {
        double value = row->slots[field];
        char name[SCHEMA_NAME_SIZE];

        if (schema_view_kind(row->model, &row->view, field) != FIELD_BOOLEAN || value == 0 || value == 1 ||
            (view->bitmap && !(view->bitmap[field >> 3] & (1 << (field & 7)))))
            continue;
        schema_field_name(row->model, field, name, sizeof name);
        fail_boolean(name, value);
    }
}

bool row_read_array(RowRead *row, const char *place)
{
    FeatureReader *reader = row->reader;
    ArrayView view = array_view(place, "the features are");
    SqlValueKind element = array_element_kind(reader, view.element);
    bool complete;

    if (unlikely(view.count != row->model->slot_count)) {
        if (row->training)
            env_fail(host_env(), ERROR_DATA, "Pass arrays of one length.", "the array has %u feature%s, but earlier rows have %u",
                     view.count, view.count == 1 ? "" : "s", row->model->slot_count);
        env_fail(host_env(), ERROR_DATA, "Pass the numbers that the model was fitted to, in their order: pgfit.features(model) lists them.",
                 "the model has %u feature%s, but the array has %u",
                 row->model->slot_count, row->model->slot_count == 1 ? "" : "s", view.count);
    }
    complete = put_elements(row, &view, element, 0);
    if (complete && schema_has_kinds(row->model) && row->model->field_count == row->model->slot_count)
        require_booleans(row, &view);
    if (view.copy)
        pfree(view.copy);
    if (!complete && row->training && (row->flags & MODEL_NULL_ERROR)) {
        char name[SCHEMA_NAME_SIZE];
        uint32 first = 0;

        view = array_view(place, "the features are");
        while (view.bitmap[first >> 3] & (1 << (first & 7)))
            first++;
        schema_slot_name(row->model, first, name, sizeof name);
        fail_null(row->model, name);
    }
    return complete;
}
