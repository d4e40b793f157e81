/*
 * protobuf.c - reads and writes the wire format of Protocol Buffers.
 */
#include "core/onnx/protobuf.h"

#define POLL_NUMBERS 65536

/* ---- writing ---- */

static void put_varint(TextBuffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text_character(out, (char)(value | 0x80));
    text_character(out, (char)value);
}

static void put_tag(TextBuffer *out, uint32_t field, ProtoWire wire)
{
    put_varint(out, (uint64_t)field << 3 | wire);
}

static void put_fixed(TextBuffer *out, uint64_t bits, unsigned bytes)
{
    char text[8];

    for (unsigned i = 0; i < bytes; i++)
        text[i] = (char)(bits >> (8 * i));
    text_bytes(out, text, bytes);
}

void proto_varint(TextBuffer *out, uint32_t field, uint64_t value)
{
    put_tag(out, field, PROTO_VARINT);
    put_varint(out, value);
}

void proto_float(TextBuffer *out, uint32_t field, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_tag(out, field, PROTO_4_BYTES);
    put_fixed(out, bits, 4);
}

void proto_bytes(TextBuffer *out, uint32_t field, const void *bytes, size_t length)
{
    put_tag(out, field, PROTO_BYTES);
    put_varint(out, length);
    text_bytes(out, bytes, length);
}

void proto_string(TextBuffer *out, uint32_t field, const char *string)
{
    proto_bytes(out, field, string, strlen(string));
}

void proto_message(TextBuffer *out, uint32_t field, const TextBuffer *message)
{
    proto_bytes(out, field, message->text, message->length);
}

void proto_integers(TextBuffer *out, uint32_t field, const int64_t *numbers, size_t count)
{
    put_tag(out, field, PROTO_BYTES);
    put_varint(out, (uint64_t)count * 8);
    for (size_t i = 0; i < count; i++) {
        put_fixed(out, (uint64_t)numbers[i], 8);
        if (i % POLL_NUMBERS == POLL_NUMBERS - 1)
            out->env->poll(out->env);
    }
}

void proto_doubles(TextBuffer *out, uint32_t field, const double *numbers, size_t count)
{
    put_tag(out, field, PROTO_BYTES);
    put_varint(out, (uint64_t)count * 8);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &numbers[i], sizeof bits);
        put_fixed(out, bits, 8);
        if (i % POLL_NUMBERS == POLL_NUMBERS - 1)
            out->env->poll(out->env);
    }
}

/* ---- reading ---- */

/* Reads a varint of at most ten bytes. Returns false where the bytes end before it does, or it has more than 64 bits. */
static bool get_varint(ProtoReader *reader, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;

        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool get_fixed(ProtoReader *reader, unsigned bytes, uint64_t *bits)
{
    if ((size_t)(reader->end - reader->at) < bytes)
        return false;
    *bits = 0;
    for (unsigned i = 0; i < bytes; i++)
        *bits |= (uint64_t)*reader->at++ << (8 * i);
    return true;
}

static bool get_number(ProtoReader *reader, ProtoWire wire, uint64_t *bits)
{
    switch (wire) {
    case PROTO_VARINT:
        return get_varint(reader, bits);
    case PROTO_8_BYTES:
        return get_fixed(reader, 8, bits);
    case PROTO_4_BYTES:
        return get_fixed(reader, 4, bits);
    default:
        return false;
    }
}

int proto_next(ProtoReader *reader, ProtoField *field)
{
    uint64_t tag, length;

    if (reader->at == reader->end)
        return 0;
    if (!get_varint(reader, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return -1;
    *field = (ProtoField){.number = (uint32_t)(tag >> 3), .wire = (ProtoWire)(tag & 7)};
    if (field->wire != PROTO_BYTES)
        return get_number(reader, field->wire, &field->value) ? 1 : -1;
    if (!get_varint(reader, &length) || length > (uint64_t)(reader->end - reader->at))
        return -1;
    field->bytes = reader->at;
    field->length = (size_t)length;
    reader->at += length;
    return 1;
}

int proto_next_packed(ProtoReader *reader, ProtoWire wire, uint64_t *bits)
{
    if (reader->at == reader->end)
        return 0;
    return get_number(reader, wire, bits) ? 1 : -1;
}
