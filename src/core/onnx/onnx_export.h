/*
 * onnx_export.h - writes a model as an ONNX document.
 */
#ifndef PGFIT_ONNX_EXPORT_H
#define PGFIT_ONNX_EXPORT_H

#include "core/base/text_buffer.h"
#include "core/model/model.h"

/* Adds a checked model as a document. Fails with ERROR_KIND, naming what ONNX cannot say of it. */
void onnx_export(Env *env, const Model *model, TextBuffer *out);
/*
 * Adds it as a graph for the interpreter in python_runtime.c; returns the model of the last stage. Such a graph differs from a document of
 * ONNX: label is a position of a class (-1: none), decision has the scores of classifiers, trees return doubles (with the attribute
 * floats sums of floats that begin with these), a LabelEncoder tells NULL (null_float) and unknown levels (strict) from texts, and there are
 * operators Probit, SquaredDistances and Neighbors.
 */
const Model *onnx_export_python(Env *env, const Model *model, TextBuffer *out);
/* Tells whether labels of this SQL type are integers. */
bool onnx_integer_type(const char *type);

#endif
