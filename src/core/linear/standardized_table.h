/*
 * standardized_table.h - standardized (beta) coefficients of linear_regression.
 */
#ifndef PGFIT_STANDARDIZED_TABLE_H
#define PGFIT_STANDARDIZED_TABLE_H

#include "core/linear/linear_fit.h"

extern const ArraySpec deviation_arrays[1]; /* deviations */
extern const Table *const standardized_tables[]; /* NULL-terminated */

/* Adds the array of the standard deviations of target and terms. */
void linear_deviations_add(ModelBuilder *builder, const LinearFit *fit);

#endif
