/*
 * distance_matrix.h - distances as given: a table of the distances between all pairs of objects, and fits of methods that compare
 * rows to such objects.
 *
 * A matrix is a model of its own, of the estimator "distance_matrix": ids TEXT[n], sorted by bytes; distances F64[n (n - 1) / 2], the
 * lower triangle row by row, without the diagonal, which is 0. Infinite where a pair has none and option "missing_pairs" allows that. A fit
 * gets one row per object, whose only slot is its number, and a metric that looks distances up (MetricObjects).
 */
#ifndef PGFIT_DISTANCE_MATRIX_H
#define PGFIT_DISTANCE_MATRIX_H

#include "core/distance/metric.h"
#include "core/rows/rows.h"

/* What an aggregate collects for a matrix: pairs that name their objects in the order of arrival. */
typedef struct ObjectIds {
    uint32_t count;
    const char *const *texts;
    const uint32_t *lengths;
    const char *type; /* SQL type */
} ObjectIds;

/*
 * Returns the matrix of these pairs. pairs: rows of two positions in ids and a distance, which distance_require has let through.
 * skipped: rows with a NULL. Fails with ERROR_DATA for a pair that is given twice in the same order, or with other distances in the
 * two orders, an id whose distance from itself is not 0, an id without any other, and pairs that are missing unless option "missing_pairs"
 * allows it.
 */
Model *distance_matrix_build(Env *env, Rows *pairs, const Options *options, const ObjectIds *ids, uint64_t skipped);
/* Fails with ERROR_DATA unless a distance is at least 0 and finite, or infinite where option "missing_pairs" allows that. */
void distance_require(Env *env, const Options *options, double distance, const char *a, uint32_t a_length, const char *b,
                      uint32_t b_length);

/* A matrix as a metric. */
typedef struct DistanceMatrix {
    MetricObjects objects; /* whose context is this struct */
    Env *env;
    uint32_t count;
    const double *distances;
    double *upper;      /* the upper triangle, with the diagonal: NULL: not needed so far, or it would take too much memory */
    const ModelEntry *ids;
    uint64_t infinite;  /* pairs */
    double replacement; /* of infinite distances, for methods that cannot compute with them; INFINITY: none */
} DistanceMatrix;

/* Sets matrix to the distances of a checked model. Fails with ERROR_KIND if it is another model. function: for the message. */
void distance_matrix_open(Env *env, const Model *model, const char *function, DistanceMatrix *matrix);
/* Returns the place of a distance, for i > j. */
static inline size_t distance_place(uint32_t i, uint32_t j)
{
    return (size_t)i * (i - 1) / 2 + j;
}
/* Returns the distances of object i from itself and later ones, by their numbers: for a complete matrix. */
static inline double *upper_row(const DistanceMatrix *matrix, uint32_t i)
{
    return matrix->upper + (size_t)i * (2 * (size_t)matrix->count - i - 1) / 2;
}
/* Writes the upper triangle if the budget allows. Lookups far beyond the diagonal do this as well; call it before reading `upper`. */
void distance_matrix_complete(DistanceMatrix *matrix);
/* Returns the largest finite distance. */
double distance_matrix_largest(const DistanceMatrix *matrix);
/* Returns the matrix whose objects the rows of a fit number; NULL: they are rows of their own. */
DistanceMatrix *distance_matrix_of(const Rows *rows);
/*
 * Returns rows that number those objects that have a label, with their ids and labels: for metrics of clusters. labels: [count] of the
 * matrix, texts NULL where there is none. The matrix must outlive the rows.
 */
Rows *distance_matrix_labeled(Env *env, const Model *model, DistanceMatrix *matrix, const TextList *labels);
/*
 * Fits an estimator to the objects of a matrix. options: of the estimator. Fails with ERROR_DATA if it cannot do with infinite
 * distances.
 */
Model *distance_matrix_fit(Env *env, const Model *model, const Estimator *estimator, const Options *options);

#endif
