/*
 * logistic_fit.h - minus the log-likelihood of logistic models plus penalties, minimized over streamed rows.
 *
 *     minimize  sum w loss(y, theta x) + sum_j l1_j |theta_j| + sum_j l2_j theta_j^2
 *
 * Columns are centered (with an intercept) and scaled internally, so that features far from 0 or of different size do
 * not spoil the curvature; penalties are converted to that scale. Up to NEWTON_MOST parameters are fitted by Newton's
 * method (logistic_newton.c); more parameters, or many columns under an l2 penalty, by gradients (logistic_lbfgs.c). Many
 * columns without a penalty go by gradients first and end by Newton's method, which finds standard errors and separated classes.
 */
#ifndef PGFIT_LOGISTIC_FIT_H
#define PGFIT_LOGISTIC_FIT_H

#include "core/linear_equations/penalty_plan.h"
#include "core/logistic/logistic_tile.h"
#include "core/rows/standardized_rows.h"

#define NEWTON_MOST PRODUCTS_MOST /* most parameters of a fit by Newton's method */

/* One problem over the rows. */
typedef struct LogisticProblem {
    StandardizedRows *rows;
    bool softmax;        /* false: binary */
    uint32_t classes;    /* of softmax; 2: binary */
    uint32_t equations;  /* free equations: 1, classes, or classes - 1 if the first class is fixed at 0 */
    const int8_t *signs; /* binary: [rows->classes] 1, -1, or 0 (class not used) */
    LossPenalty unit, penalty; /* at lambda 1, and now */
    bool by_gradients;   /* many columns, no l1 penalty */
    double loss_weight;  /* multiplies lambda: 1, or the weight of the rows if the penalty is added to a mean of losses */
    double *start;       /* [equations x count] standardized, or NULL */
    int64_t max_iter;
    double tolerance;    /* of the objective, in units of the mean weight of a row */
} LogisticProblem;

/* Prepares the rows in a pass over them, for binary problems or for one of all classes. factors: class weights, or NULL. */
LogisticProblem logistic_problem(const PenaltyPlan *plan, RowDesign *design, bool softmax, const double *factors);

typedef struct LogisticSolution {
    double *theta;        /* [equations x count] equation by equation, standardized */
    double loss;          /* minus the log-likelihood */
    double null_loss;     /* of the intercepts alone (without an intercept: of theta 0) */
    double objective;
    double *hessian;      /* [equations x count] squared, of the loss at theta, both triangles; NULL: not asked for */
    int64_t iterations;
    bool converged;
    bool separated;       /* the classes are perfectly separated: there is no maximum */
} LogisticSolution;

/* Solves problems over the same rows one after the other, in the same memory. */
typedef struct LogisticSolver LogisticSolver;
/* Allocates a solver. problem must outlive it; signs and start may change from one solution to the next. */
LogisticSolver *logistic_solver(LogisticProblem *problem);
/*
 * Solves the problem. hessian: also compute it at the solution, which costs a pass; ignored by fits by gradients. The
 * arrays of the result are valid until the next call.
 */
LogisticSolution logistic_solve(LogisticSolver *solver, bool hessian);
/* Takes up another lambda, above 0 if it was before. */
void logistic_set_lambda(LogisticSolver *solver, double lambda);
/* Returns the gradient of the loss where all coefficients are 0, [equations x count]; the problem has no start. */
const double *logistic_null_gradient(LogisticSolver *solver);

/* ---- shared by the files of a fit ---- */

#define LOGISTIC_FORESEEN 1e-8 /* a last step that gains less than this share of the objective needs no pass, */
#define LOGISTIC_NEAR 1e-20    /* and one that gains less than this one leaves the curvature as it is, to 10 digits */

/* The loss and its derivatives at theta. */
typedef struct LogisticPoint {
    double *theta, *gradient; /* [size] */
    double *blocks; /* the Hessian: one packed [count x count] block per pair of equations e <= f; NULL: none */
    double loss;
} LogisticPoint;

typedef struct Lbfgs Lbfgs;
struct LogisticSolver {
    LogisticProblem *problem;
    Env *env;
    uint32_t size, pairs; /* parameters; pairs of equations e <= f */
    double *l1, *l2;      /* [size] penalties, standardized */
    LogisticPoint here, there; /* the current point, and the one that a step tries */
    double *slope, *step; /* [size] gradient of the objective here (under l1 of L-BFGS: pseudo-gradient), and the step */
    double *matrix;       /* [size x size] Newton: the Hessian of the objective */
    double *factor;       /* [QUADRATIC_ROOM(size)] Newton: scratch */
    double *pivots;       /* [size] without a penalty: of the factor of the curvature at the start of the fit */
    bool kept;            /* the pivots are those of this fit */
    Lbfgs *lbfgs;         /* NULL: Newton alone */
    double *shares;       /* [classes] at the null model */
    /* for a pass */
    TileModel tile;
    double *class_y, *class_used; /* [rows->classes] y of a row by its class; 1, or 0 for a class not used */
    double *slopes;       /* [equations x design terms] theta in the columns' own scale */
    double *part, *sums;  /* [equations x (design terms + 1)] gradient of a tile and of all, the intercept first */
};

/* Evaluates the loss and its gradient at a point, with `curvature` also its blocks, in one pass over the rows. */
void logistic_evaluate(LogisticSolver *solver, LogisticPoint *point, bool curvature);
/* Returns the penalty at theta. */
double logistic_penalty(const LogisticSolver *solver, const double *theta);
/* Returns an element of the gradient of the loss and the l2 penalty. */
static inline double logistic_slope(const LogisticSolver *solver, const LogisticPoint *point, uint32_t i)
{
    return point->gradient[i] + 2 * solver->l2[i] * point->theta[i];
}
/*
 * Writes the Hessian of the loss and the l2 penalty, dense [size x size], from blocks. If each class has an equation,
 * adds a weight on the sum of the intercepts, which nothing else determines (the gradient along it is 0).
 */
void logistic_hessian(const LogisticSolver *solver, const double *blocks, double *matrix);
/* Reports progress and counts an iteration. */
void logistic_progress(const LogisticSolver *solver, LogisticSolution *solution, double objective);
/* Makes the point tried the current one. */
void logistic_swap(LogisticSolver *solver);
/* Tells whether the current point separates the classes perfectly, so that an unpenalized fit has no maximum. */
bool logistic_separates(const LogisticSolver *solver);

/* Keeps the pivots at solver->here, which has its curvature. */
void logistic_keep_pivots(LogisticSolver *solver);
/* Minimize from solver->here, which is evaluated; for Newton's method with its blocks. */
void logistic_newton(LogisticSolver *solver, LogisticSolution *solution, bool hessian);
/* null: solver->here is the null model. Before Newton's method it ends sooner where steps shrink slowly. */
void logistic_lbfgs(LogisticSolver *solver, LogisticSolution *solution, bool null);
Lbfgs *logistic_lbfgs_new(LogisticSolver *solver);

/* A factored estimate of the curvature, which scales the steps of L-BFGS. */
typedef struct LogisticPreconditioner {
    LogisticSolver *solver;
    uint32_t side;   /* of the factor: columns of one equation, or all parameters if exact; 0: there is none */
    bool exact;      /* the curvature at a point of the fit, not at the null model */
    double *factor, *spare, *matrix; /* [side x side] */
    double *weights; /* [equations] of the curvature of each */
} LogisticPreconditioner;
/* Allocates; there is none without rows->gram or under an l1 penalty. */
LogisticPreconditioner logistic_preconditioner(LogisticSolver *solver);
/* Sets it to the curvature at the null model. */
void logistic_preconditioner_null(LogisticPreconditioner *preconditioner);
/* Sets it to the curvature at a point. */
void logistic_preconditioner_exact(LogisticPreconditioner *preconditioner, const double *blocks);
/* Replaces d [size] by preconditioner^-1 d. */
void logistic_preconditioner_solve(const LogisticPreconditioner *preconditioner, double *d);

#endif
