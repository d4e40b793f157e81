/*
 * kmeans_starts.c - k-means for one k, from every start that the options ask for.
 */
#include "core/kmeans/kmeans_starts.h"
#include "core/estimator/shared_options.h"
#include "core/kmeans/kmeans.h"
#include "core/kmeans/kmeans_init.h"

#include <math.h>
#include <string.h>

#define START_ROW_BYTES 16u /* per row, to choose centroids */
#define SAME_INERTIA 1e-12 /* starts that end in the same clusters, but for rounding: the first one numbers them */

/* What a process has for the starts. */
typedef struct KmeansStarts {
    Env *env;
    Rows *rows;
    uint32_t k;
    KmeansPlan plan;
    const double *given; /* [k x dims] to start from; NULL: by the plan */
    Kmeans *kmeans;      /* of this process: after a start its clustering */
    uint16_t *buckets;   /* of this process: of the rows, for the next start */
    uint64_t evaluations, start_evaluations; /* of that start */
    /* where results are received */
    KmeansResult *best;
} KmeansStarts;

static KmeansPlan kmeans_plan(const Options *options)
{
    bool batches = options_type(options, "batch_size") != 0;
    bool chosen = options_is(options, "init", "k-means++") || options_is(options, "init", "k-means||");

    return (KmeansPlan){
        .max_iter = options_integer(options, "max_iter"),
        .tolerance = options_number(options, "tolerance"),
        .keep_history = options_boolean(options, "history"),
        .trials = options_type(options, "trials") != 0 ? (uint32_t)options_integer(options, "trials") : 0,
        .batch_size = batches ? (uint64_t)options_integer(options, "batch_size") : 0,
        .seed = (uint64_t)options_integer(options, "seed"),
        /*
         * Ten, as R's and scikit-learn's users take, find the least inertia known of iris with 3 clusters for 99 of 100 seeds, where one start of
         * k-means++ does for 36. Mini-batches, which are for speed, start once.
         */
        .starts = options_starts(options, batches && chosen ? 1 : STARTS_RANDOM),
        .init = options_is(options, "init", "random")      ? INIT_RANDOM
                : options_is(options, "init", "partition") ? INIT_PARTITION
                : options_is(options, "init", "k-means||") ? INIT_PARALLEL
                                                           : INIT_PLUS_PLUS};
}

/* ---- one start ---- */

static void begin(Env *env, void *data)
{
    KmeansStarts *starts = data;

    starts->env = env;
    starts->kmeans = kmeans_open(env, starts->rows, starts->k, &starts->plan);
}

static void choose_centroids(CentroidStart *start, KmeansInit init, double *centroids)
{
    switch (init) {
    case INIT_PLUS_PLUS:
        centroid_start_plus_plus(start, centroids);
        break;
    case INIT_PARALLEL:
        centroid_start_parallel(start, centroids);
        break;
    case INIT_RANDOM:
        centroid_start_random(start, centroids);
        break;
    case INIT_PARTITION:
        centroid_start_partition(start, centroids);
        break;
    }
}

/* Each start has a seed of its own, far from those of the next option "seed". */
static void run(void *data, uint32_t s)
{
    KmeansStarts *starts = data;
    Kmeans *kmeans = starts->kmeans;
    const KmeansPlan *plan = &starts->plan;
    CentroidStart start = {.env = starts->env, .rows = starts->rows, .k = starts->k, .seed = plan->seed * SEED_STEP + s, .trials = plan->trials,
                           .buckets = &starts->buckets};

    kmeans->evaluations = 0;
    if (starts->given != NULL)
        memcpy(kmeans->centroids, starts->given, (size_t)kmeans->k * kmeans->dims * sizeof(double));
    else
        choose_centroids(&start, plan->init, kmeans->centroids);
    if (plan->batch_size > 0)
        kmeans_run_batches(kmeans, plan->batch_size, plan->seed + s);
    else
        kmeans_run(kmeans);
    starts->evaluations = kmeans->evaluations;
    starts->start_evaluations = start.evaluations;
}

/* ---- results ---- */

static KmeansResult *result_new(const Kmeans *kmeans)
{
    KmeansResult *result = env_array(kmeans->env, 1, sizeof(KmeansResult));
    size_t cells = (size_t)kmeans->k * kmeans->dims;

    result->k = kmeans->k;
    result->dims = kmeans->dims;
    result->centroids = env_array(kmeans->env, cells + 2 * (size_t)kmeans->k, sizeof(double));
    result->sizes = result->centroids + cells;
    result->within = result->sizes + kmeans->k;
    return result;
}

/* Returns how many numbers the history has: of mini-batches, which have no inertia, that of the final pass alone. */
static size_t history_count(const Kmeans *kmeans, bool batches)
{
    return !kmeans->keep_history ? 0 : batches ? 1 : (size_t)(kmeans->iterations + kmeans->recounted);
}

/* Copies the clustering to the result. */
static void result_take(KmeansResult *result, const Kmeans *kmeans, bool batches)
{
    result->inertia = kmeans->inertia;
    result->total = kmeans->total;
    result->iterations = kmeans->iterations;
    result->converged = kmeans->converged;
    memcpy(result->centroids, kmeans->centroids, (size_t)kmeans->k * kmeans->dims * sizeof(double));
    memcpy(result->sizes, kmeans->weights, kmeans->k * sizeof(double));
    memcpy(result->within, kmeans->within, kmeans->k * sizeof(double));
    result->empty = 0;
    for (uint32_t c = 0; c < kmeans->k; c++)
        result->empty += kmeans->weights[c] == 0;
    if (!kmeans->keep_history)
        return;
    result->assignments = (int64_t)history_count(kmeans, batches);
    result->history = kmeans->env->resize(kmeans->env, result->history, (size_t)result->assignments * sizeof(double));
    memcpy(result->history, kmeans->history, (size_t)result->assignments * sizeof(double));
}

void kmeans_result_free(Env *env, KmeansResult *result)
{
    if (result->history != NULL)
        env->release(env, result->history);
    env->release(env, result->centroids);
    env->release(env, result);
}

/* Keeps the clustering of start s if it is the best so far. */
static void receive(void *receiver, uint32_t s)
{
    KmeansStarts *starts = receiver;
    KmeansResult *best = starts->best;

    if (s == 0 || starts->kmeans->inertia < best->inertia * (1 - SAME_INERTIA))
        result_take(best, starts->kmeans, starts->plan.batch_size > 0);
    best->evaluations += starts->evaluations;
    best->start_evaluations += starts->start_evaluations;
}

/* ---- in several processes ---- */

static void pack(Pack *pack, void *data)
{
    KmeansStarts *starts = data;

    pack_value(pack, &starts->k, sizeof starts->k);
    pack_value(pack, &starts->plan, sizeof starts->plan);
    rows_pack(pack, &starts->rows);
}

static void pack_result(Pack *pack, void *data)
{
    KmeansStarts *starts = data;
    Kmeans *kmeans = starts->kmeans;
    size_t bytes = kmeans->k * sizeof(double);

    pack_value(pack, &starts->evaluations, sizeof starts->evaluations);
    pack_value(pack, &starts->start_evaluations, sizeof starts->start_evaluations);
    pack_value(pack, &kmeans->inertia, sizeof kmeans->inertia);
    pack_value(pack, &kmeans->total, sizeof kmeans->total);
    pack_value(pack, &kmeans->iterations, sizeof kmeans->iterations);
    pack_value(pack, &kmeans->converged, sizeof kmeans->converged);
    pack_value(pack, &kmeans->recounted, sizeof kmeans->recounted);
    pack_value(pack, kmeans->centroids, kmeans->dims * bytes);
    pack_value(pack, kmeans->weights, bytes);
    pack_value(pack, kmeans->within, bytes);
    pack_value(pack, kmeans->history, history_count(kmeans, starts->plan.batch_size > 0) * sizeof(double));
}

const SharedKind kmeans_starts_kind = {.name = "starts of k-means",
                                       .data_size = sizeof(KmeansStarts),
                                       .pack = pack,
                                       .begin = begin,
                                       .run = run,
                                       .has_rows = true,
                                       .pack_result = pack_result};

KmeansResult *kmeans_best(Env *env, Rows *rows, uint32_t k, const double *given, const Options *options)
{
    KmeansStarts starts = {.rows = rows, .k = k, .plan = kmeans_plan(options), .given = given};
    SharedWork work = {.kind = &kmeans_starts_kind,
                       .data = &starts,
                       .end = given != NULL ? 1 : starts.plan.starts,
                       .packs = true,
                       .process_room = kmeans_bytes(k, rows_slots(rows)) + rows_count(rows) * START_ROW_BYTES,
                       .spare = rows_spare(rows),
                       .receive = receive,
                       .receiver = &starts};

    begin(env, &starts);
    starts.best = result_new(starts.kmeans);
    shared_work(env, &work);
    kmeans_close(starts.kmeans);
    if (starts.buckets != NULL)
        env->release(env, starts.buckets);
    return starts.best;
}
