/*
 * json.h - a small strict JSON reader (RFC 8259) and writer for options and models.
 *
 * The reader builds a tree in the memory of env: one array of nodes in the order of the text, a node's
 * children right behind it. Strings without escapes and numbers are slices of the text, which must
 * outlive the tree. Duplicate keys, control characters, \u0000, lone surrogates, bytes that are not
 * UTF-8 and more than JSON_MAX_DEPTH levels are refused.
 *
 *     const Json *root = json_parse(env, text, length, ERROR_PARAMETER, "options");
 *     for (const Json *key = json_first(root); key; key = json_next(root, key)) ...
 */
#ifndef PGFIT_JSON_H
#define PGFIT_JSON_H

#include "core/base/env.h"
#include "core/base/text_buffer.h"

#define JSON_MAX_DEPTH 64
#define JSON_MAX_NODES (64u << 20)

typedef enum JsonType {
    JSON_NULL = 1,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonType;

typedef struct Json {
    const char *text;  /* number: as written; string: decoded, not zero-terminated */
    uint32_t length;   /* bytes of text; elements of an array; members of an object */
    uint32_t position; /* byte of the text where it begins */
    uint32_t nodes;    /* this node and all below it */
    JsonType type;
} Json;

/* Returns the root; fails with code and "malformed <what>: ... at byte N". */
const Json *json_parse(Env *env, const char *text, size_t length, ErrorCode code, const char *what);
/* Returns the root, or NULL and a message in env's memory. */
const Json *json_try_parse(Env *env, const char *text, size_t length, const char **message);

/* Return the elements of an array, or the keys of an object (json_value returns the value of a key); NULL at the end. */
const Json *json_first(const Json *parent);
const Json *json_next(const Json *parent, const Json *child);
static inline const Json *json_value(const Json *key)
{
    return key + 1; /* a key is a leaf: its value is the next node */
}

/* Returns the value of this key, or NULL. Takes time linear in the number of members. */
const Json *json_get(const Json *object, const char *key);
/* Tells whether this is a string that equals text. */
bool json_is(const Json *string, const char *text);
/* Returns "null", "boolean", "number", "string", "array" or "object", for error messages. */
const char *json_type_name(const Json *value);

/* Returns a number as the nearest double, which may be infinite. */
double json_number(Env *env, const Json *number);
/* Reads a number that is, or equals, an integer (1.0, 1e3). Returns false if it is not, or does not fit. */
bool json_integer(const Json *number, int64_t *result);
/* Returns a zero-terminated copy of a string or number. */
char *json_string(Env *env, const Json *value);

/* ---- writing ---- */

/* Adds a quoted and escaped string. */
void json_quote(TextBuffer *writer, const char *bytes, size_t length);
void json_int(TextBuffer *writer, int64_t value);
/* Adds the shortest decimal that reads back as the same double, which must be finite; -0 as -0. */
void json_double(TextBuffer *writer, double value);
/*
 * Adds a value as canonical text: keys sorted by bytes, no spaces, integers as such, other numbers as the shortest decimal of the
 * nearest double (-0 as 0). Equal values give equal text, however they are spaced or ordered. Returns false if a number does not
 * fit a double.
 */
bool json_canonical(TextBuffer *writer, const Json *value);

/* Tells whether this is well-formed UTF-8 without zero bytes (if env->foreign_text: any bytes but zero). */
bool text_is_valid(const Env *env, const char *bytes, size_t length);

#endif
