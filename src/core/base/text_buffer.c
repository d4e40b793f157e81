/*
 * text_buffer.c - a string that grows.
 */
#include "core/base/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Makes room for `more` bytes and the terminating zero. */
static void reserve(TextBuffer *buffer, size_t more)
{
    Env *env = buffer->env;

    if (more > TEXT_MOST - buffer->length)
        env_fail(env, ERROR_LIMIT, NULL, "a text is longer than %d bytes", TEXT_MOST);
    if (buffer->text != NULL && buffer->length + more < buffer->room)
        return;
    buffer->room = 2 * (buffer->length + more) + 256;
    buffer->text = buffer->text == NULL ? env->alloc(env, buffer->room) : env->resize(env, buffer->text, buffer->room);
}

void text_bytes(TextBuffer *buffer, const char *bytes, size_t length)
{
    reserve(buffer, length);
    env_copy(buffer->env, buffer->text + buffer->length, bytes, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void text_add(TextBuffer *buffer, const char *string)
{
    text_bytes(buffer, string, strlen(string));
}

void text_character(TextBuffer *buffer, char c)
{
    text_bytes(buffer, &c, 1);
}

void text_print(TextBuffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    int length;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        reserve(buffer, (size_t)length);
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

char *text_finish(TextBuffer *buffer, size_t *length)
{
    if (buffer->text == NULL)
        text_bytes(buffer, "", 0);
    if (length != NULL)
        *length = buffer->length;
    return buffer->text;
}
