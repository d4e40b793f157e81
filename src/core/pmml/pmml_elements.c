/*
 * pmml_elements.c - reads elements of a PMML document: attributes, children, numbers and arrays.
 */
#include "core/pmml/pmml_import.h"

#include <ctype.h>
#include <stdlib.h>

#define POLL_NUMBERS 4096
#define NUMBER_BYTES 1024 /* the decimals of a double are at most 767 */

const char *pmml_attribute(const XmlNode *node, const char *name)
{
    for (const XmlAttribute *a = node->attribute; a != NULL; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

bool pmml_says(const XmlNode *node, const char *name, const char *value, bool missing)
{
    const char *found = pmml_attribute(node, name);

    return found == NULL ? missing : strcmp(found, value) == 0;
}

const char *pmml_required(Env *env, const XmlNode *node, const char *name)
{
    const char *value = pmml_attribute(node, name);

    if (value == NULL)
        pmml_fail(env, "has a %.60s without the attribute \"%s\"", node->name, name);
    return value;
}

double pmml_number_of(Env *env, const char *text, const char *what)
{
    static const char digits[] = "+-.0123456789eE";
    const char *first = text;
    char *end;
    double value;

    while (isspace((unsigned char)*first))
        first++;
    value = *first != 0 && strchr(digits, *first) != NULL ? strtod(first, &end) : NAN;
    if (isfinite(value) && (size_t)(end - first) != strspn(first, digits))
        value = NAN; /* hexadecimal digits */
    while (isfinite(value) && isspace((unsigned char)*end))
        end++;
    if (!isfinite(value) || *end != 0 || end == first)
        pmml_fail(env, "has \"%.40s\" as %.60s, which is no finite number", text, what);
    return value;
}

double pmml_number(Env *env, const XmlNode *node, const char *name, double fallback)
{
    const char *text = pmml_attribute(node, name);

    if (text == NULL && !isnan(fallback))
        return fallback;
    return pmml_number_of(env, pmml_required(env, node, name), name);
}

/* Returns this element or the next one beside it that is no extension and has this name, if any. */
static const XmlNode *find(const XmlNode *node, const char *name)
{
    while (node != NULL && (pmml_is(node, "Extension") || (name != NULL && !pmml_is(node, name))))
        node = node->next;
    return node;
}

const XmlNode *pmml_first(const XmlNode *node, const char *name)
{
    return find(node->child, name);
}

const XmlNode *pmml_next(const XmlNode *node, const char *name)
{
    return find(node->next, name);
}

uint32_t pmml_count(const XmlNode *node, const char *name)
{
    uint32_t count = 0;

    for (const XmlNode *child = pmml_first(node, name); child != NULL; child = pmml_next(child, name))
        count++;
    return count;
}

const XmlNode *pmml_child(Env *env, const XmlNode *node, const char *name)
{
    const XmlNode *child = pmml_first(node, name);

    if (child == NULL || pmml_next(child, name) != NULL)
        pmml_fail(env, "has a %.60s with %s %s", node->name, child == NULL ? "no" : "more than one", name);
    return child;
}

double *pmml_numbers(Env *env, const XmlNode *node, uint32_t *count)
{
    const char *at = node->text;
    double *out = NULL;
    uint32_t room = 0;
    char number[NUMBER_BYTES];

    for (*count = 0;; (*count)++) {
        size_t length;

        at += strspn(at, " \t\r\n");
        if (*at == 0)
            break;
        length = strcspn(at, " \t\r\n");
        env_poll_every(env, *count + 1, POLL_NUMBERS);
        out = env_grow(env, out, *count, &room, sizeof(double));
        if (length >= sizeof number)
            pmml_fail(env, "has a number of %zu characters in an array; at most %d are read", length, NUMBER_BYTES - 1);
        memcpy(number, at, length);
        number[length] = 0;
        out[*count] = pmml_number_of(env, number, "a number of an array");
        at += length;
    }
    if (pmml_attribute(node, "n") != NULL && pmml_number(env, node, "n", 0) != *count && pmml_is(node, "Array"))
        pmml_fail(env, "has an Array of %u numbers that says it has %.40s", *count, pmml_attribute(node, "n"));
    return out;
}

void pmml_texts(Env *env, const XmlNode *array, void (*take)(void *context, const char *text), void *context)
{
    TextBuffer text = {.env = env};
    const char *at = array->text;
    uint32_t count = 0;

    for (;; count++) {
        bool quoted;

        at += strspn(at, " \t\r\n");
        if (*at == 0)
            break;
        env_poll_every(env, count + 1, POLL_NUMBERS);
        text.length = 0;
        quoted = *at == '"';
        for (at += quoted; *at != 0 && (quoted ? *at != '"' : strchr(" \t\r\n", *at) == NULL); at++) {
            if (at[0] == '\\' && (at[1] == '"' || at[1] == '\\'))
                at++;
            text_character(&text, *at);
        }
        if (quoted && *at++ != '"')
            pmml_fail(env, "has an Array whose last text does not end");
        text_character(&text, 0);
        take(context, text.text);
    }
    if (pmml_attribute(array, "n") != NULL && pmml_number(env, array, "n", 0) != count)
        pmml_fail(env, "has an Array of %u texts that says it has %.40s", count, pmml_attribute(array, "n"));
}
