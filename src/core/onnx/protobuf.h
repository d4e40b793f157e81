/*
 * protobuf.h - the wire format of Protocol Buffers (protobuf.dev, "Encoding"): a writer of fields and a reader with bounds.
 *
 * A message is fields, each a number and a value: a varint, 4 or 8 bytes, or a length and so many bytes, which may be a message again. The
 * reader knows no schema: whoever reads a message asks for field after field and skips those that it does not know. Groups, which nothing
 * has written for years, are refused, so the reader never calls itself: how deep messages nest is decided by its callers.
 */
#ifndef PGFIT_PROTOBUF_H
#define PGFIT_PROTOBUF_H

#include "core/base/text_buffer.h"

#include <string.h>

/* ---- writing ---- */

void proto_varint(TextBuffer *out, uint32_t field, uint64_t value);
void proto_float(TextBuffer *out, uint32_t field, float value);
void proto_bytes(TextBuffer *out, uint32_t field, const void *bytes, size_t length);
void proto_string(TextBuffer *out, uint32_t field, const char *string);
/* Adds a message that was written into another buffer. */
void proto_message(TextBuffer *out, uint32_t field, const TextBuffer *message);
/* Adds numbers as one field of bytes: little-endian, 8 bytes each. Polls. */
void proto_doubles(TextBuffer *out, uint32_t field, const double *numbers, size_t count);
void proto_integers(TextBuffer *out, uint32_t field, const int64_t *numbers, size_t count);

/* ---- reading ---- */

typedef enum ProtoWire { PROTO_VARINT = 0, PROTO_8_BYTES = 1, PROTO_BYTES = 2, PROTO_4_BYTES = 5 } ProtoWire;

/* Bytes that are left of a message. */
typedef struct ProtoReader {
    const uint8_t *at, *end;
} ProtoReader;

typedef struct ProtoField {
    uint32_t number;
    ProtoWire wire;
    uint64_t value;       /* of a varint or of fixed bytes: the bits */
    const uint8_t *bytes; /* PROTO_BYTES: [length] inside the document */
    size_t length;
} ProtoField;

/* Reads the next field. Returns 1; 0 at the end; -1 if the bytes are no field. */
int proto_next(ProtoReader *reader, ProtoField *field);
/* Reads one number of a packed array of this wire type, not PROTO_BYTES. Returns as proto_next does. */
int proto_next_packed(ProtoReader *reader, ProtoWire wire, uint64_t *bits);

static inline ProtoReader proto_reader(const uint8_t *bytes, size_t length)
{
    return (ProtoReader){bytes, bytes + length};
}

static inline float proto_float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;

    memcpy(&x, &low, sizeof x);
    return x;
}

static inline double proto_double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
