/*
 * number_order.h - numbers as integers of the same order, and comparisons for qsort, of structs by their first members.
 */
#ifndef PGFIT_NUMBER_ORDER_H
#define PGFIT_NUMBER_ORDER_H

#include <stdint.h>
#include <string.h>

/* Maps the bits of a number other than -0 and NaN to an integer that orders like it. */
static inline uint64_t key_of_bits(uint64_t bits)
{
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | (uint64_t)1 << 63);
}

/* Maps a number that is not NaN to an integer that orders like it; -0 as 0. */
static inline uint64_t number_key(double number)
{
    uint64_t bits;

    number += 0.0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    return key_of_bits(bits);
}

/* Returns the number of a key. */
static inline double number_of_key(uint64_t key)
{
    uint64_t bits = key ^ ((uint64_t)((int64_t)~key >> 63) | (uint64_t)1 << 63);
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static inline int compare_numbers_falling(const void *left, const void *right)
{
    return compare_numbers(right, left);
}

/* Two numbers, the second of which orders those whose first is the same. */
typedef struct NumberPair {
    double x, y;
} NumberPair;

static inline int compare_pairs(const void *left, const void *right)
{
    const NumberPair *a = left, *b = right;

    return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->y > b->y) - (a->y < b->y);
}

/* A number with its place, which orders equal ones. */
typedef struct PlacedNumber {
    double number;
    uint64_t place;
} PlacedNumber;

static inline int compare_placed(const void *left, const void *right)
{
    const PlacedNumber *a = left, *b = right;

    return a->number != b->number ? (a->number > b->number) - (a->number < b->number) : (a->place > b->place) - (a->place < b->place);
}

static inline int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

#endif
