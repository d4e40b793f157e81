/*
 * base64.c - base64 encoding and decoding.
 */
#include "core/base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const uint8_t *bytes, size_t count, char *out)
{
    for (; count >= 3; count -= 3, bytes += 3, out += 4) {
        uint32_t group = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];

        out[0] = alphabet[group >> 18];
        out[1] = alphabet[(group >> 12) & 63];
        out[2] = alphabet[(group >> 6) & 63];
        out[3] = alphabet[group & 63];
    }
    if (count > 0) {
        uint32_t group = (uint32_t)bytes[0] << 16 | (count == 2 ? (uint32_t)bytes[1] << 8 : 0);

        out[0] = alphabet[group >> 18];
        out[1] = alphabet[(group >> 12) & 63];
        out[2] = count == 2 ? alphabet[(group >> 6) & 63] : '=';
        out[3] = '=';
    }
}

/* Returns the value of a digit, or 64 for other characters. */
static uint32_t digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a' + 26);
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0' + 52);
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool base64_decode(const char *text, size_t length, uint8_t *out, size_t *count)
{
    size_t padding = 0;
    uint8_t *start = out;

    if (length % 4 != 0)
        return false;
    if (length > 0 && text[length - 1] == '=')
        padding = text[length - 2] == '=' ? 2 : 1;
    for (size_t i = 0; i < length; i += 4) {
        size_t used = i + 4 == length ? 4 - padding : 4;
        uint32_t group = 0;

        for (size_t k = 0; k < 4; k++) {
            uint32_t value = k < used ? digit_value(text[i + k]) : 0;

            if (value > 63)
                return false;
            group = group << 6 | value;
        }
        *out++ = (uint8_t)(group >> 16);
        if (used > 2)
            *out++ = (uint8_t)(group >> 8);
        if (used > 3)
            *out++ = (uint8_t)group;
        if ((used == 2 && (group & 0xFFFF) != 0) || (used == 3 && (group & 0xFF) != 0))
            return false; /* the encoder never sets these bits */
    }
    *count = (size_t)(out - start);
    return true;
}
