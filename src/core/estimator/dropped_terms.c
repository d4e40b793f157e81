/*
 * dropped_terms.c - terms that a fit leaves out because they depend linearly on others.
 */
#include "core/estimator/dropped_terms.h"
#include "core/model/report_text.h"

#include <string.h>

#define NAMED 10 /* in the warning */

void dropped_note(DroppedTerms *dropped, const char *name)
{
    Env *env = dropped->env;
    size_t length = strlen(name);
    char *copy = env_array(env, length + 1, 1);

    if (dropped->count == dropped->room) {
        dropped->room = 2 * dropped->room + 16;
        dropped->names = env->resize(env, dropped->names, dropped->room * sizeof(char *));
        dropped->lengths = env->resize(env, dropped->lengths, dropped->room * sizeof(uint32_t));
    }
    memcpy(copy, name, length);
    dropped->names[dropped->count] = copy;
    dropped->lengths[dropped->count++] = (uint32_t)length;
}

void dropped_warn(const DroppedTerms *dropped, uint32_t terms, const char *where, const char *hint)
{
    TextBuffer list = {.env = dropped->env};

    if (dropped->count == 0)
        return;
    for (uint32_t i = 0; i < dropped->count && i < NAMED; i++) {
        text_print(&list, "%s", i > 0 ? ", " : "");
        text_bytes(&list, dropped->names[i], dropped->lengths[i]);
    }
    if (dropped->count > NAMED)
        text_print(&list, " and %u more", dropped->count - NAMED);
    env_warn(dropped->env, ERROR_DATA, hint, "%u of %u terms depend linearly on the others%s and were dropped: %s",
             dropped->count, terms, where, list.text);
}

void dropped_add(ModelBuilder *builder, const DroppedTerms *dropped)
{
    if (dropped->count > 0)
        builder_text(builder, SECTION_FACTS, "dropped_terms", dropped->names, dropped->lengths, dropped->count);
}
