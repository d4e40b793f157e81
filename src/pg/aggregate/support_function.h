/*
 * support_function.h - what a C function can tell from the SQL function that calls it: its name and its argument types.
 */
#ifndef PGFIT_SUPPORT_FUNCTION_H
#define PGFIT_SUPPORT_FUNCTION_H

#include "pg/host/backend_env.h"

/*
 * Support functions of many aggregates share one C symbol; NAME_step, NAME_final and so on are told apart by name.
 * The catalog is read, so callers keep what they find in fn_extra. Nothing but speed depends on that: Citus calls the
 * functions of each row with a fresh FmgrInfo.
 */
typedef struct SupportFunction {
    FunctionCallInfo fcinfo;
    char aggregate[NAMEDATALEN]; /* the function's name without its suffix */
    int argument_count;
    Oid arguments[FUNC_MAX_ARGS]; /* as declared */
} SupportFunction;

/* Looks up the function that is called. Fails unless its name ends in suffix ("_step"). */
void support_function(FunctionCallInfo fcinfo, const char *suffix, SupportFunction *function);
/* Fails: a user declared the function over a C symbol of ours with another name or other arguments. */
void fail_support_function(FunctionCallInfo fcinfo) __attribute__((noreturn));
/* Fails unless the function is called by an aggregate. */
void step_require_aggregate(FunctionCallInfo fcinfo);

#endif
