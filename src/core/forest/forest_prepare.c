/*
 * forest_prepare.c - makes a forest ready for scoring: decodes and lays out its trees, and computes what each leaf adds.
 */
#include "core/forest/forest_model.h"

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
