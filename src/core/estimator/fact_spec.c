/*
 * fact_spec.c - checks the facts of a model by the list that its method declares.
 */
#include "core/estimator/fact_spec.h"

#include <string.h>

const char *facts_check(Env *env, const Model *model, const FactSpec *facts, uint32_t count)
{
    const ModelEntry *entry = model_entries(model);

    for (uint32_t i = 0; i < model->entry_count; i++, entry++) {
        uint32_t f = 0;

        if (entry->section != SECTION_FACTS)
            continue;
        while (f < count && strcmp(facts[f].name, entry->name) != 0)
            f++;
        if (f == count)
            return env_message(env, "fact \"%s\" does not belong to a model of %.31s", entry->name, model->estimator);
        if (entry->type != facts[f].type || entry->dimensions != 1 || (entry->type != ARRAY_TEXT && entry->rows != 1))
            return env_message(env, "fact \"%s\" of %.31s has the wrong type or shape", entry->name, model->estimator);
    }
    return NULL;
}
