/*
 * result_rows.h - results of set-returning functions: the tuplestore of a call.
 */
#ifndef PGFIT_RESULT_ROWS_H
#define PGFIT_RESULT_ROWS_H

#include "pg/backend/backend_env.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

/* Returns a tuplestore for the result of this call, and its row type. */
Tuplestorestate *rows_begin(FunctionCallInfo fcinfo, TupleDesc *description);
/* Does the same where the row type is known; the result has a copy of it. */
Tuplestorestate *rows_begin_as(FunctionCallInfo fcinfo, TupleDesc description);

#endif
