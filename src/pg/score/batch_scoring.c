/*
 * batch_scoring.c - window functions that score many rows together.
 *
 * A window function may read later rows of its partition. So rows are read in blocks, the estimator gets each block as a
 * whole (Scoring.ahead), and the ordinary function then scores row by row, with the same result as without blocks. A block
 * ends with the partition, or where the model changes. Models without Scoring.ahead are scored row by row.
 */
#include "pg/type/composites.h"
#include "pg/score/nearest.h"

#include "access/detoast.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "windowapi.h"

#define BLOCK_ROWS 1024
#define BLOCK_BYTES (4 * 1024 * 1024)
#define BLOCK_FOUND (1024 * 1024) /* neighbors kept for a block */

/* Identifies the model of a datum without detoasting it. */
typedef struct ModelKey {
    uint64 a, b;
    bool known;
} ModelKey;

/* State of a call site. */
typedef struct Batch {
    int64 first, end;   /* rows of the block: positions in the partition */
    double *slots;      /* [room x slot_count] */
    bool *nulls;        /* [room] a NULL: no score */
    double *offsets;    /* [room] of the formula */
    SiteBuffer slot_buffer, null_buffer, offset_buffer;
    uint32 slot_count;
    uint32 k;           /* of nearest_batch */
    CompositeList list; /* of nearest_batch: its row type, looked up once */
} Batch;

/* Tells the first row of a partition, where positions start again. */
typedef struct PartitionMark {
    bool seen;
} PartitionMark;

static ModelKey key_of(Datum datum)
{
    const struct varlena *value = (const struct varlena *)DatumGetPointer(datum);
    ModelKey key = {.known = true};

    if (VARATT_IS_EXTERNAL_ONDISK(value)) {
        struct varatt_external toast;

        VARATT_EXTERNAL_GET_POINTER(toast, value);
        key.a = ((uint64)toast.va_toastrelid << 32) | toast.va_valueid;
        key.b = toast.va_rawsize;
    } else if (VARATT_IS_4B_U(value) && VARSIZE(value) >= sizeof(Model)) {
        key.a = ((const Model *)value)->fingerprint;
        key.b = VARSIZE(value) | UINT64CONST(1) << 63;
    } else {
        key.known = false; /* compressed: a block of its own */
    }
    return key;
}

/* Tells whether a value of this key is the model of the block. Bytes decide where it is in line, because equal fingerprints prove nothing. */
static bool is_model(const Scorer *scorer, const ModelKey *key, Datum value)
{
    ModelKey other = key_of(value);

    return key->known && other.known && key->a == other.a && key->b == other.b &&
           (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(value)) || memcmp(scorer->whole, DatumGetPointer(value), scorer->whole->size) == 0);
}

/*
 * Reads an argument of the row `ahead` rows after the current one; returns false past the end of the partition. The
 * datum is valid until the next argument is read: rows spooled to disk are read into one slot.
 */
static bool read_argument(WindowObject window, int number, int ahead, bool mark, Datum *datum,
                          bool *null)
{
    bool out;

    *datum = WinGetFuncArgInPartition(window, number, ahead, WINDOW_SEEK_CURRENT, mark, null, &out);
    return !out;
}

/* Returns k, the third argument; 0: it is NULL. */
static int64 read_k(WindowObject window, int ahead)
{
    Datum datum;
    bool null;

    if (!read_argument(window, 2, ahead, false, &datum, &null) || null)
        return 0;
    if (DatumGetInt64(datum) < 1)
        neighbors_refuse_k(DatumGetInt64(datum));
    return DatumGetInt64(datum);
}

/* Returns how many rows of this model fit into a block. */
static uint32 block_rows(const Scorer *scorer, uint32 k)
{
    uint64 rows = BLOCK_ROWS;
    uint32 slots = Max(scorer->model->slot_count, 1);

    if (scoring_of(scorer)->ahead == NULL || ((const Neighbors *)scorer->prepared)->metric->form == FORM_OBJECTS)
        return 1; /* texts are known of one row at a time */
    if (k == 0)
        k = ((const Neighbors *)scorer->prepared)->rule.k;
    rows = Min(rows, BLOCK_BYTES / sizeof(double) / slots);
    if (k > 0)
        rows = Min(rows, BLOCK_FOUND / k);
    return (uint32)Max(rows, 1);
}

/* Does the row have the model and k of the block? */
static bool row_belongs(FunctionCallInfo fcinfo, const Batch *batch, const Scorer *scorer, const ModelKey *key, int ahead)
{
    WindowObject window = PG_WINDOW_OBJECT();
    Datum model;
    bool null;

    if (!read_argument(window, 0, ahead, false, &model, &null) || null)
        return false;
    return is_model(scorer, key, model) && (batch->k == 0 || read_k(window, ahead) == batch->k);
}

/* Fills the block with the rows, from the current one on, that have the same model and k. */
static void read_block(FunctionCallInfo fcinfo, ScoringCall *call, const Scorer *scorer,
                       const ModelKey *key, int64 position)
{
    Batch *batch = call->batch;
    const Model *model = scorer->model;
    FeatureReader *reader = feature_reader(fcinfo, 1, &call->reader);
    uint32 rows = key->known ? block_rows(scorer, batch->k) : 1, count = 0;

    batch->slot_count = model->slot_count;
    batch->slots = site_buffer(fcinfo, &batch->slot_buffer, (Size)rows * model->slot_count * sizeof(double));
    batch->nulls = site_buffer(fcinfo, &batch->null_buffer, rows * sizeof(bool));
    batch->offsets = site_buffer(fcinfo, &batch->offset_buffer, rows * sizeof(double));
    do {
        double *slots = batch->slots + (Size)count * model->slot_count;
        Datum features;
        bool null;

        read_argument(PG_WINDOW_OBJECT(), 1, (int)count, true, &features, &null);
        batch->nulls[count] = null || scorer_read(scorer, reader, features, slots, &batch->offsets[count]) != FEATURES_OK;
        if (batch->nulls[count])
            memset(slots, 0, model->slot_count * sizeof(double));
        count++;
        CHECK_FOR_INTERRUPTS();
    } while (count < rows && row_belongs(fcinfo, batch, scorer, key, (int)count));
    batch->first = position;
    batch->end = position + count;
}

/* Finds the neighbors of all rows of the block. */
static void look_ahead(ScoringCall *call, const Scorer *scorer)
{
    Batch *batch = call->batch;
    const Scoring *scoring = scoring_of(scorer);
    uint32 count = (uint32)(batch->end - batch->first);

    if (scoring->ahead == NULL)
        return;
    if (batch->k > 0)
        neighbors_ahead_k((Neighbors *)scorer->prepared, batch->slots, count, batch->k);
    else
        scoring->ahead(scorer->model, scorer->prepared, batch->slots, count);
}

/* Returns the model of the current row, valid until the next row; NULL: it has none. */
static const Scorer *read_model(FunctionCallInfo fcinfo, ScoringCall *call, ModelKey *key)
{
    const Scorer *scorer;
    Datum model;
    bool null;

    read_argument(PG_WINDOW_OBJECT(), 0, 0, false, &model, &null);
    if (null)
        return NULL;
    *key = key_of(model);
    scorer = scorer_cache_get(call->cache, model, false);
    if (scorer->prepared == NULL) /* it may be read in place, in memory that the next argument reuses */
        scorer = scorer_cache_get(call->cache, datumCopy(model, false, -1), false);
    return scorer;
}

/* Reads a block that begins with the current row; returns false if this row has no model or no k. */
static bool begin_block(FunctionCallInfo fcinfo, ScoringCall *call, int64 position, bool with_k)
{
    Batch *batch = call->batch;
    const Scorer *scorer;
    ModelKey key;
    int64 k = 0;

    call->given = NULL;
    scorer = read_model(fcinfo, call, &key);
    if (scorer == NULL || (with_k && (k = read_k(PG_WINDOW_OBJECT(), 0)) == 0))
        return false;
    batch->k = with_k ? neighbors_k(neighbors_of(scorer, "nearest_batch"), k) : 0;
    read_block(fcinfo, call, scorer, &key, position);
    look_ahead(call, scorer);
    call->given = scorer;
    return true;
}

/* Scores the current row with an ordinary function. with_k: the third argument is k. */
static Datum batch_score(FunctionCallInfo fcinfo, PGFunction score, bool with_k)
{
    WindowObject window = PG_WINDOW_OBJECT();
    int64 position = WinGetCurrentPosition(window);
    PartitionMark *mark = WinGetPartitionLocalMemory(window, sizeof(PartitionMark));
    ScoringCall *call = scoring_call(fcinfo);
    Batch *batch = call->batch;
    double *own;
    Datum result;

    if (batch == NULL)
        batch = call->batch = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Batch));
    if (!mark->seen)
        call->given = NULL;
    mark->seen = true;
    if (call->given == NULL || position >= batch->end) {
        if (!begin_block(fcinfo, call, position, with_k))
            PG_RETURN_NULL();
    }
    if (batch->nulls[position - batch->first]) {
        fcinfo->isnull = true;
        result = (Datum)0;
    } else {
        own = call->slots;
        call->slots = batch->slots + (Size)(position - batch->first) * batch->slot_count;
        call->offset = batch->offsets[position - batch->first];
        result = score(fcinfo);
        call->slots = own;
    }
    if (batch->end - batch->first == 1)
        call->given = NULL; /* a model read in place is valid for this row only */
    return result;
}

PG_FUNCTION_INFO_V1(pgfit_predict_batch);
PGDLLEXPORT Datum pgfit_predict_batch(PG_FUNCTION_ARGS)
{
    return batch_score(fcinfo, pgfit_predict, false);
}

PG_FUNCTION_INFO_V1(pgfit_classify_batch);
PGDLLEXPORT Datum pgfit_classify_batch(PG_FUNCTION_ARGS)
{
    return batch_score(fcinfo, give_label, false);
}

PG_FUNCTION_INFO_V1(pgfit_probabilities_batch);
PGDLLEXPORT Datum pgfit_probabilities_batch(PG_FUNCTION_ARGS)
{
    return batch_score(fcinfo, pgfit_probabilities, false);
}

/* Returns the neighbors of the current row as an array of rows. */
static Datum nearest_array(FunctionCallInfo fcinfo)
{
    ScoringCall *call = scoring_call(fcinfo);
    Batch *batch = call->batch;
    Neighbors *neighbors = (Neighbors *)call->given->prepared;
    CompositeList list;

    if (batch->list.description == NULL) {
        MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

        batch->list.description = composites_type(fcinfo, 3, &batch->list.type);
        batch->list.what = "the neighbors";
        MemoryContextSwitchTo(before);
    }
    if (!neighbors_find(neighbors, call->slots, batch->k)) {
        fcinfo->isnull = true;
        return (Datum)0;
    }
    list = batch->list;
    list.rows = palloc(Max(neighbors->search->count, 1) * sizeof(Datum));
    for (uint32 i = 0; i < neighbors->search->count; i++) {
        Datum values[3];
        bool nulls[3];

        neighbors_columns(neighbors, i, &call->result_type, values, nulls);
        composites_add(&list, values, nulls);
    }
    return composites_array(&list, CurrentMemoryContext, "Lower k.");
}

PG_FUNCTION_INFO_V1(pgfit_nearest_batch);
PGDLLEXPORT Datum pgfit_nearest_batch(PG_FUNCTION_ARGS)
{
    return batch_score(fcinfo, nearest_array, true);
}
