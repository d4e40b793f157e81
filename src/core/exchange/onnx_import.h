/*
 * onnx_import.h - a document while it becomes a model: what its graph makes of the columns of the row, and the node that scores them.
 *
 * The graph is followed from its inputs to its outputs, node by node. A value is columns (of the row, scaled or encoded), or a result of the
 * node that scores. The model is that of this node; where columns are not those of the row as they come, it is the last stage of a pipeline.
 */
#ifndef PGFIT_ONNX_IMPORT_H
#define PGFIT_ONNX_IMPORT_H

#include "core/import/import_row.h"
#include "core/onnx/onnx_read.h"

typedef struct OnnxImport {
    Env *env;
    const OnnxDocument *document;
    ImportRow row;          /* its columns are those that the node reads that scores, or that are the result */
    const OnnxNode *scorer; /* the node that scores; NULL: none so far */
    bool single;            /* the columns are floats */
    bool normalized;        /* its scores are divided by their sum */
} OnnxImport;

/* Returns the labels of a classifier, in attributes NAME_strings, or NAME_ints or NAME_int64s; NULL: 0, 1, ...; and how many. */
const char *const *onnx_import_labels(OnnxImport *import, const char *strings, const char *integers, uint32_t *classes);

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
