/*
 * inspect.h - what functions that read a whole model share.
 */
#ifndef PGFIT_INSPECT_H
#define PGFIT_INSPECT_H

#include "pg/backend/backend_env.h"
#include "core/estimator/estimator.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

/* A tuplestore for the result of this call, and its row type. */
Tuplestorestate *rows_begin(FunctionCallInfo fcinfo, TupleDesc *description);
/* The same where the row type is known; the result has a copy of it. */
Tuplestorestate *rows_begin_as(FunctionCallInfo fcinfo, TupleDesc description);
/*
 * A row a coefficient of the model: class, term, and what row puts into the columns behind them; rows for which it
 * is false are left out.
 */
typedef bool (*CoefficientRow)(const Coefficient *line, Datum *values, bool *nulls);
Datum coefficient_rows(FunctionCallInfo fcinfo, const Model *model, CoefficientRow row);
/* A number of such a row; NaN is NULL. */
void set_number(Datum *value, bool *null, double number);

#endif
