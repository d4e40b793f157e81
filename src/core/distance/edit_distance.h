/*
 * edit_distance.h - the number of edits that turn one string into another, and the number of positions at which two differ.
 *
 * A character is a code point, or a byte that is not UTF-8.
 */
#ifndef PGFIT_EDIT_DISTANCE_H
#define PGFIT_EDIT_DISTANCE_H

#include "core/base/env.h"

/* The vertical steps of 64 characters of a text, one bit each: up and down. */
typedef struct EditSteps {
    uint64_t up, down;
} EditSteps;

/*
 * Moves 64 characters, the last of which is number `last`, on by one character of the other text. equal: where they are that
 * character. above: the horizontal step above them, -1, 0 or 1; returns the one below. Myers 1999, in the form of Hyyro 2003.
 */
static inline int edit_step(EditSteps *steps, uint64_t equal, unsigned last, int above)
{
    uint64_t vertical = equal | steps->down, cross, plus, minus;
    int below;

    equal |= above < 0;
    cross = (((equal & steps->up) + steps->up) ^ steps->up) | equal;
    plus = steps->down | ~(cross | steps->up);
    minus = steps->up & cross;
    below = (int)(plus >> last & 1) - (int)(minus >> last & 1);
    plus = plus << 1 | (above > 0);
    minus = minus << 1 | (above < 0);
    steps->up = minus | ~(vertical | plus);
    steps->down = plus & vertical;
    return below;
}

/*
 * Returns the least number of insertions, deletions and substitutions of characters (Levenshtein 1966). Takes n m / 64
 * steps and a few bytes per character. Polls.
 */
uint64_t edit_distance(Env *env, const char *a, size_t a_length, const char *b, size_t b_length);
/* Returns at how many positions characters differ. Fails with ERROR_DATA if the lengths differ. */
uint64_t hamming_distance_text(Env *env, const char *a, size_t a_length, const char *b, size_t b_length);
/* Returns how many bits differ in so many bytes. */
uint64_t hamming_distance_bits(const uint8_t *a, const uint8_t *b, size_t bytes);

#endif
