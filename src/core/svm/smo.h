/*
 * smo.h - sequential minimal optimization for the duals of support vector machines with a free intercept.
 *
 * Finds multipliers b that minimize
 *
 *     1/2 sum b_i b_j k(x_i, x_j) - sum t_i b_i + epsilon sum |b_i|      with lower_i <= b_i <= upper_i
 *
 * while sum b_i stays what it is at the start. Classifiers have t = 1 or -1 and b_i between 0 and t_i C_i; regressions have
 * the target as t and b_i between -C_i and C_i; the one-class machine has t = 0 and b_i >= 0. The decision function is
 * f(x) = sum b_i k(x_i, x) + intercept.
 *
 * In nu machines (Scholkopf et al. 2000) a row has a multiplier >= 0 and one <= 0, whose sum is b_i. The sums of both kinds over all
 * rows are given, epsilon is 0, and the width of the tube (or the margin) is a result. A row with both is in a tube of width 0.
 *
 * A solution counts as converged if the objective of the primal problem, with this intercept and width, proves that it is one.
 *
 * Working sets of two by second-order information: Fan, Chen & Lin (2005), JMLR 6. Shrinking: Joachims (1998); Chang & Lin (2011).
 * Written in the multipliers with their signs, so that classifiers and regressions are one problem with one value per row.
 */
#ifndef PGFIT_SMO_H
#define PGFIT_SMO_H

#include "core/kernel/kernel_cache.h"

typedef struct SmoProblem {
    uint32_t count, dims;
    const double *points;        /* [count x dims]; copied */
    const Kernel *kernel;        /* ready (kernel_scale) */
    const double *targets;       /* t [count] */
    const double *lower, *upper; /* [count]; lower <= 0 <= upper, lower < upper; infinite: no bound */
    double epsilon;              /* >= 0 */
    double side_sum;             /* nu machines: the sum of the multipliers >= 0, and minus that of those <= 0; else 0 */
    double tolerance;            /* of the conditions of Karush, Kuhn and Tucker */
    double least_margin;         /* hard margins and nu: the ratio |w| / sum |b| below which the classes count as inseparable; 0: no test */
    uint64_t max_iter;
    bool shrinking;
    size_t cache_bytes; /* for rows of the Gram matrix, beside smo_least */
    const char *phase;  /* name of the method, for progress */
} SmoProblem;

typedef struct SmoResult {
    double intercept;
    double width;     /* nu machines: half the distance between the two levels of f at free multipliers, the tube's epsilon, >= 0; of
                         classifiers minus the margin in units of f */
    double objective; /* of the dual, as above */
    double square;    /* sum b_i b_j k(x_i, x_j): |w|^2 in feature space */
    double gap;       /* by how much the worst pair misses the conditions */
    double excess;    /* of the primal objective over the dual one, that of losses at infinite bounds left out */
    uint64_t iterations, evaluations; /* steps; kernel values computed */
    bool converged, inseparable;
    bool stalled;     /* not converged: steps no longer changed the multipliers, or not by more than rounding */
} SmoResult;

/* Returns the bytes that a problem takes at least, with the points that it copies. */
size_t smo_least(uint32_t count, uint32_t dims);
/* Solves. multipliers [count]: where to start, within the bounds (and with sums of at most side_sum); the solution afterwards. Polls. Fails with ERROR_RANGE if kernel
 * values exceed the range of single precision. */
SmoResult smo_solve(Env *env, const SmoProblem *problem, double *multipliers);

#endif
