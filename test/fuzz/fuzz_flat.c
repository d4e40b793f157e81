/*
 * fuzz_flat.c - stored values: raw bytes that model_check lets through or not.
 *
 * As they come almost all bytes fail the fingerprint, so they are tried a second time with the magic, the
 * size and no fingerprint put in, as a running state has them.
 */
#include "fuzz.h"
#include "core/drift/feature_summary.h"

static void try_value(Env *env, const uint8_t *data, size_t size, bool mended)
{
    Model *value = env->alloc(env, size);
    const char *volatile error = "a member";

    memcpy(value, data, size);
    if (mended) {
        value->magic = MODEL_MAGIC;
        value->size = (uint32_t)size;
        value->fingerprint = 0;
    }
    if (TRY(fuzz_host)) {
        error = model_check(env, value, size);
        if (error == NULL && model_has_summary(value)) /* the readers check it once, scores never read it */
            error = model_summary_check(env, value);
    } else { /* members of an ensemble are binary */
        FUZZ_ASSERT(fuzz_host->code == ERROR_BINARY, "error %d: %s", (int)fuzz_host->code, fuzz_host->message);
    }
    TRY_END(fuzz_host);
    if (error == NULL)
        fuzz_exercise(env, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Env *env = fuzz_begin();

    try_value(env, data, size, false);
    if (size >= sizeof(Model))
        try_value(env, data, size & ~(size_t)7, true);
    return 0;
}
