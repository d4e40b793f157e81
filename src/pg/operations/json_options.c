/*
 * json_options.c - options of SQL functions as jsonb objects.
 */
#include "pg/operations/json_options.h"
#include "pg/type/json_text.h"
#include "core/options/options.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

void json_options_require_object(const Jsonb *options)
{
    if (!JB_ROOT_IS_OBJECT(options))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("options must be a JSON object"),
                        errhint("Write {\"name\": value, ...}.")));
}

void json_options_require_known(Jsonb *options, const char *function, const char *const *names, uint32 count, const char *more)
{
    StringInfoData list;
    JsonbIterator *iterator;
    JsonbIteratorToken token;
    JsonbValue value;

    json_options_require_object(options);
    initStringInfo(&list);
    for (uint32 i = 0; i < count; i++)
        appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    iterator = JsonbIteratorInit(&options->root);
    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
        const char *key = token == WJB_KEY ? pnstrdup(value.val.string.val, value.val.string.len) : NULL, *meant, *note;
        bool known = key == NULL;

        for (uint32 i = 0; i < count && !known; i++)
            known = strcmp(names[i], key) == 0;
        if (known)
            continue;
        meant = option_meant(key, strlen(key), names, count, &note);
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s has no option \"%s\"", function, key),
                        errhint("%sOptions are %s%s.", meant != NULL ? psprintf("Did you mean \"%s\"? ", meant) : "", list.data, more)));
    }
}

bool json_options_value(Jsonb *options, const char *key, JsonbValue *value)
{
    return getKeyJsonValueFromContainer(&options->root, key, (int)strlen(key), value) != NULL;
}

bool json_options_has(Jsonb *options, const char *key)
{
    JsonbValue value;

    return json_options_value(options, key, &value);
}

char *json_options_string_or_null(Jsonb *options, const char *key)
{
    JsonbValue value;

    if (!json_options_value(options, key, &value) || value.type != jbvString)
        return NULL;
    return pnstrdup(value.val.string.val, value.val.string.len);
}

char *json_options_string(Jsonb *options, const char *key)
{
    char *string = json_options_string_or_null(options, key);

    if (string == NULL && json_options_has(options, key))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"%s\" must be a string", key)));
    return string;
}

double json_options_number(Jsonb *options, const char *key, double fallback)
{
    JsonbValue value;

    if (!json_options_value(options, key, &value))
        return fallback;
    if (value.type != jbvNumeric)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"%s\" must be a number", key)));
    return DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(value.val.numeric)));
}

bool json_options_boolean(Jsonb *options, const char *key, bool fallback)
{
    JsonbValue value;

    if (!json_options_value(options, key, &value))
        return fallback;
    if (value.type != jbvBool)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"%s\" must be true or false", key)));
    return value.val.boolean;
}

Jsonb *json_options_without(Jsonb *options, const char *key)
{
    return DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options), CStringGetTextDatum(key)));
}

Jsonb *json_options_join(Jsonb *a, Jsonb *b)
{
    return DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(a), JsonbPGetDatum(b)));
}

Jsonb *json_options_parse(const char *json)
{
    return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
}

char *json_options_text(Jsonb *options)
{
    return json_text(options);
}

char *json_options_double(double number)
{
    if (isnan(number))
        return "null";
    if (isinf(number))
        return number < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    return float8out_internal(number);
}

void json_options_quote(StringInfo json, const char *before, const char *string)
{
    appendStringInfoString(json, before);
    escape_json(json, string);
}
