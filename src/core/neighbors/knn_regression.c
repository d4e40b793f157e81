/*
 * knn_regression.c - a row's number as the mean of the rows nearest to it.
 */
#include "core/neighbors/neighbors_model.h"

#include <math.h>

extern const Estimator estimator_knn_regression;

static const OptionSpec knn_regression_options[] = {
    NEIGHBOUR_OPTION_K(neighbour_k_choices,
                       "How many nearest rows are neighbours: a number, all, or loo: the one with the least "
                       "leave-one-out error; 5 where neither k nor radius is given."),
    METRIC_AND_KERNEL_FORM_OPTIONS,
    NEIGHBOUR_OPTIONS_SEARCH,
    NEIGHBOUR_OPTIONS_WEIGHTS,
    {.name = NULL}};

static Model *knn_regression_fit(Env *env, const Evidence *evidence, const Options *options)
{
    return neighbours_fit(env, &estimator_knn_regression, evidence, options);
}

static double knn_predict(const Model *model, const void *prepared, const double *slots)
{
    Neighbours *neighbours = (Neighbours *)prepared;

    if (!neighbours_find(neighbours, slots, 0))
        return NAN;
    neighbours_shares(neighbours, neighbours->rule.k);
    return neighbours_mean(neighbours);
}

static const Scoring knn_regression_scoring = {.partial = true,
                                               .prepare = neighbours_prepare,
                                               .ahead = neighbours_ahead,
                                               .predict = knn_predict,
                                               .distance = neighbours_nearest_distance};

static const char *const knn_regression_positional[] = {"k", NULL};

const Estimator estimator_knn_regression = {
    .name = "knn_regression",
    .task = TASK_REGRESSION,
    .evidence = EVIDENCE_ROWS,
    .supervised = true,
    .options = knn_regression_options,
    .positional = knn_regression_positional,
    .help = "The mean target of the nearest rows.",
    .source = "Fix & Hodges (1951); Stone (1977)",
    .fit = knn_regression_fit,
    .check = neighbours_check,
    .scoring = &knn_regression_scoring,
};
