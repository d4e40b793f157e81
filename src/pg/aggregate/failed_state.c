/*
 * failed_state.c - moments of a group that failed: a state without features and with a fact "failure", which wins over any other when
 * states are merged.
 */
#include "pg/aggregate/aggregate.h"

bool state_failure(const Model *state, StepFailure *failure)
{
    const ModelEntry *entry = state_is_blank(state) ? model_find(state, "failure") : NULL;
    const char *text;
    uint32_t length;

    if (entry == NULL || entry->type != ARRAY_TEXT || entry->rows == 0)
        return false;
    text = model_text(state, entry, 0, &length);
    failure->message = pnstrdup(text, length);
    failure->hint = NULL;
    if (entry->rows > 1) {
        text = model_text(state, entry, 1, &length);
        failure->hint = pnstrdup(text, length);
    }
    return true;
}

void raise_step_failure(void *failure)
{
    const StepFailure *kept = failure;

    env_fail(host_env(), ERROR_DATA, kept->hint, "%s", kept->message);
}
