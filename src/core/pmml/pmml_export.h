/*
 * pmml_export.h - PMML documents out.
 */
#ifndef PGFIT_PMML_EXPORT_H
#define PGFIT_PMML_EXPORT_H

#include "core/base/text_buffer.h"
#include "core/model/model.h"

/* Writes a checked model as a document of PMML 4.4. Fails with ERROR_KIND, naming what PMML cannot say or this writer does not. */
void pmml_export(Env *env, const Model *model, TextBuffer *out);

#endif
