/*
 * fuzz_exchange.h - a reader of documents of another program, and the writers for what it accepts.
 */
#include "core/exchange/exchange.h"
#include "core/exchange/onnx.h"
#include "core/exchange/pmml.h"
#include "core/exchange/python.h"
#include "core/exchange/xgboost.h"
#include "fuzz.h"

/* Writes the model as a document, or says what the format lacks. */
static void write_again(Env *env, const Model *model, const ExportFormat *format)
{
    TextBuffer out = {.env = env};

    if (TRY(fuzz_host))
        format->write(env, model, &out);
    else
        FUZZ_ASSERT(fuzz_host->code == ERROR_KIND || fuzz_host->code == ERROR_LIMIT, "%s: error %d: %s", format->name, (int)fuzz_host->code,
                    fuzz_host->message);
    TRY_END(fuzz_host);
}

/* Reads a document by options of import_model, and does with the model all that a server does. */
static void fuzz_import(const char *format, const char *options, const uint8_t *data, size_t size)
{
    Env *env = fuzz_begin();
    uint8_t *bytes = env->alloc(env, size);
    Model *volatile model = NULL;

    memcpy(bytes, data, size);
    if (TRY(fuzz_host)) {
        ImportNames names = import_names(env, options, strlen(options));

        model = model_import(env, bytes, size, format, &names);
    } else {
        FUZZ_ASSERT(fuzz_host->code == ERROR_DATA || fuzz_host->code == ERROR_LIMIT || fuzz_host->code == ERROR_PARAMETER, "error %d: %s",
                    (int)fuzz_host->code, fuzz_host->message);
    }
    TRY_END(fuzz_host);
    if (model == NULL)
        return;
    write_again(env, model, &export_onnx);
    write_again(env, model, &export_pmml);
    write_again(env, model, &export_python);
    write_again(env, model, &export_xgboost);
    fuzz_exercise(env, model);
}
