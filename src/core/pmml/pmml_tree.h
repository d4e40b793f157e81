/*
 * pmml_tree.h - a TreeModel while it becomes a tree of two-way splits.
 */
#ifndef PGFIT_PMML_TREE_H
#define PGFIT_PMML_TREE_H

#include "core/pmml/pmml_import.h"
#include "core/tree_value/tree_levels.h"
#include "core/tree_value/tree_model.h"

typedef enum PredicateKind {
    PREDICATE_TRUE,
    PREDICATE_FALSE,
    PREDICATE_AT_MOST, /* the number is at most the threshold */
    PREDICATE_IN,      /* the level is in the set */
    PREDICATE_MISSING,
    PREDICATE_AND,
    PREDICATE_OR,
    PREDICATE_SURROGATE /* the first part that is not unknown */
} PredicateKind;

typedef struct PmmlPredicate PmmlPredicate;
struct PmmlPredicate {
    PredicateKind kind;
    bool negated;
    uint32_t slot;
    double threshold;
    const uint8_t *set; /* a bit per level */
    const PmmlPredicate *part, *next; /* of a compound: its first part; of a part: the next one */
};

/* What the leaves of a tree hold. */
typedef enum PmmlLeaves { PMML_NUMBERS, PMML_SHARES, PMML_VOTES } PmmlLeaves;

/* Trees of a model in the making. */
typedef struct PmmlTrees {
    PmmlImport *import;
    bool natural;         /* slots are features */
    PmmlLeaves leaves;
    bool decides;         /* the score of a leaf is the class that is predicted */
    uint32_t ties;        /* bits of the classes that leaves have where two are equally likely */
    const TreeLevels *levels;
    GrownTree *tree;
    Arena memory;         /* of the tree that is grown */
    uint64_t made, most;  /* nodes */
    bool again;           /* the trees must be built once more: rows with a NULL, or unknown levels, cannot have a score */
    double *shares;       /* [classes] scratch */
} PmmlTrees;

/* Marks the fields and levels that a TreeModel uses, and its classes, and counts its nodes. Clears natural if columns are not features. */
void pmml_tree_survey(PmmlTrees *trees, const XmlNode *model);
/* Returns zeroed memory until the tree has grown. Fails past the budget. */
void *pmml_tree_take(PmmlTrees *trees, size_t bytes);
/* Returns a predicate element as a predicate. */
const PmmlPredicate *pmml_predicate(PmmlTrees *trees, const XmlNode *node);
/* Grows the tree of a TreeModel into trees->tree. factor: of numbers. */
void pmml_tree_grow(PmmlTrees *trees, const XmlNode *model, double factor);
/* Returns the predicate element of a Node or Segment. */
const XmlNode *pmml_predicate_of(Env *env, const XmlNode *node);
/* Tells whether a model computes in single precision, as XGBoost does. */
bool pmml_is_single(const XmlNode *model);

#endif
