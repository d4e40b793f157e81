/*
 * composites.h - results of aggregates that are named composites, or arrays of them to unnest.
 */
#ifndef PGFIT_COMPOSITES_H
#define PGFIT_COMPOSITES_H

#include "pg/host/backend_env.h"

#include "access/tupdesc.h"

/* Returns one row of the type of the result, in the caller's memory. */
Datum composite_result(FunctionCallInfo fcinfo, int columns, Datum *values, const bool *nulls, MemoryContext caller);
/* Returns the row type of the result or of its elements. Fails unless it has this many columns. */
TupleDesc composites_type(FunctionCallInfo fcinfo, int columns, Oid *type);

/* The rows of an array result. what: for messages, "the curve". */
typedef struct CompositeList {
    FunctionCallInfo fcinfo;
    const char *what;
    TupleDesc description;
    Oid type;
    Datum *rows;
    uint64 count;
} CompositeList;

/* Returns an empty list for up to `capacity` rows. Fails with ERROR_LIMIT if they exceed the memory budget. */
CompositeList composites(FunctionCallInfo fcinfo, int columns, uint64 capacity, const char *what);
/* Adds a row. */
void composites_add(CompositeList *list, Datum *values, const bool *nulls);
/* Returns the array, in the caller's memory. Fails if it is larger than an array can be; hint: what to do then. */
Datum composites_array(const CompositeList *list, MemoryContext caller, const char *hint);
/* Returns it as an array of two dimensions, of which the first has so many elements. */
Datum composites_matrix(const CompositeList *list, int height, MemoryContext caller, const char *hint);

#endif
