/*
 * boosting_phases.h - what a boosting iteration does with all rows, in blocks that several processes may do (core/base/team.h).
 */
#ifndef PGFIT_BOOSTING_PHASES_H
#define PGFIT_BOOSTING_PHASES_H

#include "core/boosting/boosting_loss.h"
#include "core/tree_bins/histogram_team.h"

extern const TeamKind boosting_kind;

/* A leaf of the last tree: a part of the list of the grower. */
typedef struct BoostLeaf {
    uint32_t first, count;
    double value;
    double weight; /* of its rows, once they are weighed */
} BoostLeaf;

/* What all processes know of a phase. */
typedef struct BoostTask {
    uint32_t output;
    uint32_t leaves;
    bool walks; /* rows that did not grow the tree walk it */
    double per_gradient, per_hessian;
} BoostTask;

/* What a process has for the phases. */
typedef struct BoostWork {
    Env *env;
    TreeColumns *columns;
    BoostRows *rows;
    uint32_t loss;         /* number of rows->loss */
    NodeTeam nodes;
    FloatRow *gradients;   /* [rows] */
    uint32_t *sizes;       /* [rows] how many each counts as for min_samples_leaf; NULL: one */
    uint8_t *drawn;        /* [rows] does the row grow the tree? NULL: all do */
    BoostTask *task;
    BoostLeaf *leaves;     /* room for BOOST_LEAVES */
    Steepness *steepness;  /* [blocks of rows] */
    GrownTree tree;        /* that rows walk: the last one, or its copy in room for BOOST_NODES and BOOST_SETS */
    Team *team;            /* in the process of the fit; NULL: it is alone */
} BoostWork;

/* Takes room for the phases. rows, columns, gradients, sizes and drawn are set. */
void boosting_work(Env *env, BoostWork *work);
/* Tells whether the rows are many enough for a team. */
bool boosting_work_pays(const BoostWork *work);
/* Writes gradients and hessians of an output to all rows. Returns what is known of their sizes. */
Steepness boosting_slopes(BoostWork *work, uint32_t output);
/* Rounds them to integers of a scale, in their place. */
void boosting_round(BoostWork *work, const HistogramScale *scale);
/* Adds what a tree predicts to the scores of an output: by its leaves, and by walking the tree for rows that did not grow it. */
void boosting_add_tree(BoostWork *work, const GrownTree *tree, uint32_t output);
/* Sets the covers of a tree to the weights of the rows. */
void boosting_weigh_tree(BoostWork *work, GrownTree *tree);

#endif
