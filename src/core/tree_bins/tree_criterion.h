/*
 * tree_criterion.h - impurities: what a split of a tree makes small.
 *
 * Of class weights w with shares p = w / sum w: minority 1 - max p, gini sum p (1 - p), entropy -sum p log2 p (bits),
 * sqrt_gini the square root of gini. Of numbers: mse about the mean, mae about the median, poisson the mean of
 * y log(y / mean) (half the deviance). All are 0 in a pure node. The gain of a split is the impurity of the node minus the
 * mean of its children's, by weight; the relative impurity is that mean divided by the impurity of the node (Flach 2012).
 */
#ifndef PGFIT_TREE_CRITERION_H
#define PGFIT_TREE_CRITERION_H

#include "core/options/options.h"

#include <math.h>

typedef enum TreeCriterion {
    TREE_GINI = 0,
    TREE_ENTROPY,
    TREE_SQRT_GINI,
    TREE_MINORITY,
    TREE_MSE,
    TREE_MAE,
    TREE_POISSON,
    TREE_NEWTON /* of boosting: half the squared sum of gradients by the sum of hessians; has no name */
} TreeCriterion;

/* The names of the criteria of classes and of numbers, for options: NULL-terminated. */
extern const char *const tree_class_criteria[];
extern const char *const tree_number_criteria[];
/* Returns the criterion of this name; -1 if there is none. */
int tree_criterion_of(const char *name);
const char *tree_criterion_name(TreeCriterion criterion);

/* Returns the impurity of class weights, whose sum is `weight` (0: the impurity is 0). */
double tree_class_impurity(TreeCriterion criterion, const double *weights, uint32_t count, double weight);

/* Returns x log2 x; 0 for 0. */
static inline double x_log_x(double x)
{
    return x > 0 ? x * log2(x) : 0;
}
/* Returns weight x impurity of class weights, from sums that searches for splits can move rows between. */
double tree_class_badness(TreeCriterion criterion, const double *weights, uint32_t count, double weight);

/* Returns the impurity of numbers, all of weight 1: mse, mae or poisson. Sorts them. count > 0. */
double tree_number_impurity(TreeCriterion criterion, double *numbers, uint32_t count);

/* ---- the order of the levels of a category where there are more than two classes ---- */

/* The class weights of the levels that a node has. */
typedef struct LevelClasses {
    uint32_t levels, classes;
    const double *weights; /* [levels x classes] */
    const double *sums;    /* [levels] of these */
    const double *total;   /* [classes] of the node */
    double weight;         /* its sum */
} LevelClasses;

/*
 * Writes the keys by which levels are ordered: the first principal component of their class shares (Coppersmith, Hong & Hosking
 * 1999), by power iteration from the level that deviates most. room: [2 x classes]. Polls.
 */
void tree_component_keys(Env *env, const LevelClasses *of, double *room, double *keys);

#endif
