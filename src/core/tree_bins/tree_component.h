/*
 * tree_component.h - the order of the levels of a category where there are more than two classes.
 */
#ifndef PGFIT_TREE_COMPONENT_H
#define PGFIT_TREE_COMPONENT_H

#include "core/base/env.h"

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
