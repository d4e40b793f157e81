/*
 * row_sampler.c - draws rows: picks the class or the component, lets the method draw, and takes the row back through the stages of a
 * pipeline.
 *
 * Row i has a random stream of its own, which begins at a hash of seed and i. So a row does not depend on how many are drawn.
 */
#include "core/prepare/row_sampler.h"
#include "core/base/random.h"
#include "core/estimator/class_options.h"
#include "core/estimator/sampling.h"
#include "core/formula/formula_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct RowSampler {
    const Model *model, *schema; /* the model that draws; whose rows come out */
    const Sampling *sampling;
    const Pipeline *pipeline; /* NULL: the model is none */
    SampleSource source;
    double *cumulative; /* [parts] sums of the probabilities */
    uint64_t seed;
    uint32_t only, part; /* the only part, CLASS_NONE: all; that of the last row */
    double *slots;
    char number[16];
};

/* Returns "gaussian_mixture, lda, ...": the methods whose models can be drawn from. */
static char *sampling_names(Env *env)
{
    TextBuffer out = {.env = env};

    for (const Estimator *const *e = estimators; *e != NULL; e++)
        if ((*e)->sampling != NULL)
            text_print(&out, "%s%s", out.length > 0 ? ", " : "", (*e)->name);
    return text_finish(&out, NULL);
}

static void require_sampling(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    TextBuffer hint = {.env = env};

    if (estimator != NULL && estimator->sampling != NULL)
        return;
    text_print(&hint, "Models of these methods describe a distribution of rows: %s.", sampling_names(env));
    env_fail(env, ERROR_KIND, text_finish(&hint, NULL), "sample does not apply to %s%.31s",
             model->kind == MODEL_FITTED ? "a model of " : "moments", model->kind == MODEL_FITTED ? model->estimator : "");
}

/* Fails unless rows of the last stage can be taken back to rows of the first one. */
static void require_inverse(Env *env, const Pipeline *pipeline)
{
    for (uint32_t i = 0; i + 1 < pipeline->count; i++) {
        const PipelineStage *stage = &pipeline->stages[i];
        const Scoring *scoring = stage->estimator->scoring;

        if (scoring == NULL || scoring->inverse == NULL || !schema_all_numeric(stage->model) ||
            scoring->inverse_width(stage->model) != stage->model->slot_count)
            env_fail(env, ERROR_KIND, "Sample stage(model, number) alone: its rows are those that the stage gets.",
                     "sample cannot take rows back through stage %u of the pipeline, a model of %.31s", i + 1,
                     stage->estimator->name);
    }
}

static void require_columns(Env *env, const Model *model)
{
    if (formula_has_expressions(env, model))
        env_fail(env, ERROR_KIND, "Fit the model to the columns themselves.",
                 "sample cannot turn terms of a formula back into a row of columns");
}

/* Returns the part that a label names. */
static uint32_t find_part(RowSampler *sampler, Env *env, const char *label, uint32_t length)
{
    const Model *model = sampler->model;
    bool classes = estimator_of(model)->task == TASK_CLASSIFICATION;
    const char *whole = label;
    int position = -1, given = (int)(length < 40 ? length : 40);
    TextBuffer hint = {.env = env};

    if (sampler->source.parts == 0)
        env_fail(env, ERROR_PARAMETER, "Leave the class out.", "a model of %.31s has no classes to choose from", model->estimator);
    if (classes) {
        ClassSet set;

        position = dictionary_find(model, DICTIONARY_CLASSES, 0, label, length, false);
        if (position >= 0)
            return (uint32_t)position;
        set = class_set(env, model);
        text_print(&hint, "Its classes are %s.", class_list(&set));
        env_fail(env, ERROR_PARAMETER, text_finish(&hint, NULL), "the model has no class \"%.*s\"", given, label);
    }
    if (length > 0 && length < 9 && label[0] != '0' && strspn(label, "0123456789") >= length)
        for (position = 0; length > 0; label++, length--)
            position = 10 * position + (*label - '0');
    if (position < 1 || (uint32_t)position > sampler->source.parts) {
        text_print(&hint, "Its components are 1 to %u.", sampler->source.parts);
        env_fail(env, ERROR_PARAMETER, text_finish(&hint, NULL), "the model has no component \"%.*s\"", given, whole);
    }
    return (uint32_t)position - 1;
}

RowSampler *row_sampler(Env *env, const Model *model, int64_t seed, const char *label, uint32_t length)
{
    RowSampler *sampler = env_array(env, 1, sizeof(RowSampler));
    double sum = 0;

    sampler->model = pipeline_last(env, model);
    sampler->schema = sampler->model;
    require_sampling(env, sampler->model);
    if (pipeline_is(model)) {
        sampler->pipeline = pipeline_prepare(env, model);
        require_inverse(env, sampler->pipeline);
        sampler->model = sampler->pipeline->stages[sampler->pipeline->count - 1].model;
        sampler->schema = sampler->pipeline->stages[0].model;
    }
    require_columns(env, sampler->model);
    for (uint32_t i = 0; sampler->pipeline != NULL && i + 1 < sampler->pipeline->count; i++)
        require_columns(env, sampler->pipeline->stages[i].model);
    sampler->sampling = estimator_of(sampler->model)->sampling;
    sampler->sampling->open(env, sampler->model, &sampler->source);
    sampler->cumulative = env_array(env, (size_t)sampler->source.parts + 1, sizeof(double));
    for (uint32_t p = 0; p < sampler->source.parts; p++)
        sampler->cumulative[p] = sum += sampler->source.probabilities[p];
    sampler->only = label != NULL ? find_part(sampler, env, label, length) : CLASS_NONE;
    sampler->slots = env_array(env, (size_t)sampler->model->slot_count + 1, sizeof(double));
    sampler->seed = mix64((uint64_t)seed + RANDOM_STEP);
    return sampler;
}

const Model *row_sampler_schema(const RowSampler *sampler)
{
    return sampler->schema;
}

/* Returns the first part whose cumulative probability is above u times the sum. */
static uint32_t pick_part(const RowSampler *sampler, double u)
{
    uint32_t low = 0, high = sampler->source.parts - 1;

    u *= sampler->cumulative[high];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sampler->cumulative[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const double *row_sampler_draw(RowSampler *sampler, Env *env, uint64_t i)
{
    uint64_t bits = mix64(sampler->seed + (i + 1) * RANDOM_STEP);
    const double *slots = sampler->slots;
    uint32_t count = sampler->schema->slot_count;

    if (sampler->source.parts > 0) {
        double u = random_unit(&bits);

        sampler->part = sampler->only != CLASS_NONE ? sampler->only : pick_part(sampler, u);
    }
    sampler->sampling->draw(sampler->source.state, sampler->part, &bits, sampler->slots);
    if (sampler->pipeline != NULL)
        slots = pipeline_inverse_row(env, sampler->pipeline, slots);
    for (uint32_t s = 0; s < count; s++)
        if (!isfinite(slots[s]))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "feature %u of a sampled row is out of range of double precision", s + 1);
    return slots;
}

uint32_t row_sampler_parts(const RowSampler *sampler)
{
    return sampler->source.parts;
}

uint32_t row_sampler_part(const RowSampler *sampler)
{
    return sampler->part;
}

const char *row_sampler_label(RowSampler *sampler, uint32_t *length)
{
    if (sampler->source.parts == 0)
        return NULL;
    if (estimator_of(sampler->model)->task == TASK_CLASSIFICATION)
        return dictionary_text(sampler->model, DICTIONARY_CLASSES, sampler->part, length);
    *length = (uint32_t)snprintf(sampler->number, sizeof(sampler->number), "%u", sampler->part + 1);
    return sampler->number;
}
