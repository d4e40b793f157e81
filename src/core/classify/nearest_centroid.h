/*
 * nearest_centroid.h - the arrays of nearest_centroid as its scorers and reports read them, and the reports.
 */
#ifndef PGFIT_NEAREST_CENTROID_H
#define PGFIT_NEAREST_CENTROID_H

#include "core/estimator/estimator.h"
#include "core/distance/metric.h"
#include "core/moments/model_terms.h"

/* What mahalanobis prepares: the factor of the covariance, and the centroids in its coordinates. */
typedef struct CentroidWhitening {
    const double *triangle; /* L: lower, packed by columns */
    const double *whitened; /* [classes x terms] L^-1 (centroid - first centroid) */
} CentroidWhitening;

/* The arrays of a checked model; NULL where it has none. */
typedef struct CentroidModel {
    Terms terms;
    uint32_t classes;
    MetricKind kind; /* euclidean is not stored */
    const int64_t *metric;
    const double *centroids, *scales, *covariance, *log_priors, *class_rule;
    const CentroidWhitening *prepared; /* in scorers of a model with metric mahalanobis; else NULL */
} CentroidModel;
extern const ArrayTable centroid_array_tables[];
CentroidModel centroid_model(const Model *model);
const char *centroid_check(Env *env, const Model *model);

/* Tells whether differences of this metric's squared distances are linear in the features. */
static inline bool centroid_metric_squares(MetricKind kind)
{
    return kind == METRIC_EUCLIDEAN || kind == METRIC_STANDARDIZED_EUCLIDEAN || kind == METRIC_MAHALANOBIS;
}

/* Returns the weight of a term's square or difference: half for levels, so that two levels are 1 apart. */
static inline double centroid_term_share(const Terms *terms, uint32_t term)
{
    return terms->level != NULL && terms->level[term] >= 0 ? 0.5 : 1;
}

/*
 * Explains the score of two classes, or of each class. Fails with ERROR_KIND if the metric is not a sum over features.
 */
uint32_t centroid_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                          Explanation **out);
/*
 * Lists the coefficients of the linear scores: w and -t for two classes, else one set per class. Fails with ERROR_KIND
 * if the metric gives no linear scores.
 */
uint32_t centroid_coefficients(Env *env, const Model *model, Coefficient **out);
/* Returns an SQL expression: the score of two classes, or a subquery that gives the class as text. Fails as above. */
char *centroid_to_sql(Env *env, const Model *model);
char *centroid_summary(Env *env, const Model *model);

#endif
