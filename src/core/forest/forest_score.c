/*
 * forest_score.c - scores of forests: means of the trees' predictions, or shares of their votes, in the order of the trees.
 */
#include "core/forest/forest_model.h"

#include <math.h>
#include <string.h>

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
