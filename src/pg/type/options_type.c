/*
 * options_type.c - the type pgfit.call_options: a JSON object, stored as jsonb is. As text it is the object or a formula, which becomes {"formula": ...}.
 *
 * A cast from jsonb needs no function, so whoever reads options checks that they are an object (options_parse does).
 */
#include "pg/host/backend_env.h"
#include "pg/type/json_text.h"
#include "core/base/json.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/syscache.h"

Oid options_type_oid(void)
{
    return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("call_options"), ObjectIdGetDatum(get_namespace_oid("pgfit", false)));
}

/* Fails unless the text is a JSON object that says nothing twice; jsonb would keep the last. */
static void require_object(const char *text)
{
    const Json *root = json_parse(host_env(), text, strlen(text), ERROR_PARAMETER, "options");

    if (root->type != JSON_OBJECT)
        env_fail(host_env(), ERROR_PARAMETER, "Write {\"name\": value, ...}.", "options must be a JSON object, not an array");
}

static Datum options_of_text(const char *text)
{
    TextBuffer out = {.env = host_env()};
    char begin = text[strspn(text, " \t\r\n")];

    if (begin == '{' || begin == '[') { /* an array is not a formula either */
        require_object(text);
        return DirectFunctionCall1(jsonb_in, CStringGetDatum(text));
    }
    text_add(&out, "{\"formula\": ");
    json_quote(&out, text, strlen(text));
    text_add(&out, "}");
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(text_finish(&out, NULL)));
}

PG_FUNCTION_INFO_V1(pgfit_options_in);
PGDLLEXPORT Datum pgfit_options_in(PG_FUNCTION_ARGS)
{
    return options_of_text(PG_GETARG_CSTRING(0));
}

PG_FUNCTION_INFO_V1(pgfit_options_recv);
PGDLLEXPORT Datum pgfit_options_recv(PG_FUNCTION_ARGS)
{
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int length;

    return options_of_text(pq_getmsgtext(message, message->len - message->cursor, &length));
}

PG_FUNCTION_INFO_V1(pgfit_options_send);
PGDLLEXPORT Datum pgfit_options_send(PG_FUNCTION_ARGS)
{
    char *text = json_text(PG_GETARG_JSONB_P(0));
    StringInfoData message;

    pq_begintypsend(&message);
    pq_sendtext(&message, text, (int)strlen(text));
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* The text that a call site read last, and its options. */
typedef struct TextSite {
    text *read; /* NULL: none */
    Jsonb *options;
} TextSite;

/* Reads the text of each row, which is mostly that of the row before: a parameter, or format() of constants. */
PG_FUNCTION_INFO_V1(pgfit_options_from_text);
PGDLLEXPORT Datum pgfit_options_from_text(PG_FUNCTION_ARGS)
{
    text *argument = PG_GETARG_TEXT_PP(0);
    TextSite *site = fcinfo->flinfo->fn_extra;
    MemoryContext caller;

    if (site == NULL)
        site = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(TextSite));
    if (site->read == NULL || VARSIZE_ANY(site->read) != VARSIZE_ANY(argument) || memcmp(site->read, argument, VARSIZE_ANY(argument)) != 0) {
        Datum options = options_of_text(text_to_cstring(argument));

        if (site->read != NULL) {
            pfree(site->read);
            pfree(site->options);
            site->read = NULL;
        }
        caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
        site->options = DatumGetJsonbPCopy(options);
        site->read = palloc(VARSIZE_ANY(argument));
        memcpy(site->read, argument, VARSIZE_ANY(argument));
        MemoryContextSwitchTo(caller);
    }
    return PointerGetDatum(DatumGetJsonbPCopy(JsonbPGetDatum(site->options)));
}
