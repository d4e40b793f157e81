/*
 * random.h - SplitMix64 (Steele, Lea & Flood 2014): a 64-bit hash and a stream of random numbers, the same on every machine.
 */
#ifndef PGFIT_RANDOM_H
#define PGFIT_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP 0x9e3779b97f4a7c15u

/* Mixes 64 bits, one to one. */
static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
/* Returns 64 random bits and advances the state, which begins as the seed. */
static inline uint64_t random_bits(uint64_t *state)
{
    return mix64(*state += RANDOM_STEP);
}
/* Returns a number in [0, 1) and advances the state. */
static inline double random_unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}
/* Returns a number in 0 .. limit - 1, where limit is far below 2^32, and advances the state. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((random_bits(state) >> 32) * limit >> 32);
}

#endif
