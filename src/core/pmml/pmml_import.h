/*
 * pmml_import.h - a PMML document while it becomes a model: its fields, what it makes of them, and the readers of single kinds of models.
 *
 * A reader goes through its model element twice. The first pass names the fields that the model uses (pmml_column), and their levels; then
 * pmml_row fixes the columns of the row; the second pass, called by import_row_model, builds the model.
 */
#ifndef PGFIT_PMML_IMPORT_H
#define PGFIT_PMML_IMPORT_H

#include "core/base/sort.h"
#include "core/import/import_row.h"
#include "core/model/schema.h"
#include "core/pmml/xml_tree.h"

#include <math.h>
#include <string.h>

/* Fails with ERROR_DATA: "the pmml document <format>". */
#define pmml_fail(env, ...) import_fail(env, "pmml", __VA_ARGS__)

/* ---- elements (pmml_elements.c) ---- */

/* Returns an attribute; NULL: there is none. */
const char *pmml_attribute(const XmlNode *node, const char *name);
/* Tells whether an attribute has this value; missing: where it is not there. */
bool pmml_says(const XmlNode *node, const char *name, const char *value, bool missing);
/* Returns an attribute, which must be there. */
const char *pmml_required(Env *env, const XmlNode *node, const char *name);
/* Returns an attribute as a finite number; fallback NaN: it must be there. */
double pmml_number(Env *env, const XmlNode *node, const char *name, double fallback);
/* Returns a text as a finite number. what: for messages. */
double pmml_number_of(Env *env, const char *text, const char *what);
/* Tells whether an element has this name. */
static inline bool pmml_is(const XmlNode *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}
/* Return the first child and the next one beside an element, without extensions; with a name: of this name; NULL: there is none. */
const XmlNode *pmml_first(const XmlNode *node, const char *name);
const XmlNode *pmml_next(const XmlNode *node, const char *name);
/* Returns the only child of this name, which must be there. */
const XmlNode *pmml_child(Env *env, const XmlNode *node, const char *name);
uint32_t pmml_count(const XmlNode *node, const char *name);
/* Returns the numbers of an element's text, [*count]. */
double *pmml_numbers(Env *env, const XmlNode *node, uint32_t *count);
/* Calls take for each text of an Array, which are in quotes or between spaces; it lasts as long as the call. */
void pmml_texts(Env *env, const XmlNode *array, void (*take)(void *context, const char *text), void *context);

/* ---- fields (pmml_fields.c) ---- */

typedef enum PmmlInvalid { PMML_RETURN_INVALID, PMML_AS_IS, PMML_AS_MISSING } PmmlInvalid;

/* A field of the data dictionary. */
typedef struct PmmlField {
    const char *name;
    const XmlNode *node, *treatment; /* treatment: the MiningField of the model; NULL: none */
    bool category, single; /* single: numbers are rounded to floats */
    bool active, used, placed; /* placed: it is a feature of the row */
    bool bounded;          /* the document limits its numbers, or lists its levels */
    PmmlInvalid invalid;
    bool required;         /* rows that lack it have no score */
    double replacement;    /* of missing numbers; NaN: none */
    uint32_t feature;      /* set by pmml_row */
    HashTable table;       /* of levels */
    const char **level;
    uint32_t room;
} PmmlField;

typedef struct PmmlImport {
    Env *env;
    const XmlNode *root, *model;
    const ImportNames *names;
    PmmlField *field;
    uint32_t fields;
    HashTable table;          /* of names: fields, then derived ones */
    const XmlNode **derived;
    uint32_t derivations, room;
    PmmlField *target;        /* NULL: none */
    ImportRow row;
    PmmlField **used;         /* [row.features] */
    const Model *schema;      /* of the model that scores, for trees */
    HashTable column_table;
    ImportColumn *column;     /* those asked for so far; their feature is the number of a field */
    uint32_t columns, columns_room;
    uint32_t *place;          /* [columns] of each of them in the row, after pmml_row */
    bool levels_may_lack;     /* a missing category has a score: of no level, or of its branch */
    bool settled;             /* the second pass: there are no new classes */
    bool skips_nulls;         /* rows with a NULL have no score, though the document has some */
    bool refuses_levels;      /* unknown levels are an error, though the document scores some */
} PmmlImport;

/* Reads the data dictionary, the mining schema of the model and derived fields. */
void pmml_fields(PmmlImport *import);
/* Fails if a model in a segment treats values otherwise than the whole does, or derives fields. */
void pmml_require_plain_segment(PmmlImport *import, const XmlNode *model);
/* Returns the field or derived field of this name as a column: of a number, or the texts of a category. Marks the field as used. */
ImportColumn pmml_column(PmmlImport *import, const char *name);
/* The same for a number. what: "a NumericPredictor". */
ImportColumn pmml_number_column(PmmlImport *import, const char *name, const char *what);
/* Returns the column that is 1 where a category has this value. */
ImportColumn pmml_level_column(PmmlImport *import, const char *name, const char *value);
/* Returns the number of a level of a field, which is added where it is new and the document does not list all. */
uint32_t pmml_level(PmmlImport *import, PmmlField *field, const char *value);
/* Returns a category's level, or HASH_NONE. */
uint32_t pmml_find_level(const PmmlField *field, const char *value);
/* Adds a column to those that the model reads, unless it is there; returns its place. */
uint32_t pmml_put_column(PmmlImport *import, ImportColumn column);
/*
 * Fixes the columns of the row: those that were put, by feature, of which place tells each one's; natural: all features as they come.
 */
void pmml_row(PmmlImport *import, bool natural);
/* Fails if a number that the model reads is rounded to a float. */
void pmml_require_doubles(PmmlImport *import);
/* Returns the target of a classification. */
PmmlField *pmml_target(PmmlImport *import);
/* Returns the number of a class, which in the first pass may be new. */
uint32_t pmml_class(PmmlImport *import, const char *label);
/* Reads what a model's Targets do to its result: result x factor + constant. Refuses the rest. */
void pmml_targets(PmmlImport *import, const XmlNode *model, double *factor, double *constant);

/* ---- readers, which return a model that is not checked ---- */

Model *pmml_read_regression(PmmlImport *import);
Model *pmml_read_general(PmmlImport *import);
Model *pmml_read_trees(PmmlImport *import); /* TreeModel and MiningModel */
Model *pmml_read_clusters(PmmlImport *import);
Model *pmml_read_bayes(PmmlImport *import);
Model *pmml_read_vectors(PmmlImport *import);


#endif
