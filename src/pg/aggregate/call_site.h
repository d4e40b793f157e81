/*
 * call_site.h - what a call site keeps in fn_extra, where each row comes with a FmgrInfo of its own.
 *
 * Citus replaces an aggregate on its workers and on the coordinator by one of its own, which calls our functions row by row, each time with a
 * new FmgrInfo: fn_extra is empty then, fn_expr is NULL and fn_mcxt is the row's memory. What a call site has learned is kept with
 * the plan node that runs, and goes with the memory of its query, as fn_extra does.
 */
#ifndef PGFIT_CALL_SITE_H
#define PGFIT_CALL_SITE_H

#include "pg/host/backend_env.h"

/* Tells whether another function calls this one in place of the executor. */
static inline bool call_is_relayed(FunctionCallInfo fcinfo)
{
    return fcinfo->flinfo->fn_expr == NULL;
}

/*
 * Finds what an earlier call of the same site left in fn_extra, and puts it there. In a relayed call, fn_mcxt becomes memory that lives as
 * long as the query. Returns NULL at the first call: what the caller then puts into fn_extra it also gives to call_site_keep.
 */
void *call_site_find(FunctionCallInfo fcinfo);
/* Keeps fn_extra for the next calls of this site. */
void call_site_keep(FunctionCallInfo fcinfo);

#endif
