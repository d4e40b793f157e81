/*
 * kmeans.c - k-means: the estimator.
 *
 * Arrays of a model: centroids F64[k x slots]; sizes F64[k], the weight of the rows of each cluster; within F64[k], the sum of
 * their squared distances to the centroid. With a range of k: k_tried, k_criterion, k_inertia, and k_gap with k_error, its standard errors.
 * With "history": history, the inertia of each assignment. With "standardize": feature_center, feature_scale; centroids are then in
 * the units of the data, all squares and distances in standard deviations.
 */
#include "core/kmeans/kmeans.h"
#include "core/model/report_text.h"
#include "core/base/all_finite.h"
#include "core/kmeans/centroid_score.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

static const char *const inits[] = {"k-means++", "k-means||", "random", "partition", NULL};
static const char *const automatic[] = {"auto", NULL};
static const char *const references[] = {"box", "pca", NULL};
static const char *const criteria[] = {"silhouette", "calinski_harabasz", "gap", NULL};

static const OptionSpec kmeans_options[] = {
    {.name = "batch_size",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1e9,
     .unset = "full passes",
     .help = "Use mini-batches of about this many rows instead of full passes: faster and less exact."},
    {.name = "select",
     .formerly = "criterion",
     .types = OPTION_STRING,
     .fallback = "\"silhouette\"",
     .choices = criteria,
     .help = "How to choose k from a range: by the mean silhouette of squared distances, the Calinski-Harabasz index, or the gap statistic, which "
             "also decides about one cluster."},
    {.name = "gap_reference",
     .types = OPTION_STRING,
     .fallback = "\"pca\"",
     .choices = references,
     .help = "Where the data sets that the gap statistic compares with are uniform: in the box of the features, or of the principal "
             "components, which follows the shape of the rows."},
    {.name = "gap_references",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 1,
     .maximum = 1000,
     .help = "Number of uniform data sets that the gap statistic compares with."},
    {.name = "history",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keep the inertia of each assignment in the model."},
    {.name = "init",
     .types = OPTION_STRING | OPTION_NUMBER_MATRIX,
     .fallback = "\"k-means++\"",
     .choices = inits,
     .help = "Starting centroids: rows chosen at random, the means of a random partition, or an array of k given "
             "centroids."},
    {.name = "k",
     .types = OPTION_INTEGER | OPTION_NUMBER_LIST | OPTION_STRING,
     .minimum = 1,
     .maximum = 1e6,
     .choices = automatic,
     .unset = "required",
     .help = "The number of clusters, or the smallest and the largest number, from which select chooses; auto: from 1 to max_k."},
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .fallback = "300",
     .minimum = 0,
     .maximum = 1e6,
     .help = "Maximum number of passes; reaching it gives a WARNING."},
    {.name = "max_k",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1e6,
     .unset = "10, less with at most 10 rows or fewer distinct ones",
     .help = "With \"k\": \"auto\": the largest number of clusters."},
    {.name = "n_init",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 10000,
     .unset = "10; with batch_size from k-means++ and k-means||: 1",
     .help = "Number of starts, of which the one with the least inertia is kept."},
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO_TO_ONE,
     .help = "Stop when the squared moves of the centroids add up to at most this times the mean variance of a "
             "feature; 0: when no row changes its cluster."},
    {.name = "trials",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1000,
     .unset = "4 + log k",
     .help = "Candidates for each centroid of k-means++; 1 is the original method."},
    {.name = NULL}};

/* ---- starts ---- */

/*
 * Returns the centroids in option "init", standardized if there is a scale; NULL if it has none. Sets *k if it is 0. Fails if they do
 * not fit k and the features.
 */
static const double *given_centroids(Env *env, const Rows *rows, const Options *options, const RowScale *scale, uint32_t *k)
{
    uint32_t count, columns;
    const double *centroids;
    double *scaled;

    if (options_type(options, "init") != OPTION_NUMBER_MATRIX)
        return NULL;
    centroids = options_matrix(options, "init", &count, &columns);
    if (columns != rows_slots(rows))
        env_fail(env, ERROR_DATA, NULL, "\"init\" has centroids of %u number%s, but the rows have %u", columns, columns == 1 ? "" : "s",
                 rows_slots(rows));
    if (*k == 0)
        *k = count;
    if (count != *k)
        env_fail(env, ERROR_PARAMETER, NULL, "\"init\" has %u centroid%s, but k is %u", count, count == 1 ? "" : "s", *k);
    if (scale == NULL)
        return centroids;
    scaled = env_array(env, (size_t)count * columns, sizeof(double));
    for (uint32_t c = 0; c < count; c++)
        row_scale_apply(scale, centroids + (size_t)c * columns, scaled + (size_t)c * columns);
    return scaled;
}

/* ---- the estimator ---- */

#define MAX_K 10 /* of "k": "auto" */

/* Reads the range of k in a list. */
static KmeansRange read_range(Env *env, const Options *options)
{
    uint32_t count;
    const double *range = options_numbers(options, "k", &count);

    if (count != 2 || range[0] != floor(range[0]) || range[1] != floor(range[1]) || range[0] < 1 || range[1] < range[0])
        env_fail(env, ERROR_PARAMETER, "Give the smallest and the largest k, such as [2, 10].",
                 "a range of k must be two integers, both at least 1");
    return (KmeansRange){.low = (uint32_t)range[0], .high = (uint32_t)range[1]};
}

/* Reads k, of which there may be several; sets both ends to 0 if k is not given. */
static KmeansRange read_k(Env *env, const Rows *rows, const Options *options)
{
    OptionType type = options_type(options, "k");
    bool given = options_given(options, "max_k");
    uint64_t most;

    if (given && type != OPTION_STRING)
        env_fail(env, ERROR_PARAMETER, "Give \"k\": \"auto\".", "option \"max_k\" belongs to \"k\": \"auto\"");
    if (type == OPTION_NUMBER_LIST)
        return read_range(env, options);
    if (type == OPTION_STRING) { /* with as many clusters as rows each row would be one */
        most = rows_count(rows) > 2 ? rows_count(rows) - 1 : 1;
        most = given ? (uint64_t)options_integer(options, "max_k") : most < MAX_K ? most : MAX_K;
        return (KmeansRange){1, (uint32_t)most, .distinct = true, .strict = given};
    }
    return type == OPTION_INTEGER ? (KmeansRange){.low = (uint32_t)options_integer(options, "k"), .high = (uint32_t)options_integer(options, "k")}
                                  : (KmeansRange){0};
}

static void warn_result(Env *env, const KmeansResult *result, int64_t max_iter)
{
    if (result->empty > 0 && result->converged)
        env_warn(env, ERROR_DATA, "Ask for fewer clusters.",
                 "%u of %u clusters have no rows: the rows have %u distinct value%s", result->empty, result->k,
                 result->k - result->empty, result->k - result->empty == 1 ? "" : "s");
    if (!result->converged)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\", or set \"tolerance\".",
                 "kmeans stopped after %lld pass%s, before the clusters converged", (long long)max_iter, max_iter == 1 ? "" : "es");
}

/* Adds what is known of each k, where there was a choice. */
static void add_choice(ModelBuilder *builder, const KmeansChoice *choice)
{
    if (choice->count == 0)
        return;
    builder_f64(builder, SECTION_ARRAYS, "k_tried", choice->k, choice->count);
    builder_f64(builder, SECTION_ARRAYS, "k_criterion", choice->criterion, choice->count);
    builder_f64(builder, SECTION_ARRAYS, "k_inertia", choice->inertia, choice->count);
    if (choice->gap == NULL)
        return;
    builder_f64(builder, SECTION_ARRAYS, "k_gap", choice->gap, choice->count);
    builder_f64(builder, SECTION_ARRAYS, "k_error", choice->error, choice->count);
}

static Model *kmeans_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                         ModelBuilder *builder)
{
    Rows *rows = input->rows;
    const RowScale *scale = rows_standardize(env, rows, options);
    KmeansChoice choice = {0};
    KmeansResult *result;
    KmeansRange range = read_k(env, rows, options);
    bool several = options_type(options, "k") == OPTION_NUMBER_LIST || options_type(options, "k") == OPTION_STRING;
    const double *given;

    if (several && options_type(options, "init") == OPTION_NUMBER_MATRIX)
        env_fail(env, ERROR_PARAMETER, "Give k as a number, or no centroids.", "\"init\" gives centroids, but k is a range");
    given = given_centroids(env, rows, options, scale, &range.low);
    range.high = range.high > range.low ? range.high : range.low;
    require_clusters(env, "kmeans", range.high, rows_count(rows));
    if (several)
        result = kmeans_choose(env, rows, range, options, &choice);
    else
        result = kmeans_best(env, rows, range.low, given, options);
    warn_result(env, result, options_integer(options, "max_iter"));

    builder_fact_i64(builder, "k", result->k);
    builder_fact(builder, "inertia", result->inertia);
    builder_fact(builder, "between_scatter", result->total > result->inertia ? result->total - result->inertia : 0);
    builder_fact(builder, "total_scatter", result->total);
    builder_fact_i64(builder, "iterations", result->iterations);
    builder_fact_bool(builder, "converged", result->converged);
    builder_fact_i64(builder, "distance_evaluations", (int64_t)result->evaluations);
    builder_fact_i64(builder, "start_evaluations", (int64_t)result->start_evaluations);
    if (result->empty > 0)
        builder_fact_i64(builder, "empty_clusters", result->empty);
    for (uint32_t c = 0; scale != NULL && c < result->k; c++)
        row_scale_undo(scale, result->centroids + (size_t)c * result->dims, result->centroids + (size_t)c * result->dims);
    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", result->centroids, result->k, result->dims);
    row_scale_write(builder, scale);
    builder_f64(builder, SECTION_ARRAYS, "sizes", result->sizes, result->k);
    builder_f64(builder, SECTION_ARRAYS, "within", result->within, result->k);
    add_choice(builder, &choice);
    if (result->assignments > 0)
        builder_f64(builder, SECTION_ARRAYS, "history", result->history, (uint32_t)result->assignments);
    return model_build(builder);
}

#define STEP_SUM(member, ...)                                                                                          \
    {.name = #member,                                                                                                  \
     .type = ARRAY_F64,                                                                                                \
     .rows = {SIZE_CLUSTERS},                                                                                          \
     .data_at = VIEW_AT(KmeansModel, member),                                                                          \
     .presence = ARRAY_WITH,                                                                                           \
     __VA_ARGS__}

static const ArraySpec kmeans_arrays[] = {
    {.name = "centroids",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS, .defines = true},
     .columns = {SIZE_SLOTS},
     .data_at = VIEW_AT(KmeansModel, centroids),
     .rows_at = VIEW_AT(KmeansModel, k),
     .columns_at = VIEW_AT(KmeansModel, dims)},
    {.name = "history", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY},
    {.name = "k_criterion",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .presence = ARRAY_WITH,
     .other = "k_tried",
     .values = VALUES_ANY},
    {.name = "k_error",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .presence = ARRAY_OPTIONAL,
     .other = "k_tried",
     .values = VALUES_ANY},
    {.name = "k_gap",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .presence = ARRAY_OPTIONAL,
     .other = "k_tried",
     .values = VALUES_ANY},
    {.name = "k_inertia",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .presence = ARRAY_OPTIONAL,
     .other = "k_tried",
     .values = VALUES_ANY},
    {.name = "k_tried", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY},
    {.name = "sizes",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS},
     .values = VALUES_ANY,
     .data_at = VIEW_AT(KmeansModel, sizes)},
    /* only in the state of a step: kmeans_step.c */
    STEP_SUM(sum_moments, .columns = {SIZE_SLOTS}, .other = "sum_weights"),
    STEP_SUM(sum_squares, .other = "sum_weights"),
    STEP_SUM(sum_weights, .other = "sum_squares"),
    {.name = "within",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS},
     .values = VALUES_ANY,
     .data_at = VIEW_AT(KmeansModel, within)}};
static const ArraySpec kmeans_facts[] = {
    FACT("between_scatter", ARRAY_F64), FACT("converged", ARRAY_BOOL), FACT("distance_evaluations", ARRAY_I64),
    FACT("empty_clusters", ARRAY_I64), FACT("inertia", ARRAY_F64), FACT("iterations", ARRAY_I64),
    FACT("k", ARRAY_I64), FACT("start_evaluations", ARRAY_I64), FACT("step_of", ARRAY_I64),
    FACT("total_scatter", ARRAY_F64)};
static const ArrayTable kmeans_array_tables[] = 
    ARRAY_TABLES(ARRAY_TABLE(kmeans_arrays), ARRAY_TABLE_AT(scale_arrays, KmeansModel, scale), FACT_TABLE(kmeans_facts));

KmeansModel kmeans_view(const Model *model)
{
    KmeansModel view = {0};

    view_arrays(model, kmeans_array_tables, &view);
    return view;
}

/* ---- scores ---- */

static void *kmeans_prepare(Env *env, const Model *model, size_t *bytes)
{
    KmeansModel view = kmeans_view(model);
    CentroidScorer *prepared = env_array(env, 1, sizeof *prepared);

    *prepared = centroid_scorer(env, view.centroids, view.k, view.dims, view.scale);
    *bytes = 0; /* as allocated */
    return prepared;
}

static uint32_t kmeans_cluster(const Model *model, const void *prepared, const double *slots)
{
    double square;

    return centroid_of_row(prepared, slots, &square);
}

static double kmeans_distance(const Model *model, const void *prepared, const double *slots)
{
    uint32_t nearest;

    return centroid_distance_of_row(prepared, slots, &nearest);
}

static void kmeans_distances(const Model *model, const void *prepared, const double *slots, double *out)
{
    centroid_distances_of_row(prepared, slots, out);
}

static const Scoring kmeans_scoring = {.prepare = kmeans_prepare,
                                       .cluster = kmeans_cluster,
                                       .distance = kmeans_distance,
                                       .distances = kmeans_distances,
                                       .width = cluster_count};

/* ---- the summary: a table of the centroids, and how the fit went ---- */

#define SUMMARY_CLUSTERS 30 /* rows of the table */
#define SUMMARY_FEATURES 8  /* columns of centroids */

static void put_clusters(TextBuffer *report, const Model *model, const KmeansModel *view)
{
    uint32_t clusters = view->k < SUMMARY_CLUSTERS ? view->k : SUMMARY_CLUSTERS;
    uint32_t features = view->dims < SUMMARY_FEATURES ? view->dims : SUMMARY_FEATURES;
    char name[SCHEMA_NAME_SIZE];

    text_print(report, "cluster%12s", model->flags & MODEL_WEIGHTED ? "weight" : "rows");
    for (uint32_t a = 0; a < features; a++) {
        schema_slot_name(model, a, name, sizeof(name));
        text_print(report, " %11.11s", name);
    }
    text_print(report, "%s\n", features < view->dims ? " ..." : "");
    for (uint32_t j = 0; j < clusters; j++) {
        text_print(report, "%7u%12.6g", j + 1, view->sizes[j]);
        for (uint32_t a = 0; a < features; a++)
            report_cell(report, view->centroids[(size_t)j * view->dims + a], 12, 5);
        text_print(report, "\n");
    }
    if (clusters < view->k)
        text_print(report, "... and %u more clusters: see centroids(model)\n", view->k - clusters);
}

static char *kmeans_summary(Env *env, const Model *model)
{
    KmeansModel view = kmeans_view(model);
    double inertia = model_fact(model, "inertia", NAN), total = model_fact(model, "total_scatter", NAN);
    double iterations = model_fact(model, "iterations", NAN);
    const ModelEntry *converged = model_find(model, "converged");
    TextBuffer report = {.env = env};

    text_print(&report, "kmeans: %u cluster%s of %u feature%s\n", view.k, view.k == 1 ? "" : "s", model->field_count,
               model->field_count == 1 ? "" : "s");
    report_rows(&report, model);
    text_print(&report, "\n");
    put_clusters(&report, model, &view);
    if (!isnan(inertia))
        text_print(&report, "\ninertia: %.8g", inertia);
    if (!isnan(inertia) && total > 0)
        text_print(&report, ", %.4g%% of the total scatter, %.8g", 100 * inertia / total, total);
    if (!isnan(iterations))
        text_print(&report, "\niterations: %.0f%s", iterations,
                   converged != NULL && converged->type == ARRAY_BOOL && *(const uint8_t *)model_data(model, converged) == 0
                       ? ", not converged"
                       : "");
    return text_finish(&report, NULL);
}

static const Table *const kmeans_tables[] = {&elbow_table, NULL};

const Estimator estimator_kmeans = {
    .name = "kmeans",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .numeric = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, option_seed, option_standardize, kmeans_options),
    .positional = positional_k,
    .help = "k clusters around means (centroids), with a small sum of squared distances from rows to their centroid.",
    .source = "Lloyd (1982); Arthur & Vassilvitskii (2007)",
    .fit = kmeans_fit,
    .arrays = kmeans_array_tables,
    .scoring = &kmeans_scoring,
    .tables = kmeans_tables,
    .summary = kmeans_summary,
};
