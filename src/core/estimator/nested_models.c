/*
 * nested_models.c - models kept inside another model.
 */
#include "core/estimator/conformal.h"
#include "core/estimator/nested_models.h"

void nested_models_add(Env *env, ModelBuilder *builder, const Nesting *nesting, const Model *const *models, uint32_t count)
{
    int64_t *lengths = env_array(env, (size_t)count + 1, sizeof(int64_t));
    uint8_t **forms = env_array(env, (size_t)count + 1, sizeof(uint8_t *)), *all;
    uint64_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        size_t length;

        forms[i] = model_to_binary(env, conformal_strip(env, models[i]), &length);
        lengths[i] = (int64_t)length;
        total += length;
    }
    if (total > MODEL_MAX_SIZE)
        env_fail(env, ERROR_LIMIT, "Join fewer or smaller models.", "the models of the %s have %llu bytes, more than %u",
                 nesting->owner, (unsigned long long)total, MODEL_MAX_SIZE);
    all = env_array_raw(env, (size_t)total, 1);
    total = 0;
    for (uint32_t i = 0; i < count; i++) {
        env_copy(env, all + total, forms[i], (size_t)lengths[i]);
        total += (uint64_t)lengths[i];
    }
    builder_i64(builder, SECTION_ARRAYS, nesting->lengths, lengths, count);
    builder_u8(builder, SECTION_ARRAYS, nesting->forms, all, (uint32_t)total);
}

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

bool nested_models_any(Env *env, const Model *model, const Nesting *nesting, bool (*is)(const char *estimator))
{
    const ModelEntry *forms = model_find(model, nesting->forms), *lengths = model_find(model, nesting->lengths);
    const uint8_t *bytes;
    const int64_t *length;
    uint64_t at = 0;

    if (forms == NULL || lengths == NULL || forms->type != ARRAY_U8 || lengths->type != ARRAY_I64 || lengths->rows > nesting->most)
        return true;
    bytes = model_data(model, forms);
    length = model_data(model, lengths);
    for (uint32_t i = 0; i < lengths->rows; i++) {
        const char *wrong;
        size_t place;
        const Model *kept;

        if (length[i] <= 0 || (uint64_t)length[i] > forms->rows - at)
            return true;
        kept = model_try_binary(env, bytes + at, (size_t)length[i], &wrong, &place);
        if (kept == NULL || is(kept->estimator))
            return true;
        at += (uint64_t)length[i];
    }
    return false;
}
