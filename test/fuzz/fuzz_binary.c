/*
 * fuzz_binary.c - the binary reader of models.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Env *env = fuzz_begin();
    uint8_t *bytes = env->alloc(env, size);
    Model *volatile model = NULL;

    memcpy(bytes, data, size);
    if (TRY(fuzz_host))
        model = model_from_binary(env, bytes, size);
    else
        FUZZ_ASSERT(fuzz_host->code == ERROR_BINARY || fuzz_host->code == ERROR_LIMIT,
                    "error %d: %s", (int)fuzz_host->code, fuzz_host->message);
    if (model != NULL)
        fuzz_exercise(env, model);
    return 0;
}
