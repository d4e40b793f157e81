/*
 * ensemble.c - joins fitted models into one.
 */
#include "core/ensemble/ensemble_schema.h"
#include "core/estimator/classifier_output.h"

#include <math.h>
#include <string.h>

static const char *const method_choices[] = {"soft", "hard", NULL};

const OptionSpec ensemble_options[] = {
    {.name = "voting",
     .formerly = "method",
     .types = OPTION_STRING,
     .fallback = "\"soft\"",
     .choices = method_choices,
     .help = "Whether predictions or probabilities are averaged (soft), or classifiers vote for classes (hard)."},
    {.name = "model_weights",
     .formerly = "weights",
     .types = OPTION_NUMBER_LIST,
     ABOVE_ZERO,
     .unset = "1 each",
     .help = "A weight per model, in their order."},
    {.name = NULL}};

/* ---- what may be joined ---- */

/* Fails unless a model predicts numbers or classes. last: the model, or the last stage of a pipeline. Returns its task. */
static Task require_predictor(Env *env, const Model *last, uint32_t number)
{
    const Estimator *estimator = estimator_of(last);
    bool predicts = estimator != NULL && estimator->scoring != NULL &&
                    ((estimator->task == TASK_REGRESSION && estimator->scoring->predict != NULL) ||
                     (estimator->task == TASK_CLASSIFICATION && estimator->scoring->classify != NULL));

    if (!predicts)
        env_fail(env, ERROR_KIND, "Pass fitted models that predict numbers, or fitted classifiers.",
                 "model %u of the ensemble is %s%.31s", number + 1, last->kind == MODEL_FITTED ? "a model of " : "moments: ",
                 last->estimator);
    if (strncmp(estimator->name, "ensemble", 8) == 0)
        env_fail(env, ERROR_KIND, "Pass the members of that ensemble.", "model %u of the ensemble is itself an ensemble",
                 number + 1);
    return estimator->task;
}

static void require_task(Joining *joining)
{
    for (uint32_t i = 0; i < joining->count; i++) {
        Task task = require_predictor(joining->env, joining->last[i], i);

        if (i > 0 && task != joining->task)
            env_fail(joining->env, ERROR_KIND, "Join models of one task.",
                     "model 1 of the ensemble is for %s, and model %u for %s", task_name(joining->task), i + 1,
                     task_name(task));
        joining->task = task;
    }
}

/* Fails if models that vote or are averaged cannot do so. */
static void require_method(const Joining *joining, bool vote)
{
    if (joining->task == TASK_REGRESSION && vote)
        env_fail(joining->env, ERROR_PARAMETER, "Give \"voting\": \"soft\".",
                 "option \"voting\": \"hard\" is for classifiers, and these models predict numbers");
    for (uint32_t i = 0; joining->task == TASK_CLASSIFICATION && !vote && i < joining->count; i++)
        if (!classifier_output_has_probabilities(estimator_of(joining->last[i])->scoring, joining->last[i]))
            env_fail(joining->env, ERROR_PARAMETER, "Give \"voting\": \"hard\", or calibrate the model.",
                     "model %u of the ensemble, a model of %.31s, has no probabilities to average", i + 1,
                     joining->last[i]->estimator);
}

/* Fails unless all models have the same labels. */
static void require_classes(const Joining *joining)
{
    for (uint32_t i = 1; i < joining->count; i++)
        if (!ensemble_same_classes(joining->env, joining->last[0], joining->last[i]))
            env_fail(joining->env, ERROR_PARAMETER, "Fit the models to rows of the same classes.",
                     "models 1 and %u of the ensemble have different classes", i + 1);
}

/* ---- the model ---- */

/* Returns the weights of option "model_weights", adding up to 1. */
static double *read_weights(const Joining *joining)
{
    double *weights = env_array(joining->env, joining->count, sizeof(double)), sum = 0;
    uint32_t given;
    const double *numbers = options_numbers(joining->options, "model_weights", &given);

    if (numbers != NULL && given != joining->count)
        env_fail(joining->env, ERROR_PARAMETER, "Give one weight per model.",
                 "option \"model_weights\" of ensemble has %u number%s for %u model%s", given, given == 1 ? "" : "s", joining->count, joining->count == 1 ? "" : "s");
    for (uint32_t i = 0; i < joining->count; i++)
        sum += numbers != NULL ? numbers[i] : 1;
    for (uint32_t i = 0; i < joining->count; i++)
        weights[i] = (numbers != NULL ? numbers[i] : 1) / sum;
    if (!isfinite(sum))
        env_fail(joining->env, ERROR_RANGE, "Divide them by a power of ten.", "the weights of ensemble are out of range");
    return weights;
}

Model *ensemble_build(Env *env, const Model *const *models, uint32_t count, const char *json, size_t length)
{
    Joining joining = {.env = env, .count = count};
    ModelBuilder *builder;
    Model *header, *schema, *model;
    uint32_t json_length;
    const char *used, *wrong;
    uint8_t *vote = env_array(env, 1, 1);

    joining.options = options_parse(env, "ensemble", OPTION_TABLES(ensemble_options), json, length, NULL, NULL, 0);
    if (count == 0 || count > ENSEMBLE_MOST)
        env_fail(env, ERROR_PARAMETER, NULL, "an ensemble has 1 to %d models, not %u", ENSEMBLE_MOST, count);
    joining.last = env_array(env, count, sizeof(Model *));
    joining.reads = env_array(env, count, sizeof(Model *));
    for (uint32_t i = 0; i < count; i++) {
        joining.last[i] = pipeline_last(env, models[i]);
        require_predictor(env, joining.last[i], i);
        joining.reads[i] = ensemble_reads(env, models[i]);
    }
    require_task(&joining);
    *vote = options_is(joining.options, "voting", "hard");
    require_method(&joining, *vote);
    require_classes(&joining);
    schema = ensemble_schema(&joining);
    builder = model_builder(env, MODEL_FITTED,
                            joining.task == TASK_REGRESSION ? "ensemble_regression" : "ensemble_classifier");
    header = builder_header(builder);
    schema_add_final(env, builder, schema);
    /* NULLs and unknown levels are what each member makes of them */
    header->flags |= MODEL_NULL_VALUES;
    for (uint32_t i = 0; i < count; i++) {
        header->rows = models[i]->rows > header->rows ? models[i]->rows : header->rows;
        header->skipped = models[i]->skipped > header->skipped ? models[i]->skipped : header->skipped;
        header->weight = fmax(header->weight, models[i]->weight);
        header->flags |= (models[i]->flags & MODEL_WEIGHTED) | (joining.reads[i]->flags & MODEL_UNSEEN_ERROR);
    }
    used = options_used_json(joining.options, &json_length);
    builder_options(builder, used, json_length);
    nested_models_add(env, builder, &ensemble_nesting, models, count);
    builder_bool(builder, SECTION_ARRAYS, "vote", vote, 1);
    builder_f64(builder, SECTION_ARRAYS, "weights", read_weights(&joining), count);
    builder_fact_i64(builder, "models", count);
    model = model_build(builder);
    wrong = model_check(env, model, model->size);
    if (wrong != NULL) /* each of them is sound, but someone may have written it */
        env_fail(env, ERROR_PARAMETER, "Pass models that pgfit fitted.", "the models do not make an ensemble: %s", wrong);
    return model;
}
