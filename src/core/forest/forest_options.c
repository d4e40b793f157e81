/*
 * forest_options.c - the options of forests.
 */
#include "core/forest/forest_model.h"

static const char *const voting_choices[] = {"soft", "hard", NULL};
static const char *const importance_choices[] = {"impurity", "permutation", "none", NULL};
static const char *const feature_choices[] = {"all", "sqrt", "log2", NULL};

const OptionSpec forest_options[] = {
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

const OptionSpec forest_class_options[] = {
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

const OptionSpec forest_number_options[] = {
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

const OptionSpec forest_bootstrap_on[] = {BOOTSTRAP("true")};
const OptionSpec forest_bootstrap_off[] = {BOOTSTRAP("false")};
const OptionSpec forest_features_sqrt[] = {MAX_FEATURES("\"sqrt\"")};
const OptionSpec forest_features_all[] = {MAX_FEATURES("\"all\"")};
