/*
 * logistic_fit.c - chooses how a logistic model is fitted, and begins at the null model: intercepts that predict the shares of
 * the classes.
 */
#include "core/logistic/logistic_fit.h"
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_quadratic.h"

#include <math.h>
#include <string.h>

#define GRADIENT_COLUMNS 24 /* gradients are faster from here on; measured with a million rows, 10 to 200 columns */
/*
 * Multiplications of a Hessian below which Newton's method takes about a millisecond, and its last step is the more accurate. Above it
 * 10,000 rows of 200 columns took it 152 ms, gradients 66; of three classes 762 and 106.
 */
#define GRADIENT_WORK 1e6
#define GRADIENT_STEPS 50 /* without a penalty: fewer steps than these are left to Newton's method, which needs fewer */

/* ---- the null model ---- */

/* Tells whether the problem uses all rows, so that sums over all of them describe its null model. */
static bool uses_all_rows(const LogisticProblem *problem)
{
    for (uint32_t c = 0; !problem->softmax && c < problem->rows->classes; c++)
        if (problem->signs[c] == 0)
            return false;
    return true;
}

/* Returns share log(share), 0 for an empty class. */
static double share_log(double share)
{
    return share > 0 ? share * log(share) : 0;
}

/* Sets theta and the shares to the null model (0 without an intercept) and returns its loss. */
static double null_model(LogisticSolver *solver)
{
    const LogisticProblem *problem = solver->problem;
    const StandardizedRows *rows = problem->rows;
    uint32_t classes = problem->classes, fixed = classes - problem->equations;
    double *shares = solver->shares, total = 0, loss = 0, mean = 0;

    memset(shares, 0, classes * sizeof(double));
    memset(solver->here.theta, 0, solver->size * sizeof(double));
    for (uint32_t c = 0; c < rows->classes; c++)
        if (problem->softmax || problem->signs[c] != 0)
            shares[problem->softmax ? c : problem->signs[c] > 0] += rows->class_weight[c];
    for (uint32_t c = 0; c < classes; c++)
        total += shares[c];
    for (uint32_t c = 0; c < classes; c++) {
        if (rows->intercept && !(shares[c] / total > 0))
            env_fail(rows->env, ERROR_RANGE, "Give the rows weights of similar size.",
                     "the weight of a class, %g, is negligible compared with that of all rows, %g", shares[c], total);
        shares[c] = rows->intercept ? shares[c] / total : 1.0 / classes;
    }
    if (!rows->intercept)
        return total * log(classes);
    for (uint32_t c = 0; c < classes; c++) {
        loss -= total * share_log(shares[c]);
        mean += log(shares[c]) / classes;
    }
    for (uint32_t e = 0; e < problem->equations; e++)
        solver->here.theta[(size_t)e * rows->count] = log(shares[e + fixed]) - (fixed ? log(shares[0]) : mean);
    return loss;
}

/* Evaluates the null model from the moments of the columns, without a pass. */
static void null_point(LogisticSolver *solver, LogisticPoint *point)
{
    const LogisticProblem *problem = solver->problem;
    const StandardizedRows *rows = problem->rows;
    const double *shares = solver->shares;
    uint32_t count = rows->count, fixed = problem->classes - problem->equations;
    size_t packed = factor_packed(count);

    memset(point->gradient, 0, solver->size * sizeof(double));
    for (uint32_t e = 0, pair = 0; e < problem->equations; e++) {
        double *gradient = point->gradient + (size_t)e * count;

        for (uint32_t c = 0; c < rows->classes; c++) {
            bool own = problem->softmax ? c == e + fixed : problem->signs[c] > 0;
            const double *sums = rows->class_sums + (size_t)c * count;

            for (uint32_t j = 0; j < count; j++)
                gradient[j] += (shares[e + fixed] - own) * sums[j];
        }
        for (uint32_t f = e; point->blocks != NULL && f < problem->equations; f++, pair++) {
            double factor = shares[e + fixed] * ((e == f) - shares[f + fixed]);

            for (size_t i = 0; i < packed; i++)
                point->blocks[pair * packed + i] = factor * rows->gram[i];
        }
    }
}

/* ---- a solver ---- */

/*
 * Tells whether a problem without a penalty goes by gradients before Newton's method, whose passes compute the curvature: one is left of five. For 150,000 rows
 * of 30 columns, 100,000 of 50, 50,000 of 100 and 25,000 of 200, two classes take 0.87, 0.60, 0.56 and 0.54 of the time; for three classes, 1.17, 0.99, 0.78
 * and 0.60.
 */
static bool begins_by_gradients(uint64_t rows, uint32_t count, uint32_t equations, int64_t max_iter)
{
    return max_iter >= GRADIENT_STEPS && count >= GRADIENT_COLUMNS * equations && (double)rows * count * count > GRADIENT_WORK;
}

/* Returns what a problem over `rows` rows with `count` columns per equation, the intercept included, needs of them. */
static RowsUse use_of(const LossPenalty *penalty, uint64_t rows, uint32_t count, uint32_t equations)
{
    double columns = (equations + 1.0) * count;

    if (!loss_penalized(penalty))
        return ROWS_INDEPENDENT;
    if (penalty->l1 > 0 || columns < 2 * GRADIENT_COLUMNS || (double)rows * columns * columns < 4 * GRADIENT_WORK)
        return ROWS_PRODUCTS;
    return ROWS_SAMPLE;
}

LogisticProblem logistic_problem(const PenaltyPlan *plan, RowDesign *design, bool softmax, const double *factors)
{
    LogisticProblem problem = {.softmax = softmax,
                               .classes = softmax ? design->classes : 2,
                               .unit = plan->unit,
                               .penalty = plan->penalty,
                               .max_iter = plan->max_iter,
                               .tolerance = plan->tolerance};
    uint32_t count = design->terms + 1;
    RowsUse use;

    problem.equations = problem.classes - !(softmax && loss_penalized(&problem.penalty));
    use = use_of(&problem.penalty, rows_count(design->rows), count, problem.equations);
    problem.by_gradients = use == ROWS_SAMPLE || (use == ROWS_INDEPENDENT && begins_by_gradients(rows_count(design->rows), count, problem.equations, plan->max_iter));
    problem.rows = standardized_rows(design->env, design, plan->intercept, factors, use, "a logistic fit");
    problem.loss_weight = plan->mean ? problem.rows->weight : 1;
    return problem;
}

void logistic_set_lambda(LogisticSolver *solver, double lambda)
{
    LogisticProblem *problem = solver->problem;

    problem->penalty = loss_penalty_at(&problem->unit, lambda * problem->loss_weight);
    for (uint32_t e = 0; e < problem->equations; e++)
        loss_penalty_columns(&problem->penalty, problem->rows, solver->l1 + (size_t)e * problem->rows->count, solver->l2 + (size_t)e * problem->rows->count);
}

/* Allocates the arrays that passes over the rows compute with. */
static void allocate_pass(LogisticSolver *solver)
{
    const LogisticProblem *problem = solver->problem;
    const StandardizedRows *rows = problem->rows;
    Env *env = solver->env;
    TileModel *tile = &solver->tile;
    size_t terms = (size_t)rows->design->terms + 1;
    void *block;

    tile->columns = (const double *const *)rows->columns;
    tile->count = rows->count;
    tile->equations = problem->equations;
    tile->classes = problem->softmax ? problem->classes : 1;
    tile->scratch = rows->scratch;
    tile->eta = env_aligned(env, ((size_t)tile->classes + 4) * DESIGN_TILE, &block);
    tile->y = tile->eta + (size_t)tile->classes * DESIGN_TILE;
    tile->w = tile->y + DESIGN_TILE;
    tile->room = tile->w + DESIGN_TILE;
    solver->class_y = env_array(env, rows->classes, sizeof(double));
    solver->class_used = env_array(env, rows->classes, sizeof(double));
    solver->slopes = env_array(env, problem->equations, terms * sizeof(double));
    solver->part = env_array(env, problem->equations, terms * sizeof(double));
    solver->sums = env_array(env, problem->equations, terms * sizeof(double));
}

LogisticSolver *logistic_solver(LogisticProblem *problem)
{
    const StandardizedRows *rows = problem->rows;
    Env *env = rows->env;
    LogisticSolver *solver = env_array(env, 1, sizeof(LogisticSolver));
    bool dense, by_gradients, both;
    size_t size, square, packed;

    solver->problem = problem;
    solver->env = env;
    if (__builtin_mul_overflow(problem->equations, rows->count, &solver->size))
        env_fail(env, ERROR_LIMIT, "Fit fewer features or classes.",
                 "%u equations of %u numbers are too many", problem->equations, rows->count);
    size = solver->size;
    square = size * size;
    dense = size <= NEWTON_MOST;
    /* Newton's method alone is as fast as gradients without a preconditioner */
    by_gradients = !dense || (problem->by_gradients && (loss_penalized(&problem->penalty) || rows->gram != NULL));
    both = by_gradients && dense && !loss_penalized(&problem->penalty);
    env_require_memory(env, ((dense ? (both ? 8 : 4) * square : 0) + (by_gradients ? 50 : 8) * size) * sizeof(double),
                       "logistic_regression");
    solver->pairs = (uint32_t)((uint64_t)problem->equations * (problem->equations + 1) / 2);
    packed = solver->pairs * factor_packed(rows->count) + 1;
    solver->l1 = env_array(env, size + 1, sizeof(double));
    solver->l2 = env_array(env, size + 1, sizeof(double));
    solver->shares = env_array(env, problem->classes, sizeof(double));
    solver->slope = env_array(env, size + 1, sizeof(double));
    solver->step = env_array(env, size + 1, sizeof(double));
    solver->here.theta = env_array(env, size + 1, sizeof(double));
    solver->here.gradient = env_array(env, size + 1, sizeof(double));
    solver->there.theta = env_array(env, size + 1, sizeof(double));
    solver->there.gradient = env_array(env, size + 1, sizeof(double));
    allocate_pass(solver);
    if (by_gradients)
        solver->lbfgs = logistic_lbfgs_new(solver);
    if (by_gradients && !both)
        return solver;
    solver->here.blocks = env_array_raw(env, packed, sizeof(double));
    solver->there.blocks = env_array_raw(env, packed, sizeof(double));
    solver->matrix = env_array_raw(env, square + 1, sizeof(double));
    solver->factor = env_array_raw(env, QUADRATIC_ROOM(size), sizeof(double));
    solver->pivots = env_array_raw(env, size + 1, sizeof(double));
    return solver;
}

/* Evaluates the point where the fit begins; returns whether that is the null model. */
static bool evaluate_start(LogisticSolver *solver, LogisticSolution *solution)
{
    const LogisticProblem *problem = solver->problem;
    bool curvature = solver->lbfgs == NULL;

    for (uint32_t c = 0; c < problem->rows->classes; c++) {
        solver->class_y[c] = problem->softmax ? c : problem->signs[c] > 0;
        solver->class_used[c] = problem->softmax || problem->signs[c] != 0;
    }
    solver->here.loss = solution->null_loss = null_model(solver);
    if (problem->start != NULL) {
        memcpy(solver->here.theta, problem->start, solver->size * sizeof(double));
    } else if (uses_all_rows(problem) && (!curvature || problem->rows->gram != NULL)) {
        null_point(solver, &solver->here);
        return true;
    }
    logistic_evaluate(solver, &solver->here, curvature);
    return problem->start == NULL;
}

LogisticSolution logistic_solve(LogisticSolver *solver, bool hessian)
{
    LogisticSolution solution = {0};
    bool null = evaluate_start(solver, &solution);

    solver->kept = false;
    if (solver->lbfgs != NULL && solver->matrix != NULL && null)
        logistic_keep_pivots(solver);
    if (solver->lbfgs != NULL)
        logistic_lbfgs(solver, &solution, null);
    if (solver->matrix != NULL && !solution.separated) {
        solution.converged = false;
        if (solver->lbfgs != NULL)
            logistic_evaluate(solver, &solver->here, true);
        logistic_newton(solver, &solution, hessian);
    }
    solution.hessian = hessian ? solver->matrix : NULL;
    solution.theta = solver->here.theta;
    solution.loss = solver->here.loss;
    solution.objective = solution.loss + logistic_penalty(solver, solution.theta);
    return solution;
}

const double *logistic_null_gradient(LogisticSolver *solver)
{
    LogisticSolution ignored = {0};

    (void)evaluate_start(solver, &ignored);
    return solver->here.gradient;
}
