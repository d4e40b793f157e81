/*
 * schema_check.c - checks a schema that came from outside, and says how two schemas differ.
 */
#include "core/base/all_finite.h"
#include "core/base/sort.h"
#include "core/base/text_buffer.h"
#include "core/model/schema.h"

#include <string.h>

typedef struct Name {
    const char *bytes;
    uint32_t length;
} Name;

static int compare_names(const void *left, const void *right)
{
    const Name *a = left, *b = right;

    return bytes_compare(a->bytes, a->length, b->bytes, b->length);
}

/* Tells whether two names of an entry are equal. */
static bool names_repeat(Env *env, const Model *model, const ModelEntry *entry)
{
    Name *names = env_array_raw(env, entry->rows, sizeof *names);

    for (uint32_t i = 0; i < entry->rows; i++)
        names[i].bytes = model_text(model, entry, i, &names[i].length);
    sort_polled(env, names, entry->rows, sizeof *names, compare_names);
    for (uint32_t i = 1; i < entry->rows; i++)
        if (compare_names(&names[i - 1], &names[i]) == 0)
            return true;
    return false;
}

/* Tells whether an entry is missing, or has this type, one dimension and `rows` elements. */
static bool is_list(const ModelEntry *entry, ElementType type, uint32_t rows)
{
    return entry == NULL || (entry->type == type && entry->dimensions == 1 && entry->rows == rows);
}

/* Tells whether an entry is missing, or has `rows` strings, none of which holds a zero byte. */
static bool strings_sound(const Model *model, const ModelEntry *entry, uint32_t rows)
{
    if (!is_list(entry, ARRAY_TEXT, rows))
        return false;
    for (uint32_t i = 0; entry != NULL && i < rows; i++) {
        uint32_t length;
        const char *string = model_text(model, entry, i, &length);

        if (memchr(string, 0, length))
            return false;
    }
    return true;
}

static const char *check_fields(Env *env, const Model *model, const SchemaView *view)
{
    uint32_t fields = model->field_count;
    const int64_t *kinds = NULL, *widths = NULL;
    uint64_t slots = 0;

    if (!strings_sound(model, view->field_names, fields))
        return "field_names does not have one name per feature";
    if ((model->flags & MODEL_NAMED) &&
        (!view->field_names || names_repeat(env, model, view->field_names)))
        return "the features are marked as named, but a name is missing or occurs twice";
    if ((model->flags & MODEL_NAMED) && fields == 0 && !view->formula && !view->formula_inputs)
        return "the features are marked as named, but there are none";
    if (!is_list(view->field_kinds, ARRAY_I64, fields))
        return "field_kinds does not have one number per feature";
    if (!is_list(view->field_widths, ARRAY_I64, fields))
        return "field_widths does not have one number per feature";
    if (view->field_kinds)
        kinds = model_data(model, view->field_kinds);
    if (view->field_widths)
        widths = model_data(model, view->field_widths);
    for (uint32_t i = 0; i < fields; i++) {
        if (kinds && (kinds[i] < FIELD_NUMERIC || kinds[i] > FIELD_KIND_LAST))
            return "a feature has an unknown kind";
        if (widths && (widths[i] < 0 || widths[i] > SCHEMA_MAX_SLOTS))
            return "a feature has an impossible width";
        if (widths && widths[i] != 1 && kinds && kinds[i] != FIELD_NUMERIC &&
            kinds[i] != FIELD_BOOLEAN)
            return "only numbers and booleans come in arrays";
        slots += widths ? (uint64_t)widths[i] : 1;
    }
    if (slots != model->slot_count)
        return "the widths of the features do not add up to the slots";
    return NULL;
}

/* Checks the shapes of a formula; what they hold is checked by formula_model_check (formula_model.h). */
static const char *check_formula(const Model *model, const SchemaView *view)
{
    if (!strings_sound(model, view->formula, 1))
        return "formula is not one text";
    if (view->formula != NULL && !(model->flags & MODEL_NAMED))
        return "a formula has features without names";
    if (view->formula_kinds != NULL && (view->formula == NULL || !is_list(view->formula_kinds, ARRAY_I64, view->formula_kinds->rows)))
        return "formula_kinds are not the kinds of names in a formula";
    for (uint32_t i = 0; view->formula_kinds != NULL && i < view->formula_kinds->rows; i++) {
        int64_t kind = ((const int64_t *)model_data(model, view->formula_kinds))[i];

        if (kind < FIELD_NUMERIC || kind > FIELD_KIND_LAST)
            return "a name in the formula has an unknown kind";
    }
    if ((view->formula_inputs == NULL) != (view->formula_parameters == NULL))
        return "the formula lacks its inputs or its parameters";
    if (view->formula_inputs == NULL)
        return NULL;
    if (view->formula != NULL)
        return "the features are both inputs and terms of a formula";
    if (view->formula_inputs->type != ARRAY_U8 || view->formula_inputs->dimensions != 1)
        return "formula_inputs is not a value in binary form";
    if (view->formula_parameters->type != ARRAY_F64 || view->formula_parameters->dimensions != 1 ||
        !all_finite(model_data(model, view->formula_parameters), view->formula_parameters->rows))
        return "formula_parameters are not finite numbers";
    return NULL;
}

static const char *check_impute(const Model *model, const ModelEntry *impute)
{
    if (!is_list(impute, ARRAY_F64, model->slot_count))
        return "impute does not have one number per slot";
    return impute == NULL || all_finite(model_data(model, impute), impute->rows) ? NULL : "a number to impute is not finite";
}

const char *schema_check(Env *env, const Model *model)
{
    const ModelEntry *misplaced;
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
    if (!wrong && !strings_sound(model, view.class_type, 1))
        wrong = "class_type is not one name";
    if (!wrong && !strings_sound(model, view.id_type, 1))
        wrong = "id_type is not one name";
    if (!wrong && !strings_sound(model, view.target_name, 1))
        wrong = "target_name is not one name";
    if (!wrong && !is_list(view.missing, ARRAY_I64, 1))
        wrong = "missing is not one number";
    if (!wrong)
        wrong = check_formula(model, &view);
    if (!wrong)
        wrong = check_impute(model, view.impute);
    if (!wrong && (misplaced = schema_misplaced(model)) != NULL)
        wrong = env_message(env, "\"%s\" is in the wrong section", misplaced->name);
    return wrong;
}

/* ---- differences ---- */

/* Tells whether strings i of two entries are equal. */
static bool strings_equal(const Model *a, const ModelEntry *a_entry, const Model *b,
                          const ModelEntry *b_entry, uint32_t i)
{
    uint32_t a_length, b_length;
    const char *a_string = model_text(a, a_entry, i, &a_length);
    const char *b_string = model_text(b, b_entry, i, &b_length);

    return a_length == b_length && memcmp(a_string, b_string, a_length) == 0;
}

static void class_difference(TextBuffer *out, const Model *a, const SchemaView *a_view, const Model *b, const SchemaView *b_view)
{
    uint32_t a_length, b_length;
    const char *a_text, *b_text;

    if (!a_view->class_type || !b_view->class_type ||
        strings_equal(a, a_view->class_type, b, b_view->class_type, 0))
        return;
    a_text = model_text(a, a_view->class_type, 0, &a_length);
    b_text = model_text(b, b_view->class_type, 0, &b_length);
    text_print(out, "the labels of one are of type %.*s, those of the other of type %.*s",
               (int)bytes_cut(a_text, a_length, SCHEMA_NAME_SIZE), a_text,
               (int)bytes_cut(b_text, b_length, SCHEMA_NAME_SIZE), b_text);
}

/* Adds how a field differs in name, kind or width; nothing if it does not. */
static void field_difference(TextBuffer *out, const Model *a, const SchemaView *a_view, const Model *b,
                             const SchemaView *b_view, uint32_t field)
{
    uint32_t a_width = schema_view_width(a, a_view, field), b_width = schema_view_width(b, b_view, field);
    FieldKind a_kind = schema_view_kind(a, a_view, field), b_kind = schema_view_kind(b, b_view, field);
    bool renamed = schema_field_named(a, a_view, field) && schema_field_named(b, b_view, field) &&
                 !strings_equal(a, a_view->field_names, b, b_view->field_names, field);
    char a_name[SCHEMA_NAME_SIZE], b_name[SCHEMA_NAME_SIZE];

    if (!renamed && a_kind == b_kind && a_width == b_width)
        return;
    schema_field_name(a, field, a_name, sizeof a_name);
    schema_field_name(b, field, b_name, sizeof b_name);
    if (renamed)
        text_print(out, "feature %u is \"%s\" in one and \"%s\" in the other", field + 1, a_name, b_name);
    else if (a_kind != b_kind)
        text_print(out, "feature \"%s\" is %s in one and %s in the other", a_name, field_kind_name(a_kind),
                   field_kind_name(b_kind));
    else
        text_print(out, "feature \"%s\" has %u number%s in one and %u in the other", a_name, a_width, a_width == 1 ? "" : "s", b_width);
}

/* Tells whether two entries, or none and none, have the same bytes. */
static bool bytes_equal(const Model *a, const ModelEntry *a_entry, const Model *b, const ModelEntry *b_entry)
{
    uint64_t size;

    if (a_entry == NULL || b_entry == NULL)
        return a_entry == b_entry;
    size = model_entry_bytes(a, a_entry);
    return size == model_entry_bytes(b, b_entry) && memcmp(model_data(a, a_entry), model_data(b, b_entry), size) == 0;
}

static void formula_difference(TextBuffer *out, const Model *a, const SchemaView *a_view, const Model *b, const SchemaView *b_view)
{
    const char *texts[2] = {"", ""};
    uint32_t lengths[2] = {0, 0};

    if (a_view->formula)
        texts[0] = model_text(a, a_view->formula, 0, &lengths[0]);
    if (b_view->formula)
        texts[1] = model_text(b, b_view->formula, 0, &lengths[1]);
    if (bytes_compare(texts[0], lengths[0], texts[1], lengths[1]) != 0)
        text_print(out, "one has the formula \"%.*s\", the other \"%.*s\"",
                   (int)bytes_cut(texts[0], lengths[0], SCHEMA_NAME_SIZE), texts[0],
                   (int)bytes_cut(texts[1], lengths[1], SCHEMA_NAME_SIZE), texts[1]);
    else if (!bytes_equal(a, a_view->formula_kinds, b, b_view->formula_kinds))
        text_print(out, "the columns of their formulas have different types");
    else if (!bytes_equal(a, a_view->formula_inputs, b, b_view->formula_inputs) ||
             !bytes_equal(a, a_view->formula_parameters, b, b_view->formula_parameters))
        text_print(out, "the terms of their formulas were not learned from the same rows");
}

const char *schema_difference(Env *env, const Model *a, const Model *b)
{
    TextBuffer out = {.env = env};
    SchemaView a_view, b_view;

    if (a->field_count != b->field_count)
        return env_message(env, "one has %u feature%s, the other %u", a->field_count, a->field_count == 1 ? "" : "s", b->field_count);
    if ((schema_named_fields(a) == 0) != (schema_named_fields(b) == 0))
        return "the features of one have names, those of the other have none";
    if ((a->flags ^ b->flags) & MODEL_NAMED)
        return "all features of one have names, and some of the other have none";
    schema_view(a, &a_view);
    schema_view(b, &b_view);
    for (uint32_t i = 0; i < a->field_count && out.length == 0; i++)
        field_difference(&out, a, &a_view, b, &b_view, i);
    if (out.length == 0)
        formula_difference(&out, a, &a_view, b, &b_view);
    if (out.length == 0)
        class_difference(&out, a, &a_view, b, &b_view);
    return out.text;
}
