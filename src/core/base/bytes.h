/*
 * bytes.h - hash, equality and order of strings of bytes, inline.
 */
#ifndef PGFIT_BYTES_H
#define PGFIT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bytes_8(const char *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t bytes_4(const char *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Returns the highest bits of a multiplicative hash of key. bits: 1 .. 32. */
static inline uint32_t bits_of_hash(uint64_t key, unsigned bits)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}

/*
 * Returns the last eight bytes, or all of a shorter string, as a number, without a branch on the length. The eight bytes before
 * the end must be readable, even if they do not belong to the string.
 */
static inline uint64_t bytes_tail(const char *bytes, uint32_t length)
{
    unsigned half = length < 8 ? 4 * (8 - length) : 0; /* twice, as all 64 bits cannot be shifted out at once */
    uint64_t tail = bytes_8(bytes + length - 8);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return tail << half << half;
#else
    return tail >> half >> half;
#endif
}

/* Returns a hash, `bits` bits wide, of the length and of the first and last bytes. */
static inline uint32_t bytes_place(const char *bytes, uint32_t length, unsigned bits)
{
    uint64_t ends = 0;

    if (length >= 8)
        ends = bytes_8(bytes) ^ bytes_8(bytes + length - 8) << 8;
    else if (length >= 4)
        ends = bytes_4(bytes) | (uint64_t)bytes_4(bytes + length - 4) << 32;
    else if (length > 0)
        ends = (uint64_t)(unsigned char)bytes[0] | (uint64_t)(unsigned char)bytes[length / 2] << 8 |
               (uint64_t)(unsigned char)bytes[length - 1] << 16;
    return bits_of_hash(ends ^ length, bits);
}

/* Tells whether two strings of the same length are equal; fast for short ones. */
static inline bool bytes_same(const char *a, const char *b, uint32_t length)
{
    if (length > 16)
        return memcmp(a, b, length) == 0;
    if (length >= 8)
        return bytes_8(a) == bytes_8(b) && bytes_8(a + length - 8) == bytes_8(b + length - 8);
    if (length >= 4)
        return bytes_4(a) == bytes_4(b) && bytes_4(a + length - 4) == bytes_4(b + length - 4);
    for (uint32_t i = 0; i < length; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Compares by bytes, as memcmp does; a string comes after its prefixes. */
static inline int bytes_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t common = a_length < b_length ? a_length : b_length;
    int order = common > 0 ? memcmp(a, b, common) : 0;

    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

/* Continues an FNV-1a hash, which begins as FNV_START, by bytes. Not for tables: folds and stored values depend on it. */
#define FNV_START UINT64_C(14695981039346656037)
static inline uint64_t fnv_hash(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

/*
 * Returns the length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7: no overlong forms, no
 * surrogates, nothing above U+10FFFF), or 0.
 */
static inline size_t utf8_sequence(const unsigned char *at, size_t left)
{
    unsigned char c = at[0];
    unsigned char low = 0x80, high = 0xBF;
    size_t length;

    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c <= 0xDF)
        length = 2;
    else if (c >= 0xE0 && c <= 0xEF)
        length = 3;
    else if (c >= 0xF0 && c <= 0xF4)
        length = 4;
    else
        return 0;
    if (left < length)
        return 0;
    if (c == 0xE0)
        low = 0xA0;
    else if (c == 0xED)
        high = 0x9F;
    else if (c == 0xF0)
        low = 0x90;
    else if (c == 0xF4)
        high = 0x8F;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* Tells whether all bytes are ASCII. */
static inline bool bytes_ascii(const char *text, size_t length)
{
    unsigned char all = 0;

    for (size_t i = 0; i < length; i++)
        all |= (unsigned char)text[i];
    return all < 0x80;
}

/*
 * Returns how many bytes of a text to keep so that they are at most limit and no character is cut in two. A text that is not UTF-8 counts
 * as one of two bytes per character, as East Asian encodings have it, or of three after 0x8F; where it has single bytes, any place will do.
 */
static inline size_t bytes_cut(const char *text, size_t length, size_t limit)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0, size = 1;

    if (length <= limit)
        return length;
    for (; at < limit; at += size) {
        size = utf8_sequence(bytes + at, length - at);
        if (size == 0 || at + size > limit)
            break;
    }
    if (size > 0)
        return at;
    for (at = 0; at < limit; at += size) {
        size = bytes[at] < 0x80 ? 1 : bytes[at] == 0x8F ? 3 : 2;
        if (at + size > limit)
            break;
    }
    return at;
}

#endif
