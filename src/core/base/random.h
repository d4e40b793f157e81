/*
 * random.h - SplitMix64 (Steele, Lea & Flood 2014): a hash of 64 bits and a stream of random ones, the same on every
 * machine.
 */
#ifndef PGFIT_RANDOM_H
#define PGFIT_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP 0x9e3779b97f4a7c15u

/* A bijective mix of 64 bits. */
static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
/* 64 random bits and the next state; a seed is a first state. */
static inline uint64_t random_bits(uint64_t *state)
{
    return mix64(*state += RANDOM_STEP);
}
/* A number in [0, 1) and the next state. */
static inline double random_unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

#endif
