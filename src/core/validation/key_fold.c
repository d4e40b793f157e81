/*
 * key_fold.c - hashes keys for folds, splits and bootstrap samples.
 */
#include "core/validation/key_fold.h"

#include "core/base/bytes.h"
#include "core/base/random.h"

#include <math.h>

uint64_t key_seed(KeyUse use, uint64_t seed)
{
    return mix64(mix64(seed + RANDOM_STEP) + (uint64_t)use * RANDOM_STEP);
}

uint64_t key_hash(KeyUse use, uint64_t seed, const char *bytes, size_t length)
{
    uint64_t start = key_seed(use, seed);

    return mix64(fnv_hash(FNV_START ^ start, bytes, length) ^ mix64(start + length));
}

uint32_t key_bootstrap(uint64_t hash)
{
    double unit = key_unit(hash), term = exp(-1), below = term;
    uint32_t count = 0;

    while (unit >= below && count < 20) { /* beyond 20, less than 2^-53 is left */
        term /= ++count;
        below += term;
    }
    return count;
}
