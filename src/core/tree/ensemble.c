/*
 * ensemble.c - joins fitted models into one.
 */
#include "core/tree/ensemble.h"
#include "core/estimator/classifier_output.h"
#include "core/formula/formula_model.h"

#include <math.h>
#include <string.h>

static const char *const method_choices[] = {"average", "vote", NULL};

const OptionSpec ensemble_options[] = {
    {.name = "method",
     .types = OPTION_STRING,
     .fallback = "\"average\"",
     .choices = method_choices,
     .help = "Whether predictions or probabilities are averaged, or classifiers vote for classes."},
    {.name = "weights",
     .types = OPTION_NUMBER_LIST,
     ABOVE_ZERO,
     .help = "A weight per model, in their order; 1 each if they are not given."},
    {.name = NULL}};

typedef struct Joining {
    Env *env;
    const Model *const *models;
    uint32_t count;
    const Options *options;
    Task task;
    bool named;
    Model *schema; /* running: fields of all members, their levels, the classes */
} Joining;

/* ---- what may be joined ---- */

/* Fails unless a model predicts numbers or classes. Returns its task. */
static Task require_predictor(Env *env, const Model *model, uint32_t number)
{
    const Estimator *estimator = estimator_of(model);
    bool predicts;

    if (estimator != NULL && strcmp(estimator->name, "pipeline") == 0)
        env_fail(env, ERROR_KIND, "Join models of the transformed rows, and let a pipeline end with their ensemble.",
                 "model %u of the ensemble is a pipeline", number + 1);
    predicts = estimator != NULL && estimator->scoring != NULL &&
                    ((estimator->task == TASK_REGRESSION && estimator->scoring->predict != NULL) ||
                     (estimator->task == TASK_CLASSIFICATION && estimator->scoring->classify != NULL));

    if (!predicts)
        env_fail(env, ERROR_KIND, "Pass fitted models that predict numbers, or fitted classifiers.",
                 "model %u of the ensemble is %s%.31s", number + 1, model->kind == MODEL_FITTED ? "a model of " : "moments: ",
                 model->estimator);
    if (strncmp(estimator->name, "ensemble", 8) == 0)
        env_fail(env, ERROR_KIND, "Pass the members of that ensemble.", "model %u of the ensemble is itself an ensemble",
                 number + 1);
    if (formula_has_expressions(env, model))
        env_fail(env, ERROR_KIND, "Fit the models to columns, computed in a subquery where they are expressions.",
                 "model %u of the ensemble has a formula with terms that are not plain columns", number + 1);
    return estimator->task;
}

static void require_task(Joining *joining)
{
    for (uint32_t i = 0; i < joining->count; i++) {
        Task task = require_predictor(joining->env, joining->models[i], i);

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
        env_fail(joining->env, ERROR_PARAMETER, "Give \"method\": \"average\".",
                 "option \"method\": \"vote\" is for classifiers, and these models predict numbers");
    for (uint32_t i = 0; joining->task == TASK_CLASSIFICATION && !vote && i < joining->count; i++)
        if (!classifier_output_has_probabilities(estimator_of(joining->models[i])->scoring, joining->models[i]))
            env_fail(joining->env, ERROR_PARAMETER, "Give \"method\": \"vote\", or calibrate the model.",
                     "model %u of the ensemble, a model of %.31s, has no probabilities to average", i + 1,
                     joining->models[i]->estimator);
}

/* Fails unless all models have the same labels. */
static void require_classes(const Joining *joining)
{
    const Model *first = joining->models[0];
    uint32_t classes = dictionary_size(first, DICTIONARY_CLASSES);

    for (uint32_t i = 1; i < joining->count; i++) {
        const Model *model = joining->models[i];
        bool same = dictionary_size(model, DICTIONARY_CLASSES) == classes;

        for (uint32_t c = 0; same && c < classes; c++)
            same = strcmp(class_string(joining->env, first, c), class_string(joining->env, model, c)) == 0;
        if (!same)
            env_fail(joining->env, ERROR_PARAMETER, "Fit the models to rows of the same classes.",
                     "models 1 and %u of the ensemble have different classes", i + 1);
    }
}

/* ---- the schema ---- */

typedef struct Fields {
    uint32_t count;
    const char **names; /* NULL where no model has names */
    FieldKind *kinds;
    uint32_t *widths;
} Fields;

static char *field_name(Env *env, const Model *model, uint32_t field)
{
    SchemaView view;
    const char *text;
    uint32_t length;
    char *name;

    schema_view(model, &view);
    text = model_text(model, view.field_names, field, &length);
    name = env_array(env, (size_t)length + 1, 1);
    memcpy(name, text, length);
    return name;
}

/* Fails if a field is of another kind or width than the same field of an earlier model. */
static void require_field(const Joining *joining, const Fields *fields, uint32_t at, uint32_t number, uint32_t field)
{
    const Model *model = joining->models[number];
    FieldKind kind = schema_field_kind(model, field);
    uint32_t width = schema_field_width(model, field);
    char name[SCHEMA_NAME_SIZE];

    if (kind == fields->kinds[at] && width == fields->widths[at])
        return;
    schema_field_name(model, field, name, sizeof(name));
    env_fail(joining->env, ERROR_PARAMETER, "Fit the models to the same columns, or rename one of them.",
             "feature \"%s\" is %s of width %u in model %u of the ensemble, and %s of width %u in an earlier one", name,
             field_kind_name(kind), width, number + 1, field_kind_name(fields->kinds[at]), fields->widths[at]);
}

/* Adds the fields of a model that are not there yet. */
static void add_fields(Joining *joining, Fields *fields, uint32_t number)
{
    const Model *model = joining->models[number];

    for (uint32_t f = 0; f < model->field_count; f++) {
        char *name = joining->named ? field_name(joining->env, model, f) : NULL;
        uint32_t at = f;

        if (f % 64 == 0)
            joining->env->poll(joining->env);
        for (at = joining->named ? 0 : f; joining->named && at < fields->count; at++)
            if (strcmp(fields->names[at], name) == 0)
                break;
        if (at < fields->count) {
            require_field(joining, fields, at, number, f);
            continue;
        }
        if (joining->named)
            fields->names[at] = name;
        fields->kinds[at] = schema_field_kind(model, f);
        fields->widths[at] = schema_field_width(model, f);
        fields->count++;
    }
}

/* Fails unless the features of all models have names, or none has and all models have as many. */
static void require_names(Joining *joining)
{
    const Model *first = joining->models[0];

    joining->named = (first->flags & MODEL_NAMED) != 0;
    for (uint32_t i = 1; i < joining->count; i++) {
        const Model *model = joining->models[i];

        if (((model->flags & MODEL_NAMED) != 0) != joining->named)
            env_fail(joining->env, ERROR_PARAMETER, "Fit all models with named features, or all without.",
                     "the features of model %u of the ensemble have names, and those of model %u have none",
                     joining->named ? 1 : i + 1, joining->named ? i + 1 : 1);
        if (!joining->named && model->field_count != first->field_count)
            env_fail(joining->env, ERROR_PARAMETER, "Fit all models to the same features, or to named ones.",
                     "models 1 and %u of the ensemble have %u and %u features without names", i + 1, first->field_count,
                     model->field_count);
    }
}

static uint32_t find_field(const Joining *joining, const Model *model, uint32_t field)
{
    char *name;

    if (!joining->named)
        return field;
    name = field_name(joining->env, model, field);
    return (uint32_t)schema_find_field(joining->schema, name, strlen(name));
}

/* Adds the levels of a model that are not there yet. */
static void add_levels(Joining *joining, const Model *model)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);

    for (uint32_t l = 0; l < levels; l++) {
        uint32_t field = find_field(joining, model, dictionary_field(model, l)), length, position;
        const char *text = dictionary_text(model, DICTIONARY_LEVELS, l, &length);
        double key = dictionary_key(model, DICTIONARY_LEVELS, l);

        if (l % 64 == 0)
            joining->env->poll(joining->env);
        if (dictionary_find(joining->schema, DICTIONARY_LEVELS, field, text, length, isinf(key)) < 0)
            joining->schema = dictionary_add(joining->env, joining->schema, DICTIONARY_LEVELS, field, text, length, isinf(key),
                                             key, &position);
    }
}

static void add_classes(Joining *joining)
{
    const Model *first = joining->models[0];
    uint32_t classes = dictionary_size(first, DICTIONARY_CLASSES), length, position;

    for (uint32_t c = 0; c < classes; c++) {
        const char *text = dictionary_text(first, DICTIONARY_CLASSES, c, &length);

        joining->schema = dictionary_add(joining->env, joining->schema, DICTIONARY_CLASSES, 0, text, length, false,
                                         dictionary_key(first, DICTIONARY_CLASSES, c), &position);
    }
}

/* Returns the type of the labels: that of the first classifier that says it; text where none does, as after an edit. */
static const char *label_type(const Joining *joining)
{
    SchemaView view;

    for (uint32_t i = 0; i < joining->count; i++) {
        schema_view(joining->models[i], &view);
        if (view.class_type != NULL)
            return model_string(joining->env, joining->models[i], view.class_type);
    }
    return joining->task == TASK_CLASSIFICATION ? "text" : NULL;
}

/* Makes the schema that all members can be scored from. */
static void make_schema(Joining *joining)
{
    Env *env = joining->env;
    Fields fields = {0};
    SchemaSpec spec = {0};
    SchemaView view;
    size_t most = 1;
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema");

    for (uint32_t i = 0; i < joining->count; i++)
        most += joining->models[i]->field_count;
    fields.names = env_array(env, most, sizeof(char *));
    fields.kinds = env_array(env, most, sizeof(FieldKind));
    fields.widths = env_array(env, most, sizeof(uint32_t));
    for (uint32_t i = 0; i < joining->count; i++)
        add_fields(joining, &fields, i);
    schema_view(joining->models[0], &view);
    spec = (SchemaSpec){.field_count = fields.count,
                        .names = joining->named ? fields.names : NULL,
                        .kinds = fields.kinds,
                        .widths = fields.widths,
                        .named = joining->named,
                        .class_type = label_type(joining),
                        .target_name = model_string(env, joining->models[0], view.target_name)};
    schema_add(env, builder, &spec);
    joining->schema = model_build(builder);
    for (uint32_t i = 0; i < joining->count; i++)
        add_levels(joining, joining->models[i]);
    add_classes(joining);
}

/* ---- the model ---- */

/* Returns the weights of option "weights", adding up to 1. */
static double *read_weights(const Joining *joining)
{
    double *weights = env_array(joining->env, joining->count, sizeof(double)), sum = 0;
    uint32_t given;
    const double *numbers = options_numbers(joining->options, "weights", &given);

    if (numbers != NULL && given != joining->count)
        env_fail(joining->env, ERROR_PARAMETER, "Give one weight per model.",
                 "option \"weights\" of ensemble has %u numbers for %u models", given, joining->count);
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
    Joining joining = {.env = env, .models = models, .count = count};
    ModelBuilder *builder;
    Model *header;
    uint32_t json_length;
    const char *used;
    uint8_t *vote = env_array(env, 1, 1);

    joining.options = options_parse(env, "ensemble", OPTION_TABLES(ensemble_options), json, length, NULL, NULL, 0);
    if (count == 0 || count > ENSEMBLE_MOST)
        env_fail(env, ERROR_PARAMETER, NULL, "an ensemble has 1 to %d models, not %u", ENSEMBLE_MOST, count);
    require_task(&joining);
    *vote = options_is(joining.options, "method", "vote");
    require_method(&joining, *vote);
    require_names(&joining);
    require_classes(&joining);
    make_schema(&joining);
    builder = model_builder(env, MODEL_FITTED,
                            joining.task == TASK_REGRESSION ? "ensemble_regression" : "ensemble_classifier");
    header = builder_header(builder);
    schema_add_final(env, builder, joining.schema);
    /* NULLs and unknown levels are what each member makes of them */
    header->flags |= MODEL_NULL_VALUES;
    for (uint32_t i = 0; i < count; i++) {
        header->rows = models[i]->rows > header->rows ? models[i]->rows : header->rows;
        header->skipped = models[i]->skipped > header->skipped ? models[i]->skipped : header->skipped;
        header->weight = fmax(header->weight, models[i]->weight);
        header->flags |= models[i]->flags & (MODEL_WEIGHTED | MODEL_UNSEEN_ERROR);
    }
    used = options_used_json(joining.options, &json_length);
    builder_options(builder, used, json_length);
    nested_models_add(env, builder, &ensemble_nesting, models, count);
    builder_bool(builder, SECTION_ARRAYS, "vote", vote, 1);
    builder_f64(builder, SECTION_ARRAYS, "weights", read_weights(&joining), count);
    builder_fact_i64(builder, "models", count);
    return model_require_readable(env, model_build(builder));
}
