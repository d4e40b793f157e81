/*
 * nested_models.c - models kept inside another model. value_check.c reads them.
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

        forms[i] = model_to_binary(env, conformal_strip(env, models[i]), 0, &length);
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
