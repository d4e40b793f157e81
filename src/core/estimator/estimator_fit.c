/*
 * estimator_fit.c - what every fit begins and ends with.
 */
#include "core/estimator/estimator.h"

/* The value that holds the schema, flags and counts of the input. */
static const Model *input_schema(const FitInput *input)
{
    return input->kind == INPUT_ROWS ? rows_schema(input->rows) : input->moments;
}

/* The means that replace NULLs at scoring; 0 for a categorical slot. */
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

Model *estimator_fit(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                     bool whole)
{
    Model *model = estimator->fit(env, estimator, input, options);

    if (model == NULL)
        return NULL;
    return whole ? model_require_readable(env, model) : model_require_finite(env, model);
}
