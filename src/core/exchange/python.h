/*
 * python.h - models as modules of Python that need nothing but numpy: a format in the list of exchange.c.
 */
#ifndef PGFIT_PYTHON_H
#define PGFIT_PYTHON_H

#include "core/exchange/exchange.h"

extern const ExportFormat export_python;

/* The lines of a module that are the same for every model: they read rows and run the operators of a graph. NULL-terminated. */
extern const char *const python_runtime[];

#endif
