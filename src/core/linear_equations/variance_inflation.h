/*
 * variance_inflation.h - the table vif of models of one linear equation with a covariance.
 */
#ifndef PGFIT_VARIANCE_INFLATION_H
#define PGFIT_VARIANCE_INFLATION_H

#include "core/estimator/estimator.h"

/* One row per term: its inflation factor, its coefficients, and vif^(1 / 2 df), which compares terms of different df. */
extern const Table variance_inflation_table;
extern const Table *const inflation_tables[]; /* it alone, of methods without other tables */

#endif
