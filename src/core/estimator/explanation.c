/*
 * explanation.c - builds the contributions to a row's score.
 */
#include "core/estimator/explanation.h"

/* Returns the name of a term: "carat", "cut=Ideal", or "cut" for a level that the model does not know. */
static char *term_name(Env *env, const Model *model, uint32_t slot, bool categorical, double value)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);

    return schema_term_text(env, model, slot, categorical && value >= 0 && value < levels ? (int64_t)value : -1);
}

ExplanationList explanation_list(Env *env, const Model *model, const double *slots, uint32_t equations)
{
    ExplanationList list = {.env = env, .model = model};
    uint32_t slot = 0;

    list.lines = env_array(env, ((size_t)model->slot_count + 1) * equations, sizeof(Explanation));
    list.names = env_array(env, (size_t)model->slot_count + 1, sizeof(char *));
    for (uint32_t f = 0; f < model->field_count; f++) {
        bool categorical = schema_field_kind(model, f) == FIELD_CATEGORICAL;

        for (uint32_t i = 0; i < schema_field_width(model, f); i++, slot++)
            list.names[slot] = term_name(env, model, slot, categorical, slots[slot]);
        env->poll(env);
    }
    return list;
}

void explanation_base(ExplanationList *list, const char *class_name, double value)
{
    list->lines[list->count++] = (Explanation){class_name, EXPLANATION_BASE, value};
}

void explanation_slot(ExplanationList *list, uint32_t slot, double contribution)
{
    const char *class_name = list->lines[list->count - 1].class_name;

    list->lines[list->count++] = (Explanation){class_name, list->names[slot], contribution};
}
