/*
 * edit_distance.h - the number of edits that turn one string into another, and the number of positions at which two differ.
 *
 * Strings of text are UTF-8; a character is a code point. Fails with ERROR_DATA, naming the byte, if a string is not UTF-8.
 */
#ifndef PGFIT_EDIT_DISTANCE_H
#define PGFIT_EDIT_DISTANCE_H

#include "core/base/env.h"

/*
 * Returns the least number of insertions, deletions and substitutions of characters (Levenshtein 1966). Takes n m / 64
 * steps and a few bytes per character. Polls.
 */
uint64_t edit_distance(Env *env, const char *a, size_t a_length, const char *b, size_t b_length);
/* Returns at how many positions characters differ. Fails with ERROR_DATA if the lengths differ. */
uint64_t hamming_distance_text(Env *env, const char *a, size_t a_length, const char *b,
                               size_t b_length);
/* Returns how many bits differ in so many bytes. */
uint64_t hamming_distance_bits(const uint8_t *a, const uint8_t *b, size_t bytes);

#endif
