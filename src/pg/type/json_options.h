/*
 * json_options.h - options of SQL functions as jsonb objects: reading, taking out and joining keys.
 */
#ifndef PGFIT_JSON_OPTIONS_H
#define PGFIT_JSON_OPTIONS_H

#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/* Fails if an argument of a function is null; names: of all, NULL: it may be. */
void require_arguments(FunctionCallInfo fcinfo, const char *function, const char *const *names, int count);
/* Fails unless options are an object. */
void json_options_require_object(const Jsonb *options);
/* Returns the options with former names replaced by these; each one draws a NOTICE. function: whose options they are. */
Jsonb *json_options_renamed(Jsonb *options, const char *function, const char *const *names, uint32 count);
/* Does the same, and fails for a key that is none of the names, with the likeliest one in the hint. more: ends the list of names. */
Jsonb *json_options_known(Jsonb *options, const char *function, const char *const *names, uint32 count, const char *more);
/* Fails because of an option: "option "name" problem". hint: or NULL. */
void json_options_fail(const char *name, const char *problem, const char *hint) __attribute__((noreturn));
bool json_options_has(Jsonb *options, const char *key);
/* Returns the value of a key; false: there is no such key. */
bool json_options_value(Jsonb *options, const char *key, JsonbValue *value);
/* Return the string of a key, or NULL without the key. The first fails for other values, the second returns NULL for them. */
char *json_options_string(Jsonb *options, const char *key);
char *json_options_string_or_null(Jsonb *options, const char *key);
/* Returns which of the names, of which NULL is the last, the string of a key is; 0 without the key. Fails for others. */
int json_options_choice(Jsonb *options, const char *key, const char *const *names);
/* Return the number or boolean of a key, or the fallback without the key. Fail for other values. */
double json_options_number(Jsonb *options, const char *key, double fallback);
bool json_options_boolean(Jsonb *options, const char *key, bool fallback);
/* Returns the whole number of a key, from minimum to maximum, or the fallback without the key. Fails for others. */
int json_options_whole(Jsonb *options, const char *key, int fallback, int minimum, int maximum);
/* Returns the options without a key. */
Jsonb *json_options_without(Jsonb *options, const char *key);
/* Returns the options but these, with those under "options". */
Jsonb *json_options_rest(Jsonb *options, const char *const *names, uint32 count);
/* Returns both objects as one; where both have a name, that of b. */
Jsonb *json_options_join(Jsonb *a, Jsonb *b);
/* Returns both objects as one. Fails for a name that both have. */
Jsonb *json_options_add(Jsonb *a, Jsonb *b);
Jsonb *json_options_parse(const char *json);
char *json_options_text(Jsonb *options);
/* Returns the shortest number that reads back as this one; as JSON null for NaN, a string for infinities. */
char *json_options_double(double number);
/* Appends text that comes before, and a JSON string. */
void json_options_quote(StringInfo json, const char *before, const char *string);

#endif
