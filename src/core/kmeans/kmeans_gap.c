/*
 * kmeans_gap.c - the gap statistic (Tibshirani, Walther & Hastie 2001): how much more the inertia falls than that of rows without
 * clusters.
 *
 * The rows without clusters are uniform in a box: that of the features, or that of their principal components, which follows the
 * shape of the rows (the paper's methods a and b).
 */
#include "core/base/random.h"
#include "core/kmeans/kmeans_choice.h"
#include "core/estimator/shared_options.h"
#include "core/linalg/eigen.h"

#include <math.h>

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
            if (i % 256 == 0)
                env->poll(env);
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
                if (i % 256 == 0)
                    env->poll(env);
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
        if (i % 256 == 0)
            env->poll(env);
    }
    schema->rows = used; /* the schema belongs to the fit, which must not count these rows */
    schema->weight = weight;
    return uniform;
}

void kmeans_gaps(Env *env, Rows *rows, uint32_t low, uint32_t first, uint32_t last, const Options *options, KmeansChoice *choice)
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
