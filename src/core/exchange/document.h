/*
 * document.h - reads a document of objects, arrays, strings and numbers in place, in JSON or in UBJSON (Draft 12).
 *
 * The reader walks from value to value and builds no tree, so its memory does not grow with the document, and what nobody asks
 * for is passed over. Every position and count is compared with the bytes that are left. NaN, Infinity and -Infinity are numbers,
 * as many programs write them.
 *
 *     DocumentList object;
 *     for (document_enter(&document, DOCUMENT_OBJECT, &object); document_next_key(&document, &object, key);)
 *         if (strcmp(key, "learner") == 0) ...; else document_skip(&document);
 */
#ifndef PGFIT_DOCUMENT_H
#define PGFIT_DOCUMENT_H

#include "core/base/env.h"

typedef enum DocumentType {
    DOCUMENT_NULL = 1,
    DOCUMENT_FALSE,
    DOCUMENT_TRUE,
    DOCUMENT_NUMBER,
    DOCUMENT_STRING,
    DOCUMENT_ARRAY,
    DOCUMENT_OBJECT
} DocumentType;

#define DOCUMENT_KEY 64   /* bytes of a key, with its closing zero; longer ones are cut */
#define DOCUMENT_DEPTH 64 /* lists in lists */

/* A place in a document. A copy is a place to come back to. */
typedef struct Document {
    Env *env;
    const char *what; /* "xgboost", for messages */
    const char *hint; /* of all failures */
    const uint8_t *bytes, *at, *end;
    bool binary;
    uint8_t marker; /* UBJSON: the type of the next value where its list has said it; 0: the value says it */
    uint32_t depth;
    uint32_t work; /* values and bytes since the last poll */
} Document;

/* A list that is being read. */
typedef struct DocumentList {
    bool object, begun, counted;
    uint8_t marker;
    uint64_t left; /* elements, if counted */
} DocumentList;

/* Tells whether bytes look like such a document: an object in JSON or UBJSON. */
bool document_recognize(const uint8_t *bytes, size_t length, bool *binary);
/* Returns the place of the first value. Fails with ERROR_DATA, as all functions here do, unless it is an object. */
Document document_open(Env *env, const uint8_t *bytes, size_t length, const char *what, const char *hint);
/* Fails if anything but white space is left. */
void document_close(Document *document);

/* Returns the type of the next value. */
DocumentType document_type(Document *document);
/* Begins the next value, which must be an array or an object, as type says. */
void document_enter(Document *document, DocumentType type, DocumentList *list);
/* Go on to the next element or key; return false at the end of the list. Read or skip each value. */
bool document_next(Document *document, DocumentList *list);
bool document_next_key(Document *document, DocumentList *list, char key[DOCUMENT_KEY]);
/* The same; returns the bytes of the key, *length, as they are; NULL at the end. */
const char *document_next_name(Document *document, DocumentList *list, size_t *length);
/* Passes over a value. */
void document_skip(Document *document);

/* Return the next value, which must be of this type. */
double document_number(Document *document);
/* Returns a number as the nearest float, infinite beyond their range. */
float document_float(Document *document);
/* Returns a whole number within these limits. what: "the number of features". */
int64_t document_integer(Document *document, int64_t least, int64_t most, const char *what);
/* Returns a zero-terminated string of valid text without zeros. */
char *document_string(Document *document);

/* Fails with ERROR_DATA: "the xgboost document <format> at byte n". */
void document_fail(const Document *document, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
