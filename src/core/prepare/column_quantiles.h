/*
 * column_quantiles.h - quantiles of the columns of rows, with linear interpolation between rows (Hyndman & Fan 1996, type 7).
 */
#ifndef PGFIT_COLUMN_QUANTILES_H
#define PGFIT_COLUMN_QUANTILES_H

#include "core/rows/rows.h"

/*
 * Returns the quantiles of each column for these shares, [slots x count]. Keeps as many columns at a time as the budget allows, sorted,
 * and reads the rows once for each such group. Weights that count rows (MODEL_FREQUENCY) give what repeated rows would give; others
 * place row k of the sorted column at (k - 1) w_k + (n - 1) (sum of the weights before it), of what that is for the last row: with equal
 * weights the same as without. Fails with ERROR_LIMIT if one column exceeds the budget. method: for messages.
 */
double *column_quantiles(Env *env, Rows *rows, const double *shares, uint32_t count, const char *method);

#endif
