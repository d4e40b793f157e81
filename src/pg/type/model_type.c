/*
 * model_type.c - the type pgfit.model: text, binary and jsonb forms, equality, order and hash by content.
 */
#include "pg/host/backend_env.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

Oid model_type_oid(void)
{
    return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("model"), ObjectIdGetDatum(get_namespace_oid("pgfit", false)));
}

PG_FUNCTION_INFO_V1(pgfit_model_in);
PGDLLEXPORT Datum pgfit_model_in(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);

    /* as in pgfit.model('churn'), which PostgreSQL takes as a cast */
    if (isalpha((unsigned char)text[0]))
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("malformed model: expected an object at byte 1"),
                        errhint("A model of the registry is pgfit.get_model('name').")));
    PG_RETURN_MODEL(model_from_text(host_env(), text, strlen(text)));
}

PG_FUNCTION_INFO_V1(pgfit_model_out);
PGDLLEXPORT Datum pgfit_model_out(PG_FUNCTION_ARGS)
{
    size_t length;

    PG_RETURN_CSTRING(model_to_text(host_env(), PG_GETARG_MODEL(0), &length));
}

/* Checks the strings of a model in a database whose encoding is not UTF-8; the core checks UTF-8. */
static void verify_encoding(const Model *model)
{
    const ModelEntry *entry = model_entries(model);

    for (uint32 i = 0; i < model->entry_count; i++, entry++) {
        if (entry->type != ARRAY_TEXT)
            continue;
        for (uint32 k = 0; k < entry->rows; k++) {
            uint32_t length;
            const char *string = model_text(model, entry, k, &length);

            pg_verifymbstr(string, (int)length, false);
        }
    }
}

PG_FUNCTION_INFO_V1(pgfit_model_recv);
PGDLLEXPORT Datum pgfit_model_recv(PG_FUNCTION_ARGS)
{
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int length = message->len - message->cursor;
    const uint8_t *bytes = (const uint8_t *)pq_getmsgbytes(message, length);
    Env *env = host_env();
    Model *model = model_from_binary(env, bytes, (size_t)length);

    if (env->foreign_text)
        verify_encoding(model);
    PG_RETURN_MODEL(model);
}

PG_FUNCTION_INFO_V1(pgfit_model_send);
PGDLLEXPORT Datum pgfit_model_send(PG_FUNCTION_ARGS)
{
    size_t length;
    bytea *result = (bytea *)model_to_binary(host_env(), PG_GETARG_MODEL(0), VARHDRSZ, &length);

    if (length > MaxAllocSize - VARHDRSZ)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the binary form of the model takes %zu bytes, and at most %zu fit in a bytea",
                                                                        length, (size_t)(MaxAllocSize - VARHDRSZ))));
    SET_VARSIZE(result, length + VARHDRSZ);
    PG_RETURN_BYTEA_P(result);
}

/* ---- casts ---- */

PG_FUNCTION_INFO_V1(pgfit_model_to_jsonb);
PGDLLEXPORT Datum pgfit_model_to_jsonb(PG_FUNCTION_ARGS)
{
    size_t length;
    char *text = model_to_text(host_env(), PG_GETARG_MODEL(0), &length);
    Datum result = DirectFunctionCall1(jsonb_in, CStringGetDatum(text));

    pfree(text);
    PG_RETURN_DATUM(result);
}

PG_FUNCTION_INFO_V1(pgfit_model_from_jsonb);
PGDLLEXPORT Datum pgfit_model_from_jsonb(PG_FUNCTION_ARGS)
{
    char *text = DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(0)));
    Model *model = model_from_text(host_env(), text, strlen(text));

    pfree(text);
    PG_RETURN_MODEL(model);
}

/* ---- comparison ---- */

/* Frees what detoasting copied: index builds compare many values in one memory context. */
static void free_copy(FunctionCallInfo fcinfo, int argument, const Model *model)
{
    if ((const void *)model != (const void *)PG_GETARG_POINTER(argument))
        pfree((void *)model);
}

static int compare_arguments(FunctionCallInfo fcinfo)
{
    const Model *a = PG_GETARG_MODEL(0);
    const Model *b = PG_GETARG_MODEL(1);
    int order = model_compare(a, b);

    free_copy(fcinfo, 0, a);
    free_copy(fcinfo, 1, b);
    return order;
}

PG_FUNCTION_INFO_V1(pgfit_model_eq);
PGDLLEXPORT Datum pgfit_model_eq(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(compare_arguments(fcinfo) == 0);
}

PG_FUNCTION_INFO_V1(pgfit_model_ne);
PGDLLEXPORT Datum pgfit_model_ne(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(compare_arguments(fcinfo) != 0);
}

PG_FUNCTION_INFO_V1(pgfit_model_lt);
PGDLLEXPORT Datum pgfit_model_lt(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}

PG_FUNCTION_INFO_V1(pgfit_model_le);
PGDLLEXPORT Datum pgfit_model_le(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}

PG_FUNCTION_INFO_V1(pgfit_model_gt);
PGDLLEXPORT Datum pgfit_model_gt(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}

PG_FUNCTION_INFO_V1(pgfit_model_ge);
PGDLLEXPORT Datum pgfit_model_ge(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

PG_FUNCTION_INFO_V1(pgfit_model_cmp);
PGDLLEXPORT Datum pgfit_model_cmp(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT32(compare_arguments(fcinfo));
}

/* Hashes the content of argument 0, not the fingerprint stored in its header. */
static uint64 hash_argument(FunctionCallInfo fcinfo, uint64 seed)
{
    const Model *model = PG_GETARG_MODEL(0);
    uint64 hash = model_seeded_hash(host_env(), model, seed);

    free_copy(fcinfo, 0, model);
    return hash;
}

PG_FUNCTION_INFO_V1(pgfit_model_hash);
PGDLLEXPORT Datum pgfit_model_hash(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT32((int32)(hash_argument(fcinfo, 0) & 0xFFFFFFFF));
}

/* With seed 0 the low half equals model_hash, as hash partitioning requires. */
PG_FUNCTION_INFO_V1(pgfit_model_hash_extended);
PGDLLEXPORT Datum pgfit_model_hash_extended(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT64((int64)hash_argument(fcinfo, (uint64)PG_GETARG_INT64(1)));
}
