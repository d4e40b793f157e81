/*
 * json_options.c - options of SQL functions as jsonb objects.
 */
#include "pg/type/json_options.h"
#include "pg/type/json_text.h"
#include "core/options/options.h"

#include <math.h>

#include "utils/float.h"
#include "utils/json.h"

void require_arguments(FunctionCallInfo fcinfo, const char *function, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (names[i] != NULL && PG_ARGISNULL(i))
            ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument %s of %s is null", names[i], function)));
}

void json_options_require_object(const Jsonb *options)
{
    if (!JB_ROOT_IS_OBJECT(options))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("options must be a JSON object"),
                        errhint("Write {\"name\": value, ...}.")));
}

static bool is_among(const char *name, const char *const *names, uint32 count)
{
    for (uint32 i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

Jsonb *json_options_renamed(Jsonb *options, const char *function, const char *const *names, uint32 count)
{
    static const char *const earlier[][2] = {{"clip", "min_probability"}, {"hold_out", "test_folds"}, {"metric", "metrics"}, {"name", "store"}};
    JsonbValue value;

    json_options_require_object(options);
    for (size_t i = 0; i < lengthof(earlier); i++) {
        const char *old = earlier[i][0], *now = earlier[i][1];

        if (is_among(old, names, count) || !is_among(now, names, count) || !json_options_value(options, old, &value))
            continue;
        if (json_options_has(options, now))
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"%s\" of %s is given twice", now, function), errhint("Give it once.")));
        ereport(NOTICE, (errmsg("option \"%s\" of %s is now called \"%s\"", old, function, now)));
        options = json_options_join(json_options_without(options, old),
                                    json_options_parse(psprintf("{\"%s\": %s}", now, json_options_text(JsonbValueToJsonb(&value)))));
    }
    return options;
}

Jsonb *json_options_known(Jsonb *options, const char *function, const char *const *names, uint32 count, const char *more)
{
    StringInfoData list;
    JsonbIterator *iterator;
    JsonbIteratorToken token;
    JsonbValue value;

    options = json_options_renamed(options, function, names, count);
    initStringInfo(&list);
    for (uint32 i = 0; i < count; i++)
        appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    iterator = JsonbIteratorInit(&options->root);
    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
        const char *key = token == WJB_KEY ? pnstrdup(value.val.string.val, value.val.string.len) : NULL, *meant, *note;

        if (key == NULL || is_among(key, names, count))
            continue;
        meant = option_meant(key, strlen(key), names, count, &note);
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s has no option \"%s\"", function, key),
                        errhint("%sOptions are %s%s.", meant != NULL ? psprintf("Did you mean \"%s\"? ", meant) : "", list.data, more)));
    }
    return options;
}

void json_options_fail(const char *name, const char *problem, const char *hint)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"%s\" %s", name, problem), hint != NULL ? errhint("%s", hint) : 0));
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
        json_options_fail(key, "must be a string", NULL);
    return string;
}

int json_options_choice(Jsonb *options, const char *key, const char *const *names)
{
    const char *given = json_options_string(options, key);
    StringInfoData list;

    initStringInfo(&list);
    for (int i = 0; given != NULL && names[i] != NULL; i++) {
        if (strcmp(names[i], given) == 0)
            return i;
        appendStringInfo(&list, "%s\"%s\"", i == 0 ? "" : names[i + 1] != NULL ? ", " : " or ", names[i]);
    }
    if (given != NULL)
        json_options_fail(key, psprintf("cannot be \"%s\"", given), psprintf("It is %s.", list.data));
    return 0;
}

double json_options_number(Jsonb *options, const char *key, double fallback)
{
    JsonbValue value;

    if (!json_options_value(options, key, &value))
        return fallback;
    if (value.type != jbvNumeric)
        json_options_fail(key, "must be a number", NULL);
    return DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(value.val.numeric)));
}

int json_options_whole(Jsonb *options, const char *key, int fallback, int minimum, int maximum)
{
    double number = json_options_number(options, key, fallback);

    if (!(number >= minimum && number <= maximum) || number != floor(number))
        json_options_fail(key, psprintf("must be a whole number from %d to %d, not %s", minimum, maximum, json_options_double(number)), NULL);
    return (int)number;
}

bool json_options_boolean(Jsonb *options, const char *key, bool fallback)
{
    JsonbValue value;

    if (!json_options_value(options, key, &value))
        return fallback;
    if (value.type != jbvBool)
        json_options_fail(key, "must be true or false", NULL);
    return value.val.boolean;
}

Jsonb *json_options_without(Jsonb *options, const char *key)
{
    return DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options), CStringGetTextDatum(key)));
}

Jsonb *json_options_rest(Jsonb *options, const char *const *names, uint32 count)
{
    JsonbValue value;
    Jsonb *nested = NULL;

    if (json_options_value(options, "options", &value)) {
        nested = JsonbValueToJsonb(&value);
        json_options_require_object(nested);
    }
    for (uint32 i = 0; i < count; i++)
        options = json_options_without(options, names[i]);
    return nested != NULL ? json_options_add(options, nested) : options;
}

Jsonb *json_options_add(Jsonb *a, Jsonb *b)
{
    JsonbIterator *iterator = JsonbIteratorInit(&b->root);
    JsonbIteratorToken token;
    JsonbValue key;

    while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
        if (token == WJB_KEY && json_options_has(a, pnstrdup(key.val.string.val, key.val.string.len)))
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"%.*s\" is given twice", key.val.string.len, key.val.string.val), errhint("Give it once.")));
    return json_options_join(a, b);
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
