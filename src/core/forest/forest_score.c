/*
 * forest_score.c - makes forests ready for scoring, and scores, explains and writes them as SQL: means of the trees' predictions, or
 * shares of their votes, in the order of the trees. Explanations are exact Shapley values of every tree (Lundberg et al. 2020).
 */
#include "core/forest/forest_model.h"
#include "core/model/report_text.h"
#include "core/tree_value/forest_walk.h"

#include <string.h>

/* What Scoring.prepare makes. */
typedef struct ForestScorer {
    TreeScorer *trees;
    ForestWalk *walk;    /* NULL: nodes are walked as the model has them */
    ClassRule rule;
    bool hard;
    double *leaf_number; /* [leaves] the value, or the share of the second of two classes */
    double *leaf_share;  /* [class entries] what each adds to its class */
    double *sums;        /* [classes] scratch */
} ForestScorer;

/* Returns the first class entry of a leaf with the largest weight. */
static uint32_t strongest(const TreeScorer *trees, uint32_t leaf)
{
    uint32_t best = trees->leaf_first[leaf];

    for (uint32_t i = best + 1; i < trees->leaf_first[leaf + 1]; i++)
        if (trees->leaf_weight[i] > trees->leaf_weight[best])
            best = i;
    return best;
}

/* Computes what each leaf adds to the classes. */
static void share_leaves(Env *env, ForestScorer *scorer, size_t *bytes)
{
    const TreeScorer *trees = scorer->trees;
    bool pair = trees->classes == 2;
    uint32_t entries = trees->leaf_first[trees->leaves];
    double *shares = env_array_raw(env, (size_t)entries + 1, sizeof(double));

    for (uint32_t leaf = 0; leaf < trees->leaves; leaf++) {
        uint32_t best = strongest(trees, leaf);

        for (uint32_t i = trees->leaf_first[leaf]; i < trees->leaf_first[leaf + 1]; i++)
            shares[i] = scorer->hard ? i == best : trees->leaf_weight[i] / trees->leaf_cover[leaf];
        if (leaf % 65536 == 0)
            env->poll(env);
    }
    scorer->leaf_share = shares;
    *bytes += entries * sizeof(double);
    if (!pair)
        return;
    scorer->leaf_number = env_array(env, trees->leaves, sizeof(double));
    *bytes += trees->leaves * sizeof(double);
    for (uint32_t leaf = 0; leaf < trees->leaves; leaf++)
        for (uint32_t i = trees->leaf_first[leaf]; i < trees->leaf_first[leaf + 1]; i++)
            if (trees->leaf_class[i] == 1)
                scorer->leaf_number[leaf] = shares[i];
}

void *forest_prepare(Env *env, const Model *model, size_t *bytes)
{
    ForestScorer *scorer = env_array(env, 1, sizeof(ForestScorer));

    scorer->trees = tree_prepare(env, model, bytes);
    scorer->walk = forest_walk(env, scorer->trees, bytes);
    scorer->hard = model_find(model, "hard_votes") != NULL;
    *bytes += sizeof(ForestScorer);
    if (scorer->trees->classes > 0) {
        scorer->rule = class_rule_of(model);
        scorer->sums = env_array(env, scorer->trees->classes, sizeof(double));
        share_leaves(env, scorer, bytes);
        return scorer;
    }
    scorer->leaf_number = forest_leaf_values(env, scorer->trees, bytes);
    return scorer;
}

/* ---- scores ---- */

/* Returns the mean over the trees of the numbers of the leaves. */
static double mean_number(const ForestScorer *scorer, const double *slots)
{
    const ForestWalk *walk = forest_walk_row(scorer->walk, slots);
    uint32_t leaves[WALK_TOGETHER], count;
    double sum = 0;

    for (uint32_t first = 0; first < scorer->trees->trees; first += count) {
        count = forest_walk_leaves(scorer->trees, walk, slots, first, leaves);
        for (uint32_t t = 0; t < count; t++)
            sum += scorer->leaf_number[leaves[t]];
    }
    return sum / scorer->trees->trees;
}

static void class_shares(const ForestScorer *scorer, const double *slots, double *out)
{
    const TreeScorer *trees = scorer->trees;
    uint32_t leaves[WALK_TOGETHER], count;
    const ForestWalk *walk;

    if (scorer->leaf_number != NULL) {
        out[1] = mean_number(scorer, slots);
        out[0] = 1 - out[1];
        return;
    }
    walk = forest_walk_row(scorer->walk, slots);
    memset(out, 0, trees->classes * sizeof(double));
    for (uint32_t first = 0; first < trees->trees; first += count) {
        count = forest_walk_leaves(scorer->trees, walk, slots, first, leaves);
        for (uint32_t t = 0; t < count; t++)
            for (uint32_t i = trees->leaf_first[leaves[t]]; i < trees->leaf_first[leaves[t] + 1]; i++)
                out[trees->leaf_class[i]] += scorer->leaf_share[i];
    }
    for (uint32_t k = 0; k < trees->classes; k++)
        out[k] /= trees->trees;
}

static double forest_predict(const Model *model, const void *prepared, const double *slots)
{
    return mean_number(prepared, slots);
}

static void forest_probabilities(const Model *model, const void *prepared, const double *slots, double *out)
{
    class_shares(prepared, slots, out);
}

static uint32_t forest_classify(const Model *model, const void *prepared, const double *slots)
{
    const ForestScorer *scorer = prepared;
    uint32_t best = 0;

    class_shares(scorer, slots, scorer->sums);
    if (scorer->trees->classes == 2)
        return class_rule_pick(&scorer->rule, scorer->sums[scorer->rule.positive] - scorer->rule.threshold);
    for (uint32_t k = 1; k < scorer->trees->classes; k++)
        if (scorer->sums[k] > scorer->sums[best])
            best = k;
    return best;
}

/* How far the positive class of two is above the threshold. */
static double forest_decision(const Model *model, const void *prepared, const double *slots)
{
    const ForestScorer *scorer = prepared;

    class_shares(scorer, slots, scorer->sums);
    return scorer->sums[scorer->rule.positive] - scorer->rule.threshold;
}

static uint32_t forest_width(const Model *model)
{
    return dictionary_size(model, DICTIONARY_CLASSES);
}

/* ---- explanations ---- */

/* Returns what a leaf adds to class k, or its number. */
static double leaf_value(const TreeScorer *trees, uint32_t tree, const TreeNode *leaf, uint32_t k, const void *context)
{
    const ForestScorer *forest = context;

    if (trees->classes == 0)
        return leaf->of.value;
    for (uint32_t i = trees->leaf_first[leaf->right]; i < trees->leaf_first[leaf->right + 1]; i++)
        if (trees->leaf_class[i] == k)
            return forest->leaf_share[i];
    return 0;
}

static double contributions(Env *env, const void *prepared, uint32_t e, const double *slots, double *parts)
{
    const ForestScorer *forest = prepared;
    uint32_t k = forest->trees->classes == 2 ? forest->rule.positive : e, count = forest->trees->trees;
    double base = 0;

    for (uint32_t t = 0; t < count; t++) {
        env->poll(env);
        base += tree_shapley_values(env, forest->trees, t, slots, k, leaf_value, forest, parts);
    }
    for (uint32_t s = 0; s < forest->trees->slots; s++)
        parts[s] /= count;
    return base / count;
}

static uint32_t forest_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    uint32_t classes = ((const ForestScorer *)prepared)->trees->classes;

    return tree_explain(env, model, prepared, slots, classes > 2 ? classes : 1, contributions, out);
}

const Scoring forest_class_scoring = {.prepare = forest_prepare,
                                      .classify = forest_classify,
                                      .probabilities = forest_probabilities,
                                      .decisions = forest_probabilities,
                                      .decision = forest_decision,
                                      .width = forest_width,
                                      .explain = forest_explain};
const Scoring forest_number_scoring = {.prepare = forest_prepare, .predict = forest_predict, .explain = forest_explain};

/* ---- SQL ---- */

typedef struct ForestSql {
    const ForestScorer *forest;
    uint32_t class;
} ForestSql;

static void put_leaf(TextBuffer *report, const TreeScorer *trees, const TreeNode *leaf, void *context)
{
    const ForestSql *sql = context;

    sql_number(report, leaf_value(trees, 0, leaf, sql->class, sql->forest));
}

/* Adds the mean over the trees of what their leaves add to a class. */
static void put_score(TextBuffer *report, void *context, uint32_t class)
{
    ForestSql *sql = context;

    sql->class = class;
    text_add(report, "(");
    for (uint32_t t = 0; t < sql->forest->trees->trees; t++) {
        text_add(report, t > 0 ? "\n + " : "");
        tree_sql(report, sql->forest->trees, t, put_leaf, sql);
    }
    text_print(report, ") / %u", sql->forest->trees->trees);
}

/* Adds the class of two where a NULL leaves a row without a score and a class, or where ties are not the negative class. */
static void put_pair(TextBuffer *report, ForestSql *sql, const Model *model)
{
    const ClassRule *rule = &sql->forest->rule;

    text_add(report, "CASE sign(");
    put_score(report, sql, rule->positive);
    text_add(report, " - ");
    sql_number(report, rule->threshold);
    text_add(report, ") WHEN 1 THEN ");
    sql_label(report, model, DICTIONARY_CLASSES, rule->positive);
    for (int sign = 0; sign >= -1; sign--) {
        text_print(report, " WHEN %d THEN ", sign);
        sql_label(report, model, DICTIONARY_CLASSES, class_rule_pick(rule, sign));
    }
    text_add(report, " END");
}

char *forest_to_sql(Env *env, const Model *model)
{
    size_t bytes = 0;
    ForestSql sql = {.forest = forest_prepare(env, model, &bytes)};
    const ClassRule *rule = &sql.forest->rule;
    TextBuffer report = {.env = env};

    if (sql.forest->trees->classes == 0)
        put_score(&report, &sql, 0);
    else if (sql.forest->trees->classes == 2 && (!model_nulls_are_values(model->flags) || rule->tie != TIE_NEGATIVE))
        put_pair(&report, &sql, model);
    else if (sql.forest->trees->classes == 2) {
        text_add(&report, "CASE WHEN ");
        put_score(&report, &sql, rule->positive);
        text_add(&report, " > ");
        sql_number(&report, rule->threshold);
        text_add(&report, " THEN ");
        sql_label(&report, model, DICTIONARY_CLASSES, rule->positive);
        text_add(&report, " ELSE ");
        sql_label(&report, model, DICTIONARY_CLASSES, 1 - rule->positive);
        text_add(&report, " END");
    } else
        sql_best_class(&report, model, put_score, &sql);
    return text_finish(&report, NULL);
}

char *forest_probability_sql(Env *env, const Model *model, uint32_t class)
{
    size_t bytes = 0;
    ForestSql sql = {.forest = forest_prepare(env, model, &bytes)};
    TextBuffer report = {.env = env};

    put_score(&report, &sql, class);
    return text_finish(&report, NULL);
}
