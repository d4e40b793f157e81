/*
 * import_trees.h - trees of documents: nodes by number, checked as a tree, surveyed for what they need of each feature, and made trees of this
 * house.
 */
#ifndef PGFIT_IMPORT_TREES_H
#define PGFIT_IMPORT_TREES_H

#include "core/exchange/document.h"
#include "core/import/import_schema.h"
#include "core/tree_value/tree_levels.h"
#include "core/tree_value/tree_model.h"

/* A node of a document. */
typedef struct ImportNode {
    uint32_t left, right;       /* numbers of the children; TREE_NONE, both: a leaf */
    uint32_t slot;              /* of a split: its feature */
    uint32_t first_code, codes; /* of a split on a category: its codes among ImportTree.codes */
    uint8_t category, missing_left;
    uint8_t seen;
    double number;              /* of a leaf its value; of a split on a number the threshold: numbers at or below it go left */
    double cover;               /* of a leaf: the weight of its rows */
    double gain;                /* of a split; 0: not said */
} ImportNode;

/* A tree of a document; node 0 is the root. Its memory serves the next tree. */
typedef struct ImportTree {
    ImportNode *nodes;
    uint32_t count, room;
    uint32_t *codes; /* of all splits on categories; each belongs to one */
    uint32_t code_count, code_room;
    bool codes_right; /* the codes of a split go right and all others left; else the other way around */
    uint32_t *stack;
    uint32_t stack_room;
} ImportTree;

/* What all trees need of each feature: arrays [features]. */
typedef struct ImportUses {
    uint32_t features;
    bool *number, *category; /* splits on it as a number, as a category */
    uint32_t *codes;         /* the largest code of a split, + 1 */
    double *gains;           /* filled by import_tree_make */
} ImportUses;

/* Makes room for `count` nodes, zeros, and for no codes. */
void import_tree_begin(Env *env, ImportTree *tree, uint32_t count);
/* Adds a node of zeros; returns its number. Nodes may move. */
uint32_t import_tree_node(Env *env, ImportTree *tree);
/* Adds a code to those of the tree. */
void import_tree_code(Env *env, ImportTree *tree, uint32_t code);

ImportUses import_uses(Env *env, uint32_t features);
/* Fails unless the nodes are a tree whose numbers a model can have; else notes what its splits need. Call it before import_tree_make. */
void import_tree_survey(const Document *document, ImportTree *tree, ImportUses *uses);
/* Makes a grown tree of one that was surveyed, and adds the gains of its splits. */
void import_tree_make(const Document *document, ImportTree *tree, const TreeLevels *levels, ImportUses *uses, GrownTree *grown);
/* Fails if a feature is a number in one split and a category in another. names: NULL: features have none. */
void import_uses_require(const Document *document, const ImportUses *uses, const char *const *names);

#endif
