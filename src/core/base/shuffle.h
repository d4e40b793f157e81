/*
 * shuffle.h - lanes of vectors in another order, by the name that either compiler has for it.
 *
 * SHUFFLE(places, a, b, ...): lane i is the one of a (0, 1, ..) or b (counted on) that the i-th number says; places:
 * the type of a vector of as many integers of the lanes' size.
 */
#ifndef PGFIT_SHUFFLE_H
#define PGFIT_SHUFFLE_H

#ifdef __clang__
#define SHUFFLE(places, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(places, a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

#endif
