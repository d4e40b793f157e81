/*
 * estimator_fit.c - what every fit begins and ends with.
 */
#include "core/estimator/estimator.h"
#include "core/rows/row_scale.h"

#include "core/estimator/formula_fit.h"
#include "core/estimator/input_warnings.h"
#include "core/estimator/shared_options.h"

/* Tells whether a fit gives NULL because all values of a feature are NULL, as those of a lag are where a frame begins. */
static bool is_null_without_mean(Env *env, const FitInput *input, const Options *options)
{
    const Model *moments = input->moments;

    if (input->kind == INPUT_ROWS || !(input->frame || (options_has(options, "too_few_rows") && too_few_rows_are_null(input, options))))
        return false;
    return schema_slot_without_mean(moments, moments_impute_means(env, moments)) < moments->slot_count;
}

ModelBuilder *fit_begin(Env *env, const Estimator *estimator, const FitInput *input,
                        const Options *options)
{
    const Model *source = input_schema(input);
    double *means = input->kind == INPUT_ROWS ? rows_impute_means(env, input->rows) : schema_require_means(env, source, moments_impute_means(env, source));
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, estimator->name);
    Model *header = builder_header(builder);
    uint32_t length;
    const char *json = options_used_json(options, &length);

    schema_add_final(env, builder, source);
    header->flags = source->flags & (uint8_t)~MODEL_FOLDED;
    header->field_count = source->field_count;
    header->slot_count = source->slot_count;
    header->rows = source->rows;
    header->skipped = source->skipped;
    header->weight = source->weight;
    if (means != NULL)
        builder_f64(builder, SECTION_SCHEMA, "impute", means, source->slot_count);
    builder_options(builder, json, length);
    return builder;
}

void estimator_require_features(Env *env, const Estimator *estimator, const char *name, uint32_t fields)
{
    if (fields == 0 && !(estimator != NULL && estimator->null_model))
        env_fail(env, ERROR_PARAMETER, "Name a column in the formula.", "%s needs at least one feature, but the formula has no terms", name);
}

/* Fails if there are no features, which a penalty would make smaller, and the options ask for a path of penalties. */
static void require_slopes(Env *env, const Estimator *estimator, const Options *options, uint32_t fields)
{
    bool folds = options_given(options, "folds") || options_given(options, "fold_column");

    if (fields > 0 || !options_has(options, "lambda"))
        return;
    if (options_type(options, "lambda") != OPTION_NUMBER || options_given(options, "path") || options_given(options, "penalty_budget") || folds)
        env_fail(env, ERROR_PARAMETER, folds ? "Leave the folds out, or name a column in the formula." : "Give one lambda, or name a column in the formula.",
                 "%s has no coefficients to penalize, because the formula has no terms, so there is no lambda to choose", estimator->name);
}

/* Returns an estimator by name, and the options that were given as it reads them. */
static const Estimator *instead(Env *env, const Estimator *estimator, const char *name, const Options **options)
{
    const Estimator *other = estimator_find(name);
    uint32_t length;
    const char *json = options_json(*options, &length);

    if (other != estimator)
        *options = options_parse(env, other->name, other->options, json, length, NULL, NULL, 0);
    return other;
}

/* Returns the estimator that fits the targets of the input, or the list that an option is, and its options. Fails if none does. */
static const Estimator *estimator_of_several(Env *env, const Estimator *estimator, const FitInput *input, const Options **options)
{
    uint32_t further = input->kind == INPUT_MOMENTS ? moments_further_targets(input->moments) : 0;

    if (estimator->list_option != NULL && options_type(*options, estimator->list_option) == OPTION_NUMBER_LIST)
        return instead(env, estimator, estimator->list_estimator, options);
    if (further == 0 || !estimator->supervised)
        return estimator;
    if (estimator->several_targets == NULL)
        env_fail(env, ERROR_PARAMETER, "Use linear_regression, or moments of one target.", "%s takes one target, and the moments have %u", estimator->name,
                 1 + further);
    return instead(env, estimator, estimator->several_targets, options);
}

Model *estimator_fit(Env *env, const Estimator *estimator, const FitInput *given, const Options *options, bool whole)
{
    FitInput input = *given;
    const Model *schema = input_schema(given);
    KeptRows kept;
    Model *model;
    bool learns;

    if (schema->rows == 0)
        return NULL;
    if (given->kind == INPUT_MOMENTS)
        formula_fit_refuse_offsets(env, estimator, schema);
    estimator = estimator_of_several(env, estimator, given, &options);
    learns = formula_fit_learns(env, given);
    if (learns) {
        input = formula_fit_input(env, estimator, given, options);
        schema = input_schema(&input);
    }
    estimator_require_features(env, estimator, estimator->name, schema->field_count);
    require_slopes(env, estimator, options, schema->field_count);
    if (estimator->numeric)
        schema_require_numbers(env, schema, estimator->name);
    if (input.kind == INPUT_ROWS) {
        rows_reset_scale(input.rows); /* of a fit that failed and was caught */
    } else {
        if (moments_kept_rows(env, schema, &kept))
            input.kept = &kept;
        input.moments = moments_for_fit(env, schema);
    }
    if (is_null_without_mean(env, &input, options))
        return NULL;
    input_warn(env, estimator, &input, options);
    model = estimator->fit(env, estimator, &input, options, fit_begin(env, estimator, &input, options));
    if (input.kind == INPUT_ROWS)
        rows_end_readers(input.rows);
    if (input.offsets != NULL)
        rows_end_readers(input.offsets);
    if (model != NULL)
        model = whole ? model_require_readable(env, model) : model_require_finite(env, model);
    if (learns)
        formula_fit_end(&input);
    return model;
}
