/*
 * tree_start.h - continues from a fitted model (option "start"), for methods that add trees to it.
 */
#ifndef PGFIT_TREE_START_H
#define PGFIT_TREE_START_H

#include "core/tree_value/tree_model.h"

typedef struct TreeStart {
    const Model *model; /* NULL: none was given */
    Model *former_schema; /* of the rows */
    uint32_t begun;     /* what the model has of n_trees */
} TreeStart;

/*
 * Reads option "start" and adds the model's levels to the schema of the rows, whose builder it replaces. begun: returns what a
 * model of the method has of n_trees. Fails with ERROR_KIND if the model is of another method, with ERROR_PARAMETER if its
 * features, classes or options but n_trees differ, if n_trees asks for no more, or if the rows have a level that it does not know.
 */
TreeStart tree_start(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                     uint32_t (*begun)(const Model *model), ModelBuilder **builder);
/* Restores the schema of the rows; call after model_build. */
void tree_start_end(const TreeStart *start, Rows *rows);

#endif
