/*
 * inspect.h - what functions that read a whole model share.
 */
#ifndef PGFIT_INSPECT_H
#define PGFIT_INSPECT_H

#include "host.h"
#include "../core/model.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

/* A model argument, checked in full: these functions walk all of it. */
const Model *inspect_model(FunctionCallInfo fcinfo);
/* A tuplestore for the result of this call, and its row type. */
Tuplestorestate *rows_begin(FunctionCallInfo fcinfo, TupleDesc *description);

#endif
