/*
 * estimator.c - finds estimators by name, and tells what their descriptors say.
 */
#include "core/estimator/estimator.h"

#include "core/base/text_buffer.h"

#include <string.h>

const char *estimator_check(Env *env, const Estimator *estimator, const Model *model)
{
    const char *wrong = estimator->arrays != NULL ? arrays_check(env, model, estimator->arrays) : NULL;

    if (wrong == NULL && estimator->numeric)
        wrong = check_numeric(env, model);
    return wrong == NULL && estimator->check != NULL ? estimator->check(env, model) : wrong;
}

const Estimator *estimator_find(const char *name)
{
    for (const Estimator *const *e = estimators; *e != NULL; e++) {
        if (strcmp((*e)->name, name) == 0)
            return *e;
    }
    return NULL;
}

const Estimator *estimator_of(const Model *model)
{
    if (model->kind != MODEL_FITTED ||
        memchr(model->estimator, 0, sizeof(model->estimator)) == NULL)
        return NULL;
    return estimator_find(model->estimator);
}

char *estimator_names(Env *env)
{
    TextBuffer names = {.env = env};

    for (const Estimator *const *e = estimators; *e != NULL; e++)
        if ((*e)->fit != NULL)
            text_print(&names, "%s%s", names.length == 0 ? "" : ", ", (*e)->name);
    return text_finish(&names, NULL);
}

InputKind estimator_input(const Estimator *estimator, const Options *options)
{
    bool other = estimator->wants_other != NULL && estimator->wants_other(options);

    return other ? estimator->other_input : estimator->input;
}

bool estimator_takes(const Estimator *estimator, InputKind kind)
{
    return kind == estimator->input ||
           (estimator->other_input != 0 && kind == estimator->other_input);
}

bool estimator_is_diagonal(const Estimator *estimator, const Options *options)
{
    return estimator != NULL && estimator->diagonal && !(estimator->wants_products != NULL && estimator->wants_products(options));
}

const char *task_name(Task task)
{
    static const char *const names[] = {[TASK_REGRESSION] = "regression",   [TASK_CLASSIFICATION] = "classification",
                                        [TASK_CLUSTERING] = "clustering",   [TASK_REDUCTION] = "reduction",
                                        [TASK_NEIGHBORS] = "neighbors",     [TASK_CALIBRATION] = "calibration",
                                        [TASK_DESCRIPTION] = "description", [TASK_PREPARATION] = "preparation",
                                        [TASK_OUTLIERS] = "outliers",       [TASK_SURVIVAL] = "survival"};

    return names[task];
}

const char *input_kind_name(InputKind kind)
{
    static const char *const names[] = {[INPUT_MOMENTS] = "moments",
                                        [INPUT_CLASS_MOMENTS] = "class_moments",
                                        [INPUT_FEATURE_MOMENTS] = "feature_moments",
                                        [INPUT_ROWS] = "rows"};

    return names[kind];
}

const Model *estimator_statistics(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL && estimator->statistics != NULL ? estimator->statistics(env, model) : model;
}

Options *estimator_options(Env *env, const Estimator *estimator, const Model *model)
{
    uint32_t length;
    const char *json = model_options(model, &length);

    return options_parse(env, estimator->name, estimator->options, json, length, NULL, NULL, 0);
}

double estimator_level(Env *env, const Estimator *estimator, const Model *model)
{
    if (option_find(estimator->options, "level") != NULL)
        return options_number(estimator_options(env, estimator, model), "level");
    return LEVEL_DEFAULT;
}

bool estimator_has_class_weights(Env *env, const Estimator *estimator, const Model *model)
{
    return option_find(estimator->options, "class_weight") != NULL && !options_is(estimator_options(env, estimator, model), "class_weight", "none");
}

void estimator_influence(Env *env, const Scoring *scoring, const Model *model, const void *prepared, const double *slots, const InfluenceRow *row,
                         Influence *out)
{
    if (scoring->influence != NULL) {
        scoring->influence(env, model, slots, row, out);
        return;
    }
    out->fitted = scoring_predict(scoring, model, prepared, slots, row->offset);
    out->residual = row->target - out->fitted;
}
