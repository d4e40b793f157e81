/*
 * import_schema.h - begins the model of a document: its columns, levels and classes, by the names of the document or those
 * that the user gave.
 */
#ifndef PGFIT_IMPORT_SCHEMA_H
#define PGFIT_IMPORT_SCHEMA_H

#include "core/exchange/exchange.h"

#define IMPORT_MOST_LEVELS 65536 /* of a feature */

/* What a document says of the rows that its model reads. */
typedef struct ImportSchema {
    const char *program;       /* for messages: "xgboost" */
    const char *origin;        /* the fact "imported": "xgboost 1.7.4, binary:logistic"; NULL: the program */
    uint32_t features;
    const char *const *names;  /* [features] zero-terminated; NULL: the document has none */
    const bool *categories;    /* [features] is it a category, not a number? NULL: none is */
    const uint32_t *levels;    /* [features] of a category how many codes, 0, 1, ..., need a text */
    const char *const *const *level_names; /* [features][levels] those texts; NULL, or NULL of a feature: the user gives them */
    uint32_t classes;          /* 0: the model predicts numbers */
    const char *const *labels; /* [classes]; NULL: their numbers 0, 1, ... */
    const Model *rows;         /* import_begin returns the schema by itself here, for tree_store and the like */
} ImportSchema;

/*
 * Returns a builder of a model of this estimator with the schema, no rows, and the fact "imported"; for models that take missing
 * values as such (nulls_are_values) with the flags for it. Levels and classes have the order of the document. Names that the
 * user gave replace those of the document. Fails with ERROR_PARAMETER if these are too many, too few, or say one thing twice, or
 * if codes of a category have no texts.
 */
ModelBuilder *import_begin(Env *env, const char *estimator, ImportSchema *schema, const ImportNames *names);

#endif
