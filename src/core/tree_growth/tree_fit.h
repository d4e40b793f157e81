/*
 * tree_fit.h - what tree_classifier and tree_regression share: options, growing and pruning one tree, the model.
 */
#ifndef PGFIT_TREE_FIT_H
#define PGFIT_TREE_FIT_H

#include "core/tree_growth/tree_binned.h"
#include "core/tree_growth/tree_prune.h"

typedef struct TreeFit {
    Env *env;
    Rows *rows;
    TreeGrowth growth;
    PrunePlan plan;
    TreeColumns *columns;
    double *weights; /* [rows] with class weights; NULL: all 1 */
    GrownTree *tree;
    TreePruning pruning;
} TreeFit;

/* Reads the options, and the rows as columns. room: bytes per row that the method allocates on top. */
TreeFit tree_fit_begin(Env *env, const Estimator *self, const FitInput *input, const Options *options, size_t room);
/* Grows the tree, and prunes it if the options say so. */
void tree_fit_grow(TreeFit *fit);
/* Adds arrays and facts of the tree to the model. */
void tree_fit_add(TreeFit *fit, ModelBuilder *builder);

/* The arrays and facts that tree_fit_add adds beside those of tree_model.h; FACT_TABLE(tree_facts). */
extern const ArraySpec tree_path_arrays[4];
extern const ArraySpec tree_facts[7];

/* An Estimator.check of both. */
const char *tree_fit_check(Env *env, const Model *model);

#endif
