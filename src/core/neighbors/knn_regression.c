/*
 * knn_regression.c - predicts a row's target as the mean target of the rows nearest to it.
 */
#include "core/neighbors/neighbors_model.h"

#include <math.h>

extern const Estimator estimator_knn_regression;

static const OptionSpec knn_regression_options[] = {
    NEIGHBOR_OPTION_K(neighbor_k_choices,
                       "How many nearest rows are neighbors: a number, all, or loo: the one with the least "
                       "leave-one-out error; 5 where neither k nor radius is given."),
    METRIC_AND_KERNEL_FORM_OPTIONS,
    NEIGHBOR_OPTIONS_SEARCH,
    NEIGHBOR_OPTIONS_WEIGHTS,
    {.name = NULL}};

static Model *knn_regression_fit(Env *env, const FitInput *input, const Options *options)
{
    return neighbors_fit_rows(env, &estimator_knn_regression, input, options);
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
    .options = knn_regression_options,
    .positional = knn_regression_positional,
    .help = "The mean target of the nearest rows.",
    .source = "Fix & Hodges (1951); Stone (1977)",
    .fit = knn_regression_fit,
    .check = neighbors_check,
    .scoring = &knn_regression_scoring,
};
