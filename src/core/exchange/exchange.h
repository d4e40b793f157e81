/*
 * exchange.h - models that other programs wrote, and models as other programs read them.
 *
 * A format that comes in is an ImportFormat: it recognizes documents and builds a model from one, by import_begin
 * (import_schema.h). A format that goes out is an ExportFormat, which writes a model that was checked. Both are listed in
 * exchange.c.
 */
#ifndef PGFIT_EXCHANGE_H
#define PGFIT_EXCHANGE_H

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

typedef struct ExportFormat {
    const char *name;
    bool binary; /* the document is no text */
    /* Writes a checked model. Fails with ERROR_KIND, naming what the format cannot say. */
    void (*write)(Env *env, const Model *model, TextBuffer *out);
} ExportFormat;

/* The options of import_model. */
extern const OptionSpec *const import_options[];
/* Returns the names in options of import_model, an object as JSON. Fails with ERROR_PARAMETER for others. */
ImportNames import_names(Env *env, const char *json, size_t length);
/*
 * Returns the model of a document, after the check of any value from outside. format: NULL: the one that recognizes the
 * document. Fails with ERROR_PARAMETER for an unknown format, with ERROR_DATA as its reader does.
 */
Model *model_import(Env *env, const uint8_t *bytes, size_t length, const char *format, const ImportNames *names);
/*
 * Returns a checked model as a document of this format, zero-terminated; *length: its bytes. Fails with ERROR_PARAMETER for an
 * unknown format or one that is not (binary) as asked for, with ERROR_KIND if the format cannot say what the model does.
 */
char *model_export(Env *env, const Model *model, const char *format, bool binary, size_t *length);
/* Returns a checked model as an SQL expression over the names of its features. Fails with ERROR_KIND if there is none. */
char *model_sql(Env *env, const Model *model);

#endif
