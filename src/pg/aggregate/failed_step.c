/*
 * failed_step.c - groups of which a row cannot be read, such as the logarithm of a negative number. With "on_failure": "null" the step
 * keeps what was wrong and skips the other rows of the group, and the final function counts the group as one that failed. Windows whose
 * frames move fail as without the option, because the row may leave the frame.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/host/query_notes.h"

bool step_read_guarded(StepSite *site, FunctionCallInfo fcinfo, Model **state, StepRow *row, StepFailure *failure)
{
    HostCall call = {.query = fcinfo->flinfo->fn_mcxt, .about = site->fit_aggregate.estimator, .warn = query_warn};
    HostCall *former = host_call_begin(&call);
    MemoryContext before = CurrentMemoryContext;
    ErrorData *error;

    /* no subtransaction is needed: reading a row holds nothing but memory (see guarded_fit.c) */
    PG_TRY();
    {
        step_read(site, fcinfo, state, row);
    }
    PG_CATCH();
    {
        host_call_begin(former);
        if (!host_call_failed_on_data(&call))
            PG_RE_THROW();
        MemoryContextSwitchTo(before);
        error = CopyErrorData();
        FlushErrorState();
        *failure = (StepFailure){error->message, call.hint ? pstrdup(call.hint) : NULL};
        return false;
    }
    PG_END_TRY();
    host_call_begin(former);
    return true;
}

Model *failed_state(const StepSite *site, const StepFailure *failure)
{
    const char *const texts[] = {failure->message, failure->hint};
    const Model *blank = state_blank(site);
    ModelBuilder *builder = model_builder(host_env(), (ModelKind)blank->kind, input_kind_name((InputKind)blank->kind));
    Model *state;

    builder_options(builder, site->call.json, site->call.json_length);
    builder_text(builder, SECTION_FACTS, "failure", texts, NULL, failure->hint ? 2 : 1);
    builder_header(builder)->flags |= blank->flags;
    state = model_build(builder);
    state->fingerprint = 0;
    state->options_hash = site->call.hash;
    return state;
}
