/*
 * document.c - walks through documents in JSON and UBJSON.
 */
#include "core/exchange/document.h"
#include "core/base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_VALUES 65536
#define NUMBER_TEXT 512 /* bytes of the longest number; more digits change no double that anybody writes */

void document_fail(const Document *document, const char *format, ...)
{
    char message[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    env_fail(document->env, ERROR_DATA, document->hint, "the %s document %s at byte %zu", document->what, message,
             (size_t)(document->at - document->bytes) + 1);
}

static void poll(Document *document)
{
    if (++document->work < POLL_VALUES)
        return;
    document->work = 0;
    document->env->poll(document->env);
}

/* ---- bytes ---- */

static void skip_spaces(Document *document)
{
    while (document->at < document->end &&
           (*document->at == ' ' || *document->at == '\n' || *document->at == '\t' || *document->at == '\r')) {
        document->at++;
        poll(document);
    }
}

/* Returns the next byte, which is no white space in JSON and no filler in UBJSON, without passing it. */
static uint8_t peek(Document *document)
{
    if (!document->binary)
        skip_spaces(document);
    else
        while (document->at < document->end && *document->at == 'N') {
            document->at++;
            poll(document);
        }
    if (document->at == document->end)
        document_fail(document, "ends too early");
    return *document->at;
}

/* Returns the next `count` bytes and passes them. */
static const uint8_t *take(Document *document, uint64_t count)
{
    const uint8_t *bytes = document->at;

    if ((uint64_t)(document->end - document->at) < count)
        document_fail(document, "ends too early");
    document->at += count;
    return bytes;
}

/* Returns a number of UBJSON, in network byte order. */
static uint64_t take_big_endian(Document *document, uint32_t count)
{
    const uint8_t *bytes = take(document, count);
    uint64_t value = 0;

    for (uint32_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Returns the bytes of a number by its marker; 0: the marker is none of a number. */
static uint32_t number_size(uint8_t marker)
{
    switch (marker) {
    case 'i':
    case 'U':
        return 1;
    case 'I':
        return 2;
    case 'l':
    case 'd':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

static int64_t signed_of(uint64_t bits, uint32_t bytes)
{
    uint32_t shift = 64 - 8 * bytes;

    return (int64_t)(bits << shift) >> shift;
}

static double binary_number(Document *document, uint8_t marker)
{
    uint32_t size = number_size(marker);
    uint64_t bits = take_big_endian(document, size);
    double real;
    float narrow;

    if (marker == 'D') {
        memcpy(&real, &bits, sizeof(real));
        return real;
    }
    if (marker == 'd') {
        uint32_t half = (uint32_t)bits;

        memcpy(&narrow, &half, sizeof(narrow));
        return narrow;
    }
    return marker == 'U' ? (double)bits : (double)signed_of(bits, size);
}

/* Returns a count or a length, which must not be more than the bytes that are left: each element has one at least. */
static uint64_t take_count(Document *document)
{
    uint8_t marker = *take(document, 1);
    uint32_t size = number_size(marker);
    int64_t count;

    if (size == 0 || marker == 'd' || marker == 'D')
        document_fail(document, "has no whole number as a length");
    count = (int64_t)take_big_endian(document, size);
    count = marker == 'U' ? count : signed_of((uint64_t)count, size);
    if (count < 0 || count > document->end - document->at)
        document_fail(document, "has a length of %lld", (long long)count);
    return (uint64_t)count;
}

/* ---- the beginning and the end ---- */

bool document_recognize(const uint8_t *bytes, size_t length, bool *binary)
{
    size_t at = 0;

    while (at < length && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\t' || bytes[at] == '\r'))
        at++;
    if (length - at < 2 || bytes[at] != '{')
        return false;
    /* what follows is a key: in UBJSON a length, or a type or count of the list */
    *binary = at == 0 && bytes[1] != 0 && strchr("iUIlL$#N", bytes[1]) != NULL;
    return true;
}

Document document_open(Env *env, const uint8_t *bytes, size_t length, const char *what, const char *hint)
{
    Document document = {.env = env, .what = what, .hint = hint, .bytes = bytes, .at = bytes, .end = bytes + length};

    if (!document_recognize(bytes, length, &document.binary))
        document_fail(&document, "does not begin with an object");
    return document;
}

void document_close(Document *document)
{
    if (!document->binary)
        skip_spaces(document);
    if (document->at != document->end)
        document_fail(document, "does not end");
}

/* ---- values ---- */

/* Returns the marker of the next value of UBJSON, and passes it. */
static uint8_t take_marker(Document *document)
{
    uint8_t marker = document->marker;

    document->marker = 0;
    if (marker != 0)
        return marker;
    marker = peek(document);
    document->at++;
    return marker;
}

static DocumentType type_of_marker(const Document *document, uint8_t marker)
{
    switch (marker) {
    case 'Z':
        return DOCUMENT_NULL;
    case 'T':
        return DOCUMENT_TRUE;
    case 'F':
        return DOCUMENT_FALSE;
    case 'S':
    case 'C':
        return DOCUMENT_STRING;
    case '[':
        return DOCUMENT_ARRAY;
    case '{':
        return DOCUMENT_OBJECT;
    default:
        if (number_size(marker) == 0)
            document_fail(document, "has an unknown type %u", marker);
        return DOCUMENT_NUMBER;
    }
}

DocumentType document_type(Document *document)
{
    uint8_t next;

    if (document->binary)
        return type_of_marker(document, document->marker != 0 ? document->marker : peek(document));
    next = peek(document);
    switch (next) {
    case 'n':
        return DOCUMENT_NULL;
    case 't':
        return DOCUMENT_TRUE;
    case 'f':
        return DOCUMENT_FALSE;
    case '"':
        return DOCUMENT_STRING;
    case '[':
        return DOCUMENT_ARRAY;
    case '{':
        return DOCUMENT_OBJECT;
    default:
        if (strchr("-0123456789NI", next) == NULL || next == 0)
            document_fail(document, "has no value");
        return DOCUMENT_NUMBER;
    }
}

/* Fails unless the next value is of this type. */
static void require_type(Document *document, DocumentType type)
{
    static const char *const names[] = {"", "null", "false", "true", "a number", "a string", "an array", "an object"};
    DocumentType found = document_type(document);

    if (found != type)
        document_fail(document, "has %s in place of %s", names[found], names[type]);
}

/* ---- lists ---- */

/* Reads the type and the count that a list of UBJSON may begin with. */
static void enter_binary(Document *document, DocumentList *list)
{
    document->at += document->marker == 0; /* the bracket */
    document->marker = 0;
    if (peek(document) == '$') {
        document->at++;
        list->marker = *take(document, 1);
        if (number_size(list->marker) == 0)
            document_fail(document, "has a list of a type other than numbers");
        if (peek(document) != '#')
            document_fail(document, "has a list of a type without a length");
    }
    if (peek(document) == '#') {
        document->at++;
        list->counted = true;
        list->left = take_count(document);
    }
}

void document_enter(Document *document, DocumentType type, DocumentList *list)
{
    require_type(document, type);
    if (++document->depth > DOCUMENT_DEPTH)
        document_fail(document, "has more than %d lists in lists", DOCUMENT_DEPTH);
    *list = (DocumentList){.object = type == DOCUMENT_OBJECT};
    if (document->binary)
        enter_binary(document, list);
    else
        document->at++;
}

/* Goes on in a list of JSON: past the comma, or past the end. */
static bool next_of_text(Document *document, DocumentList *list)
{
    uint8_t next = peek(document);

    if (next == (list->object ? '}' : ']')) {
        document->at++;
        return false;
    }
    if (list->begun && next != ',')
        document_fail(document, "lacks a comma");
    document->at += list->begun;
    if (list->begun && peek(document) == (list->object ? '}' : ']'))
        document_fail(document, "has a comma too many");
    return true;
}

bool document_next(Document *document, DocumentList *list)
{
    bool more;

    poll(document);
    if (!document->binary) {
        more = next_of_text(document, list);
    } else if (list->counted) {
        more = list->left > 0;
        list->left -= more;
    } else {
        more = peek(document) != (list->object ? '}' : ']');
        document->at += !more;
    }
    list->begun = true;
    document->depth -= !more;
    if (more && !list->object)
        document->marker = list->marker;
    return more;
}

/* ---- strings ---- */

/* Returns a string of JSON with its quotes, and passes it. */
static const char *take_quoted(Document *document, size_t *length)
{
    const uint8_t *begin = document->at++;

    for (;;) {
        uint8_t c = *take(document, 1);

        poll(document);
        if (c == '"')
            break;
        if (c == '\\')
            take(document, 1);
    }
    *length = (size_t)(document->at - begin);
    return (const char *)begin;
}

/* Returns the next string, decoded, [*length] bytes; of JSON from memory of env. */
static const char *take_string(Document *document, size_t *length)
{
    const char *quoted;
    const Json *json;
    uint8_t marker;

    if (document->binary) {
        marker = take_marker(document);
        *length = marker == 'C' ? 1 : take_count(document);
        return (const char *)take(document, *length);
    }
    quoted = take_quoted(document, length);
    if (memchr(quoted, '\\', *length) == NULL) {
        *length -= 2;
        return quoted + 1;
    }
    json = json_parse(document->env, quoted, *length, ERROR_DATA, "string of the document");
    *length = json->length;
    return json->text;
}

char *document_string(Document *document)
{
    const char *bytes;
    size_t length;

    require_type(document, DOCUMENT_STRING);
    bytes = take_string(document, &length);
    if (!text_is_valid(document->env, bytes, length))
        document_fail(document, "has a string that is no valid text");
    return env_text(document->env, bytes, length);
}

const char *document_next_name(Document *document, DocumentList *list, size_t *length)
{
    const char *bytes;

    if (!document_next(document, list))
        return NULL;
    if (document->binary) {
        *length = take_count(document); /* a key has no type */
        bytes = (const char *)take(document, *length);
    } else {
        require_type(document, DOCUMENT_STRING);
        bytes = take_string(document, length);
        if (peek(document) != ':')
            document_fail(document, "lacks a colon");
        document->at++;
    }
    document->marker = list->marker;
    return bytes;
}

bool document_next_key(Document *document, DocumentList *list, char key[DOCUMENT_KEY])
{
    size_t length;
    const char *bytes = document_next_name(document, list, &length);

    if (bytes == NULL)
        return false;
    length = length < DOCUMENT_KEY ? length : DOCUMENT_KEY - 1;
    memcpy(key, bytes, length);
    key[length] = 0;
    return true;
}

/* ---- numbers ---- */

/* Copies a number of JSON as strtod reads it, after comparing it with the grammar. */
static void take_digits(Document *document, char text[NUMBER_TEXT])
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    const uint8_t *begin = document->at, *at = begin;
    size_t left = (size_t)(document->end - begin), length;

    for (int i = 0; i < 3; i++)
        if (left >= strlen(words[i]) && memcmp(begin, words[i], strlen(words[i])) == 0) {
            document->at += strlen(words[i]);
            strcpy(text, words[i]);
            return;
        }
    while (at < document->end && *at != 0 && strchr("+-.0123456789eE", *at) != NULL)
        at++;
    length = (size_t)(at - begin);
    if (length >= NUMBER_TEXT)
        document_fail(document, "has a number of %zu digits", length);
    memcpy(text, begin, length);
    text[length] = 0;
    document->at = at;
}

double document_number(Document *document)
{
    char text[NUMBER_TEXT], *end;
    double value;

    require_type(document, DOCUMENT_NUMBER);
    if (document->binary)
        return binary_number(document, take_marker(document));
    take_digits(document, text);
    value = strtod(text, &end);
    if (end == text || *end != 0)
        document_fail(document, "has a malformed number");
    return value;
}

float document_float(Document *document)
{
    char text[NUMBER_TEXT], *end;
    float value;

    if (document->binary)
        return (float)document_number(document);
    require_type(document, DOCUMENT_NUMBER);
    take_digits(document, text);
    value = strtof(text, &end);
    if (end == text || *end != 0)
        document_fail(document, "has a malformed number");
    return value;
}

int64_t document_integer(Document *document, int64_t least, int64_t most, const char *what)
{
    double value = document_number(document);

    if (!(value >= (double)least && value <= (double)most) || value != floor(value))
        document_fail(document, "says that %s is %g", what, value);
    return (int64_t)value;
}

/* ---- passing over ---- */

static void skip_word(Document *document, const char *word)
{
    size_t length = strlen(word);

    if (memcmp(take(document, length), word, length) != 0)
        document_fail(document, "has an unknown word");
}

static void skip_list(Document *document, DocumentType type)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    document_enter(document, type, &list);
    if (list.marker != 0 && !list.object) {
        take(document, list.left * number_size(list.marker)); /* a count is at most the bytes that were left */
        document->depth--;
        return;
    }
    while (list.object ? document_next_key(document, &list, key) : document_next(document, &list))
        document_skip(document);
}

void document_skip(Document *document)
{
    DocumentType type = document_type(document);
    size_t length;

    switch (type) {
    case DOCUMENT_NULL:
    case DOCUMENT_FALSE:
    case DOCUMENT_TRUE:
        if (document->binary)
            take_marker(document);
        else
            skip_word(document, type == DOCUMENT_NULL ? "null" : type == DOCUMENT_FALSE ? "false" : "true");
        return;
    case DOCUMENT_NUMBER:
        document_number(document);
        return;
    case DOCUMENT_STRING:
        if (document->binary)
            take_string(document, &length);
        else
            take_quoted(document, &length);
        return;
    default:
        skip_list(document, type);
    }
}
