/*
 * tree_prune.c - reduced error and minimal cost complexity.
 */
#include "core/tree/tree_prune.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 65536

/* ---- walking a grown tree ---- */

uint32_t tree_grown_next(const TreeColumns *columns, const GrownTree *tree, uint32_t number, uint32_t row)
{
    const GrownNode *node = &tree->nodes[number];
    const TreeColumn *column = &columns->columns[node->slot];
    uint32_t rank = column->rank[row];
    bool left;

    if (rank == TREE_MISSING)
        left = node->missing_left;
    else if (node->set != TREE_NONE)
        left = tree->sets[node->set + rank / 8] >> rank % 8 & 1;
    else
        left = column->values[rank] <= node->threshold;
    return left ? node->left : node->right;
}

uint32_t tree_grown_leaf(const TreeColumns *columns, const GrownTree *tree, uint32_t row)
{
    uint32_t number = 0;

    while (!tree_grown_is_leaf(&tree->nodes[number]))
        number = tree_grown_next(columns, tree, number, row);
    return number;
}

/* ---- leaves of one class ---- */

void tree_merge_equal(GrownTree *tree)
{
    for (uint32_t i = tree->count; i-- > 0;) {
        GrownNode *node = &tree->nodes[i];
        const GrownNode *left, *right;

        if (tree_grown_is_leaf(node))
            continue;
        left = &tree->nodes[node->left];
        right = &tree->nodes[node->right];
        if (tree_grown_is_leaf(left) && tree_grown_is_leaf(right) && left->majority == right->majority)
            node->leaf = true;
    }
}

/* ---- reduced error ---- */

double tree_leaf_error(const TreeColumns *columns, TreeCriterion criterion, const GrownNode *node, uint32_t row)
{
    double difference;

    if (criterion < TREE_MSE)
        return columns->classes[row] != node->majority;
    difference = columns->targets[row] - node->value;
    if (criterion == TREE_POISSON) {
        double y = columns->targets[row];

        if (!(node->value > 0))
            return y > 0 ? INFINITY : 0;
        return (y > 0 ? y * log(y / node->value) : 0) - y + node->value;
    }
    return criterion == TREE_MAE ? fabs(difference) : difference * difference;
}

double tree_prune_reduced_error(const TreeColumns *columns, const uint32_t *rows, uint32_t count, const double *weights,
                                TreeCriterion criterion, GrownTree *tree)
{
    Env *env = columns->env;
    double *as_leaf = env_array(env, (size_t)tree->count + 1, sizeof(double)), *best, weight = 0;

    for (uint32_t i = 0; i < count; i++) {
        double w = weights != NULL ? weights[rows[i]] : 1;
        uint32_t number = 0;

        weight += w;
        for (;;) {
            const GrownNode *node = &tree->nodes[number];

            as_leaf[number] += w * tree_leaf_error(columns, criterion, node, rows[i]);
            if (tree_grown_is_leaf(node))
                break;
            number = tree_grown_next(columns, tree, number, rows[i]);
        }
        if (i % POLL_ROWS == 0)
            env->poll(env);
    }
    best = as_leaf; /* children come after their parents: the error of a subtree replaces that of its root */
    for (uint32_t i = tree->count; i-- > 0;) {
        GrownNode *node = &tree->nodes[i];
        double below;

        if (tree_grown_is_leaf(node))
            continue;
        below = best[node->left] + best[node->right];
        if (best[i] <= below)
            node->leaf = true;
        else
            best[i] = below;
    }
    return weight > 0 ? best[0] / weight : NAN;
}

/* ---- cost complexity ---- */

/* A node of the tree while its weakest links are removed. */
typedef struct Link {
    double risk;     /* weight x impurity as a leaf, / weight of the root */
    double below;    /* the same of the leaves below */
    uint32_t leaves; /* below */
    uint32_t parent;
    bool cut;        /* it, or a node above, is a leaf by now */
} Link;

/* A heap of splits by their alpha; entries become stale when a node changes, and then come again. */
typedef struct Weak {
    double alpha;
    uint32_t node;
} Weak;

typedef struct WeakHeap {
    Env *env;
    Weak *heap;
    uint32_t count, capacity;
} WeakHeap;

static bool weaker(const Weak *a, const Weak *b)
{
    return a->alpha != b->alpha ? a->alpha < b->alpha : a->node < b->node;
}

static void weak_push(WeakHeap *heap, double alpha, uint32_t node)
{
    uint32_t at = heap->count++;
    Weak weak = {alpha, node};

    if (heap->count > heap->capacity) {
        heap->capacity = heap->capacity < 32 ? 64 : heap->capacity * 2;
        heap->heap = heap->env->resize(heap->env, heap->heap, (size_t)heap->capacity * sizeof(Weak));
    }
    while (at > 0 && weaker(&weak, &heap->heap[(at - 1) / 2])) {
        heap->heap[at] = heap->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->heap[at] = weak;
}

static Weak weak_pop(WeakHeap *heap)
{
    Weak first = heap->heap[0], moved = heap->heap[--heap->count];
    uint32_t at = 0, child;

    while ((child = 2 * at + 1) < heap->count) {
        if (child + 1 < heap->count && weaker(&heap->heap[child + 1], &heap->heap[child]))
            child++;
        if (!weaker(&heap->heap[child], &moved))
            break;
        heap->heap[at] = heap->heap[child];
        at = child;
    }
    if (heap->count > 0)
        heap->heap[at] = moved;
    return first;
}

/* Returns from which alpha on a split costs more than a leaf. */
static double link_alpha(const Link *link)
{
    return fmax(0, link->risk - link->below) / (link->leaves - 1);
}

static Link *make_links(Env *env, const GrownTree *tree)
{
    Link *links = env_array(env, (size_t)tree->count + 1, sizeof(Link));

    links[0].parent = TREE_NONE;
    for (uint32_t i = tree->count; i-- > 0;) {
        const GrownNode *node = &tree->nodes[i];

        links[i].risk = links[i].below = node->cover * node->impurity / tree->nodes[0].cover;
        links[i].leaves = 1;
        if (tree_grown_is_leaf(node))
            continue;
        links[i].below = links[node->left].below + links[node->right].below;
        links[i].leaves = links[node->left].leaves + links[node->right].leaves;
        links[node->left].parent = links[node->right].parent = i;
    }
    return links;
}

/* Marks the splits below a node as cut. */
static void cut_below(const GrownTree *tree, Link *links, uint32_t node, uint32_t *stack)
{
    uint32_t top = 0;

    stack[top++] = node;
    while (top > 0) {
        uint32_t at = stack[--top];

        if (links[at].cut)
            continue;
        links[at].cut = true;
        if (!tree_grown_is_leaf(&tree->nodes[at])) {
            stack[top++] = tree->nodes[at].left;
            stack[top++] = tree->nodes[at].right;
        }
    }
}

/* Makes a leaf of a split, and passes the change on to the nodes above. */
static void cut_link(const GrownTree *tree, Link *links, uint32_t node, uint32_t *stack, WeakHeap *heap)
{
    double change = links[node].risk - links[node].below;
    uint32_t fewer = links[node].leaves - 1;

    cut_below(tree, links, node, stack);
    for (uint32_t up = links[node].parent; up != TREE_NONE; up = links[up].parent) {
        links[up].below += change;
        links[up].leaves -= fewer;
        weak_push(heap, link_alpha(&links[up]), up);
    }
}

PruneStep *tree_prune_path(Env *env, const GrownTree *tree, double *alphas, uint32_t *count)
{
    Link *links = make_links(env, tree);
    uint32_t *stack = env_array(env, (size_t)tree->count + 2, sizeof(uint32_t)), cuts = 0;
    PruneStep *steps = env_array(env, (size_t)tree->count / 2 + 2, sizeof(PruneStep));
    WeakHeap heap = {.env = env};
    double alpha = 0;

    for (uint32_t i = 0; i < tree->count; i++) {
        alphas[i] = INFINITY;
        if (!tree_grown_is_leaf(&tree->nodes[i]))
            weak_push(&heap, link_alpha(&links[i]), i);
    }
    steps[0] = (PruneStep){0, links[0].below, links[0].leaves, NAN};
    *count = 1;
    while (heap.count > 0) {
        Weak weak = weak_pop(&heap);

        if (links[weak.node].cut || link_alpha(&links[weak.node]) != weak.alpha)
            continue;
        /* cuts of equal alpha are one step, those that cost nothing belong to the first */
        if (weak.alpha > alpha * (1 + 1e-9) && weak.alpha > 1e-12 * links[0].risk) {
            alpha = weak.alpha;
            (*count)++;
        }
        cut_link(tree, links, weak.node, stack, &heap);
        alphas[weak.node] = alpha;
        steps[*count - 1] = (PruneStep){alpha, links[0].parent == TREE_NONE && links[0].cut ? links[0].risk : links[0].below,
                                        links[0].cut ? 1 : links[0].leaves, NAN};
        if (++cuts % 1024 == 0)
            env->poll(env);
    }
    return steps;
}

void tree_prune_at(GrownTree *tree, const double *alphas, double alpha)
{
    for (uint32_t i = 0; i < tree->count; i++)
        if (alphas[i] <= alpha)
            tree->nodes[i].leaf = true;
}
