/*
 * tree_model.h - trees as arrays of a model: storing, checking, scoring. All methods that grow trees share this.
 *
 * The nodes of all trees follow one another, each tree in preorder: a node, its left subtree, its right subtree. That
 * order alone gives the shape, so no array holds a position, and the arrays of two models can simply be put end to end.
 * Every number is stored in the narrowest type that holds it exactly (ArraySpec.narrow). T trees, N nodes, S splits,
 * L = S + T leaves:
 *
 *   tree_nodes    I32[T]  nodes of each tree
 *   split         I32[N]  2 x slot, + 1 if missing values go left; of a leaf -1 (255 where the type is U8)
 *   threshold     F64[S]  numbers at or below it go left; infinite: all but missing ones; 0 of a split on a category
 *   category_sets U8      per split on a category, a bit per level of the field, from the lowest bit of its first byte:
 *                         1 goes left. Whole bytes per split, in the order of the splits
 *   leaf_value    F64[L]  numbers: what the leaf predicts, or adds to the score of output tree % outputs
 *   leaf_cover    F64[L]  numbers: the weight of the leaf's training rows
 *   leaf_classes  I32[L]  labels: how many classes the leaf has
 *   leaf_class    I32[E]  labels: these classes, ascending, leaf after leaf
 *   leaf_weight   F64[E]  labels: the weight of each in the leaf's training rows
 *   impurity      F64[N]  optional, for reading
 *   node_value    F64[N]  numbers, optional, for reading: what each node would predict as a leaf, where that is not the mean of its leaves
 *   importance    F64[slots]  optional: the decrease of impurity that each feature brought
 *
 * Missing values (NULL, a level that training did not see) go where the split says.
 */
#ifndef PGFIT_TREE_MODEL_H
#define PGFIT_TREE_MODEL_H

#include "core/estimator/estimator.h"
#include "core/base/shared_work.h"
#include "core/base/text_buffer.h"
#include "core/estimator/table.h"

/* ---- a tree as it was grown ---- */

#define TREE_NONE UINT32_MAX

/* A node; children may come in any order, but after their parent. 48 bytes: a tree may have two per row. */
typedef struct GrownNode {
    uint32_t left, right; /* numbers of the children; TREE_NONE: a leaf */
    uint32_t slot : 28;   /* of a split */
    uint32_t category : 1; /* a split on a category */
    uint32_t missing_left : 1;
    uint32_t leaf : 1;    /* pruned: a leaf, even if it has children */
    uint32_t bounded : 1; /* labels under monotone constraints: `share` says what it is as a leaf */
    union {
        uint32_t set; /* of a split on a category: where its set begins in GrownTree.sets */
        float near;   /* of a split on a number: its float_threshold, if it is a float; else NaN */
    };
    union {
        double threshold; /* of a split on a number */
        struct {          /* labels, of a node without children */
            uint32_t classes;     /* how many class entries it has */
            uint32_t first_class; /* ... from here in GrownTree.class_* */
        };
        struct {          /* of a node without children, as histogram_grow leaves it */
            uint32_t rows;      /* how many rows it has */
            uint32_t first_row; /* ... from here in histogram_order */
        };
    };
    double cover;    /* weight of its training rows */
    double impurity; /* 0 where nobody reads it */
    union {
        double value; /* numbers: the prediction */
        struct {      /* labels */
            uint32_t majority; /* the class with the most weight, the first of equals */
            float share;       /* of the second class */
        };
    };
} GrownNode;

typedef struct GrownTree {
    Env *env;
    GrownNode *nodes; /* node 0 is the root */
    uint32_t count, capacity;
    uint8_t *sets;
    uint32_t sets_size, sets_capacity;
    uint32_t *class_of;    /* class entries of the leaves */
    double *class_weight;
    uint32_t entries, entries_capacity;
} GrownTree;

GrownTree *grown_tree(Env *env);
/* Forgets all nodes, so that the next tree can use the memory. */
void grown_tree_clear(GrownTree *tree);
void grown_tree_free(GrownTree *tree);
/* Gives back the room for more nodes. */
void grown_tree_trim(GrownTree *tree);
/* Tells whether a node is a leaf by now. */
static inline bool grown_is_leaf(const GrownNode *node)
{
    return node->leaf || node->left == TREE_NONE;
}
/* Returns the depth of a tree, and its leaves. */
uint32_t grown_tree_depth(const GrownTree *tree, uint32_t *leaves);
/* Adds a node of zeros without children or set; returns its number. Nodes may move. */
uint32_t grown_tree_node(GrownTree *tree);
/* Adds a set of this many levels, all bits 0; returns where it begins. Sets may move. */
uint32_t grown_tree_set(GrownTree *tree, uint32_t levels);
static inline void grown_tree_put_level(GrownTree *tree, uint32_t set, uint32_t level)
{
    tree->sets[set + level / 8] |= (uint8_t)(1u << level % 8);
}
/* Sets the threshold of a split on a number. [low, high): what separates the same training values. */
void grown_tree_threshold(GrownNode *node, double threshold, double low, double high);
/*
 * Moves the share of the second of two classes, as scores compute it, to the bounds if it is outside, and marks the node with the
 * result: leaves at one bound, which is a float, then have the same share to the last bit, whatever their weights.
 */
void grown_tree_bound_pair(GrownNode *node, double *weights, double low, double high);
/* Makes a node a leaf of these class weights [count]; classes of weight 0 get no entry. */
void grown_tree_classes(GrownTree *tree, uint32_t node, const double *weights, uint32_t count);

/* Visits a tree; PACK_OPEN replaces the nodes of `tree`, which keeps its own memory. */
void grown_tree_pack(Pack *pack, GrownTree *tree);
/* Multiplies values and impurities: of a tree whose targets were divided by the unit. */
void grown_tree_scale(GrownTree *tree, double unit, double impurity);

/* ---- writing ---- */

/* Trees in the form of the model, which grows tree by tree. */
typedef struct TreeStore TreeStore;
/*
 * Begins a store. schema: of the rows, or of a model (widths of category sets). classes: leaves hold class weights, not
 * numbers. Fails in append with ERROR_LIMIT once the arrays exceed the budget or a model's size.
 */
TreeStore *tree_store(Env *env, const Model *schema, bool classes);
/* What a store keeps or gives up, set before the first tree. */
void tree_store_keep_impurity(TreeStore *store); /* array "impurity" */
void tree_store_keep_values(TreeStore *store);   /* array "node_value" */
/* Thresholds become floats where one separates the same values; values: those of leaves are rounded to floats. */
void tree_store_use_floats(TreeStore *store, bool values);
/* Rounds thresholds and values of a tree as the store will, for what judges the tree before or after. */
void tree_store_round(const TreeStore *store, GrownTree *tree);
/* Appends a tree, with its nodes in preorder. Polls. The tree may be cleared afterwards. */
void tree_store_append(TreeStore *store, const GrownTree *tree);
/* Appends all trees of a checked model with the same schema. */
void tree_store_append_model(TreeStore *store, const Model *model);
uint32_t tree_store_trees(const TreeStore *store);
uint64_t tree_store_bytes(const TreeStore *store); /* as they will be in the model, about */
/*
 * Adds, per slot, the decrease of impurity of each split, weighted by the cover of its node / the cover of the root, of the
 * trees appended from now on. out [slots] is added to at every append.
 */
void tree_store_importance(TreeStore *store, double *out);
/* Adds the arrays to a model; the store must live until model_build. */
void tree_store_add(TreeStore *store, ModelBuilder *builder);

/* ---- checking ---- */

/* The declared arrays of trees with leaves of class weights, and of numbers. For ARRAY_TABLES. */
extern const ArraySpec tree_class_arrays[9], tree_number_arrays[9];
#define TREE_CLASS_ARRAYS ARRAY_TABLE(tree_class_arrays)
#define TREE_NUMBER_ARRAYS ARRAY_TABLE(tree_number_arrays)
/* An Estimator.check, or the first part of one: what the declarations cannot say, so that every walk ends at a leaf. */
const char *tree_check(Env *env, const Model *model);

/* ---- scoring ---- */

/* A node for scoring. 16 bytes: four share a cache line, and the left child is the next node. */
typedef struct TreeNode {
    union {
        double threshold; /* of a split on a number */
        double value;     /* of a leaf with a number */
        struct {
            uint32_t set; /* of a split on a category: where its set begins in TreeScorer.sets */
        } category;
    } of;
    uint32_t split; /* slot x 4, + TREE_MISSING_LEFT, + TREE_CATEGORY; TREE_LEAF of a leaf */
    uint32_t right; /* from this node to its right child; of a leaf: its number among all leaves */
} TreeNode;
#define TREE_MISSING_LEFT 1u
#define TREE_CATEGORY 2u
#define TREE_LEAF UINT32_MAX
_Static_assert(sizeof(TreeNode) == 16, "four nodes share a cache line");

/* What Scoring.prepare makes of a model: everything that reads trees begins here. */
typedef struct TreeScorer {
    const Model *model;
    uint32_t trees, nodes, leaves, slots, classes;
    TreeNode *node;             /* [nodes] */
    uint32_t *root;             /* [trees + 1] first node of each tree */
    const uint8_t *sets;        /* of the model */
    const uint32_t *first_level; /* [slots] of categories: dictionary position of the field's first level */
    const uint32_t *levels;      /* [slots] of categories: how many levels the field has; 0: a number */
    double *leaf_cover;         /* [leaves] */
    uint32_t *leaf_first;       /* [leaves + 1] labels: first class entry of each leaf */
    uint32_t *leaf_class;       /* labels: [entries] */
    double *leaf_weight;        /* labels: [entries] */
    const ModelEntry *impurity; /* read by model_number; NULL: not stored */
    const ModelEntry *threshold; /* as stored: ARRAY_F32 prints shorter */
} TreeScorer;

/* Decodes a checked model. Polls. *bytes: its size. Use it as Scoring.prepare, or where a method prepares more. */
void *tree_prepare(Env *env, const Model *model, size_t *bytes);
TreeScorer *tree_scorer(Env *env, const Model *model);

/* Tells whether a level goes left; level: a dictionary position, SLOT_UNSEEN or NaN. */
static inline bool tree_level_left(const TreeScorer *scorer, const TreeNode *node, double level)
{
    uint32_t slot = node->split >> 2;
    double rank = level - scorer->first_level[slot];

    if (!(rank >= 0 && rank < scorer->levels[slot]))
        return node->split & TREE_MISSING_LEFT;
    return scorer->sets[node->of.category.set + (uint32_t)rank / 8] >> ((uint32_t)rank % 8) & 1;
}

/* Tells whether a row goes left at a node that is not a leaf. */
static inline bool tree_goes_left(const TreeScorer *scorer, const TreeNode *node, const double *slots)
{
    double x = slots[node->split >> 2];

    if (__builtin_expect(node->split & TREE_CATEGORY, 0))
        return tree_level_left(scorer, node, x);
    return x <= node->of.threshold || (x != x && node->split & TREE_MISSING_LEFT);
}

/* Returns the node at which a row ends in a tree: a leaf. */
static inline const TreeNode *tree_find_leaf(const TreeScorer *scorer, uint32_t tree, const double *slots)
{
    const TreeNode *node = scorer->node + scorer->root[tree];

    while (node->split != TREE_LEAF)
        node += tree_goes_left(scorer, node, slots) ? 1 : node->right;
    return node;
}

/* Adds the class shares of a leaf, (weight + smoothing) / (cover + classes x smoothing), times factor to out [classes]. */
void tree_add_shares(const TreeScorer *scorer, const TreeNode *leaf, double smoothing, double factor, double *out);

/*
 * Reads a tree as it was grown into `tree`, which is cleared first: without impurities, majorities and the covers of splits. Polls.
 */
void grown_tree_read(const TreeScorer *scorer, uint32_t number, GrownTree *tree);

/* ---- reading (tree_report.c, tree_tables.c, tree_shap.c) ---- */

/* The tables of every tree method: tree_nodes, importance; of single trees: prune_path. For Estimator.tables. */
extern const Table table_tree_nodes, table_importance, table_prune_path;
/*
 * Returns, per slot, the decrease of impurity that its splits brought, adding up to 1 (all 0 without a split), from array
 * "importance" or the impurities of the nodes; NULL if the model has neither.
 */
double *tree_importance(Env *env, const Model *model);
/* Tells whether a model has trees. */
bool tree_has(const Model *model);
/* Returns all trees as indented text. */
char *tree_rules(Env *env, const Model *model);
/* An Estimator.summary for single trees: sizes, importance, rules. */
char *tree_summary(Env *env, const Model *model);
/* Adds a CASE expression for one tree; put_leaf writes what the leaf gives. Polls. */
void tree_sql(TextBuffer *report, const TreeScorer *scorer, uint32_t tree,
              void (*put_leaf)(TextBuffer *report, const TreeScorer *scorer, const TreeNode *leaf, void *context),
              void *context);

/*
 * What a leaf contributes to output k of a score, for explanations: its value, its share of class k ...; context: the
 * method's.
 */
typedef double (*TreeLeafValue)(const TreeScorer *scorer, uint32_t tree, const TreeNode *leaf, uint32_t k,
                                const void *context);
/*
 * Adds to out [slots] the contributions of the path of a row in one tree: at each split, how far the expected value moves
 * (Saabas 2014). Returns the expected value at the root; both add up to the leaf's value.
 */
double tree_path_contributions(Env *env, const TreeScorer *scorer, uint32_t tree, const double *slots, uint32_t k,
                               TreeLeafValue value, const void *context, double *out);
/*
 * The same with Shapley values, exact for the distribution of rows over the paths of the tree (TreeSHAP, path-dependent:
 * Lundberg et al. 2020).
 */
double tree_shapley_values(Env *env, const TreeScorer *scorer, uint32_t tree, const double *slots, uint32_t k,
                           TreeLeafValue value, const void *context, double *out);
/* Adds the contributions to one equation of a score to parts [slots], zeros, and returns the base. */
typedef double (*TreeContributions)(Env *env, const void *scorer, uint32_t equation, const double *slots, double *parts);
/* Does the work of Scoring.explain: one equation, or one per class. */
uint32_t tree_explain(Env *env, const Model *model, const void *scorer, const double *slots, uint32_t equations, TreeContributions add,
                      Explanation **out);

#endif
