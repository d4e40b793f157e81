/*
 * forest_oob.h - what the rows that a tree has not seen say about the forest (Breiman 2001): the out-of-bag error, and the
 * importance of features by permutation.
 */
#ifndef PGFIT_FOREST_OOB_H
#define PGFIT_FOREST_OOB_H

#include "core/tree_growth/tree_grow.h"

typedef struct ForestOob {
    Env *env;
    const TreeColumns *columns;
    const double *weights; /* of the rows, without class weights; NULL: all 1 */
    bool hard;
    uint32_t classes;      /* 0: numbers */
    double *votes;         /* [rows x classes] sums of shares or votes; of predictions */
    uint32_t *trees;       /* [rows] trees that have not seen the row */
    uint32_t *class_now;   /* [rows] class with the most votes */
    double weight, wrong;  /* labels: of rows with votes, of those with the wrong class */
    uint32_t *rows, *shuffled; /* scratch */
    double error;          /* NaN: no row has votes */
    uint32_t counted;      /* rows with votes */
} ForestOob;

/* Returns the bytes per row. */
size_t forest_oob_room(uint32_t classes, bool permutation);
ForestOob *forest_oob(Env *env, const TreeColumns *columns, const double *weights, bool hard);
/* Adds a tree, whose sample has these counts: error and counted are those of all trees so far. Polls. */
void forest_oob_add(ForestOob *oob, const GrownTree *tree, const uint32_t *counts);
/*
 * Adds to out [slots] how much the tree's mean loss of its out-of-bag rows (share of wrong classes, squared error) grows when the
 * values of a feature are permuted among them. Polls.
 */
void forest_oob_permute(ForestOob *oob, const GrownTree *tree, const uint32_t *counts, uint64_t seed, double *out);

#endif
