/*
 * knn_regression.c - predicts a row's target as the mean target of the rows nearest to it.
 */
#include "core/neighbors/neighbors_model.h"

#include <math.h>

static Model *knn_regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                 ModelBuilder *builder)
{
    return neighbors_fit_rows(env, self, input, options, builder);
}

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

static const char *const knn_regression_positional[] = {"k", NULL};

const Estimator estimator_knn_regression = {
    .name = "knn_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, options_metric, options_kernel, options_neighbor_search, options_knn),
    .positional = knn_regression_positional,
    .help = "The mean target of the nearest rows.",
    .source = "Fix & Hodges (1951); Stone (1977)",
    .fit = knn_regression_fit,
    .arrays = knn_regression_array_tables,
    .check = neighbors_check,
    .scoring = &knn_regression_scoring,
};
