/*
 * onnx_import.h - a document while it becomes a model: what its graph makes of the columns of the row, and the node that scores them.
 *
 * The graph is followed from its inputs to its outputs, node by node. A value is columns (of the row, scaled or encoded), or a result of the
 * node that scores. The model is that of this node; where columns are not those of the row as they come, it is the last stage of a pipeline.
 */
#ifndef PGFIT_ONNX_IMPORT_H
#define PGFIT_ONNX_IMPORT_H

#include "core/exchange/import_schema.h"
#include "core/onnx/onnx_read.h"

typedef enum OnnxColumnKind {
    ONNX_COLUMN_NUMBER,
    ONNX_COLUMN_TEXT, /* a category as it comes */
    ONNX_COLUMN_LEVEL, /* 1 where a category has a level */
    ONNX_COLUMN_CODE  /* a number for each level */
} OnnxColumnKind;

typedef struct OnnxColumn {
    OnnxColumnKind kind;
    uint32_t feature, level;
    bool scaled;
    double shift, scale; /* (x - shift) / scale */
} OnnxColumn;

/* A feature of the row. */
typedef struct OnnxFeature {
    const char *name;      /* NULL: it has none */
    bool category;
    uint32_t levels;
    const char *const *level; /* [levels] */
    const double *code;    /* [levels] numbers for them; NULL: none */
    double missing;        /* the number for other levels */
    double mean;           /* replaces NULL; NaN: nothing does */
} OnnxFeature;

typedef struct OnnxImport {
    Env *env;
    const OnnxDocument *document;
    const ImportNames *names;
    uint32_t features;
    OnnxFeature *feature;
    bool strict;            /* unknown levels are an error */
    const OnnxNode *scorer; /* the node that scores; NULL: none so far */
    uint32_t columns;       /* that it reads, or that are the result */
    OnnxColumn *column;
    bool single;            /* they are floats */
    bool normalized;        /* its scores are divided by their sum */
} OnnxImport;

/*
 * Begins the model of the node that scores, whose features are those of the row, or without names the columns. labels: NULL: the numbers
 * 0, 1, ... *rows: its schema, for tree_store.
 */
ModelBuilder *onnx_import_begin(OnnxImport *import, const char *estimator, uint32_t classes, const char *const *labels, const Model **rows);
/* Returns the labels of a classifier, in attributes NAME_strings, or NAME_ints or NAME_int64s; NULL: 0, 1, ...; and how many. */
const char *const *onnx_import_labels(OnnxImport *import, const char *strings, const char *integers, uint32_t *classes);

/* Tells whether the columns are the features of the row as they come. */
bool onnx_import_is_plain(const OnnxImport *import);
/*
 * Return the stages before the node that scores; NULL: there is nothing to do. The first turns categories to codes, unless columns are chosen,
 * moved or of levels; then the second does that. The third scales; first: it reads the row.
 */
Model *onnx_code_stage(OnnxImport *import);
Model *onnx_level_stage(OnnxImport *import);
Model *onnx_scaling_stage(OnnxImport *import, bool first);
/* Returns texts of integers. */
const char *const *onnx_integer_texts(Env *env, const double *numbers, uint32_t count);

/* Readers of single operators, which return the model of the node that scores. */
Model *onnx_import_tree_regressor(OnnxImport *import);
Model *onnx_import_tree_classifier(OnnxImport *import);
Model *onnx_import_linear_regressor(OnnxImport *import);
Model *onnx_import_linear_classifier(OnnxImport *import);
Model *onnx_import_svm_regressor(OnnxImport *import);
Model *onnx_import_svm_classifier(OnnxImport *import);

#endif
