/*
 * quantile_solver.c - the interior point method of Portnoy & Koenker (1997, Statistical Science 12) for quantile regression, with the
 * predictor and corrector of Mehrotra (1992).
 *
 * The dual is a linear program with a box: maximize y'a over 0 <= a <= 1 with X'a = (1 - quantile) X'1, rows times weights. Each
 * iteration solves two systems with one weighted X'X. The barrier keeps a solution that is not unique in the middle of all
 * solutions, so that it does not depend on the order of the rows: the median of 1, 2, 3, 4 is 2.5.
 */
#include "core/robust/quantile_state.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/math/weighted_median.h"

#include <math.h>
#include <string.h>

#define STEP 0.99995 /* share of the way to the boundary of the box */
#define PERFECT 1e-13 /* of a target, or of the median one: what rounding leaves of a residual */
#define OUTLIER 1e4   /* times the median size of a target: larger ones do not say how exact a solution must be */
#define ROUNDING 1e-9 /* of the objective: a gap that is small enough if the systems become singular, or that is rounding */
#define DAMPING 1e-14 /* of the diagonal of a system that is singular in rounding */
#define FLOOR 1e-3    /* of the first multipliers, as a share of the mean absolute residual */

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

void quantile_add_products(const QuantileSolver *solver, double *numbers, double *sums)
{
    for (uint64_t t = 0; t < solver->tiles; t++) {
        double *own = numbers + t * DESIGN_TILE;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            own[i] *= solver->weight[t * DESIGN_TILE + i];
        tile_products(tile_columns(solver, t), solver->width, own, sums);
        solver->env->poll(solver->env);
    }
}

/* Sets gram to the sum of the scales times the squared weights times the products of the columns. Uses work. */
static void scaled_gram(const QuantileSolver *solver, double *gram)
{
    memset(gram, 0, factor_packed(solver->width) * sizeof(double));
    for (uint64_t t = 0; t < solver->tiles; t++) {
        double *own = solver->work + t * DESIGN_TILE;

        for (uint32_t i = 0; i < DESIGN_TILE; i++) {
            double weight = solver->weight[t * DESIGN_TILE + i];

            own[i] = solver->scale[t * DESIGN_TILE + i] * weight * weight;
        }
        tile_gram(solver->env, tile_columns(solver, t), solver->width, own, solver->scratch, gram);
    }
}

/* ---- the rows ---- */

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

#define OWN_ARRAYS 12 /* of [tiles x DESIGN_TILE] */

double quantile_memory(uint64_t count, uint32_t width)
{
    double tiles = (double)((count + DESIGN_TILE - 1) / DESIGN_TILE) + 5; /* the scratch is of five */

    return (tiles * DESIGN_TILE * (width + OWN_ARRAYS) + 2.0 * width * width) * sizeof(double);
}

QuantileSolver *quantile_room(StandardizedRows *rows, uint64_t count, double tolerance, int64_t max_iter)
{
    Env *env = rows->env;
    QuantileSolver *solver = env_array(env, 1, sizeof(QuantileSolver));
    double **arrays[OWN_ARRAYS] = {&solver->target, &solver->weight,     &solver->a,          &solver->slack, &solver->lower, &solver->upper,
                                   &solver->step,   &solver->lower_step, &solver->upper_step, &solver->shift, &solver->scale, &solver->work};
    size_t k = rows->count, each;

    *solver = (QuantileSolver){.env = env, .rows = rows, .tolerance = tolerance, .max_iter = max_iter, .count = count, .width = rows->count};
    solver->tiles = (count + DESIGN_TILE - 1) / DESIGN_TILE;
    each = solver->tiles * DESIGN_TILE;
    solver->x = env_aligned(env, each * (k + OWN_ARRAYS) + 5 * DESIGN_TILE, &solver->memory);
    for (size_t i = 0; i < OWN_ARRAYS; i++)
        *arrays[i] = solver->x + each * (k + i);
    solver->scratch = solver->x + each * (k + OWN_ARRAYS);
    solver->zeros = solver->scratch + 4 * DESIGN_TILE;
    solver->theta = env_array(env, 4 * k + factor_packed(k) + k * k + 1, sizeof(double));
    solver->right = solver->theta + k;
    solver->move = solver->right + k;
    solver->change = solver->move + k;
    solver->gram = solver->change + k;
    solver->dense = solver->gram + factor_packed(k);
    solver->columns = env_array(env, k + TILE_PADDING, sizeof(double *));
    for (uint32_t i = 0; i < TILE_PADDING; i++)
        solver->columns[k + i] = solver->zeros;
    return solver;
}

void quantile_release(QuantileSolver *solver)
{
    Env *env = solver->env;

    env->release(env, solver->memory);
    env->release(env, solver->theta);
    env->release(env, solver->columns);
    env->release(env, solver);
}

QuantileSolver *quantile_solver(StandardizedRows *rows, double tolerance, int64_t max_iter)
{
    uint64_t count = rows_count(rows->design->rows);
    QuantileSolver *solver;

    env_require_memory(rows->env, (size_t)quantile_memory(count, rows->count), "quantile regression of all rows");
    solver = quantile_room(rows, count, tolerance, max_iter);
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
    quantile_add_products(solver, solver->work, sums);
}

/* ---- one iteration ---- */

/* Factors the weighted cross-products, with factors solver->scale. Returns false if they are singular. */
static bool factor_system(QuantileSolver *solver)
{
    scaled_gram(solver, solver->gram);
    dense_from_packed(solver->dense, solver->gram, solver->width);
    return cholesky_factor(solver->env, solver->dense, solver->width, 0) == solver->width; /* few rows near the solution are no failure */
}

/*
 * Factors the same cross-products with a slightly larger diagonal. Where fewer rows than columns are near a solution that is not unique, the other rows
 * are lost in the rounding of these: the step is short in directions that they alone determine, and the next one makes up for it.
 */
static bool factor_damped(QuantileSolver *solver)
{
    dense_from_packed(solver->dense, solver->gram, solver->width);
    for (uint32_t j = 0; j < solver->width; j++)
        solver->dense[(size_t)j * solver->width + j] *= 1 + DAMPING;
    return cholesky_factor(solver->env, solver->dense, solver->width, 0) == solver->width;
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
    if (!factor_system(solver) && !factor_damped(solver))
        return false;
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->work[i] = solver->scale[i] * solver->shift[i] - solver->a[i];
        env_poll_rows(solver->env, i);
    }
    memcpy(solver->right, sums, k * sizeof(double));
    quantile_add_products(solver, solver->work, solver->right);
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
    quantile_add_products(solver, solver->work, solver->change);
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
    scaled_gram(solver, gram);
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

double quantile_check_loss(const QuantileSolver *solver, double quantile)
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

void quantile_drop_rounding(const QuantileSolver *solver, double *residuals)
{
    double left = 0; /* by the tolerance, which is a share of the losses */

    for (uint64_t i = 0; i < solver->count; i++) {
        left += solver->tolerance * fabs(residuals[i]) / (double)solver->count;
        env_poll_rows(solver->env, i);
    }
    for (uint64_t i = 0; i < solver->count; i++) {
        if (fabs(residuals[i]) <= left + PERFECT * fmax(solver->median, fabs(solver->weight[i] * solver->target[i])))
            residuals[i] = 0;
        env_poll_rows(solver->env, i);
    }
}

/* Sets theta to least squares. Uses work and scale. Returns false if the columns are dependent, or too small. */
static bool set_least_squares(QuantileSolver *solver)
{
    memset(solver->theta, 0, solver->width * sizeof(double));
    for (size_t i = 0; i < solver->tiles * DESIGN_TILE; i++)
        solver->scale[i] = i < solver->count;
    if (!factor_system(solver))
        return false;
    for (size_t i = 0; i < solver->tiles * DESIGN_TILE; i++)
        solver->work[i] = i < solver->count ? solver->target[i] * solver->weight[i] : 0;
    quantile_add_products(solver, solver->work, solver->theta);
    solve_system(solver, solver->theta);
    return true;
}

/*
 * Sets the dual point to its middle and the multipliers to the residuals of theta. Returns the mean size of a residual, 0 if there is nothing to
 * improve.
 */
static double begin(QuantileSolver *solver, double quantile, double *sums)
{
    double mean = 0, floor;

    for (size_t i = 0; i < solver->tiles * DESIGN_TILE; i++)
        solver->work[i] = i < solver->count ? 1 - quantile : 0;
    memset(sums, 0, solver->width * sizeof(double));
    quantile_add_products(solver, solver->work, sums);
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
    return is_perfect(solver, solver->step, solver->median) ? 0 : mean;
}

/*
 * Sets the median size of a target, and the size of all, of which outliers count little: a gap must be small beside it as well, because coefficients that
 * outliers do not move must not be as inexact as these are large. Uses work.
 */
static void set_target_size(QuantileSolver *solver, double quantile)
{
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->work[i] = solver->weight[i] * solver->target[i];
        env_poll_rows(solver->env, i);
    }
    solver->median = median_size(solver, solver->work);
    solver->size = solver->median > 0 ? check_losses(solver, solver->work, quantile, OUTLIER * solver->median) : INFINITY;
}

/*
 * Makes the multipliers differ by the residuals in work again. Long steps leave their rounding between the two, and then the complementarity is
 * not the gap of theta. Returns whether that was more than `most` of it.
 */
static bool match_residuals(QuantileSolver *solver, double most)
{
    double gap = 0;

    for (uint64_t i = 0; i < solver->count; i++) {
        solver->work[i] -= solver->upper[i] - solver->lower[i];
        gap += fabs(solver->work[i]) * (solver->work[i] > 0 ? solver->slack[i] : solver->a[i]);
        env_poll_rows(solver->env, i);
    }
    if (!(gap > most))
        return false;
    for (uint64_t i = 0; i < solver->count; i++) {
        solver->upper[i] += fmax(solver->work[i], 0);
        solver->lower[i] += fmax(-solver->work[i], 0);
        env_poll_rows(solver->env, i);
    }
    return true;
}

/* Improves theta. Returns the mean size of a residual at the start. */
static double improve(QuantileSolver *solver, double quantile, QuantileSolution *solution)
{
    Env *env = solver->env;
    double *sums = env_array(env, (size_t)solver->width + 1, sizeof(double)), mean;
    bool matched = false;

    if (solver->size == 0)
        set_target_size(solver, quantile);
    mean = begin(solver, quantile, sums);
    memset(solver->step, 0, solver->tiles * DESIGN_TILE * sizeof(double));
    solution->objective = quantile_check_loss(solver, quantile);
    solution->gap = mean > 0 ? 0 : solution->objective;
    solution->converged = true;
    while (mean > 0) {
        double mu = complementarity(solver, (Reach){0, 0});
        Reach reach;

        solution->gap = mu;
        if (mu <= solver->tolerance * solution->objective) /* of the start, which is not below that of now */
            solution->objective = quantile_check_loss(solver, quantile);
        solution->converged = mu <= solver->tolerance * fmin(solution->objective, solver->size);
        if (solution->iterations == solver->max_iter)
            break;
        if (solution->converged) {
            if (matched || !match_residuals(solver, ROUNDING * solution->objective))
                break;
            matched = true;
            continue;
        }
        if (!predict_step(solver, sums)) { /* rounding has ended what can be won */
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
        env->progress(env, "interior point", (uint64_t)solution->iterations, (uint64_t)solver->max_iter, mu);
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
    solver->size = 0;
    improve(solver, quantile, &refined);
    solver->size = 0;
    if (sides_are_kept(solver, 0.999 * most))
        *solution = refined;
    else
        memset(solver->theta, 0, solver->width * sizeof(double));
    for (uint32_t j = 0; j < solver->width; j++)
        solver->theta[j] += solution->theta[j];
    memcpy(solver->target, targets, solver->count * sizeof(double));
    solver->env->release(solver->env, targets);
}

void quantile_improve(QuantileSolver *solver, double quantile, QuantileSolution *solution)
{
    double start = improve(solver, quantile, solution), median;

    memcpy(solution->theta, solver->theta, solver->width * sizeof(double));
    quantile_residuals(solver, solver->theta, true, solver->work);
    median = median_size(solver, solver->work);
    if (start > OUTLIER * median && median > 0)
        refine(solver, quantile, OUTLIER * median, solution);
}

bool quantile_solve_rows(QuantileSolver *solver, double quantile, QuantileSolution *solution)
{
    if (!set_least_squares(solver))
        return false;
    solver->size = 0; /* that of another quantile */
    quantile_improve(solver, quantile, solution);
    return true;
}

/* ---- the best constant ---- */

/* Reads the targets and weights. */
typedef struct Targets {
    const QuantileSolver *solver;
    uint64_t at;
} Targets;

static uint32_t next_targets(void *source, double *numbers, double *weights)
{
    Targets *targets = source;
    const QuantileSolver *solver = targets->solver;
    uint64_t left = solver->count - targets->at;
    uint32_t count = left < WEIGHTED_BLOCK ? (uint32_t)left : WEIGHTED_BLOCK;

    solver->env->poll(solver->env);
    memcpy(numbers, solver->target + targets->at, count * sizeof(double));
    memcpy(weights, solver->weight + targets->at, count * sizeof(double));
    targets->at = count == 0 ? 0 : targets->at + count;
    return count;
}

double quantile_null_objective(const QuantileSolver *solver, double quantile)
{
    Targets targets = {solver, 0};
    double best = 0, sum = 0;

    if (solver->rows->intercept)
        best = weighted_quantile(&(WeightedNumbers){&targets, next_targets}, quantile * solver->rows->weight);
    for (uint64_t i = 0; i < solver->count; i++) {
        sum += solver->weight[i] * (solver->target[i] - best) * (solver->target[i] < best ? quantile - 1 : quantile);
        env_poll_rows(solver->env, i);
    }
    return sum;
}
