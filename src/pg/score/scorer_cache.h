/*
 * scorer_cache.h - the cache of checked and prepared models of a call site, several at once.
 *
 * A model stored in line that needs no preparation is read in place: that costs a look at its header per row. Whatever
 * costs more is cached within work_mem, where the entry that was unused longest goes first:
 *
 * - a model in a TOAST table, under its TOAST pointer: the detoasted copy;
 * - a model for which the estimator prepares something, or whose formula has learned terms, under its fingerprint and size: the copy from which that was
 *   prepared. The copy is compared byte by byte, because equal fingerprints prove nothing: a small one at each use, a
 *   large one when it comes from an address not compared before;
 * - a model read in place, under its fingerprint and size: the fact that it passed model_check. Values are checked when
 *   they enter the database; here the check guards against damage on disk, so once is enough. What decides how bytes are
 *   read (estimator, kind) is compared at every use.
 */
#ifndef PGFIT_SCORER_CACHE_H
#define PGFIT_SCORER_CACHE_H

#include "pg/host/backend_env.h"
#include "core/prepare/scorer.h"
#include "core/estimator/conformal.h"

/* A model with conformal scores, and those inside it. */
typedef struct ConformalScorer {
    Conformal arrays;
    uint32 count;
    Scorer *inside;     /* [count] */
    int32 **classes;    /* [count] of each the position that it gives each class of the model; -1: it does not have the class */
} ConformalScorer;

typedef struct ScorerCache ScorerCache;

/* Makes an empty cache in this memory context. */
ScorerCache *scorer_cache_create(MemoryContext context);
/*
 * Returns the model of this datum, checked and prepared; valid until the next call. constant: the datum is the same in
 * every call. Fails with data_corrupted if the value does not pass its check.
 */
const Scorer *scorer_cache_get(ScorerCache *cache, Datum datum, bool constant);
/*
 * Returns a number above 0 that no other model has in this process, for facts that a call site keeps of the model used last. scorer: from a cache. A model
 * read in place that is no constant is copied, and compared with the copy from then on, because anybody can make a value with the fingerprint of another.
 */
uint64 scorer_identity(const Scorer *scorer);

#endif
