/*
 * extra_tree.c - an extremely randomized tree: its sample, and its nodes from the root down.
 */
#include "core/forest/extra_tree_internal.h"

#include <math.h>
#include <string.h>

#define POLL_WORK 200000 /* rows x features between two polls: a few milliseconds */
#define TOLERANCE 1e-11   /* of the weight of a node, or of the loss of numbers: splits this close are equally good */

bool extra_tree_grows(const TreeGrowth *growth)
{
    return growth->random_thresholds && growth->criterion != TREE_MAE && growth->max_leaf_nodes == 0 && growth->monotone == NULL &&
           !tree_counts_frequencies(growth);
}

size_t extra_tree_room(uint32_t slots)
{
    size_t lists = 2 * sizeof(uint32_t) + sizeof(RowTally); /* rows in the order of nodes, and what each adds */

    return lists + (slots + 1) * sizeof(double) + sizeof(RowTally);
}

/* ---- a grower ---- */

/* Lays the values of the numeric features out by row. Polls. */
static void lay_out_values(ExtraGrower *g)
{
    const TreeColumns *columns = g->columns;

    g->values = env_array(g->env, (size_t)columns->slots + 1, sizeof(double *));
    for (uint32_t j = 0; j < columns->slots; j++) {
        const TreeColumn *column = columns->columns + j;

        if (column->category)
            continue;
        g->values[j] = env_array_raw(g->env, columns->rows, sizeof(double));
        for (uint32_t i = 0; i < columns->rows; i++)
            g->values[j][i] = column->rank[i] == TREE_MISSING ? NAN : column->values[column->rank[i]];
        g->env->poll(g->env);
    }
}

static void make_level_scratch(ExtraGrower *g)
{
    size_t width = g->class_count > 2 ? g->class_count : 2, most = 0;

    for (uint32_t j = 0; j < g->columns->slots; j++)
        if (g->columns->columns[j].category && g->columns->columns[j].ranks > most)
            most = g->columns->columns[j].ranks;
    most++;
    g->level_tally = env_array_raw(g->env, most, width * sizeof(double));
    g->level_key = env_array_raw(g->env, most, sizeof(double));
    g->level_order = env_array_raw(g->env, most, sizeof(uint32_t));
    g->level_rows = env_array_raw(g->env, most, sizeof(uint32_t));
    g->set = env_array(g->env, most / 8 + 1, 1);
    g->present = env_array(g->env, most / 8 + 1, 1);
}

ExtraGrower *extra_grower(Env *env, const TreeColumns *columns, const double *weights, const TreeGrowth *growth)
{
    ExtraGrower *g = env_array(env, 1, sizeof(ExtraGrower));
    size_t n = columns->rows;

    g->env = env;
    g->columns = columns;
    g->growth = growth;
    g->weights = weights;
    g->class_count = columns->class_count;
    g->pairs = g->class_count == 2 && weights == NULL && growth->criterion == TREE_GINI;
    g->features = env_array_raw(env, (size_t)columns->slots + 1, sizeof(uint32_t));
    g->node.classes = env_array(env, (size_t)g->class_count + 1, sizeof(double));
    g->left = env_array(env, (size_t)g->class_count + 2, sizeof(double));
    g->right = env_array(env, (size_t)g->class_count + 1, sizeof(double));
    g->rows = env_array_raw(env, n, sizeof(uint32_t));
    g->swap = env_array_raw(env, n, sizeof(uint32_t));
    g->task_capacity = 256;
    g->tasks = env_array_raw(env, g->task_capacity, sizeof(ExtraTask));
    lay_out_values(g);
    make_level_scratch(g);
    g->x = env_array_raw(env, n, sizeof(double));
    if (g->pairs) {
        g->pair_tally = env_array_raw(env, n, sizeof(uint64_t));
        g->pair_here = env_array_raw(env, n, sizeof(uint64_t));
    } else {
        g->tally = env_array_raw(env, n, sizeof(RowTally));
        g->here = env_array_raw(env, n, sizeof(RowTally));
    }
    return g;
}

/* ---- a node ---- */

/* Sums up the rows of a node of two classes. */
static bool sum_pairs(ExtraGrower *g)
{
    ExtraNode *node = &g->node;
    const uint64_t *restrict tally = g->pair_tally;
    const uint32_t *restrict rows = node->rows;
    uint64_t *restrict here = g->pair_here, sum = 0;
    uint32_t count = node->count;

    for (uint32_t i = 0; i < count; i++)
        sum += here[i] = tally[rows[i]];
    node->pair = sum;
    node->weight = (uint32_t)sum;
    node->classes[1] = (double)(sum >> 32);
    node->classes[0] = node->weight - node->classes[1];
    node->loss = node->weight * tree_class_impurity(g->growth->criterion, node->classes, 2, node->weight);
    return node->classes[0] > 0 && node->classes[1] > 0;
}

static bool sum_classes(ExtraGrower *g)
{
    ExtraNode *node = &g->node;
    uint32_t present = 0;

    memset(node->classes, 0, g->class_count * sizeof(double));
    node->weight = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        RowTally row = g->tally[node->rows[i]];

        node->classes[(uint32_t)row.value] += row.weight;
        node->weight += row.weight;
        g->here[i] = row;
    }
    for (uint32_t k = 0; k < g->class_count; k++)
        present += node->classes[k] > 0;
    node->loss = node->weight * tree_class_impurity(g->growth->criterion, node->classes, g->class_count, node->weight);
    return present > 1;
}

static bool sum_numbers(ExtraGrower *g)
{
    ExtraNode *node = &g->node;
    double weight = 0, sum = 0, loss = 0, first = g->tally[node->rows[0]].value;
    bool varies = false;

    for (uint32_t i = 0; i < node->count; i++) {
        RowTally row = g->tally[node->rows[i]];

        weight += row.weight;
        sum += row.weight * row.value;
        varies |= row.value != first;
        g->here[i] = row;
    }
    node->weight = weight;
    node->sum = sum;
    node->mean = varies ? sum / weight : first;
    for (uint32_t i = 0; varies && i < node->count; i++) {
        RowTally row = g->here[i];
        double off = row.value - node->mean;

        if (g->growth->criterion == TREE_POISSON)
            loss += row.value > 0 ? row.weight * row.value * log(row.value / node->mean) : 0;
        else
            loss += row.weight * off * off;
    }
    node->loss = loss;
    return varies;
}

/* Sums up the node. Returns false if its rows all have the same target. */
static bool sum_node(ExtraGrower *g)
{
    bool mixed = g->pairs ? sum_pairs(g) : g->class_count > 0 ? sum_classes(g) : sum_numbers(g);

    g->node.tolerance = TOLERANCE * (g->class_count > 0 ? g->node.weight : g->node.loss);
    return mixed;
}

/*
 * Looks for the best split among max_features features, in random order unless all are asked for, and goes on until there is a split.
 * Features that are constant in the node count, as in other libraries: they keep small nodes random.
 */
static bool find_split(ExtraGrower *g, ExtraSplit *best)
{
    uint32_t slots = g->columns->slots, wanted = g->growth->max_features;
    bool all = wanted == 0 || wanted >= slots;

    *best = (ExtraSplit){.loss = INFINITY, .slot = TREE_NONE};
    for (uint32_t i = 0; i < slots && (all || i < wanted || best->slot == TREE_NONE); i++) {
        uint32_t j = all ? i : i + random_below(&g->random, slots - i), slot = g->features[j];

        g->features[j] = g->features[i];
        g->features[i] = slot;
        g->work += g->node.count + 16;
        if (g->work > POLL_WORK) {
            g->env->poll(g->env);
            g->work = 0;
        }
        if (g->columns->columns[slot].category)
            extra_category_split(g, slot, best);
        else
            extra_number_split(g, slot, best);
    }
    return best->slot != TREE_NONE &&
           (g->growth->min_impurity_decrease <= 0 ||
            (g->node.loss - best->loss) / g->root_weight >= g->growth->min_impurity_decrease);
}

/*
 * Moves the rows for which `goes` holds to the front, both sides in their order, without branches. Used by all ways to
 * tell the sides apart.
 */
#define PARTITION(goes)                                                                            \
    for (uint32_t i = 0; i < count; i++) {                                                         \
        uint32_t row = rows[i];                                                                    \
        bool side = (goes);                                                                        \
                                                                                                   \
        rows[left] = row;                                                                          \
        swap[right] = row;                                                                         \
        left += side;                                                                              \
        right += !side;                                                                            \
    }

/* Returns how many rows go left. */
static uint32_t partition(ExtraGrower *g, uint32_t *rows, uint32_t count, const ExtraSplit *split)
{
    uint32_t left = 0, right = 0, *restrict swap = g->swap;
    bool missing_left = split->missing_left;

    if (split->category) {
        const uint32_t *rank = g->columns->columns[split->slot].rank;

        PARTITION(rank[row] == TREE_MISSING ? missing_left : g->set[rank[row] / 8] >> (rank[row] % 8) & 1);
    } else {
        const double *restrict x = g->values[split->slot];
        double threshold = split->threshold;

        if (missing_left)
            PARTITION((x[row] <= threshold) | isnan(x[row]))
        else
            PARTITION(x[row] <= threshold)
    }
    memcpy(rows + left, swap, right * sizeof(uint32_t));
    return left;
}

/* Tells whether the left child has at least half of the weight. */
static bool left_is_heavier(const ExtraGrower *g, uint32_t left)
{
    double weight = 0;

    for (uint32_t i = 0; i < left; i++)
        weight += g->pairs ? (double)(uint32_t)g->pair_tally[g->node.rows[i]] : g->tally[g->node.rows[i]].weight;
    return 2 * weight >= g->node.weight;
}

/* Writes the levels that go left; those without rows in the node go where missing ones go, like levels never seen. */
static void write_set(ExtraGrower *g, uint32_t number, const ExtraSplit *split, uint32_t left)
{
    uint32_t levels = g->columns->columns[split->slot].ranks, set = grown_tree_set(g->tree, levels);
    GrownNode *node = g->tree->nodes + number;

    node->category = true;
    node->set = set;
    if (!split->has_missing)
        node->missing_left = left_is_heavier(g, left);
    for (uint32_t level = 0; level < levels; level++) {
        bool present = g->present[level / 8] >> level % 8 & 1;

        if (present ? g->set[level / 8] >> level % 8 & 1 : node->missing_left)
            grown_tree_put_level(g->tree, set, level);
    }
}

static void write_split(ExtraGrower *g, uint32_t number, const ExtraSplit *split, uint32_t left)
{
    GrownNode *node = g->tree->nodes + number;

    node->slot = split->slot;
    node->missing_left = split->missing_left;
    node->left = number + 1;
    if (split->category) {
        write_set(g, number, split, left);
        return;
    }
    grown_tree_threshold(node, split->threshold, split->threshold, nextafter(split->threshold, INFINITY));
}

static void push(ExtraGrower *g, ExtraTask task)
{
    if (g->task_count == g->task_capacity) {
        g->task_capacity *= 2;
        g->tasks = g->env->resize(g->env, g->tasks, g->task_capacity * sizeof(ExtraTask));
    }
    g->tasks[g->task_count++] = task;
}

static void write_leaf(ExtraGrower *g, uint32_t number)
{
    if (g->class_count > 0)
        grown_tree_classes(g->tree, number, g->node.classes, g->class_count);
}

static void grow_node(ExtraGrower *g, const ExtraTask *task)
{
    uint32_t number = grown_tree_node(g->tree), count = task->end - task->begin, *rows = g->rows + task->begin, left;
    const TreeGrowth *growth = g->growth;
    GrownNode *node = g->tree->nodes + number;
    ExtraSplit split;
    bool mixed;

    if (task->right)
        g->tree->nodes[task->parent].right = number;
    g->node.rows = rows;
    g->node.count = count;
    mixed = sum_node(g);
    if (number == 0)
        g->root_weight = g->node.weight;
    if (task->decides) /* missing values follow the heavier child */
        g->tree->nodes[task->parent].missing_left = 2 * g->node.weight >= g->tree->nodes[task->parent].cover;
    node->cover = g->node.weight;
    node->impurity = g->node.loss / g->node.weight;
    node->value = g->node.mean;
    if (!mixed || task->depth >= growth->max_depth || count < growth->min_samples_split ||
        count / 2 < growth->min_samples_leaf || !find_split(g, &split)) {
        write_leaf(g, number);
        return;
    }
    left = partition(g, rows, count, &split);
    write_split(g, number, &split, left);
    push(g, (ExtraTask){task->begin + left, task->end, task->depth + 1, number, true, false});
    push(g, (ExtraTask){task->begin, task->begin + left, task->depth + 1, number, false,
                         !split.has_missing && !split.category});
}

/* Lists the rows of the sample and what each adds. */
static uint32_t take_sample(ExtraGrower *g, const uint32_t *counts)
{
    const TreeColumns *columns = g->columns;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < columns->rows; i++) {
        if (g->pairs)
            g->pair_tally[i] = counts[i] | (uint64_t)(columns->classes[i] ? counts[i] : 0) << 32;
        else
            g->tally[i] = (RowTally){counts[i] * row_weight(g->weights, i),
                                        g->class_count > 0 ? columns->classes[i] : columns->targets[i]};
        g->rows[kept] = i;
        kept += counts[i] > 0;
    }
    return kept;
}

void extra_tree_grow(ExtraGrower *g, const uint32_t *counts, uint64_t seed, GrownTree *tree)
{
    grown_tree_clear(tree);
    g->tree = tree;
    g->random = seed;
    for (uint32_t j = 0; j < g->columns->slots; j++)
        g->features[j] = j;
    g->task_count = 0;
    push(g, (ExtraTask){.end = take_sample(g, counts), .parent = TREE_NONE});
    while (g->task_count > 0) {
        ExtraTask task = g->tasks[--g->task_count];

        grow_node(g, &task);
    }
}
