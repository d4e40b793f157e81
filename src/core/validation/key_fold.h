/*
 * key_fold.h - assigns keys to folds, or to one side of a split, by a hash of their text: the same on every machine, and the
 * same for equal keys, so that rows of one group stay together.
 */
#ifndef PGFIT_KEY_FOLD_H
#define PGFIT_KEY_FOLD_H

#include <stddef.h>
#include <stdint.h>

/* Returns 64 bits that look random: a hash of the seed and the bytes. Different uses of a key get independent bits. */
typedef enum KeyUse { KEY_SPLIT = 1, KEY_FOLD, KEY_GROUP, KEY_ROW, KEY_BOOTSTRAP } KeyUse;
uint64_t key_hash(KeyUse use, uint64_t seed, const char *bytes, size_t length);
/* Returns a seed for a use, so that rows are not assigned as another use of the same seed assigns them. */
uint64_t key_seed(KeyUse use, uint64_t seed);

/* Returns the fold of a hash, 1 to folds, each equally likely. */
static inline uint32_t key_fold(uint64_t hash, uint32_t folds)
{
    return 1 + (uint32_t)(((unsigned __int128)hash * folds) >> 64);
}
/* Returns the hash as a number in [0, 1). */
static inline double key_unit(uint64_t hash)
{
    return (double)(hash >> 11) * 0x1p-53;
}

/*
 * Returns how often a bootstrap sample has a row with this hash, as a Poisson number of mean 1: like the multinomial numbers of a sample of
 * as many rows, but each row by itself, so that no worker needs to know the others (Hanley & MacGibbon 2006).
 */
uint32_t key_bootstrap(uint64_t hash);

#endif
