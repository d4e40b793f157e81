/*
 * extra_trees_regression.c - extremely randomized trees that predict numbers (forest_fit.c).
 */
#include "core/forest/forest_model.h"

const Estimator estimator_extra_trees_regression = {
    .name = "extra_trees_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .nulls_are_values = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, tree_growth_options, tree_monotone_options,
                             forest_options, forest_number_options, forest_bootstrap_off, forest_features_all),
    .help = "Extremely randomized regression trees: each split takes the best of random thresholds, one for each feature that it looks at.",
    .source = "Geurts, Ernst & Wehenkel (2006), Extremely randomized trees",
    .fit = extra_trees_fit,
    .merge = forest_merge,
    .arrays = forest_number_tables,
    .check = forest_check,
    .scoring = &forest_number_scoring,
    .tables = forest_tables,
    .to_sql = forest_to_sql,
    .summary = forest_summary,
};
