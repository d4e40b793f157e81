/*
 * ordinal_solver.h - maximum likelihood of a cumulative model of ordered classes: P(class <= k) = F(cut_k - score), where the offset of a row is part of its
 * score.
 */
#ifndef PGFIT_ORDINAL_SOLVER_H
#define PGFIT_ORDINAL_SOLVER_H

#include "core/rows/standardized_rows.h"

/* The distribution F: logistic or normal. */
typedef enum OrdinalLink { ORDINAL_LOGIT = 0, ORDINAL_PROBIT = 1 } OrdinalLink;

/* Returns P(low < Z <= high), with its digits in both tails. */
double ordinal_between(OrdinalLink link, double low, double high);

typedef struct OrdinalSolution {
    double *cuts, *theta; /* [classes - 1] rising; [rows->terms] of the standardized columns, which have no constant */
    double *covariance;   /* [size x size] of cuts and theta; NULL: the Hessian is singular */
    uint32_t size;
    double null_log_likelihood, log_likelihood; /* null: of the cuts alone, with the offsets */
    int64_t iterations;
    bool converged, unbounded; /* unbounded: there is no maximum */
} OrdinalSolution;

/*
 * Maximizes by Newton's method, in one pass over the rows per step. rows: with centered offsets, if any, around which the cuts are. rank: [classes] the place of each class in the order. A step that promises at
 * most `tolerance` times the loss is the last. Fails with ERROR_LIMIT beyond the memory budget, with ERROR_RANGE where offsets leave rows without probability.
 */
OrdinalSolution ordinal_solve(StandardizedRows *rows, const uint32_t *rank, uint32_t classes, OrdinalLink link, double tolerance, int64_t max_iter);

#endif
