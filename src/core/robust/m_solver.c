/*
 * m_solver.c - iteratively reweighted least squares for M-estimates: the residuals are in memory, the rows are read twice per step.
 *
 * A step solves for the change of theta from the residuals, so that rounding in the weighted cross-products slows the convergence, but does
 * not move its limit.
 */
#include "core/robust/m_solver.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/math/special_functions.h"
#include "core/math/weighted_median.h"

#include <string.h>

#define NORMAL_MAD 0.6745 /* the median of |u| for a standard normal u, with the digits of R's rlm */
#define PERFECT 1e-14     /* of the median |target|: what rounding leaves of residuals */
#define EXACT 100         /* times that, if the residuals of least squares are as large as the targets: beside an offset of the targets, noise is smaller */
#define SCALE_STEPS 1000  /* most steps to an S-scale */
#define SCALE_TOLERANCE 1e-9 /* of the last step, which Newton's method squares */
#define NEAR 0.1          /* a mean loss so near 1/2 lets Newton's method begin */
#define KEEPING 1.345     /* k of Huber's loss, which rejects no row */

/* ---- scales ---- */

static double median_size(const MSolver *solver)
{
    WeightedMedian median = median_of_sizes(solver->env, solver->residuals, solver->counts, solver->count, solver->weight);

    return (median.lower + median.upper) / 2;
}

static double mean_size(const MSolver *solver)
{
    double sum = 0;

    for (uint64_t i = 0; i < solver->count; i++) {
        sum += (solver->counts != NULL ? solver->counts[i] : 1) * fabs(solver->residuals[i]);
        if (i % DESIGN_TILE == 0)
            solver->env->poll(solver->env);
    }
    return sum / solver->weight;
}

double m_mad(const MSolver *solver)
{
    return median_size(solver) / NORMAL_MAD;
}

/* Returns m_s_mean, and in *slope by how much it falls where the logarithm of the scale rises. */
static double s_mean(const MSolver *solver, double k, double scale, double *slope)
{
    double inverse = 1 / (k * scale), sum = 0, slopes = 0, df = solver->weight - solver->width;

    for (uint64_t first = 0; first < solver->count; first += DESIGN_TILE) {
        uint64_t end = first + DESIGN_TILE < solver->count ? first + DESIGN_TILE : solver->count;

        for (uint64_t i = first; i < end; i++) {
            double t = solver->residuals[i] * inverse, square = t * t < 1 ? t * t : 1, count = solver->counts != NULL ? solver->counts[i] : 1;

            sum += count * square * (3 + square * (square - 3));
            slopes += count * square * (1 - square) * (1 - square);
        }
        solver->env->poll(solver->env);
    }
    *slope = 6 * slopes / df;
    return sum / df;
}

double m_s_mean(const MSolver *solver, double k, double scale)
{
    double slope;

    return s_mean(solver, k, scale, &slope);
}

double m_off_share(const MSolver *solver)
{
    double sum = 0;

    for (uint64_t i = 0; i < solver->count; i++) {
        if (fabs(solver->residuals[i]) > solver->exact)
            sum += solver->counts != NULL ? solver->counts[i] : 1;
        if (i % DESIGN_TILE == 0)
            solver->env->poll(solver->env);
    }
    return sum / (solver->weight - solver->width);
}

double m_start_scale(const MSolver *solver)
{
    double scale = m_mad(solver);

    if (scale > solver->exact)
        return scale;
    return m_off_share(solver) > 0.5 ? mean_size(solver) : 0;
}

double m_s_scale(const MSolver *solver, double k, double start)
{
    double scale = start, change = 1, slope;

    if (!(start > solver->least) || m_off_share(solver) <= 0.5)
        return 0;
    for (int i = 0; i < SCALE_STEPS && scale > solver->least && fabs(change) > SCALE_TOLERANCE; i++) {
        double mean = s_mean(solver, k, scale, &slope);
        bool near = fabs(mean - 0.5) < fmin(NEAR, slope);

        change = near ? (mean - 0.5) / slope : log(2 * mean) / 2; /* Newton's step, or far off one that always leads nearer */
        scale *= exp(change);
    }
    return scale > solver->least ? scale : 0;
}

/* Returns the scale of Huber's proposal 2 that follows a scale: the root mean square of residuals cut at k scale. */
static double proposal2(const MSolver *solver, double k)
{
    double tails = 2 * normal_cdf(-k), density = exp(-k * k / 2) / sqrt(2 * M_PI), sum = 0;
    double expected = 1 - (tails > 0 ? (1 - k * k) * tails + 2 * k * density : 0); /* mean of the cut squares of standard normal numbers */

    for (uint64_t i = 0; i < solver->count; i++) {
        double size = fmin(fabs(solver->residuals[i] / solver->scale), k);

        sum += (solver->counts != NULL ? solver->counts[i] : 1) * size * size;
        if (i % DESIGN_TILE == 0)
            solver->env->poll(solver->env);
    }
    return solver->scale * sqrt(sum / ((solver->weight - solver->width) * expected));
}

/* ---- steps ---- */

/* Goes on to the next tile of the rows, in rows->tile and rows->columns; false: to the first one, after the last. */
static bool next_tile(MSolver *solver)
{
    StandardizedRows *rows = solver->rows;
    DesignTile *tile = &rows->tile;
    double *x;

    if (solver->sample == NULL)
        return standardized_next_tile(rows);
    solver->env->poll(solver->env);
    tile->first = solver->tile * DESIGN_TILE;
    if (tile->first >= solver->count) {
        solver->tile = 0;
        return false;
    }
    tile->count = solver->count - tile->first < DESIGN_TILE ? (uint32_t)(solver->count - tile->first) : DESIGN_TILE;
    x = solver->sample + solver->tile++ * (rows->terms + 2) * DESIGN_TILE;
    for (uint32_t t = 0; t < rows->terms; t++, x += DESIGN_TILE)
        rows->columns[t + rows->intercept] = x;
    tile->targets = x;
    tile->weights = x + DESIGN_TILE;
    return true;
}

/* Returns the factor that residuals have by the weight of their row. */
static inline double root(const MSolver *solver, double weight)
{
    return solver->counts != NULL ? 1 : sqrt(weight);
}

/* Sets the residuals to those of theta; returns the root of the mean square by which they moved, in units of the scale, which may be 0. */
static double set_residuals(MSolver *solver)
{
    StandardizedRows *rows = solver->rows;
    double *scores = rows->line_weights, squares = 0;

    while (next_tile(solver)) {
        const DesignTile *tile = &rows->tile;
        double *own = solver->residuals + tile->first;

        tile_scores(rows->columns, solver->width, solver->theta, scores);
        for (uint32_t i = 0; i < tile->count; i++) {
            double before = own[i], move, weight = solver->counts != NULL ? solver->counts[tile->first + i] : 1;

            own[i] = root(solver, tile->weights[i]) * (tile->targets[i] / solver->unit - scores[i]);
            move = (own[i] - before) / solver->scale; /* squares of the residuals themselves may be out of range beside an outlier */
            squares += weight * move * move;
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
    while (next_tile(solver)) {
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

/* Moves theta to the weighted least squares of the residuals; loss NULL: of equal weights. Returns false if it is not determined. */
static bool make_step(MSolver *solver, const MLoss *loss)
{
    Env *env = solver->env;
    uint32_t k = solver->width;

    memset(solver->right, 0, k * sizeof(double));
    add_products(solver, loss, solver->right);
    solver->singular = cholesky_factor(env, solver->dense, k, loss != NULL && loss->bisquare ? CHOLESKY_TOLERANCE(k) : 0) < k;
    if (solver->singular)
        return false;
    cholesky_solve(env, solver->dense, k, solver->right, 1);
    cholesky_solve_transposed(env, solver->dense, k, solver->right, 1);
    for (uint32_t j = 0; j < k; j++)
        solver->theta[j] += solver->right[j];
    solver->moved = set_residuals(solver);
    return true;
}

bool m_step(MSolver *solver, MLoss loss)
{
    return make_step(solver, &loss);
}

void m_set_theta(MSolver *solver, const double *theta)
{
    memcpy(solver->theta, theta, solver->width * sizeof(double));
    (void)set_residuals(solver);
    solver->singular = false;
}

void m_products(MSolver *solver, const MLoss *loss)
{
    add_products(solver, loss, NULL);
}

/* ---- the solver ---- */

void m_begin(MSolver *solver)
{
    Env *env = solver->env;
    size_t k = solver->width;

    solver->residuals = env_array(env, solver->count, sizeof(double));
    solver->gram = env_array(env, factor_packed(k) + 1, sizeof(double));
    solver->dense = env_array(env, k * k + 1, sizeof(double));
    solver->right = env_array(env, 2 * k + 1, sizeof(double));
    solver->theta = solver->right + k;
    (void)set_residuals(solver);
}

/* Sets the counts and the unit. */
static void read_targets(MSolver *solver)
{
    StandardizedRows *rows = solver->rows;
    double largest = 0;
    int exponent = 0;

    while (next_tile(solver))
        for (uint32_t i = 0; i < rows->tile.count; i++) {
            largest = fmax(largest, fabs(rows->tile.targets[i]));
            if (solver->counts != NULL)
                solver->counts[rows->tile.first + i] = rows->tile.weights[i];
        }
    (void)frexp(largest, &exponent);
    solver->unit = largest > 0 ? ldexp(1, exponent - 1) : 1;
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
        env_fail(env, ERROR_DATA, "Use more rows or fewer features.", "%s needs at least as many rows as coefficients: %.6g row%s, %u coefficients",
                 method, solver->weight, solver->weight == 1 ? "" : "s", rows->count);
    env_require_memory(env, (solver->count * (1 + counts) + factor_packed(k) + k * k) * sizeof(double), method);
    if (counts)
        solver->counts = env_array(env, solver->count, sizeof(double));
    read_targets(solver);
    m_begin(solver);
    solver->least = PERFECT * median_size(solver);
    return solver;
}

/* ---- solutions ---- */

void m_least_squares(MSolver *solver)
{
    (void)make_step(solver, NULL);
    solver->scale = solver->weight > solver->width ? m_mad(solver) : 0;
    if (solver->least == 0)
        solver->least = PERFECT * (solver->scale > 0 ? solver->scale : mean_size(solver));
    solver->exact = fmin(EXACT * solver->least, fmax(solver->least, EXACT * PERFECT * mean_size(solver)));
}

/* Returns the scale of the residuals after a step. */
static double next_scale(const MSolver *solver, MLoss loss, MScale scale)
{
    switch (scale) {
    case SCALE_MAD:
        return m_mad(solver);
    case SCALE_PROPOSAL2:
        return proposal2(solver, loss.k);
    case SCALE_S:
        return m_s_scale(solver, loss.k, solver->scale);
    case SCALE_FIXED:
        break;
    }
    return solver->scale;
}

void m_solve(MSolver *solver, MLoss loss, MScale scale, double tolerance, int64_t max_iter)
{
    const MLoss keeping = {.k = KEEPING};
    Env *env = solver->env;

    solver->iterations = 0;
    solver->converged = false;
    while (!solver->singular && !solver->converged && solver->scale > solver->least && solver->iterations < max_iter) {
        bool stepped = make_step(solver, &loss);
        double before = solver->scale;

        if (!stepped && !make_step(solver, &keeping)) /* all rows of a rare level may be rejected: a step that rejects none finds its coefficient */
            return;
        solver->iterations++;
        solver->scale = next_scale(solver, loss, scale);
        solver->converged = stepped && solver->moved <= fmax(tolerance, solver->least / solver->scale);
        if (scale == SCALE_PROPOSAL2) /* the residuals may be still while their scale is not */
            solver->converged = solver->converged && fabs(solver->scale - before) <= fmax(tolerance, 1e-12) * before;
        env->progress(env, scale == SCALE_S ? "least scale" : "reweighting", (uint64_t)solver->iterations, (uint64_t)max_iter, solver->moved);
    }
    if (!(solver->scale > solver->exact) && (solver->converged || !(solver->scale > solver->least))) {
        solver->scale = 0;
        solver->converged = true;
    }
}
