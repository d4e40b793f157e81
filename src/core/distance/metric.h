/*
 * metric.h - distances between rows, as options ask for them: for neighbors, medoids, hierarchical clustering, distance
 * histograms, silhouettes.
 *
 * metric_place first turns a row of slots (schema.h) into `width` coordinates: numbers (scaled, rotated or brought to
 * length 1, as the metric requires), then symbols, the positions of categories. Everything else works on coordinates,
 * in one of a few forms, and mostly on reduced distances, which are cheap and monotone in the distance:
 *
 *   form       reduced distance                              metrics
 *   SQUARES    sum of squares + differing symbols            euclidean, squared_euclidean, mixed (p = 2), elliptical,
 *                                                            standardized_euclidean, mahalanobis, cosine, angular,
 *                                                            correlation, haversine, kernel rbf and linear
 *   ABSOLUTE   sum of absolute differences + the same        manhattan, gower, minkowski and mixed with p = 1
 *   LARGEST    largest difference; 1 for a differing symbol  chebyshev
 *   POWERS     sum of |difference|^p + the same              minkowski, mixed
 *   DIFFERING  number of coordinates that differ             hamming
 *   RATIOS     sum of |a - b| / (|a| + |b|) + the same       canberra
 *   SHARES     sum of |a - b| / sum of |a + b|               bray_curtis
 *   SETS       elements of one set only / of either          jaccard, dice
 *   KERNEL     k(a,a) - 2 k(a,b) + k(b,b)                    kernel polynomial and sigmoid
 *   OBJECTS    the distance itself                           between objects (MetricObjects)
 *
 * A tree over coordinates therefore serves cosine and mahalanobis as well as euclidean, and haversine, whose coordinates are
 * the points of a sphere in space. If coordinates equal the slots
 * (plain), metric_place only copies.
 *
 * In a fit:
 *     Metric *metric = metric_of_options(env, options, schema, "knn_classifier");
 *     metric_learn(env, metric, slots, weights, count);   all rows, in one call or block by block
 *     metric_ready(env, metric);
 *     metric_place(metric, row, coordinates) ...          then distances
 *     metric_write(env, metric, builder);
 * and at scoring: metric_read(env, model, &metric) in check(), metric_open(env, model) in prepare().
 *
 * Reduced distances between single rows have the same bits on every machine, however they are asked for (pair, rows,
 * panels): no BLAS, no contraction, one order of summation. The bound for a box never exceeds the distance to a point in
 * it. Only metric_reduced_matrix goes through products of matrices; it is for fits.
 */
#ifndef PGFIT_METRIC_H
#define PGFIT_METRIC_H

#include "core/base/shared_work.h"
#include "core/estimator/estimator.h"
#include "core/kernel/kernel.h"
#include "core/rows/row_scale.h"

typedef enum MetricKind {
    METRIC_EUCLIDEAN = 1,
    METRIC_SQUARED_EUCLIDEAN = 2,
    METRIC_MANHATTAN = 3,
    METRIC_CHEBYSHEV = 4,
    METRIC_MINKOWSKI = 5,
    METRIC_HAMMING = 6,
    METRIC_STANDARDIZED_EUCLIDEAN = 7,
    METRIC_ELLIPTICAL = 8,
    METRIC_MAHALANOBIS = 9,
    METRIC_COSINE = 10,
    METRIC_ANGULAR = 11,
    METRIC_MIXED = 12,
    METRIC_KERNEL = 13,
    METRIC_CANBERRA = 20,
    METRIC_BRAY_CURTIS = 21,
    METRIC_JACCARD = 22,
    METRIC_DICE = 23,
    METRIC_GOWER = 24,
    METRIC_HAVERSINE = 25,
    METRIC_CORRELATION = 26,
    METRIC_EDIT = 41,
    METRIC_DAMERAU = 42,
    METRIC_JARO_WINKLER = 43,
    METRIC_FUNCTION = 44, /* a function of the host: SQL */
    METRIC_GIVEN = 45,    /* a table of distances */
    METRIC_HAMMING_TEXT = 46 /* METRIC_HAMMING of one text: positions that differ */
} MetricKind;

#define METRIC_PREFIX_WEIGHT 0.1 /* of jaro_winkler, by default */

typedef enum MetricForm {
    FORM_SQUARES = 1,
    FORM_ABSOLUTE,
    FORM_LARGEST,
    FORM_POWERS,
    FORM_DIFFERING,
    FORM_KERNEL,
    FORM_RATIOS,
    FORM_SHARES,
    FORM_SETS,
    FORM_OBJECTS
} MetricForm;

/*
 * Distances between objects, which coordinates only number: each row has one coordinate (width 1), the number of its object. Nothing
 * can be computed from such numbers, so there are neither boxes nor balls nor products.
 */
typedef struct MetricObjects MetricObjects;
struct MetricObjects {
    /*
     * Writes the distances of object a from others [count]: at least 0, possibly infinite, 0 from itself; NaN where a number has no
     * object. Polls.
     */
    void (*distances)(const MetricObjects *objects, double a, const double *others, uint32_t count, double *out);
    bool triangle; /* they keep the triangle inequality */
    void *context;
};

typedef struct Metric {
    MetricKind kind;
    MetricForm form;
    bool triangle; /* distances keep the triangle inequality */
    bool ball;     /* metric_root keeps it, as for cosine: ball trees and Elkan's bounds work */
    bool box;      /* metric_reduced_box is a bound: k-d trees work (also for p < 1) */
    bool product;  /* metric_reduced_matrix goes through a product of matrices */
    bool plain;    /* coordinates equal the slots */
    bool directions; /* coordinates have length 1 */
    uint32_t slots;
    uint32_t numbers, symbols, width; /* coordinates: numbers first, then symbols */
    double p;                         /* of POWERS */
    double scale;   /* a power of two that numbers are multiplied by to avoid overflow; mostly 1 */
    double unit;    /* what a differing symbol adds to the reduced distance */
    uint32_t power; /* p if it is a small integer, else 0 */
    Kernel kernel;
    double angle;  /* of haversine: radians of a unit of latitude and longitude */
    double radius; /* of the sphere */
    /* a number becomes (x - origin) x scale, then all are multiplied by the factor */
    const uint32_t *number_slots; /* [numbers] */
    const uint32_t *symbol_slots; /* [symbols] */
    const double *origin;         /* [numbers] or NULL */
    const double *scales;         /* [numbers] or NULL */
    const double *matrix; /* of mahalanobis and elliptical: symmetric, its upper triangle by columns; or NULL */
    const double *factor; /* its Cholesky factor: a lower triangle by columns (cholesky.h) */
    /* mixed and gower take ordered symbols as numbers: the keys of their levels */
    const uint8_t *ordered; /* [numbers] or NULL */
    const double *keys;     /* of the schema's dictionary */
    uint32_t key_count;
    const MetricObjects *objects; /* of OBJECTS */
    const char *signature;        /* of METRIC_FUNCTION */
    double prefix_weight;         /* of METRIC_JARO_WINKLER */
    struct MetricLearner *learner; /* until metric_ready */
    const char *method;
    const Model *schema;
} Metric;

/*
 * The options metric and its parameters (p, covariance, matrix, variances, ranges ...), as a table for OPTION_TABLES. METRIC_OPTIONS
 * lists it with those that go with it: with option_standardize, metrics are of standardized numbers, whose categories differ by 0 or 1
 * as before.
 */
extern const OptionSpec options_metric[];
#define METRIC_OPTIONS options_metric, option_standardize, options_number_kernel

/* Returns the metric of this name, or of one of its synonyms; METRIC_FUNCTION for a signature, 0 if there is none. */
MetricKind metric_find(const char *name);
const char *metric_name(MetricKind kind);

/*
 * Returns the metric that the options name for rows of this schema, running or final (categories are compared by their
 * positions). schema and method, a name for messages, must outlive it. Fails with ERROR_PARAMETER for options that do not
 * apply to the metric, ERROR_DATA for categorical features if the metric takes numbers only.
 */
Metric *metric_of_options(Env *env, const Options *options, const Model *schema,
                          const char *method);
/* The same if an argument names the metric instead of option "metric". */
Metric *metric_of_options_as(Env *env, const Options *options, MetricKind kind, const Model *schema,
                             const char *method);
/* Returns a metric between objects, ready, for points that a method numbers itself. */
Metric *metric_of_objects(Env *env, MetricKind kind, const MetricObjects *objects, const char *method);
/* Returns a metric with defaults for everything else, for methods whose metric is fixed. */
Metric *metric_of_kind(Env *env, MetricKind kind, const Model *schema, const char *method);
/* Adds training rows [count x slots] to what the metric takes from them: variances, covariance, the largest number.
 * weights: NULL for all 1. */
void metric_learn(Env *env, Metric *metric, const double *slots, const double *weights,
                  uint32_t count);
/*
 * Ends learning: call it after the last metric_learn, or without any, and before metric_place. Fails with ERROR_DATA,
 * naming the feature, if a variance is 0 or the covariance is singular.
 */
void metric_ready(Env *env, Metric *metric);

/*
 * Writes the coordinates [width] of a row. Returns false if the row has no distances (a vector of zeros for cosine and
 * angular, or a number too large to be scaled); coordinates are then all NaN, and so are distances. For training rows use
 * metric_place_rows.
 */
bool metric_place(const Metric *metric, const double *slots, double *coordinates);
/* Places many rows, in place if width <= slots. Fails with ERROR_DATA or ERROR_RANGE if a row has no distances. */
void metric_place_rows(Env *env, const Metric *metric, const double *slots, uint32_t count,
                       double *coordinates);

/* Returns the reduced distance between two rows of coordinates; the next two convert it to a distance and back. */
double metric_reduced(const Metric *metric, const double *a, const double *b);
double metric_of_reduced(const Metric *metric, double reduced);
double metric_to_reduced(const Metric *metric, double distance);
/* Converts many in place. */
void metric_of_reduced_all(const Metric *metric, double *reduced, size_t count);
/* Returns a monotone transform of a reduced distance, the root of its squares or powers, which keeps the triangle
 * inequality if metric->ball. */
double metric_root(const Metric *metric, double reduced);
/* Returns the distance, scaled on the way if the reduced one overflows or vanishes. */
double metric_distance(const Metric *metric, const double *a, const double *b);

/*
 * Returns the distance between two rows of slots, with all digits that their difference has: for functions of two points,
 * whose metric has learned nothing. room: [2 x width]. NaN if a row has no distances.
 */
double metric_between(Metric *metric, const double *a, const double *b, double *room);
/* Says what a row without distances lacks, such as "a row of zeros has no direction". */
const char *metric_row_fault(const Metric *metric);
/* Returns the cosine of two rows, -1 to 1, from their METRIC_COSINE distance. */
double metric_cosine(double distance);
/* Set what functions take as an argument and fits as an option, before metric_ready. Fail as options do. */
void metric_set_order(Env *env, Metric *metric, double p);
/* spreads: variances, of METRIC_GOWER ranges. */
void metric_set_spreads(Env *env, Metric *metric, const double *spreads, uint32_t count);
void metric_set_matrix(Env *env, Metric *metric, const double *matrix, uint32_t rows,
                       uint32_t columns);
void metric_set_sphere(Env *env, Metric *metric, double radius, bool radians);
#define METRIC_EARTH_RADIUS 6371.0088 /* kilometers: the mean radius of the earth (Moritz 2000) */

/* Sets the covariance from feature_moments (divisor: the sum of weights); features are matched by name if both have
 * names. */
void metric_set_moments(Env *env, Metric *metric, const Model *input);

/* Returns which axioms the metric of this name, or "edit", keeps for all rows. p: for minkowski and mixed. Fails with
 * ERROR_PARAMETER if it is unknown. */
typedef struct MetricAxioms {
    bool zero;     /* d(x, x) = 0 */
    bool positive; /* d(x, y) > 0 if x and y differ */
    bool symmetric;
    bool triangle; /* d(x, z) <= d(x, y) + d(y, z) */
} MetricAxioms;
MetricAxioms metric_axioms(Env *env, const char *name, double p);
void metric_fail_unknown(Env *env, const char *name) __attribute__((noreturn));

/* Returns a lower bound on the reduced distance from q to the points of a box; 0 if !metric->box. */
double metric_reduced_box(const Metric *metric, const double *q, const double *low,
                          const double *high);

/* Writes out[i] = metric_reduced(q, row i) for rows [count x width]. */
void metric_reduced_rows(const Metric *metric, const double *q, const double *rows, uint32_t count,
                         double *out);
/*
 * Panels hold eight rows each, interleaved: panel[coordinate x 8 + row]; the last one is padded with copies of its last
 * row. They are the fastest form if many queries are compared with the same rows, above all for few coordinates. out has room for
 * 8 x panels.
 */
#define METRIC_PANEL 8
static inline size_t metric_panel_count(size_t rows)
{
    return (rows + METRIC_PANEL - 1) / METRIC_PANEL;
}
/* Returns the offset of row i in panels; its coordinates are METRIC_PANEL numbers apart. */
static inline size_t metric_panel_at(const Metric *metric, uint32_t i)
{
    return (size_t)(i / METRIC_PANEL) * METRIC_PANEL * metric->width + i % METRIC_PANEL;
}
/* Copies row i of panels to row [width]. */
static inline void metric_panel_read(const Metric *metric, const double *panels, uint32_t i, double *row)
{
    panels += metric_panel_at(metric, i);
    for (uint32_t j = 0; j < metric->width; j++)
        row[j] = panels[(size_t)j * METRIC_PANEL];
}
/* Copies row [width] to row i of panels. */
static inline void metric_panel_write(const Metric *metric, double *panels, uint32_t i, const double *row)
{
    panels += metric_panel_at(metric, i);
    for (uint32_t j = 0; j < metric->width; j++)
        panels[(size_t)j * METRIC_PANEL] = row[j];
}
/* Copies rows [count x width] to panels. */
void metric_fill_panels(const Metric *metric, const double *rows, uint32_t count, double *panels);
void metric_reduced_panels(const Metric *metric, const double *q, const double *panels,
                           uint32_t panel_count, double *out);
/*
 * Writes out[i x count_b + j] = reduced distance between a_i and b_j. If metric->product, it goes through a product of
 * matrices, and through differences where that would cancel: accurate to about 1e-12, without the bits of the other
 * functions, but symmetric and 0 on the diagonal if a and b are the same rows. Polls. Needs a few hundred kB.
 */
void metric_reduced_matrix(Env *env, const Metric *metric, const double *a, uint32_t count_a,
                           const double *b, uint32_t count_b, double *out);

/*
 * Metrics between values of one feature, whose rows have the position of its text in the dictionary. In a fit, after
 * metric_of_options: metric_learn_objects takes the texts of the running schema, and metric_number_objects replaces positions in slots
 * [count] by numbers of objects, in order of their texts. For other metrics all of these do nothing.
 */
bool metric_of_texts(MetricKind kind);  /* edit, damerau, jaro_winkler, hamming of one text */
bool metric_of_values(MetricKind kind); /* these, and functions */
/* What options say about the values that a metric compares. STRINGS: one text or bit string alone as a text, else features (hamming). */
typedef enum MetricValues { METRIC_OF_FEATURES, METRIC_OF_TEXTS, METRIC_OF_STRINGS, METRIC_OF_VALUES } MetricValues;
MetricValues metric_options_values(const Options *options);
/*
 * Replaces infinite distances of a function from now on, for methods that cannot compute with them. metric_infinite returns how many were
 * computed since.
 */
void metric_replace_infinite(const Metric *metric, double replacement);
uint64_t metric_infinite(const Metric *metric);
void metric_learn_objects(Env *env, Metric *metric, const Model *running);
void metric_number_objects(const Metric *metric, double *slots, size_t count);
/* Adds the texts that numbers [count] refer to, and renumbers these. The numbers must live until model_build. */
void metric_write_objects(Env *env, const Metric *metric, ModelBuilder *builder, double *numbers, uint32_t count);
/* Tells whether the metric of a model compares strings by their positions, so that bit strings are texts for it. */
bool metric_takes_bits(const Model *model);
/* Check numbers of objects that a model keeps, or an array of them. Return NULL, or what is wrong. */
const char *metric_check_objects(const Model *model, const double *numbers, size_t count);
const char *metric_check_array(const Model *model, const char *array);

/*
 * A model stores "metric" F64[4] (kind, p, scale, the prefix weight of jaro_winkler; of haversine 1 or the radians of a degree as p, and
 * the radius last) and, if used, "metric_function", "texts",
 * "metric_origin", "metric_scales", "metric_matrix_packed" and "kernel"; nothing at all for plain euclidean, but the first three if it
 * is standardized. metric_read returns NULL, or what is wrong, whatever the arrays hold, for check(); prepare() calls metric_open. The
 * metric refers to the model.
 */
void metric_write(Env *env, const Metric *metric, ModelBuilder *builder);
const char *metric_read(Env *env, const Model *model, Metric **metric);
extern const ArraySpec metric_arrays[7]; /* these arrays, for methods with a metric */
/* Returns the metric of a checked model, ready for scores: also with its texts and its function. */
Metric *metric_open(Env *env, const Model *model);
/* Checks that the arrays make a metric. Returns NULL, or what is wrong; an Estimator.check. */
const char *metric_check(Env *env, const Model *model);
/* Returns whether the model was fitted to given distances (distance_matrix.h), which no new row has. */
bool metric_is_given(const Model *model);
/* Returns whether the metric of the model uses the order of the levels of an enum. */
bool metric_orders_levels(const Model *model);

/* Tells whether another process can compute the distances of coordinates: not those between objects, which are in this one. */
bool metric_packs(const Metric *metric);
/* Visits all that the distances of coordinates need. The metric of another process places no rows. */
void metric_pack(Pack *pack, Metric *metric);

#endif
