/*
 * tree_score.c - decodes the trees of a model for scoring, and finds the leaves of a row.
 */
#include "core/tree_value/tree_levels.h"
#include "core/tree_value/tree_model.h"

#include <math.h>
#include <string.h>

#define POLL_NODES 65536 /* between two polls */

/* Where decoding is in each array. */
typedef struct Decoder {
    Env *env;
    const Model *model;
    TreeScorer *scorer;
    TreeLevels levels;
    const ModelEntry *split, *threshold, *value;
    uint32_t node, splits, leaves, set;
    uint32_t *open; /* [deepest] splits whose right child is still to come */
} Decoder;

static int32_t code_of(const Decoder *decoder, uint32_t i)
{
    const void *data = model_data(decoder->model, decoder->split);
    uint8_t code;

    if (decoder->split->type != ARRAY_U8)
        return ((const int32_t *)data)[i];
    code = ((const uint8_t *)data)[i];
    return code == UINT8_MAX ? -1 : code;
}

static void decode_split(Decoder *decoder, TreeNode *node, uint32_t code)
{
    uint32_t slot = code / 2;

    node->split = slot << 2 | (code & 1 ? TREE_MISSING_LEFT : 0);
    if (decoder->levels.category[slot]) {
        node->split |= TREE_CATEGORY;
        node->of.category.set = decoder->set;
        decoder->set += tree_set_bytes(decoder->levels.count[slot]);
    } else {
        node->of.threshold = model_number(decoder->model, decoder->threshold, decoder->splits);
    }
    decoder->splits++;
}

/* Decodes one tree: after each leaf comes the right child of the last split that has none yet. */
static void decode_tree(Decoder *decoder, uint32_t count)
{
    TreeScorer *scorer = decoder->scorer;
    uint32_t open = 0;

    for (uint32_t end = decoder->node + count; decoder->node < end; decoder->node++) {
        TreeNode *node = &scorer->node[decoder->node];
        int32_t code = code_of(decoder, decoder->node);

        if (decoder->node % POLL_NODES == 0)
            decoder->env->poll(decoder->env);
        if (code >= 0) {
            decode_split(decoder, node, (uint32_t)code);
            decoder->open[open++] = decoder->node;
            continue;
        }
        node->split = TREE_LEAF;
        node->right = decoder->leaves;
        node->of.value = decoder->value != NULL ? model_number(decoder->model, decoder->value, decoder->leaves) : 0;
        decoder->leaves++;
        if (open > 0) {
            open--;
            scorer->node[decoder->open[open]].right = decoder->node + 1 - decoder->open[open];
        }
    }
}

/* Decodes the classes of the leaves, and sums their weights. */
static void decode_classes(Env *env, TreeScorer *scorer)
{
    const Model *model = scorer->model;
    const ModelEntry *counts = model_find(model, "leaf_classes"), *classes = model_find(model, "leaf_class"),
                     *weights = model_find(model, "leaf_weight");
    uint32_t at = 0;

    scorer->leaf_first = env_array_raw(env, (size_t)scorer->leaves + 1, sizeof(uint32_t));
    scorer->leaf_class = env_array_raw(env, (size_t)classes->rows + 1, sizeof(uint32_t));
    scorer->leaf_weight = env_array_raw(env, (size_t)classes->rows + 1, sizeof(double));
    for (uint32_t leaf = 0; leaf < scorer->leaves; leaf++) {
        uint32_t end = at + (uint32_t)model_number(model, counts, leaf);
        double sum = 0;

        scorer->leaf_first[leaf] = at;
        for (; at < end; at++) {
            scorer->leaf_class[at] = (uint32_t)model_number(model, classes, at);
            scorer->leaf_weight[at] = model_number(model, weights, at);
            sum += scorer->leaf_weight[at];
        }
        scorer->leaf_cover[leaf] = sum;
        if (leaf % POLL_NODES == 0)
            env->poll(env);
    }
    scorer->leaf_first[scorer->leaves] = at;
}

static void decode_covers(Env *env, TreeScorer *scorer)
{
    const ModelEntry *covers = model_find(scorer->model, "leaf_cover");

    for (uint32_t leaf = 0; leaf < scorer->leaves; leaf++) {
        scorer->leaf_cover[leaf] = model_number(scorer->model, covers, leaf);
        if (leaf % POLL_NODES == 0)
            env->poll(env);
    }
}

TreeScorer *tree_scorer(Env *env, const Model *model)
{
    const ModelEntry *trees = model_find(model, "tree_nodes"), *sets = model_find(model, "category_sets");
    const int32_t *counts = model_data(model, trees);
    TreeScorer *scorer = env_array(env, 1, sizeof(TreeScorer));
    Decoder decoder = {.env = env, .model = model, .scorer = scorer, .levels = tree_levels(env, model)};
    uint32_t most = 0;

    decoder.split = model_find(model, "split");
    decoder.threshold = model_find(model, "threshold");
    decoder.value = model_find(model, "leaf_value");
    scorer->model = model;
    scorer->trees = trees->rows;
    scorer->nodes = decoder.split->rows;
    scorer->leaves = (scorer->nodes + scorer->trees) / 2;
    scorer->slots = model->slot_count;
    scorer->classes = decoder.value == NULL ? dictionary_size(model, DICTIONARY_CLASSES) : 0;
    scorer->node = env_array_raw(env, scorer->nodes, sizeof(TreeNode));
    scorer->root = env_array_raw(env, (size_t)scorer->trees + 1, sizeof(uint32_t));
    scorer->leaf_cover = env_array_raw(env, scorer->leaves, sizeof(double));
    scorer->sets = sets != NULL ? model_data(model, sets) : NULL;
    scorer->first_level = decoder.levels.first;
    scorer->levels = decoder.levels.count;
    scorer->impurity = model_find(model, "impurity");
    scorer->threshold = decoder.threshold;
    for (uint32_t t = 0; t < scorer->trees; t++)
        most = (uint32_t)counts[t] > most ? (uint32_t)counts[t] : most;
    decoder.open = env_array_raw(env, (size_t)most / 2 + 1, sizeof(uint32_t));
    for (uint32_t t = 0; t < scorer->trees; t++) {
        scorer->root[t] = decoder.node;
        decode_tree(&decoder, (uint32_t)counts[t]);
    }
    scorer->root[scorer->trees] = decoder.node;
    env->release(env, decoder.open);
    if (decoder.value == NULL)
        decode_classes(env, scorer);
    else
        decode_covers(env, scorer);
    return scorer;
}

void *tree_prepare(Env *env, const Model *model, size_t *bytes)
{
    TreeScorer *scorer = tree_scorer(env, model);

    *bytes = sizeof(TreeScorer) + (size_t)scorer->nodes * sizeof(TreeNode) + (size_t)scorer->leaves * 16;
    if (scorer->leaf_first != NULL)
        *bytes += (size_t)scorer->leaf_first[scorer->leaves] * 12;
    return scorer;
}

void tree_add_shares(const TreeScorer *scorer, const TreeNode *leaf, double smoothing, double factor, double *out)
{
    uint32_t number = leaf->right;
    double total = scorer->leaf_cover[number] + smoothing * scorer->classes;

    if (smoothing > 0)
        for (uint32_t k = 0; k < scorer->classes; k++)
            out[k] += factor * (smoothing / total);
    for (uint32_t i = scorer->leaf_first[number]; i < scorer->leaf_first[number + 1]; i++)
        out[scorer->leaf_class[i]] += factor * (scorer->leaf_weight[i] / total);
}
