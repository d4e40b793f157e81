/*
 * term_search.h - the table step(model): which terms of a least squares fit to keep, by AIC or BIC.
 *
 * A fit and its covariance contain the cross-products of its terms, and so the residual sum of squares of every subset: nothing is read again.
 */
#ifndef PGFIT_TERM_SEARCH_H
#define PGFIT_TERM_SEARCH_H

#include "core/estimator/table.h"

extern const Table term_search_table;
extern const OptionSpec *const term_search_options[];

#endif
