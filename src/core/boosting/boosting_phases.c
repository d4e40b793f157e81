/*
 * boosting_phases.c - gradients, scores and weights of leaves, in blocks.
 *
 * Blocks of rows have a fixed size, and sums of floating-point numbers are added up in the order of the blocks: the bits are the same for any number
 * of processes. A block of scores stays in the cache while all leaves add to it.
 */
#include "core/boosting/boosting_phases.h"
#include "core/math/carried_sum.h"

#include <math.h>
#include <string.h>

#define BLOCK_ROWS 16384u
#define BOOST_LEAVES 1024u /* more leaves add to the scores one after the other */
#define BOOST_NODES (2 * BOOST_LEAVES)
#define BOOST_SETS 65536u /* bytes of the sets of levels of a tree that several processes walk */

enum { BOOST_BEGIN = NODE_PHASES, BOOST_SLOPES, BOOST_ROUND, BOOST_ADD, BOOST_WEIGH };

static uint32_t block_count(const BoostWork *work)
{
    return work->rows->count / BLOCK_ROWS + (work->rows->count % BLOCK_ROWS > 0);
}

void boosting_work(Env *env, BoostWork *work)
{
    work->env = env;
    work->loss = boosting_loss_number(work->rows->loss);
    work->task = env_array(env, 1, sizeof(BoostTask));
    work->leaves = env_array(env, BOOST_LEAVES, sizeof(BoostLeaf));
    work->steepness = env_array(env, block_count(work), sizeof(Steepness));
}

bool boosting_work_pays(const BoostWork *work)
{
    return tree_columns_in_memory(work->columns) && work->rows->count >= 2 * TEAM_ROWS;
}

/* ---- several processes ---- */

static void pack(Pack *pack, void *data)
{
    BoostWork *work = data;

    pack_value(pack, work, sizeof *work);
    work->env = pack->env;
    work->team = pack->mode == PACK_OPEN ? NULL : work->team;
    if (pack->mode == PACK_OPEN) {
        work->columns = env_array(pack->env, 1, sizeof(TreeColumns));
        work->rows = env_array(pack->env, 1, sizeof(BoostRows));
    }
    tree_columns_pack(pack, work->columns);
    pack_value(pack, work->rows, sizeof *work->rows);
    if (pack->mode == PACK_OPEN) {
        work->rows->loss = boosting_loss_numbered(work->loss);
        work->rows->labels = work->columns->classes;
        work->rows->targets = work->columns->targets;
        work->nodes.binned = work->columns->binned;
    }
    pack_array(pack, &work->rows->weights, work->rows->count, sizeof(double));
    pack_array(pack, &work->sizes, work->rows->count, sizeof(uint32_t));
}

static void share(Pack *pack, void *data, uint32_t processes)
{
    BoostWork *work = data;
    BoostRows *rows = work->rows;

    pack_array(pack, &rows->scores, (size_t)rows->outputs * rows->count, sizeof(double));
    if (rows->loss->begin != NULL)
        pack_array(pack, &rows->room, rows->count, rows->loss->room[rows->weights != NULL]);
    pack_array(pack, &work->gradients, rows->count, sizeof(FloatRow));
    pack_array(pack, &work->drawn, rows->count, 1);
    pack_array(pack, &work->task, 1, sizeof(BoostTask));
    pack_array(pack, &work->leaves, BOOST_LEAVES, sizeof(BoostLeaf));
    pack_array(pack, &work->steepness, block_count(work), sizeof(Steepness));
    node_team_share(pack, &work->nodes, processes);
    pack_zeros(pack, &work->tree.nodes, BOOST_NODES, sizeof(GrownNode));
    pack_zeros(pack, &work->tree.sets, BOOST_SETS, 1);
    if (pack->mode != PACK_OPEN)
        return;
    work->nodes.rows = &work->gradients->whole;
    work->nodes.sizes = work->sizes;
}

/* Returns the first place of an ascending list with at least this row. */
static uint32_t find_row(const uint32_t *list, uint32_t count, uint32_t row)
{
    uint32_t first = 0;

    while (count > 0) {
        uint32_t half = count / 2;

        if (list[first + half] < row) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* Adds what the leaves add to the scores of rows from start up to end. */
static void add_block(BoostWork *work, uint32_t start, uint32_t end)
{
    const BoostTask *task = work->task;
    double *scores = work->rows->scores + (size_t)task->output * work->rows->count;

    for (uint32_t l = 0; l < task->leaves; l++) {
        const BoostLeaf *leaf = &work->leaves[l];
        const uint32_t *list = work->nodes.order + leaf->first;

        for (uint32_t i = find_row(list, leaf->count, start); i < leaf->count && list[i] < end; i++)
            scores[list[i]] += leaf->value;
    }
    for (uint32_t row = start; task->walks && row < end; row++)
        if (!work->drawn[row])
            scores[row] += tree_row_leaf(work->columns, &work->tree, row)->value;
}

/* Sums the weights of a leaf. */
static void weigh_leaf(BoostWork *work, BoostLeaf *leaf)
{
    const uint32_t *list = work->nodes.order + leaf->first;
    CarriedSum sum = {0, 0};

    for (uint32_t i = 0; i < leaf->count; i++) {
        env_poll_rows(work->env, i);
        carried_add(&sum, work->rows->weights[list[i]]);
    }
    leaf->weight = carried_value(&sum);
}

/* Rounds to the nearest integer, for numbers below 2^51 in size, in a way that loops over it can be vectorized. */
static inline int64_t nearest(double value)
{
    double shifted = value + 0x1.8p52;
    int64_t bits;

    memcpy(&bits, &shifted, sizeof(bits));
    return bits - 0x4338000000000000;
}

static void round_block(FloatRow *rows, uint32_t start, uint32_t end, double per_gradient, double per_hessian)
{
    for (uint32_t row = start; row < end; row++) {
        int64_t g = nearest(rows[row].real.gradient * per_gradient), h = nearest(rows[row].real.hessian * per_hessian);

        rows[row].whole = (HistogramRow){.gradient = (int32_t)g, .hessian = (uint32_t)h};
    }
}

/* A TeamKind.run. */
static void run_block(void *data, uint32_t process, uint32_t phase, uint32_t block)
{
    BoostWork *work = data;
    const BoostTask *task = work->task;
    uint32_t start = block * BLOCK_ROWS, end = work->rows->count - start < BLOCK_ROWS ? work->rows->count : start + BLOCK_ROWS;

    work->env->poll(work->env);
    switch (phase) {
    case BOOST_BEGIN:
        work->rows->loss->begin(work->env, work->rows, start, end);
        break;
    case BOOST_SLOPES:
        work->steepness[block] = (Steepness){0, 0, 0};
        work->rows->loss->slopes(work->rows, task->output, start, end, work->gradients, &work->steepness[block]);
        break;
    case BOOST_ROUND:
        round_block(work->gradients, start, end, task->per_gradient, task->per_hessian);
        break;
    case BOOST_ADD:
        add_block(work, start, end);
        break;
    case BOOST_WEIGH:
        weigh_leaf(work, &work->leaves[block]);
        break;
    default:
        node_team_run(&work->nodes, process, phase, block);
    }
}

const TeamKind boosting_kind = {.name = "trees one after another", .data_size = sizeof(BoostWork), .pack = pack, .share = share, .run = run_block};

/* ---- the process of the fit ---- */

static void run_phase(BoostWork *work, uint32_t phase, uint32_t blocks)
{
    team_run(work->team, &boosting_kind, work, phase, blocks);
}

Steepness boosting_slopes(BoostWork *work, uint32_t output)
{
    Steepness all = {0, 0, 0};

    if (output == 0 && work->rows->loss->begin != NULL)
        run_phase(work, BOOST_BEGIN, block_count(work));
    work->task->output = output;
    run_phase(work, BOOST_SLOPES, block_count(work));
    for (uint32_t b = 0; b < block_count(work); b++) {
        all.gradient = fmax(all.gradient, work->steepness[b].gradient);
        all.hessian = fmax(all.hessian, work->steepness[b].hessian);
        all.hessians += work->steepness[b].hessians;
    }
    return all;
}

void boosting_round(BoostWork *work, const HistogramScale *scale)
{
    work->task->per_gradient = 1 / scale->gradient;
    work->task->per_hessian = 1 / scale->hessian;
    run_phase(work, BOOST_ROUND, block_count(work));
}

/* Lists leaves from a node on, as many as there is room for. Returns the node after the last one that was looked at. */
static uint32_t list_leaves(BoostWork *work, const GrownTree *tree, uint32_t node)
{
    work->task->leaves = 0;
    for (; node < tree->count && work->task->leaves < BOOST_LEAVES; node++)
        if (tree->nodes[node].left == TREE_NONE)
            work->leaves[work->task->leaves++] = (BoostLeaf){tree->nodes[node].first_row, tree->nodes[node].rows, tree->nodes[node].value, 0};
    return node;
}

/* Adds the leaves of a tree one after the other. */
static void add_leaves(const BoostWork *work, const GrownTree *tree, double *scores)
{
    for (uint32_t n = 0; n < tree->count; n++) {
        const GrownNode *leaf = &tree->nodes[n];
        const uint32_t *list = work->nodes.order + leaf->first_row;

        for (uint32_t i = 0; leaf->left == TREE_NONE && i < leaf->rows; i++) {
            env_poll_rows(work->env, i);
            scores[list[i]] += leaf->value;
        }
    }
}

/* Makes a tree the one that all processes walk. Returns false if it has no room. */
static bool show_tree(BoostWork *work, const GrownTree *tree)
{
    if (work->team == NULL) {
        work->tree = *tree;
        return true;
    }
    if (tree->count > BOOST_NODES || tree->sets_size > BOOST_SETS)
        return false;
    memcpy(work->tree.nodes, tree->nodes, tree->count * sizeof(GrownNode));
    if (tree->sets_size > 0)
        memcpy(work->tree.sets, tree->sets, tree->sets_size);
    return true;
}

void boosting_add_tree(BoostWork *work, const GrownTree *tree, uint32_t output)
{
    double *scores = work->rows->scores + (size_t)output * work->rows->count;
    bool walk = work->drawn != NULL;

    work->task->output = output;
    work->task->walks = walk && show_tree(work, tree);
    if (list_leaves(work, tree, 0) < tree->count) {
        add_leaves(work, tree, scores);
        work->task->leaves = 0;
    }
    if (work->task->leaves > 0 || work->task->walks)
        run_phase(work, BOOST_ADD, block_count(work));
    for (uint32_t row = 0; walk && !work->task->walks && row < work->rows->count; row++) {
        env_poll_rows(work->env, row);
        if (!work->drawn[row])
            scores[row] += tree_row_leaf(work->columns, tree, row)->value;
    }
}

void boosting_weigh_tree(BoostWork *work, GrownTree *tree)
{
    for (uint32_t n = 0; n < tree->count; n++)
        tree->nodes[n].impurity *= tree->nodes[n].cover;
    for (uint32_t node = 0, next; work->rows->weights != NULL && node < tree->count; node = next) {
        next = list_leaves(work, tree, node);
        run_phase(work, BOOST_WEIGH, work->task->leaves);
        for (uint32_t n = node, l = 0; n < next; n++)
            if (tree->nodes[n].left == TREE_NONE)
                tree->nodes[n].cover = work->leaves[l++].weight;
    }
    for (uint32_t n = tree->count; n-- > 0;) { /* children come after their parent */
        GrownNode *node = &tree->nodes[n];

        if (work->rows->weights != NULL && node->left != TREE_NONE)
            node->cover = tree->nodes[node->left].cover + tree->nodes[node->right].cover;
        node->impurity /= node->cover;
    }
}
