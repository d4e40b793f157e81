/*
 * schema_check.c - checks a schema from outside, and compares two schemas.
 */
#include "core/base/all_finite.h"
#include "core/model/schema.h"

#include <stdio.h>
#include <string.h>

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
        if (kinds && (kinds[i] < FIELD_NUMERIC || kinds[i] > FIELD_KIND_LAST))
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
    schema_copy_name(a_type, sizeof a_type, a_text, a_length);
    schema_copy_name(b_type, sizeof b_type, b_text, b_length);
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
