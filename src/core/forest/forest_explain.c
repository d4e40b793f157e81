/*
 * forest_explain.c - what moved a forest's score: exact Shapley values of every tree (Lundberg et al. 2020), and forests as SQL.
 */
#include "core/estimator/explanation.h"
#include "core/model/report_text.h"
#include "core/forest/forest_model.h"

#include <string.h>

/* Returns what a leaf adds to class k, or its number. */
static double leaf_value(const TreeScorer *trees, uint32_t tree, const TreeNode *leaf, uint32_t k, const void *context)
{
    const ForestScorer *forest = context;

    (void)tree;
    if (trees->classes == 0)
        return leaf->of.value;
    for (uint32_t i = trees->leaf_first[leaf->right]; i < trees->leaf_first[leaf->right + 1]; i++)
        if (trees->leaf_class[i] == k)
            return forest->leaf_share[i];
    return 0;
}

uint32_t forest_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    const ForestScorer *forest = prepared;
    uint32_t classes = forest->trees->classes, equations = classes > 2 ? classes : 1, count = forest->trees->trees;
    ExplanationList list = explanation_list(env, model, slots, equations);
    double *parts = env_array(env, (size_t)model->slot_count + 1, sizeof(double));
    ClassSet set = {0};

    if (equations > 1)
        set = class_set(env, model);
    for (uint32_t e = 0; e < equations; e++) {
        uint32_t k = classes == 2 ? forest->rule.positive : e;
        double base = 0;

        memset(parts, 0, model->slot_count * sizeof(double));
        for (uint32_t t = 0; t < count; t++) {
            env->poll(env);
            base += tree_shapley_values(env, forest->trees, t, slots, k, leaf_value, forest, parts);
        }
        explanation_base(&list, equations > 1 ? class_label(&set, e) : NULL, base / count);
        for (uint32_t s = 0; s < model->slot_count; s++)
            explanation_slot(&list, s, parts[s] / count);
    }
    *out = list.lines;
    return list.count;
}

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

static void put_label(TextBuffer *report, const Model *model, uint32_t class)
{
    uint32_t length;
    const char *label;

    if (class == CLASS_NONE) {
        text_add(report, "NULL");
        return;
    }
    label = dictionary_text(model, DICTIONARY_CLASSES, class, &length);
    sql_literal(report, label, length);
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
    put_label(report, model, rule->positive);
    for (int sign = 0; sign >= -1; sign--) {
        text_print(report, " WHEN %d THEN ", sign);
        put_label(report, model, class_rule_pick(rule, sign));
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
        put_label(&report, model, rule->positive);
        text_add(&report, " ELSE ");
        put_label(&report, model, 1 - rule->positive);
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
