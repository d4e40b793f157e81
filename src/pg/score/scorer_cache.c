/*
 * scorer_cache.c - the cache of checked and prepared models of a call site.
 */
#include "pg/score/scorer_cache.h"
#include "core/calibration/conformal_scores.h"

#include "access/detoast.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* The key of a model: in a TOAST table its relation and value, in line its fingerprint and size. */
typedef struct ScorerKey {
    uint64 a, b;
    bool toasted;
} ScorerKey;

typedef struct ScorerEntry {
    /* read for each row */
    ScorerKey key;
    Scorer scorer;    /* its model: the copy, or the address of the value used last */
    Model *copy;      /* NULL: read in place */
    uint32 directory; /* where the header and the directory end */
    uint8 kind;
    bool used; /* since the clock's hand passed */
    const Model *compared; /* address of a value that was equal to the copy, byte by byte */

    char estimator[32];    /* from the header, for comparison */
    MemoryContext context; /* memory of what was prepared from the copy; NULL: nothing was */
    ScorerCache *cache;
    uint64 identity; /* see scorer_identity; 0: nobody has asked */
    size_t bytes;
    dlist_node ring;
} ScorerEntry;

/* Small, so that the many models of a join stay in the processor's cache; the entry has the whole key. */
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
 * A full cache admits only one in ADMIT_ONE_IN new models: rows that cycle through more models than fit would otherwise
 * evict each model just before it is needed again. The others are guests: kept only until the next model comes.
 */
#define ADMIT_ONE_IN 8

/* Larger values are compared in full once per address, then only in a sample of bytes. */
#define COMPARED_WHOLE (64 * 1024)
#define COMPARED_PLACES 16
#define COMPARED_BYTES 64

#define COPY_OVERHEAD 64 /* bytes of the allocator per copy */

struct ScorerCache {
    MemoryContext context;
    MemoryContext copies; /* each copy in a block of just its size */
    ScorerEntry *last;    /* used for the previous row; usually the right one again */
    ScorerEntry *guest;   /* at most one, in neither table nor ring */
    Pointer constant;     /* the constant datum to which last belongs: clusters of a kmeans of 300 take 2.3 times as long without it */
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

/* Makes room within work_mem for a new entry, by second chance (clock); false: it must be a guest. */
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

/* Returns where a model has each class of another one. */
static int32 *match_classes(const Model *model, const Model *inside)
{
    uint32 count = dictionary_size(model, DICTIONARY_CLASSES);
    int32 *classes = palloc(Max(count, 1) * sizeof(int32));

    for (uint32 k = 0; k < count; k++) {
        uint32_t length;
        const char *label = dictionary_text(model, DICTIONARY_CLASSES, k, &length);

        CHECK_FOR_INTERRUPTS();
        classes[k] = dictionary_find(inside, DICTIONARY_CLASSES, 0, label, length, false);
    }
    return classes;
}

/* Reads the conformal scores of a model that is prepared, and prepares the models beside them. */
static ConformalScorer *prepare_conformal(const Scorer *scorer)
{
    ConformalScorer *conformal = palloc0(sizeof(ConformalScorer));
    const Model *const *models;

    conformal->arrays = conformal_of(host_env(), scorer->whole);
    models = conformal_models(host_env(), &conformal->arrays, &conformal->count);
    conformal->inside = palloc0(Max(conformal->count, 1) * sizeof(Scorer));
    conformal->classes = palloc0(Max(conformal->count, 1) * sizeof(int32 *));
    for (uint32 i = 0; i < conformal->count; i++) {
        conformal->inside[i] = scorer_open(host_env(), models[i]);
        conformal->classes[i] = match_classes(scorer->model, conformal->inside[i].model);
    }
    return conformal;
}

/* Copies a model into the context of the copies, where anything above 1 kB gets a block of just its size. */
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
 * Makes the entry of a checked model. keep: copy it even if nothing is prepared. The cache does not change before the
 * estimator has prepared the model, which may fail.
 */
static ScorerEntry *add_entry(ScorerCache *cache, const ScorerKey *key, const Model *model,
                              bool keep)
{
    ScorerEntry *entry;
    size_t bytes = sizeof(ScorerEntry) + 2 * sizeof(ScorerSlot);
    MemoryContext context = NULL, before;
    Scorer scorer;
    Model *copy = NULL;

    if (cache->guest != NULL)
        evict(cache, cache->guest);
    if (scorer_prepares(model) || formula_model_any(model) || conformal_any(model)) {
        /* a child of the row's memory until all has gone well: an error caught in PL/pgSQL leaves nothing behind */
        context = AllocSetContextCreate(CurrentMemoryContext, "pgfit scorer", ALLOCSET_SMALL_SIZES);
        model = copy = memcpy(MemoryContextAllocHuge(context, model->size), model, model->size);
        before = MemoryContextSwitchTo(context);
        scorer = scorer_open(host_env(), copy);
        if (conformal_any(copy))
            scorer.conformal = prepare_conformal(&scorer);
        MemoryContextSwitchTo(before);
        bytes += MemoryContextMemAllocated(context, true);
    } else {
        if (keep) {
            model = copy = copy_model(cache, model);
            bytes += model->size + COPY_OVERHEAD;
        }
        scorer = (Scorer){.model = model, .whole = model, .estimator = estimator_of(model)};
    }

    entry = MemoryContextAllocZero(cache->context, sizeof(ScorerEntry));
    entry->key = *key;
    entry->cache = cache;
    entry->scorer = scorer;
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
 * Is this value equal to the entry's copy? In a join or a loop it comes from the same address every time, and comparing
 * megabytes per row would cost more than the score. So at an address where the whole value was equal before, fingerprint,
 * size, directory and a sample of the bytes decide.
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

/* Does the entry belong to this value, whose fingerprint and size are equal? */
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
        entry->scorer.model = entry->scorer.whole = model;
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
        /* compressed, or not a model: detoasted for this row, or refused */
        scorer = get_in_line(cache, model_from_datum(datum));
    }
    return scorer;
}

uint64 scorer_identity(const Scorer *scorer)
{
    static uint64 given = 0;
    ScorerEntry *entry = (ScorerEntry *)((char *)scorer - offsetof(ScorerEntry, scorer));

    if (entry->identity != 0)
        return entry->identity;
    if (entry->copy == NULL && entry->cache->constant != (Pointer)scorer->whole) {
        size_t bytes = scorer->whole->size + COPY_OVERHEAD;

        entry->copy = copy_model(entry->cache, scorer->whole);
        entry->scorer.model = entry->scorer.whole = entry->copy;
        entry->bytes += bytes;
        if (entry != entry->cache->guest)
            entry->cache->bytes += bytes; /* what is over work_mem goes when the next model comes */
    }
    entry->identity = ++given;
    return entry->identity;
}
