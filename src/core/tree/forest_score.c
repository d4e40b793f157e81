/*
 * forest_score.c - scores of forests: means of the trees' predictions, or shares of their votes, in the order of the trees.
 */
#include "core/tree/forest_model.h"
#include "core/tree/forest_walk.h"

#include <math.h>
#include <string.h>

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
    uint32_t leaf = 0;

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
    scorer->leaf_number = env_array_raw(env, scorer->trees->leaves, sizeof(double));
    *bytes += scorer->trees->leaves * sizeof(double);
    for (uint32_t i = 0; i < scorer->trees->nodes; i++)
        if (scorer->trees->node[i].split == TREE_LEAF)
            scorer->leaf_number[leaf++] = scorer->trees->node[i].of.value;
    return scorer;
}

/* Finds the leaves of a row in up to WALK_TOGETHER trees from `first` on; returns how many trees. */
static inline uint32_t next_leaves(const ForestScorer *scorer, bool walks, const double *slots, uint32_t first,
                                   uint32_t leaves[WALK_TOGETHER])
{
    const TreeScorer *trees = scorer->trees;
    const TreeNode *found[TREE_TOGETHER];
    uint32_t count = trees->trees - first, together = walks ? WALK_TOGETHER : TREE_TOGETHER;

    count = count < together ? count : together;
    if (walks) {
        forest_walk_leaves(scorer->walk, first, count, leaves);
        return count;
    }
    tree_find_leaves(trees, first, count, slots, found);
    for (uint32_t t = 0; t < count; t++)
        leaves[t] = found[t]->right;
    return count;
}

/* Returns the mean over the trees of the numbers of the leaves. */
static double mean_number(const ForestScorer *scorer, const double *slots)
{
    bool walks = scorer->walk != NULL && forest_walk_row(scorer->walk, slots);
    uint32_t leaves[WALK_TOGETHER], count;
    double sum = 0;

    for (uint32_t first = 0; first < scorer->trees->trees; first += count) {
        count = next_leaves(scorer, walks, slots, first, leaves);
        for (uint32_t t = 0; t < count; t++)
            sum += scorer->leaf_number[leaves[t]];
    }
    return sum / scorer->trees->trees;
}

static void class_shares(const ForestScorer *scorer, const double *slots, double *out)
{
    const TreeScorer *trees = scorer->trees;
    uint32_t leaves[WALK_TOGETHER], count;
    bool walks;

    if (scorer->leaf_number != NULL) {
        out[1] = mean_number(scorer, slots);
        out[0] = 1 - out[1];
        return;
    }
    walks = scorer->walk != NULL && forest_walk_row(scorer->walk, slots);
    memset(out, 0, trees->classes * sizeof(double));
    for (uint32_t first = 0; first < trees->trees; first += count) {
        count = next_leaves(scorer, walks, slots, first, leaves);
        for (uint32_t t = 0; t < count; t++)
            for (uint32_t i = trees->leaf_first[leaves[t]]; i < trees->leaf_first[leaves[t] + 1]; i++)
                out[trees->leaf_class[i]] += scorer->leaf_share[i];
    }
    for (uint32_t k = 0; k < trees->classes; k++)
        out[k] /= trees->trees;
}

static double forest_predict(const Model *model, const void *prepared, const double *slots)
{
    (void)model;
    return mean_number(prepared, slots);
}

static void forest_probabilities(const Model *model, const void *prepared, const double *slots, double *out)
{
    (void)model;
    class_shares(prepared, slots, out);
}

static uint32_t forest_classify(const Model *model, const void *prepared, const double *slots)
{
    const ForestScorer *scorer = prepared;
    uint32_t best = 0;

    (void)model;
    class_shares(scorer, slots, scorer->sums);
    if (scorer->trees->classes == 2)
        return class_rule_pick(&scorer->rule, scorer->sums[scorer->rule.positive] - scorer->rule.threshold);
    for (uint32_t k = 1; k < scorer->trees->classes; k++)
        if (scorer->sums[k] > scorer->sums[best])
            best = k;
    return best;
}

/* How far the positive class of two is above the threshold; of more classes, the probabilities. */
static void forest_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    (void)model;
    class_shares(prepared, slots, out);
}

static double forest_decision(const Model *model, const void *prepared, const double *slots)
{
    const ForestScorer *scorer = prepared;

    (void)model;
    class_shares(scorer, slots, scorer->sums);
    return scorer->sums[scorer->rule.positive] - scorer->rule.threshold;
}

static uint32_t forest_width(const Model *model)
{
    return dictionary_size(model, DICTIONARY_CLASSES);
}

const Scoring forest_class_scoring = {.prepare = forest_prepare,
                                      .classify = forest_classify,
                                      .probabilities = forest_probabilities,
                                      .decisions = forest_decisions,
                                      .decision = forest_decision,
                                      .width = forest_width,
                                      .explain = forest_explain};
const Scoring forest_number_scoring = {.prepare = forest_prepare, .predict = forest_predict, .explain = forest_explain};
