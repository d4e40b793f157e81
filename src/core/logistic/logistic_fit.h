/*
 * logistic_fit.h - minus the log-likelihood of logistic models plus penalties, minimized over streamed rows.
 *
 *     minimize  sum w loss(y, theta x) + sum_j l1_j |theta_j| + sum_j l2_j theta_j^2
 *
 * Columns are centered (with an intercept) and scaled internally, so that features far from 0 or of different size do
 * not spoil the curvature; penalties are converted to that scale. Up to NEWTON_MOST parameters are fitted by Newton's
 * method (iteratively reweighted least squares) with step control, under an l1 penalty by coordinate descent on the
 * quadratic model (proximal Newton: Lee, Sun & Saunders 2014); its first step comes from the moments of the columns,
 * without a pass of its own. More parameters, or many columns under an l2 penalty, are fitted by gradients
 * (logistic_lbfgs.c).
 */
#ifndef PGFIT_LOGISTIC_FIT_H
#define PGFIT_LOGISTIC_FIT_H

#include "core/logistic/logistic_model.h"
#include "core/rows/row_design.h"

#define NEWTON_MOST 800 /* most parameters of a fit by Newton's method */
#define LOGISTIC_SEPARATED_LOSS 1e-8 /* per row: below it the classes are perfectly separated */

/* Which cross-products of the columns a fit needs. */
typedef enum LogisticUse {
    LOGISTIC_UNPENALIZED,  /* all, to find dependent columns too */
    LOGISTIC_BY_CURVATURE, /* all: Newton's method */
    LOGISTIC_BY_GRADIENTS, /* those of a sample suffice: for a preconditioner */
} LogisticUse;

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
    double *class_sums;    /* [classes x count] of the standardized columns, weighted */
    double *gram;          /* packed, of the standardized columns, weighted; NULL: too many */
    bool sampled;          /* gram is estimated from a sample of the tiles, for a preconditioner only */
    double *squares;       /* [count] its diagonal */
    /* a tile at hand */
    DesignTile tile;
    const double **columns; /* [count + padding] */
    double *zeros, *ones;   /* [DESIGN_TILE] */
    double *scratch;        /* [4 x DESIGN_TILE] */
    double *line_weights;   /* [DESIGN_TILE] of the lines at hand, with factors */
    uint64_t passes;
    void *memory;
} LogisticRows;

/* Returns how a problem of so many columns, the intercept included, is best solved. */
LogisticUse logistic_use(const LogisticPenalty *penalty, uint32_t count, uint32_t equations);
/*
 * Prepares the rows in one pass. factors: class weights, or NULL; must outlive the result. Unpenalized fits leave out
 * columns that depend linearly on earlier ones.
 */
LogisticRows *logistic_rows(Env *env, RowDesign *design, bool intercept, const double *factors, LogisticUse use);
void logistic_rows_free(LogisticRows *rows);
/* Reads the next tile, with standardized columns and weights times class weights; false: rewound after the last. */
bool logistic_next_tile(LogisticRows *rows);
/* Reads the next rows in row order (tile_lines), with their weights in line_weights; false: rewound after the last. */
bool logistic_next_lines(LogisticRows *rows, DesignBlock *lines);

/* One problem over the rows. */
typedef struct LogisticProblem {
    LogisticRows *rows;
    uint32_t classes;    /* of softmax; 2: binary */
    uint32_t equations;  /* free ones: 1, classes, or classes - 1 where the first class is fixed at 0 */
    const int8_t *signs; /* binary: [rows->classes] 1, -1, or 0 (not used); NULL: softmax */
    LogisticPenalty penalty;
    double *start;       /* [equations x count] standardized, or NULL */
    int64_t max_iter;
    double tolerance;    /* of the objective, times the mean weight of a row */
} LogisticProblem;

typedef struct LogisticSolution {
    uint32_t size;        /* equations x count */
    double *theta;        /* [size] equation by equation, standardized */
    double loss;          /* minus the log-likelihood */
    double null_loss;     /* of the intercepts alone (without one: of theta 0) */
    double objective;
    double *hessian;      /* [size x size] of the loss at theta, both triangles; NULL: not asked for */
    int64_t iterations;
    bool converged;
    bool separated;       /* the classes are perfectly separated: there is no maximum */
} LogisticSolution;

/* Solves the problem. hessian: also compute it at the solution, which costs a pass. method: for progress reports. */
LogisticSolution logistic_solve(const LogisticProblem *problem, bool hessian, const char *method);

/* ---- shared by the files of a fit ---- */

/* The loss and its derivatives at theta. blocks: one per pair of equations e <= f, each packed count x count. */
typedef struct LogisticPoint {
    double *theta, *gradient, *blocks; /* blocks NULL: none */
    double loss;
} LogisticPoint;
typedef struct LogisticWork {
    const LogisticProblem *problem;
    uint32_t size, pairs;
    double *l1, *l2; /* [size] penalties, standardized */
    double *eta;     /* [classes x DESIGN_TILE] */
    double *y, *weights, *room; /* [DESIGN_TILE], [DESIGN_TILE], [2 x DESIGN_TILE] */
    double *class_y, *class_used; /* [rows->classes] */
    double *slopes;  /* [design terms] theta in the columns' own scale */
    double *part, *sums; /* [equations x (design terms + 1)] gradient of a tile, of all: the intercept first */
    double *shares;  /* [classes] at the null model */
    void *memory;
} LogisticWork;
/* One pass. */
void logistic_evaluate(LogisticWork *work, LogisticPoint *point, bool curvature);
double logistic_penalty(const LogisticWork *work, const double *theta);
/*
 * Writes the Hessian of the loss and the l2 penalty, dense [size x size], from the blocks of a point. Where each class
 * has an equation it adds a weight on the sum of the intercepts, which nothing else determines (the gradient along it
 * is 0).
 */
void logistic_curvature(const LogisticWork *work, const double *blocks, double *matrix);
/* Minimizes by L-BFGS from `at`, which is evaluated. null: it is the null model. */
void logistic_lbfgs(LogisticWork *work, LogisticPoint *at, bool null, LogisticSolution *solution,
                           const char *method);

/* A factored estimate of the curvature, which scales the steps. */
typedef struct LogisticPreconditioner LogisticPreconditioner;
/* Makes one from rows->gram, of the curvature at the null model; NULL: there is none. */
LogisticPreconditioner *logistic_preconditioner(LogisticWork *work);
/* Replaces it by the curvature at a point. */
void logistic_preconditioner_exact(LogisticPreconditioner *preconditioner, const double *blocks);
bool logistic_preconditioner_is_exact(const LogisticPreconditioner *preconditioner);
/* Replaces d, [size], by preconditioner^-1 d. */
void logistic_preconditioner_solve(LogisticPreconditioner *preconditioner, double *d);
void logistic_preconditioner_free(LogisticPreconditioner *preconditioner);

#endif
