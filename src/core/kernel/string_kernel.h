/*
 * string_kernel.h - kernels between two strings of characters: spectrum and gap-weighted subsequences.
 *
 *   spectrum      the sum over all strings u of n characters of (how often u occurs in a) x (how often it occurs in b), at
 *                 adjacent characters. Leslie, Eskin & Noble (2002), Pacific Symposium on Biocomputing
 *   subsequence   the same for u whose characters occur in this order, with gaps between them: an occurrence that spans l
 *                 characters counts decay^l. Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins (2002), JMLR 2
 *
 * Values have the same bits on every machine, and do not depend on the order of the two strings.
 */
#ifndef PGFIT_STRING_KERNEL_H
#define PGFIT_STRING_KERNEL_H

#include "core/base/env.h"

#define STRING_KERNEL_MAX_LENGTH 100 /* characters that are compared at a time */

/* A string of n characters, and how often it occurs in a string. */
typedef struct NGram {
    uint64_t hash;
    uint32_t first; /* where it occurs first */
    uint32_t times;
} NGram;

/*
 * Returns the characters of a text, and sets *count. Where the encoding of the server is unknown, a byte that is not part of UTF-8 is a
 * character of its own.
 */
uint32_t *string_characters(Env *env, const char *bytes, size_t length, uint32_t *count);
/* Does the same into characters, which has room for `length`; returns the count. */
uint32_t string_decode(Env *env, const char *bytes, size_t length, uint32_t *characters);

/*
 * Returns the distinct strings of n characters in order of their hashes, and sets *found; NULL if there are none. This and
 * subsequence_kernel fail with ERROR_LIMIT if one text takes more than the budget.
 */
NGram *string_spectrum(Env *env, const uint32_t *string, uint32_t count, uint32_t n, uint32_t *found);
/* Returns the spectrum kernel of two strings with their n-grams. */
double spectrum_kernel(const uint32_t *a, const NGram *a_grams, uint32_t a_count, const uint32_t *b, const NGram *b_grams,
                       uint32_t b_count, uint32_t n);

/* Returns the subsequence kernel. Takes n x a_count x b_count steps; polls; allocates n numbers per character of the longer one. */
double subsequence_kernel(Env *env, const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count, uint32_t n,
                          double decay);

/* Returns value / sqrt(self_a self_b), the cosine of two strings in the kernel's space; 0 if one has nothing to compare. */
double string_kernel_normalized(double value, double self_a, double self_b);

#endif
