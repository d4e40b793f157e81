/*
 * mixed_system.h - the cross-products of a mixed model, and its profiled deviance.
 *
 *     y = X beta + Z b + e,  b = Lambda u,  u ~ N(0, sigma^2 I),  e ~ N(0, sigma^2 / w)
 *
 * Lambda is block diagonal with one lower triangle T per factor, repeated for its levels (Bates, Maechler, Bolker & Walker 2015, Journal of
 * Statistical Software 67(1)). The rows are read once; then the penalized least squares of any T take the cross-products alone: the levels of
 * factor 0, which has the most random effects, are eliminated one by one, and what is left is a dense system of the other factors' random effects
 * and the fixed effects.
 */
#ifndef PGFIT_MIXED_SYSTEM_H
#define PGFIT_MIXED_SYSTEM_H

#include "core/mixed/mixed_design.h"

/* Random effects of one factor. */
typedef struct MixedBlock {
    uint32_t columns, levels;
    uint32_t first;  /* where they begin in the dense system; not of block 0 */
    double *factor;  /* T [columns x columns], by columns; set it before mixed_evaluate */
    double *slope;   /* of the deviance in T; set by mixed_gradient */
    double *effects; /* b [levels x columns], level by level; set by mixed_solve */
    double *errors;  /* their conditional standard errors in units of sigma; set by mixed_errors */
    double *joint;   /* and covariances in units of sigma^2, [levels] of the triangle below the diagonal, by columns */
} MixedBlock;

typedef struct MixedSystem {
    Env *env;
    bool reml;
    double rows;           /* that weights count */
    uint32_t count, fixed, random; /* of blocks, fixed effects, and random effects in the dense system */
    MixedBlock *blocks;
    /* cross-products of block 0, per level: with itself, the fixed effects and the target */
    double *own, *with_fixed, *with_target;
    /* and with random effects of other blocks: pair i of level g is between pair_first[g] and pair_first[g + 1] */
    uint32_t *pair_first, *pair_at, *pair_columns;
    double *pairs;         /* [pairs][columns x stride] by columns */
    uint32_t stride;       /* most columns of other blocks */
    double *dense, *dense_target, target; /* of the dense system, lower triangle */
    /* what mixed_evaluate leaves */
    double *triangles;     /* [levels] L of T' Z'Z T + I */
    double *solved_fixed, *solved_target, *solved_pairs; /* L^-1 T' times the cross-products */
    double *schur, *schur_target; /* the dense system without block 0 */
    double *cholesky, *solution;  /* its factor, scaled by Lambda, and L^-1 of the target */
    double log_random, log_fixed; /* log determinants */
    double squares;        /* the penalized sum of squares */
    /* what mixed_solve leaves */
    double *beta;          /* [fixed] */
    double *weights;       /* Lambda u and beta in the order of the dense system */
    double *spherical;     /* u of the dense system */
    double *inverse;       /* [dense x dense] scratch of mixed_gradient and mixed_errors */
} MixedSystem;

/* Returns the number of pairs of columns. */
static inline size_t mixed_pairs(uint32_t columns)
{
    return (size_t)columns * (columns - 1) / 2;
}

/* Returns the number of entries of a T. */
static inline size_t mixed_square(const MixedBlock *block)
{
    return (size_t)block->columns * block->columns;
}

/* Allocates a system without cross-products; fails with ERROR_LIMIT if the dense one exceeds the budget. */
MixedSystem *mixed_system(const MixedDesign *design, uint32_t fixed, double rows, bool reml);
/* Returns the profiled deviance, or REML criterion, of the T of all blocks, without constants; INFINITY where it cannot be computed. */
double mixed_evaluate(MixedSystem *system);
/* Sets beta, and the effects of all blocks, for the T that was evaluated last. */
void mixed_solve(MixedSystem *system);
/* Sets the slopes of all blocks, for the T that was evaluated last. */
void mixed_gradient(MixedSystem *system);
/*
 * Sets the conditional standard errors of the effects, for the T that was evaluated last. roots: per block the matrix [columns x columns] by which u
 * becomes the effects whose errors are wanted: T, or T of other columns.
 */
void mixed_errors(MixedSystem *system, double *const *roots);

#endif
