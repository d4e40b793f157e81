/*
 * kmeans_choice.c - the choice of k by a criterion, and the table "elbow" of what is known of each k.
 *
 * The gap statistic (Tibshirani, Walther & Hastie 2001) tells how much more the inertia falls than that of rows without clusters, which are
 * uniform in a box: that of the features, or that of their principal components, which follows the shape of the rows (the paper's methods a
 * and b).
 */
#include "core/kmeans/kmeans.h"
#include "core/estimator/shared_options.h"
#include "core/base/random.h"
#include "core/linalg/eigen.h"
#include "core/metrics/cluster_metrics.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

/* ---- the gap statistic ---- */

/* The box in which reference rows are uniform. */
typedef struct Reference {
    uint32_t dims;
    double *low, *high; /* [dims] of the coordinates */
    double *center;     /* [dims] of the rows; with axes */
    double *axes;       /* [dims x dims] one per row; NULL: the coordinates are the features */
    double *row, *point; /* [dims] work space */
} Reference;

/* Writes the coordinates of a row. */
static void to_coordinates(const Reference *reference, const double *row, double *out)
{
    uint32_t dims = reference->dims;

    for (uint32_t a = 0; a < dims; a++) {
        const double *axis = reference->axes + (size_t)a * dims;

        out[a] = 0;
        for (uint32_t j = 0; j < dims; j++)
            out[a] += axis[j] * (row[j] - reference->center[j]);
    }
}

/* Writes the row with given coordinates. */
static void from_coordinates(const Reference *reference, const double *coordinates, double *out)
{
    uint32_t dims = reference->dims;

    for (uint32_t j = 0; j < dims; j++)
        out[j] = reference->center[j];
    for (uint32_t a = 0; a < dims; a++)
        for (uint32_t j = 0; j < dims; j++)
            out[j] += reference->axes[(size_t)a * dims + j] * coordinates[a];
}

/* Sets center and axes to those of the rows' principal components. */
static void find_axes(Env *env, Rows *rows, Reference *reference)
{
    uint32_t dims = reference->dims;
    double *scatter = env_array(env, (size_t)dims * dims, sizeof(double)), n = 0;
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    reference->axes = env_array(env, (size_t)dims * dims, sizeof(double));
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * dims;

            n++;
            for (uint32_t j = 0; j < dims; j++) { /* Welford: row less the mean before, times row less the mean after */
                reference->row[j] = row[j] - reference->center[j];
                reference->center[j] += reference->row[j] / n;
            }
            for (uint32_t j = 0; j < dims; j++)
                for (uint32_t k = 0; k <= j; k++)
                    scatter[(size_t)j * dims + k] += reference->row[j] * (row[k] - reference->center[k]);
            env_poll_every(env, i, 256);
        }
    rows_reader_free(reader);
    for (uint32_t j = 0; j < dims; j++)
        for (uint32_t k = 0; k < j; k++)
            scatter[(size_t)k * dims + j] = scatter[(size_t)j * dims + k];
    eigen_vectors(eigen_begin(env, scatter, dims), dims, reference->axes);
}

/* Returns the box of the rows that option "gap_reference" asks for. */
static Reference *reference_new(Env *env, Rows *rows, const Options *options)
{
    Reference *reference = env_array(env, 1, sizeof(Reference));
    uint32_t dims = reference->dims = rows_slots(rows);
    double *numbers = env_array(env, 5, dims * sizeof(double));
    RowsReader *reader;
    RowsBlock block;

    reference->low = numbers;
    reference->high = numbers + dims;
    reference->center = numbers + (size_t)2 * dims;
    reference->row = numbers + (size_t)3 * dims;
    reference->point = numbers + (size_t)4 * dims;
    if (options_is(options, "gap_reference", "pca") && dims > 1) {
        env_require_memory(env, eigen_memory(dims, dims), "the gap statistic");
        find_axes(env, rows, reference);
    }
    for (uint32_t j = 0; j < dims; j++) {
        reference->low[j] = INFINITY;
        reference->high[j] = -INFINITY;
    }
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *x = block.slots + (size_t)i * dims;

            if (reference->axes != NULL) {
                to_coordinates(reference, x, reference->point);
                x = reference->point;
                env_poll_every(env, i, 256);
            }
            for (uint32_t j = 0; j < dims; j++) {
                reference->low[j] = fmin(reference->low[j], x[j]);
                reference->high[j] = fmax(reference->high[j], x[j]);
            }
        }
    rows_reader_free(reader);
    return reference;
}

/* Returns as many rows as there are, with uniform random values within the box. */
static Rows *uniform_rows(Env *env, Rows *rows, Reference *reference, uint64_t seed)
{
    uint32_t dims = reference->dims;
    Rows *uniform = rows_new(rows_pool_of(rows), rows_schema(rows), 0);
    Model *schema = rows_schema(rows);
    int64_t used = schema->rows;
    double weight = schema->weight, *row = reference->row;

    for (uint64_t i = 0; i < rows_count(rows); i++) {
        for (uint32_t j = 0; j < dims; j++)
            row[j] = reference->low[j] + random_unit(&seed) * (reference->high[j] - reference->low[j]);
        if (reference->axes != NULL)
            from_coordinates(reference, row, reference->point);
        rows_append(uniform, reference->axes != NULL ? reference->point : row, 0, 1, NULL, 0);
        env_poll_every(env, i, 256);
    }
    schema->rows = used; /* the schema belongs to the fit, which must not count these rows */
    schema->weight = weight;
    return uniform;
}

/*
 * Sets choice->gap and choice->error for the first `first` values of k, which begin with low, and for position `last`. choice->inertia
 * is set.
 */
static void kmeans_gaps(Env *env, Rows *rows, uint32_t low, uint32_t first, uint32_t last, const Options *options, KmeansChoice *choice)
{
    uint32_t count = choice->count;
    uint32_t references = (uint32_t)options_integer(options, "gap_references");
    uint64_t seed = (uint64_t)options_integer(options, "seed");
    Reference *reference = reference_new(env, rows, options);
    double *sums = env_array(env, count, sizeof(double)), *squares = env_array(env, count, sizeof(double));

    for (uint32_t r = 0; r < references; r++) {
        /* hashed: states that differ by a multiple of the generator's step give one stream, shifted */
        Rows *uniform = uniform_rows(env, rows, reference, mix64(seed * SEED_STEP + r + 1));

        for (uint32_t i = 0; i < count; i++) {
            KmeansResult *result;
            double value, step;

            if (i >= first && i != last)
                continue;
            result = kmeans_best(env, uniform, low + i, NULL, options);
            value = log(result->inertia);
            step = value - sums[i];
            sums[i] += step / (r + 1); /* a running mean */
            squares[i] += step * (value - sums[i]);
            kmeans_result_free(env, result);
        }
        rows_free(uniform);
    }
    choice->gap = env_array(env, choice->count, sizeof(double));
    choice->error = env_array(env, choice->count, sizeof(double));
    for (uint32_t i = 0; i < choice->count; i++) {
        choice->gap[i] = choice->error[i] = NAN;
        if (i >= first && i != last)
            continue;
        choice->gap[i] = choice->inertia[i] > 0 ? sums[i] - log(choice->inertia[i]) : INFINITY;
        choice->error[i] = sqrt(squares[i] / references * (1 + 1.0 / references));
    }
}

/* ---- the choice ---- */

/* Returns the value of the criterion; infinity if clusters of several rows have no scatter, 0 with as many clusters as rows. */
static double criterion_of(Env *env, Rows *rows, const KmeansResult *result, const Options *options)
{
    Clusters clusters = {result->k, result->dims, result->centroids, result->sizes, result->within};
    double value;

    if (options_is(options, "select", "silhouette"))
        value = silhouettes_by_centroids(env, rows, &clusters, true, NULL);
    else
        value = variance_ratio(result->total - result->inertia, result->inertia, result->k,
                               model_counted_rows(rows_schema(rows)));
    if (isfinite(value))
        return value;
    return result->inertia == 0 && result->k < rows_count(rows) ? INFINITY : 0;
}

/* Tells whether the gap of position i is within a standard error of the next one's. */
static bool gap_suffices(const KmeansChoice *choice, uint32_t i)
{
    return choice->gap[i] >= choice->gap[i + 1] - choice->error[i + 1];
}

/* Returns the position of the first k whose gap is within a standard error of the next one's, or of the last k. */
static uint32_t first_gap(const KmeansChoice *choice)
{
    for (uint32_t i = 0; i + 1 < choice->count; i++)
        if (gap_suffices(choice, i))
            return i;
    return choice->count - 1;
}

/* Returns the position of the largest criterion, the first of equal ones; k = 1 has none. */
static uint32_t largest_criterion(const KmeansChoice *choice)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < choice->count; i++)
        if (choice->criterion[i] > choice->criterion[best] || isnan(choice->criterion[best]))
            best = i;
    return best;
}

/*
 * Tells whether one cluster suffices: neither two nor the best number of them have a clearly larger gap. Two alone do not tell,
 * because many clusters in all directions do not fall into two halves. The best number was chosen by its criterion, so it must pass a
 * higher bar.
 */
static bool one_suffices(const KmeansChoice *choice, uint32_t best)
{
    return gap_suffices(choice, 0) && choice->gap[0] >= choice->gap[best] - 2 * choice->error[best];
}

/* Fits each k of the range, and sets what is known of it without references. Returns the results, [count]. */
static KmeansResult **fit_range(Env *env, Rows *rows, KmeansRange range, const Options *options, KmeansChoice *choice)
{
    uint32_t count = range.high - range.low + 1;
    bool gap = options_is(options, "select", "gap");
    KmeansResult **results = env_array(env, count, sizeof(*results));

    choice->k = env_array(env, count, sizeof(double));
    choice->inertia = env_array(env, count, sizeof(double));
    choice->criterion = env_array(env, count, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        KmeansResult *result = results[i] = kmeans_best(env, rows, range.low + i, NULL, options);
        uint32_t distinct = result->k - result->empty;

        if (range.distinct && result->empty > 0 && result->converged) {
            if (range.strict)
                env_fail(env, ERROR_DATA, "Lower \"max_k\".", "\"max_k\" is %u, but the rows have only %u distinct value%s", range.high,
                         distinct, distinct == 1 ? "" : "s");
            break;
        }
        choice->k[i] = range.low + i;
        choice->inertia[i] = result->inertia;
        choice->criterion[i] = gap || result->k == 1 ? NAN : criterion_of(env, rows, result, options);
        choice->count = i + 1;
    }
    return results;
}

KmeansResult *kmeans_choose(Env *env, Rows *rows, KmeansRange range, const Options *options, KmeansChoice *choice)
{
    KmeansResult **results = fit_range(env, rows, range, options, choice);
    bool gap = options_is(options, "select", "gap");

    if (gap && choice->inertia[0] > 0) {
        kmeans_gaps(env, rows, range.low, choice->count, 0, options, choice);
        choice->criterion = choice->gap;
        choice->chosen = first_gap(choice);
    } else if (!gap) {
        uint32_t best = largest_criterion(choice);
        bool one = range.low == 1 && (choice->count == 1 || choice->inertia[0] == 0);

        if (range.low == 1 && !one) {
            kmeans_gaps(env, rows, range.low, 2, best, options, choice);
            one = one_suffices(choice, best);
        }
        choice->chosen = one ? 0 : best;
    }
    return results[choice->chosen];
}

/* ---- the table ---- */

typedef struct ChoiceReader {
    uint32_t count, lengths[5];
    const double *arrays[5]; /* k, objective, criterion, gap, error; NULL: the model has none */
    const char *criterion;
    double chosen; /* k of the model */
} ChoiceReader;

enum { TRIED, OBJECTIVE, CRITERION, GAP, ERROR_OF_GAP };

static bool has_choice(const Model *model)
{
    return model_find(model, "k_tried") != NULL;
}

static void *open_choice(Env *env, const Model *model, uint64_t *rows)
{
    ChoiceReader *reader = env_array(env, 1, sizeof(ChoiceReader));
    const Estimator *estimator = estimator_of(model);
    const ModelEntry *centers = model_find(model, "centroids");
    const char *const names[] = {"k_tried", centers != NULL ? "k_inertia" : "k_log_likelihood", "k_criterion", "k_gap", "k_error"};

    for (int i = 0; i < 5; i++)
        reader->arrays[i] = model_f64(model, names[i], &reader->lengths[i]);
    if (centers == NULL)
        centers = model_find(model, "means");
    reader->criterion = options_string(estimator_options(env, estimator, model), "select");
    reader->chosen = centers->rows;
    *rows = reader->arrays[TRIED] != NULL ? reader->lengths[TRIED] : 0;
    return reader;
}

/* Returns number i of an array; NaN where it ends before. */
static double number_at(const ChoiceReader *reader, int array, uint64_t i)
{
    return reader->arrays[array] != NULL && i < reader->lengths[array] ? reader->arrays[array][i] : NAN;
}

static bool choice_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const ChoiceReader *reader = data;
    double k = reader->arrays[TRIED][i];

    if (!(k >= 1 && k <= 1e9)) /* of a value that was typed in */
        return false;
    cell_integer(&cells[0], (int64_t)k);
    cell_number(&cells[1], number_at(reader, OBJECTIVE, i));
    cell_string(&cells[2], reader->criterion);
    cell_number(&cells[3], number_at(reader, CRITERION, i));
    cell_number(&cells[4], number_at(reader, GAP, i));
    cell_number(&cells[5], number_at(reader, ERROR_OF_GAP, i));
    cell_integer(&cells[6], k == reader->chosen);
    return true;
}

const Table elbow_table = {.name = "elbow", .has = has_choice, .open = open_choice, .row = choice_row};
