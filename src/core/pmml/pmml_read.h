/*
 * pmml_read.h - PMML documents in.
 */
#ifndef PGFIT_PMML_READ_H
#define PGFIT_PMML_READ_H

#include "core/import/import_schema.h"

/* Parts of an ImportFormat. Reading fails with ERROR_KIND where the host has no XML parser. */
bool pmml_recognize(const uint8_t *bytes, size_t length);
Model *pmml_read(Env *env, const uint8_t *bytes, size_t length, const ImportNames *names);

#endif
