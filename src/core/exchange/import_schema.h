/*
 * import_schema.h - begins the model of a document: its columns, levels and classes, by the names of the document or those
 * that the user gave.
 */
#ifndef PGFIT_IMPORT_SCHEMA_H
#define PGFIT_IMPORT_SCHEMA_H

#include "core/exchange/exchange.h"

/* What a document says of the rows that its model reads. */
typedef struct ImportSchema {
    const char *program;       /* for messages and the fact "imported": "xgboost 1.7.4" */
    uint32_t features;
    const char *const *names;  /* [features] zero-terminated; NULL: the document has none */
    const uint32_t *levels;    /* [features] of categories the number of codes 0, 1, ...; 0: a number; NULL: all are numbers */
    const char *const *const *level_names; /* [features][levels] texts of the codes; NULL, or NULL of a feature: their numbers */
    uint32_t classes;          /* 0: the model predicts numbers */
    const char *const *labels; /* [classes]; NULL: their numbers 0, 1, ... */
} ImportSchema;

/*
 * Returns a builder of a model of this estimator with the schema, no rows, and the fact "imported"; for models that take missing
 * values as such (nulls_are_values) with the flags for it. Levels and classes have the order of the document. Names that the
 * user gave replace those of the document. Fails with ERROR_PARAMETER if these are too many, too few, or say one thing twice.
 */
ModelBuilder *import_begin(Env *env, const char *estimator, const ImportSchema *schema, const ImportNames *names);

#endif
