/*
 * nearest_centroid.h - declarations that the scorers and reports of nearest_centroid share.
 */
#ifndef PGFIT_NEAREST_CENTROID_H
#define PGFIT_NEAREST_CENTROID_H

#include "core/estimator/estimator.h"
#include "core/distance/metric.h"
#include "core/moments/model_terms.h"

/* Returns the metric of a model; euclidean is not stored. */
static inline MetricKind centroid_metric(const Model *model)
{
    uint32_t length;
    const int64_t *kind = model_i64(model, "metric", &length);

    return kind != NULL ? (MetricKind)kind[0] : METRIC_EUCLIDEAN;
}

/* Is it a metric whose squared distances differ linearly from class to class? */
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
