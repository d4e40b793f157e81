/*
 * pmml_write.h - what the writers of single kinds of models share: XML, fields, and the row that the last stage of a pipeline reads.
 */
#ifndef PGFIT_PMML_WRITE_H
#define PGFIT_PMML_WRITE_H

#include "core/estimator/class_options.h"
#include "core/estimator/estimator.h"
#include "core/base/text_buffer.h"
#include "core/moments/model_terms.h"

/* A number of the row that a model reads: a field, or one that is derived; of a category its text. */
typedef struct PmmlSource {
    const char *name;
    bool category;
} PmmlSource;

typedef struct PmmlWriter {
    Env *env;
    const Model *schema;  /* that reads the row */
    const Model *model;   /* that scores */
    TextBuffer *out;      /* the model element */
    TextBuffer derived;   /* derived fields */
    PmmlSource *slot;     /* [model->slot_count] */
    const char *target;   /* NULL: clusters have none */
} PmmlWriter;

/* How a method is written. */
typedef struct PmmlMethod {
    const char *name; /* of the estimator */
    void (*write)(PmmlWriter *writer);
} PmmlMethod;

/* Tables that end with a NULL name: pmml_write_linear.c, pmml_write_trees.c, pmml_write_others.c. */
extern const PmmlMethod pmml_linear_methods[], pmml_tree_methods[], pmml_other_methods[];

/* Fails with ERROR_KIND: PMML cannot say this of the model. */
void pmml_refuse(Env *env, const Model *model, const char *what) __attribute__((noreturn));

/* Add ' name="value"', escaped. */
void pmml_put_text(TextBuffer *out, const char *name, const char *value);
void pmml_put_content(TextBuffer *out, const char *text); /* the text of an element */
void pmml_put_number(TextBuffer *out, const char *name, double value);
/* Returns the name of a field of the row. */
const char *pmml_field_name(Env *env, const Model *schema, uint32_t field);
/* Returns a level or label, zero-terminated; refuses NULL as a level. */
const char *pmml_dictionary_text(PmmlWriter *writer, DictionaryKind kind, uint32_t position);
/* Adds the beginning of a model element, its mining schema and derived fields. attributes: of the element, or "". */
void pmml_begin_model(PmmlWriter *writer, const char *element, const char *function, const char *attributes);
/* Adds a mining schema of the sources [slots] that are marked; used NULL: of all fields of the row. target: with the target. */
void pmml_put_mining_schema(PmmlWriter *writer, const bool *used, bool target);
/* Return the name of a new derived field: (source - shift) / scale, and 1 where a category has a level. */
const char *pmml_derive_scaled(PmmlWriter *writer, const char *source, double shift, double scale);
const char *pmml_derive_level(PmmlWriter *writer, const char *source, uint32_t level);
/* Fails unless two classes are told by a probability of 0.5, and every row has one. */
void pmml_require_rule(PmmlWriter *writer);

#endif
