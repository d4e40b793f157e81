/*
 * nearest_centroid_model.c - the arrays of nearest_centroid (described in nearest_centroid.c), their view and check.
 */
#include "core/classify/nearest_centroid.h"
#include "core/estimator/class_options.h"

static const ArraySpec centroid_arrays[] = {
    {.name = "centroids",
     .type = ARRAY_F64,
     .rows = {SIZE_CLASSES},
     .columns = {SIZE_TERMS},
     .data_at = VIEW_AT(CentroidModel, centroids),
     .rows_at = VIEW_AT(CentroidModel, classes),
     .columns_at = VIEW_AT(CentroidModel, terms.count)},
    {.name = "covariance" MODEL_PACKED,
     .type = ARRAY_F64,
     .rows = {SIZE_TERMS, .packed = true},
     .presence = ARRAY_OPTIONAL,
     .data_at = VIEW_AT(CentroidModel, covariance)},
    {.name = "log_priors",
     .type = ARRAY_F64,
     .rows = {SIZE_CLASSES},
     .presence = ARRAY_OPTIONAL,
     .data_at = VIEW_AT(CentroidModel, log_priors)},
    {.name = "metric",
     .type = ARRAY_I64,
     .rows = {SIZE_NUMBER, .plus = 1},
     .presence = ARRAY_OPTIONAL,
     .data_at = VIEW_AT(CentroidModel, metric)},
    {.name = "scales",
     .type = ARRAY_F64,
     .rows = {SIZE_TERMS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(CentroidModel, scales)}};
const ArrayTable centroid_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(centroid_arrays), ARRAY_TABLE_AT(class_rule_arrays, CentroidModel, class_rule),
                 ARRAY_TABLE_AT(term_arrays, CentroidModel, terms), NO_FACTS);

CentroidModel centroid_model(const Model *model)
{
    CentroidModel view = {.kind = METRIC_EUCLIDEAN};

    view_arrays(model, centroid_array_tables, &view);
    if (view.metric != NULL)
        view.kind = (MetricKind)*view.metric;
    return view;
}

/* Checks that the metric is one of these, and has the arrays that it needs. */
const char *centroid_check(Env *env, const Model *model)
{
    CentroidModel view = centroid_model(model);

    (void)env;
    if (view.classes < 2)
        return "nearest_centroid needs at least two classes";
    if (view.terms.count == 0)
        return "a model of nearest_centroid without terms";
    if (!centroid_metric_squares(view.kind) && view.kind != METRIC_MANHATTAN && view.kind != METRIC_CHEBYSHEV &&
        view.kind != METRIC_COSINE)
        return "\"metric\" names no metric of nearest_centroid";
    if (view.scales == NULL && view.kind == METRIC_STANDARDIZED_EUCLIDEAN)
        return "metric standardized_euclidean needs \"scales\"";
    if (view.scales != NULL && (view.kind == METRIC_MAHALANOBIS || view.kind == METRIC_COSINE))
        return "\"scales\" do not go with this metric";
    if ((view.covariance != NULL) != (view.kind == METRIC_MAHALANOBIS))
        return "\"covariance_packed\" belongs to metric mahalanobis";
    return class_rule_check(model);
}
