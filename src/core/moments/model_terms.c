/*
 * model_terms.c - stores, names and checks the terms of a fitted model.
 */
#include "core/moments/model_terms.h"
#include "core/model/report_text.h"

void terms_add(Env *env, ModelBuilder *builder, const uint32_t *slot, const int32_t *level, uint32_t count)
{
    bool plain = count == builder_header(builder)->slot_count;
    int64_t *own_slot, *own_level;

    for (uint32_t t = 0; t < count && plain; t++)
        plain = slot[t] == t && level[t] < 0;
    if (plain)
        return;
    own_slot = env_array(env, (size_t)count + 1, sizeof(int64_t));
    own_level = env_array(env, (size_t)count + 1, sizeof(int64_t));
    for (uint32_t t = 0; t < count; t++) {
        own_slot[t] = slot[t];
        own_level[t] = level[t];
    }
    builder_i64(builder, SECTION_ARRAYS, "column_slot", own_slot, count);
    builder_i64(builder, SECTION_ARRAYS, "column_level", own_level, count);
}

void terms_name(const Model *model, const Terms *terms, uint32_t term, char *buffer, size_t size)
{
    if (terms->slot == NULL)
        schema_term_name(model, term, -1, buffer, size);
    else
        schema_term_name(model, (uint32_t)terms->slot[term], terms->level[term], buffer, size);
}

const char *const *terms_names(Env *env, const Model *model, const Terms *terms)
{
    const char **names = env_array(env, (size_t)terms->count + 1, sizeof(char *));

    for (uint32_t t = 0; t < terms->count; t++) {
        char *name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);

        terms_name(model, terms, t, name, 2 * SCHEMA_NAME_SIZE);
        env_poll_every(env, t, 16); /* a name may take a walk over all fields */
        names[t] = name;
    }
    return names;
}

void terms_sql(TextBuffer *out, const Model *model, const Terms *terms, double intercept, const double *center,
               const double *coef)
{
    uint32_t slots = model->slot_count, levels = dictionary_size(model, DICTIONARY_LEVELS);
    double *slot_center = env_array(out->env, 2 * (size_t)slots + levels + 1, sizeof(double));
    double *slot_coef = slot_center + slots, *level_coef = slot_coef + slots;

    for (uint32_t t = 0; t < terms->count; t++) {
        uint32_t slot = terms->slot != NULL ? (uint32_t)terms->slot[t] : t;

        if (coef[t] == 0)
            continue;
        if (terms->level != NULL && terms->level[t] >= 0) {
            level_coef[terms->level[t]] = coef[t];
            intercept -= coef[t] * center[t];
        } else {
            slot_center[slot] = center[t];
            slot_coef[slot] = coef[t];
        }
    }
    sql_linear(out, model, intercept, slot_center, slot_coef, level_coef, NULL);
}

void terms_design_name(Env *env, const Model *moments, uint32_t slot, int64_t level, char *name, size_t size)
{
    uint32_t *order = env_array(env, (size_t)dictionary_size(moments, DICTIONARY_LEVELS) + 1, sizeof(uint32_t));

    dictionary_final_order(env, moments, DICTIONARY_LEVELS, order);
    schema_term_name(moments, slot, level >= 0 ? order[level] : level, name, size);
    env->release(env, order);
}
