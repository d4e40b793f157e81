/*
 * neighbors.c - rows stored with their ids, for nearest().
 */
#include "core/neighbors/neighbors_model.h"

extern const Estimator estimator_neighbors;

static const OptionSpec neighbors_options[] = {
    NEIGHBOR_OPTION_K(neighbor_all_choices,
                       "How many rows nearest() gives where its call does not say: a number, or all; 5 where "
                       "neither k nor radius is given."),
    METRIC_AND_KERNEL_OPTIONS,
    NEIGHBOR_OPTIONS_SEARCH,
    {.name = NULL}};

static Model *neighbors_fit(Env *env, const FitInput *input, const Options *options)
{
    return neighbors_fit_rows(env, &estimator_neighbors, input, options);
}

static const Scoring neighbors_scoring = {.partial = true,
                                          .prepare = neighbors_prepare,
                                          .ahead = neighbors_ahead,
                                          .distance = neighbors_nearest_distance};

const Estimator estimator_neighbors = {
    .name = "neighbors",
    .task = TASK_NEIGHBORS,
    .input = INPUT_ROWS,
    .supervised = false,
    .identified = true,
    .options = neighbors_options,
    .help = "Rows kept with their ids, to be retrieved by nearness.",
    .source = "Fix & Hodges (1951)",
    .fit = neighbors_fit,
    .check = neighbors_check,
    .scoring = &neighbors_scoring,
};
