/*
 * support_vector_table.h - the table support_vectors(model): the rows that carry a model of margins.
 */
#ifndef PGFIT_SUPPORT_VECTOR_TABLE_H
#define PGFIT_SUPPORT_VECTOR_TABLE_H

#include "core/estimator/table.h"

/*
 * Of models with the arrays row_numbers I64[m], multipliers F64[P x m] and, optionally, at_bound U8[P x m], as kernel expansions
 * (kernel_model.h) and linear support vector machines have them: for each problem the rows whose multiplier is not 0.
 */
extern const Table support_vector_table;

#endif
