/*
 * mixed_optimizer.h - finds the covariance factors with the least deviance.
 */
#ifndef PGFIT_MIXED_OPTIMIZER_H
#define PGFIT_MIXED_OPTIMIZER_H

#include "core/mixed/mixed_system.h"

/* An entry of a T that is not 0 by itself. */
typedef struct MixedParameter {
    double *entry;
    const double *slope; /* of the deviance in it */
    double unit;         /* length of its row of T */
} MixedParameter;

typedef struct MixedOptimum {
    double deviance; /* as mixed_evaluate returns it */
    int64_t iterations;
    bool converged;
    bool exact; /* random effects fit every row exactly, or to the rounding of the squares, so that the deviance says nothing */
    uint32_t count;             /* of parameters that are not held at 0 */
    MixedParameter *parameters; /* [count] */
} MixedOptimum;

/*
 * Minimizes the deviance over the T of all blocks, whose diagonals are not negative, and evaluates the system there. bars: of each column of each
 * block; columns of different bars are not correlated.
 */
MixedOptimum mixed_optimize(MixedSystem *system, const uint32_t *const *bars, int64_t max_iter);

#endif
