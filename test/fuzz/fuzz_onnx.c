/*
 * fuzz_onnx.c - the reader of ONNX documents, and the writer for what it accepts.
 */
#include "core/exchange/onnx.h"
#include "fuzz.h"

/* Writes the model again as a document, or says what ONNX lacks. */
static void write_again(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};

    if (TRY(fuzz_host))
        export_onnx.write(env, model, &out);
    else
        FUZZ_ASSERT(fuzz_host->code == ERROR_KIND || fuzz_host->code == ERROR_LIMIT, "export: error %d: %s", (int)fuzz_host->code, fuzz_host->message);
    TRY_END(fuzz_host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ImportNames names = {0};
    Env *env = fuzz_begin();
    uint8_t *bytes = env->alloc(env, size);
    Model *volatile model = NULL;

    memcpy(bytes, data, size);
    if (TRY(fuzz_host))
        model = model_import(env, bytes, size, "onnx", &names);
    else
        FUZZ_ASSERT(fuzz_host->code == ERROR_DATA || fuzz_host->code == ERROR_LIMIT || fuzz_host->code == ERROR_PARAMETER, "error %d: %s",
                    (int)fuzz_host->code, fuzz_host->message);
    if (model != NULL) {
        write_again(env, model);
        fuzz_exercise(env, model);
    }
    return 0;
}
