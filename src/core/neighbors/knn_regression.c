/*
 * knn_regression.c - predicts a row's target as the mean target of the rows nearest to it.
 */
#include "core/neighbors/neighbors_model.h"
#include "core/estimator/shared_options.h"

#include <math.h>

static double knn_predict(const Model *model, const void *prepared, const double *slots)
{
    Neighbors *neighbors = (Neighbors *)prepared;

    if (!neighbors_find(neighbors, slots, 0))
        return NAN;
    neighbors_shares(neighbors, neighbors->rule.k);
    return neighbors_mean(neighbors);
}

static const Scoring knn_regression_scoring = {.partial = true,
                                               .prepare = neighbors_prepare,
                                               .ahead = neighbors_ahead,
                                               .predict = knn_predict,
                                               .distance = neighbors_nearest_distance};

const Estimator estimator_knn_regression = {
    .name = "knn_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, options_neighbor_search, options_knn),
    .positional = positional_k,
    .help = "Predicts the mean target of the nearest rows.",
    .source = "Fix & Hodges (1951); Stone (1977)",
    .fit = neighbors_fit_rows,
    .arrays = knn_regression_array_tables,
    .check = neighbors_check,
    .scoring = &knn_regression_scoring,
};
