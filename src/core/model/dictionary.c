/*
 * dictionary.c - numbers the levels of categorical fields and the classes of labels, inside the flat value.
 *
 * Strings get positions in order of appearance, which never change in a running state, so that encoded rows
 * stay valid. An index, kept in order of (field, NULL last, bytes), is what lookups search. The order that users
 * see, in which the key comes first (the declared order of an enum, the value of a number), is made by the fit.
 */
#include "core/base/sort.h"
#include "core/model/dictionary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const DictionaryNames dictionary_names[] = {
    [DICTIONARY_LEVELS] = {"level_text", "level_field", "level_key", "level_sorted"},
    [DICTIONARY_CLASSES] = {"class_text", NULL, "class_key", "class_sorted"},
};

/* Compares a string with the one at a position: by field, NULL last, then bytes. */
static int compare_with(const Dictionary *dictionary, uint32_t position, uint32_t field,
                        const char *bytes, uint32_t length, bool is_null)
{
    uint32_t other_length;
    const char *other;
    bool other_null = dictionary_is_null(dictionary, position);

    if (dictionary->fields && (int64_t)field != dictionary->fields[position])
        return (int64_t)field < dictionary->fields[position] ? -1 : 1;
    if (is_null || other_null)
        return (int)is_null - (int)other_null;
    other = dictionary_string(dictionary, position, &other_length);
    return bytes_compare(bytes, length, other, other_length);
}

/* Compares two positions in the order of the index. */
static int compare_positions(const Dictionary *dictionary, uint32_t a, uint32_t b)
{
    uint32_t length;
    const char *bytes = dictionary_string(dictionary, a, &length);
    uint32_t field = dictionary->fields ? (uint32_t)dictionary->fields[a] : 0;

    return compare_with(dictionary, b, field, bytes, length, dictionary_is_null(dictionary, a));
}

void dictionary_open(const Model *model, const SchemaView *view, DictionaryKind kind,
                     Dictionary *dictionary)
{
    bool levels = kind == DICTIONARY_LEVELS;
    const ModelEntry *text = levels ? view->level_text : view->class_text;
    const char *data;

    memset(dictionary, 0, sizeof *dictionary);
    if (!text)
        return;
    data = model_data(model, text);
    dictionary->size = text->rows;
    dictionary->text = data;
    dictionary->ends = (const uint32_t *)(const void *)(data + text->reserved);
    dictionary->fields = levels ? model_data(model, view->level_field) : NULL;
    dictionary->keys = model_data(model, levels ? view->level_key : view->class_key);
    dictionary->sorted = model_data(model, levels ? view->level_sorted : view->class_sorted);
}

/* Returns the first position in the index whose string does not come before this one. */
static uint32_t lower_bound(const Dictionary *dictionary, uint32_t field, const char *bytes,
                            uint32_t length, bool is_null)
{
    uint32_t low = 0, high = dictionary->size;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (compare_with(dictionary, (uint32_t)dictionary->sorted[middle], field, bytes, length,
                         is_null) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int dictionary_seek(const Dictionary *dictionary, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null)
{
    uint32_t place = lower_bound(dictionary, field, bytes, length, is_null);

    if (place == dictionary->size || compare_with(dictionary, (uint32_t)dictionary->sorted[place],
                                                  field, bytes, length, is_null) != 0)
        return -1;
    return (int)dictionary->sorted[place];
}

static void dictionary_of(const Model *model, DictionaryKind kind, Dictionary *dictionary)
{
    SchemaView view;

    schema_view(model, &view);
    dictionary_open(model, &view, kind, dictionary);
}

uint32_t dictionary_class_count(const Model *model, uint32_t *entry_hint)
{
    const ModelEntry *entry = model_entries(model) + *entry_hint;

    if (*entry_hint >= model->entry_count || memcmp(entry->name, "class_text", sizeof("class_text")) != 0) {
        entry = model_find(model, "class_text");
        if (entry == NULL)
            return 0;
        *entry_hint = (uint32_t)(entry - model_entries(model));
    }
    return entry->rows;
}

uint32_t dictionary_size(const Model *model, DictionaryKind kind)
{
    Dictionary dictionary;

    dictionary_of(model, kind, &dictionary);
    return dictionary.size;
}

int dictionary_find(const Model *model, DictionaryKind kind, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null)
{
    Dictionary dictionary;

    dictionary_of(model, kind, &dictionary);
    return dictionary_seek(&dictionary, field, bytes, length, is_null);
}

/* Looks a class up, and stores the hint for the next time. */
static __attribute__((noinline)) int find_class(const Model *model, ClassHint *hint, const char *bytes,
                                                uint32_t length)
{
    Dictionary dictionary;
    SchemaView view;
    int found;

    schema_view(model, &view);
    dictionary_open(model, &view, DICTIONARY_CLASSES, &dictionary);
    found = dictionary_seek(&dictionary, 0, bytes, length, false);
    if (found >= 0) {
        hint->entry = (uint32_t)(view.class_text - model_entries(model));
        hint->positions[bytes_place(bytes, length, CLASS_HINT_BITS)] = (uint32_t)found;
    }
    return found;
}

int dictionary_find_class(const Model *model, ClassHint *hint, const char *bytes, uint32_t length)
{
    static const char name[16] = "class_text";
    const ModelEntry *entry = model_entries(model) + hint->entry;
    uint32_t position = hint->positions[bytes_place(bytes, length, CLASS_HINT_BITS)], own;
    Dictionary classes;
    const char *text;

    if (hint->entry >= model->entry_count || memcmp(entry->name, name, sizeof(name)) != 0 ||
        position >= entry->rows)
        return find_class(model, hint, bytes, length);
    classes.text = (const char *)model + entry->offset;
    classes.ends = (const uint32_t *)(const void *)(classes.text + entry->reserved);
    text = dictionary_string(&classes, position, &own);
    return own == length && bytes_same(text, bytes, length) ? (int)position : find_class(model, hint, bytes, length);
}

const char *dictionary_text(const Model *model, DictionaryKind kind, uint32_t position,
                            uint32_t *length)
{
    Dictionary dictionary;

    dictionary_of(model, kind, &dictionary);
    return dictionary_string(&dictionary, position, length);
}

char *class_string(Env *env, const Model *model, uint32_t class)
{
    uint32_t length;
    const char *text = dictionary_text(model, DICTIONARY_CLASSES, class, &length);

    return env_text(env, text, length);
}

double dictionary_key(const Model *model, DictionaryKind kind, uint32_t position)
{
    Dictionary dictionary;

    dictionary_of(model, kind, &dictionary);
    return dictionary.keys[position];
}

uint32_t dictionary_field(const Model *model, uint32_t position)
{
    Dictionary dictionary;

    dictionary_of(model, DICTIONARY_LEVELS, &dictionary);
    return (uint32_t)dictionary.fields[position];
}

uint32_t schema_field_levels(const Model *model, uint32_t field)
{
    Dictionary dictionary;

    dictionary_of(model, DICTIONARY_LEVELS, &dictionary);
    if (!dictionary.size)
        return 0;
    return lower_bound(&dictionary, field + 1, "", 0, false) -
           lower_bound(&dictionary, field, "", 0, false);
}

/*
 * Makes room for `extra` more bytes in an array. Returns the value, which may have moved; a block that it left is released
 * unless it is the caller's.
 */
static Model *make_room(Env *env, Model *model, const Model *callers, const char *name,
                        uint32_t extra)
{
    const ModelEntry *entry = model_find(model, name);
    uint64_t used;
    char what[64];
    Model *grown;

    if (!entry)
        env_fail(env, ERROR_INTERNAL, NULL, "the value has no array \"%s\"", name);
    used = model_entry_bytes(model, entry);
    if (used + extra <= entry->reserved)
        return model;
    if (used + extra > MODEL_MAX_SIZE)
        env_fail(env, ERROR_LIMIT, "Shorten the texts, or fit a sample of the rows.",
                 "a dictionary of %zu bytes is too large: at most %u are allowed", (size_t)used + extra, MODEL_MAX_SIZE);
    snprintf(what, sizeof what, "a state of %u %s", entry->rows + 1, name[0] == 'l' ? "levels" : "classes");
    model_require_growth(env, model, used + extra - entry->reserved, what);
    grown = model_grow(env, model, name, (uint32_t)(used + extra));
    if (model != callers)
        env->release(env, model);
    return grown;
}

Model *dictionary_add(Env *env, Model *model, DictionaryKind kind, uint32_t field,
                      const char *bytes, uint32_t length, bool is_null, double key,
                      uint32_t *position)
{
    const DictionaryNames *names = &dictionary_names[kind];
    const Model *callers = model;
    Dictionary dictionary;
    uint32_t place, size;
    int64_t *sorted;

    if (is_null) {
        key = INFINITY;
        length = 0;
        bytes = "";
    } else if (!isfinite(key))
        env_fail(env, ERROR_DATA, NULL, "a label cannot be infinite or NaN");
    if (length > MODEL_MAX_SIZE / 4)
        env_fail(env, ERROR_LIMIT, "Shorten the text.", "a level of %u bytes is too long: at most %u are allowed", length,
                 MODEL_MAX_SIZE / 4);

    model = make_room(env, model, callers, names->text, length + 4);
    model = make_room(env, model, callers, names->key, 8);
    model = make_room(env, model, callers, names->sorted, 8);
    if (names->field)
        model = make_room(env, model, callers, names->field, 8);

    dictionary_of(model, kind, &dictionary);
    size = dictionary.size;
    place = lower_bound(&dictionary, field, bytes, length, is_null);

    /* there is room in all of them */
    model_text_append(model, model_entry_mutable(model, names->text), bytes, length);
    model_append_f64(model, model_entry_mutable(model, names->key), key);
    model_append_i64(model, model_entry_mutable(model, names->sorted), 0);
    if (names->field)
        model_append_i64(model, model_entry_mutable(model, names->field), (int64_t)field);

    sorted = model_data_mutable(model, model_entry_mutable(model, names->sorted));
    memmove(sorted + place + 1, sorted + place, (size - place) * sizeof *sorted);
    sorted[place] = size;
    model->fingerprint = 0; /* no longer that of the content, nor are the strings in final order */
    *position = size;
    return model;
}

/* A position, and what decides its rank in the final order. */
typedef struct Ranked {
    bool text; /* of a text field, whose strings a fitted model has elsewhere */
    int64_t field;
    double key;
    uint32_t index; /* its rank in the index, which sorts the strings of a field by bytes */
    uint32_t position;
} Ranked;

static int compare_ranked(const void *left, const void *right)
{
    const Ranked *a = left, *b = right;

    if (a->text != b->text)
        return a->text ? 1 : -1;
    if (a->field != b->field)
        return a->field < b->field ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

void dictionary_final_order(Env *env, const Model *model, DictionaryKind kind, uint32_t *order)
{
    Dictionary dictionary;
    SchemaView view;
    Ranked *ranked;

    schema_view(model, &view);
    dictionary_open(model, &view, kind, &dictionary);
    if (model->kind == MODEL_FITTED && model->fingerprint != 0) {
        for (uint32_t i = 0; i < dictionary.size; i++)
            order[i] = i;
        return;
    }
    ranked = env_array_raw(env, dictionary.size, sizeof *ranked);
    for (uint32_t i = 0; i < dictionary.size; i++) {
        uint32_t position = (uint32_t)dictionary.sorted[i];

        ranked[i] = (Ranked){.text = dictionary.fields && schema_view_kind(model, &view, (uint32_t)dictionary.fields[position]) ==
                                                              FIELD_TEXT,
                             .field = dictionary.fields ? dictionary.fields[position] : 0,
                             .key = dictionary.keys[position],
                             .index = i,
                             .position = position};
    }
    sort_polled(env, ranked, dictionary.size, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < dictionary.size; i++)
        order[i] = ranked[i].position;
}

uint32_t *dictionary_final_positions(Env *env, const Model *model, DictionaryKind kind)
{
    uint32_t size = dictionary_size(model, kind), *order, *places;

    if (size == 0)
        return NULL;
    order = env_array_raw(env, size, sizeof(uint32_t));
    places = env_array_raw(env, size, sizeof(uint32_t));
    dictionary_final_order(env, model, kind, order);
    for (uint32_t i = 0; i < size; i++)
        places[order[i]] = i;
    return places;
}

/* ---- checks ---- */

static bool is_array(const ModelEntry *entry, ElementType type, uint32_t rows)
{
    return entry->type == (uint8_t)type && entry->dimensions == 1 && entry->rows == rows;
}

static bool has_arrays(const SchemaView *view, DictionaryKind kind)
{
    return kind == DICTIONARY_LEVELS ? view->level_text || view->level_field || view->level_key || view->level_sorted
                                     : view->class_text || view->class_key || view->class_sorted;
}

/* Returns what is wrong with the types and lengths of the arrays of a dictionary that has some, or NULL. */
static const char *arrays_problem(const SchemaView *view, DictionaryKind kind)
{
    bool levels = kind == DICTIONARY_LEVELS;
    const ModelEntry *text = levels ? view->level_text : view->class_text;
    const ModelEntry *field = levels ? view->level_field : NULL;
    const ModelEntry *key = levels ? view->level_key : view->class_key;
    const ModelEntry *sorted = levels ? view->level_sorted : view->class_sorted;

    if (!text || !key || !sorted || (levels && !field))
        return levels ? "the levels lack one of level_text, level_field, level_key, level_sorted"
                      : "the classes lack one of class_text, class_key, class_sorted";
    if (!is_array(text, ARRAY_TEXT, text->rows) || !is_array(key, ARRAY_F64, text->rows) ||
        !is_array(sorted, ARRAY_I64, text->rows) ||
        (field && !is_array(field, ARRAY_I64, text->rows)))
        return levels ? "the arrays of the levels differ in type or length"
                      : "the arrays of the classes differ in type or length";
    return NULL;
}

const char *dictionary_check(const Model *model, const SchemaView *view, DictionaryKind kind)
{
    bool levels = kind == DICTIONARY_LEVELS;
    const char *problem;
    Dictionary dictionary;

    if (!has_arrays(view, kind))
        return NULL;
    problem = arrays_problem(view, kind);
    if (problem != NULL)
        return problem;
    dictionary_open(model, view, kind, &dictionary);
    for (uint32_t i = 0; i < dictionary.size; i++) {
        uint32_t length;
        const char *bytes = dictionary_string(&dictionary, i, &length);
        double sort_key = dictionary.keys[i];

        if (levels &&
            (dictionary.fields[i] < 0 || dictionary.fields[i] >= model->field_count ||
             schema_view_kind(model, view, (uint32_t)dictionary.fields[i]) != FIELD_CATEGORICAL))
            return "a level belongs to no categorical feature";
        if (isnan(sort_key) || sort_key == -INFINITY)
            return "a sort key of a dictionary is not a number";
        if (sort_key == INFINITY && (!levels || length))
            return "a dictionary has a misplaced NULL level";
        if (memchr(bytes, 0, length))
            return "a string of a dictionary holds a zero byte";
        if (dictionary.sorted[i] < 0 || dictionary.sorted[i] >= dictionary.size)
            return "the index of a dictionary is out of range";
        /* strictly increasing, so no level occurs twice, and the index is a permutation */
        if (i && compare_positions(&dictionary, (uint32_t)dictionary.sorted[i - 1],
                                   (uint32_t)dictionary.sorted[i]) >= 0)
            return "the index of a dictionary is not sorted";
    }
    return NULL;
}

/* ---- texts of another encoding ---- */

/* Tells whether the index holds positions, out of order. */
static bool out_of_order(Env *env, const Dictionary *dictionary)
{
    bool disordered = false;

    for (uint32_t i = 0; i < dictionary->size; i++) {
        if (dictionary->sorted[i] < 0 || dictionary->sorted[i] >= dictionary->size)
            return false;
        if (i && compare_positions(dictionary, (uint32_t)dictionary->sorted[i - 1], (uint32_t)dictionary->sorted[i]) > 0)
            disordered = true;
        env_poll_every(env, i, 65536);
    }
    return disordered;
}

/* A position, and the dictionary that has it. */
typedef struct Indexed {
    const Dictionary *dictionary;
    uint32_t position;
} Indexed;

static int compare_indexed(const void *left, const void *right)
{
    const Indexed *a = left, *b = right;

    return compare_positions(a->dictionary, a->position, b->position);
}

/* Sorts the index of one dictionary. Returns whether that changed it. */
static bool restore_index(Env *env, Model *model, const SchemaView *view, DictionaryKind kind)
{
    Dictionary dictionary;
    int64_t *sorted;
    Indexed *places;

    if (!has_arrays(view, kind) || arrays_problem(view, kind) != NULL)
        return false;
    dictionary_open(model, view, kind, &dictionary);
    /* no encoding changes the order of ASCII */
    if (dictionary.size < 2 || bytes_ascii(dictionary.text, dictionary.ends[-(ptrdiff_t)dictionary.size]) || !out_of_order(env, &dictionary))
        return false;
    places = env_array_raw(env, dictionary.size, sizeof *places);
    for (uint32_t i = 0; i < dictionary.size; i++)
        places[i] = (Indexed){&dictionary, i};
    sort_polled(env, places, dictionary.size, sizeof *places, compare_indexed);
    sorted = model_data_mutable(model, model_entry_mutable(model, dictionary_names[kind].sorted));
    for (uint32_t i = 0; i < dictionary.size; i++)
        sorted[i] = places[i].position;
    env->release(env, places);
    return true;
}

Model *dictionary_restore(Env *env, Model *model)
{
    SchemaView view;
    bool changed;

    schema_view(model, &view);
    changed = restore_index(env, model, &view, DICTIONARY_LEVELS);
    changed = restore_index(env, model, &view, DICTIONARY_CLASSES) || changed;
    if (changed)
        model_seal(env, model);
    return model;
}
