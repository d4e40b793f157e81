/*
 * value_check.c - the complete check of a value from outside, and the readers that end with it.
 */
#include "core/base/all_finite.h"
#include "core/estimator/classifier_output.h"
#include "core/estimator/conformal.h"
#include "core/estimator/estimator.h"
#include "core/formula/formula_model.h"
#include "core/model/schema.h"
#include "core/drift/feature_summary.h"
#include "core/moments/moments.h"

#include <math.h>

/* Checks conformal scores in a model whose other arrays are checked. */
static const char *check_conformal(Env *env, const Model *model)
{
    const char *wrong = conformal_check_arrays(env, model);
    const Model **models = NULL;
    uint32_t count = 0;

    if (wrong == NULL && conformal_has_models(model))
        wrong = nested_models_read(env, model, &conformal_nesting, &models, &count);
    return wrong == NULL ? conformal_check(env, model, models, count) : wrong;
}

/*
 * Checks the estimator's own arrays and those of classifier_output.h and conformal.h. A summary of the training rows is left out: no score reads it,
 * and reading 60 kB of JSON takes ten times as long as a score.
 */
static const char *check_fitted(Env *env, const Model *model, const Estimator *estimator)
{
    const Model *own, *whole;
    const char *error;

    if (model_has_summary(model))
        model = model_without_summary(env, model);
    whole = model;
    model = conformal_strip(env, model);
    own = classifier_output_any(model) ? classifier_output_strip(env, model) : model;
    error = estimator_check(env, estimator, own);
    if (error == NULL && own != model)
        error = classifier_output_check(env, model, estimator);
    return error == NULL && whole != model ? check_conformal(env, whole) : error;
}

/* Checks everything but the fingerprint. */
static const char *check_content(Env *env, const void *value, size_t size)
{
    const Model *model = value;
    const Estimator *estimator;
    const char *error = model_check_layout(env, value, size);

    if (error == NULL)
        error = model_check_options(env, model);
    if (error == NULL)
        error = schema_check(env, model);
    if (error == NULL)
        error = formula_model_check(env, model);
    if (error != NULL)
        return error;
    if (model->kind != MODEL_FITTED)
        return moments_check(env, model);
    estimator = estimator_find(model->estimator);
    if (estimator == NULL)
        return env_message(env, "the estimator \"%s\" is unknown", model->estimator);
    if (model_nulls_are_values(model->flags) && !estimator->nulls_are_values)
        return "NULLs are both imputed and refused";
    if (estimator_classifies(estimator) && dictionary_size(model, DICTIONARY_CLASSES) == 0)
        return env_message(env, "a model of %s has no classes", estimator->name);
    if (formula_model_any(model) && !estimator->takes_offset && formula_model(env, model)->offsets)
        return "the formula has an offset, which the method does not take";
    return check_fitted(env, model, estimator);
}

const char *model_accept(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    if (estimator == NULL || estimator->accept == NULL)
        return NULL;
    if (model_has_summary(model))
        model = model_without_summary(env, model);
    model = conformal_strip(env, model);
    return estimator->accept(env, classifier_output_any(model) ? classifier_output_strip(env, model) : model);
}

const char *model_check(Env *env, const void *value, size_t size)
{
    const char *error = check_content(env, value, size);
    const Model *model = value;

    if (error == NULL && model->fingerprint != 0 &&
        (model->fingerprint != model_fingerprint(env, model) ||
         model->schema_hash != model_schema_fingerprint(env, model)))
        return "the fingerprint is not that of the content";
    return error;
}

/* ---- models inside a model ---- */

/* Decodes one model; NULL if it is not the sound value of a method that may be kept. The others are not looked into. */
static const Model *decode(Env *env, const Nesting *nesting, const uint8_t *bytes, size_t length)
{
    const char *wrong;
    size_t at;
    Model *model = model_try_binary(env, bytes, length, &wrong, &at);
    const Estimator *estimator = model != NULL ? estimator_of(model) : NULL;

    if (estimator == NULL || conformal_any(model) || !nesting->allows(env, model) || model_check(env, model, model->size) != NULL ||
        model_accept(env, model) != NULL)
        return NULL;
    return model;
}

const char *nested_models_read(Env *env, const Model *model, const Nesting *nesting, const Model ***models, uint32_t *count)
{
    uint32_t total = 0;
    const uint8_t *bytes = model_u8(model, nesting->forms, &total);
    const int64_t *lengths = model_i64(model, nesting->lengths, count);
    uint64_t at = 0;

    if (*count == 0 || *count > nesting->most)
        return env_message(env, "the %s has %u %ss", nesting->owner, *count, nesting->part);
    *models = env_array(env, *count, sizeof(Model *));
    for (uint32_t i = 0; i < *count; i++) {
        if (lengths[i] <= 0 || (uint64_t)lengths[i] > total - at)
            return env_message(env, "the lengths of the %ss do not add up", nesting->part);
        (*models)[i] = decode(env, nesting, bytes + at, (size_t)lengths[i]);
        at += (uint64_t)lengths[i];
        if ((*models)[i] == NULL)
            return env_message(env, "%s %u is not a sound model", nesting->part, i + 1);
    }
    return at == total ? NULL : env_message(env, "the lengths of the %ss do not add up", nesting->part);
}

/* ---- values on their way out ---- */

static bool finite_entry(Env *env, const Model *model, const ModelEntry *entry)
{
    size_t count = (size_t)model_rows(model, entry) * entry->columns;

    if (entry->type == ARRAY_F64)
        return all_finite_polled(env, model_data(model, entry), count);
    for (size_t i = 0; entry->type == ARRAY_F32 && i < count; i++) {
        if (i % 65536 == 0)
            env->poll(env);
        if (!isfinite(model_number(model, entry, i)))
            return false;
    }
    return true;
}

/* Returns the first array of fractional numbers outside the schema that holds an infinity or a NaN, or NULL. */
static const ModelEntry *overflowed_array(Env *env, const Model *model)
{
    const ModelEntry *entry = model_entries(model);

    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        if (entry->section == SECTION_ARRAYS && !finite_entry(env, model, entry))
            return entry;
    return NULL;
}

Model *model_require_readable(Env *env, Model *model)
{
    const char *error = check_content(env, model, model->size);
    const ModelEntry *entry;

    if (error == NULL)
        return model;
    if (!isfinite(model->weight))
        env_fail(env, ERROR_RANGE, "Divide the weights by a power of ten.",
                 "the weights of %lld rows add up to more than double precision can hold", (long long)model->rows);
    entry = overflowed_array(env, model);
    if (entry != NULL)
        env_fail(env, ERROR_RANGE,
                 "Divide large features, targets or weights by a power of ten; multiply tiny ones by one.",
                 "array \"%s\" of %.31s exceeds the range of %s precision: %s", entry->name, model->estimator,
                 entry->type == ARRAY_F32 ? "single" : "double", error);
    env_fail(env, ERROR_INTERNAL, "Please report this, with the rows if possible.",
             "%.31s made a value that cannot be read again: %s", model->estimator, error);
}

Model *model_require_finite(Env *env, Model *model)
{
    /* some arrays may hold infinities: the whole check knows which */
    if (isfinite(model->weight) && overflowed_array(env, model) == NULL)
        return model;
    return model_require_readable(env, model);
}

/* ---- readers ---- */

/* Fails if a value that was read is not sound, or would fail at its first score. */
static Model *require_sound(Env *env, Model *model, ErrorCode code, const char *what)
{
    const char *error = model_check(env, model, model->size);

    if (error == NULL && model_has_summary(model))
        error = model_summary_check(env, model);
    if (error == NULL)
        error = model_accept(env, model);
    if (error != NULL)
        env_fail(env, code, NULL, "malformed %s: %s", what, error);
    return model;
}

Model *model_from_text(Env *env, const char *text, size_t length)
{
    return require_sound(env, model_parse_text(env, text, length), ERROR_TEXT, "model");
}

Model *model_from_binary(Env *env, const uint8_t *bytes, size_t length)
{
    return require_sound(env, model_parse_binary(env, bytes, length), ERROR_BINARY, "binary model");
}
