/*
 * dictionary.h - numbers the strings of rows: levels of categorical fields, and classes. schema.h lists the arrays.
 */
#ifndef PGFIT_DICTIONARY_H
#define PGFIT_DICTIONARY_H

#include "core/base/bytes.h"
#include "core/model/schema_view.h"

#include <math.h>
#include <string.h>

typedef enum DictionaryKind { DICTIONARY_LEVELS, DICTIONARY_CLASSES } DictionaryKind;

/* The arrays of a dictionary; valid until the value moves or grows. */
typedef struct Dictionary {
    uint32_t size;
    const char *text;
    const uint32_t *ends;  /* the table grows down: string i ends at ends[-1 - i] */
    const int64_t *fields; /* NULL for classes */
    const double *keys;
    const int64_t *sorted;
} Dictionary;

/* The names of the arrays; field is NULL for classes. */
typedef struct DictionaryNames {
    const char *text, *field, *key, *sorted;
} DictionaryNames;
extern const DictionaryNames dictionary_names[]; /* by DictionaryKind */

/* Finds the arrays of a dictionary; size is 0 if there is none. */
void dictionary_open(const Model *model, const SchemaView *view, DictionaryKind kind,
                     Dictionary *dictionary);

/* Returns the string at a position; it is not zero-terminated. */
static inline const char *dictionary_string(const Dictionary *dictionary, uint32_t position,
                                            uint32_t *length)
{
    /* the first begins at 0. No branch: positions come in the order of rows, so it could not be predicted */
    uint32_t before = dictionary->ends[-(ptrdiff_t)(position + (position == 0))];
    uint32_t start = before & -(uint32_t)(position != 0);

    *length = dictionary->ends[-1 - (ptrdiff_t)position] - start;
    return dictionary->text + start;
}

/* Tells whether this is the NULL level. */
static inline bool dictionary_is_null(const Dictionary *dictionary, uint32_t position)
{
    return dictionary->keys[position] == INFINITY;
}

/*
 * Tells whether a level of this field that is not NULL is at a position, which may be any number. The eight bytes before the end of the
 * string must be readable; tail: what bytes_tail returns for it.
 */
static inline bool dictionary_matches(const Dictionary *dictionary, uint32_t position, uint32_t field,
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

/* Returns the position of a string, or -1. Takes O(log size). */
int dictionary_seek(const Dictionary *dictionary, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null);

uint32_t dictionary_size(const Model *model, DictionaryKind kind);
/* Returns the number of classes. *entry_hint: the index of "class_text" in the directory of the last model; any number at first. */
uint32_t dictionary_class_count(const Model *model, uint32_t *entry_hint);
/* The same as dictionary_seek without an open dictionary. */
int dictionary_find(const Model *model, DictionaryKind kind, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null);
/*
 * Where labels with the same hash were found the last time, in this or another value. Each place that looks up many labels
 * has one, with zeros at first.
 */
#define CLASS_HINT_BITS 9
typedef struct ClassHint {
    uint32_t entry; /* of "class_text" in the directory */
    uint32_t positions[1 << CLASS_HINT_BITS];
} ClassHint;
/* Returns the position of a class, or -1. Checks the hint first, and updates it. */
int dictionary_find_class(const Model *model, ClassHint *hint, const char *bytes, uint32_t length);
/*
 * Adds a string that is not there yet. Returns the state, which may be in new memory; the old block is left to the caller.
 * key: finite; ignored for the NULL level. Fails with ERROR_LIMIT if the state outgrows the budget.
 */
Model *dictionary_add(Env *env, Model *model, DictionaryKind kind, uint32_t field,
                      const char *bytes, uint32_t length, bool is_null, double key,
                      uint32_t *position);
/* Returns the string at a position; it is not zero-terminated. */
const char *dictionary_text(const Model *model, DictionaryKind kind, uint32_t position,
                            uint32_t *length);
/* Returns a zero-terminated copy of the label of a class. */
char *class_string(Env *env, const Model *model, uint32_t class);
double dictionary_key(const Model *model, DictionaryKind kind, uint32_t position);
/* Returns the field of a level. */
uint32_t dictionary_field(const Model *model, uint32_t position);
/* Returns how many levels a field has. */
uint32_t schema_field_levels(const Model *model, uint32_t field);
/*
 * Writes the dictionary_size positions of a dictionary in final order: by field, then key, then bytes, with the NULL level
 * of a field last. Texts of text fields, which a fitted model does not have in its dictionary, come after all levels. A finished
 * fitted model has its strings in this order, and keeps it where a dump into a database of another encoding has changed the bytes.
 */
void dictionary_final_order(Env *env, const Model *model, DictionaryKind kind, uint32_t *order);
/* Returns the place of each position in that order; NULL if the dictionary is empty. */
uint32_t *dictionary_final_positions(Env *env, const Model *model, DictionaryKind kind);

/*
 * Sorts the index of a dictionary again if another encoding has changed the order of its strings, as when a dump goes to a database of
 * another one. Returns the model, whose layout must be sound.
 */
Model *dictionary_restore(Env *env, Model *model);

/* Returns what is wrong with a dictionary of a value whose layout is sound, or NULL. */
const char *dictionary_check(const Model *model, const SchemaView *view, DictionaryKind kind);

#endif
