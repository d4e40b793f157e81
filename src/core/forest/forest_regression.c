/*
 * forest_regression.c - a forest of trees that predict numbers (forest_fit.c).
 */
#include "core/forest/forest_model.h"
#include "core/tree_growth/tree_binned.h"

const Estimator estimator_forest_regression = {
    .name = "forest_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .nulls_are_values = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, tree_growth_options, tree_monotone_options, tree_split_options,
                             forest_options, forest_number_options, forest_bootstrap_on, forest_features_all),
    .help = "A random forest of regression trees: each grown from a bootstrap sample, with random features to choose from at each split.",
    .source = "Breiman (2001), Random forests",
    .fit = forest_fit,
    .merge = forest_merge,
    .arrays = forest_number_tables,
    .check = forest_check,
    .scoring = &forest_number_scoring,
    .tables = forest_tables,
    .to_sql = forest_to_sql,
    .summary = forest_summary,
};
