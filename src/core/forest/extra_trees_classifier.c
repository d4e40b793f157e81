/*
 * extra_trees_classifier.c - extremely randomized trees that vote for a class (forest_fit.c).
 */
#include "core/forest/forest_model.h"

const Estimator estimator_extra_trees_classifier = {
    .name = "extra_trees_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .nulls_are_values = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, option_positive, option_class_weight, option_threshold,
                             option_tie, tree_growth_options, tree_monotone_options,
                             forest_options, forest_class_options, forest_bootstrap_off, forest_features_sqrt),
    .help = "Extremely randomized classification trees: each split takes the best of random thresholds, one for each feature that it looks at.",
    .source = "Geurts, Ernst & Wehenkel (2006), Extremely randomized trees",
    .fit = extra_trees_fit,
    .merge = forest_merge,
    .arrays = forest_class_tables,
    .check = forest_check,
    .scoring = &forest_class_scoring,
    .tables = forest_tables,
    .to_sql = forest_to_sql,
    .probability_sql = forest_probability_sql,
    .summary = forest_summary,
};
