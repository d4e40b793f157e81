/*
 * common_rows.h - the rows that all candidates can score, by which alone they can be compared.
 */
#ifndef PGFIT_COMMON_ROWS_H
#define PGFIT_COMMON_ROWS_H

#include "pg/operations/fit_query.h"

/*
 * Returns the condition of the rows that fits of all these queries, over one source, can score, or NULL where all can score the same rows: a fit that
 * skips NULLs scores rows whose columns have none. scorable: [count] gets how many rows each can score, -1 with NULL. queries may be NULL one by
 * one. Reads the source if some skip other columns than others. Needs SPI.
 */
char *common_rows(FitQuery *const *queries, int count, int64 *scorable);

#endif
