/*
 * boosting_step_internal.h - what the sums of a pass over boosted trees and the next model share.
 */
#ifndef PGFIT_BOOSTING_STEP_INTERNAL_H
#define PGFIT_BOOSTING_STEP_INTERNAL_H

#include "core/tree/boosting_step.h"

enum { PHASE_BEGIN, PHASE_MEASURE, PHASE_LEVEL }; /* step_place[0]; levels count up from there */

/* sum_values of the first pass: weight x target, weight, each with its carry; the largest target; then by class its weight and carry */
enum { BEGIN_TARGET = 0, BEGIN_WEIGHT = 2, BEGIN_LARGEST = 4, BEGIN_CLASSES = 5 };
/* ... of a pass that measures: by output the largest gradient and hessian, the sum of hessians and its carry; then the loss, the weight ... */
enum { MEASURE_GRADIENT = 0, MEASURE_HESSIAN = 1, MEASURE_HESSIANS = 2, MEASURE_EACH = 4 };
enum { MEASURE_LOSS = 0, MEASURE_WEIGHT = 2, MEASURE_COVERS = 4 }; /* ... and the weight of each leaf, all with their carries */

enum { LEAF_OPEN, LEAF_VALUE, LEAF_LOW, LEAF_HIGH, LEAF_NUMBERS };
#define LEAF_CLOSED UINT32_MAX
#define BOOST_TINY_TARGET 0x1p-60 /* tree_columns_scale divides smaller ones */

struct BoostPlan {
    const Model *model;
    TreeScorer *trees;
    uint32_t outputs, classes;
    int64_t phase;
    uint32_t iterations;                    /* done */
    uint32_t first_tree, first_leaf, leaves; /* of the last tree of each output */
    BinnedColumns binned;                   /* without rows */
    uint32_t width;                         /* sums per open leaf: bins, and the total */
    uint32_t open;                          /* leaves on this level */
    uint32_t *place;                        /* [leaves] which of these a leaf is, or LEAF_CLOSED */
    HistogramScale *scale;                  /* [outputs] on a level */
    const double *factors, *leaf;           /* step_factors, step_leaves; NULL: none */
    double rows, weight;                    /* of the pass that measured */
    Boosting *row;                          /* of one row: room for what its gradients need */
};

/* Returns an array of a checked model and its length; NULL: it has none. */
static inline const double *numbers_of(const Model *model, const char *name, uint32_t *length)
{
    *length = 0;
    return model_f64(model, name, length);
}

static inline const int64_t *integers_of(const Model *model, const char *name, uint32_t *length)
{
    *length = 0;
    return model_i64(model, name, length);
}

/* Returns the numbers of sum_values. */
static inline uint32_t plan_values(const BoostPlan *plan)
{
    if (plan->phase == PHASE_BEGIN)
        return BEGIN_CLASSES + 2 * plan->classes;
    return plan->phase == PHASE_MEASURE ? plan->outputs * MEASURE_EACH + MEASURE_COVERS + 2 * plan->leaves : 1;
}

/* Returns the plan of a state or model. Its memory goes with the env. */
BoostPlan *boosting_plan(Env *env, const Model *model);
/* Returns the loss that the trees of a model make small. */
BoostLoss boosting_loss_of(const Model *model);
/* A ModelStep.finish (boosting_level.c). */
Model *boosting_step_finish(Env *env, const Model *state);

#endif
