/*
 * warm_start.c - continues a fit of rows from a linear model of the same method.
 */
#include "core/linear_equations/warm_start.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

static void __attribute__((noreturn))
fail_start(Env *env, const Estimator *estimator, const char *hint, const char *what)
{
    env_fail(env, ERROR_PARAMETER, hint, "option \"start\" of %s does not fit these rows: %s",
             estimator->name, what);
}

static const Model *read_model(Env *env, const Options *options, const Estimator *estimator)
{
    const Model *model = start_model(env, options, estimator);

    if (model != NULL && model_find(model, "coef") == NULL)
        env_fail(env, ERROR_PARAMETER, "Continue from a model fitted with \"kernel\": \"linear\".",
                 "option \"start\" of %s is a model with a kernel, which has no equation to continue from", estimator->name);
    return model;
}

/* Returns a copy of the rows' schema with all dictionary entries of the model added. */
static Model *add_entries(Env *env, Model *schema, const Model *model, DictionaryKind kind)
{
    uint32_t count = dictionary_size(model, kind);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t length, place, field = kind == DICTIONARY_LEVELS ? dictionary_field(model, i) : 0;
        const char *text = dictionary_text(model, kind, i, &length);
        double key = dictionary_key(model, kind, i);
        bool is_null = key == INFINITY;

        if (dictionary_find(schema, kind, field, text, length, is_null) < 0)
            schema = dictionary_add(env, schema, kind, field, text, length, is_null, key, &place);
    }
    return schema;
}

Model *warm_start_schema(Env *env, const Model *schema, const Model *model)
{
    Model *copy = env->alloc(env, schema->size);

    memcpy(copy, schema, schema->size);
    return add_entries(env, add_entries(env, copy, model, DICTIONARY_LEVELS), model, DICTIONARY_CLASSES);
}

/* Returns the final position in the schema of each level of the model. */
static uint32_t *level_positions(Env *env, const Model *schema, const Model *model)
{
    uint32_t count = dictionary_size(model, DICTIONARY_LEVELS);
    const uint32_t *final = dictionary_final_positions(env, schema, DICTIONARY_LEVELS);
    uint32_t *level = env_array(env, (size_t)count + 1, sizeof(uint32_t));

    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const char *text = dictionary_text(model, DICTIONARY_LEVELS, i, &length);
        bool is_null = dictionary_key(model, DICTIONARY_LEVELS, i) == INFINITY;

        level[i] = final[dictionary_find(schema, DICTIONARY_LEVELS, dictionary_field(model, i), text,
                                         length, is_null)];
    }
    return level;
}

WarmStart warm_start(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                     ModelBuilder **builder)
{
    Rows *rows = input->rows;
    WarmStart start = {.model = read_model(env, options, estimator)};
    Model *schema = rows_schema(rows), *copy;
    const ModelEntry *reference;
    const char *difference;

    if (start.model == NULL)
        return start;
    difference = schema_difference(env, start.model, schema);
    if (difference != NULL)
        fail_start(env, estimator, "The model and the rows must have the same features.", difference);
    if ((model_find(start.model, "intercept") != NULL) != options_boolean(options, "intercept"))
        fail_start(env, estimator, "Give the same options as the model was fitted with.",
                   "one has an intercept, the other has none");
    linear_view(start.model, &start.view);
    copy = warm_start_schema(env, schema, start.model);
    if (dictionary_size(copy, DICTIONARY_CLASSES) > dictionary_size(start.model, DICTIONARY_CLASSES))
        fail_start(env, estimator, "Fit a new model of all classes.",
                   "they have a class that the model does not know");
    start.level = level_positions(env, copy, start.model);
    reference = model_find(start.model, "reference");
    start.reference = reference != NULL ? model_data(start.model, reference) : NULL;
    start.own_schema = schema;
    rows_set_schema(rows, copy);
    *builder = fit_begin(env, estimator, input, options);
    return start;
}

void warm_start_end(const WarmStart *start, Rows *rows)
{
    if (start->own_schema != NULL)
        rows_set_schema(rows, start->own_schema);
}

uint8_t *warm_start_frozen(const WarmStart *start, const RowDesign *design)
{
    uint8_t *frozen, *level;

    if (start->model == NULL || start->reference == NULL)
        return NULL;
    frozen = env_array(design->env, (size_t)design->terms + 1, 1);
    level = env_array(design->env, (size_t)design->levels + 1, 1);
    for (uint32_t l = 0; l < start->view.levels; l++)
        level[start->level[l]] = start->reference[l];
    for (uint32_t t = 0; t < design->terms; t++)
        frozen[t] = design->term_level[t] >= 0 && level[design->term_level[t]];
    return frozen;
}

double warm_start_terms(const WarmStart *start, uint32_t equation, const RowDesign *design, double *terms)
{
    const LinearView *view = &start->view;
    const double *coef = view->coef + (size_t)equation * view->columns;
    double *by_level = env_array(design->env, (size_t)design->levels + 1, sizeof(double));
    uint32_t length;
    const double *intercept = model_f64(start->model, "intercept", &length);

    for (uint32_t l = 0; l < view->levels; l++)
        by_level[start->level[l]] = coef[view->slots + l];
    for (uint32_t t = 0; t < design->terms; t++)
        terms[t] = design->term_level[t] < 0 ? coef[design->term_slot[t]] : by_level[design->term_level[t]];
    design->env->release(design->env, by_level);
    return intercept != NULL ? intercept[equation] : 0;
}

void warm_start_columns(const WarmStart *start, uint32_t equation, const LinearEquations *classifier)
{
    const LinearView *view = &start->view;
    const double *coef = view->coef + (size_t)equation * view->columns;
    double *out = classifier->coef + (size_t)equation * (classifier->slots + classifier->levels);

    for (uint32_t l = 0; l < view->levels; l++) {
        out[classifier->slots + start->level[l]] = coef[view->slots + l];
        if (start->reference != NULL)
            classifier->reference[start->level[l]] = start->reference[l];
    }
}

/* ---- standardized rows ---- */

/* Returns the index of a term's level in the dictionary of the start; -1: it has no such level. */
static int64_t start_level(const RowDesign *design, const Model *start, uint32_t term)
{
    const Model *schema = rows_schema(design->rows);
    uint32_t length, running = 0;
    const char *text;

    while (design->level_final[running] != (uint32_t)design->term_level[term])
        running++;
    text = dictionary_text(schema, DICTIONARY_LEVELS, running, &length);
    return dictionary_find(start, DICTIONARY_LEVELS, dictionary_field(schema, running), text, length, isinf(dictionary_key(schema, DICTIONARY_LEVELS, running)));
}

void warm_start_standardized(const StandardizedRows *rows, const Model *start, uint32_t equation, double *theta)
{
    LinearView view;
    const double *coef;
    double constant;

    linear_view(start, &view);
    coef = view.coef + (size_t)equation * view.columns;
    constant = view.offset != NULL ? view.offset[equation] : 0;
    for (uint32_t s = 0; view.center != NULL && s < view.slots; s++)
        constant -= view.center[s] * coef[s];
    for (uint32_t t = 0; t < rows->terms; t++) {
        uint32_t term = rows->term[t];
        int64_t column = rows->design->term_slot[term];
        double w;

        if (rows->design->term_level[term] >= 0) {
            column = start_level(rows->design, start, term);
            column = column < 0 ? -1 : view.slots + column;
        }
        w = column < 0 ? 0 : coef[column];
        constant += rows->center[term] * w;
        theta[t + rows->intercept] = w * rows->scale[term];
    }
    if (rows->intercept)
        theta[0] = constant;
}
