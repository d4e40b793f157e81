/*
 * result_rows.h - results of functions: the tuplestore of a call, ids and labels in the type of a sample, arrays of numbers.
 */
#ifndef PGFIT_RESULT_ROWS_H
#define PGFIT_RESULT_ROWS_H

#include "pg/host/backend_env.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

/* Returns a tuplestore for the result of this call, and its row type. */
Tuplestorestate *rows_begin(FunctionCallInfo fcinfo, TupleDesc *description);
/* Does the same where the row type is known; the result has a copy of it. */
Tuplestorestate *rows_begin_as(FunctionCallInfo fcinfo, TupleDesc description);

/* How ids and labels are returned: in the type of an argument that is NULL. Starts as zeros: as text. */
typedef struct ResultType {
    Oid type; /* InvalidOid: text as well */
    Oid parameter;
    FmgrInfo input;
    Oid user; /* who trusted it, at this trust_generation */
    uint64 trust;
} ResultType;

/* Looks up the type of an argument unless *result has it already. Fails if the type is unknown or not trusted, or the argument is not NULL. */
void result_type_find(ResultType *result, FunctionCallInfo fcinfo, int argument);
/* Returns an id or a label. Fails if it cannot be read as this type. */
Datum result_datum(ResultType *result, const char *text, uint32 length);

/*
 * Returns a new float8 array of rows x columns numbers, for the caller to set at *numbers. columns 0: one dimension. Without
 * numbers the array is empty and *numbers NULL. Fails with ERROR_LIMIT if it is larger than an array can be.
 */
Datum float8_array(uint32 rows, uint32 columns, double **numbers);

/* A row of a result: columns are added from the first to the last. Starts as zeros. */
typedef struct ResultRow {
    int count;
    Datum values[20];
    bool nulls[20];
} ResultRow;
void row_add(ResultRow *row, Datum value, bool null);
void row_add_text(ResultRow *row, const char *text);  /* NULL: it is null */
void row_add_number(ResultRow *row, double number);   /* NaN: it is null */

/* Return a number, or an array of numbers, as a Datum; null: it is NaN, or there are none. */
Datum number_or_null(double number, bool *null);
Datum numbers_or_null(const double *numbers, int count, bool *null);

/* Return a number of a result of SPI, NaN or 0 where it is NULL. */
double result_number(uint64 row, int column);
int64 result_count(uint64 row, int column);

#endif
