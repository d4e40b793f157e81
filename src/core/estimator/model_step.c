/*
 * model_step.c - checks and arrays that all aggregates for one step of a fit share.
 */
#include "core/estimator/model_step.h"

#include <string.h>

#define MAX_ITERATIONS 9007199254740992.0 /* doubles count up to here */

const ModelEntry *model_step_search(const Model *state, const char *name, uint32_t *hint)
{
    const ModelEntry *entry = model_find(state, name);

    if (entry != NULL)
        *hint = (uint32_t)(entry - model_entries(state));
    return entry;
}

/* Returns the fingerprint of the model that a state is for, or NULL. */
static const int64_t *step_of(const Model *state, uint32_t *hint)
{
    const ModelEntry *entry = model_step_find(state, "step_of", hint);

    return entry != NULL && entry->type == ARRAY_I64 && entry->rows == 1 ? model_data(state, entry) : NULL;
}

void model_step_fail_other(Env *env, const char *name)
{
    env_fail(env, ERROR_PARAMETER, "Group the rows by their model.",
             "%s was given a different model than for earlier rows", name);
}

void model_step_require(Env *env, const ModelStep *step, const Model *state, const Model *model,
                        ModelStepHints *hints)
{
    const int64_t *of = step_of(state, &hints->of);

    if (state->kind != MODEL_FITTED ||
        strncmp(state->estimator, step->estimator, sizeof(state->estimator)) != 0 || of == NULL ||
        model_step_find(state, step->sums, &hints->sums) == NULL)
        env_fail(env, ERROR_KIND, NULL, "a value of %.31s is not a state of %s", state->estimator, step->name);
    if (model != NULL && (*of != (int64_t)model->fingerprint || state->slot_count != model->slot_count))
        model_step_fail_other(env, step->name);
}

void model_step_require_same(Env *env, const ModelStep *step, const Model *a, const Model *b)
{
    uint32_t hint = 0;
    const int64_t *of_a = step_of(a, &hint), *of_b = step_of(b, &hint);

    if (of_a == NULL || of_b == NULL || *of_a != *of_b || a->slot_count != b->slot_count)
        model_step_fail_other(env, step->name);
    if (MODEL_MAX_ROWS - a->rows < b->rows || MODEL_MAX_ROWS - a->skipped < b->skipped)
        env_fail(env, ERROR_RANGE, NULL, "more rows than can be counted");
}

int64_t model_step_iterations(const Model *state)
{
    double count = model_fact(state, "iterations", 0);

    return count >= 0 && count <= MAX_ITERATIONS ? (int64_t)count : 0;
}

ModelBuilder *model_step_builder(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    uint32_t length, slots;
    const char *json = model_options(model, &length);
    const double *impute = model_f64(model, "impute", &slots);
    Model *header;

    schema_add_final(env, builder, model);
    header = builder_header(builder);
    header->flags = model->flags;
    header->field_count = model->field_count;
    header->slot_count = model->slot_count;
    if (impute != NULL)
        builder_f64(builder, SECTION_SCHEMA, "impute", impute, slots);
    builder_options(builder, json, length);
    return builder;
}

static bool is_no_option(const ModelEntry *entry)
{
    return entry->section != SECTION_OPTIONS;
}

Model *model_step_with_options(Env *env, const Model *model, const Options *options)
{
    ModelBuilder *builder = builder_from(env, model, is_no_option);
    uint32_t length;
    const char *json = options_used_json(options, &length);

    builder_options(builder, json, length);
    return model_build(builder);
}

void model_step_add_sums(Env *env, const ModelStep *step, Model *a, const Model *b, const char *const *names, uint32_t count, uint32_t kept)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length, other;
        const double *from = model_f64(b, names[i], &length);
        double *to = model_step_array(a, names[i]);

        if (model_f64(a, names[i], &other) == NULL || from == NULL || length != other)
            env_fail(env, ERROR_CORRUPT, NULL, "the states of %s differ in size", step->name);
        for (uint32_t j = 0; j + (i + 1 == count ? kept : 0) < length; j++)
            to[j] += from[j];
    }
    a->rows += b->rows;
    a->skipped += b->skipped;
    a->weight += b->weight;
}

double *model_step_array(Model *state, const char *name)
{
    const ModelEntry *entry = model_entries(state) + state->entry_count;

    while (entry-- > model_entries(state)) /* arrays are the last entries */
        if (strcmp(entry->name, name) == 0)
            return model_data_mutable(state, (ModelEntry *)entry);
    return NULL;
}
