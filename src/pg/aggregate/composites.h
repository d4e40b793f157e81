/*
 * composites.h - results of aggregates that are arrays of named composites, to unnest.
 */
#ifndef PGFIT_COMPOSITES_H
#define PGFIT_COMPOSITES_H

#include "pg/aggregate/aggregate.h"

#include "access/tupdesc.h"

/* The row type of the result, or of its elements, of this many columns. */
TupleDesc composites_type(FunctionCallInfo fcinfo, int columns, Oid *type);

/* Rows gathered into one array. what: for messages, "the curve". */
typedef struct CompositeList {
    FunctionCallInfo fcinfo;
    const char *what;
    TupleDesc description;
    Oid type;
    Datum *rows;
    uint64 count;
} CompositeList;

CompositeList composites(FunctionCallInfo fcinfo, int columns, uint64 capacity, const char *what);
void composites_add(CompositeList *list, Datum *values, const bool *nulls);
/* The array, in the caller's memory. hint: what helps where it is larger than an array can be. */
Datum composites_array(const CompositeList *list, MemoryContext caller, const char *hint);

#endif
