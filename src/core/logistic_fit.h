/*
 * logistic_fit.h - minus the log-likelihood of logistic models plus penalties, minimised over streamed rows.
 *
 *     minimise  sum w loss(y, theta x) + sum_j l1_j |theta_j| + sum_j l2_j theta_j^2
 *
 * Columns are centred (with an intercept) and scaled inside, so that features far from 0 or of different size do
 * not spoil the curvature; penalties are carried over to that scale. Up to NEWTON_MOST numbers: Newton's method
 * (iteratively reweighted least squares) with step control, with an l1 penalty by coordinate descent on the
 * quadratic model (proximal Newton: Lee, Sun & Saunders 2014); its first step comes from the moments of the columns,
 * without a pass of its own. More numbers: logistic_quasi.c.
 */
#ifndef PGFIT_LOGISTIC_FIT_H
#define PGFIT_LOGISTIC_FIT_H

#include "logistic_model.h"
#include "row_design.h"

#define NEWTON_MOST 800 /* numbers of a fit by Newton's method */
#define LOGISTIC_SEPARATED_LOSS 1e-8 /* a row: the classes are told apart without error */

/* The rows as a fit passes over them: prepared once for all problems of a fit. */
typedef struct LogisticRows {
    Env *env;
    RowDesign *design;
    TileReader *reader;
    bool intercept;
    uint32_t classes;
    const double *factors; /* [classes] of the rows' weights; NULL: 1 */
    uint32_t terms;        /* kept: not constant, not dependent */
    uint32_t count;        /* numbers of an equation: the intercept first, then the kept terms */
    uint32_t *term;        /* [terms] a kept one's place among the design's terms */
    uint8_t *dropped;      /* [design terms] 1: constant (with an intercept), 2: depends on others */
    double *center, *scale, *deviation; /* [design terms]; center 0 without intercept */
    double weight;         /* of all rows, with factors */
    double *class_weight;  /* [classes] with factors */
    double *class_sums;    /* [classes x count] of the standardised columns, weighted */
    double *gram;          /* packed, of the standardised columns, weighted; NULL: too many */
    double *squares;       /* [count] its diagonal */
    /* a tile at hand */
    DesignTile tile;
    const double **columns; /* [count + padding] */
    double *zeros, *ones;   /* [DESIGN_TILE] */
    double *scratch;        /* [4 x DESIGN_TILE] */
    uint64_t passes;
    void *memory;
} LogisticRows;

/*
 * factors: class weights or NULL; live as long. drop: leave out columns that depend linearly on those before
 * (unpenalised fits). One pass.
 */
LogisticRows *logistic_rows(Env *env, RowDesign *design, bool intercept, const double *factors, bool drop);
void logistic_rows_free(LogisticRows *rows);
/* The next tile, its columns standardised, its weights multiplied by the factors; rewinds after the last. */
bool logistic_next_tile(LogisticRows *rows);

/* One problem over the rows. */
typedef struct LogisticProblem {
    LogisticRows *rows;
    uint32_t classes;    /* of softmax; 2: binary */
    uint32_t equations;  /* free ones: 1, classes, or classes - 1 where the first class is fixed at 0 */
    const int8_t *signs; /* binary: [rows->classes] 1, -1, or 0 (not used); NULL: softmax */
    LogisticPenalty penalty;
    double *start;       /* [equations x count] standardised, or NULL */
    int64_t max_iter;
    double tolerance;    /* of the objective, times the mean weight of a row */
} LogisticProblem;

typedef struct LogisticSolution {
    uint32_t size;        /* equations x count */
    double *theta;        /* [size] equation by equation, standardised */
    double loss;          /* minus the log-likelihood */
    double null_loss;     /* of the intercepts alone (without one: of theta 0) */
    double objective;
    double *hessian;      /* [size x size] of the loss at theta, both triangles; NULL: not asked for */
    int64_t iterations;
    bool converged;
    bool separated;       /* the classes can be told apart without error: no maximum */
} LogisticSolution;

/* hessian: wanted at the solution (costs a pass). method: for progress. */
LogisticSolution logistic_solve(const LogisticProblem *problem, bool hessian, const char *method);

/* ---- what logistic_fit.c and logistic_quasi.c share ---- */

/* The loss and its derivatives at theta; pair blocks: equations e <= f, each packed count x count. */
typedef struct LogisticPoint {
    double *theta, *gradient, *blocks; /* blocks NULL: none */
    double loss;
} LogisticPoint;
typedef struct LogisticWork {
    const LogisticProblem *problem;
    uint32_t size, pairs;
    double *l1, *l2; /* [size] penalties, standardised */
    double *eta;     /* [classes x DESIGN_TILE] */
    double *y, *weights, *room; /* [DESIGN_TILE], [DESIGN_TILE], [2 x DESIGN_TILE] */
    double *class_y, *class_used; /* [rows->classes] */
    void *memory;
} LogisticWork;
/* One pass. */
void logistic_evaluate(LogisticWork *work, LogisticPoint *point, bool curvature);
double logistic_penalty(const LogisticWork *work, const double *theta);
/* More than NEWTON_MOST numbers: from `at`, which is evaluated. */
void logistic_quasi_newton(LogisticWork *work, LogisticPoint *at, LogisticSolution *solution,
                           const char *method);

#endif
