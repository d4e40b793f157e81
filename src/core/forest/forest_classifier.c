/*
 * forest_classifier.c - a forest of trees that vote for a class (forest_fit.c).
 */
#include "core/forest/forest_model.h"
#include "core/tree_growth/tree_binned.h"

const Estimator estimator_forest_classifier = {
    .name = "forest_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .nulls_are_values = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, option_positive, option_class_weight, option_threshold,
                             option_tie, tree_growth_options, tree_monotone_options, tree_split_options,
                             forest_options, forest_class_options, forest_bootstrap_on, forest_features_sqrt),
    .help = "A random forest of classification trees: each grown from a bootstrap sample, with a few random features to choose from at each split.",
    .source = "Breiman (2001), Random forests",
    .fit = forest_fit,
    .merge = forest_merge,
    .arrays = forest_class_tables,
    .check = forest_check,
    .scoring = &forest_class_scoring,
    .tables = forest_tables,
    .to_sql = forest_to_sql,
    .probability_sql = forest_probability_sql,
    .summary = forest_summary,
};
