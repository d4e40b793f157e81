/*
 * kmeans_init.c - chooses the starting centroids of k-means and mixtures.
 */
#include "core/kmeans/kmeans_init.h"
#include "core/distance/centroid_distance.h"
#include "core/base/number_order.h"
#include "core/base/random.h"
#include "core/rows/row_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096u
#define BUCKET_OF(hash) ((uint32_t)((hash) >> 52))
#define BUCKET_ROOM 256u    /* rows a list starts with room for */
#define CONTENT_SEED 0      /* of the hash that orders rows; random numbers come from the seed of the start */
#define PARALLEL_ROUNDS 5
#define POLL_CELLS 2000000u /* numbers of rows times centroids between two polls */
#define CHUNK 256u          /* rows whose distances are computed at once */

/* A row of a bucket, and all rows equal to it. */
typedef struct BucketRow {
    uint64_t hash;
    double mass;  /* of all of them */
    uint64_t row; /* number of the first one */
} BucketRow;

/* The rows of a bucket. */
typedef struct BucketRows {
    uint32_t bucket;
    BucketRow *rows;
    uint32_t count, room;
} BucketRows;

/* A row to draw: its bucket and the share of the bucket's mass before it, then the row itself. */
typedef struct Draw {
    uint32_t bucket;
    double share;
    uint64_t row;
} Draw;

/* A start while it is computed. */
typedef struct Seeding {
    CentroidStart *start;
    Env *env;
    RowsReader *reader;
    uint32_t dims;
    uint32_t chosen;    /* centroids so far */
    double *centroids;  /* [k x dims] */
    CentroidLanes *all; /* the centroids so far, if squares are not kept; else NULL */
    double *squares;    /* [n] squared distances to the nearest centroid so far; NULL: too many to keep */
    uint16_t *buckets;  /* [n] with squares, else NULL */
    CentroidLanes *newest; /* the newest centroid, if squares are kept */
    double *masses;     /* [BUCKETS] */
    double total;       /* of the masses */
    BucketRows *lists;  /* [trials] */
    Draw *draws;        /* [trials] */
    uint64_t random;
    uint64_t cells; /* since the last poll */
} Seeding;

static void seeding_poll(Seeding *seeding, uint64_t cells)
{
    env_poll_after(seeding->env, &seeding->cells, cells, POLL_CELLS);
}

static uint32_t row_bucket(const Seeding *seeding, const RowsBlock *block, uint32_t i)
{
    if (seeding->buckets != NULL)
        return seeding->buckets[block->first + i];
    return BUCKET_OF(rows_hash(CONTENT_SEED, block->slots + (size_t)i * seeding->dims, seeding->dims));
}

/* Returns the squared distance of a row to the nearest centroid so far; 1 if there is no centroid yet. */
static double row_square(Seeding *seeding, const RowsBlock *block, uint32_t i)
{
    double square;

    if (seeding->chosen == 0)
        return 1;
    if (seeding->squares != NULL)
        return seeding->squares[block->first + i];
    seeding->start->evaluations += seeding->chosen;
    seeding_poll(seeding, (uint64_t)seeding->chosen * seeding->dims);
    centroid_nearest(seeding->all, block->slots + (size_t)i * seeding->dims, &square);
    return square;
}

/* ---- masses and draws ---- */

/* Updates the squares of a block's rows by the newest centroid. */
static void squares_update(Seeding *seeding, const RowsBlock *block)
{
    uint32_t dims = seeding->dims, numbers[CHUNK];
    double *kept = seeding->squares + block->first, squares[CHUNK];

    for (uint32_t from = 0, some; from < block->count; from += some) {
        some = block->count - from < CHUNK ? block->count - from : CHUNK;
        centroid_nearest_rows(seeding->newest, seeding->centroids + (size_t)(seeding->chosen - 1) * dims, block->slots + (size_t)from * dims, some,
                              numbers, squares);
        for (uint32_t i = 0; i < some; i++)
            if (seeding->chosen == 1 || squares[i] < kept[from + i])
                kept[from + i] = squares[i];
        seeding->start->evaluations += some;
        seeding_poll(seeding, (uint64_t)some * dims);
    }
}

/* Updates the squares by the newest centroid, and sums the masses of the buckets. */
static void masses_update(Seeding *seeding)
{
    RowsBlock block;

    if (seeding->all != NULL) {
        seeding->all->count = seeding->chosen;
        centroid_lanes_set(seeding->all, seeding->centroids);
    } else if (seeding->chosen > 0) {
        centroid_lanes_set(seeding->newest, seeding->centroids + (size_t)(seeding->chosen - 1) * seeding->dims);
    }
    memset(seeding->masses, 0, BUCKETS * sizeof(double));
    rows_rewind(seeding->reader);
    while (rows_next_block(seeding->reader, &block)) {
        if (seeding->squares != NULL && seeding->chosen > 0)
            squares_update(seeding, &block);
        for (uint32_t i = 0; i < block.count; i++)
            seeding->masses[row_bucket(seeding, &block, i)] += row_weight(block.weights, i) * row_square(seeding, &block, i);
    }
    seeding->total = 0;
    for (uint32_t b = 0; b < BUCKETS; b++)
        seeding->total += seeding->masses[b];
    if (!isfinite(seeding->total))
        env_fail(seeding->env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "squared distances between rows are out of range");
}

static int compare_bucket_rows(const void *left, const void *right)
{
    const BucketRow *a = left, *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Sorts the rows of a list by hash and merges equal ones. */
static void bucket_rows_join(BucketRows *list)
{
    uint32_t kept = 0;

    if (list->count == 0)
        return;
    qsort(list->rows, list->count, sizeof(BucketRow), compare_bucket_rows);
    for (uint32_t i = 0; i < list->count; i++) {
        if (kept > 0 && list->rows[kept - 1].hash == list->rows[i].hash)
            list->rows[kept - 1].mass += list->rows[i].mass;
        else
            list->rows[kept++] = list->rows[i];
    }
    list->count = kept;
}

/* Adds a row to a list; merges equal rows before it grows. */
static void bucket_rows_add(Seeding *seeding, BucketRows *list, BucketRow row)
{
    if (list->count == list->room) {
        bucket_rows_join(list);
        if (list->count >= list->room / 2) {
            list->room = list->room == 0 ? BUCKET_ROOM : 2 * list->room;
            env_require_memory(seeding->env, (size_t)list->room * sizeof(BucketRow), "drawing a centroid");
            list->rows =
                seeding->env->resize(seeding->env, list->rows, list->room * sizeof(BucketRow));
        }
    }
    list->rows[list->count++] = row;
}

/* Returns the bucket in which the cumulative mass exceeds *place, and subtracts the mass of the buckets before it from *place. */
static uint32_t bucket_at(const Seeding *seeding, double *place)
{
    uint32_t last = 0;

    for (uint32_t b = 0; b < BUCKETS; b++) {
        if (seeding->masses[b] == 0)
            continue;
        if (*place < seeding->masses[b])
            return b;
        *place -= seeding->masses[b];
        last = b;
    }
    *place = seeding->masses[last];
    return last;
}

static BucketRows *bucket_rows_of(BucketRows *lists, uint32_t count, uint32_t bucket)
{
    for (uint32_t g = 0; g < count; g++)
        if (lists[g].bucket == bucket)
            return &lists[g];
    return NULL;
}

/* Collects the rows of the buckets of all lists, in one pass. */
static void bucket_rows_collect(Seeding *seeding, BucketRows *lists, uint32_t count)
{
    bool wanted[BUCKETS] = {false};
    RowsBlock block;

    for (uint32_t g = 0; g < count; g++)
        wanted[lists[g].bucket] = true;
    rows_rewind(seeding->reader);
    while (rows_next_block(seeding->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t bucket = row_bucket(seeding, &block, i);
            BucketRow row = {.row = block.first + i};

            if (!wanted[bucket])
                continue;
            row.mass = row_weight(block.weights, i) * row_square(seeding, &block, i);
            if (row.mass == 0)
                continue;
            row.hash = rows_hash(CONTENT_SEED, block.slots + (size_t)i * seeding->dims, seeding->dims);
            bucket_rows_add(seeding, bucket_rows_of(lists, count, bucket), row);
        }
    for (uint32_t g = 0; g < count; g++)
        bucket_rows_join(&lists[g]);
}

/* Returns the row at which the cumulative mass of a list exceeds this share of its total. */
static uint64_t row_at(const BucketRows *list, double share)
{
    double total = 0, sum = 0;

    for (uint32_t i = 0; i < list->count; i++)
        total += list->rows[i].mass;
    for (uint32_t i = 0; i < list->count; i++) {
        sum += list->rows[i].mass;
        if (sum > share * total)
            return list->rows[i].row;
    }
    return list->rows[list->count - 1].row;
}

/* Copies the rows drawn to out, [count x dims]. */
static void fetch_rows(Seeding *seeding, uint32_t count, double *out)
{
    uint32_t missing = count;
    RowsBlock block;

    rows_rewind(seeding->reader);
    while (missing > 0 && rows_next_block(seeding->reader, &block))
        for (uint32_t r = 0; r < count; r++) {
            uint64_t row = seeding->draws[r].row;

            if (row < block.first || row - block.first >= block.count)
                continue;
            memcpy(out + (size_t)r * seeding->dims, block.slots + (size_t)(row - block.first) * seeding->dims,
                   seeding->dims * sizeof(double));
            missing--;
        }
}

/* Draws rows with probabilities proportional to their masses into out, [count x dims]. count: at most the number of trials. */
static void draw_rows(Seeding *seeding, uint32_t count, double *out)
{
    BucketRows *lists = seeding->lists;
    uint32_t different = 0;

    for (uint32_t t = 0; t < count; t++) {
        Draw *draw = &seeding->draws[t];
        double place = random_unit(&seeding->random) * seeding->total;

        draw->bucket = bucket_at(seeding, &place);
        draw->share = place / seeding->masses[draw->bucket];
        if (bucket_rows_of(lists, different, draw->bucket) == NULL) {
            lists[different].bucket = draw->bucket;
            lists[different++].count = 0;
        }
    }
    bucket_rows_collect(seeding, lists, different);
    for (uint32_t t = 0; t < count; t++) {
        Draw *draw = &seeding->draws[t];

        draw->row = row_at(bucket_rows_of(lists, different, draw->bucket), draw->share);
    }
    fetch_rows(seeding, count, out);
}

/* ---- k-means++ ---- */

/* Returns the candidate that takes the most mass away as a centroid. taken: [trials x lanes]. */
static uint32_t best_candidate(Seeding *seeding, CentroidLanes *lanes, const double *candidates, double *taken)
{
    double squares[CHUNK], most = 0;
    uint32_t best = 0;
    RowsBlock block;

    memset(taken, 0, (size_t)lanes->count * CENTROID_LANES * sizeof(double));
    centroid_lanes_set(lanes, candidates);
    rows_rewind(seeding->reader);
    while (rows_next_block(seeding->reader, &block))
        for (uint32_t from = 0, some; from < block.count; from += some) {
            some = block.count - from < CHUNK ? block.count - from : CHUNK;
            for (uint32_t i = 0; i < some; i++)
                squares[i] = row_square(seeding, &block, from + i);
            centroid_take_rows(lanes, block.slots + (size_t)from * seeding->dims, some, squares, block.weights ? block.weights + from : NULL, taken);
            seeding->start->evaluations += (uint64_t)some * lanes->count;
            seeding_poll(seeding, (uint64_t)some * lanes->count * seeding->dims);
        }
    for (uint32_t t = 0; t < lanes->count; t++) {
        double sum = 0;

        for (uint32_t lane = 0; lane < CENTROID_LANES; lane++)
            sum += taken[(size_t)t * CENTROID_LANES + lane];
        if (sum > most) {
            most = sum;
            best = t;
        }
    }
    return best;
}

/* Hashes the rows into buckets, unless a start before has left them. */
static void fill_buckets(Seeding *seeding, uint64_t n)
{
    uint16_t **kept = seeding->start->buckets;
    RowsBlock block;

    if (kept != NULL && *kept != NULL) {
        seeding->buckets = *kept;
        return;
    }
    seeding->buckets = env_array_raw(seeding->env, n, sizeof(uint16_t));
    while (rows_next_block(seeding->reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            seeding->buckets[block.first + i] = (uint16_t)BUCKET_OF(rows_hash(CONTENT_SEED, block.slots + (size_t)i * seeding->dims, seeding->dims));
    if (kept != NULL)
        *kept = seeding->buckets;
}

static Seeding seeding_begin(CentroidStart *start, uint32_t trials, double *centroids)
{
    Env *env = start->env;
    uint64_t n = rows_count(start->rows);
    Seeding seeding = {.start = start,
                       .env = env,
                       .reader = rows_reader(env, start->rows),
                       .dims = rows_slots(start->rows),
                       .centroids = centroids,
                       .random = start->seed};

    seeding.masses = env_array(env, BUCKETS, sizeof(double));
    seeding.lists = env_array(env, trials, sizeof(BucketRows));
    seeding.draws = env_array(env, trials, sizeof(Draw));
    if (n <= env->memory_limit / 4 / (sizeof(double) + sizeof(uint16_t))) {
        seeding.squares = env_array(env, n, sizeof(double));
        seeding.newest = centroid_lanes_new(env, 1, seeding.dims);
        fill_buckets(&seeding, n);
    } else {
        seeding.all = centroid_lanes_new(env, start->k, seeding.dims);
    }
    return seeding;
}

static void seeding_end(Seeding *seeding, uint32_t trials)
{
    Env *env = seeding->env;

    rows_reader_free(seeding->reader);
    for (uint32_t t = 0; t < trials; t++)
        if (seeding->lists[t].rows != NULL)
            env->release(env, seeding->lists[t].rows);
    env->release(env, seeding->lists);
    env->release(env, seeding->draws);
    env->release(env, seeding->masses);
    if (seeding->squares != NULL) {
        env->release(env, seeding->squares);
        centroid_lanes_free(env, seeding->newest);
        if (seeding->start->buckets == NULL)
            env->release(env, seeding->buckets);
    }
    if (seeding->all != NULL)
        centroid_lanes_free(env, seeding->all);
}

/* Fills the places after the first `distinct` centroids with copies of these. Returns distinct. */
static uint32_t repeat_centroids(double *centroids, uint32_t distinct, uint32_t k, uint32_t dims)
{
    for (uint32_t c = distinct; c < k; c++)
        memcpy(centroids + (size_t)c * dims, centroids + (size_t)(c - distinct) * dims, dims * sizeof(double));
    return distinct;
}

uint32_t centroid_start_plus_plus(CentroidStart *start, double *centroids)
{
    Env *env = start->env;
    uint32_t trials = start->trials > 0 ? start->trials : 4 + (uint32_t)log((double)start->k);
    Seeding seeding = seeding_begin(start, trials, centroids);
    uint32_t dims = seeding.dims;
    CentroidLanes *lanes = centroid_lanes_new(env, trials, dims);
    double *candidates = env_array(env, (size_t)trials * (dims + CENTROID_LANES), sizeof(double));

    masses_update(&seeding);
    draw_rows(&seeding, 1, centroids);
    for (seeding.chosen = 1; seeding.chosen < start->k; seeding.chosen++) {
        uint32_t best = 0;

        masses_update(&seeding);
        if (seeding.total == 0)
            break;
        env->progress(env, "choosing centroids", seeding.chosen, start->k, seeding.total);
        draw_rows(&seeding, trials, candidates);
        if (trials > 1)
            best = best_candidate(&seeding, lanes, candidates, candidates + (size_t)trials * dims);
        memcpy(centroids + (size_t)seeding.chosen * dims, candidates + (size_t)best * dims,
               dims * sizeof(double));
    }
    centroid_lanes_free(env, lanes);
    env->release(env, candidates);
    seeding_end(&seeding, trials);
    return repeat_centroids(centroids, seeding.chosen, start->k, dims);
}

/* ---- random rows ---- */

uint32_t centroid_start_random(CentroidStart *start, double *centroids)
{
    Env *env = start->env;
    uint32_t dims = rows_slots(start->rows), count;
    RowSample *sample = row_sample_new(env, start->k, dims, true);
    RowsReader *reader = rows_reader(env, start->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * dims;
            double *kept = row_sample_add(sample, rows_hash(start->seed + 1, row, dims));

            if (kept != NULL)
                memcpy(kept, row, dims * sizeof(double));
        }
    rows_reader_free(reader);
    row_sample_sort(sample, centroids);
    count = sample->count;
    row_sample_free(sample);
    return repeat_centroids(centroids, count, start->k, dims);
}

uint32_t centroid_start_partition(CentroidStart *start, double *centroids)
{
    Env *env = start->env;
    uint32_t dims = rows_slots(start->rows), distinct;
    double *sums = env_array(env, start->k, ((size_t)dims + 1) * sizeof(double));
    double *weights = sums + (size_t)start->k * dims;
    RowsReader *reader = rows_reader(env, start->rows);
    RowsBlock block;

    distinct = centroid_start_random(start, centroids);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * dims;
            uint32_t part = (uint32_t)(rows_hash(start->seed + 2, row, dims) % start->k);
            double weight = row_weight(block.weights, i), step;

            weights[part] += weight;
            step = weight / weights[part];
            for (uint32_t j = 0; j < dims; j++)
                sums[(size_t)part * dims + j] += step * (row[j] - sums[(size_t)part * dims + j]);
        }
    rows_reader_free(reader);
    for (uint32_t c = 0; c < start->k; c++)
        if (weights[c] > 0)
            memcpy(centroids + (size_t)c * dims, sums + (size_t)c * dims, dims * sizeof(double));
    env->release(env, sums);
    return distinct;
}

/* ---- k-means|| ---- */

/* Distinct rows, from which k-means|| chooses. */
typedef struct Sample {
    double *rows;
    uint64_t *hashes;
    uint32_t count, room;
} Sample;

static void sample_add(Seeding *seeding, Sample *sample, uint64_t hash, const double *row)
{
    Env *env = seeding->env;

    for (uint32_t i = 0; i < sample->count; i++)
        if (sample->hashes[i] == hash)
            return;
    if (sample->count == sample->room) {
        sample->room = sample->room == 0 ? 256 : 2 * sample->room;
        env_require_memory(env, (size_t)sample->room * (seeding->dims + 2) * sizeof(double) * 2,
                           "the sample of k-means||");
        sample->rows = env->resize(env, sample->rows, (size_t)sample->room * seeding->dims * sizeof(double));
        sample->hashes = env->resize(env, sample->hashes, (size_t)sample->room * sizeof(uint64_t));
    }
    sample->hashes[sample->count] = hash;
    memcpy(sample->rows + (size_t)sample->count++ * seeding->dims, row, seeding->dims * sizeof(double));
}

/* Sorts the sample by hash, so that its order does not depend on that of the rows. */
static void sample_sort(Env *env, Sample *sample, uint32_t dims)
{
    SampledRow *picks = env_array(env, sample->count, sizeof(SampledRow));
    double *sorted = env_array(env, (size_t)sample->room * dims, sizeof(double));

    for (uint32_t i = 0; i < sample->count; i++)
        picks[i] = (SampledRow){sample->hashes[i], sample->rows + (size_t)i * dims};
    qsort(picks, sample->count, sizeof(SampledRow), compare_keys);
    for (uint32_t i = 0; i < sample->count; i++) {
        memcpy(sorted + (size_t)i * dims, picks[i].row, dims * sizeof(double));
        sample->hashes[i] = picks[i].hash;
    }
    env->release(env, picks);
    env->release(env, sample->rows);
    sample->rows = sorted;
}

/* Returns the sample as rows, each weighted by the rows for which it is the nearest. */
static Rows *sample_rows(Seeding *seeding, const Sample *sample, CentroidLanes *lanes)
{
    double *weights = env_array(seeding->env, sample->count, sizeof(double));
    Rows *rows = rows_new(rows_pool_of(seeding->start->rows), rows_schema(seeding->start->rows), ROWS_WEIGHT);
    Model *schema = rows_schema(rows);
    int64_t used = schema->rows;
    double weight = schema->weight;
    RowsBlock block;

    rows_rewind(seeding->reader);
    while (rows_next_block(seeding->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double square;

            weights[centroid_nearest(lanes, block.slots + (size_t)i * seeding->dims, &square)] +=
                row_weight(block.weights, i);
            seeding->start->evaluations += sample->count;
            seeding_poll(seeding, (uint64_t)sample->count * seeding->dims);
        }
    for (uint32_t i = 0; i < sample->count; i++)
        rows_append(rows, sample->rows + (size_t)i * seeding->dims, 0, weights[i], NULL, 0);
    schema->rows = used; /* the schema belongs to the fit, which must not count these rows */
    schema->weight = weight;
    seeding->env->release(seeding->env, weights);
    return rows;
}

/*
 * Adds random rows to the sample, 2 k on average, and returns the mass of all rows before that. total: the mass as last computed;
 * 0: computes the mass only.
 */
static double sample_round(Seeding *seeding, Sample *sample, CentroidLanes *lanes, double total, uint64_t seed)
{
    uint32_t from = sample->count;
    double mass = 0;
    RowsBlock block;

    rows_rewind(seeding->reader);
    while (rows_next_block(seeding->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * seeding->dims;
            double square, here;

            centroid_nearest(lanes, row, &square);
            seeding->start->evaluations += from;
            seeding_poll(seeding, (uint64_t)from * seeding->dims);
            here = row_weight(block.weights, i) * square;
            mass += here;
            if (total > 0 && here > 0) {
                uint64_t hash = rows_hash(seed, row, seeding->dims);

                if ((double)(hash >> 11) * 0x1p-53 * total < 2.0 * seeding->start->k * here)
                    sample_add(seeding, sample, rows_hash(CONTENT_SEED, row, seeding->dims), row);
            }
        }
    return mass;
}

uint32_t centroid_start_parallel(CentroidStart *start, double *centroids)
{
    Env *env = start->env;
    Seeding seeding = {.start = start,
                       .env = env,
                       .reader = rows_reader(env, start->rows),
                       .dims = rows_slots(start->rows)};
    CentroidStart first = *start, second = *start;
    Sample sample = {0};
    CentroidLanes *lanes;
    double mass = 0;
    Rows *rows;
    uint32_t distinct;

    first.k = 1;
    centroid_start_random(&first, centroids);
    sample_add(&seeding, &sample, rows_hash(CONTENT_SEED, centroids, seeding.dims), centroids);
    for (int round = 0; round <= PARALLEL_ROUNDS; round++) {
        env->progress(env, "choosing centroids", (uint64_t)round, PARALLEL_ROUNDS, mass);
        lanes = centroid_lanes_new(env, sample.count, seeding.dims);
        centroid_lanes_set(lanes, sample.rows);
        /* the first round only computes the mass */
        mass = sample_round(&seeding, &sample, lanes, round == 0 ? 0 : mass, start->seed + 16 + (uint64_t)round);
        centroid_lanes_free(env, lanes);
        if (mass == 0)
            break;
    }
    sample_sort(env, &sample, seeding.dims);
    lanes = centroid_lanes_new(env, sample.count, seeding.dims);
    centroid_lanes_set(lanes, sample.rows);
    rows = sample_rows(&seeding, &sample, lanes);
    centroid_lanes_free(env, lanes);
    rows_reader_free(seeding.reader);
    if (sample.count < start->k) { /* too few, so it chooses from all rows */
        rows_free(rows);
        return centroid_start_plus_plus(start, centroids);
    }
    second.rows = rows;
    second.evaluations = 0;
    second.buckets = NULL; /* those of all rows are others */
    distinct = centroid_start_plus_plus(&second, centroids);
    start->evaluations = seeding.start->evaluations + second.evaluations;
    rows_free(rows);
    env->release(env, sample.rows);
    env->release(env, sample.hashes);
    return distinct;
}
