/*
 * onnx_export.h - writes a model as an ONNX document.
 */
#ifndef PGFIT_ONNX_EXPORT_H
#define PGFIT_ONNX_EXPORT_H

#include "core/base/text_buffer.h"
#include "core/model/model.h"

/* Adds a checked model as a document. Fails with ERROR_KIND, naming what ONNX cannot say of it. */
void onnx_export(Env *env, const Model *model, TextBuffer *out);

#endif
