/*
 * exchange.h - models that other programs wrote, and models as other programs read them.
 *
 * A format that comes in is an ImportFormat (core/import): it recognizes documents and builds a model from one. A format that goes out is an ExportFormat, which writes a model that was checked. Both are listed in
 * exchange.c.
 */
#ifndef PGFIT_EXCHANGE_H
#define PGFIT_EXCHANGE_H

#include "core/import/import_schema.h"

typedef struct ExportFormat {
    const char *name;
    bool binary; /* the document is no text */
    /* Writes a checked model. Fails with ERROR_KIND, naming what the format cannot say. */
    void (*write)(Env *env, const Model *model, TextBuffer *out);
} ExportFormat;

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
