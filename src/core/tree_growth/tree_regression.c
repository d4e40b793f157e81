/*
 * tree_regression.c - a regression tree: predicts the mean, or median, target of the row's leaf (Breiman et al. 1984).
 */
#include "core/estimator/shared_options.h"
#include "core/model/report_text.h"
#include "core/tree_growth/tree_fit.h"

#include <math.h>

static const OptionSpec tree_regression_options[] = {
    {.name = "criterion",
     .types = OPTION_STRING,
     .fallback = "\"mse\"",
     .choices = tree_number_criteria,
     .help = "What splits make small: squared errors about the mean, absolute errors about the median, or the Poisson "
             "deviance (targets of at least 0)."},
    {.name = NULL}};

static Model *tree_regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                  ModelBuilder *builder)
{
    bool mae = options_is(options, "criterion", "mae");
    TreeFit fit = tree_fit_begin(env, self, input, options, mae ? 80 : 0);

    if (fit.growth.criterion == TREE_POISSON)
        tree_require_poisson(fit.columns);
    tree_fit_grow(&fit);
    tree_fit_add(&fit, builder);
    return model_build(builder);
}

static const ArrayTable tree_regression_array_tables[] =
    ARRAY_TABLES(TREE_NUMBER_ARRAYS, ARRAY_TABLE(tree_path_arrays), FACT_TABLE(tree_facts));

static double tree_regression_predict(const Model *model, const void *prepared, const double *slots)
{
    return tree_find_leaf(prepared, 0, slots)->of.value;
}

static double leaf_value(const TreeScorer *trees, uint32_t number, const TreeNode *leaf, uint32_t k, const void *context)
{
    return leaf->of.value;
}

static double contributions(Env *env, const void *prepared, uint32_t e, const double *slots, double *parts)
{
    return tree_path_contributions(env, prepared, 0, slots, 0, leaf_value, NULL, parts);
}

static uint32_t tree_regression_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                                        Explanation **out)
{
    return tree_explain(env, model, prepared, slots, 1, contributions, out);
}

static void put_value(TextBuffer *report, const TreeScorer *trees, const TreeNode *leaf, void *context)
{
    sql_number(report, leaf->of.value);
}

static char *tree_regression_to_sql(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};

    tree_sql(&report, tree_scorer(env, model), 0, put_value, NULL);
    return text_finish(&report, NULL);
}

static const Scoring tree_regression_scoring = {.prepare = tree_prepare,
                                                .predict = tree_regression_predict,
                                                .explain = tree_regression_explain};

static const Table *const tree_regression_tables[] = {&table_tree_nodes, &table_importance, &table_prune_path, NULL};

const Estimator estimator_tree_regression = {
    .name = "tree_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .nulls_are_values = true,
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, tree_growth_options, tree_monotone_options,
                             tree_prune_options, tree_split_options, tree_regression_options),
    .help = "Splits the rows by one feature at a time so that targets within the leaves are close, and predicts the mean or "
            "median of the row's leaf.",
    .source = "Breiman, Friedman, Olshen & Stone (1984)",
    .fit = tree_regression_fit,
    .arrays = tree_regression_array_tables,
    .check = tree_fit_check,
    .scoring = &tree_regression_scoring,
    .tables = tree_regression_tables,
    .to_sql = tree_regression_to_sql,
    .summary = tree_summary,
};
