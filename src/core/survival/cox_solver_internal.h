/*
 * cox_solver_internal.h - what the files that climb the partial likelihood and those that read its scores share.
 */
#ifndef PGFIT_COX_SOLVER_INTERNAL_H
#define PGFIT_COX_SOLVER_INTERNAL_H

#include "core/survival/cox_solver.h"

struct CoxSolver {
    const CoxProblem *problem;
    Env *env;
    uint32_t terms, count;      /* count: of event times */
    uint32_t *tie;              /* [count] number among the times with several events, by Efron's method; NO_TIME: it is none */
    uint32_t ties;
    double *risks;              /* [rows] r */
    double *sums;               /* [count x (1 + terms)] r and r x of the rows whose last event time it is */
    double *tie_sums;           /* [ties x (1 + terms)] of the rows with the event at that time */
    double *running;            /* [1 + terms] suffix sums */
    double *transposed;         /* [BLOCK x (1 + terms)] */
    double *event_sum;          /* [terms] weight x of the rows with events */
    double event_offset;        /* weight offset of the same */
    double *hazard;             /* [count] cumulative in its stratum */
    double *spared;             /* [count] how much less the hazard at a time is for the rows with events there (Efron) */
    double *theta, *trial, *gradient, *step;
    double *gram, *meat;        /* packed: the two sums of the curvature */
    double *factor;             /* [terms x terms] */
    double **directions;        /* [terms + padding] columns of the second sum, DESIGN_TILE rows at a time */
    double *direction_weights;  /* [DESIGN_TILE] */
    uint32_t filled;
    double *eta, *tile_weights; /* [DESIGN_TILE] */
    double *curvature;          /* [terms] of each column at theta = 0 */
    double *damping;            /* [terms] added to it where none is left */
    uint8_t *dropped;           /* [terms] */
    uint8_t *flat;              /* [terms] columns of directions that have none left */
    bool inexact;               /* a score overflows, or a risk has lost its digits */
};

/* Sums over the events of one time by Efron's method, of which the l-th sees the risk S0 - (l / d) T0. */
typedef struct TiedSums {
    double each;       /* the mean weight of the events */
    double log_risk;   /* sum of the logarithms of the risks */
    double hazard;     /* sum of each / risk */
    double spared;     /* of its shares l / d */
    double ss, st, tt; /* sums of each / risk^2 times 1, -l / d, (l / d)^2 */
} TiedSums;
/* Returns them for a time with ties, whose suffix sums are in solver->running. Polls. */
TiedSums cox_tied_sums(const CoxSolver *solver, uint32_t time);

/* Adds the directions that were filled in to the second sum, and empties them. */
void cox_flush_directions(CoxSolver *solver);
/* Returns r times the hazard that the row was at risk of. */
double cox_cumulative_risk(const CoxSolver *solver, uint64_t row);

#endif
