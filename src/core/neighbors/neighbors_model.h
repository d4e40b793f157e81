/*
 * neighbours.h - models that keep their rows: knn_classifier, knn_regression, neighbors.
 *
 * Arrays of a model of n rows, in the order of neighbour_order (neighbour_index.h):
 *   exemplars  F64[n x slots]  encoded rows
 *   targets    F64[n]          knn_regression
 *   labels     I64[n]          knn_classifier: positions of the classes
 *   weights    F64[n]          where rows came with weights
 *   ids        TEXT[n]         neighbors
 *   search     F64[7]          NeighbourRule
 *   metric...                  metric.h
 *   loo_error  F64[max_k]      "k": "loo": error rate or mean squared error of each k
 */
#ifndef PGFIT_NEIGHBOURS_H
#define PGFIT_NEIGHBOURS_H

#include "core/neighbors/neighbor_index.h"

#include <math.h>

typedef enum NeighbourWeights {
    WEIGHTS_UNIFORM = 0,
    WEIGHTS_DISTANCE = 1,
    WEIGHTS_GAUSSIAN = 2
} NeighbourWeights;

/* What counts as a neighbour, and how much. */
typedef struct NeighbourRule {
    uint32_t k;       /* 0: all within the radius */
    double radius;    /* where k is 0 */
    bool inclusive;   /* a row exactly at the radius is a neighbour */
    NeighbourWeights weights;
    double gamma;     /* of gaussian: exp(-gamma distance^2) */
    IndexKind index;
    bool nearest_tie; /* of equal votes the class with the nearest neighbour wins, not the first class */
} NeighbourRule;
#define NEIGHBOUR_RULE 7 /* numbers of the array "search" */

/* Rows of the estimators' tables of options. */
extern const char *const neighbour_k_choices[];
extern const char *const neighbour_all_choices[];
extern const char *const neighbour_weight_choices[];
extern const char *const neighbour_index_choices[];
extern const char *const neighbour_tie_choices[];
#define NEIGHBOUR_OPTION_K(choices_, help_)                                                        \
    {.name = "k",                                                                                  \
     .types = OPTION_INTEGER | OPTION_STRING,                                                      \
     .minimum = 1,                                                                                 \
     .maximum = 1e9,                                                                               \
     .choices = choices_,                                                                          \
     .help = help_}
#define NEIGHBOUR_OPTIONS_SEARCH                                                                   \
    {.name = "index",                                                                              \
     .types = OPTION_STRING,                                                                       \
     .fallback = "\"auto\"",                                                                       \
     .choices = neighbour_index_choices,                                                           \
     .help = "How rows are searched: by a tree, or by looking at all of them; auto decides by "    \
             "metric, rows and features. The neighbours are the same."},                           \
    {.name = "radius",                                                                             \
     .types = OPTION_NUMBER,                                                                       \
     FROM_ZERO,                                                                                    \
     .help = "Neighbours are all rows nearer than this, instead of the k nearest."},               \
    {.name = "radius_inclusive",                                                                   \
     .types = OPTION_BOOLEAN,                                                                      \
     .fallback = "false",                                                                          \
     .help = "A row exactly at the radius is a neighbour too."}
#define NEIGHBOUR_OPTIONS_WEIGHTS                                                                  \
    {.name = "gamma",                                                                              \
     .types = OPTION_NUMBER,                                                                       \
     ABOVE_ZERO,                                                                                   \
     .help = "Of gaussian weights: exp(-gamma distance^2), 1 where neither gamma nor sigma is "    \
             "given; or of the kernel of metric kernel."},                                         \
    {.name = "max_k",                                                                              \
     .types = OPTION_INTEGER,                                                                      \
     .minimum = 1,                                                                                 \
     .maximum = 1e6,                                                                               \
     .help = "With k = loo: the largest k tried; 50 where not given, or one less than there are "  \
             "rows."},                                                                             \
    {.name = "sigma",                                                                              \
     .types = OPTION_NUMBER,                                                                       \
     ABOVE_ZERO,                                                                                   \
     .help = "Of gaussian weights: exp(-distance^2 / (2 sigma^2)); or of kernel rbf."},            \
    {.name = "weights",                                                                            \
     .types = OPTION_STRING,                                                                       \
     .fallback = "\"uniform\"",                                                                    \
     .choices = neighbour_weight_choices,                                                          \
     .help = "What a neighbour counts: 1, 1 / distance (rows at distance 0, where there are any, " \
             "count alone), or exp(-gamma distance^2)."}

#define NEIGHBOURS_DEFAULT_K 5
#define NEIGHBOURS_DEFAULT_MAX_K 50

/* ---- fitting ---- */

Model *neighbours_fit(Env *env, const Estimator *estimator, const Evidence *evidence,
                      const Options *options);
/*
 * What a model of so many rows would take as text, about; fails with ERROR_LIMIT, naming it, where that
 * is more than a model may. numbers: a row; id_bytes: of all rows.
 */
void neighbours_require_size(Env *env, const char *estimator, uint64_t rows, uint64_t numbers,
                             uint64_t id_bytes);

/* ---- a model, ready to be searched ---- */

typedef struct Neighbours {
    Env *env;
    const Model *model;
    Metric *metric;
    NeighbourRule rule;
    uint32_t count, slots, classes;
    bool frequency;          /* weights are counts */
    const double *exemplars;
    const double *targets;   /* or NULL */
    const int64_t *labels;   /* or NULL */
    const double *weights;   /* or NULL */
    NeighbourIndex *index;
    NeighbourSearch *search; /* query and found: of the row at hand */
    double *shares;          /* of the neighbours at hand, adding up to 1 */
    uint32_t share_room;
    double *votes;           /* [classes] */
    /* rows searched together, whose neighbours wait to be asked for */
    const double *ahead;     /* their slots; NULL: none */
    uint32_t ahead_count, ahead_k, ahead_room;
    double *ahead_rows;      /* coordinates */
    Neighbour *ahead_found;  /* [ahead_count x ahead_k] */
    uint32_t *ahead_counts;  /* UINT32_MAX: a row without distances */
    size_t ahead_found_room;
} Neighbours;

const char *neighbours_check(Env *env, const Model *model);
/* Scoring.prepare of all three */
void *neighbours_prepare(Env *env, const Model *model, size_t *bytes);
/* Scoring.ahead */
void neighbours_ahead(const Model *model, const void *prepared, const double *slots, uint32_t count);
/* The same with k instead of the model's own rule. */
void neighbours_ahead_k(Neighbours *neighbours, const double *slots, uint32_t count, uint32_t k);

/*
 * Finds the neighbours of a row: search->found, nearest first. k: instead of the model's rule, or 0.
 * false: the row has no distance from others (metric_place).
 */
bool neighbours_find(Neighbours *neighbours, const double *slots, uint32_t k);
/* The distance of neighbour i of those found, by the metric. */
double neighbours_distance(const Neighbours *neighbours, uint32_t i);
/* Scoring.distance */
double neighbours_nearest_distance(const Model *model, const void *prepared, const double *slots);

/* ---- weights and votes, also of leave-one-out ---- */

/*
 * Shares of the neighbours found, not yet divided by their sum, relative to the nearest one: they do not
 * depend on how many follow. k: of a model of rows that count several times, how many may count; 0: all.
 */
void neighbours_shares(Neighbours *neighbours, uint32_t k);
/* Of shares at hand: the mean of the targets (NaN: no neighbours). */
double neighbours_mean(Neighbours *neighbours);
/* The sum of shares of each class, [classes], and of all. */
double neighbours_vote(Neighbours *neighbours, double *votes);
/* The class with the largest one, or CLASS_NONE. */
uint32_t neighbours_class(Neighbours *neighbours);

#endif
