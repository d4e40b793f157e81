/*
 * import_schema.h - what readers of documents share: a format, the names that the user gave, and the beginning of a model: its columns,
 * levels and classes, by the names of the document or those of the user.
 */
#ifndef PGFIT_IMPORT_SCHEMA_H
#define PGFIT_IMPORT_SCHEMA_H

#include "core/base/json.h"
#include "core/estimator/estimator.h"

/* Names that a document may lack: the options of import_model. */
typedef struct ImportNames {
    const char *const *features; /* [feature_count] in the order of the document; NULL: not given */
    uint32_t feature_count;
    const char *const *classes; /* [class_count] labels in the order of the document's numbers; NULL: not given */
    uint32_t class_count;
    const Json *levels; /* an object of arrays of strings, by feature: the texts of its codes 0, 1, ...; NULL: not given */
} ImportNames;

typedef struct ImportFormat {
    const char *name; /* "xgboost" */
    /* Tells from a few bytes whether this is a document of the format. */
    bool (*recognize)(const uint8_t *bytes, size_t length);
    /*
     * Returns the model of a document. The caller checks it as any value from outside. Fails with ERROR_DATA if the document is
     * damaged or says something that no model here can, naming it.
     */
    Model *(*read)(Env *env, const uint8_t *bytes, size_t length, const ImportNames *names);
} ImportFormat;

/* The options of import_model. */
extern const OptionSpec *const import_options[];
/* Returns the names in options of import_model, an object as JSON. Fails with ERROR_PARAMETER for others. */
ImportNames import_names(Env *env, const char *json, size_t length);
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
