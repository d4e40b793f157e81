/*
 * metric.h - distances between encoded rows, as options ask for them: for neighbors, medoids,
 * hierarchical clustering, exemplars, silhouettes.
 *
 * A row of slots (schema.h) is first placed: metric_place turns it into `width` coordinates,
 * numbers first (scaled, rotated or brought to length 1 as the metric wants it), then symbols.
 * Everything else works on coordinates, by one of a few forms:
 *
 *   form       reduced (cheap, monotone in the distance)      metrics
 *   SQUARES    sum of squares + symbols that differ           euclidean, squared_euclidean, mixed
 * (p = 2), standardized_euclidean, elliptical, mahalanobis, cosine, angular, kernel rbf, linear
 *   ABSOLUTE   sum of absolute differences + symbols ...      manhattan, minkowski and mixed with p
 * = 1 LARGEST    largest difference; a symbol that differs: 1   chebyshev POWERS     sum of
 * |difference|^p + symbols ...            minkowski, mixed DIFFERING  coordinates that differ
 * hamming SIMD     k(a,a) - 2 k(a,b) + k(b,b)                     kernel polynomial, sigmoid
 *
 * So a tree over coordinates serves cosine and mahalanobis as it does euclidean. Where coordinates
 * are the slots as they are (`plain`), placing is a copy.
 *
 * Use in a fit:
 *     Metric *metric = metric_of_options(env, options, schema, "knn_classifier");
 *     metric_learn(env, metric, slots, weights, count);   all rows, in one call or block by block
 *     metric_ready(env, metric);
 *     metric_place(metric, row, coordinates) ...          then distances
 *     metric_write(env, metric, builder);
 * and at scoring, in check() and prepare(): metric_read(env, model, &metric).
 *
 * Reduced values between single rows have the same bits on every machine, in whichever form they
 * are asked for (pair, rows, panels): no BLAS, no contraction, one order of summation. A number of
 * a box is never more than that of a point in it. metric_reduced_matrix alone goes through
 * products, for fits.
 */
#ifndef PGFIT_METRIC_H
#define PGFIT_METRIC_H

#include "core/estimator/estimator.h"
#include "core/distance/kernel.h"

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
    METRIC_KERNEL = 13
} MetricKind;

typedef enum MetricForm {
    FORM_SQUARES = 1,
    FORM_ABSOLUTE,
    FORM_LARGEST,
    FORM_POWERS,
    FORM_DIFFERING,
    FORM_KERNEL
} MetricForm;

typedef struct Metric {
    MetricKind kind;
    MetricForm form;
    bool triangle; /* the distances keep the triangle inequality */
    bool ball;     /* metric_root does, as for cosine: ball trees, bounds of Elkan */
    bool box;      /* metric_reduced_box is a bound: k-d trees (also for p < 1) */
    bool product;  /* metric_reduced_matrix goes through a product of matrices */
    bool plain;    /* coordinates are the slots */
    uint32_t slots;
    uint32_t numbers, symbols, width; /* coordinates: numbers first, then symbols */
    double p;                         /* of POWERS */
    double scale;   /* a power of two that numbers are multiplied by, against overflow; mostly 1 */
    double unit;    /* what a symbol that differs adds to the reduced distance */
    uint32_t power; /* p where it is whole and small, else 0 */
    Kernel kernel;
    /* what placing does with a number: (x - origin) x scales, then the factor */
    const uint32_t *number_slots; /* [numbers] */
    const uint32_t *symbol_slots; /* [symbols] */
    const double *origin;         /* [numbers] or NULL */
    const double *scales;         /* [numbers] or NULL */
    const double
        *matrix; /* symmetric, its upper triangle by columns, or NULL: mahalanobis, elliptical */
    const double *factor; /* its Cholesky factor: a lower triangle by columns (cholesky.h) */
    /* ordered symbols are numbers to mixed: those of their levels' keys */
    const uint8_t *ordered; /* [numbers] or NULL */
    const double *keys;     /* of the schema's dictionary */
    uint32_t key_count;
    struct MetricLearner *learner; /* until metric_ready */
    const char *method;
    const Model *schema;
    size_t bytes;
} Metric;

/* The options metric, p, covariance, matrix and variances, as a table for OPTION_TABLES, to be named with options_kernel. */
extern const OptionSpec options_metric[];

MetricKind metric_find(const char *name); /* 0 where unknown */
const char *metric_name(MetricKind kind);

/*
 * The metric that the options name for rows of this schema; method: for messages. schema: of the
 * rows given, running or final (categories are compared by their positions), and must live as long.
 * Fails with ERROR_PARAMETER for options that do not go with the metric, ERROR_DATA for categorical
 * features where the metric takes numbers only.
 */
Metric *metric_of_options(Env *env, const Options *options, const Model *schema,
                          const char *method);
/* The same where an argument names the metric, and the options have no "metric". */
Metric *metric_of_options_as(Env *env, const Options *options, MetricKind kind, const Model *schema,
                             const char *method);
/* The same with everything by default but the metric; for methods that fix it. */
Metric *metric_of_kind(Env *env, MetricKind kind, const Model *schema, const char *method);
/* Rows [count x slots] for what the metric learns from them. weights: NULL: all 1. Also looks for
 * the largest number. */
void metric_learn(Env *env, Metric *metric, const double *slots, const double *weights,
                  uint32_t count);
/*
 * After the last of metric_learn, and before metric_place; also where nothing was learned. Fails
 * with ERROR_DATA where a variance is 0 or the covariance singular, naming the feature.
 */
void metric_ready(Env *env, Metric *metric);

/*
 * Coordinates [width] of a row. false: the row has no distance (a vector of zeros with cosine and
 * angular, a number too large to be scaled); coordinates are then all NaN, and so are distances.
 * For training rows use metric_place_rows.
 */
bool metric_place(const Metric *metric, const double *slots, double *coordinates);
/* Many rows at once; fails with ERROR_DATA naming the row's trouble where one has no distance. May
 * be in place where width <= slots. */
void metric_place_rows(Env *env, const Metric *metric, const double *slots, uint32_t count,
                       double *coordinates);

/* The reduced distance of two rows' coordinates. */
double metric_reduced(const Metric *metric, const double *a, const double *b);
double metric_of_reduced(const Metric *metric, double reduced);
double metric_to_reduced(const Metric *metric, double distance);
/* All of them in place. */
void metric_of_reduced_all(const Metric *metric, double *reduced, size_t count);
/* A monotone transform of it that keeps the triangle inequality where metric->ball: the root of its
 * squares or powers. */
double metric_root(const Metric *metric, double reduced);
/* The distance itself; where the reduced one left the range of numbers it is computed with care. */
double metric_distance(const Metric *metric, const double *a, const double *b);

/*
 * Between two rows of slots that no rows were learned from, with as many digits as their difference
 * has: for functions of two points. room: [2 x width]. NaN where one is a vector of zeros and the
 * metric compares directions.
 */
double metric_between(Metric *metric, const double *a, const double *b, double *room);
/* What the functions that take a parameter beside the rows set before metric_ready; fail as options
 * do. */
void metric_set_order(Env *env, Metric *metric, double p);
void metric_set_variances(Env *env, Metric *metric, const double *variances, uint32_t count);
void metric_set_matrix(Env *env, Metric *metric, const double *matrix, uint32_t rows,
                       uint32_t columns);

/* The covariance (divisor: the sum of weights) of feature_moments, found by name where both have
 * names. */
void metric_set_moments(Env *env, Metric *metric, const Model *input);

/* Which axioms a metric of this name keeps for all rows; "edit" too. p: of minkowski and mixed.
 * Fails with ERROR_PARAMETER where unknown. */
typedef struct MetricAxioms {
    bool zero;     /* d(x, x) = 0 */
    bool positive; /* d(x, y) > 0 where x and y differ */
    bool symmetric;
    bool triangle; /* d(x, z) <= d(x, y) + d(y, z) */
} MetricAxioms;
MetricAxioms metric_axioms(Env *env, const char *name, double p);
void metric_fail_unknown(Env *env, const char *name) __attribute__((noreturn));

/* The least reduced distance of q from the points of a box of coordinates; 0 where !metric->box. */
double metric_reduced_box(const Metric *metric, const double *q, const double *low,
                          const double *high);

/* out[i] = metric_reduced(q, row i), rows [count x width]. */
void metric_reduced_rows(const Metric *metric, const double *q, const double *rows, uint32_t count,
                         double *out);
/*
 * Panels: rows interleaved by eights, panel[coordinate x 8 + row]; the last one is filled up with
 * its last row. The fastest form where many queries meet the same rows, above all for few
 * coordinates. out has room for 8 x panels. 64-byte boundaries are not needed.
 */
#define METRIC_PANEL 8
static inline size_t metric_panel_count(size_t rows)
{
    return (rows + METRIC_PANEL - 1) / METRIC_PANEL;
}
void metric_fill_panels(const Metric *metric, const double *rows, uint32_t count, double *panels);
void metric_reduced_panels(const Metric *metric, const double *q, const double *panels,
                           uint32_t panel_count, double *out);
/*
 * out[i x count_b + j] = reduced distance of a_i and b_j. Where metric->product, through a product
 * of matrices, with differences where it would cancel: about 1e-12 relative, not the bits of the
 * others, but symmetric and 0 on the diagonal where a and b are the same rows. Polls. Working
 * memory is a few hundred kB.
 */
void metric_reduced_matrix(Env *env, const Metric *metric, const double *a, uint32_t count_a,
                           const double *b, uint32_t count_b, double *out);

/*
 * In a model: "metric" F64[4] (kind, p, scale, 0) and, where there are any, "metric_origin",
 * "metric_scales", "metric_matrix_packed", "kernel"; nothing at all for plain euclidean.
 * metric_read gives NULL, or what is wrong, for any contents: the same in check() and prepare().
 * The metric refers to the model.
 */
void metric_write(Env *env, const Metric *metric, ModelBuilder *builder);
const char *metric_read(Env *env, const Model *model, Metric **metric);
extern const ArraySpec metric_arrays[];
/* Checks that the arrays make a metric. Returns NULL, or what is wrong; an Estimator.check. */
const char *metric_check(Env *env, const Model *model);
/* Does the model's metric place the levels of an enum by their order? */
bool metric_orders_levels(const Model *model);
static inline size_t metric_bytes(const Metric *metric) /* that it takes */
{
    return metric->bytes;
}
void metric_free(Env *env, Metric *metric);

#endif
