/*
 * query_notes.c - see query_notes.h.
 */
#include "pg/host/query_notes.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"

/* The notes of one query, in its memory context. */
typedef struct QueryNotes QueryNotes;
struct QueryNotes {
    QueryNotes *next;
    MemoryContext context;
    MemoryContextCallback end;
    QueryNote *first, **last; /* in order of appearance */
};

/* Queries of the backend that have notes. */
static QueryNotes *all_notes;

/*
 * Raises what was counted, and begins to count anew. Interrupts wait: ereport would look for them, and an error must not
 * leave a callback of a memory context.
 */
static void raise_notes(QueryNotes *notes)
{
    HOLD_INTERRUPTS();
    for (QueryNote *note = notes->first; note; note = note->next)
        if (note->count > 0) {
            note->raise(note);
            note->count = 0;
        }
    RESUME_INTERRUPTS();
}

/* Runs as the context of a query is deleted: at its end or, in a transaction that is no longer in progress, after an error. */
static void end_of_query(void *argument)
{
    QueryNotes *notes = argument;

    for (QueryNotes **link = &all_notes; *link; link = &(*link)->next)
        if (*link == notes) {
            *link = notes->next;
            break;
        }
    if (IsTransactionState())
        raise_notes(notes);
}

static QueryNotes *notes_of(MemoryContext context)
{
    QueryNotes *notes;

    for (notes = all_notes; notes; notes = notes->next)
        if (notes->context == context)
            return notes;
    notes = MemoryContextAllocZero(context, sizeof(QueryNotes));
    notes->context = context;
    notes->last = &notes->first;
    notes->end.func = end_of_query;
    notes->end.arg = notes;
    MemoryContextRegisterResetCallback(context, &notes->end);
    notes->next = all_notes;
    all_notes = notes;
    return notes;
}

QueryNote *query_note(MemoryContext context, void (*raise)(QueryNote *), const void *about, const void *family, Size size)
{
    QueryNotes *notes = notes_of(context);
    QueryNote *note;

    for (note = notes->first; note; note = note->next)
        if (note->raise == raise && note->about == about && note->family == family)
            return note;
    note = MemoryContextAllocZero(context, size);
    note->raise = raise;
    note->about = about;
    note->family = family;
    note->context = context;
    *notes->last = note;
    notes->last = &note->next;
    return note;
}

/* ---- warnings of the core ---- */

typedef struct CoreWarning {
    QueryNote note;
    int sqlstate;
    char *message, *hint, *place; /* of the first; hint and place may be NULL */
} CoreWarning;

static void raise_core_warning(QueryNote *note)
{
    CoreWarning *warning = (CoreWarning *)note;
    char count[32];

    snprintf(count, sizeof count, UINT64_FORMAT, note->count);
    ereport(warning->sqlstate == ERRCODE_SUCCESSFUL_COMPLETION ? NOTICE : WARNING,
            (errcode(warning->sqlstate), errmsg_internal("%s", warning->message),
                      note->count > 1 && warning->place
                          ? errdetail("The first of %s such warnings, in %s.", count, warning->place)
                      : note->count > 1 ? errdetail("The first of %s such warnings.", count)
                      : warning->place  ? errdetail("In %s.", warning->place)
                                        : 0,
                      warning->hint ? errhint("%s", warning->hint) : 0));
}

void query_warn(const HostCall *call, int sqlstate, const char *family, const char *message, const char *hint)
{
    CoreWarning *warning = (CoreWarning *)query_note(call->query, raise_core_warning, call->about, family, sizeof(CoreWarning));
    char *place;

    if (warning->note.count++ > 0)
        return;
    place = host_call_place(call);
    warning->sqlstate = sqlstate;
    warning->message = MemoryContextStrdup(call->query, message);
    warning->hint = hint ? MemoryContextStrdup(call->query, hint) : NULL;
    warning->place = place ? MemoryContextStrdup(call->query, place) : NULL;
}

/* ---- the ends of queries and transactions ---- */

static ExecutorRun_hook_type next_run_hook;

#if PG_VERSION_NUM >= 180000
#define RUN_ARGUMENTS QueryDesc *query, ScanDirection direction, uint64 count
#define RUN_PASSED query, direction, count
#else
#define RUN_ARGUMENTS QueryDesc *query, ScanDirection direction, uint64 count, bool once
#define RUN_PASSED query, direction, count, once
#endif

/*
 * Raises the notes of a query as soon as its last row is there. Its memory is deleted later, and by the extended protocol in a
 * transaction only with the next query.
 */
static void run_query(RUN_ARGUMENTS)
{
    QueryNotes *notes;

    if (next_run_hook)
        next_run_hook(RUN_PASSED);
    else
        standard_ExecutorRun(RUN_PASSED);
    if (all_notes == NULL || (count > 0 && query->estate->es_processed >= count))
        return;
    for (notes = all_notes; notes; notes = notes->next)
        if (notes->context == query->estate->es_query_cxt)
            raise_notes(notes);
}

/* Raises the notes of contexts that outlive the transaction's queries, such as those of PL/pgSQL's expressions. */
static void end_of_transaction(XactEvent event, void *argument)
{
    if (event != XACT_EVENT_PRE_COMMIT && event != XACT_EVENT_PARALLEL_PRE_COMMIT && event != XACT_EVENT_PRE_PREPARE)
        return;
    for (QueryNotes *notes = all_notes; notes; notes = notes->next)
        raise_notes(notes);
}

void query_notes_init(void)
{
    RegisterXactCallback(end_of_transaction, NULL);
    next_run_hook = ExecutorRun_hook;
    ExecutorRun_hook = run_query;
}
