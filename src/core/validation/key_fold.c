/*
 * key_fold.c - hashes keys for folds and splits.
 */
#include "core/validation/key_fold.h"

#include "core/base/random.h"

uint64_t key_seed(KeyUse use, uint64_t seed)
{
    return mix64(mix64(seed + RANDOM_STEP) + (uint64_t)use * RANDOM_STEP);
}

uint64_t key_hash(KeyUse use, uint64_t seed, const char *bytes, size_t length)
{
    uint64_t start = key_seed(use, seed), hash = 14695981039346656037u ^ start; /* FNV-1a, then mixed */

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return mix64(hash ^ mix64(start + length));
}
