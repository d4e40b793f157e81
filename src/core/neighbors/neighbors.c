/*
 * neighbors.c - rows by their ids, to be retrieved by nearness.
 */
#include "core/neighbors/neighbors_model.h"

extern const Estimator estimator_neighbors;

static const OptionSpec neighbors_options[] = {
    NEIGHBOUR_OPTION_K(neighbour_all_choices,
                       "How many rows nearest() gives where its call does not say: a number, or all; 5 where "
                       "neither k nor radius is given."),
    METRIC_AND_KERNEL_OPTIONS,
    NEIGHBOUR_OPTIONS_SEARCH,
    {.name = NULL}};

static Model *neighbors_fit(Env *env, const Evidence *evidence, const Options *options)
{
    return neighbours_fit(env, &estimator_neighbors, evidence, options);
}

static const Scoring neighbors_scoring = {.partial = true,
                                          .prepare = neighbours_prepare,
                                          .ahead = neighbours_ahead,
                                          .distance = neighbours_nearest_distance};

const Estimator estimator_neighbors = {
    .name = "neighbors",
    .task = TASK_NEIGHBOURS,
    .evidence = EVIDENCE_ROWS,
    .supervised = false,
    .identified = true,
    .options = neighbors_options,
    .help = "Rows kept with their ids, to be retrieved by nearness.",
    .source = "Fix & Hodges (1951)",
    .fit = neighbors_fit,
    .check = neighbours_check,
    .scoring = &neighbors_scoring,
};
