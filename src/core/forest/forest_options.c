/*
 * forest_options.c - the options of forests, and their four methods, which differ in these alone.
 */
#include "core/forest/forest_model.h"
#include "core/tree_growth/tree_binned.h"

static const char *const voting_choices[] = {"soft", "hard", NULL};
static const char *const importance_choices[] = {"impurity", "permutation", "none", NULL};
static const char *const feature_choices[] = {"all", "sqrt", "log2", NULL};

static const OptionSpec forest_options[] = {
    {.name = "importance",
     .types = OPTION_STRING,
     .fallback = "\"impurity\"",
     .choices = importance_choices,
     .help = "What importance(model) shows: how much the splits on a feature decrease the impurity, or how much the error of "
             "the out-of-bag rows grows when its values are permuted (needs bootstrap, and takes longer)."},
    {.name = "max_samples",
     .types = OPTION_INTEGER | OPTION_NUMBER,
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1e9,
     .unset = "as many as there are",
     .help = "How many rows are drawn for a tree, with bootstrap: a number, or a share up to 1."},
    {.name = "n_trees",
     .types = OPTION_INTEGER,
     .fallback = "100",
     .minimum = 1,
     .maximum = 1000000,
     .help = "The number of trees; those of start count too."},
    {.name = "oob",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether to compute the out-of-bag error, with bootstrap: that of the trees whose sample lacks the row."},
    {.name = "start",
     .types = OPTION_MODEL,
     .unset = "a new model",
     .help = "Continue from this model of the same method, features and options (model::jsonb) with more trees."},
    {.name = NULL}};

static const OptionSpec forest_class_options[] = {
    {.name = "criterion",
     .types = OPTION_STRING,
     .fallback = "\"gini\"",
     .choices = tree_class_criteria,
     .help = "The impurity that splits decrease."},
    {.name = "voting",
     .types = OPTION_STRING,
     .fallback = "\"soft\"",
     .choices = voting_choices,
     .help = "Probabilities are the mean of the trees' probabilities (soft), or the shares of the trees that vote for each class "
             "(hard)."},
    {.name = NULL}};

static const OptionSpec forest_number_options[] = {
    {.name = "criterion",
     .types = OPTION_STRING,
     .fallback = "\"mse\"",
     .choices = tree_number_criteria,
     .help = "The impurity that splits decrease: about the mean (mse) or the median (mae), or the Poisson deviance."},
    {.name = NULL}};

#define BOOTSTRAP(default)                                                                         \
    {.name = "bootstrap",                                                                          \
     .types = OPTION_BOOLEAN,                                                                      \
     .fallback = default,                                                                          \
     .help = "Whether each tree learns from rows drawn with replacement, or from all rows."},      \
    {.name = NULL}
#define MAX_FEATURES(default)                                                                      \
    {.name = "max_features",                                                                       \
     .types = OPTION_INTEGER | OPTION_NUMBER | OPTION_STRING,                                      \
     .fallback = default,                                                                          \
     .minimum = 0,                                                                                 \
     .minimum_open = true,                                                                         \
     .maximum = 1e6,                                                                               \
     .choices = feature_choices,                                                                   \
     .help = "How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of the " \
             "features, or all."},                                                                 \
    {.name = NULL}

static const OptionSpec forest_bootstrap_on[] = {BOOTSTRAP("true")};
static const OptionSpec forest_bootstrap_off[] = {BOOTSTRAP("false")};
static const OptionSpec forest_features_sqrt[] = {MAX_FEATURES("\"sqrt\"")};
static const OptionSpec forest_features_all[] = {MAX_FEATURES("\"all\"")};

/* ---- the methods ---- */

#define FOREST_ESTIMATOR                                                                           \
    .input = INPUT_ROWS, .nulls_are_values = true, .supervised = true, .fit = forest_fit,          \
    .merge = forest_merge, .check = forest_check, .tables = forest_tables, .to_sql = forest_to_sql, \
    .summary = forest_summary
#define FOREST_CLASSIFIER                                                                          \
    FOREST_ESTIMATOR, .task = TASK_CLASSIFICATION, .arrays = forest_class_tables,                  \
    .scoring = &forest_class_scoring, .probability_sql = forest_probability_sql
#define FOREST_REGRESSION                                                                          \
    FOREST_ESTIMATOR, .task = TASK_REGRESSION, .arrays = forest_number_tables, .scoring = &forest_number_scoring

const Estimator estimator_forest_classifier = {
    FOREST_CLASSIFIER,
    .name = "forest_classifier",
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, option_positive, option_class_weight, option_threshold,
                             option_tie, tree_growth_options, tree_monotone_options, tree_split_options,
                             forest_options, forest_class_options, forest_bootstrap_on, forest_features_sqrt),
    .help = "A random forest of classification trees: each grown from a bootstrap sample, with a few random features to choose from at each split.",
    .source = "Breiman (2001), Random forests",
};

const Estimator estimator_forest_regression = {
    FOREST_REGRESSION,
    .name = "forest_regression",
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, tree_growth_options, tree_monotone_options, tree_split_options,
                             forest_options, forest_number_options, forest_bootstrap_on, forest_features_all),
    .help = "A random forest of regression trees: each grown from a bootstrap sample, with random features to choose from at each split.",
    .source = "Breiman (2001), Random forests",
};

const Estimator estimator_extra_trees_classifier = {
    FOREST_CLASSIFIER,
    .name = "extra_trees_classifier",
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, option_positive, option_class_weight, option_threshold,
                             option_tie, tree_growth_options, tree_monotone_options,
                             forest_options, forest_class_options, forest_bootstrap_off, forest_features_sqrt),
    .help = "Extremely randomized classification trees: each split takes the best of random thresholds, one for each feature that it looks at.",
    .source = "Geurts, Ernst & Wehenkel (2006), Extremely randomized trees",
};

const Estimator estimator_extra_trees_regression = {
    FOREST_REGRESSION,
    .name = "extra_trees_regression",
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, tree_growth_options, tree_monotone_options,
                             forest_options, forest_number_options, forest_bootstrap_off, forest_features_all),
    .help = "Extremely randomized regression trees: each split takes the best of random thresholds, one for each feature that it looks at.",
    .source = "Geurts, Ernst & Wehenkel (2006), Extremely randomized trees",
};
