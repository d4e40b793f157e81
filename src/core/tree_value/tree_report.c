/*
 * tree_report.c - trees as text: rules for people, CASE expressions for SQL.
 */
#include "core/tree_value/tree_levels.h"
#include "core/tree_value/tree_model.h"
#include "core/model/report_text.h"

#include <math.h>
#include <string.h>

#define LEVELS_SHOWN 12 /* of a category in a rule */
#define LABEL_SHOWN 60  /* bytes of a level or label in a rule */
#define RULES_SUMMARY 62 /* nodes that a summary prints */

bool tree_has(const Model *model)
{
    return model->kind == MODEL_FITTED && model_find(model, "tree_nodes") != NULL && model_find(model, "split") != NULL;
}

/* ---- rules ---- */

static void put_name(TextBuffer *report, const char *text, uint32_t length)
{
    uint32_t shown = length <= LABEL_SHOWN ? length : (uint32_t)bytes_cut(text, length, LABEL_SHOWN);

    text_bytes(report, text, shown);
    if (shown < length)
        text_add(report, "...");
}

/* Tells whether a level of the field, counted from its first, is in the set of a split. */
static bool in_set(const TreeScorer *scorer, const TreeNode *node, uint32_t level)
{
    return scorer->sets[node->of.category.set + level / 8] >> level % 8 & 1;
}

/* Adds "a, b, c" of the levels on one side of a split. */
static void put_levels(TextBuffer *report, const TreeScorer *scorer, const TreeNode *node, bool left)
{
    uint32_t slot = node->split >> 2, shown = 0, more = 0;

    for (uint32_t level = 0; level < scorer->levels[slot]; level++) {
        uint32_t length;
        const char *text;

        if (in_set(scorer, node, level) != left)
            continue;
        if (shown == LEVELS_SHOWN) {
            more++;
            continue;
        }
        text = dictionary_text(scorer->model, DICTIONARY_LEVELS, scorer->first_level[slot] + level, &length);
        text_add(report, shown++ > 0 ? ", " : "");
        put_name(report, text, length);
    }
    if (more > 0)
        text_print(report, " and %u more", more);
}

/* Adds the condition under which rows go to one side: "carat <= 1.5 or NULL". */
static void put_condition(TextBuffer *report, const TreeScorer *scorer, const TreeNode *node, bool left)
{
    uint32_t slot = node->split >> 2;
    char name[SCHEMA_NAME_SIZE];
    bool missing = ((node->split & TREE_MISSING_LEFT) != 0) == left;

    schema_slot_name(scorer->model, slot, name, sizeof name);
    text_add(report, name);
    if (node->split & TREE_CATEGORY) {
        TextBuffer levels = {.env = report->env};

        put_levels(&levels, scorer, node, left);
        if (levels.length == 0) {
            text_add(report, " IS NULL");
            return;
        }
        text_print(report, " in (%s)", levels.text);
    } else if (isinf(node->of.threshold)) {
        bool all = (node->of.threshold > 0) == left;

        text_add(report, all ? " IS NOT NULL" : " IS NULL");
        return;
    } else {
        text_add(report, left ? " <= " : " > ");
        text_print(report, "%.6g", node->of.threshold);
    }
    if (missing && model_nulls_are_values(scorer->model->flags))
        text_add(report, " or NULL");
}

/* Adds what a leaf predicts: ": setosa, 38 of 40" or ": 152.3 (12)". */
static void put_leaf(TextBuffer *report, const TreeScorer *scorer, const TreeNode *leaf)
{
    uint32_t best, number = leaf->right;
    uint32_t length;
    const char *label;

    if (scorer->classes == 0) {
        text_print(report, ": %.6g (%.6g)", leaf->of.value, scorer->leaf_cover[number]);
        return;
    }
    best = scorer->leaf_first[number];
    for (uint32_t i = best + 1; i < scorer->leaf_first[number + 1]; i++)
        if (scorer->leaf_weight[i] > scorer->leaf_weight[best])
            best = i;
    label = dictionary_text(scorer->model, DICTIONARY_CLASSES, scorer->leaf_class[best], &length);
    text_add(report, ": ");
    put_name(report, label, length);
    if (scorer->leaf_weight[best] == scorer->leaf_cover[number])
        text_print(report, " (%.6g)", scorer->leaf_cover[number]);
    else
        text_print(report, " (%.6g of %.6g)", scorer->leaf_weight[best], scorer->leaf_cover[number]);
}

/* A child that is still to be printed. */
typedef struct Line {
    uint32_t node, parent, depth;
} Line;

/* Prints one tree, at most `most` nodes. Every split is printed as two lines, each before its subtree. */
static void put_tree(TextBuffer *report, const TreeScorer *scorer, uint32_t tree, uint32_t indent, uint32_t most)
{
    const TreeNode *first = scorer->node + scorer->root[tree];
    uint32_t count = scorer->root[tree + 1] - scorer->root[tree], top = 0, printed = 0;
    Line *stack = env_array_raw(report->env, (size_t)count + 2, sizeof(Line));

    if (first->split == TREE_LEAF) {
        text_print(report, "%*s(all rows)", (int)indent, "");
        put_leaf(report, scorer, first);
        text_add(report, "\n");
        return;
    }
    stack[top++] = (Line){first->right, 0, 0};
    stack[top++] = (Line){1, 0, 0};
    while (top > 0) {
        Line line = stack[--top];
        const TreeNode *node = first + line.node;

        if (printed++ == most) {
            text_print(report, "%*s... %u nodes in all: see tree_rules\n", (int)indent, "", count);
            break;
        }
        text_print(report, "%*s", (int)(indent + 2 * line.depth), "");
        put_condition(report, scorer, first + line.parent, line.node == line.parent + 1);
        if (node->split == TREE_LEAF) {
            put_leaf(report, scorer, node);
        } else {
            stack[top++] = (Line){line.node + node->right, line.node, line.depth + 1};
            stack[top++] = (Line){line.node + 1, line.node, line.depth + 1};
        }
        text_add(report, "\n");
        report->env->poll(report->env); /* a line may be long: indented by thousands of levels, or full of names */
    }
    report->env->release(report->env, stack);
}

/* Returns the text without its last line feed, which psql adds. */
static char *finish(TextBuffer *report)
{
    if (report->length > 0)
        report->text[--report->length] = '\0';
    return text_finish(report, NULL);
}

char *tree_rules(Env *env, const Model *model)
{
    const TreeScorer *scorer = tree_scorer(env, model);
    TextBuffer report = {.env = env};

    for (uint32_t t = 0; t < scorer->trees; t++) {
        if (scorer->trees > 1)
            text_print(&report, "%stree %u\n", t > 0 ? "\n" : "", t + 1);
        put_tree(&report, scorer, t, scorer->trees > 1 ? 2 : 0, UINT32_MAX);
    }
    return finish(&report);
}

/* ---- summary ---- */

static void put_importance(TextBuffer *report, const Model *model)
{
    double *importance = tree_importance(report->env, model);
    char name[SCHEMA_NAME_SIZE];

    if (importance == NULL)
        return;
    text_add(report, "importance:");
    for (int shown = 0; shown < 8; shown++) {
        uint32_t best = 0;

        for (uint32_t s = 1; s < model->slot_count; s++)
            best = importance[s] > importance[best] ? s : best;
        if (!(importance[best] > 0))
            break;
        schema_slot_name(model, best, name, sizeof name);
        text_print(report, "%s %s %.3f", shown > 0 ? "," : "", name, importance[best]);
        importance[best] = 0;
    }
    text_add(report, "\n");
}

/* Adds "classes: no, yes", at most a dozen. */
static void put_classes(TextBuffer *report, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    for (uint32_t k = 0; k < classes && k < LEVELS_SHOWN; k++) {
        uint32_t length;
        const char *text = dictionary_text(model, DICTIONARY_CLASSES, k, &length);

        text_add(report, k > 0 ? ", " : "classes: ");
        put_name(report, text, length);
    }
    if (classes > LEVELS_SHOWN)
        text_print(report, " and %u more", classes - LEVELS_SHOWN);
    text_add(report, classes > 0 ? "\n" : "");
}

char *tree_summary(Env *env, const Model *model)
{
    const TreeScorer *scorer = tree_scorer(env, model);
    TextBuffer report = {.env = env};

    text_print(&report, "%.31s: ", model->estimator);
    report_formula(&report, model, true);
    put_classes(&report, model);
    report_rows(&report, model);
    text_print(&report, "leaves: %.0f, depth: %.0f", model_fact(model, "leaves", scorer->leaves),
               model_fact(model, "depth", 0));
    if (model_find(model, "leaves_before_pruning") != NULL)
        text_print(&report, ", leaves before pruning: %.0f", model_fact(model, "leaves_before_pruning", 0));
    text_add(&report, "\n");
    put_importance(&report, model);
    text_add(&report, "\n");
    put_tree(&report, scorer, 0, 0, RULES_SUMMARY);
    return finish(&report);
}

/* ---- SQL ---- */

/* Adds the levels on one side of a split as literals. Returns how many. */
static uint32_t put_literals(TextBuffer *report, const TreeScorer *scorer, const TreeNode *node, bool left)
{
    uint32_t slot = node->split >> 2, count = 0;

    for (uint32_t level = 0; level < scorer->levels[slot]; level++) {
        if (in_set(scorer, node, level) != left)
            continue;
        text_add(report, count++ > 0 ? ", " : "");
        sql_label(report, scorer->model, DICTIONARY_LEVELS, scorer->first_level[slot] + level);
    }
    return count;
}

/* Adds the condition of the left child, true or not: unknown levels and NULL go where missing values go. */
static void put_sql_condition(TextBuffer *report, const TreeScorer *scorer, const TreeNode *node)
{
    uint32_t slot = node->split >> 2;
    bool missing_left = node->split & TREE_MISSING_LEFT;

    if (node->split & TREE_CATEGORY) {
        TextBuffer list = {.env = report->env};
        uint32_t count = put_literals(&list, scorer, node, !missing_left);

        if (count == 0) {
            text_add(report, missing_left ? "true" : "false");
            return;
        }
        if (missing_left) {
            sql_column(report, scorer->model, slot);
            text_add(report, " IS NULL OR ");
        }
        sql_category(report, scorer->model, slot);
        text_print(report, " %s (%s)", missing_left ? "NOT IN" : "IN", list.text);
        return;
    }
    if (isinf(node->of.threshold)) {
        bool all = node->of.threshold > 0;

        if (all && missing_left) {
            text_add(report, "true");
        } else if (!all && !missing_left) {
            text_add(report, "false");
        } else {
            sql_column(report, scorer->model, slot);
            text_add(report, all ? " IS NOT NULL" : " IS NULL");
        }
        return;
    }
    if (missing_left) {
        sql_column(report, scorer->model, slot);
        text_add(report, " IS NULL OR ");
    }
    sql_value(report, scorer->model, slot);
    text_add(report, " <= ");
    sql_number(report, node->of.threshold);
}

/* Adds a WHEN that makes rows with a NULL have no score, where NULLs are not values. */
static void put_null_guard(TextBuffer *report, const Model *model)
{
    text_add(report, "CASE WHEN ");
    for (uint32_t s = 0; s < model->slot_count; s++) {
        text_add(report, s > 0 ? " OR " : "");
        sql_column(report, model, s);
        text_add(report, " IS NULL");
    }
    text_add(report, " THEN NULL ELSE ");
}

void tree_sql(TextBuffer *report, const TreeScorer *scorer, uint32_t tree,
              void (*put)(TextBuffer *report, const TreeScorer *scorer, const TreeNode *leaf, void *context),
              void *context)
{
    uint32_t count = scorer->root[tree + 1] - scorer->root[tree], open = 0;
    const TreeNode *first = scorer->node + scorer->root[tree];
    uint8_t *side = env_array(report->env, (size_t)count + 1, 1); /* of each open split: 1 once its left child is written */
    bool guard = !model_nulls_are_values(scorer->model->flags);

    if (guard)
        put_null_guard(report, scorer->model);
    for (uint32_t i = 0; i < count; i++) {
        if (first[i].split != TREE_LEAF) {
            text_add(report, "CASE WHEN ");
            put_sql_condition(report, scorer, &first[i]);
            text_add(report, "\n THEN ");
            side[open++] = 0;
        } else {
            put(report, scorer, &first[i], context);
            while (open > 0 && side[open - 1] == 1) {
                text_add(report, " END");
                open--;
            }
            if (open > 0) {
                text_add(report, "\n ELSE ");
                side[open - 1] = 1;
            }
        }
        report->env->poll(report->env); /* a condition may list thousands of levels */
    }
    if (guard)
        text_add(report, " END");
    report->env->release(report->env, side);
}
