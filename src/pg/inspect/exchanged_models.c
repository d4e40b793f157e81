/*
 * exchanged_models.c - models from documents of other programs, and documents of models.
 */
#include "pg/host/backend_env.h"
#include "pg/host/xml_reader.h"
#include "pg/type/json_text.h"
#include "core/exchange/exchange.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

/* Returns the model of a document, by the format and the options in arguments 1 and 2, which may be NULL. */
static Model *import_document(FunctionCallInfo fcinfo, const char *bytes, size_t length)
{
    Env env = *host_env();
    const char *format = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
    const char *options = PG_ARGISNULL(2) ? "" : json_text(PG_GETARG_JSONB_P(2));
    ImportNames names = import_names(host_env(), options, strlen(options));

    env.read_xml = get_fn_expr_argtype(fcinfo->flinfo, 0) == BYTEAOID ? xml_read_bytes : xml_read_text;
    return model_import(&env, (const uint8_t *)bytes, length, format, &names);
}

/* import_model(document jsonb, format, options) */
PG_FUNCTION_INFO_V1(pgfit_import_jsonb);
PGDLLEXPORT Datum pgfit_import_jsonb(PG_FUNCTION_ARGS)
{
    Jsonb *json;
    char *text;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    json = PG_GETARG_JSONB_P(0);
    text = json_text(json);
    PG_FREE_IF_COPY(json, 0);
    PG_RETURN_MODEL(import_document(fcinfo, text, strlen(text)));
}

/* import_model(document text or bytea, format, options) */
PG_FUNCTION_INFO_V1(pgfit_import_bytes);
PGDLLEXPORT Datum pgfit_import_bytes(PG_FUNCTION_ARGS)
{
    struct varlena *document;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    document = PG_GETARG_VARLENA_PP(0);
    PG_RETURN_MODEL(import_document(fcinfo, VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document)));
}

/* export_model(model, format) */
PG_FUNCTION_INFO_V1(pgfit_export_model);
PGDLLEXPORT Datum pgfit_export_model(PG_FUNCTION_ARGS)
{
    size_t length;
    char *document = model_export(host_env(), PG_GETARG_SOUND_MODEL(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), false, &length);

    PG_RETURN_TEXT_P(cstring_to_text_with_len(document, (int)length));
}

/* export_onnx(model) */
PG_FUNCTION_INFO_V1(pgfit_export_onnx);
PGDLLEXPORT Datum pgfit_export_onnx(PG_FUNCTION_ARGS)
{
    size_t length;
    char *document = model_export(host_env(), PG_GETARG_SOUND_MODEL(0), "onnx", true, &length);

    PG_RETURN_BYTEA_P(cstring_to_text_with_len(document, (int)length));
}
