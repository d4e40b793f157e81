/*
 * call_site.c - call sites of functions that are called with a new FmgrInfo per row; see call_site.h.
 */
#include "pg/aggregate/call_site.h"

#include "nodes/execnodes.h"
#include "utils/memutils.h"

/* A call site: one function of one aggregate of one plan node that runs. */
typedef struct CallSite {
    struct CallSite *next;
    const Node *node;   /* addresses are of things that live longer than the site, */
    const Aggref *call; /* so they are not those of others while it is in the list */
    Oid function;
    int arguments;
    MemoryContext context;
    void *extra;
    MemoryContextCallback forget;
} CallSite;

/* Those of all queries that run in this backend, the one used last first. Each leaves the list with its memory. */
static CallSite *call_sites;

static void site_forget(void *argument)
{
    for (CallSite **place = &call_sites; *place != NULL; place = &(*place)->next)
        if (*place == argument) {
            *place = (*place)->next;
            return;
        }
}

/* Returns the site of a call and makes it the first; NULL: there is none yet. */
static CallSite *site_of_call(FunctionCallInfo fcinfo, const Aggref *call)
{
    for (CallSite **place = &call_sites; *place != NULL; place = &(*place)->next) {
        CallSite *site = *place;

        if (site->node != fcinfo->context || site->call != call || site->function != fcinfo->flinfo->fn_oid ||
            site->arguments != fcinfo->nargs)
            continue;
        *place = site->next;
        site->next = call_sites;
        call_sites = site;
        return site;
    }
    return NULL;
}

static CallSite *site_new(FunctionCallInfo fcinfo, const Aggref *call)
{
    AggState *node = (AggState *)fcinfo->context;
    MemoryContext context = AllocSetContextCreate(node->ss.ps.state->es_query_cxt, "pgfit call site", ALLOCSET_SMALL_SIZES);
    CallSite *site = MemoryContextAllocZero(context, sizeof(CallSite));

    site->node = fcinfo->context;
    site->call = call;
    site->function = fcinfo->flinfo->fn_oid;
    site->arguments = fcinfo->nargs;
    site->context = context;
    site->forget.func = site_forget;
    site->forget.arg = site;
    MemoryContextRegisterResetCallback(context, &site->forget);
    site->next = call_sites;
    call_sites = site;
    return site;
}

/* Returns the aggregate of a relayed call; NULL: the call is the executor's own, or not in an aggregate of a plain node. */
static const Aggref *relaying_aggregate(FunctionCallInfo fcinfo)
{
    if (likely(!call_is_relayed(fcinfo)) || fcinfo->context == NULL || !IsA(fcinfo->context, AggState))
        return NULL;
    return AggGetAggref(fcinfo);
}

void *call_site_find(FunctionCallInfo fcinfo)
{
    const Aggref *call;
    CallSite *site;

    if (fcinfo->flinfo->fn_extra != NULL || (call = relaying_aggregate(fcinfo)) == NULL)
        return fcinfo->flinfo->fn_extra;
    site = site_of_call(fcinfo, call);
    if (site == NULL)
        site = site_new(fcinfo, call);
    fcinfo->flinfo->fn_mcxt = site->context;
    fcinfo->flinfo->fn_extra = site->extra;
    return site->extra;
}

void call_site_keep(FunctionCallInfo fcinfo)
{
    const Aggref *call = relaying_aggregate(fcinfo);
    CallSite *site = call != NULL ? site_of_call(fcinfo, call) : NULL;

    if (site != NULL && site->context == fcinfo->flinfo->fn_mcxt)
        site->extra = fcinfo->flinfo->fn_extra;
}
