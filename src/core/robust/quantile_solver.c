/*
 * quantile_solver.c - the interior point method of Portnoy & Koenker (1997, Statistical Science 12) for quantile regression, with the
 * predictor and corrector of Mehrotra (1992).
 *
 * The dual is a linear program with a box: maximize y'a over 0 <= a <= 1 with X'a = (1 - quantile) X'1, rows times weights. Each
 * iteration solves two systems with one weighted X'X. The barrier keeps a solution that is not unique in the middle of all
 * solutions, so that it does not depend on the order of the rows: the median of 1, 2, 3, 4 is 2.5.
 */
#include "core/robust/quantile_solver.h"
#include "core/base/sort.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/math/weighted_median.h"

#include <math.h>
#include <string.h>

#define STEP 0.99995 /* share of the way to the boundary of the box */
#define PERFECT 1e-13 /* of a target, or of the median one: what rounding leaves of a residual */
#define OUTLIER 1e4   /* times the median size of a target: larger ones do not say how exact a solution must be */
#define ROUNDING 1e-9 /* of the objective: a gap that is small enough if the systems become singular */
#define FLOOR 1e-3    /* of the first multipliers, as a share of the mean absolute residual */

struct QuantileSolver {
    Env *env;
    StandardizedRows *rows;
    double tolerance;
    int64_t max_iter;
    uint64_t count, tiles;
    uint32_t width;         /* columns */
    double *x;              /* [tiles][width x DESIGN_TILE] */
    double *target, *weight; /* [tiles x DESIGN_TILE], as the following; padding has weight 0 */
    double *a, *slack;      /* the dual point, and 1 - a */
    double *lower, *upper;  /* multipliers of the box */
    double *step, *lower_step, *upper_step, *shift, *scale, *work;
    double *gram, *dense;   /* packed, and [width x width] */
    double *theta, *right, *move, *change; /* [width] */
    double *zeros;          /* [DESIGN_TILE] */
    const double **columns; /* [width + TILE_PADDING] */
    double *scratch;        /* [4 x DESIGN_TILE] */
};

/* ---- passes over the columns ---- */

static const double *const *tile_columns(const QuantileSolver *solver, uint64_t tile)
{
    for (uint32_t j = 0; j < solver->width; j++)
        solver->columns[j] = solver->x + (tile * solver->width + j) * DESIGN_TILE;
    return solver->columns;
}

/* Sets out to weight times the score of theta. */
static void weighted_scores(const QuantileSolver *solver, const double *theta, double *out)
{
    for (uint64_t t = 0; t < solver->tiles; t++) {
        double *own = out + t * DESIGN_TILE;

        tile_scores(tile_columns(solver, t), solver->width, theta, own);
        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            own[i] *= solver->weight[t * DESIGN_TILE + i];
        solver->env->poll(solver->env);
    }
}

/* Adds the sum of numbers times weight times the columns to sums. numbers: [tiles x DESIGN_TILE], replaced. */
static void add_products(const QuantileSolver *solver, double *numbers, double *sums)
{
    for (uint64_t t = 0; t < solver->tiles; t++) {
        double *own = numbers + t * DESIGN_TILE;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            own[i] *= solver->weight[t * DESIGN_TILE + i];
        tile_products(tile_columns(solver, t), solver->width, own, sums);
        solver->env->poll(solver->env);
    }
}

/* Sets gram to the sum of factors times the squared weight times the products of the columns; work: [tiles x DESIGN_TILE]. */
static void weighted_gram(const QuantileSolver *solver, const double *factors, double *work, double *gram)
{
    memset(gram, 0, factor_packed(solver->width) * sizeof(double));
    for (uint64_t t = 0; t < solver->tiles; t++) {
        double *own = work + t * DESIGN_TILE;

        for (uint32_t i = 0; i < DESIGN_TILE; i++) {
            double weight = solver->weight[t * DESIGN_TILE + i];

            own[i] = (factors != NULL ? factors[t * DESIGN_TILE + i] : 1) * weight * weight;
        }
        tile_gram(solver->env, tile_columns(solver, t), solver->width, own, solver->scratch, gram);
    }
}

/* ---- the rows ---- */

static double *tile_numbers(const QuantileSolver *solver)
{
    void *memory;

    return env_aligned(solver->env, solver->tiles * DESIGN_TILE, &memory);
}

static void load_rows(QuantileSolver *solver)
{
    StandardizedRows *rows = solver->rows;
    uint64_t t = 0;

    while (standardized_next_tile(rows)) {
        const DesignTile *tile = &rows->tile;
        double *x = solver->x + t * solver->width * DESIGN_TILE;

        for (uint32_t j = 0; j < solver->width; j++)
            memcpy(x + (size_t)j * DESIGN_TILE, rows->columns[j], DESIGN_TILE * sizeof(double));
        memcpy(solver->target + t * DESIGN_TILE, tile->targets, DESIGN_TILE * sizeof(double));
        memcpy(solver->weight + t * DESIGN_TILE, tile->weights, DESIGN_TILE * sizeof(double));
        for (uint32_t i = tile->count; i < DESIGN_TILE; i++)
            solver->target[t * DESIGN_TILE + i] = 0;
        t++;
    }
}

QuantileSolver *quantile_solver(StandardizedRows *rows, double tolerance, int64_t max_iter)
{
    Env *env = rows->env;
    QuantileSolver *solver = env_array(env, 1, sizeof(QuantileSolver));
    double **arrays[] = {&solver->target, &solver->weight,     &solver->a,          &solver->slack, &solver->lower, &solver->upper,
                         &solver->step,   &solver->lower_step, &solver->upper_step, &solver->shift, &solver->scale, &solver->work};
    size_t list = sizeof(arrays) / sizeof(arrays[0]), k = rows->count;
    void *memory;

    solver->env = env;
    solver->rows = rows;
    solver->tolerance = tolerance;
    solver->max_iter = max_iter;
    solver->count = rows_count(rows->design->rows);
    solver->tiles = (solver->count + DESIGN_TILE - 1) / DESIGN_TILE;
    solver->width = rows->count;
    env_require_memory(env, (size_t)(solver->tiles * DESIGN_TILE * (k + list + 1) + 2 * k * k) * sizeof(double), "quantile regression of all rows");
    solver->x = env_aligned(env, solver->tiles * DESIGN_TILE * k + 1, &memory);
    for (size_t i = 0; i < list; i++)
        *arrays[i] = tile_numbers(solver);
    solver->gram = env_array(env, factor_packed(k) + 1, sizeof(double));
    solver->dense = env_array(env, k * k + 1, sizeof(double));
    solver->theta = env_array(env, 4 * k + 1, sizeof(double));
    solver->right = solver->theta + k;
    solver->move = solver->right + k;
    solver->change = solver->move + k;
    solver->columns = env_array(env, k + TILE_PADDING, sizeof(double *));
    solver->zeros = env_aligned(env, DESIGN_TILE, &memory);
    for (uint32_t i = 0; i < TILE_PADDING; i++)
        solver->columns[k + i] = solver->zeros;
    solver->scratch = env_aligned(env, 4 * DESIGN_TILE, &memory);
    load_rows(solver);
    return solver;
}

Env *quantile_env(const QuantileSolver *solver)
{
    return solver->env;
}

uint32_t quantile_columns(const QuantileSolver *solver)
{
    return solver->width;
}

uint64_t quantile_rows(const QuantileSolver *solver)
{
    return solver->count;
}

double quantile_row_weight(const QuantileSolver *solver, uint64_t row)
{
    return solver->weight[row];
}

void quantile_row(const QuantileSolver *solver, uint64_t row, double *x)
{
    const double *tile = solver->x + row / DESIGN_TILE * solver->width * DESIGN_TILE + row % DESIGN_TILE;

    for (uint32_t j = 0; j < solver->width; j++)
        x[j] = solver->weight[row] * tile[(size_t)j * DESIGN_TILE];
}

void quantile_products(const QuantileSolver *solver, const double *numbers, double *sums)
{
    memset(solver->work, 0, solver->tiles * DESIGN_TILE * sizeof(double));
    memcpy(solver->work, numbers, solver->count * sizeof(double));
    memset(sums, 0, solver->width * sizeof(double));
    add_products(solver, solver->work, sums);
}

/* ---- one iteration ---- */

/* Factors the weighted cross-products, with factors solver->scale. Returns false if they are singular. */
static bool factor_system(QuantileSolver *solver)
{
    weighted_gram(solver, solver->scale, solver->work, solver->gram);
    dense_from_packed(solver->dense, solver->gram, solver->width);
    return cholesky_factor(solver->env, solver->dense, solver->width, 0) == solver->width; /* few rows near the solution are no failure */
}

static void solve_system(QuantileSolver *solver, double *b)
{
    cholesky_solve(solver->env, solver->dense, solver->width, b, 1);
    cholesky_solve_transposed(solver->env, solver->dense, solver->width, b, 1);
}

/* How far the steps of the dual point and of the multipliers may go. */
typedef struct Reach {
    double primal, dual;
} Reach;

static inline void keep_positive(double number, double step, double *most)
{
    if (step < 0 && number < -*most * step)
        *most = -number / step;
}

/* Returns the shares of the steps that keep everything positive. */
static Reach find_reach(const QuantileSolver *solver)
{
    double primal = 1 / STEP, dual = 1 / STEP;

    for (uint64_t i = 0; i < solver->count; i++) {
        keep_positive(solver->a[i], solver->step[i], &primal);
        keep_positive(solver->slack[i], -solver->step[i], &primal);
        keep_positive(solver->lower[i], solver->lower_step[i], &dual);
        keep_positive(solver->upper[i], solver->upper_step[i], &dual);
        env_poll_rows(solver->env, i);
    }
    return (Reach){fmin(1, STEP * primal), fmin(1, STEP * dual)};
}

/* Returns the complementarity after these shares of the steps: the duality gap of a feasible point. */
static double complementarity(const QuantileSolver *solver, Reach reach)
{
    double sum = 0;

    for (uint64_t i = 0; i < solver->count; i++) {
        sum += (solver->a[i] + reach.primal * solver->step[i]) * (solver->lower[i] + reach.dual * solver->lower_step[i]) +
               (solver->slack[i] - reach.primal * solver->step[i]) * (solver->upper[i] + reach.dual * solver->upper_step[i]);
        env_poll_rows(solver->env, i);
    }
    return sum;
}

/* Sets the affine step; returns false if the system is singular. */
static bool predict_step(QuantileSolver *solver, const double *sums)
{
    uint32_t k = solver->width;

    for (uint64_t i = 0; i < solver->count; i++) {
        solver->scale[i] = 1 / (solver->lower[i] / solver->a[i] + solver->upper[i] / solver->slack[i]);
        solver->shift[i] = solver->lower[i] - solver->upper[i];
        env_poll_rows(solver->env, i);
    }
    if (!factor_system(solver))
        return false;
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->work[i] = solver->scale[i] * solver->shift[i] - solver->a[i];
        env_poll_rows(solver->env, i);
    }
    memcpy(solver->right, sums, k * sizeof(double));
    add_products(solver, solver->work, solver->right);
    memcpy(solver->change, solver->right, k * sizeof(double));
    solve_system(solver, solver->change);
    weighted_scores(solver, solver->change, solver->work);
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->step[i] = solver->scale[i] * (solver->work[i] - solver->shift[i]);
        solver->lower_step[i] = -solver->lower[i] * (1 + solver->step[i] / solver->a[i]);
        solver->upper_step[i] = -solver->upper[i] * (1 - solver->step[i] / solver->slack[i]);
        env_poll_rows(solver->env, i);
    }
    return true;
}

/* Corrects the affine step toward the center of the box, where mu is the mean complementarity aimed at. */
static void correct_step(QuantileSolver *solver, double mu)
{
    for (uint64_t i = 0; i < solver->count; i++) {
        double a = solver->a[i], slack = solver->slack[i];

        solver->shift[i] = solver->scale[i] * (mu * (1 / slack - 1 / a) + solver->step[i] * solver->lower_step[i] / a +
                                               solver->step[i] * solver->upper_step[i] / slack);
        solver->work[i] = solver->shift[i];
        env_poll_rows(solver->env, i);
    }
    memcpy(solver->change, solver->right, solver->width * sizeof(double));
    add_products(solver, solver->work, solver->change);
    solve_system(solver, solver->change);
    weighted_scores(solver, solver->change, solver->work);
    for (uint64_t i = 0; i < solver->count; i++) {
        double low = solver->step[i] * solver->lower_step[i], high = -solver->step[i] * solver->upper_step[i], a = solver->a[i], slack = solver->slack[i];
        double step = solver->scale[i] * (solver->work[i] - solver->lower[i] + solver->upper[i]) - solver->shift[i];

        solver->step[i] = step;
        solver->lower_step[i] = -solver->lower[i] + (mu - solver->lower[i] * step - low) / a;
        solver->upper_step[i] = -solver->upper[i] + (mu + solver->upper[i] * step - high) / slack;
        env_poll_rows(solver->env, i);
    }
}

static void make_step(QuantileSolver *solver, Reach reach)
{
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->a[i] += reach.primal * solver->step[i];
        solver->slack[i] -= reach.primal * solver->step[i];
        solver->lower[i] += reach.dual * solver->lower_step[i];
        solver->upper[i] += reach.dual * solver->upper_step[i];
        env_poll_rows(solver->env, i);
    }
    for (uint32_t j = 0; j < solver->width; j++)
        solver->theta[j] -= reach.dual * solver->change[j];
}

/* ---- a solution ---- */

void quantile_scores(const QuantileSolver *solver, const double *theta, bool weighted, double *scores)
{
    double *tile;
    void *memory;

    tile = env_aligned(solver->env, DESIGN_TILE, &memory);
    for (uint64_t t = 0; t < solver->tiles; t++) {
        uint64_t first = t * DESIGN_TILE, count = solver->count - first < DESIGN_TILE ? solver->count - first : DESIGN_TILE;

        tile_scores(tile_columns(solver, t), solver->width, theta, tile);
        for (uint64_t i = 0; i < count; i++)
            scores[first + i] = tile[i] * (weighted ? solver->weight[first + i] : 1);
        solver->env->poll(solver->env);
    }
    solver->env->release(solver->env, memory);
}

void quantile_residuals(const QuantileSolver *solver, const double *theta, bool weighted, double *residuals)
{
    quantile_scores(solver, theta, false, residuals);
    for (uint64_t i = 0; i < solver->count; i++) {
        residuals[i] = (solver->target[i] - residuals[i]) * (weighted ? solver->weight[i] : 1);
        env_poll_rows(solver->env, i);
    }
}

void quantile_gram(const QuantileSolver *solver, const double *factors, double *gram)
{
    memset(solver->scale, 0, solver->tiles * DESIGN_TILE * sizeof(double));
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->scale[i] = factors != NULL ? factors[i] : 1;
        env_poll_rows(solver->env, i);
    }
    weighted_gram(solver, solver->scale, solver->work, gram);
}

/* Returns the check losses of numbers [rows], each of which counts as at most `most`. */
static double check_losses(const QuantileSolver *solver, const double *numbers, double quantile, double most)
{
    double sum = 0;

    for (uint64_t i = 0; i < solver->count; i++) {
        sum += fmin(fabs(numbers[i]), most) * (numbers[i] < 0 ? 1 - quantile : quantile);
        env_poll_rows(solver->env, i);
    }
    return sum;
}

static double check_loss(const QuantileSolver *solver, double quantile)
{
    quantile_residuals(solver, solver->theta, true, solver->work);
    return check_losses(solver, solver->work, quantile, INFINITY);
}

/* Returns the median size of numbers [rows]. */
static double median_size(const QuantileSolver *solver, const double *numbers)
{
    return median_of_sizes(solver->env, numbers, NULL, solver->count, (double)solver->count).lower;
}

/* Returns whether the residuals [rows], times weight, are what rounding leaves of targets, whose median size is `median`. */
static bool is_perfect(const QuantileSolver *solver, const double *residuals, double median)
{
    for (uint64_t i = 0; i < solver->count; i++) {
        if (fabs(residuals[i]) > PERFECT * fmax(median, fabs(solver->weight[i] * solver->target[i])))
            return false;
        env_poll_rows(solver->env, i);
    }
    return true;
}

/* Sets theta to least squares. Uses work and scale. */
static void set_least_squares(QuantileSolver *solver)
{
    for (size_t i = 0; i < solver->tiles * DESIGN_TILE; i++)
        solver->scale[i] = i < solver->count;
    if (!factor_system(solver))
        env_fail(solver->env, ERROR_RANGE, "Multiply small weights by a large number.", "the weighted features of quantile_regression are too small or too different for a number");
    for (size_t i = 0; i < solver->tiles * DESIGN_TILE; i++)
        solver->work[i] = i < solver->count ? solver->target[i] * solver->weight[i] : 0;
    add_products(solver, solver->work, solver->theta);
    solve_system(solver, solver->theta);
}

/*
 * Sets the dual point to its middle and the multipliers to the residuals of theta. Returns the mean size of a residual, 0 if there is nothing to
 * improve. median: the size of a target.
 */
static double begin(QuantileSolver *solver, double quantile, double median, double *sums)
{
    double mean = 0, floor;

    for (size_t i = 0; i < solver->tiles * DESIGN_TILE; i++)
        solver->work[i] = i < solver->count ? 1 - quantile : 0;
    memset(sums, 0, solver->width * sizeof(double));
    add_products(solver, solver->work, sums);
    memset(solver->step, 0, solver->tiles * DESIGN_TILE * sizeof(double));
    quantile_residuals(solver, solver->theta, true, solver->step);
    for (uint64_t i = 0; i < solver->count; i++) {
        mean += fabs(solver->step[i]) / (double)solver->count;
        env_poll_rows(solver->env, i);
    }
    floor = FLOOR * mean;
    for (uint64_t i = 0; i < solver->count; i++) {
        double residual = -solver->step[i], least = fabs(residual) < floor ? floor : 0;

        solver->a[i] = 1 - quantile;
        solver->slack[i] = quantile;
        solver->lower[i] = fmax(residual, 0) + least;
        solver->upper[i] = fmax(-residual, 0) + least;
        env_poll_rows(solver->env, i);
    }
    return is_perfect(solver, solver->step, median) ? 0 : mean;
}

/*
 * Returns the size of the targets, of which outliers count little: a gap must be small beside it as well, because coefficients that outliers do not
 * move must not be as inexact as these are large. Sets the median size of one. Uses work.
 */
static double target_size(const QuantileSolver *solver, double quantile, double *median)
{
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->work[i] = solver->weight[i] * solver->target[i];
        env_poll_rows(solver->env, i);
    }
    *median = median_size(solver, solver->work);
    return *median > 0 ? check_losses(solver, solver->work, quantile, OUTLIER * *median) : INFINITY;
}

/* Improves theta. Returns the mean size of a residual at the start. */
static double improve(QuantileSolver *solver, double quantile, QuantileSolution *solution)
{
    Env *env = solver->env;
    double *sums = env_array(env, (size_t)solver->width + 1, sizeof(double)), median, size = target_size(solver, quantile, &median);
    double mean = begin(solver, quantile, median, sums);

    memset(solver->step, 0, solver->tiles * DESIGN_TILE * sizeof(double));
    solution->objective = check_loss(solver, quantile);
    solution->gap = mean > 0 ? 0 : solution->objective;
    solution->converged = true;
    while (mean > 0) {
        double mu = complementarity(solver, (Reach){0, 0});
        Reach reach;

        solution->gap = mu;
        if (mu <= solver->tolerance * solution->objective) /* of the start, which is not below that of now */
            solution->objective = check_loss(solver, quantile);
        solution->converged = mu <= solver->tolerance * fmin(solution->objective, size);
        if (solution->converged || solution->iterations == solver->max_iter)
            break;
        if (!predict_step(solver, sums)) { /* rounding has ended what can be won: fewer rows than columns are near a solution that is not unique */
            solution->converged = mu <= ROUNDING * solution->objective;
            break;
        }
        reach = find_reach(solver);
        if (fmin(reach.primal, reach.dual) < 1) {
            correct_step(solver, mu * pow(complementarity(solver, reach) / mu, 3) / (2 * (double)solver->count));
            reach = find_reach(solver);
        }
        make_step(solver, reach);
        solution->iterations++;
        env->progress(env, "interior point", (uint64_t)solution->iterations, 0, mu);
    }
    env->release(env, sums);
    return mean;
}

/* Returns whether no row that was moved in is on another side of the equation than before. */
static bool sides_are_kept(const QuantileSolver *solver, double most)
{
    quantile_residuals(solver, solver->theta, true, solver->work);
    for (uint64_t i = 0; i < solver->count; i++) {
        double target = solver->weight[i] * solver->target[i];

        if (fabs(target) >= most && (target > 0) != (solver->work[i] > 0))
            return false;
        env_poll_rows(solver->env, i);
    }
    return true;
}

/*
 * Solves once more, for what is left of the targets, of which those beyond `most` times weight move in: a solution depends on the side alone on which
 * they are. Large residuals leave their rounding in theta and in the multipliers of all rows.
 */
static void refine(QuantileSolver *solver, double quantile, double most, QuantileSolution *solution)
{
    double *targets = env_array_raw(solver->env, solver->count, sizeof(double));
    QuantileSolution refined = *solution;

    memcpy(targets, solver->target, solver->count * sizeof(double));
    quantile_residuals(solver, solver->theta, false, solver->work);
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->target[i] = fmin(fmax(solver->work[i], -most / solver->weight[i]), most / solver->weight[i]);
        env_poll_rows(solver->env, i);
    }
    memset(solver->theta, 0, solver->width * sizeof(double));
    improve(solver, quantile, &refined);
    if (sides_are_kept(solver, 0.999 * most))
        *solution = refined;
    else
        memset(solver->theta, 0, solver->width * sizeof(double));
    for (uint32_t j = 0; j < solver->width; j++)
        solver->theta[j] += solution->theta[j];
    memcpy(solver->target, targets, solver->count * sizeof(double));
    solver->env->release(solver->env, targets);
}

QuantileSolution quantile_solve(QuantileSolver *solver, double quantile)
{
    QuantileSolution solution = {.theta = env_array(solver->env, (size_t)solver->width + 1, sizeof(double))};
    double start, median;

    memset(solver->theta, 0, solver->width * sizeof(double));
    set_least_squares(solver);
    start = improve(solver, quantile, &solution);
    memcpy(solution.theta, solver->theta, solver->width * sizeof(double));
    quantile_residuals(solver, solver->theta, true, solver->work);
    median = median_size(solver, solver->work);
    if (start > OUTLIER * median && median > 0)
        refine(solver, quantile, OUTLIER * median, &solution);
    solution.objective = check_loss(solver, quantile);
    memcpy(solution.theta, solver->theta, solver->width * sizeof(double));
    return solution;
}

/* ---- the best constant ---- */

typedef struct Weighted {
    double number, weight;
} Weighted;

static int compare(const void *left, const void *right)
{
    const Weighted *a = left, *b = right;

    return a->number < b->number ? -1 : a->number > b->number;
}

double quantile_null_objective(const QuantileSolver *solver, double quantile)
{
    Env *env = solver->env;
    Weighted *list;
    double below = 0, best = 0, sum = 0;

    if (solver->rows->intercept) {
        env_require_memory(env, solver->count * 2 * sizeof(Weighted), "sorting the targets");
        list = env_array_raw(env, solver->count, sizeof(Weighted));
        for (uint64_t i = 0; i < solver->count; i++) {
            list[i] = (Weighted){solver->target[i], solver->weight[i]};
            env_poll_rows(solver->env, i);
        }
        sort_polled(env, list, solver->count, sizeof(Weighted), compare);
        for (uint64_t i = 0; i < solver->count && below < quantile * solver->rows->weight; i++) {
            best = list[i].number;
            below += list[i].weight;
            env_poll_rows(solver->env, i);
        }
        env->release(env, list);
    }
    for (uint64_t i = 0; i < solver->count; i++) {
        sum += solver->weight[i] * (solver->target[i] - best) * (solver->target[i] < best ? quantile - 1 : quantile);
        env_poll_rows(solver->env, i);
    }
    return sum;
}
