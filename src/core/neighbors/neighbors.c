/*
 * neighbors.c - a model that stores rows with their ids, for nearest().
 */
#include "core/neighbors/neighbors_model.h"

static const OptionSpec neighbors_options[] = {
    {.name = "k",
     .types = OPTION_INTEGER | OPTION_STRING,
     .minimum = 1,
     .maximum = 1e9,
     .choices = neighbor_all_choices,
     .unset = "5, or all rows within radius",
     .help = "How many rows nearest() returns if its call does not say: a number, or all."},
    {.name = NULL}};

static const Scoring neighbors_scoring = {.partial = true,
                                          .prepare = neighbors_prepare,
                                          .ahead = neighbors_ahead,
                                          .distance = neighbors_nearest_distance};

const Estimator estimator_neighbors = {
    .name = "neighbors",
    .task = TASK_NEIGHBORS,
    .input = INPUT_ROWS,
    .identified = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, options_neighbor_search, neighbors_options),
    .help = "Keeps rows with their ids, so that the nearest ones can be found.",
    .source = "Fix & Hodges (1951)",
    .fit = neighbors_fit_rows,
    .arrays = neighbors_array_tables,
    .check = neighbors_check,
    .scoring = &neighbors_scoring,
};
