/*
 * ordinal_solver.c - Newton's method for cumulative models (McCullagh 1980), whose likelihood is concave in cuts and coefficients.
 */
#include "core/classify/ordinal_solver.h"

#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define HALVINGS 40       /* of one step, at most */
#define SUFFICIENT 0.5    /* share of the decrease that a step promises: less lets it jump to where no curvature leads back */
#define RUNAWAY 0.1       /* of the promise of a step, what the next one promises: near a maximum it is far below, on the way to infinity 0.37 */
#define ENDING 1e-4       /* share of the loss: a step that promises more is not near a maximum, and the next one tells nothing */
#define NO_GAIN 1e-18     /* share of the loss: a promise below it is the rounding of the gradient */
#define CERTAIN 1e-14     /* of the weight of the rows: with a loss below it all classes are told for certain, and no loss is 0 */
#define ROUNDING 1e-12    /* share of the loss that a step may lose: below it the sums tell no step from another */

/* A point, with the derivatives of the loss there: minus the log-likelihood. */
typedef struct Point {
    double *numbers;  /* [size] cuts, then theta */
    double *gradient; /* [size] */
    double *hessian;  /* [size x size] */
    double loss;
} Point;

typedef struct Solver {
    Env *env;
    StandardizedRows *rows;
    const uint32_t *rank;
    OrdinalLink link;
    uint32_t cuts, terms, size;
    Point here, there;
    double *step, *factor; /* [size], [size x size] */
    double *gram, *cross;  /* packed [terms]; [cuts x terms] */
    double *eta, *slope, *weight, *crossed; /* [DESIGN_TILE], crossed [cuts x DESIGN_TILE] */
} Solver;

/* ---- distributions ---- */

/* Returns P(Z <= x). */
static double below(OrdinalLink link, double x)
{
    return link == ORDINAL_LOGIT ? 1 / (1 + exp(-x)) : normal_cdf(x);
}

double ordinal_between(OrdinalLink link, double low, double high)
{
    return low > 0 ? below(link, -low) - below(link, -high) : below(link, high) - below(link, low);
}

/* Sets the density at x and its derivative; both are 0 at infinity. */
static void density_at(OrdinalLink link, double x, double *density, double *derivative)
{
    *density = *derivative = 0;
    if (isinf(x))
        return;
    if (link == ORDINAL_LOGIT) {
        double low = below(link, -fabs(x)), high = 1 - low;

        *density = low * high;
        *derivative = *density * (x > 0 ? low - high : high - low);
    } else {
        *density = exp(-x * x / 2) / sqrt(2 * M_PI);
        *derivative = -x * *density;
    }
}

/* ---- the loss ---- */

/* The derivatives of the log-likelihood of one row by its upper and its lower end. */
typedef struct RowTerms {
    double log, upper, lower, upper_upper, lower_lower, upper_lower;
} RowTerms;

static RowTerms row_terms(OrdinalLink link, double low, double high)
{
    double share = ordinal_between(link, low, high), high_density, high_slope, low_density, low_slope;
    RowTerms terms;

    density_at(link, high, &high_density, &high_slope);
    density_at(link, low, &low_density, &low_slope);
    terms.log = log(share);
    terms.upper = high_density / share;
    terms.lower = -low_density / share;
    terms.upper_upper = high_slope / share - terms.upper * terms.upper;
    terms.lower_lower = -low_slope / share - terms.lower * terms.lower;
    terms.upper_lower = -terms.upper * terms.lower;
    return terms;
}

/* Adds the derivatives of the rows of a tile by the cuts, and sets those by the score. */
static void add_cuts(Solver *solver, Point *point)
{
    const DesignTile *tile = &solver->rows->tile;
    uint32_t cuts = solver->cuts;

    memset(solver->crossed, 0, cuts * DESIGN_TILE * sizeof(double));
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        double weight = i < tile->count ? tile->weights[i] : 0;
        uint32_t k;
        RowTerms row;

        solver->slope[i] = solver->weight[i] = 0;
        if (weight == 0)
            continue;
        k = solver->rank[tile->classes[i]];
        row = row_terms(solver->link, k > 0 ? point->numbers[k - 1] - solver->eta[i] : -INFINITY, k < cuts ? point->numbers[k] - solver->eta[i] : INFINITY);
        point->loss -= weight * row.log;
        solver->slope[i] = weight * (row.upper + row.lower);
        solver->weight[i] = -weight * (row.upper_upper + 2 * row.upper_lower + row.lower_lower);
        if (k < cuts) {
            point->gradient[k] -= weight * row.upper;
            point->hessian[(size_t)k * solver->size + k] -= weight * row.upper_upper;
            solver->crossed[(size_t)k * DESIGN_TILE + i] = weight * (row.upper_upper + row.upper_lower);
        }
        if (k > 0) {
            point->gradient[k - 1] -= weight * row.lower;
            point->hessian[(size_t)(k - 1) * solver->size + k - 1] -= weight * row.lower_lower;
            solver->crossed[(size_t)(k - 1) * DESIGN_TILE + i] = weight * (row.lower_lower + row.upper_lower);
        }
        if (k > 0 && k < cuts)
            point->hessian[(size_t)k * solver->size + k - 1] -= weight * row.upper_lower;
    }
}

/* Completes the symmetric Hessian, whose part of the cuts is in the upper triangle by columns. */
static void complete_hessian(const Solver *solver, double *hessian)
{
    uint32_t cuts = solver->cuts, terms = solver->terms;
    size_t size = solver->size;

    for (uint32_t j = 0; j < terms; j++) {
        for (uint32_t k = 0; k < cuts; k++)
            hessian[(cuts + j) * size + k] = solver->cross[(size_t)k * terms + j];
        for (uint32_t i = 0; i <= j; i++)
            hessian[(cuts + j) * size + cuts + i] = solver->gram[factor_packed(j) + i];
    }
    for (size_t j = 0; j < size; j++) {
        for (size_t i = 0; i < j; i++)
            hessian[i * size + j] = hessian[j * size + i];
        if (j % 256 == 255)
            solver->env->poll(solver->env);
    }
}

/* Sets loss, gradient and Hessian of a point, in one pass. The loss is infinite where the cuts do not rise. */
static void evaluate(Solver *solver, Point *point)
{
    StandardizedRows *rows = solver->rows;
    uint32_t cuts = solver->cuts, terms = solver->terms;
    const double *const *columns = rows->columns + rows->intercept;

    point->loss = INFINITY;
    for (uint32_t k = 1; k < cuts; k++)
        if (!(point->numbers[k] > point->numbers[k - 1]))
            return;
    point->loss = 0;
    memset(point->gradient, 0, solver->size * sizeof(double));
    memset(point->hessian, 0, (size_t)solver->size * solver->size * sizeof(double));
    memset(solver->gram, 0, factor_packed(terms) * sizeof(double));
    memset(solver->cross, 0, (size_t)cuts * terms * sizeof(double));
    while (standardized_next_tile(rows)) {
        memset(solver->eta, 0, DESIGN_TILE * sizeof(double));
        if (terms > 0)
            tile_scores(columns, terms, point->numbers + cuts, solver->eta);
        for (uint32_t i = 0; rows->offset != NULL && i < rows->tile.count; i++)
            solver->eta[i] += rows->offset[i];
        add_cuts(solver, point);
        if (terms == 0)
            continue;
        tile_products(columns, terms, solver->slope, point->gradient + cuts);
        tile_gram(solver->env, columns, terms, solver->weight, rows->scratch, solver->gram);
        for (uint32_t k = 0; k < cuts; k++) {
            if (k % 16 == 15)
                solver->env->poll(solver->env);
            tile_products(columns, terms, solver->crossed + (size_t)k * DESIGN_TILE, solver->cross + (size_t)k * terms);
        }
    }
    complete_hessian(solver, point->hessian);
    if (isnan(point->loss))
        point->loss = INFINITY;
}

/* ---- steps ---- */

/* Sets the step to the minimum of the quadratic model. Returns the decrease that it promises, or NaN if the Hessian is singular. */
static double find_step(Solver *solver)
{
    size_t size = solver->size;
    double promise = 0;

    memcpy(solver->factor, solver->here.hessian, size * size * sizeof(double));
    if (cholesky_factor(solver->env, solver->factor, solver->size, CHOLESKY_TOLERANCE(solver->size)) < solver->size)
        return NAN;
    memcpy(solver->step, solver->here.gradient, size * sizeof(double));
    cholesky_solve(solver->env, solver->factor, solver->size, solver->step, 1);
    for (size_t i = 0; i < size; i++)
        promise += solver->step[i] * solver->step[i] / 2;
    cholesky_solve_transposed(solver->env, solver->factor, solver->size, solver->step, 1);
    return promise;
}

/* Moves along the step until the loss is lower. Returns false if it is nowhere. */
static bool search_line(Solver *solver, double promise)
{
    double length = 1;

    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        for (uint32_t j = 0; j < solver->size; j++)
            solver->there.numbers[j] = solver->here.numbers[j] - length * solver->step[j];
        evaluate(solver, &solver->there);
        if (solver->there.loss <= solver->here.loss - SUFFICIENT * length * promise + ROUNDING * solver->here.loss) {
            Point swap = solver->here;

            solver->here = solver->there;
            solver->there = swap;
            return true;
        }
    }
    return false;
}

/* Sets the cuts to those of the shares of the classes, which are the solution without terms. */
static void begin(Solver *solver)
{
    const StandardizedRows *rows = solver->rows;
    double *shares = env_array(solver->env, (size_t)solver->cuts + 1, sizeof(double)), sum = 0;

    for (uint32_t c = 0; c <= solver->cuts; c++)
        shares[solver->rank[c]] = rows->class_weight[c] / rows->weight;
    for (uint32_t k = 0; k < solver->cuts; k++) {
        double above = 0;

        sum += shares[k];
        for (uint32_t c = k + 1; c <= solver->cuts; c++)
            above += shares[c];
        solver->here.numbers[k] = solver->link == ORDINAL_LOGIT ? log(sum / above) : sum < above ? normal_quantile(sum) : -normal_quantile(above);
        if (!isfinite(solver->here.numbers[k]) || (k > 0 && !(solver->here.numbers[k] > solver->here.numbers[k - 1])))
            env_fail(solver->env, ERROR_DATA, "Leave the class out, or join it with one beside it.", "class %u in the order of ordinal_regression has a share of %g of the weight, too little for its cuts to differ",
                     k + 1, shares[k]);
        solver->env->poll(solver->env);
    }
    solver->env->release(solver->env, shares);
}

static double *tile_numbers(Env *env, size_t tiles)
{
    void *memory;

    return env_aligned(env, tiles * DESIGN_TILE, &memory);
}

static Solver solver_new(StandardizedRows *rows, const uint32_t *rank, uint32_t classes, OrdinalLink link)
{
    Env *env = rows->env;
    Solver solver = {.env = env, .rows = rows, .rank = rank, .link = link, .cuts = classes - 1, .terms = rows->terms};
    size_t size = (size_t)solver.cuts + rows->terms;

    env_require_memory(env, (4 * size * size + (size_t)solver.cuts * (rows->terms + DESIGN_TILE) + 6 * size) * sizeof(double), "the cuts and coefficients of all classes");
    solver.size = (uint32_t)size;
    solver.here.numbers = env_array(env, size, sizeof(double));
    solver.here.gradient = env_array(env, size, sizeof(double));
    solver.here.hessian = env_array(env, size * size, sizeof(double));
    solver.there.numbers = env_array(env, size, sizeof(double));
    solver.there.gradient = env_array(env, size, sizeof(double));
    solver.there.hessian = env_array(env, size * size, sizeof(double));
    solver.step = env_array(env, size, sizeof(double));
    solver.factor = env_array(env, size * size, sizeof(double));
    solver.gram = env_array(env, factor_packed(rows->terms) + 1, sizeof(double));
    solver.cross = env_array(env, (size_t)solver.cuts * rows->terms + 1, sizeof(double));
    solver.eta = tile_numbers(env, 1);
    solver.slope = tile_numbers(env, 1);
    solver.weight = tile_numbers(env, 1);
    solver.crossed = tile_numbers(env, solver.cuts);
    return solver;
}

/* Returns the inverse of the Hessian at the solution; NULL if it is singular. */
static double *inverse_hessian(Solver *solver)
{
    size_t size = solver->size;
    double *inverse;

    if (isnan(find_step(solver)))
        return NULL;
    inverse = env_array(solver->env, size * size, sizeof(double));
    for (size_t i = 0; i < size; i++)
        inverse[i * size + i] = 1;
    cholesky_solve(solver->env, solver->factor, solver->size, inverse, solver->size);
    cholesky_solve_transposed(solver->env, solver->factor, solver->size, inverse, solver->size);
    return inverse;
}

/* Steps to the maximum from where the solver is. */
static void maximize(Solver *solver, double tolerance, int64_t max_iter, OrdinalSolution *solution)
{
    Env *env = solver->env;

    while (solution->iterations < max_iter && !solution->converged) {
        double promise = find_step(solver);

        if (isnan(promise) && solution->iterations == 0)
            env_fail(env, ERROR_DATA, "Leave out terms that depend on others.", "the %u terms of ordinal_regression depend linearly on one another", solver->terms);
        solution->unbounded = isnan(promise);
        if (solution->unbounded)
            return;
        env->progress(env, "newton", (uint64_t)solution->iterations, (uint64_t)max_iter, promise);
        solution->converged = promise <= tolerance * solver->here.loss;
        if (!search_line(solver, promise))
            return;
        solution->iterations++;
        solution->unbounded = solver->here.loss <= CERTAIN * solver->rows->weight;
        if (solution->unbounded) {
            solution->converged = false;
            return;
        }
        if (solution->converged) {
            double next = find_step(solver);

            solution->unbounded = isnan(next) || (promise <= ENDING * solver->here.loss && next > RUNAWAY * promise && next > NO_GAIN * solver->here.loss);
            solution->converged = !solution->unbounded;
            return;
        }
    }
}

/* Moves the cuts to their maximum without terms. */
static void fit_cuts(Solver *solver, double tolerance, int64_t max_iter)
{
    OrdinalSolution cuts = {.iterations = 0};
    uint32_t terms = solver->terms, size = solver->size;

    solver->terms = 0;
    solver->size = solver->cuts;
    evaluate(solver, &solver->here);
    if (isinf(solver->here.loss))
        env_fail(solver->env, ERROR_RANGE, "Leave out rows with offsets far from the others.", "the offsets of ordinal_regression differ so much that a row has no probability");
    maximize(solver, tolerance, max_iter, &cuts);
    solver->terms = terms;
    solver->size = size;
}

OrdinalSolution ordinal_solve(StandardizedRows *rows, const uint32_t *rank, uint32_t classes, OrdinalLink link, double tolerance, int64_t max_iter)
{
    Solver solver = solver_new(rows, rank, classes, link);
    OrdinalSolution solution = {.size = solver.size};

    begin(&solver);
    if (rows->offsets != NULL)
        fit_cuts(&solver, tolerance, max_iter);
    evaluate(&solver, &solver.here);
    solution.null_log_likelihood = -solver.here.loss;
    maximize(&solver, tolerance, max_iter, &solution);
    solution.log_likelihood = -solver.here.loss;
    solution.cuts = solver.here.numbers;
    solution.theta = solver.here.numbers + solver.cuts;
    solution.covariance = solution.unbounded ? NULL : inverse_hessian(&solver);
    return solution;
}
