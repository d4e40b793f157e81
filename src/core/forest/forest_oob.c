/*
 * forest_oob.c - out-of-bag errors and permutation importance.
 */
#include "core/forest/forest_oob.h"
#include "core/base/random.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 4096

size_t forest_oob_room(uint32_t classes, bool permutation)
{
    return (classes > 0 ? classes : 1) * sizeof(double) + 3 * sizeof(uint32_t) + (permutation ? sizeof(uint32_t) : 0);
}

ForestOob *forest_oob(Env *env, const TreeColumns *columns, const double *weights, bool hard)
{
    ForestOob *oob = env_array(env, 1, sizeof(ForestOob));
    size_t rows = columns->rows;

    oob->env = env;
    oob->columns = columns;
    oob->weights = weights;
    oob->hard = hard;
    oob->classes = columns->class_count;
    oob->votes = env_array(env, rows * (oob->classes > 0 ? oob->classes : 1), sizeof(double));
    oob->trees = env_array(env, rows, sizeof(uint32_t));
    oob->class_now = env_array(env, rows, sizeof(uint32_t));
    oob->rows = env_array_raw(env, rows, sizeof(uint32_t));
    oob->error = NAN;
    return oob;
}

/* Returns the leaf of a row that has the value of another row in feature `slot`. */
static const GrownNode *find_leaf(const ForestOob *oob, const GrownTree *tree, uint32_t row, uint32_t slot, uint32_t other)
{
    const GrownNode *node = tree->nodes;

    while (node->left != TREE_NONE) {
        bool left = tree_row_left(oob->columns, tree, node, node->slot == slot ? other : row);

        node = tree->nodes + (left ? node->left : node->right);
    }
    return node;
}

/* Lists the rows outside the sample. */
static uint32_t list_rows(ForestOob *oob, const uint32_t *counts)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < oob->columns->rows; i++) {
        oob->rows[count] = i;
        count += counts[i] == 0;
    }
    return count;
}

static uint32_t strongest(const GrownTree *tree, const GrownNode *leaf)
{
    uint32_t best = leaf->first_class;

    for (uint32_t i = best + 1; i < leaf->first_class + leaf->classes; i++)
        if (tree->class_weight[i] > tree->class_weight[best])
            best = i;
    return tree->class_of[best];
}

static void add_class_vote(ForestOob *oob, const GrownTree *tree, const GrownNode *leaf, uint32_t row)
{
    double *votes = oob->votes + (size_t)row * oob->classes, weight = row_weight(oob->weights, row);
    uint32_t label = oob->columns->classes[row], best = 0;
    double cover = 0; /* added up as scoring does it */

    for (uint32_t i = leaf->first_class; i < leaf->first_class + leaf->classes; i++)
        cover += tree->class_weight[i];
    if (oob->hard)
        votes[strongest(tree, leaf)] += 1;
    else
        for (uint32_t i = leaf->first_class; i < leaf->first_class + leaf->classes; i++)
            votes[tree->class_of[i]] += tree->class_weight[i] / cover;
    if (oob->trees[row]++ == 0) {
        oob->weight += weight;
        oob->counted++;
    } else if (oob->class_now[row] != label)
        oob->wrong -= weight;
    for (uint32_t k = 1; k < oob->classes; k++)
        if (votes[k] > votes[best])
            best = k;
    oob->class_now[row] = best;
    if (best != label)
        oob->wrong += weight;
}

/* Computes the mean squared error anew: sums that change row by row would collect rounding errors. */
static void number_error(ForestOob *oob)
{
    double sum = 0, weight = 0;

    oob->counted = 0;
    for (uint32_t i = 0; i < oob->columns->rows; i++) {
        double off, own = row_weight(oob->weights, i);

        if (oob->trees[i] == 0)
            continue;
        off = oob->votes[i] / oob->trees[i] - oob->columns->targets[i];
        sum += own * off * off;
        weight += own;
        oob->counted++;
    }
    oob->error = weight > 0 ? sum / weight : NAN;
}

void forest_oob_add(ForestOob *oob, const GrownTree *tree, const uint32_t *counts)
{
    uint32_t count = list_rows(oob, counts);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = oob->rows[i];
        const GrownNode *leaf = tree_row_leaf(oob->columns, tree, row);

        if (i % POLL_ROWS == 0)
            oob->env->poll(oob->env);
        if (oob->classes > 0) {
            add_class_vote(oob, tree, leaf, row);
            continue;
        }
        oob->votes[row] += leaf->value;
        oob->trees[row]++;
    }
    if (oob->classes == 0)
        number_error(oob);
    else
        oob->error = oob->weight > 0 ? (oob->wrong > 0 ? oob->wrong : 0) / oob->weight : NAN;
}

static double row_loss(const ForestOob *oob, const GrownTree *tree, const GrownNode *leaf, uint32_t row)
{
    double off, weight = row_weight(oob->weights, row);

    if (oob->classes > 0)
        return strongest(tree, leaf) != oob->columns->classes[row] ? weight : 0;
    off = leaf->value - oob->columns->targets[row];
    return weight * off * off;
}

void forest_oob_permute(ForestOob *oob, const GrownTree *tree, const uint32_t *counts, uint64_t seed, double *out)
{
    Env *env = oob->env;
    uint32_t count = list_rows(oob, counts), *shuffled;
    uint8_t *used = env_array(env, (size_t)oob->columns->slots + 1, 1);
    double before = 0, weight = 0;

    if (oob->shuffled == NULL)
        oob->shuffled = env_array_raw(env, oob->columns->rows, sizeof(uint32_t));
    shuffled = oob->shuffled;
    for (uint32_t n = 0; n < tree->count; n++)
        if (tree->nodes[n].left != TREE_NONE)
            used[tree->nodes[n].slot] = 1;
    for (uint32_t i = 0; i < count; i++) {
        before += row_loss(oob, tree, tree_row_leaf(oob->columns, tree, oob->rows[i]), oob->rows[i]);
        weight += row_weight(oob->weights, oob->rows[i]);
    }
    for (uint32_t slot = 0; slot < oob->columns->slots && weight > 0; slot++) {
        double after = 0;

        if (!used[slot])
            continue;
        memcpy(shuffled, oob->rows, count * sizeof(uint32_t));
        for (uint32_t i = count; i > 1; i--) {
            uint32_t j = (uint32_t)((random_bits(&seed) >> 32) * i >> 32), swap = shuffled[i - 1];

            shuffled[i - 1] = shuffled[j];
            shuffled[j] = swap;
        }
        for (uint32_t i = 0; i < count; i++) {
            after += row_loss(oob, tree, find_leaf(oob, tree, oob->rows[i], slot, shuffled[i]), oob->rows[i]);
            if (i % POLL_ROWS == 0)
                env->poll(env);
        }
        out[slot] += (after - before) / weight;
    }
    env->release(env, used);
}
