/*
 * nearest_centroid.h - what the scorers and the reports of nearest_centroid share.
 */
#ifndef PGFIT_NEAREST_CENTROID_H
#define PGFIT_NEAREST_CENTROID_H

#include "estimator.h"
#include "metric.h"

extern const Estimator estimator_nearest_centroid;

MetricKind centroid_metric(const Model *model);
/* Is it a metric whose squared distances differ linearly from class to class? */
bool centroid_metric_squares(MetricKind kind);

/*
 * Coefficients of the linear scores: of two classes w and -t, of more a set a class. Fails with ERROR_KIND
 * where the metric makes no linear scores.
 */
uint32_t centroid_coefficients(Env *env, const Model *model, Coefficient **out);
/* Two classes: the score; more: the class as text, as a subquery. ERROR_KIND as above. */
char *centroid_to_sql(Env *env, const Model *model);
char *centroid_summary(Env *env, const Model *model);

#endif
