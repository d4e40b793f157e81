/*
 * text_buffer.h - a string that grows: JSON, SQL, reports and lists are written into one.
 */
#ifndef PGFIT_TEXT_BUFFER_H
#define PGFIT_TEXT_BUFFER_H

#include "core/base/env.h"

/* A zero-terminated string in env's memory. {.env = env} is an empty one; text is NULL until something is added. */
typedef struct TextBuffer {
    Env *env;
    char *text;
    size_t length, room;
} TextBuffer;

/* What a value of the host holds. Adding more fails with ERROR_LIMIT. */
#define TEXT_MOST 0x3FFFFF00

/* Adds bytes, which need not be zero-terminated. */
void text_bytes(TextBuffer *buffer, const char *bytes, size_t length);
void text_add(TextBuffer *buffer, const char *string);
void text_character(TextBuffer *buffer, char c);
/* Adds what printf would print, of any length. */
void text_print(TextBuffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the string, "" if nothing was added; *length may be NULL. */
char *text_finish(TextBuffer *buffer, size_t *length);

#endif
