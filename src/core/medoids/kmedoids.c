/*
 * kmedoids.c - k-medoids: the estimator.
 *
 * Arrays of a model: medoids F64[k x slots], encoded rows; ids TEXT[k], their ids, if the rows had ids; sizes F64[k], the weight of
 * the rows of each cluster; costs F64[k], the sum of their distances to the medoid; the arrays of the metric (metric.h); with
 * option "history": history, the costs of the best start.
 */
#include "core/medoids/kmedoids.h"
#include "core/distance/metric.h"
#include "core/location/exemplars.h"
#include "core/rows/special_columns.h"
#include "core/estimator/estimator.h"
#include "core/base/all_finite.h"
#include "core/base/random.h"
#include "core/distance/distance_matrix.h"
#include "core/estimator/shared_options.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const algorithms[] = {"pam", "alternate", "clara", NULL};
static const char *const inits[] = {"build", "lab", "random", NULL};
static const char *const swaps[] = {"eager", "best", NULL};

static const OptionSpec kmedoids_options[] = {
    {.name = "algorithm",
     .types = OPTION_STRING,
     .fallback = "\"pam\"",
     .choices = algorithms,
     .help = "Swap medoids with other rows (pam), alternate between assigning rows and choosing medoids "
             "(alternate), or swap within samples and keep the result that is best for all rows (clara)."},
    {.name = "history",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keep the cost after each swap or assignment in the model."},
    {.name = "init",
     .types = OPTION_STRING | OPTION_NUMBER_MATRIX,
     .fallback = "\"build\"",
     .choices = inits,
     .help = "Starting medoids: chosen greedily (build; further starts of n_init are random), greedily among samples (lab), "
             "at random, or the rows nearest to k given ones."},
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .fallback = "300",
     .minimum = 0,
     .maximum = 1e6,
     .help = "Maximum number of rounds over the rows; reaching it gives a WARNING."},
    {.name = "sample_size",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1e9,
     .unset = "40 + 2 k",
     .help = "Number of rows in a sample of clara."},
    {.name = "samples",
     .types = OPTION_INTEGER,
     .fallback = "5",
     .minimum = 1,
     .maximum = 10000,
     .help = "Number of samples of clara."},
    {.name = "swap",
     .types = OPTION_STRING,
     .fallback = "\"eager\"",
     .choices = swaps,
     .help = "For pam and clara: make each swap that lowers the cost as soon as it is found (eager), or the best of "
             "all swaps (best)."},
    {.name = NULL}};

/* ---- the search ---- */

/* What all searches of a fit share. */
typedef struct Search {
    Env *env;
    const Options *options;
    const PointSet *points;
    uint32_t k;
    double *given; /* [k x width] coordinates of the starting rows in option "init"; NULL: none are given */
} Search;

/* Chooses the medoids of a start, counted from 0. BUILD gives the same ones again, so it is followed by random starts. */
static void start_medoids(const Search *search, Medoids *medoids, uint64_t seed, uint32_t start)
{
    if (search->given != NULL)
        medoids_given(medoids, search->given);
    else if (options_is(search->options, "init", "lab"))
        medoids_build_sampled(medoids, seed);
    else if (start > 0 || options_is(search->options, "init", "random"))
        medoids_random(medoids, seed);
    else
        medoids_build(medoids);
}

static void improve(const Search *search, Medoids *medoids)
{
    if (options_is(search->options, "algorithm", "alternate"))
        medoids_alternate(medoids);
    else
        medoids_swap(medoids, options_is(search->options, "swap", "eager"));
}

/* Returns a search over these points, with option "max_iter". */
static Medoids *search_open(const Search *search, const double *coordinates, const double *weights, uint32_t n)
{
    Medoids *medoids = medoids_new(search->env, search->points->metric, coordinates, weights, n, search->k);

    medoids->max_iter = options_integer(search->options, "max_iter");
    return medoids;
}

/* Makes the best result the current one, and assigns the points to it. */
static void take_best(Medoids *medoids)
{
    MedoidsResult now = medoids->now;

    medoids->now = medoids->best;
    medoids->best = now;
    medoids_assign(medoids);
}

/* Copies the current result to the best one if its cost is lower. */
static void keep_better(Medoids *medoids)
{
    MedoidsResult *now = &medoids->now, *best = &medoids->best, former = *best;

    if (!(now->cost < best->cost))
        return;
    *best = *now;
    best->medoids = former.medoids;
    memcpy(best->medoids, now->medoids, medoids->k * sizeof(uint32_t));
    now->history = former.history; /* room for the next start */
    now->history_room = former.history_room;
}

/*
 * Returns the number from which the random choices of option "seed" begin. Generators step by SEED_STEP, so that without the hash the
 * numbers of a seed would be those of the one before, shifted by one. Seed 0 remains 0.
 */
static uint64_t first_seed(const Options *options)
{
    return mix64((uint64_t)options_integer(options, "seed") * SEED_STEP);
}

/* Searches from every start, and makes the best result the current one, with the history of its own start. */
static void search_all(const Search *search, Medoids *medoids)
{
    uint64_t seed = first_seed(search->options);
    uint32_t starts = options_starts(search->options, options_is(search->options, "init", "random") ? STARTS_RANDOM : 1);

    medoids->keep_history = options_boolean(search->options, "history");
    medoids->best.cost = INFINITY;
    for (uint32_t s = 0; s < starts; s++) {
        medoids->now.history_count = 0;
        start_medoids(search, medoids, seed + s, s);
        improve(search, medoids);
        keep_better(medoids);
    }
    take_best(medoids);
}

/* ---- samples ---- */

/* Writes `count` random numbers of 0 .. n - 1, all different, to the first places of order [n]. */
static void draw(uint32_t *order, uint32_t n, uint32_t count, uint64_t *seed)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = i + (uint32_t)(random_unit(seed) * (n - i)), moved = order[i];

        order[i] = order[j];
        order[j] = moved;
    }
}

/* Returns the number of rows of a sample. Fails with ERROR_PARAMETER if it is less than k. */
static uint32_t sample_size(const Search *search)
{
    uint64_t size = 40 + 2 * (uint64_t)search->k;

    if (options_type(search->options, "sample_size") != 0)
        size = (uint64_t)options_integer(search->options, "sample_size");
    if (size < search->k)
        env_fail(search->env, ERROR_PARAMETER, NULL, "\"sample_size\" is %llu, less than the number of clusters, %u",
                 (unsigned long long)size, search->k);
    return size < search->points->count ? (uint32_t)size : search->points->count;
}

/* Searches samples of the points, and keeps the medoids that are best for all points (CLARA, Kaufman & Rousseeuw 1990). */
static void search_samples(const Search *search, Medoids *all)
{
    Env *env = search->env;
    const PointSet *points = search->points;
    uint32_t width = points->metric->width, size = sample_size(search);
    uint32_t *order = env_array(env, points->count, sizeof(uint32_t));
    double *coordinates = env_array(env, size, (size_t)width * sizeof(double) + 1);
    double *weights = points->weights != NULL ? env_array(env, size, sizeof(double)) : NULL;
    uint64_t seed = first_seed(search->options) + 1;
    Medoids *sample = search_open(search, coordinates, weights, size);

    all->best.cost = INFINITY;
    for (int64_t s = 0; s < options_integer(search->options, "samples"); s++) {
        draw(order, points->count, size, &seed);
        for (uint32_t i = 0; i < size; i++) {
            memcpy(coordinates + (size_t)i * width, point_set_row(points, order[i]), width * sizeof(double));
            if (weights != NULL)
                weights[i] = points->weights[order[i]];
        }
        medoids_read(sample);
        search_all(search, sample);
        for (uint32_t m = 0; m < search->k; m++)
            all->now.medoids[m] = order[sample->now.medoids[m]];
        all->now.iterations = sample->now.iterations;
        all->now.swaps = sample->now.swaps;
        all->now.converged = sample->now.converged;
        medoids_assign(all);
        keep_better(all);
    }
    take_best(all);
    all->evaluations += sample->evaluations;
}

/* ---- the estimator ---- */

/* Returns the coordinates of the rows in option "init", [k x width]; NULL if it has none. Sets k if it is 0. */
static double *given_starts(Search *search)
{
    Env *env = search->env;
    const Metric *metric = search->points->metric;
    uint32_t count, columns;
    const double *rows;
    double *given;

    if (options_type(search->options, "init") != OPTION_NUMBER_MATRIX)
        return NULL;
    if (options_is(search->options, "algorithm", "clara"))
        env_fail(env, ERROR_PARAMETER, NULL, "algorithm clara starts from samples and cannot use the rows of \"init\"");
    if (metric->kind == METRIC_GIVEN)
        env_fail(env, ERROR_PARAMETER, "Use \"init\": \"build\", \"lab\" or \"random\".",
                 "\"init\" has rows of numbers, but kmedoids was given distances");
    rows = options_matrix(search->options, "init", &count, &columns);
    if (columns != metric->slots || !schema_all_numeric(metric->schema) || metric->form == FORM_OBJECTS)
        env_fail(env, ERROR_DATA, "Give starting rows for numeric features only, one number per feature.",
                 "\"init\" has rows of %u number%s, but the rows have %u", columns, columns == 1 ? "" : "s", metric->slots);
    if (search->k == 0)
        search->k = count;
    if (count != search->k)
        env_fail(env, ERROR_PARAMETER, NULL, "\"init\" has %u row%s, but k is %u", count, count == 1 ? "" : "s", search->k);
    given = env_array(env, count, (size_t)metric->width * sizeof(double) + 1);
    metric_place_rows(env, metric, rows, count, given);
    return given;
}

static void warn_result(Env *env, const Medoids *medoids, const double *sizes)
{
    uint32_t empty = 0;

    for (uint32_t m = 0; m < medoids->k; m++)
        empty += sizes[m] == 0;
    if (empty > 0)
        env_warn(env, ERROR_DATA, "Ask for fewer clusters.", "%u of %u clusters have no rows, because their medoids equal other medoids",
                 empty, medoids->k);
    if (!medoids->now.converged)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\".",
                 "kmedoids stopped after %lld round%s, before the medoids converged", (long long)medoids->now.iterations, medoids->now.iterations == 1 ? "" : "s");
}

/* Returns a distance that is far enough that no sum of others is as large, near enough that sums keep their digits. */
static double far_distance(double largest, double weight)
{
    return 4 * (largest + DBL_MIN) * weight;
}

/*
 * Replaces infinite distances of a metric function, if one row shows that there are some. Returns the replacement; INFINITY: there are
 * none. Computes the distances of all pairs to know the largest.
 */
static double replace_infinite(Env *env, const PointSet *points)
{
    const Metric *metric = points->metric;
    double *distances = env_array(env, points->count, sizeof(double)), largest = 0, least = points->weight, far;
    bool infinite = false;

    if (metric->kind != METRIC_FUNCTION)
        return INFINITY;
    for (uint32_t i = 0; i < points->count && (i == 0 || infinite); i++) {
        metric_reduced_rows(metric, point_set_row(points, i), point_set_row(points, i), points->count - i, distances);
        least = fmin(least, row_weight(points->weights, i));
        for (uint32_t j = 0; j < points->count - i; j++) {
            infinite |= isinf(distances[j]) != 0;
            largest = isinf(distances[j]) ? largest : fmax(largest, distances[j]);
        }
    }
    if (!infinite)
        return INFINITY;
    far = far_distance(largest, points->weight / least);
    metric_replace_infinite(metric, far);
    return far;
}

/* Fails if an object is infinitely far from all medoids. far: the replacement of infinite distances. ids: may be NULL. */
static void require_reached(Env *env, const Medoids *medoids, double far, const RowId *ids)
{
    for (uint32_t i = 0; i < medoids->n; i++)
        if (medoids->first_distance[i] >= far && ids == NULL)
            env_fail(env, ERROR_DATA, "Ask for more clusters, or leave such rows out: each part of the rows that are connected needs a medoid.",
                     "a row is infinitely far from %s%u medoid%s", medoids->k == 1 ? "the " : "all ", medoids->k,
                     medoids->k == 1 ? "" : "s");
        else if (medoids->first_distance[i] >= far)
            env_fail(env, ERROR_DATA, "Ask for more clusters, or leave such ids out: each part of the ids that are connected needs a medoid.",
                     "\"%.*s\" is infinitely far from %s%u medoid%s", ids[i].length > 60 ? 60 : (int)ids[i].length, ids[i].text,
                     medoids->k == 1 ? "the " : "all ", medoids->k, medoids->k == 1 ? "" : "s");
}

/* Adds the cluster of each object, which no scoring function can tell later. */
static void add_members(Env *env, const Medoids *medoids, const RowId *ids, ModelBuilder *builder)
{
    int32_t *clusters = env_array_raw(env, medoids->n, sizeof(int32_t));
    const char **texts = env_array_raw(env, medoids->n, sizeof(char *));
    uint32_t *lengths = env_array_raw(env, medoids->n, sizeof(uint32_t));

    for (uint32_t i = 0; i < medoids->n; i++) {
        clusters[i] = (int32_t)medoids->nearest[i];
        texts[i] = ids[i].text;
        lengths[i] = ids[i].length;
    }
    builder_i32(builder, SECTION_ARRAYS, "member_clusters", clusters, medoids->n);
    builder_text(builder, SECTION_ARRAYS, "member_ids", texts, lengths, medoids->n);
}

static Model *build_model(Env *env, const FitInput *input, PointSet *points, const Medoids *medoids, double far, ModelBuilder *builder)
{
    RowId *ids = rows_contents(input->rows) & ROWS_ID ? point_set_ids(env, input->rows, points) : NULL;
    uint32_t k = medoids->k, slots = rows_slots(input->rows), *numbers = env_array(env, k, sizeof(uint32_t));
    double *rows = env_array(env, k, (size_t)slots * sizeof(double) + 1), *sizes = env_array(env, k, sizeof(double));
    double *costs = env_array(env, k, sizeof(double));
    const DistanceMatrix *given = distance_matrix_of(input->rows);

    if (isfinite(far))
        require_reached(env, medoids, far, ids);
    for (uint32_t m = 0; m < k; m++)
        numbers[m] = points->numbers[medoids->now.medoids[m]];
    point_set_slots(env, input->rows, numbers, k, "kmedoids", rows);
    metric_number_objects(points->metric, rows, k);
    for (uint32_t i = 0; i < medoids->n; i++) {
        sizes[medoids->nearest[i]] += row_weight(medoids->weights, i);
        costs[medoids->nearest[i]] += row_weight(medoids->weights, i) * medoids->first_distance[i];
    }
    warn_result(env, medoids, sizes);
    builder_fact_i64(builder, "k", k);
    builder_fact(builder, "cost", medoids->now.cost);
    builder_fact_i64(builder, "iterations", medoids->now.iterations);
    builder_fact_i64(builder, "swaps", medoids->now.swaps);
    builder_fact_bool(builder, "converged", medoids->now.converged);
    builder_fact_i64(builder, "distance_evaluations", medoids->evaluations);
    builder_f64_matrix(builder, SECTION_ARRAYS, "medoids", rows, k, slots);
    if (ids != NULL)
        row_ids_write(env, builder, ids, medoids->now.medoids, k);
    builder_f64(builder, SECTION_ARRAYS, "sizes", sizes, k);
    builder_f64(builder, SECTION_ARRAYS, "costs", costs, k);
    if (medoids->now.history_count > 0)
        builder_f64(builder, SECTION_ARRAYS, "history", medoids->now.history, medoids->now.history_count);
    metric_write(env, points->metric, builder);
    metric_write_objects(env, points->metric, builder, rows, k);
    if (given != NULL)
        add_members(env, medoids, ids, builder);
    return model_build(builder);
}

static Model *kmedoids_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                           ModelBuilder *builder)
{
    Rows *rows = input->rows;
    Search search = {.env = env, .options = options};
    DistanceMatrix *given = distance_matrix_of(rows);
    PointSet *points;
    Medoids *medoids;
    double far = INFINITY;

    if (given != NULL && given->infinite > 0)
        given->replacement = far = far_distance(distance_matrix_largest(given), given->count);
    if (options_type(options, "k") != 0)
        search.k = (uint32_t)options_integer(options, "k");
    if (options_type(options, "init") != OPTION_NUMBER_MATRIX)
        require_clusters(env, "kmedoids", search.k, rows_count(rows));
    /* per row: panels, the two nearest medoids and their distances, a distance, members, bounds, and the order of samples */
    search.points = points =
        point_set(env, rows, options,
                  rows_slots(rows) * sizeof(double) + 56 + (rows_slots(rows) >= MEDOIDS_AHEAD_WIDTH ? MEDOIDS_AHEAD * sizeof(double) : 0) + (rows_contents(rows) & ROWS_ID ? 4 * sizeof(RowId) : 0), "kmedoids");
    search.given = given_starts(&search);
    require_clusters(env, "kmedoids", search.k, rows_count(rows));
    if (given == NULL)
        far = replace_infinite(env, points);
    medoids = search_open(&search, points->coordinates, points->weights, points->count);
    if (options_is(options, "algorithm", "clara"))
        search_samples(&search, medoids);
    else
        search_all(&search, medoids);
    return build_model(env, input, points, medoids, far, builder);
}

/* ---- scores ---- */

typedef struct MedoidsModel {
    uint32_t k;
    const double *medoids; /* [k x slots] */
} MedoidsModel;

static const ArraySpec kmedoids_arrays[] = {
    {.name = "costs", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS}, .values = VALUES_ANY},
    {.name = "history", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY},
    {.name = "ids", .type = ARRAY_TEXT, .rows = {SIZE_CLUSTERS}, .presence = ARRAY_OPTIONAL},
    {.name = "medoids",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS, .defines = true},
     .columns = {SIZE_SLOTS},
     .data_at = VIEW_AT(MedoidsModel, medoids),
     .rows_at = VIEW_AT(MedoidsModel, k)},
    {.name = "member_clusters",
     .type = ARRAY_I32,
     .rows = {SIZE_ROWS},
     .presence = ARRAY_WITH,
     .other = "member_ids",
     .values = VALUES_INDEX,
     .below = SIZE_CLUSTERS},
    {.name = "member_ids", .type = ARRAY_TEXT, .rows = {SIZE_ROWS, .defines = true}, .presence = ARRAY_OPTIONAL},
    {.name = "sizes", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS}, .values = VALUES_ANY}};
static const ArraySpec kmedoids_facts[] = {
    FACT("converged", ARRAY_BOOL), FACT("cost", ARRAY_F64), FACT("distance_evaluations", ARRAY_I64),
    FACT("iterations", ARRAY_I64), FACT("k", ARRAY_I64), FACT("swaps", ARRAY_I64)};
static const ArrayTable kmedoids_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(kmedoids_arrays), ARRAY_TABLE(metric_arrays), FACT_TABLE(kmedoids_facts));

static const char *kmedoids_check(Env *env, const Model *model)
{
    const char *wrong = metric_check(env, model);

    return wrong != NULL ? wrong : metric_check_array(model, "medoids");
}

typedef struct PreparedMedoids {
    ModelPoints points; /* the medoids */
    double *reduced;    /* [points.count] reduced distances of the row to score from them */
} PreparedMedoids;

static void *kmedoids_prepare(Env *env, const Model *model, size_t *bytes)
{
    PreparedMedoids *prepared = env_array(env, 1, sizeof(PreparedMedoids));
    MedoidsModel view = {0};

    view_arrays(model, kmedoids_array_tables, &view);
    prepared->points = model_points(env, model, view.medoids, view.k);
    prepared->reduced = env_array(env, view.k, sizeof(double));
    *bytes = 0; /* as allocated */
    return prepared;
}

/* Returns the medoid nearest to a row, the first of equal ones; CLASS_NONE if the row has no distances. */
static uint32_t kmedoids_cluster(const Model *model, const void *data, const double *slots)
{
    const PreparedMedoids *prepared = data;
    const ModelPoints *points = &prepared->points;
    uint32_t best = 0;

    if (!metric_place(points->metric, slots, points->row))
        return CLASS_NONE;
    metric_reduced_rows(points->metric, points->row, points->coordinates, points->count, prepared->reduced);
    for (uint32_t m = 1; m < points->count; m++)
        if (prepared->reduced[m] < prepared->reduced[best])
            best = m;
    return best;
}

static double kmedoids_distance(const Model *model, const void *prepared, const double *slots)
{
    uint32_t medoid = kmedoids_cluster(model, prepared, slots);

    return medoid == CLASS_NONE ? NAN : model_points_distance(&((const PreparedMedoids *)prepared)->points, medoid);
}

static void kmedoids_distances(const Model *model, const void *prepared, const double *slots, double *out)
{
    model_points_distances(&((const PreparedMedoids *)prepared)->points, slots, out);
}

static uint32_t kmedoids_width(const Model *model)
{
    return model_find(model, "medoids")->rows;
}

static const Scoring kmedoids_scoring = {.partial = true,
                                         .prepare = kmedoids_prepare,
                                         .cluster = kmedoids_cluster,
                                         .distance = kmedoids_distance,
                                         .distances = kmedoids_distances,
                                         .width = kmedoids_width};

/* ---- the tables: "medoids", one row per medoid and slot, and "members", of given distances ---- */

/* Sets the cell to the level that a slot of this field holds. It stays NULL if there is none, or if the level represents NULL. */
static void level_cell(Cell *cell, const Model *model, uint32_t field, double slot)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), position;

    if (!(slot >= 0 && slot < levels) || slot != floor(slot))
        return;
    position = (uint32_t)slot;
    if (dictionary_field(model, position) == field)
        cell_of_dictionary(cell, model, DICTIONARY_LEVELS, position);
}

typedef struct MedoidReader {
    const ModelEntry *medoids, *ids, *texts;
    const double *numbers;
    bool given; /* the distances were: medoids have ids alone */
} MedoidReader;

static void *open_medoids(Env *env, const Model *model, uint64_t *rows)
{
    MedoidReader *reader = env_array(env, 1, sizeof *reader);

    reader->medoids = model_find(model, "medoids");
    reader->ids = model_find(model, "ids");
    reader->texts = model_find(model, "texts"); /* of metrics that compare them */
    reader->numbers = model_data(model, reader->medoids);
    reader->given = metric_is_given(model);
    *rows = reader->given ? reader->medoids->rows : (uint64_t)reader->medoids->rows * reader->medoids->columns;
    return reader;
}

static bool medoid_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MedoidReader *reader = data;
    uint32_t columns = reader->given ? 1 : reader->medoids->columns;
    uint32_t medoid = (uint32_t)(i / columns), slot = (uint32_t)(i % columns);
    uint32_t field = schema_slot_field(model, slot);

    cell_integer(&cells[0], (int64_t)medoid + 1);
    if (reader->ids != NULL)
        cell_text_of(&cells[1], model, reader->ids, medoid);
    if (reader->given)
        return true;
    cell_string(&cells[2], schema_term_text(env, model, slot, -1));
    if (reader->texts != NULL)
        cell_text_of(&cells[4], model, reader->texts, (uint32_t)reader->numbers[i]);
    else if (schema_field_kind(model, field) == FIELD_CATEGORICAL)
        level_cell(&cells[4], model, field, reader->numbers[i]);
    else
        cell_number(&cells[3], reader->numbers[i]);
    return true;
}

static const Table medoids = {.name = "medoids", .open = open_medoids, .row = medoid_row};

/* ---- members ---- */

typedef struct MemberReader {
    const ModelEntry *ids, *medoid_ids;
    const int32_t *clusters;
} MemberReader;

static bool has_members(const Model *model)
{
    return model_find(model, "member_ids") != NULL;
}

static void *open_members(Env *env, const Model *model, uint64_t *rows)
{
    MemberReader *reader = env_array(env, 1, sizeof *reader);

    reader->ids = model_find(model, "member_ids");
    reader->medoid_ids = model_find(model, "ids");
    reader->clusters = model_data(model, model_find(model, "member_clusters"));
    *rows = reader->ids->rows;
    return reader;
}

static bool member_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MemberReader *reader = data;
    uint32_t length, medoid_length = 0, cluster = (uint32_t)reader->clusters[i];
    const char *id = model_text(model, reader->ids, (uint32_t)i, &length);
    const char *medoid = reader->medoid_ids != NULL ? model_text(model, reader->medoid_ids, cluster, &medoid_length) : NULL;

    cell_text(&cells[0], id, length);
    cell_integer(&cells[1], (int64_t)cluster + 1);
    cell_string(&cells[2], medoid != NULL && medoid_length == length && memcmp(id, medoid, length) == 0 ? "medoid" : "member");
    return true;
}

static const Table members = {.name = "members", .has = has_members, .open = open_members, .row = member_row};

static const Table *const medoid_tables[] = {&medoids, &members, NULL};

const Estimator estimator_kmedoids = {
    .name = "kmedoids",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .by_scale = true,
    .infinite_distances = true,
    .options = OPTION_TABLES(options_common, option_seed, option_n_init, option_k, option_id_column, METRIC_OPTIONS, kmedoids_options),
    .positional = positional_k,
    .help = "k clusters around actual rows (medoids), with a small sum of distances from rows to their medoid, by "
            "any metric.",
    .source = "Kaufman & Rousseeuw (1990); Schubert & Rousseeuw (2021)",
    .fit = kmedoids_fit,
    .arrays = kmedoids_array_tables,
    .check = kmedoids_check,
    .scoring = &kmedoids_scoring,
    .tables = medoid_tables,
};
