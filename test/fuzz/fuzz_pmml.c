/*
 * fuzz_pmml.c - what the reader of PMML makes of a tree of elements. The tree comes from a small parser of tags, attributes and text, so that
 * the fuzzer needs no library and no time for XML itself: libxml2, which reads documents in a server, has fuzzers of its own.
 */
#include "fuzz_exchange.h"
#include "core/pmml/xml_tree.h"

static void refuse(Env *env) __attribute__((noreturn));
static void refuse(Env *env)
{
    env_fail(env, ERROR_DATA, NULL, "the XML document is malformed");
}

/* Returns the place of the first of these bytes. */
static const char *until(Env *env, const char *at, const char *end, const char *bytes)
{
    while (at < end && strchr(bytes, *at) == NULL)
        at++;
    if (at == end)
        refuse(env);
    return at;
}

/* Reads a name without its prefix. */
static const char *read_name(Env *env, const char **at, const char *end)
{
    const char *begin = *at, *stop = until(env, begin, end, " \t\r\n/>=\"'<"), *colon = memchr(begin, ':', (size_t)(stop - begin));

    *at = stop;
    begin = colon != NULL ? colon + 1 : begin;
    if (begin == stop)
        refuse(env);
    return env_text(env, begin, (size_t)(stop - begin));
}

/* Reads attributes and the end of a tag. */
static void read_attributes(XmlTree *tree, const char **at, const char *end)
{
    Env *env = tree->env;

    for (;;) {
        const char *name, *value;

        while (*at < end && strchr(" \t\r\n", **at) != NULL)
            ++*at;
        if (*at < end && **at == '>')
            break;
        if (end - *at >= 2 && memcmp(*at, "/>", 2) == 0) {
            xml_tree_end(tree);
            ++*at;
            break;
        }
        name = read_name(env, at, end);
        if (end - *at < 2 || **at != '=' || ((*at)[1] != '"' && (*at)[1] != '\''))
            refuse(env);
        value = *at + 2;
        *at = until(env, value, end, (*at)[1] == '"' ? "\"" : "'");
        xml_tree_attribute(tree, name, value, (size_t)(*at - value));
        ++*at;
    }
    ++*at;
}

static void read_xml(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree)
{
    const char *at = (const char *)bytes, *end = at + length;

    if (!text_is_valid(env, at, length))
        refuse(env);
    while (at < end) {
        const char *text = at, *open;

        while (at < end && *at != '<')
            at++;
        xml_tree_text(tree, text, (size_t)(at - text));
        if (at == end)
            break;
        if (end - ++at < 1)
            refuse(env);
        if (*at == '?' || *at == '!') {
            at = until(env, at, end, ">") + 1;
        } else if (*at == '/') {
            at++;
            open = tree->open != NULL ? tree->open->name : "";
            if (strcmp(read_name(env, &at, end), open) != 0 || *at++ != '>')
                refuse(env);
            xml_tree_end(tree);
        } else {
            if (tree->root != NULL && tree->open == NULL)
                refuse(env);
            xml_tree_begin(tree, read_name(env, &at, end));
            read_attributes(tree, &at, end);
        }
    }
    if (tree->open != NULL)
        refuse(env);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_begin()->read_xml = read_xml;
    fuzz_import("pmml", "", data, size);
    return 0;
}
