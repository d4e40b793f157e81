/*
 * edit_distance.h - how many characters differ, and how many edits lead from one string to the
 * other.
 *
 * Strings are UTF-8; a character is a code point. Fails with ERROR_DATA, naming the byte, where one
 * is not UTF-8.
 */
#ifndef PGFIT_EDIT_DISTANCE_H
#define PGFIT_EDIT_DISTANCE_H

#include "core/base/env.h"

/*
 * The least number of insertions, deletions and substitutions of a character (Levenshtein 1966).
 * Time n m / 64, memory a few bytes a character. Polls.
 */
uint64_t edit_distance(Env *env, const char *a, size_t a_length, const char *b, size_t b_length);
/* Characters that differ, place by place; fails with ERROR_DATA where the numbers of characters
 * differ. */
uint64_t hamming_distance_text(Env *env, const char *a, size_t a_length, const char *b,
                               size_t b_length);

#endif
