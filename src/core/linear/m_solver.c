/*
 * m_solver.c - iteratively reweighted least squares for M-estimates: the residuals are in memory, the rows are read twice per step.
 *
 * A step solves for the change of theta from the residuals, so that rounding in the weighted cross-products slows the convergence, but does
 * not move its limit.
 */
#include "core/linear/m_solver.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/math/special_functions.h"
#include "core/math/weighted_median.h"

#include <string.h>

#define NORMAL_MAD 0.6745 /* the median of |u| for a standard normal u, with the digits of R's rlm */
#define PERFECT 1e-14     /* of the median |target|: what rounding leaves of residuals */

/* ---- scales ---- */

/* Reads |residuals| for a median. */
typedef struct Sizes {
    const MSolver *solver;
    uint64_t at;
} Sizes;

static uint32_t next_sizes(void *source, double *numbers, double *weights)
{
    Sizes *sizes = source;
    const MSolver *solver = sizes->solver;
    uint32_t count = 0;

    solver->env->poll(solver->env);
    for (; count < WEIGHTED_BLOCK && sizes->at < solver->count; count++, sizes->at++) {
        numbers[count] = fabs(solver->residuals[sizes->at]);
        weights[count] = solver->counts != NULL ? solver->counts[sizes->at] : 1;
    }
    if (count == 0)
        sizes->at = 0;
    return count;
}

static double median_size(const MSolver *solver)
{
    Sizes sizes = {.solver = solver};
    WeightedMedian median = weighted_median(&(WeightedNumbers){.source = &sizes, .next = next_sizes}, solver->weight, 0);

    return (median.lower + median.upper) / 2;
}

/* Returns the scale of Huber's proposal 2 that follows a scale: the root mean square of residuals cut at k scale. */
static double proposal2(const MSolver *solver, double k)
{
    double share = 1 - 2 * normal_cdf(-k), density = exp(-k * k / 2) / sqrt(2 * M_PI), cut = k * solver->scale, sum = 0;
    double expected = share + k * k * (1 - share) - 2 * k * density; /* mean of the cut squares of standard normal numbers */

    for (uint64_t i = 0; i < solver->count; i++) {
        double size = fmin(fabs(solver->residuals[i]), cut);

        sum += (solver->counts != NULL ? solver->counts[i] : 1) * size * size;
        if (i % DESIGN_TILE == 0)
            solver->env->poll(solver->env);
    }
    return sqrt(sum / ((solver->weight - solver->width) * expected));
}

/* ---- steps ---- */

/* Returns the factor that residuals have by the weight of their row. */
static inline double root(const MSolver *solver, double weight)
{
    return solver->counts != NULL ? 1 : sqrt(weight);
}

/* Sets the residuals to those of theta; returns the root of the mean square by which they moved. */
static double set_residuals(MSolver *solver)
{
    StandardizedRows *rows = solver->rows;
    double *scores = rows->line_weights, squares = 0;

    while (standardized_next_tile(rows)) {
        const DesignTile *tile = &rows->tile;
        double *own = solver->residuals + tile->first;

        tile_scores(rows->columns, solver->width, solver->theta, scores);
        for (uint32_t i = 0; i < tile->count; i++) {
            double before = own[i], weight = solver->counts != NULL ? solver->counts[tile->first + i] : 1;

            own[i] = root(solver, tile->weights[i]) * (tile->targets[i] / solver->unit - scores[i]);
            squares += weight * (own[i] - before) * (own[i] - before);
        }
    }
    return sqrt(squares / solver->weight);
}

/* Adds the weighted cross-products of the columns to gram and, if it is not NULL, those with the residuals to right. */
static void add_products(MSolver *solver, const MLoss *loss, double *right)
{
    StandardizedRows *rows = solver->rows;
    double *weights = rows->line_weights;

    memset(solver->gram, 0, factor_packed(solver->width) * sizeof(double));
    while (standardized_next_tile(rows)) {
        const DesignTile *tile = &rows->tile;
        const double *own = solver->residuals + tile->first;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            weights[i] = i < tile->count ? tile->weights[i] * (loss != NULL ? m_weight(*loss, own[i] / solver->scale) : 1) : 0;
        tile_gram(solver->env, rows->columns, solver->width, weights, rows->scratch, solver->gram);
        if (right == NULL)
            continue;
        for (uint32_t i = 0; i < tile->count; i++)
            weights[i] *= own[i] / root(solver, tile->weights[i]);
        tile_products(rows->columns, solver->width, weights, right);
    }
    dense_from_packed(solver->dense, solver->gram, solver->width);
}

/* Moves theta to the weighted least squares of the residuals; loss NULL: of equal weights. Returns how far the residuals moved. */
static double make_step(MSolver *solver, const MLoss *loss)
{
    Env *env = solver->env;
    uint32_t k = solver->width;

    memset(solver->right, 0, k * sizeof(double));
    add_products(solver, loss, solver->right);
    if (cholesky_factor(env, solver->dense, k, 0) < k)
        env_fail(env, ERROR_RANGE, "Multiply small weights by a large number, or leave out features that depend on others.",
                 "the weighted features of %s are too small, or too close to dependent, for a number", solver->method);
    cholesky_solve(env, solver->dense, k, solver->right, 1);
    cholesky_solve_transposed(env, solver->dense, k, solver->right, 1);
    for (uint32_t j = 0; j < k; j++)
        solver->theta[j] += solver->right[j];
    return set_residuals(solver);
}

/* ---- the solver ---- */

/* Sets the residuals of theta 0, the counts and the unit. */
static void read_targets(MSolver *solver)
{
    StandardizedRows *rows = solver->rows;
    double largest = 0;
    int exponent = 0;

    while (standardized_next_tile(rows))
        for (uint32_t i = 0; i < rows->tile.count; i++) {
            largest = fmax(largest, fabs(rows->tile.targets[i]));
            if (solver->counts != NULL)
                solver->counts[rows->tile.first + i] = rows->tile.weights[i];
        }
    (void)frexp(largest, &exponent);
    solver->unit = largest > 0 ? ldexp(1, exponent - 1) : 1;
    (void)set_residuals(solver);
}

MSolver *m_solver(StandardizedRows *rows, const char *method)
{
    Env *env = rows->env;
    const Model *schema = rows_schema(rows->design->rows);
    MSolver *solver = env_array(env, 1, sizeof(MSolver));
    bool counts = (schema->flags & MODEL_FREQUENCY) != 0;
    size_t k = rows->count;

    solver->env = env;
    solver->rows = rows;
    solver->method = method;
    solver->width = rows->count;
    solver->count = rows_count(rows->design->rows);
    solver->weight = model_counted_rows(schema);
    if (solver->weight < rows->count)
        env_fail(env, ERROR_DATA, "Use more rows or fewer features.", "%s needs at least as many rows as coefficients: %.0f rows, %u coefficients",
                 method, solver->weight, rows->count);
    env_require_memory(env, (solver->count * (1 + counts) + factor_packed(k) + k * k) * sizeof(double), method);
    solver->residuals = env_array(env, solver->count, sizeof(double));
    if (counts)
        solver->counts = env_array(env, solver->count, sizeof(double));
    solver->gram = env_array(env, factor_packed(k) + 1, sizeof(double));
    solver->dense = env_array(env, k * k + 1, sizeof(double));
    solver->right = env_array(env, 2 * k + 1, sizeof(double));
    solver->theta = solver->right + k;
    read_targets(solver);
    solver->least = PERFECT * median_size(solver);
    return solver;
}

void m_solve(MSolver *solver, MLoss loss, MScale scale, double tolerance, int64_t max_iter)
{
    Env *env = solver->env;
    double moved = 0;

    if (scale != SCALE_FIXED) {
        (void)make_step(solver, NULL);
        solver->scale = solver->weight > solver->width ? median_size(solver) / NORMAL_MAD : 0;
        if (solver->least == 0)
            solver->least = PERFECT * solver->scale;
    }
    while (solver->scale > solver->least && !solver->converged && solver->iterations < max_iter) {
        moved = make_step(solver, &loss);
        solver->iterations++;
        if (scale == SCALE_MAD)
            solver->scale = median_size(solver) / NORMAL_MAD;
        else if (scale == SCALE_PROPOSAL2)
            solver->scale = proposal2(solver, loss.k);
        solver->converged = moved <= fmax(tolerance * solver->scale, solver->least);
        env->progress(env, "reweighting", (uint64_t)solver->iterations, 0, moved / solver->scale);
    }
    if (!(solver->scale > solver->least))
        solver->scale = 0;
    solver->converged = solver->converged || solver->scale == 0;
    if (!solver->converged)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "%s stopped after %lld steps, the last of which moved the residuals by %g times their scale",
                 solver->method, (long long)solver->iterations, moved / solver->scale);
}

void m_products(MSolver *solver)
{
    add_products(solver, NULL, NULL);
}
