/*
 * base64.h - bytes as text and back (RFC 4648, with padding, strict).
 */
#ifndef PGFIT_BASE64_H
#define PGFIT_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the text that this many bytes encode to. */
static inline size_t base64_length(size_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

/* Writes base64_length(count) characters. */
void base64_encode(const uint8_t *bytes, size_t count, char *out);
/* Returns an upper bound on the number of bytes that a text of this length decodes to. */
static inline size_t base64_bytes(size_t length)
{
    return length / 4 * 3;
}
/* Decodes a text into out [base64_bytes(length)]. Returns false unless base64_encode would write exactly this text. */
bool base64_decode(const char *text, size_t length, uint8_t *out, size_t *count);

#endif
