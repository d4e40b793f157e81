/*
 * guarded_fit.c - a fit inside a final function: what fails because of the rows of one group can leave the other groups
 * alone (option on_failure), and warnings are raised once per query.
 *
 * Catching an error without a subtransaction is safe here because a fit holds nothing but memory, which is dropped with its
 * context, and readers of rows, which the caller ends: no locks, buffers, files or catalog entries. Only errors that
 * the core raised about the rows are caught; those of the server (cancellation, shutdown, out of memory, disk) pass.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/progress/progress.h"
#include "pg/host/query_notes.h"

/* Counts the groups of a query that could not be fitted. */
typedef struct FailureNote {
    QueryNote note;
    const char *name; /* of the estimator or metric */
    uint64_t fits;    /* with those that succeeded */
    uint64_t empty;   /* groups without a row to fit, which are NULL as well */
    char *message, *hint, *place; /* of the first; hint and place may be NULL */
} FailureNote;

static void raise_failures(QueryNote *note)
{
    const FailureNote *failures = (const FailureNote *)note;
    char failed[32], fits[32], empty[32];

    snprintf(failed, sizeof failed, UINT64_FORMAT, note->count);
    snprintf(fits, sizeof fits, UINT64_FORMAT, failures->fits + failures->empty);
    snprintf(empty, sizeof empty, UINT64_FORMAT, failures->empty);
    ereport(WARNING,
            (errcode(ERRCODE_DATA_EXCEPTION),
             failures->empty > 0 ? errmsg("%s failed for %s of %s groups, and %s have no row to fit; it is NULL for all of these", failures->name, failed,
                                          fits, empty)
             : note->count == 1 && failures->fits == 1 ? errmsg("%s failed and is NULL", failures->name)
                                                       : errmsg("%s failed for %s of %s groups and is NULL there", failures->name, failed, fits),
             failures->place != NULL ? errdetail("%s in %s: %s.", note->count == 1 ? "It failed" : "First", failures->place, failures->message)
                                     : errdetail("%s%s.", note->count == 1 ? "" : "First: ", failures->message),
             failures->hint != NULL ? errhint("%s", failures->hint) : 0));
}

/* Counts the current error, which is then forgotten, and keeps the first of the query. */
static void count_failure(FailureNote *failures, const HostCall *call)
{
    ErrorData *error = CopyErrorData();
    MemoryContext query = failures->note.context;

    FlushErrorState();
    if (failures->note.count++ > 0)
        return;
    failures->message = MemoryContextStrdup(query, error->message);
    failures->hint = call->hint ? MemoryContextStrdup(query, call->hint) : NULL;
    failures->place = call->where ? MemoryContextStrdup(query, call->where) : NULL;
}

/* What a fit's place is made of. */
typedef struct FitPlace {
    FunctionCallInfo fcinfo;
    uint64_t rows;
} FitPlace;

static char *place_of(void *argument)
{
    const FitPlace *place = argument;

    return group_place(place->fcinfo, place->rows);
}

/* Returns the note of a query about an estimator; NULL unless option on_failure says "null". */
static FailureNote *failure_note(MemoryContext query, const Estimator *estimator, const Options *options)
{
    FailureNote *failures;

    if (!options_given(options, "on_failure") || !options_is(options, "on_failure", "null"))
        return NULL;
    failures = (FailureNote *)query_note(query, raise_failures, estimator, NULL, sizeof(FailureNote));
    failures->name = estimator->name;
    return failures;
}

void guarded_fit_empty(FunctionCallInfo fcinfo, const Estimator *estimator, const Options *options)
{
    FailureNote *failures = failure_note(fcinfo->flinfo->fn_mcxt, estimator, options);

    if (failures != NULL)
        failures->empty++;
}

bool guarded_fit(FunctionCallInfo fcinfo, const Estimator *estimator, const Options *options, uint64_t rows,
                 void (*run)(void *work), void *work)
{
    FitPlace place = {fcinfo, rows};
    HostCall call = {.query = fcinfo->flinfo->fn_mcxt,
                     .about = estimator,
                     .warn = query_warn,
                     .place = place_of,
                     .argument = &place,
                     .group_hint = "With \"on_failure\": \"null\" such groups give NULL."};
    MemoryContext fit = CurrentMemoryContext;
    HostCall *former = host_call_begin(&call);
    FailureNote *volatile failures = failure_note(call.query, estimator, options);

    if (failures != NULL) {
        call.group_hint = NULL;
        failures->fits++;
    }
    progress_fit_begins(call.query, estimator->name);
    PG_TRY();
    {
        run(work);
    }
    PG_CATCH();
    {
        host_call_begin(former);
        if (failures == NULL || !host_call_failed_on_data(&call))
            PG_RE_THROW();
        MemoryContextSwitchTo(fit);
        count_failure(failures, &call);
        return false;
    }
    PG_END_TRY();
    host_call_begin(former);
    progress_fit_ends(call.query);
    return true;
}
