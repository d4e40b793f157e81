/*
 * neighbors_model.h - models that keep their rows: knn_classifier, knn_regression, neighbors.
 *
 * Arrays of a model of n rows, in the order of neighbor_order (neighbor_index.h):
 *   exemplars  F64[n x slots]  encoded rows
 *   targets    F64[n]          knn_regression
 *   labels     I64[n]          knn_classifier: positions of the classes
 *   weights    F64[n]          if the rows have weights
 *   ids        TEXT[n]         neighbors
 *   search     F64[7]          NeighborRule
 *   outlier    I64[1]          the class of rows without neighbors, if they have one
 *   weight_expression TEXT[1]  of weights by an expression of distance
 *   metric...                  metric.h
 *   loo_errors F64[max_k]      with "k": "loo": error rate or mean squared error of each k
 */
#ifndef PGFIT_NEIGHBORS_MODEL_H
#define PGFIT_NEIGHBORS_MODEL_H

#include "core/formula/formula_expression.h"
#include "core/neighbors/neighbor_index.h"

#include <math.h>

typedef enum NeighborWeights {
    WEIGHTS_UNIFORM = 0,
    WEIGHTS_DISTANCE = 1,
    WEIGHTS_GAUSSIAN = 2,
    WEIGHTS_EXPRESSION = 3
} NeighborWeights;

/* Which rows are neighbors, and how much each counts. */
typedef struct NeighborRule {
    uint32_t k;       /* number of neighbors; 0: all rows within the radius */
    double radius;    /* used if k is 0; may be infinite */
    bool inclusive;   /* a row exactly at the radius is a neighbor */
    NeighborWeights weights;
    double gamma;     /* of gaussian weights: exp(-gamma distance^2) */
    IndexKind index;
    bool nearest_tie; /* the class of the nearest neighbor wins a tie of votes, not the first class */
} NeighborRule;
#define NEIGHBOR_RULE 7 /* numbers in the array "search" */

/*
 * Tables for OPTION_TABLES. options_neighbor_search: index, radius, radius_inclusive. options_knn: k, max_k, weights,
 * and gamma and sigma, which serve the weights and a kernel (so it comes after options_kernel).
 */
extern const OptionSpec options_neighbor_search[], options_knn[];
extern const char *const neighbor_all_choices[];
extern const char *const neighbor_tie_choices[];

#define NEIGHBORS_DEFAULT_K 5
#define NEIGHBORS_DEFAULT_MAX_K 50

/* ---- fitting ---- */

/* The Estimator.fit of all three estimators. */
Model *neighbors_fit_rows(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                          ModelBuilder *builder);
/*
 * Fails with ERROR_LIMIT if a model with this many rows would be too large as text. numbers: per row; id_bytes: of all rows.
 */
void neighbors_require_size(Env *env, const char *estimator, uint64_t rows, uint64_t numbers,
                             uint64_t id_bytes);

/* ---- a prepared model ---- */

typedef struct Neighbors {
    Env *env;
    const Model *model;
    Metric *metric;
    NeighborRule rule;
    uint32_t count, slots, classes;
    bool frequency;          /* weights are counts */
    const double *exemplars;
    const double *targets;   /* or NULL */
    const int64_t *labels;   /* or NULL */
    const double *weights;   /* or NULL */
    const int64_t *outlier;  /* the class of rows without neighbors, or NULL */
    const Formula *expression; /* the weight by distance, or NULL */
    NeighborIndex *index;
    NeighborSearch *search;  /* the last row searched, and its neighbors */
    double *shares;          /* [search->count] weights of these neighbors */
    uint32_t share_room;
    double *votes;           /* [classes] */
    /* rows that are searched together before they are scored */
    const double *ahead;     /* [ahead_count x slots]; NULL: none */
    uint32_t ahead_count, ahead_k, ahead_room;
    double *ahead_rows;      /* [ahead_count x width] their coordinates */
    Neighbor *ahead_found;  /* [ahead_count x ahead_k] */
    uint32_t *ahead_counts;  /* [ahead_count] neighbors found; UINT32_MAX: a row without distances */
    size_t ahead_found_room;
} Neighbors;

extern const ArrayTable knn_classifier_array_tables[], knn_regression_array_tables[], neighbors_array_tables[];
/* The Estimator.check of all three: checks the search rule and the metric. */
const char *neighbors_check(Env *env, const Model *model);
/* The Scoring.prepare of all three. */
void *neighbors_prepare(Env *env, const Model *model, size_t *bytes);
/* The Scoring.ahead: searches the neighbors of rows that will be scored next, in one batch if that is faster. */
void neighbors_ahead(const Model *model, const void *prepared, const double *slots, uint32_t count);
/* Does the same for the k nearest rows, whatever the model's own rule. */
void neighbors_ahead_k(Neighbors *neighbors, const double *slots, uint32_t count, uint32_t k);

/*
 * Finds the neighbors of a row and writes them to search->found, nearest first. k: replaces the model's rule; 0: the rule applies.
 * Returns false if the row has no distances (metric_place).
 */
bool neighbors_find(Neighbors *neighbors, const double *slots, uint32_t k);
/* Find the k nearest of the model's other rows to its row at a position, or all others at a distance of at most radius. */
void neighbors_beside(Neighbors *neighbors, uint32_t position, uint32_t k);
void neighbors_around(Neighbors *neighbors, uint32_t position, double radius);
/* Returns the distance of the i-th neighbor found, by the metric. */
double neighbors_distance(const Neighbors *neighbors, uint32_t i);
/* The Scoring.distance: returns the distance of the nearest row. */
double neighbors_nearest_distance(const Model *model, const void *prepared, const double *slots);

/* ---- weights and votes ---- */

/*
 * Sets the shares of the neighbors found, their weights relative to that of the nearest one. They are not divided by their sum, so
 * that leave-one-out can use them for every k. k: if weights are counts, the number of rows to count; 0: all.
 */
void neighbors_shares(Neighbors *neighbors, uint32_t k);
/* Returns the mean of the targets weighted by these shares; NaN if there are no neighbors. */
double neighbors_mean(Neighbors *neighbors);
/* Writes the sum of the shares of each class to votes, [classes]. Returns the sum of all shares. */
double neighbors_vote(Neighbors *neighbors, double *votes);
/* Returns the expression of option "weights". Fails with ERROR_PARAMETER if it is none. */
const Formula *neighbors_weight_option(Env *env, const char *text);
/* Returns the class with the most votes; the outlier class or CLASS_NONE if there are no neighbors, or none with a weight. */
uint32_t neighbors_class(Neighbors *neighbors);

#endif
