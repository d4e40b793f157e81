/*
 * json_text.c - the text of a jsonb value.
 */
#include "pg/type/json_text.h"
#include "pg/host/backend_env.h"
#include "core/base/json.h"

static void write_scalar(TextBuffer *out, const JsonbValue *value)
{
    char *number;

    switch (value->type) {
    case jbvNull:
        text_add(out, "null");
        break;
    case jbvBool:
        text_add(out, value->val.boolean ? "true" : "false");
        break;
    case jbvNumeric:
        number = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
        text_add(out, number);
        pfree(number); /* a document may have millions */
        break;
    case jbvString:
        json_quote(out, value->val.string.val, (size_t)value->val.string.len);
        break;
    default:
        elog(ERROR, "unexpected type of a jsonb value");
    }
}

char *json_text(Jsonb *json)
{
    TextBuffer out = {.env = host_env()};
    JsonbIterator *iterator = JsonbIteratorInit(&json->root);
    bool first = true, raw_scalar = false;
    JsonbIteratorToken token;
    JsonbValue value;

    while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE) {
        bool closes = token == WJB_END_ARRAY || token == WJB_END_OBJECT;

        if (!first && !closes && token != WJB_VALUE)
            text_add(&out, ", ");
        first = token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT;
        if (token == WJB_BEGIN_ARRAY && value.val.array.rawScalar)
            raw_scalar = true;
        else if (token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT)
            text_add(&out, token == WJB_BEGIN_ARRAY ? "[" : "{");
        else if (token == WJB_END_OBJECT)
            text_add(&out, "}");
        else if (token == WJB_END_ARRAY && !raw_scalar)
            text_add(&out, "]");
        else if (!closes)
            write_scalar(&out, &value);
        if (token == WJB_KEY) {
            text_add(&out, ": ");
            first = true;
        }
    }
    return text_finish(&out, NULL);
}
