/* fit.c - random numbers, states, rows and fits for unit tests. */
#include "fit.h"
#include "core/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double random_uniform(uint64_t *seed)
{
    return random_unit(seed);
}

double random_normal(uint64_t *seed)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += random_uniform(seed);
    return sum;
}

void random_order(uint64_t *seed, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = (uint32_t)(random_uniform(seed) * i), t = order[i - 1];
        order[i - 1] = order[k];
        order[k] = t;
    }
}

Model *schema_model(Env *env, const SchemaSpec *spec)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");

    schema_add(env, builder, spec);
    return model_build(builder);
}

Model *numeric_schema(Env *env, uint32_t features)
{
    return schema_model(env, &(SchemaSpec){.field_count = features});
}

bool forge_array(uint64_t *seed, Model *model, int count)
{
    const ModelEntry *entry = model_entries(model) + (uint32_t)(random_uniform(seed) * model->entry_count);
    uint32_t bytes = (uint32_t)model_entry_bytes(model, entry);

    if (bytes == 0 || entry->section < SECTION_FACTS || entry->type == ARRAY_TEXT)
        return false;
    for (int i = 0; i < count; i++)
        ((char *)model)[entry->offset + (uint32_t)(random_uniform(seed) * bytes)] = (char)(random_uniform(seed) * 256);
    return true;
}

Model *state_new(Env *env, ModelKind kind, uint32_t features, uint8_t flags)
{
    SchemaSpec spec = {.field_count = features};

    return moments_new(env, &spec, &(MomentsPlan){.kind = kind, .flags = flags});
}

Model *state_add(Env *env, Model *state, const double *x, const bool *nulls, double y, double w)
{
    Model *next = moments_add(env, state, x, nulls, y, w);

    if (next != state)
        env->release(env, state);
    return next;
}

Model *state_rows(Env *env, const double *x, const double *y, const double *w, uint32_t d,
                  const uint32_t *order, uint32_t first, uint32_t last)
{
    Model *state = state_new(env, MODEL_MOMENTS, d, w != NULL ? MODEL_WEIGHTED : 0);

    for (uint32_t i = first; i < last; i++) {
        uint32_t row = order != NULL ? order[i] : i;
        state = state_add(env, state, x + (size_t)row * d, NULL, y[row], w != NULL ? w[row] : 1);
    }
    return state;
}

Model *state_copy(Env *env, const Model *state)
{
    Model *copy = env->alloc(env, state->size);

    memcpy(copy, state, state->size);
    return copy;
}

Model *state_merge(Env *env, Model *a, Model *b)
{
    Model *merged = moments_merge(env, a, b, false);

    if (merged != a)
        env->release(env, a);
    env->release(env, b);
    return merged;
}

Model *model_again(Env *env, const Model *model)
{
    size_t length;
    char *text = model_to_text(env, model, &length);
    Model *again = model_from_text(env, text, length);

    env->release(env, text);
    return again;
}

Model *fit_model(Env *env, const char *estimator, const Model *state, const char *options)
{
    const Estimator *method = estimator_find(estimator);
    const OptionSpec *const *tables = method->options;
    Options *parsed = options_parse(env, method->name, tables, options, strlen(options), NULL, NULL, 0);
    FitInput input = {.kind = (InputKind)state->kind, .moments = state};

    return estimator_fit(env, method, &input, parsed, true);
}

double array_at(const Model *model, const char *name, uint32_t i)
{
    uint32_t length;
    const double *values = model_f64(model, name, &length);
    const ModelEntry *entry = model_find(model, name);

    return values != NULL && i < (uint64_t)entry->rows * entry->columns ? values[i] : NAN;
}

double fact_of(Env *env, const Model *model, const char *name)
{
    return model_fact(estimator_statistics(env, model), name, NAN);
}

/* Adds classes "a", "b" ... to a schema. */
static Model *add_classes(Env *env, Model *schema, uint32_t classes)
{
    uint32_t position;

    for (uint32_t i = 0; i < classes; i++) {
        char label[3] = {(char)('a' + i % 26), i < 26 ? 0 : (char)('a' + i / 26), 0};

        schema = dictionary_add(env, schema, DICTIONARY_CLASSES, 0, label, (uint32_t)strlen(label), false, 0, &position);
    }
    return schema;
}

Rows *number_rows(Env *env, const double *x, const double *weights, const uint32_t *order, uint64_t n, uint32_t slots)
{
    return target_rows(env, x, NULL, weights, order, n, slots, 0);
}

Rows *target_rows(Env *env, const double *x, const double *targets, const double *weights, const uint32_t *order, uint64_t n,
                  uint32_t slots, uint32_t classes)
{
    SchemaSpec spec = {.field_count = slots, .class_type = classes > 0 ? "text" : NULL};
    Model *schema;
    Rows *rows;

    schema = add_classes(env, schema_model(env, &spec), classes);
    rows = rows_new(rows_pool(env), schema, (targets ? ROWS_TARGET : 0) | (weights ? ROWS_WEIGHT : 0));
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = order ? order[i] : i;

        rows_append(rows, x + at * slots, targets ? targets[at] : 0, weights ? weights[at] : 1, NULL, 0);
    }
    return rows;
}

const Model *rows_model(Env *env, const Estimator *estimator, Rows *rows, const char *options)
{
    const OptionSpec *const *tables = estimator->options;
    FitInput input = {.kind = INPUT_ROWS, .rows = rows};

    return estimator_fit(env, estimator, &input,
                          options_parse(env, estimator->name, tables, options, strlen(options), NULL, NULL, 0), true);
}

double *three_clouds(uint64_t n, uint32_t dims, uint64_t seed)
{
    double *x = malloc(n * dims * sizeof(double));

    for (uint64_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < dims; j++)
            x[i * dims + j] = 5 * (double)(i % 3) + random_normal(&seed);
    return x;
}

Model *labeled_schema(Env *env, uint32_t classes)
{
    SchemaSpec spec = {.field_count = 1, .class_type = "text"};

    return add_classes(env, schema_model(env, &spec), classes);
}

Model *fit_rows(Host *host, const char *estimator, const double *x, const double *weights,
                       uint32_t n, uint32_t d, const char *json, const uint32_t *order)
{
    Env *env = &host->env;
    const Estimator *method = estimator_find(estimator);
    const OptionSpec *const *tables = method->options;
    FitInput input = {.kind = INPUT_ROWS};
    Model *model;

    input.rows =
        rows_new(rows_pool(env), numeric_schema(env, d),
                 (method->identified ? ROWS_ID : 0) | (weights != NULL ? ROWS_WEIGHT : 0));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = order != NULL ? order[i] : i;
        char id[16];
        int length = snprintf(id, sizeof id, "%u", row);

        rows_append(input.rows, x + (size_t)row * d, 0, weights != NULL ? weights[row] : 1, id,
                    (uint32_t)length);
    }
    model = estimator_fit(env, method, &input,
                        options_parse(env, estimator, tables, json, strlen(json), NULL, NULL, 0), true);
    if (model != NULL && model_check(env, model, model->size) != NULL)
        env_fail(env, ERROR_INTERNAL, NULL, "%s made a model that its own check refuses", estimator);
    return model;
}
