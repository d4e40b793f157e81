/*
 * dictionary.h - the strings that encoded rows stand for: levels of categorical fields, and classes. See schema.h for the arrays.
 */
#ifndef PGFIT_DICTIONARY_H
#define PGFIT_DICTIONARY_H

#include "core/base/bytes.h"
#include "core/model/model.h"

#include <math.h>
#include <string.h>

typedef struct SchemaView SchemaView;

typedef enum DictionaryKind { DICTIONARY_LEVELS, DICTIONARY_CLASSES } DictionaryKind;

/* The arrays of a dictionary, valid until the value moves or grows. */
typedef struct Dictionary {
    uint32_t size;
    const char *text;
    const uint32_t *ends;  /* grows down: string i ends at ends[-1 - i] */
    const int64_t *fields; /* NULL: classes */
    const double *keys;
    const int64_t *sorted;
} Dictionary;

/* The names of a dictionary's arrays; those of classes have no field. */
typedef struct DictionaryNames {
    const char *text, *field, *key, *sorted;
} DictionaryNames;
extern const DictionaryNames dictionary_names[]; /* by DictionaryKind */

void dictionary_open(const Model *model, const SchemaView *view, DictionaryKind kind,
                     Dictionary *dictionary);

static inline const char *dictionary_string(const Dictionary *dictionary, uint32_t position,
                                            uint32_t *length)
{
    /* the first begins at 0; without a branch, as positions are as mixed as rows are */
    uint32_t before = dictionary->ends[-(ptrdiff_t)(position + (position == 0))];
    uint32_t start = before & -(uint32_t)(position != 0);

    *length = dictionary->ends[-1 - (ptrdiff_t)position] - start;
    return dictionary->text + start;
}

static inline bool dictionary_is_null(const Dictionary *dictionary, uint32_t position)
{
    return dictionary->keys[position] == INFINITY;
}

/* Is this string, of this field, at this position? Any position may be asked. */
static inline bool dictionary_matches(const Dictionary *dictionary, uint32_t position, uint32_t field,
                                      const char *bytes, uint32_t length, bool is_null)
{
    uint32_t other_length;
    const char *other;

    if (position >= dictionary->size ||
        (dictionary->fields && dictionary->fields[position] != (int64_t)field) ||
        dictionary_is_null(dictionary, position) != is_null)
        return false;
    if (is_null)
        return true;
    other = dictionary_string(dictionary, position, &other_length);
    return other_length == length && bytes_same(other, bytes, length);
}

/* The same of a string that is no NULL, where the eight bytes before its end are readable: see bytes_tail. */
static inline bool dictionary_matches_tail(const Dictionary *dictionary, uint32_t position, uint32_t field,
                                           const char *bytes, uint32_t length, uint64_t tail)
{
    uint32_t other_length;
    const char *other;

    if (position >= dictionary->size || dictionary->fields[position] != (int64_t)field ||
        dictionary_is_null(dictionary, position))
        return false;
    other = dictionary_string(dictionary, position, &other_length);
    return other_length == length && bytes_tail(other, length) == tail &&
           (length <= 8 || memcmp(other, bytes, length - 8) == 0);
}

/* Its position, or -1. */
int dictionary_seek(const Dictionary *dictionary, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null);

uint32_t dictionary_size(const Model *model, DictionaryKind kind);
/* The number of classes; *entry_hint: where the last model had them, any number will do. */
uint32_t dictionary_class_count(const Model *model, uint32_t *entry_hint);
/* Dictionary position of a string (key +Infinity: the NULL level), or -1. O(log size). */
int dictionary_find(const Model *model, DictionaryKind kind, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null);
/*
 * The same of a class, by a guess that is checked first: where labels of this kind were found before, in
 * this or another value. Zeros to begin with; one for a place that asks often.
 */
#define CLASS_HINT_BITS 9
typedef struct ClassHint {
    uint32_t entry; /* of "class_text" in the directory */
    uint32_t positions[1 << CLASS_HINT_BITS];
} ClassHint;
int dictionary_find_class(const Model *model, ClassHint *hint, const char *bytes, uint32_t length);
/*
 * Adds one that is not there; returns the state (possibly in new memory; the old block is left to the
 * caller) and its position. key: ignored for the NULL level, else finite.
 */
Model *dictionary_add(Env *env, Model *model, DictionaryKind kind, uint32_t field,
                      const char *bytes, uint32_t length, bool is_null, double key,
                      uint32_t *position);
const char *dictionary_text(const Model *model, DictionaryKind kind, uint32_t position,
                            uint32_t *length);
/* The label of a class as a string of its own. */
char *class_string(Env *env, const Model *model, uint32_t class);
double dictionary_key(const Model *model, DictionaryKind kind, uint32_t position);
uint32_t dictionary_field(const Model *model, uint32_t position); /* levels only */
uint32_t schema_field_levels(const Model *model, uint32_t field); /* number of levels */
/*
 * Dictionary positions in final order: by field, then key, then bytes, the NULL level last (classes:
 * the same without field). order has dictionary_size places.
 */
void dictionary_final_order(Env *env, const Model *model, DictionaryKind kind, uint32_t *order);

/* One dictionary's part of schema_check. */
const char *dictionary_check(const Model *model, const SchemaView *view, DictionaryKind kind);

#endif
