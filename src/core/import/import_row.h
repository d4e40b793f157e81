/*
 * import_row.h - what the model of a document makes of the columns of the row before it scores: the stages of a pipeline, and the schema of the
 * model that scores.
 */
#ifndef PGFIT_IMPORT_ROW_H
#define PGFIT_IMPORT_ROW_H

#include "core/import/import_schema.h"

/* Fails with ERROR_DATA: "the onnx document <format>". */
void import_fail(Env *env, const char *program, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));

typedef enum ImportColumnKind {
    IMPORT_COLUMN_NUMBER,
    IMPORT_COLUMN_TEXT, /* a category as it comes */
    IMPORT_COLUMN_LEVEL, /* 1 where a category has a level */
    IMPORT_COLUMN_CODE  /* a number for each level */
} ImportColumnKind;

typedef struct ImportColumn {
    ImportColumnKind kind;
    uint32_t feature, level;
    bool scaled;
    double shift, scale; /* (x - shift) / scale */
} ImportColumn;

/* A feature of the row. */
typedef struct ImportFeature {
    const char *name;      /* NULL: it has none */
    bool category;
    uint32_t levels;
    const char *const *level; /* [levels] */
    const double *code;    /* [levels] numbers for them; NULL: none */
    double missing;        /* the number for other levels */
    double mean;           /* replaces NULL; NaN: nothing does */
} ImportFeature;

typedef struct ImportRow {
    const ImportNames *names;
    const char *program, *origin; /* ImportSchema */
    uint32_t features;
    ImportFeature *feature;
    bool strict;      /* unknown levels are an error */
    uint32_t columns; /* that the model reads that scores, or that are the result */
    ImportColumn *column;
} ImportRow;

/*
 * Begins the model that scores, whose features are those of the row, or without names the columns. labels: NULL: the numbers 0, 1, ...
 * *rows: its schema, for tree_store.
 */
ModelBuilder *import_row_begin(Env *env, const ImportRow *row, const char *estimator, uint32_t classes, const char *const *labels, const Model **rows);
/* Returns the model of a document: the stages that its columns ask for, and the model that scores; NULL: the columns are the result. */
Model *import_row_model(Env *env, const ImportRow *row, Model *(*score)(void *context), void *context);

#endif
