/*
 * call_site.c - call sites of functions that are called with a new FmgrInfo per row, and the name and argument types of the SQL function
 * that is called.
 */
#include "pg/aggregate/aggregate.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

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

void fail_support_function(FunctionCallInfo fcinfo)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
                    errmsg("%s is not a support function that pgfit declares", format_procedure(fcinfo->flinfo->fn_oid)),
                    errhint("Use the functions of schema pgfit_internal; their names and arguments say what to compute.")));
}

void support_function(FunctionCallInfo fcinfo, const char *suffix, SupportFunction *function)
{
    HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
    Form_pg_proc form;
    size_t length, tail = strlen(suffix);

    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
    form = (Form_pg_proc)GETSTRUCT(tuple);
    function->fcinfo = fcinfo;
    strlcpy(function->aggregate, NameStr(form->proname), NAMEDATALEN);
    function->argument_count = form->pronargs;
    memcpy(function->arguments, form->proargtypes.values, form->pronargs * sizeof(Oid));
    ReleaseSysCache(tuple);
    length = strlen(function->aggregate);
    if (length <= tail || strcmp(function->aggregate + length - tail, suffix) != 0)
        fail_support_function(fcinfo);
    function->aggregate[length - tail] = '\0';
}

void step_require_aggregate(FunctionCallInfo fcinfo)
{
    if (likely(fcinfo->context && IsA(fcinfo->context, AggState)))
        return;
    if (AggCheckCallContext(fcinfo, NULL) == 0)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a support function works only inside its aggregate"),
                        errhint("Call the aggregate instead, which is in schema pgfit.")));
}
