/*
 * test_json.c - the reader of JSON takes what RFC 8259 has and nothing else, and what the writer writes reads back the same.
 */
#include "check.h"

#include "core/base/json.h"

#include <stdlib.h>

static const Json *parse(Host *host, const char *text, const char **message)
{
    *message = NULL;
    return json_try_parse(&host->env, text, strlen(text), message);
}

/* Refused texts, with the message and the place of the first error. */
static void test_refused(Host *host)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "expected a value at byte 1"},
        {" \t\r\n", "expected a value at byte 5"},
        {"x", "expected a value at byte 1"},
        {"-", "expected a value at byte 1"},
        {"+1", "expected a value at byte 1"},
        {"01", "unexpected text after the end at byte 2"},
        {"-01", "unexpected text after the end at byte 3"},
        {"1.", "missing digits in a number at byte 1"},
        {" 1.e5", "missing digits in a number at byte 2"},
        {"1e", "missing digits in a number at byte 1"},
        {"1e+", "missing digits in a number at byte 1"},
        {"1E-x", "missing digits in a number at byte 1"},
        {"tru", "an unknown word at byte 1"},
        {"nulk", "an unknown word at byte 1"},
        {"falsey", "unexpected text after the end at byte 6"},
        {"[1,]", "expected a value at byte 4"},
        {"[1 2]", "expected a comma or ] at byte 4"},
        {"[1", "expected a comma or ] at byte 3"},
        {"[", "expected a value at byte 2"},
        {"{", "expected a quoted key at byte 2"},
        {"{\"a\"", "expected a colon at byte 5"},
        {"{\"a\" 1}", "expected a colon at byte 6"},
        {"{\"a\":1", "expected a comma or } at byte 7"},
        {"{\"a\":1,}", "expected a quoted key at byte 8"},
        {"{\"a\":1]", "expected a comma or } at byte 7"},
        {"{a:1}", "expected a quoted key at byte 2"},
        {"{\"b\":1,\"a\":2,\"b\":3}", "a duplicate key at byte 14"},
        {"{\"a\":1,\"\\u0061\":2}", "a duplicate key at byte 8"},
        {"\"", "unterminated string at byte 1"},
        {"\"a", "unterminated string at byte 1"},
        {"\"\\", "unterminated string at byte 1"},
        {"\"\\\"", "unterminated string at byte 1"},
        {"\"a\tb\"", "a control character inside a string at byte 3"},
        {"\"\x1f\"", "a control character inside a string at byte 2"},
        {"\"\\x\"", "unknown escape at byte 3"},
        {"\"\\u12\"", "\\u needs four hexadecimal digits at byte 4"},
        {"\"\\u12g4\"", "\\u needs four hexadecimal digits at byte 4"},
        {"\"\\u12:4\"", "\\u needs four hexadecimal digits at byte 4"},
        {"\"\\u12/4\"", "\\u needs four hexadecimal digits at byte 4"},
        {"\"\\u0000\"", "\\u0000 is not text at byte 3"},
        {"\"\\udc00\"", "a low surrogate without a high one at byte 3"},
        {"\"\\udfff\"", "a low surrogate without a high one at byte 3"},
        {"\"\\ud800\"", "a high surrogate without a low one at byte 3"},
        {"\"\\ud800\\n\"", "a high surrogate without a low one at byte 3"},
        {"\"\\udbffxudc00\"", "a high surrogate without a low one at byte 3"},
        {"\"\\ud800\\ud800\"", "a high surrogate without a low one at byte 3"},
        {"\"\\ud800\\ue000\"", "a high surrogate without a low one at byte 3"},
        {"\"\\ud800\\udg00\"", "\\u needs four hexadecimal digits at byte 10"},
        {"\"\x80\"", "bytes that are not UTF-8 at byte 2"},
        {"\"\xc3\"", "bytes that are not UTF-8 at byte 2"},
        {"\"\xed\xa0\x80\"", "bytes that are not UTF-8 at byte 2"},
    };

    const char *message;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(parse(host, cases[i].text, &message) == NULL);
        CHECK_TEXT(message, cases[i].message);
    }
    CHECK(json_try_parse(&host->env, "\"\\\0\"", 4, &message) == NULL);
    CHECK_TEXT(message, "unknown escape at byte 3");
    CHECK(json_try_parse(&host->env, "", (size_t)UINT32_MAX + 1, &message) == NULL);
    CHECK_TEXT(message, "the text is too long");
    CHECK_FAILS(host, ERROR_PARAMETER, "malformed options: expected a value at byte 1", json_parse(&host->env, "", 0, ERROR_PARAMETER, "options"));
    host_reset(host);
}

/* As many levels as JSON_MAX_DEPTH, and one more. */
static void test_depth(Host *host)
{
    char text[2 * (JSON_MAX_DEPTH + 1) + 1] = "";
    const char *message;

    for (size_t depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = '\0';
        CHECK((parse(host, text, &message) != NULL) == (depth == JSON_MAX_DEPTH));
    }
    CHECK_TEXT(message, "too many levels at byte 65");
    host_reset(host);
}

/* What escapes mean, one of each length in UTF-8 and the first and last of each. */
static void test_strings(Host *host)
{
    static const struct {
        const char *text, *meaning;
    } cases[] = {
        {"\"\"", ""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"a\\u0001\\u007fb\"", "a\x01\x7f" "b"},
        {"\"\\u0080\\u00e9\\u07ff\"", "\xc2\x80\xc3\xa9\xdf\xbf"},
        {"\"\\u0800\\u20AC\\ud7ff\\ue000\\uFFFF\"", "\xe0\xa0\x80\xe2\x82\xac\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"},
        {"\"\\ud800\\udc00\\ud83d\\ude00\\udbff\\udfff\"", "\xf0\x90\x80\x80\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"},
        {"\"caf\u00e9 \u20ac \U0001f600\"", "caf\u00e9 \u20ac \U0001f600"},
    };
    const char *message;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Json *string = parse(host, cases[i].text, &message);

        if (!CHECK(string != NULL))
            continue;
        CHECK_TEXT(json_string(&host->env, string), cases[i].meaning);
        CHECK_INT(string->length, strlen(cases[i].meaning));
        CHECK(json_is(string, cases[i].meaning) && !json_is(string, "other"));
    }
    host_reset(host);
}

/* In a database that is not UTF-8, other bytes are text, and escapes above ASCII have no meaning. */
static void test_foreign_text(Host *host)
{
    const char *message;

    host->env.foreign_text = true;
    CHECK(parse(host, "\"caf\xe9\"", &message) != NULL);
    CHECK(parse(host, "\"\\u007f\"", &message) != NULL);
    CHECK(parse(host, "\"\\u0080\"", &message) == NULL);
    CHECK_HOLDS(message, "not UTF-8 at byte 3");
    CHECK(text_is_valid(&host->env, "\xe9", 1) && !text_is_valid(&host->env, "a\0b", 3));
    host->env.foreign_text = false;
    CHECK(!text_is_valid(&host->env, "\xe9", 1) && !text_is_valid(&host->env, "a\0b", 3));
    CHECK(text_is_valid(&host->env, "caf\u00e9", 5) && !text_is_valid(&host->env, "caf\u00e9", 4));
    host_reset(host);
}

/* Members are found by name, in the order of the text, behind values of any size. */
static void test_members(Host *host)
{
    static const char *const names[] = {"a", "bc", "", "d"};
    static const char *const types[] = {"array", "object", "null", "boolean"};
    const char *message;
    const Json *root = parse(host, " {\"a\" : [1, [2, 3], {\"d\": 4}] , \"bc\":{\"x\":{}},\"\":null,\"d\":true } ", &message), *key, *child;
    uint32_t count = 0;

    if (!CHECK(root != NULL))
        return;
    CHECK_TEXT(json_type_name(root), "object");
    for (key = json_first(root); key != NULL && count < 4; key = json_next(root, key), count++) {
        CHECK(json_is(key, names[count]));
        CHECK_TEXT(json_type_name(json_value(key)), types[count]);
        CHECK(json_get(root, names[count]) == json_value(key));
    }
    CHECK(count == 4 && key == NULL && root->length == 4);
    CHECK(json_get(root, "b") == NULL && json_get(root, "x") == NULL);
    CHECK_INT(json_get(root, "d")->position, 58);
    child = json_first(json_get(root, "a"));
    CHECK_TEXT(json_type_name(child), "number");
    child = json_next(json_get(root, "a"), child);
    CHECK_INT(child->length, 2);
    child = json_next(json_get(root, "a"), child);
    CHECK_TEXT(json_type_name(child), "object");
    CHECK(json_next(json_get(root, "a"), child) == NULL);
    CHECK(json_first(json_get(json_get(root, "bc"), "x")) == NULL);
    CHECK_TEXT(json_type_name(parse(host, "false", &message)), "boolean");
    CHECK_TEXT(json_type_name(parse(host, "\"\"", &message)), "string");
    CHECK(!json_is(parse(host, "1", &message), "1"));
    host_reset(host);
}

/* Integers to the last one of 64 bits, also written as 1.0 or 1e3 as far as a double is exact. */
static void test_integers(Host *host)
{
    static const struct {
        const char *text;
        bool fits;
        int64_t value;
    } cases[] = {
        {"0", true, 0},          {"-0", true, 0},          {"-0.0", true, 0},
        {"1.0", true, 1},        {"-1e3", true, -1000},    {"12e-1", false, 0},
        {"0.5", false, 0},       {"1e400", false, 0},      {"9007199254740992.0", true, INT64_C(9007199254740992)},
        {"9007199254740994.0", false, 0},                  {"-9007199254740992e0", true, -INT64_C(9007199254740992)},
        {"9223372036854775807", true, INT64_MAX},          {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},         {"-9223372036854775809", false, 0},
        {"92233720368547758070", false, 0},                {"18446744073709551617", false, 0},
        {"1.00000000000000000000000000000000000000000000000000000000000", true, 1},  /* 61 bytes */
        {"1.0000000000000000000000000000000000000000000000000000000000000", true, 1}, /* 63 bytes */
        {"1.00000000000000000000000000000000000000000000000000000000000000", false, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *message;
        const Json *number = parse(host, cases[i].text, &message);
        int64_t value = 77;

        if (!CHECK(number != NULL))
            continue;
        check_that(json_integer(number, &value) == cases[i].fits, __FILE__, __LINE__, "%s", cases[i].text);
        CHECK_INT(value, cases[i].fits ? cases[i].value : 77);
    }
    host_reset(host);
}

/* Numbers are the nearest double, however many digits they have, and read back the same from the shortest decimal. */
static void test_numbers(Host *host)
{
    static const double numbers[] = {0, 1, -1, 0.1, -2.5, 1.0 / 3, 1e15, 999999999999999, -999999999999999, 1e15 + 2, 123456.789, 5e-324, 2.2250738585072014e-308,
                                     1.7976931348623157e308, 9007199254740993e3, 0.30000000000000004, 1e22, 1e23, -1e-7};
    static const struct {
        double number;
        const char *text;
    } written[] = {{-0.0, "-0"}, {0.0, "0"}, {0.1, "0.1"}, {1e15, "1e+15"}, {999999999999999, "999999999999999"}, {-3, "-3"}, {0.30000000000000004, "0.30000000000000004"}};
    const char *message;
    char digits[200] = "0.";

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        TextBuffer text = {.env = &host->env};

        json_double(&text, numbers[i]);
        CHECK(json_number(&host->env, parse(host, text_finish(&text, NULL), &message)) == numbers[i]);
    }
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        TextBuffer text = {.env = &host->env};

        json_double(&text, written[i].number);
        CHECK_TEXT(text_finish(&text, NULL), written[i].text);
    }
    for (size_t length = 60; length <= 70; length++) { /* about the room that most numbers are read in */
        memset(digits + 2, '3', length);
        digits[length + 2] = '\0';
        CHECK(json_number(&host->env, parse(host, digits, &message)) == 1.0 / 3);
    }
    CHECK(isinf(json_number(&host->env, parse(host, "1e999", &message))));
    host_reset(host);
}

/* Equal values have one canonical text, which is its own. */
static void test_canonical(Host *host)
{
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {" { \"b\" : [ 1.0 , 1e17 , -0 , 0.50 , 9e18 ] , \"a\" : { } , \"ab\" : [ ] } ",
         "{\"a\":{},\"ab\":[],\"b\":[1,100000000000000000,0,0.5,9000000000000000000]}"},
        {"[9.5e18, -1e30, 1e-5, true, false, null]", "[9.5e+18,-1e+30,1e-05,true,false,null]"},
        {"\"\\u0041\\n\\t\\r\\\"\\\\\\/\\u001f\"", "\"A\\n\\t\\u000d\\\"\\\\/\\u001f\""},
    };
    static const char *const equal[][2] = {/* jsonb writes the second of the first */
        {"9e18", "9000000000000000000"},
        {"9223372036854774784.0", "9223372036854774784"},
        {"-9223372036854775808.0", "-9223372036854775808"},
        {"1e19", "10000000000000000000"},
        {"-1e19", "-10000000000000000000"},
        {"1.50", "1.5"},
    };
    const char *message;
    TextBuffer refused = {.env = &host->env};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TextBuffer once = {.env = &host->env}, twice = {.env = &host->env};

        CHECK(json_canonical(&once, parse(host, cases[i].text, &message)));
        CHECK_TEXT(text_finish(&once, NULL), cases[i].canonical);
        CHECK(json_canonical(&twice, parse(host, once.text, &message)));
        CHECK_TEXT(text_finish(&twice, NULL), cases[i].canonical);
    }
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
        TextBuffer one = {.env = &host->env}, other = {.env = &host->env};

        CHECK(json_canonical(&one, parse(host, equal[i][0], &message)) && json_canonical(&other, parse(host, equal[i][1], &message)));
        CHECK_TEXT(text_finish(&one, NULL), text_finish(&other, NULL));
    }
    CHECK(!json_canonical(&refused, parse(host, "{\"a\":[1,1e999]}", &message)));
    host_reset(host);
}

/* An array that outgrows its room again and again keeps each value, and a long one can be canceled. */
static void test_many_values(Host *host)
{
    enum { COUNT = 300000 };
    TextBuffer text = {.env = &host->env};
    const char *message;
    const Json *root;
    uint64_t sum = 0;

    for (int i = 0; i < COUNT; i++)
        text_print(&text, "%s%d", i == 0 ? "[" : ",", i);
    text_character(&text, ']');
    root = parse(host, text.text, &message);
    CHECK(root != NULL && root->length == COUNT && root->nodes == COUNT + 1);
    for (const Json *child = json_first(root); child != NULL; child = json_next(root, child)) {
        int64_t value = 0;

        json_integer(child, &value);
        sum += (uint64_t)value;
    }
    CHECK_INT(sum, (uint64_t)COUNT * (COUNT - 1) / 2);
    host->polls = 0;
    parse(host, text.text, &message);
    CHECK(host->polls >= 4);
    memset(text.text, 'x', text.length);
    text.text[0] = text.text[text.length - 1] = '"';
    host->polls = 0;
    root = parse(host, text.text, &message);
    CHECK(root != NULL && host->polls >= 2);
    host->polls = 0;
    CHECK(json_canonical(&(TextBuffer){.env = &host->env}, root) && host->polls >= 1);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    CHECK_WORKS(host, test_refused(host));
    CHECK_WORKS(host, test_depth(host));
    CHECK_WORKS(host, test_strings(host));
    CHECK_WORKS(host, test_foreign_text(host));
    CHECK_WORKS(host, test_members(host));
    CHECK_WORKS(host, test_integers(host));
    CHECK_WORKS(host, test_numbers(host));
    CHECK_WORKS(host, test_canonical(host));
    CHECK_WORKS(host, test_many_values(host));
    host_free(host);
    return check_report();
}
