/*
 * xml_reader.c - parses XML documents by libxml2 (https://gitlab.gnome.org/GNOME/libxml2), chunk by chunk.
 *
 * No declaration of a document type is read: the parser stops where one begins, so there are no entities but the five of XML, and nothing is
 * ever loaded. Its own limits (XML_PARSE_HUGE is off) hold for names and texts, those of the tree for depth and memory. No error leaves a
 * callback: what is raised there is kept until the parser has returned.
 */
#include "pg/host/backend_env.h"
#include "pg/host/xml_reader.h"
#include "core/pmml/xml_tree.h"

/*
 * The server's own libxml2, if it was built with one and its headers are there. The library is not linked: the server has loaded it, so its
 * functions are found there, and no second version can come in.
 */
#if defined(USE_LIBXML) && defined(__has_include)
#if __has_include(<libxml/parser.h>)
#define HAVE_PARSER
#endif
#endif

#ifdef HAVE_PARSER

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#define CHUNK_BYTES 65536 /* between two polls */
#define MOST_ATTRIBUTES 256 /* of an element: libxml2 before 2.12 compares each with all others, and nothing interrupts it */

typedef struct XmlRead {
    XmlTree *tree;
    xmlParserCtxtPtr parser;
    MemoryContext memory;
    ErrorData *raised;  /* in a callback; NULL: nothing */
    bool declares_type; /* the document has a DOCTYPE */
    int line;
    char message[160];  /* the first error of the parser */
} XmlRead;

/* Runs code in a callback, and keeps what it raises. */
#define XML_CALLBACK(read, code)                                                                                        \
    do {                                                                                                               \
        if ((read)->raised != NULL)                                                                                    \
            break;                                                                                                     \
        PG_TRY();                                                                                                      \
        {                                                                                                              \
            code;                                                                                                      \
        }                                                                                                              \
        PG_CATCH();                                                                                                    \
        {                                                                                                              \
            MemoryContextSwitchTo((read)->memory);                                                                     \
            (read)->raised = CopyErrorData();                                                                          \
            FlushErrorState();                                                                                         \
            xmlStopParser((read)->parser);                                                                             \
        }                                                                                                              \
        PG_END_TRY();                                                                                                  \
    } while (0)

/* Returns a text of the parser in the encoding of the database. */
static const char *own_text(const xmlChar *text, int *length)
{
    char *out = pg_any_to_server((const char *)text, *length, PG_UTF8);

    if (out != (const char *)text)
        *length = (int)strlen(out);
    return out;
}

/* Gives back what own_text has made of a text. */
static void forget_text(const char *own, const xmlChar *text)
{
    if (own != (const char *)text)
        pfree((char *)own);
}

static void refuse_attributes(Env *env) __attribute__((noreturn));
static void refuse_attributes(Env *env)
{
    env_fail(env, ERROR_LIMIT, NULL, "the XML document has an element of more than %d attributes", MOST_ATTRIBUTES);
}

static void add_element(XmlTree *tree, const xmlChar *name, int count, const xmlChar **attributes)
{
    int length = (int)strlen((const char *)name);
    const char *own = own_text(name, &length);

    if (count > MOST_ATTRIBUTES)
        refuse_attributes(tree->env);
    xml_tree_begin(tree, own);
    forget_text(own, name);
    for (int i = 0; i < count; i++) {
        const xmlChar **attribute = attributes + 5 * i; /* name, prefix, namespace, value, its end */
        int bytes = (int)(attribute[4] - attribute[3]), name_bytes = (int)strlen((const char *)attribute[0]);
        const char *value;

        if (attribute[2] != NULL) /* of another language */
            continue;
        value = own_text(attribute[3], &bytes);
        own = own_text(attribute[0], &name_bytes);
        xml_tree_attribute(tree, own, value, bytes);
        forget_text(own, attribute[0]);
        forget_text(value, attribute[3]);
    }
}

static void start_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *space, int spaces, const xmlChar **declared,
                          int count, int defaulted, const xmlChar **attributes)
{
    XmlRead *read = context;

    XML_CALLBACK(read, add_element(read->tree, name, count + spaces > MOST_ATTRIBUTES ? MOST_ATTRIBUTES + 1 : count, attributes));
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *space)
{
    XmlRead *read = context;

    XML_CALLBACK(read, xml_tree_end(read->tree));
}

static void add_text(XmlTree *tree, const xmlChar *text, int length)
{
    const char *own = own_text(text, &length);

    xml_tree_text(tree, own, length);
    forget_text(own, text);
}

static void characters(void *context, const xmlChar *text, int length)
{
    XmlRead *read = context;

    XML_CALLBACK(read, add_text(read->tree, text, length));
}

static void document_type(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system)
{
    XmlRead *read = context;

    read->declares_type = true;
    xmlStopParser(read->parser);
}

#if LIBXML_VERSION >= 21200
static void keep_error(void *context, const xmlError *error)
#else
static void keep_error(void *context, xmlErrorPtr error)
#endif
{
    XmlRead *read = context;

    if (error->level < XML_ERR_ERROR || read->message[0] != 0)
        return;
    strlcpy(read->message, error->message != NULL ? error->message : "unknown error", sizeof read->message);
    for (char *c = read->message; *c; c++)
        if (*c == '\n')
            *c = c[1] == 0 ? 0 : ' ';
        else if (*c & 0x80) /* the message may be cut, or quote what is no text */
            *c = '?';
    read->line = error->line;
}

/* Fails if the tag whose end the parser waits for has too many attributes by now: it will read them at once. */
static void check_open_tag(const XmlRead *read)
{
    const xmlChar *c = read->parser->input != NULL ? read->parser->input->cur : NULL, *end = c != NULL ? read->parser->input->end : NULL;
    int count = 0;
    xmlChar quote = 0;

    if (c == NULL || end - c < 2 || c[0] != '<' || c[1] == '!' || c[1] == '?')
        return;
    for (; c < end; c++) {
        count += quote == 0 && *c == '=';
        if (quote != 0 ? *c == quote : *c == '"' || *c == '\'')
            quote = quote != 0 ? 0 : *c;
    }
    if (count > MOST_ATTRIBUTES)
        refuse_attributes(read->tree->env);
}

/* Feeds the parser. Errors of the document are kept in *read. */
static void feed(XmlRead *read, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length && read->raised == NULL && !read->declares_type && read->message[0] == 0; at += CHUNK_BYTES) {
        CHECK_FOR_INTERRUPTS();
        check_open_tag(read);
        xmlParseChunk(read->parser, bytes + at, (int)Min(length - at, CHUNK_BYTES), 0);
    }
    if (read->raised == NULL && !read->declares_type)
        xmlParseChunk(read->parser, NULL, 0, 1);
}

/* Raises what was kept. */
static void raise_kept(Env *env, const XmlRead *read)
{
    if (read->raised != NULL)
        ReThrowError(read->raised);
    if (read->declares_type)
        env_fail(env, ERROR_DATA, "Remove it: documents of models need none.", "the XML document declares a document type (DOCTYPE), which is not read");
    if (read->message[0] != 0)
        env_fail(env, ERROR_DATA, NULL, "the XML document is malformed in line %d: %s", read->line, read->message);
    if (read->tree->root == NULL || read->tree->open != NULL)
        env_fail(env, ERROR_DATA, NULL, "the XML document ends too early");
}

static void read_xml(Env *env, const char *bytes, size_t length, const char *encoding, XmlTree *tree)
{
    static const xmlSAXHandler callbacks = {.initialized = XML_SAX2_MAGIC,
                                            .internalSubset = document_type,
                                            .startElementNs = start_element,
                                            .endElementNs = end_element,
                                            .characters = characters,
                                            .cdataBlock = characters,
                                            .serror = keep_error};
    xmlSAXHandler handler = callbacks;
    XmlRead read = {.tree = tree, .memory = CurrentMemoryContext};

    LIBXML_TEST_VERSION;
    read.parser = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
    if (read.parser == NULL)
        ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
    read.parser->userData = &read;
    PG_TRY();
    {
        /* XML_PARSE_NOENT: "&amp;" in an attribute is "&"; there are no other entities to put in place */
        xmlCtxtUseOptions(read.parser, XML_PARSE_NONET | XML_PARSE_NOENT | (encoding != NULL ? XML_PARSE_IGNORE_ENC : 0));
        if (encoding != NULL)
            xmlSwitchEncoding(read.parser, XML_CHAR_ENCODING_UTF8);
        feed(&read, bytes, length);
    }
    PG_FINALLY();
    {
        xmlFreeParserCtxt(read.parser);
    }
    PG_END_TRY();
    raise_kept(env, &read);
}

static void read_document(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree)
{
    read_xml(env, (const char *)bytes, length, NULL, tree);
}

static void read_text(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree)
{
    char *text = pg_server_to_any((const char *)bytes, (int)length, PG_UTF8);
    size_t most = text == (const char *)bytes ? length : strlen(text), mark = most >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* of the byte order */

    read_xml(env, text + mark, most - mark, "UTF-8", tree);
}

void (*const xml_read_bytes)(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree) = read_document;
void (*const xml_read_text)(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree) = read_text;

#else

void (*const xml_read_bytes)(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree) = NULL;
void (*const xml_read_text)(Env *env, const uint8_t *bytes, size_t length, XmlTree *tree) = NULL;

#endif
