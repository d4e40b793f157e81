/*
 * tree_shap.c - splits the value of a row's leaf into contributions of the features: by the row's path, and as Shapley values.
 */
#include "core/estimator/explanation.h"
#include "core/tree_value/tree_model.h"

#include <math.h>
#include <string.h>

#define POLL_NODES 16384
#define POLL_WORK 1000000

/* The weight of the rows in each node of a tree, and their mean value. */
typedef struct Expectations {
    double *cover, *mean; /* [nodes of the tree] */
} Expectations;

/* Computes them from the leaves upwards: in preorder, both children come after their parent. */
static Expectations expectations(Env *env, const TreeScorer *scorer, uint32_t tree, uint32_t k, TreeLeafValue value,
                                 const void *context)
{
    uint32_t first = scorer->root[tree], count = scorer->root[tree + 1] - first;
    Expectations found = {env_array_raw(env, count, sizeof(double)), env_array_raw(env, count, sizeof(double))};

    for (uint32_t i = count; i-- > 0;) {
        const TreeNode *node = &scorer->node[first + i];
        uint32_t right = i + node->right;
        double share;

        if (i % POLL_NODES == 0)
            env->poll(env);
        if (node->split == TREE_LEAF) {
            found.cover[i] = scorer->leaf_cover[node->right];
            found.mean[i] = value(scorer, tree, node, k, context);
            continue;
        }
        found.cover[i] = found.cover[i + 1] + found.cover[right];
        share = found.cover[i] > 0 ? found.cover[right] / found.cover[i] : 0.5;
        found.mean[i] = found.mean[i + 1] * (1 - share) + found.mean[right] * share;
    }
    return found;
}

static void expectations_free(Env *env, Expectations *found)
{
    env->release(env, found->cover);
    env->release(env, found->mean);
}

double tree_path_contributions(Env *env, const TreeScorer *scorer, uint32_t tree, const double *slots, uint32_t k,
                               TreeLeafValue value, const void *context, double *out)
{
    Expectations found = expectations(env, scorer, tree, k, value, context);
    const TreeNode *root = &scorer->node[scorer->root[tree]], *node = root;
    double base = found.mean[0];

    while (node->split != TREE_LEAF) {
        const TreeNode *next = node + (tree_goes_left(scorer, node, slots) ? 1 : node->right);

        out[node->split >> 2] += found.mean[next - root] - found.mean[node - root];
        node = next;
    }
    expectations_free(env, &found);
    return base;
}

/* ---- Shapley values ---- */

/* A feature on the path: the share of rows that pass if it is unknown, and whether the row itself passes. */
typedef struct PathPart {
    uint32_t slot;
    double zero, one;
    double weight; /* permutations with so many known features before */
} PathPart;

/* A node that is still to be visited, with the part that its parent adds to the path. */
typedef struct Visit {
    uint32_t node, level, parts; /* parts: of the path that its parent left */
    double zero, one;
    uint32_t slot;
} Visit;

#define NO_SLOT UINT32_MAX

/* Adds a feature to the path, which has `parts` (Lundberg et al. 2020, EXTEND). */
static void extend(PathPart *path, uint32_t parts, double zero, double one, uint32_t slot)
{
    path[parts] = (PathPart){slot, zero, one, parts == 0 ? 1 : 0};
    for (uint32_t i = parts; i-- > 0;) {
        path[i + 1].weight += one * path[i].weight * (i + 1) / (parts + 1);
        path[i].weight = zero * path[i].weight * (parts - i) / (parts + 1);
    }
}

/* Takes part `at` out of a path of parts + 1 (UNWIND). */
static void unwind(PathPart *path, uint32_t parts, uint32_t at)
{
    double one = path[at].one, zero = path[at].zero, next = path[parts].weight;

    for (uint32_t i = parts; i-- > 0;) {
        if (one != 0) {
            double former = path[i].weight;

            path[i].weight = next * (parts + 1) / ((i + 1) * one);
            next = former - path[i].weight * zero * (parts - i) / (parts + 1);
        } else {
            path[i].weight = path[i].weight * (parts + 1) / (zero * (parts - i));
        }
    }
    for (uint32_t i = at; i < parts; i++) {
        path[i].slot = path[i + 1].slot;
        path[i].zero = path[i + 1].zero;
        path[i].one = path[i + 1].one;
    }
}

/* Returns the sum of the weights of a path without part `at`. */
static double unwound_sum(const PathPart *path, uint32_t parts, uint32_t at)
{
    double one = path[at].one, zero = path[at].zero, next = path[parts].weight, total = 0;

    for (uint32_t i = parts; i-- > 0;) {
        if (one != 0) {
            double weight = next * (parts + 1) / ((i + 1) * one);

            total += weight;
            next = path[i].weight - weight * zero * ((double)(parts - i) / (parts + 1));
        } else {
            total += path[i].weight / zero * (parts + 1) / (parts - i);
        }
    }
    return total;
}

/* Returns the depth of a tree. */
static uint32_t tree_depth(Env *env, const TreeScorer *scorer, uint32_t tree)
{
    uint32_t first = scorer->root[tree], count = scorer->root[tree + 1] - first, deepest = 0;
    uint32_t *depth = env_array(env, count, sizeof(uint32_t));

    for (uint32_t i = 0; i < count; i++) {
        const TreeNode *node = &scorer->node[first + i];

        if (node->split == TREE_LEAF) {
            deepest = depth[i] > deepest ? depth[i] : deepest;
            continue;
        }
        depth[i + 1] = depth[i + node->right] = depth[i] + 1;
        if (i % POLL_NODES == 0)
            env->poll(env);
    }
    env->release(env, depth);
    return deepest;
}

/* Adds what a leaf contributes. path: of parts + 1. */
static void add_leaf(const PathPart *path, uint32_t parts, double value, double *out)
{
    for (uint32_t i = 1; i <= parts; i++)
        out[path[i].slot] += unwound_sum(path, parts, i) * (path[i].one - path[i].zero) * value;
}

/* A tree while its nodes are visited in preorder. Level L of the walk has its path at paths + L x width. */
typedef struct Shapley {
    Env *env;
    const TreeScorer *scorer;
    const TreeNode *first;
    const double *slots;
    Expectations found;
    PathPart *paths;
    size_t width;
    Visit *stack;
    uint32_t top;
} Shapley;

/* Returns the share of a node's rows that go to a child. */
static double share_of(const Shapley *shapley, uint32_t node, uint32_t child)
{
    return shapley->found.cover[node] > 0 ? shapley->found.cover[child] / shapley->found.cover[node] : 0.5;
}

/* Visits a split: its feature leaves the path if it is there, and comes back with the children. */
static void visit_split(Shapley *shapley, const Visit *visit, PathPart *path, uint32_t parts)
{
    const TreeNode *node = shapley->first + visit->node;
    uint32_t slot = node->split >> 2, left = visit->node + 1, right = visit->node + node->right, hot, cold, at = 1;
    double zero = 1, one = 1;

    hot = tree_goes_left(shapley->scorer, node, shapley->slots) ? left : right;
    cold = hot == left ? right : left;
    while (at <= parts && path[at].slot != slot)
        at++;
    if (at <= parts) {
        zero = path[at].zero;
        one = path[at].one;
        unwind(path, parts, at);
        parts--;
    }
    shapley->stack[shapley->top++] =
        (Visit){cold, visit->level + 1, parts + 1, zero * share_of(shapley, visit->node, cold), 0, slot};
    shapley->stack[shapley->top++] =
        (Visit){hot, visit->level + 1, parts + 1, zero * share_of(shapley, visit->node, hot), one, slot};
}

double tree_shapley_values(Env *env, const TreeScorer *scorer, uint32_t tree, const double *slots, uint32_t k,
                           TreeLeafValue value, const void *context, double *out)
{
    uint32_t depth = tree_depth(env, scorer, tree);
    uint64_t work = 0; /* steps since the last poll: leaves take as many as the square of their paths */
    Shapley shapley = {.env = env, .scorer = scorer, .slots = slots, .first = scorer->node + scorer->root[tree]};
    double base;

    shapley.found = expectations(env, scorer, tree, k, value, context);
    base = shapley.found.mean[0];
    shapley.width = (size_t)(depth < scorer->slots ? depth : scorer->slots) + 2;
    env_require_memory(env, ((size_t)depth + 2) * shapley.width * sizeof(PathPart), "the paths of an explanation");
    shapley.paths = env_array_raw(env, (size_t)depth + 2, shapley.width * sizeof(PathPart));
    shapley.stack = env_array_raw(env, (size_t)depth + 3, sizeof(Visit));
    shapley.stack[shapley.top++] = (Visit){0, 0, 0, 1, 1, NO_SLOT};
    while (shapley.top > 0) {
        Visit visit = shapley.stack[--shapley.top];
        PathPart *path = shapley.paths + visit.level * shapley.width;
        const TreeNode *node = shapley.first + visit.node;

        if (visit.level > 0)
            memcpy(path, path - shapley.width, visit.parts * sizeof(PathPart));
        if (visit.zero == 0 && visit.one == 0)
            continue;
        extend(path, visit.parts, visit.zero, visit.one, visit.slot);
        if (node->split == TREE_LEAF)
            add_leaf(path, visit.parts, value(scorer, tree, node, k, context), out);
        else
            visit_split(&shapley, &visit, path, visit.parts);
        work += node->split == TREE_LEAF ? 16 + (uint64_t)visit.parts * visit.parts : 16 + 4 * visit.parts;
        if (work > POLL_WORK) {
            env->poll(env);
            work = 0;
        }
    }
    env->release(env, shapley.paths);
    env->release(env, shapley.stack);
    expectations_free(env, &shapley.found);
    return base;
}

uint32_t tree_explain(Env *env, const Model *model, const void *scorer, const double *slots, uint32_t equations, TreeContributions add,
                      Explanation **out)
{
    ExplanationList list = explanation_list(env, model, slots, equations);
    double *parts = env_array(env, (size_t)model->slot_count + 1, sizeof(double));

    for (uint32_t e = 0; e < equations; e++) {
        double base;

        memset(parts, 0, model->slot_count * sizeof(double));
        base = add(env, scorer, e, slots, parts);
        explanation_base(&list, equations > 1 ? class_string(env, model, e) : NULL, base);
        for (uint32_t s = 0; s < model->slot_count; s++)
            explanation_slot(&list, s, parts[s]);
    }
    *out = list.lines;
    return list.count;
}
