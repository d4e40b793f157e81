/*
 * boosted_trees_classifier.c - boosted trees that predict classes and their probabilities.
 */
#include "core/estimator/shared_options.h"
#include "core/math/logistic_function.h"
#include "core/model/report_text.h"
#include "core/boosting/boosting.h"

/* ---- scores ---- */

static uint32_t classifier_width(const Model *model)
{
    return boosting_outputs(model);
}

static void classifier_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    boosting_scores(prepared, slots, out);
}

static void classifier_probabilities(const Model *model, const void *prepared, const double *slots, double *out)
{
    uint32_t outputs = boosting_outputs(model), positive;
    double score;

    if (boosting_link(model) == BOOST_SOFTMAX) {
        boosting_scores(prepared, slots, out);
        softmax(out, outputs, out);
        return;
    }
    positive = class_rule_of(model).positive;
    boosting_scores(prepared, slots, &score);
    out[positive] = logistic(score);
    out[1 - positive] = logistic(-score);
}

static uint32_t classifier_classify(const Model *model, const void *prepared, const double *slots)
{
    uint32_t outputs = boosting_outputs(model), best = 0;
    double *scores = boosting_room(prepared);

    boosting_scores(prepared, slots, scores);
    if (boosting_link(model) == BOOST_LOGISTIC) {
        ClassRule rule = class_rule_of(model);

        return class_rule_pick(&rule, rule.threshold == 0.5 ? scores[0] : logistic(scores[0]) - rule.threshold);
    }
    for (uint32_t k = 1; k < outputs; k++)
        if (scores[k] > scores[best])
            best = k;
    return best;
}

/* ---- SQL ---- */

static void put_score(TextBuffer *report, void *context, uint32_t class)
{
    boosting_sql(report, context, class);
}

/* Writes the probability of the positive of two classes, or the label of the class with the largest score. */
static char *classifier_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    TreeScorer *scorer = tree_scorer(env, model);

    if (boosting_link(model) == BOOST_LOGISTIC) {
        text_add(&out, "1 / (1 + exp(-");
        boosting_sql(&out, scorer, 0);
        text_add(&out, "))");
    } else {
        sql_best_class(&out, model, put_score, scorer);
    }
    return text_finish(&out, NULL);
}

static char *classifier_probability_sql(Env *env, const Model *model, uint32_t class)
{
    TextBuffer out = {.env = env};
    TreeScorer *scorer = tree_scorer(env, model);
    uint32_t outputs = boosting_outputs(model);

    if (boosting_link(model) == BOOST_LOGISTIC) {
        text_print(&out, "1 / (1 + exp(%s", class == class_rule_of(model).positive ? "-" : "");
        boosting_sql(&out, scorer, 0);
        text_add(&out, "))");
        return text_finish(&out, NULL);
    }
    text_add(&out, "1 / (1"); /* no score is subtracted from itself */
    for (uint32_t k = 0; k < outputs; k++) {
        if (k == class)
            continue;
        text_add(&out, "\n + exp(");
        boosting_sql(&out, scorer, k);
        text_add(&out, " - ");
        boosting_sql(&out, scorer, class);
        text_add(&out, ")");
    }
    text_add(&out, ")");
    return text_finish(&out, NULL);
}

static const char *classifier_check(Env *env, const Model *model)
{
    const char *wrong = boosting_check(env, model);

    return wrong != NULL ? wrong : class_rule_check(model);
}

static const ArraySpec priors_arrays[] = {
    {.name = "priors", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_SHARES, .rows = {SIZE_CLASSES}}};
static const ArrayTable classifier_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(boosting_arrays), ARRAY_TABLE(priors_arrays), ARRAY_TABLE(class_rule_arrays), TREE_NUMBER_ARRAYS,
                 FACT_TABLE(boosting_facts));
static const Table *const classifier_tables[] = {&table_tree_nodes, &table_importance, NULL};
static const Scoring classifier_scoring = {.prepare = boosting_prepare,
                                           .classify = classifier_classify,
                                           .probabilities = classifier_probabilities,
                                           .decisions = classifier_decisions,
                                           .width = classifier_width,
                                           .explain = boosting_explain};

const Estimator estimator_boosted_trees_classifier = {
    .name = "boosted_trees_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .nulls_are_values = true,
    .options = OPTION_TABLES(options_common, option_seed, option_positive, option_class_weight, option_threshold, option_tie,
                             tree_nulls_options, tree_growth_options, tree_monotone_options, boosting_options),
    .help = "Predicts classes and their probabilities by sums of trees, each grown to the errors of those before it (histogram "
            "gradient boosting).",
    .source = "Friedman 2001, Ann. Statist. 29(5); Chen & Guestrin 2016, KDD; Ke et al. 2017, NIPS",
    .fit = boosting_fit,
    .arrays = classifier_array_tables,
    .check = classifier_check,
    .scoring = &classifier_scoring,
    .tables = classifier_tables,
    .to_sql = classifier_sql,
    .probability_sql = classifier_probability_sql,
    .summary = boosting_summary,
};
