/*
 * fuzz_text.c - the JSON reader of models.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Env *env = fuzz_begin();
    char *text = env->alloc(env, size);
    Model *volatile model = NULL;

    memcpy(text, data, size);
    env->foreign_text = size > 0 && data[0] == ' '; /* a server that is not UTF-8 */
    if (TRY(fuzz_host))
        model = model_from_text(env, text, size);
    else /* members of an ensemble are binary */
        FUZZ_ASSERT(fuzz_host->code == ERROR_TEXT || fuzz_host->code == ERROR_BINARY || fuzz_host->code == ERROR_LIMIT,
                    "error %d: %s", (int)fuzz_host->code, fuzz_host->message);
    if (model != NULL)
        fuzz_exercise(env, model);
    return 0;
}
