/*
 * tree_prune.c - reduced error and minimal cost complexity.
 */
#include "core/tree_growth/tree_prune.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 65536

/* ---- leaves of one class ---- */

void tree_merge_equal(GrownTree *tree)
{
    for (uint32_t i = tree->count; i-- > 0;) {
        GrownNode *node = &tree->nodes[i];
        const GrownNode *left, *right;

        if (grown_is_leaf(node))
            continue;
        left = &tree->nodes[node->left];
        right = &tree->nodes[node->right];
        if (grown_is_leaf(left) && grown_is_leaf(right) && left->majority == right->majority)
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
            if (grown_is_leaf(node))
                break;
            number = tree_row_left(columns, tree, node, rows[i]) ? node->left : node->right;
        }
        if (i % POLL_ROWS == 0)
            env->poll(env);
    }
    best = as_leaf; /* children come after their parents: the error of a subtree replaces that of its root */
    for (uint32_t i = tree->count; i-- > 0;) {
        GrownNode *node = &tree->nodes[i];
        double below;

        if (grown_is_leaf(node))
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

/* A heap of splits by their alpha. */
typedef struct Weak {
    double alpha;
    uint32_t node;
} Weak;

typedef struct WeakHeap {
    Env *env;
    Weak *heap;      /* [nodes] */
    uint32_t *place; /* [nodes] of each split in it; TREE_NONE: it is not there */
    uint32_t count;
    uint64_t work;   /* changes since the last poll */
} WeakHeap;

static bool weaker(const Weak *a, const Weak *b)
{
    return a->alpha != b->alpha ? a->alpha < b->alpha : a->node < b->node;
}

static void weak_put(WeakHeap *heap, uint32_t at, Weak weak)
{
    heap->heap[at] = weak;
    heap->place[weak.node] = at;
}

/* Puts a split at its place, up or down from `at`, whose own entry is overwritten. */
static void weak_place(WeakHeap *heap, uint32_t at, Weak weak)
{
    uint32_t child;

    for (; at > 0 && weaker(&weak, &heap->heap[(at - 1) / 2]); at = (at - 1) / 2)
        weak_put(heap, at, heap->heap[(at - 1) / 2]);
    for (; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && weaker(&heap->heap[child + 1], &heap->heap[child]))
            child++;
        if (!weaker(&heap->heap[child], &weak))
            break;
        weak_put(heap, at, heap->heap[child]);
    }
    weak_put(heap, at, weak);
    if (++heap->work % POLL_ROWS == 0)
        heap->env->poll(heap->env);
}

/* Takes a split out of the heap, if it is there. */
static void weak_remove(WeakHeap *heap, uint32_t node)
{
    uint32_t at = heap->place[node];
    Weak last;

    if (at == TREE_NONE)
        return;
    heap->place[node] = TREE_NONE;
    last = heap->heap[--heap->count];
    if (at < heap->count)
        weak_place(heap, at, last);
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
        if (grown_is_leaf(node))
            continue;
        links[i].below = links[node->left].below + links[node->right].below;
        links[i].leaves = links[node->left].leaves + links[node->right].leaves;
        links[node->left].parent = links[node->right].parent = i;
    }
    return links;
}

/* Marks a split and those below it as cut. */
static void cut_below(const GrownTree *tree, Link *links, uint32_t node, uint32_t *stack, WeakHeap *heap)
{
    uint32_t top = 0;

    stack[top++] = node;
    while (top > 0) {
        uint32_t at = stack[--top];

        if (links[at].cut)
            continue;
        links[at].cut = true;
        weak_remove(heap, at);
        if (!grown_is_leaf(&tree->nodes[at])) {
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

    cut_below(tree, links, node, stack, heap);
    for (uint32_t up = links[node].parent; up != TREE_NONE; up = links[up].parent) {
        links[up].below += change;
        links[up].leaves -= fewer;
        weak_place(heap, heap->place[up], (Weak){link_alpha(&links[up]), up});
    }
}

PruneStep *tree_prune_path(Env *env, const GrownTree *tree, double *alphas, uint32_t *count)
{
    Link *links = make_links(env, tree);
    uint32_t *stack = env_array(env, (size_t)tree->count + 2, sizeof(uint32_t));
    PruneStep *steps = env_array(env, (size_t)tree->count / 2 + 2, sizeof(PruneStep));
    WeakHeap heap = {.env = env};
    double alpha = 0;

    heap.heap = env_array_raw(env, (size_t)tree->count + 1, sizeof(Weak));
    heap.place = env_array_raw(env, (size_t)tree->count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < tree->count; i++) {
        alphas[i] = INFINITY;
        heap.place[i] = TREE_NONE;
        if (!grown_is_leaf(&tree->nodes[i]))
            weak_place(&heap, heap.count++, (Weak){link_alpha(&links[i]), i});
    }
    steps[0] = (PruneStep){0, links[0].below, links[0].leaves, NAN};
    *count = 1;
    while (heap.count > 0) {
        Weak weak = heap.heap[0];

        /* cuts of equal alpha are one step, those that cost nothing belong to the first */
        if (weak.alpha > alpha * (1 + 1e-9) && weak.alpha > 1e-12 * links[0].risk) {
            alpha = weak.alpha;
            (*count)++;
        }
        cut_link(tree, links, weak.node, stack, &heap);
        alphas[weak.node] = alpha;
        steps[*count - 1] = (PruneStep){alpha, links[0].parent == TREE_NONE && links[0].cut ? links[0].risk : links[0].below,
                                        links[0].cut ? 1 : links[0].leaves, NAN};
    }
    env->release(env, links);
    env->release(env, stack);
    env->release(env, heap.heap);
    env->release(env, heap.place);
    return steps;
}

void tree_prune_at(GrownTree *tree, const double *alphas, double alpha)
{
    for (uint32_t i = 0; i < tree->count; i++)
        if (alphas[i] <= alpha)
            tree->nodes[i].leaf = true;
}
