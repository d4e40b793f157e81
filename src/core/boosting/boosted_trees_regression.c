/*
 * boosted_trees_regression.c - boosted trees that predict numbers.
 */
#include "core/estimator/shared_options.h"
#include "core/math/exp_log1p.h"
#include "core/math/logistic_function.h"
#include "core/model/report_text.h"
#include "core/boosting/boosting.h"

static const char *const loss_choices[] = {"squared", "absolute", "quantile", "poisson", NULL};

static const OptionSpec regression_options[] = {
    {.name = "loss",
     .types = OPTION_STRING,
     .fallback = "\"squared\"",
     .choices = loss_choices,
     .help = "What the trees make small: the squared or the absolute error, the loss of a quantile, or the Poisson deviance of "
             "counts, with predictions exp(score)."},
    {.name = "quantile",
     .types = OPTION_NUMBER,
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
     .maximum_open = true,
     .unset = "0.5",
     .help = "With loss quantile: which one is predicted, such as 0.9."},
    {.name = NULL}};

static double regression_predict(const Model *model, const void *prepared, const double *slots)
{
    double score;

    boosting_scores(prepared, slots, &score);
    switch (boosting_link(model)) {
    case BOOST_LOG:
        return exponential_core(score);
    case BOOST_LOGISTIC: /* of imported models */
        return logistic(score);
    default:
        return score;
    }
}

static char *regression_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    TreeScorer *scorer = tree_scorer(env, model);

    if (boosting_link(model) == BOOST_LOG)
        text_add(&out, "exp");
    if (boosting_link(model) == BOOST_LOGISTIC)
        text_add(&out, "1 / (1 + exp(-");
    boosting_sql(&out, scorer, 0);
    if (boosting_link(model) == BOOST_LOGISTIC)
        text_add(&out, "))");
    return text_finish(&out, NULL);
}

static const ArrayTable regression_array_tables[] = ARRAY_TABLES(
    ARRAY_TABLE(boosting_arrays), TREE_NUMBER_ARRAYS, FACT_TABLE(boosting_facts));
static const Table *const regression_tables[] = {&table_tree_nodes, &table_importance, NULL};
static const Scoring regression_scoring = {
    .prepare = boosting_prepare, .predict = regression_predict, .explain = boosting_explain};

const Estimator estimator_boosted_trees_regression = {
    .name = "boosted_trees_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .nulls_are_values = true,
    .options = OPTION_TABLES(options_common, option_seed, tree_nulls_options, tree_growth_options, tree_monotone_options,
                             boosting_options, regression_options),
    .help = "Predicts numbers by a sum of trees, each grown to the errors of those before it (histogram gradient boosting).",
    .source = "Friedman 2001, Ann. Statist. 29(5); Chen & Guestrin 2016, KDD; Ke et al. 2017, NIPS",
    .fit = boosting_fit,
    .arrays = regression_array_tables,
    .check = boosting_check,
    .scoring = &regression_scoring,
    .tables = regression_tables,
    .to_sql = regression_sql,
    .summary = boosting_summary,
};
