/*
 * estimator.c - finding estimators by name, and what every fit begins with.
 */
#include "core/estimator/estimator.h"

#include <string.h>

Model *estimator_fit(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                     bool whole)
{
    Model *model = estimator->fit(env, input, options);

    if (model == NULL)
        return NULL;
    return whole ? model_require_readable(env, model) : model_require_finite(env, model);
}

const char *estimator_check(Env *env, const Estimator *estimator, const Model *model)
{
    const char *wrong = estimator->arrays != NULL ? arrays_check(env, model, estimator->arrays) : NULL;

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

/* The names of all estimators, "a, b, c", for hints. */
char *estimator_names(Env *env)
{
    size_t size = 1;
    char *names;
    char *out;

    for (const Estimator *const *e = estimators; *e != NULL; e++)
        size += strlen((*e)->name) + 2;
    names = out = env->alloc(env, size);
    for (const Estimator *const *e = estimators; *e != NULL; e++) {
        if (e != estimators)
            out = stpcpy(out, ", ");
        out = stpcpy(out, (*e)->name);
    }
    *out = 0;
    return names;
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

const char *task_name(Task task)
{
    switch (task) {
    case TASK_REGRESSION:
        return "regression";
    case TASK_CLASSIFICATION:
        return "classification";
    case TASK_CLUSTERING:
        return "clustering";
    case TASK_REDUCTION:
        return "reduction";
    case TASK_NEIGHBORS:
        return "neighbors";
    case TASK_CALIBRATION:
        return "calibration";
    case TASK_DESCRIPTION:
        return "description";
    }
    return "";
}

const char *input_kind_name(InputKind kind)
{
    switch (kind) {
    case INPUT_MOMENTS:
        return "moments";
    case INPUT_CLASS_MOMENTS:
        return "class_moments";
    case INPUT_FEATURE_MOMENTS:
        return "feature_moments";
    case INPUT_ROWS:
        return "rows";
    }
    return "";
}

/* The value whose schema, flags and counts stand for the moments. */
static const Model *input_schema(const FitInput *input)
{
    return input->kind == INPUT_ROWS ? rows_schema(input->rows) : input->moments;
}

/* Means for NULLs at scoring; a categorical slot has none. */
static double *rows_impute_means(Env *env, const Rows *rows)
{
    const Model *schema = rows_schema(rows);
    uint32_t slots = rows_slots(rows);
    double *means = env_array_raw(env, (size_t)slots + 1, sizeof(double));

    for (uint32_t s = 0; s < slots; s++) {
        FieldKind kind = schema_field_kind(schema, schema_slot_field(schema, s));

        means[s] = kind == FIELD_CATEGORICAL ? 0 : rows_means(rows)[s];
    }
    return means;
}

ModelBuilder *fit_begin(Env *env, const Estimator *estimator, const FitInput *input,
                        const Options *options)
{
    const Model *source = input_schema(input);
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, estimator->name);
    Model *header;
    const char *json;
    uint32_t length;

    schema_add_final(env, builder, source);
    header = builder_header(builder);
    header->flags = source->flags & (uint8_t)~MODEL_FOLDED;
    header->field_count = source->field_count;
    header->slot_count = source->slot_count;
    header->rows = source->rows;
    header->skipped = source->skipped;
    header->weight = source->weight;
    if (input->kind == INPUT_ROWS && rows_means(input->rows))
        builder_f64(builder, SECTION_SCHEMA, "impute", rows_impute_means(env, input->rows),
                    rows_slots(input->rows));
    json = options_used_json(options, &length);
    builder_options(builder, json, length);
    return builder;
}

const Model *estimator_statistics(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL && estimator->statistics != NULL ? estimator->statistics(env, model) : model;
}

Options *estimator_options(Env *env, const Estimator *estimator, const Model *model)
{
    const OptionSpec *tables[] = {options_common, estimator->options, NULL};
    uint32_t length;
    const char *json = model_options(model, &length);

    return options_parse(env, estimator->name, tables, json, length, NULL, NULL, 0);
}

double estimator_level(Env *env, const Estimator *estimator, const Model *model)
{
    for (const OptionSpec *spec = estimator->options; spec->name != NULL; spec++) {
        if (strcmp(spec->name, "level") == 0)
            return options_number(estimator_options(env, estimator, model), "level");
    }
    return LEVEL_DEFAULT;
}
