/*
 * numeric_to_double.c - converts a numeric to the nearest double, from its base-10000 digits.
 *
 * A number of few digits is a whole number multiplied or divided by a power of ten, both of them exact doubles. Up to 19
 * digits take a division in 128 bits. More digits go through the C library as text.
 */
#include "pg/values/numeric_to_double.h"

#include <math.h>

#define NUMERIC_IS_NEGATIVE 0x4000
#define NUMERIC_IS_SPECIAL 0xC000
#define NUMERIC_SPECIAL_KIND 0xF000
#define NUMERIC_IS_PLUS_INFINITY 0xD000
#define NUMERIC_IS_MINUS_INFINITY 0xF000

#define NUMERIC_WHOLE_DIGITS 5     /* of 10,000: below 2^64 where the first is below the next */
#define NUMERIC_WHOLE_FIRST 1844
#define NUMERIC_MAX_LOCAL_DIGITS 64
#define DOUBLE_BITS 53

typedef unsigned __int128 uint128_whole;

const uint64 numeric_masks[NUMERIC_SMALL_DIGITS + 1] = {
    0, UINT64CONST(0xFFFF) << 48, UINT64CONST(0xFFFFFFFF) << 32, ~UINT64CONST(0xFFFF), ~UINT64CONST(0)};

const double numeric_scales[2 * NUMERIC_SMALL_POWERS + 1][2] = {
    {1, 1e20}, {1, 1e16}, {1, 1e12}, {1, 1e8}, {1, 1e4}, {1, 1}, {1e4, 1}, {1e8, 1}, {1e12, 1}, {1e16, 1}, {1e20, 1}};

/* Returns the double nearest to whole / divisor, ties to even. whole is not 0; divisor is at most 1e20, below 2^67. */
static double divide_exact(uint64 whole, uint128_whole divisor)
{
    int shift = 64 + __builtin_clzll(whole), excess;
    uint128_whole dividend = (uint128_whole)whole << shift, quotient = dividend / divisor, cut, half;
    bool rest = dividend != quotient * divisor;
    uint64 high = (uint64)(quotient >> 64), mantissa;

    /* at least 61 bits, more than a double holds: the bits cut off and the remainder decide how to round */
    excess = (high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64)quotient)) - DOUBLE_BITS;
    mantissa = (uint64)(quotient >> excess);
    half = (uint128_whole)1 << (excess - 1);
    cut = quotient - ((uint128_whole)mantissa << excess);
    if (cut > half || (cut == half && (rest || mantissa & 1)))
        mantissa++;
    return ldexp((double)mantissa, excess - shift);
}

/* Lets the C library round, from text: the digits as one whole number with an exponent. */
static double numeric_slow(const char *digits, uint32 count, int exponent, bool *overflow)
{
    char local[NUMERIC_MAX_LOCAL_DIGITS * 4 + 16];
    char *text = count > NUMERIC_MAX_LOCAL_DIGITS ? palloc(count * 4 + 16) : local;
    char *out = text;
    double value;

    for (uint32 i = 0; i < count; i++) {
        int digit = READ_AT(int16, digits + 2 * i);

        *out++ = (char)('0' + digit / 1000);
        *out++ = (char)('0' + digit / 100 % 10);
        *out++ = (char)('0' + digit / 10 % 10);
        *out++ = (char)('0' + digit % 10);
    }
    snprintf(out, 16, "e%d", exponent);
    value = strtod(text, NULL);
    if (isinf(value))
        *overflow = true;
    if (text != local)
        pfree(text);
    return value;
}

/* Returns the digits times a power of 10,000. */
static double numeric_digits(const char *digits, uint32 count, int power, bool *overflow)
{
    const double *scale;
    uint64 whole = 0;

    if (count > NUMERIC_WHOLE_DIGITS || power < -NUMERIC_SMALL_POWERS || power >= NUMERIC_SMALL_POWERS ||
        (count == NUMERIC_WHOLE_DIGITS && READ_AT(int16, digits) >= NUMERIC_WHOLE_FIRST))
        return numeric_slow(digits, count, 4 * power, overflow);
    for (uint32 i = 0; i < count; i++)
        whole = whole * 10000 + (uint64)READ_AT(int16, digits + 2 * i);
    scale = numeric_scales[power + NUMERIC_SMALL_POWERS];
    if (whole <= NUMERIC_EXACT)
        return (double)whole * scale[0] / scale[1];
    if (power < 0)
        return divide_exact(whole, (uint128_whole)scale[1]);
    return (double)((uint128_whole)whole * (uint64)scale[0]);
}

double sql_value_numeric(const char *place, bool *overflow)
{
    uint32 size, count;
    const char *content = varlena_content(place, &size);
    uint16 header = READ_AT(uint16, content);
    bool negative;
    int weight;
    double value;

    if ((header & NUMERIC_KIND) == NUMERIC_IS_SPECIAL) {
        int special = header & NUMERIC_SPECIAL_KIND;

        return special == NUMERIC_IS_PLUS_INFINITY    ? INFINITY
               : special == NUMERIC_IS_MINUS_INFINITY ? -INFINITY
                                                      : NAN;
    }
    if (header & NUMERIC_IS_SHORT) {
        negative = (header & NUMERIC_SHORT_IS_NEGATIVE) != 0;
        weight = (header & NUMERIC_SHORT_WEIGHT) - (header & NUMERIC_SHORT_WEIGHT_MINUS);
        content += 2;
        size -= 2;
    } else {
        negative = (header & NUMERIC_KIND) == NUMERIC_IS_NEGATIVE;
        weight = READ_AT(int16, content + 2);
        content += 4;
        size -= 4;
    }
    count = size / 2;
    if (count == 0)
        return 0;
    value = numeric_digits(content, count, weight - (int)count + 1, overflow);
    return negative ? -value : value;
}
