/*
 * scorer_cache.h - models at hand at a call site of a scoring function, several at once.
 *
 * A model that lies in line and needs no preparation is read where it is: a row costs a look at its
 * header. What costs more is kept, within work_mem, the longest unused going first:
 *
 * - a model in a TOAST table, under its TOAST pointer: the detoasted copy;
 * - a model whose estimator prepares something, under its fingerprint and size: the copy it was
 *   prepared from, compared byte by byte (equal fingerprints are no proof): a small one at each use,
 *   a large one where it comes from an address that was not compared yet;
 * - of a model read in place, under its fingerprint and size, that it passed model_check. Values
 * pass that check where they come in; here it guards against damage on disk, so once is enough.
 * What decides how bytes are read (estimator, kind) is compared at every use.
 */
#ifndef PGFIT_SCORER_CACHE_H
#define PGFIT_SCORER_CACHE_H

#include "pg/backend/backend_env.h"
#include "core/estimator/estimator.h"

typedef struct Scorer {
    const Model *model;         /* valid for this row */
    const Estimator *estimator; /* NULL: moments, or an estimator this library does not know */
    const void *prepared;
} Scorer;

typedef struct ScorerCache ScorerCache;

/* Lives in context. */
ScorerCache *scorer_cache_create(MemoryContext context);
/*
 * The model of this datum, checked and prepared; valid until the next call. constant: the datum is
 * the same at every call. Fails with data_corrupted where the value is not sound.
 */
const Scorer *scorer_cache_get(ScorerCache *cache, Datum datum, bool constant);

#endif
