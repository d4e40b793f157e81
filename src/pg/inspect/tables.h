/*
 * tables.h - returns the rows of a table of a model (core/estimator/table.h).
 */
#ifndef PGFIT_TABLES_H
#define PGFIT_TABLES_H

#include "pg/host/backend_env.h"
#include "core/estimator/table.h"

/* Returns the rows of a table as the result of this call. reader, rows: what its open returned, for functions of more than a model. */
void table_rows(FunctionCallInfo fcinfo, const Table *table, const Model *model, void *reader, uint64_t rows);

#endif
