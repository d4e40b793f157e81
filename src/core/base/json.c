/*
 * json.c - a JSON reader and writer.
 */
#include "core/base/json.h"
#include "core/base/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_EVERY 65536
#define POLL_EVERY_BYTES (1 << 20) /* of one string */

typedef struct Parser {
    Env *env;
    const char *text;
    const char *end;
    const char *at;
    Json *nodes;
    uint32_t count;
    uint32_t capacity;
    const char *error;
    const char *error_at;
} Parser;

/* ---- characters ---- */

bool text_is_valid(const Env *env, const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const unsigned char *end = at + length;

    if (env->foreign_text)
        return memchr(bytes, '\0', length) == NULL;
    while (at < end) {
        size_t sequence = utf8_sequence(at, (size_t)(end - at));

        if (*at == '\0' || sequence == 0)
            return false;
        at += sequence;
    }
    return true;
}

static size_t utf8_encode(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

/* ---- reading ---- */

/* Records the error, after which nothing is read; returns false. */
static bool refuse(Parser *p, const char *at, const char *error)
{
    p->error = error;
    p->error_at = at;
    return false;
}

static void skip_space(Parser *p)
{
    while (p->at < p->end &&
           (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

/* Adds a node; returns its index, because the array may move; UINT32_MAX if there are too many. */
static uint32_t node_new(Parser *p, JsonType type, const char *at)
{
    Json *node;

    if (p->count == p->capacity) {
        if (p->capacity >= JSON_MAX_NODES) {
            refuse(p, at, "too many values");
            return UINT32_MAX;
        }
        p->capacity *= 2;
        p->nodes = p->env->resize(p->env, p->nodes, (size_t)p->capacity * sizeof(Json));
    }
    env_poll_every(p->env, p->count, POLL_EVERY);
    node = &p->nodes[p->count];
    memset(node, 0, sizeof *node);
    node->type = type;
    node->position = (uint32_t)(at - p->text);
    node->nodes = 1;
    return p->count++;
}

/* Reads the four hexadecimal digits of an escape. */
static bool hex_unit(Parser *p, const char *at, uint32_t *unit)
{
    *unit = 0;
    if (p->end - at < 4)
        return refuse(p, at, "\\u needs four hexadecimal digits");
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        uint32_t digit;

        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A' + 10);
        else
            return refuse(p, at, "\\u needs four hexadecimal digits");
        *unit = *unit * 16 + digit;
    }
    return true;
}

/* Decodes the escape after a backslash, which has a byte at *at, and advances both pointers. */
static bool decode_escape(Parser *p, const char **at, char **out)
{
    static const char plain[] = "\"\\/bfnrt";
    static const char meaning[] = "\"\\/\b\f\n\r\t";
    const char *found;
    const char *start = *at;
    uint32_t code, low;

    if (*start != 'u') {
        found = *start != '\0' ? strchr(plain, *start) : NULL;
        if (found == NULL)
            return refuse(p, start, "unknown escape");
        *(*out)++ = meaning[found - plain];
        *at = start + 1;
        return true;
    }
    if (!hex_unit(p, start + 1, &code))
        return false;
    *at = start + 5;
    if (code == 0)
        return refuse(p, start, "\\u0000 is not text");
    if (code >= 0xDC00 && code <= 0xDFFF)
        return refuse(p, start, "a low surrogate without a high one");
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (p->end - *at < 2 || (*at)[0] != '\\' || (*at)[1] != 'u')
            return refuse(p, start, "a high surrogate without a low one");
        if (!hex_unit(p, *at + 2, &low))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return refuse(p, start, "a high surrogate without a low one");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        *at += 6;
    }
    if (code >= 0x80 && p->env->foreign_text)
        return refuse(p, start, "an escape above \\u007f in a database that is not UTF-8");
    *out += utf8_encode(code, *out);
    return true;
}

/* Decodes a string into new memory. Its raw length is enough, because an escape is longer than what it means. */
static bool decode_string(Parser *p, const char *start, const char *stop, Json *node)
{
    char *decoded = env_array_raw(p->env, (size_t)(stop - start), 1);
    char *out = decoded;

    while (start < stop) {
        if (*start == '\\') {
            start++;
            if (!decode_escape(p, &start, &out))
                return false;
        } else {
            *out++ = *start++;
        }
    }
    node->text = decoded;
    node->length = (uint32_t)(out - decoded);
    return true;
}

static bool parse_string(Parser *p)
{
    const char *open = p->at;
    const char *start = ++p->at, *poll_at = start;
    bool escaped = false;
    uint32_t index = node_new(p, JSON_STRING, open);

    if (index == UINT32_MAX)
        return false;
    while (p->at < p->end && *p->at != '"') {
        unsigned char c = (unsigned char)*p->at;

        if (p->at >= poll_at) {
            p->env->poll(p->env);
            poll_at = p->at + POLL_EVERY_BYTES;
        }
        if (c < 0x20)
            return refuse(p, p->at, "a control character inside a string");
        if (c == '\\') {
            escaped = true;
            if (p->end - p->at < 2)
                break;
            p->at += 2;
        } else if (c < 0x80 || p->env->foreign_text) {
            p->at++;
        } else {
            size_t length = utf8_sequence((const unsigned char *)p->at, (size_t)(p->end - p->at));

            if (length == 0)
                return refuse(p, p->at, "bytes that are not UTF-8");
            p->at += length;
        }
    }
    if (p->at >= p->end || *p->at != '"')
        return refuse(p, open, "unterminated string");
    p->nodes[index].text = start;
    p->nodes[index].length = (uint32_t)(p->at - start);
    if (escaped && !decode_string(p, start, p->at, &p->nodes[index]))
        return false;
    p->at++;
    return true;
}

/* Skips digits; returns whether there are any. */
static bool skip_digits(Parser *p)
{
    const char *start = p->at;

    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
    return p->at > start;
}

static bool parse_number(Parser *p)
{
    const char *start = p->at;
    uint32_t index = node_new(p, JSON_NUMBER, start);

    if (index == UINT32_MAX)
        return false;
    if (*p->at == '-')
        p->at++;
    if (p->at < p->end && *p->at == '0')
        p->at++;
    else if (!skip_digits(p))
        return refuse(p, start, "expected a value");
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        if (!skip_digits(p))
            return refuse(p, start, "missing digits in a number");
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
            p->at++;
        if (!skip_digits(p))
            return refuse(p, start, "missing digits in a number");
    }
    p->nodes[index].text = start;
    p->nodes[index].length = (uint32_t)(p->at - start);
    return true;
}

static bool parse_word(Parser *p, const char *word, JsonType type)
{
    size_t length = strlen(word);

    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return refuse(p, p->at, "an unknown word");
    if (node_new(p, type, p->at) == UINT32_MAX)
        return false;
    p->at += length;
    return true;
}

static bool parse_value(Parser *p, int depth);

static int compare_keys(const void *a, const void *b)
{
    const Json *x = *(const Json *const *)a;
    const Json *y = *(const Json *const *)b;
    int order = bytes_compare(x->text, x->length, y->text, y->length);

    return order != 0 ? order : (x->position > y->position) - (x->position < y->position);
}

/* Returns the keys of an object in order of their bytes. */
static const Json **sorted_keys(Env *env, const Json *object)
{
    const Json **keys = env_array_raw(env, object->length, sizeof *keys);
    uint32_t i = 0;

    for (const Json *key = json_first(object); key != NULL; key = json_next(object, key))
        keys[i++] = key;
    qsort(keys, object->length, sizeof *keys, compare_keys);
    return keys;
}

static bool refuse_duplicates(Parser *p, const Json *object)
{
    const Json **keys;

    if (object->length < 2)
        return true;
    keys = sorted_keys(p->env, object);
    for (uint32_t i = 1; i < object->length; i++)
        if (bytes_compare(keys[i]->text, keys[i]->length, keys[i - 1]->text, keys[i - 1]->length) == 0)
            return refuse(p, p->text + keys[i]->position, "a duplicate key");
    return true;
}

static bool parse_key(Parser *p)
{
    if (p->at >= p->end || *p->at != '"')
        return refuse(p, p->at, "expected a quoted key");
    if (!parse_string(p))
        return false;
    skip_space(p);
    if (p->at >= p->end || *p->at != ':')
        return refuse(p, p->at, "expected a colon");
    p->at++;
    return true;
}

static bool parse_container(Parser *p, int depth, JsonType type)
{
    char close = type == JSON_OBJECT ? '}' : ']';
    const char *open = p->at;
    uint32_t index, members = 0;

    if (depth >= JSON_MAX_DEPTH)
        return refuse(p, open, "too many levels");
    index = node_new(p, type, open);
    if (index == UINT32_MAX)
        return false;
    p->at++;
    skip_space(p);
    if (p->at < p->end && *p->at == close) {
        p->at++;
        return true;
    }
    for (;;) {
        skip_space(p);
        if (type == JSON_OBJECT && !parse_key(p))
            return false;
        if (!parse_value(p, depth + 1))
            return false;
        members++;
        skip_space(p);
        if (p->at < p->end && *p->at == ',') {
            p->at++;
            continue;
        }
        if (p->at >= p->end || *p->at != close)
            return refuse(p, p->at, type == JSON_OBJECT ? "expected a comma or }"
                                                        : "expected a comma or ]");
        p->at++;
        break;
    }
    p->nodes[index].length = members;
    p->nodes[index].nodes = p->count - index;
    return type == JSON_ARRAY || refuse_duplicates(p, &p->nodes[index]);
}

static bool parse_value(Parser *p, int depth)
{
    skip_space(p);
    if (p->at >= p->end)
        return refuse(p, p->at, "expected a value");
    switch (*p->at) {
    case '{':
        return parse_container(p, depth, JSON_OBJECT);
    case '[':
        return parse_container(p, depth, JSON_ARRAY);
    case '"':
        return parse_string(p);
    case 't':
        return parse_word(p, "true", JSON_TRUE);
    case 'f':
        return parse_word(p, "false", JSON_FALSE);
    case 'n':
        return parse_word(p, "null", JSON_NULL);
    default:
        return parse_number(p);
    }
}

const Json *json_try_parse(Env *env, const char *text, size_t length, const char **message)
{
    Parser parser = {.env = env, .text = text, .end = text + length, .at = text, .capacity = 16};
    char *buffer;

    if (length > UINT32_MAX) {
        *message = "the text is too long";
        return NULL;
    }
    parser.nodes = env_array_raw(env, parser.capacity, sizeof(Json));
    if (parse_value(&parser, 0)) {
        skip_space(&parser);
        if (parser.at == parser.end)
            return parser.nodes;
        refuse(&parser, parser.at, "unexpected text after the end");
    }
    buffer = env->alloc(env, 160);
    snprintf(buffer, 160, "%s at byte %zu", parser.error, (size_t)(parser.error_at - text) + 1);
    *message = buffer;
    return NULL;
}

const Json *json_parse(Env *env, const char *text, size_t length, ErrorCode code, const char *what)
{
    const char *message = NULL;
    const Json *root = json_try_parse(env, text, length, &message);

    if (root == NULL)
        env_fail(env, code, NULL, "malformed %s: %s", what, message);
    return root;
}

const Json *json_first(const Json *parent)
{
    return parent->length > 0 ? parent + 1 : NULL;
}

const Json *json_next(const Json *parent, const Json *child)
{
    const Json *next = child + child->nodes;

    if (parent->type == JSON_OBJECT)
        next += next->nodes; /* skip the value */
    return next < parent + parent->nodes ? next : NULL;
}

bool json_is(const Json *string, const char *text)
{
    return string->type == JSON_STRING && string->length == strlen(text) &&
           memcmp(string->text, text, string->length) == 0;
}

const Json *json_get(const Json *object, const char *name)
{
    for (const Json *key = json_first(object); key != NULL; key = json_next(object, key))
        if (json_is(key, name))
            return json_value(key);
    return NULL;
}

const char *json_type_name(const Json *value)
{
    static const char *const names[] = {[JSON_NULL] = "null",     [JSON_FALSE] = "boolean", [JSON_TRUE] = "boolean", [JSON_NUMBER] = "number",
                                        [JSON_STRING] = "string", [JSON_ARRAY] = "array",   [JSON_OBJECT] = "object"};

    return names[value->type];
}

char *json_string(Env *env, const Json *value)
{
    return env_text(env, value->text, value->length);
}

double json_number(Env *env, const Json *number)
{
    char buffer[64];

    if (number->length >= sizeof buffer)
        return strtod(json_string(env, number), NULL);
    memcpy(buffer, number->text, number->length);
    buffer[number->length] = '\0';
    return strtod(buffer, NULL);
}

bool json_integer(const Json *number, int64_t *result)
{
    bool negative = number->text[0] == '-';
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t value = 0;
    char buffer[64];
    double real;

    for (uint32_t i = negative; i < number->length; i++) {
        unsigned digit = (unsigned)(number->text[i] - '0');

        if (digit > 9)
            goto fraction;
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *result = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;

fraction: /* 1.0 and 1e3 are integers too, as far as a double is exact */
    if (number->length >= sizeof buffer)
        return false;
    memcpy(buffer, number->text, number->length);
    buffer[number->length] = '\0';
    real = strtod(buffer, NULL);
    if (!(fabs(real) <= 9007199254740992.0) || real != floor(real))
        return false;
    *result = (int64_t)real;
    return true;
}

/* ---- writing ---- */

void json_quote(TextBuffer *writer, const char *bytes, size_t length)
{
    size_t from = 0;

    text_character(writer, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        char escape[8];

        if (i % POLL_EVERY_BYTES == 0 && i > 0)
            writer->env->poll(writer->env);
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        text_bytes(writer, bytes + from, i - from);
        from = i + 1;
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c == '\n')
            snprintf(escape, sizeof escape, "\\n");
        else if (c == '\t')
            snprintf(escape, sizeof escape, "\\t");
        else
            snprintf(escape, sizeof escape, "\\u%04x", c);
        text_add(writer, escape);
    }
    text_bytes(writer, bytes + from, length - from);
    text_character(writer, '"');
}

void json_int(TextBuffer *writer, int64_t value)
{
    char buffer[24];

    snprintf(buffer, sizeof buffer, "%lld", (long long)value);
    text_add(writer, buffer);
}

void json_double(TextBuffer *writer, double value)
{
    char buffer[40];

    if (fabs(value) < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        json_int(writer, (int64_t)value);
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(buffer, sizeof buffer, "%.*g", precision, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    text_add(writer, buffer);
}

static bool canonical_number(TextBuffer *writer, const Json *number)
{
    int64_t integer;
    double value;

    if (json_integer(number, &integer)) {
        json_int(writer, integer);
        return true;
    }
    value = json_number(writer->env, number);
    if (!isfinite(value))
        return false;
    /* jsonb writes 1e17 out as an integer: so does the canonical form */
    if (value >= -0x1p63 && value < 0x1p63 && value == floor(value))
        json_int(writer, (int64_t)value);
    else
        json_double(writer, value);
    return true;
}

static bool canonical_object(TextBuffer *writer, const Json *object)
{
    const Json **keys = sorted_keys(writer->env, object);

    text_character(writer, '{');
    for (uint32_t i = 0; i < object->length; i++) {
        if (i > 0)
            text_character(writer, ',');
        json_quote(writer, keys[i]->text, keys[i]->length);
        text_character(writer, ':');
        if (!json_canonical(writer, json_value(keys[i])))
            return false;
    }
    text_character(writer, '}');
    return true;
}

bool json_canonical(TextBuffer *writer, const Json *value)
{
    switch (value->type) {
    case JSON_OBJECT:
        return canonical_object(writer, value);
    case JSON_ARRAY:
        text_character(writer, '[');
        for (const Json *child = json_first(value); child; child = json_next(value, child)) {
            if (child != value + 1)
                text_character(writer, ',');
            if (!json_canonical(writer, child))
                return false;
        }
        text_character(writer, ']');
        return true;
    case JSON_STRING:
        json_quote(writer, value->text, value->length);
        return true;
    case JSON_NUMBER:
        return canonical_number(writer, value);
    case JSON_TRUE:
        text_add(writer, "true");
        return true;
    case JSON_FALSE:
        text_add(writer, "false");
        return true;
    default: /* JSON_NULL */
        text_add(writer, "null");
        return true;
    }
}
