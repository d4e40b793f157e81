/*
 * scorer_cache.c - models at hand at a call site of a scoring function.
 */
#include "pg/score/scorer_cache.h"

#include "access/detoast.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* In a TOAST table (relation, value), or in line (fingerprint, size). */
typedef struct ScorerKey {
    uint64 a, b;
    bool toasted;
} ScorerKey;

typedef struct ScorerEntry {
    /* what each row reads */
    ScorerKey key;
    Scorer scorer;    /* model: the copy, or where the value lay when last used */
    Model *copy;      /* NULL: read in place */
    uint32 directory; /* where the header and the directory end */
    uint8 kind;
    bool used; /* since the clock's hand came by */
    const Model *compared; /* where a value stood that was the copy, byte by byte */

    char estimator[32];    /* of the header, for comparison */
    MemoryContext context; /* of what was prepared from the copy; NULL: nothing */
    size_t bytes;
    dlist_node ring;
} ScorerEntry;

/* Small, so that a join's many models stay in the processor's cache; the entry has the whole key.
 */
typedef struct ScorerSlot {
    uint64 a;
    ScorerEntry *entry;
    char status;
} ScorerSlot;

#define SH_PREFIX scorers
#define SH_ELEMENT_TYPE ScorerSlot
#define SH_KEY_TYPE uint64
#define SH_KEY a
#define SH_HASH_KEY(table, k) ((uint32)(((k)*UINT64CONST(0x9e3779b97f4a7c15)) >> 32))
#define SH_EQUAL(table, x, y) ((x) == (y))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/*
 * A full cache takes in one in so many new models: rows that go round more models than fit would
 * otherwise throw each out just before it is wanted. The others are guests until the next one
 * comes.
 */
#define ADMIT_ONE_IN 8

/* Larger values are compared whole once an address, then in as many places of so many bytes. */
#define COMPARED_WHOLE (64 * 1024)
#define COMPARED_PLACES 16
#define COMPARED_BYTES 64

struct ScorerCache {
    MemoryContext context;
    MemoryContext copies; /* each copy is a block of its own size */
    ScorerEntry *last;    /* used for the row before, most often the right one */
    ScorerEntry *guest;   /* at most one, in neither table nor ring */
    Pointer constant;     /* the constant datum that last stands for */
    scorers_hash *table;
    dlist_head ring; /* oldest first */
    size_t bytes;
    uint32 refused;
};

ScorerCache *scorer_cache_create(MemoryContext context)
{
    ScorerCache *cache = MemoryContextAllocZero(context, sizeof(ScorerCache));

    cache->context = context;
    cache->table = scorers_create(context, 16, NULL);
    dlist_init(&cache->ring);
    return cache;
}

static void free_entry(ScorerCache *cache, ScorerEntry *entry)
{
    if (cache->last == entry) {
        cache->last = NULL;
        cache->constant = NULL;
    }
    if (entry->context != NULL)
        MemoryContextDelete(entry->context); /* with the copy */
    else if (entry->copy != NULL)
        pfree(entry->copy);
    pfree(entry);
}

/* Takes an entry out of the cache and frees it. */
static void evict(ScorerCache *cache, ScorerEntry *entry)
{
    if (entry == cache->guest) {
        cache->guest = NULL;
    } else {
        scorers_delete(cache->table, entry->key.a);
        dlist_delete(&entry->ring);
        cache->bytes -= entry->bytes;
    }
    free_entry(cache, entry);
}

/* Room within work_mem for a new entry, by second chance (clock); false: it shall be a guest. */
static bool make_room(ScorerCache *cache, size_t bytes)
{
    size_t limit = (size_t)work_mem * 1024;

    if (cache->bytes + bytes <= limit)
        return true;
    if (bytes > limit || cache->refused++ % ADMIT_ONE_IN != 0)
        return false;
    while (cache->bytes + bytes > limit) {
        ScorerEntry *oldest = dlist_head_element(ScorerEntry, ring, &cache->ring);

        if (oldest->used) {
            oldest->used = false;
            dlist_delete(&oldest->ring);
            dlist_push_tail(&cache->ring, &oldest->ring);
        } else {
            evict(cache, oldest);
        }
    }
    return true;
}

static void *prepare(const Estimator *estimator, const Model *model, MemoryContext context)
{
    MemoryContext before = MemoryContextSwitchTo(context);
    size_t ignored;
    void *prepared = estimator->scoring->prepare(host_env(), model, &ignored);

    MemoryContextSwitchTo(before);
    return prepared;
}

/* The copies' context: what is above 1 kB gets a block of just its size. */
static Model *copy_model(ScorerCache *cache, const Model *model)
{
    Model *copy;

    if (cache->copies == NULL)
        cache->copies = AllocSetContextCreate(cache->context, "pgfit models", ALLOCSET_SMALL_SIZES);
    copy = MemoryContextAllocHuge(cache->copies, model->size);
    memcpy(copy, model, model->size);
    return copy;
}

/*
 * Makes the entry of a model that is sound. keep: a copy of it, though nothing is prepared. Nothing
 * of the cache changes before the estimator is done, which may fail.
 */
static ScorerEntry *add_entry(ScorerCache *cache, const ScorerKey *key, const Model *model,
                              bool keep)
{
    const Estimator *estimator = estimator_of(model);
    const Scoring *scoring = estimator != NULL ? estimator->scoring : NULL;
    bool prepares = scoring != NULL && scoring->prepare != NULL &&
                    (scoring->prepares == NULL || scoring->prepares(model));
    ScorerEntry *entry;
    size_t bytes = sizeof(ScorerEntry) + 2 * sizeof(ScorerSlot);
    MemoryContext context = NULL;
    const void *prepared = NULL;
    Model *copy = NULL;

    if (cache->guest != NULL)
        evict(cache, cache->guest);
    if (prepares) {
        /* the row's until all has gone well: an error in a PL's exception block leaves nothing
         * behind */
        context = AllocSetContextCreate(CurrentMemoryContext, "pgfit scorer", ALLOCSET_SMALL_SIZES);
        model = copy = memcpy(MemoryContextAllocHuge(context, model->size), model, model->size);
        prepared = prepare(estimator, copy, context);
        bytes += MemoryContextMemAllocated(context, true);
    } else if (keep) {
        model = copy = copy_model(cache, model);
        bytes += model->size + 64;
    }

    entry = MemoryContextAllocZero(cache->context, sizeof(ScorerEntry));
    entry->key = *key;
    entry->scorer.model = model;
    entry->scorer.estimator = estimator;
    entry->scorer.prepared = prepared;
    entry->copy = copy;
    entry->context = context;
    memcpy(entry->estimator, model->estimator, sizeof(entry->estimator));
    entry->kind = model->kind;
    entry->directory = sizeof(Model) + model->entry_count * sizeof(ModelEntry);
    entry->bytes = bytes;
    if (context != NULL)
        MemoryContextSetParent(context, cache->context);
    if (make_room(cache, bytes)) {
        bool found;

        scorers_insert(cache->table, key->a, &found)->entry = entry;
        dlist_push_tail(&cache->ring, &entry->ring);
        cache->bytes += bytes;
    } else {
        cache->guest = entry;
    }
    return entry;
}

static inline bool key_equal(const ScorerKey *x, const ScorerKey *y)
{
    return x->a == y->a && x->b == y->b && x->toasted == y->toasted;
}

/*
 * Rows that change models find each one cold. What a score reads is asked for at once: the header,
 * the end of the directory, and the last array, with which linear models score.
 */
static inline void fetch_ahead(const ScorerEntry *entry)
{
    const char *begin = (const char *)entry->copy;

    __builtin_prefetch(begin);
    __builtin_prefetch(begin + 64);
    __builtin_prefetch(begin + entry->directory - sizeof(ModelEntry));
    for (uint32 back = 64; back <= 256 && back < entry->key.b; back += 64)
        __builtin_prefetch(begin + entry->key.b - back);
}

static inline ScorerEntry *find_entry(ScorerCache *cache, const ScorerKey *key)
{
    ScorerSlot *slot;

    if (cache->last != NULL && key_equal(&cache->last->key, key))
        return cache->last;
    if (cache->guest != NULL && key_equal(&cache->guest->key, key))
        return cache->guest;
    slot = scorers_lookup(cache->table, key->a);
    if (slot == NULL)
        return NULL;
    if (unlikely(!key_equal(&slot->entry->key, key))) {
        evict(cache, slot->entry);
        return NULL;
    }
    if (slot->entry->copy != NULL)
        fetch_ahead(slot->entry);
    return slot->entry;
}

static const Scorer *get_toasted(ScorerCache *cache, Datum datum,
                                 const struct varatt_external *toast)
{
    ScorerKey key = {((uint64)toast->va_toastrelid << 32) | toast->va_valueid, toast->va_rawsize,
                     true};
    ScorerEntry *entry = find_entry(cache, &key);

    if (entry == NULL) {
        const Model *model = model_from_datum(datum);

        model_require_sound(model);
        entry = add_entry(cache, &key, model, true);
        pfree((void *)model);
    }
    entry->used = true;
    cache->last = entry;
    return &entry->scorer;
}

/*
 * Is this value the entry's copy? Rows of a join or a loop bring it from one place, and comparing megabytes
 * a row would cost more than the score: where the whole was equal there before, fingerprint, size, directory
 * and a sample of the bytes tell.
 */
static bool equals_copy(ScorerEntry *entry, const Model *model)
{
    const char *copy = (const char *)entry->copy, *value = (const char *)model;

    if (model->size <= COMPARED_WHOLE || entry->compared != model) {
        if (memcmp(copy, value, model->size) != 0)
            return false;
        entry->compared = model;
        return true;
    }
    if (memcmp(copy, value, entry->directory) != 0)
        return false;
    for (uint32 i = 0; i < COMPARED_PLACES; i++) {
        uint32 place = (model->size - COMPARED_BYTES) / (COMPARED_PLACES - 1) * i;

        if (memcmp(copy + place, value + place, COMPARED_BYTES) != 0)
            return false;
    }
    return true;
}

/* Is what the entry knows true of this value? Fingerprint and size are equal. */
static inline bool entry_holds(ScorerEntry *entry, const Model *model)
{
    if (entry->kind != model->kind ||
        memcmp(entry->estimator, model->estimator, sizeof(entry->estimator)) != 0)
        return false;
    return entry->copy == NULL || equals_copy(entry, model);
}

static const Scorer *get_in_line(ScorerCache *cache, const Model *model)
{
    ScorerKey key = {model->fingerprint, model->size, false};
    ScorerEntry *entry = find_entry(cache, &key);

    if (entry != NULL && unlikely(!entry_holds(entry, model))) {
        evict(cache, entry);
        entry = NULL;
    }
    if (entry == NULL) {
        model_require_sound(model);
        entry = add_entry(cache, &key, model, false);
    }
    if (entry->copy == NULL)
        entry->scorer.model = model;
    entry->used = true;
    cache->last = entry;
    return &entry->scorer;
}

const Scorer *scorer_cache_get(ScorerCache *cache, Datum datum, bool constant)
{
    struct varlena *value = (struct varlena *)DatumGetPointer(datum);
    const Scorer *scorer;

    if (constant && cache->last != NULL && cache->constant == (Pointer)value)
        return &cache->last->scorer;
    if (VARATT_IS_EXTERNAL_ONDISK(value)) {
        struct varatt_external toast;

        VARATT_EXTERNAL_GET_POINTER(toast, value);
        scorer = get_toasted(cache, datum, &toast);
    } else if (likely(VARATT_IS_4B_U(value) && (uintptr_t)value % 8 == 0 &&
                      VARSIZE(value) >= sizeof(Model) &&
                      ((const Model *)value)->magic == MODEL_MAGIC &&
                      ((const Model *)value)->min_reader <= MODEL_READER &&
                      ((const Model *)value)->size == VARSIZE(value))) {
        scorer = get_in_line(cache, (const Model *)value);
        if (constant)
            cache->constant = (Pointer)value;
    } else {
        /* compressed, in another backend's form, or not a model: detoasted for this row, or refused
         */
        scorer = get_in_line(cache, model_from_datum(datum));
    }
    return scorer;
}
