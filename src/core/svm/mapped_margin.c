/*
 * mapped_margin.c - Newton's method for smoothed losses, with a falling width.
 */
#include "core/svm/mapped_margin.h"

#include "core/linalg/cholesky.h"
#include "core/linalg/column_loops.h"

#include <math.h>
#include <string.h>

#define ENOUGH 0.1        /* what Newton's method may leave, as a share of the gap */
#define COARSE 0.1        /* gaps above this share of the objective need not be that exact */
#define SEARCH_STEPS 40   /* of a line search */

/*
 * A row's part of the objective, as it is and smoothed, and the derivatives of the smoothed one by its score. gap: its part of the
 * duality gap of the slopes, which are feasible multipliers, where the smoothed objective is least.
 */
typedef struct Loss {
    double exact, smooth, slope, curvature, gap;
} Loss;

typedef struct Solver {
    const MappedMargin *problem;
    Env *env;
    uint32_t features, size; /* size: features and the intercept */
    uint64_t count;
    double width;            /* of the smoothing */
    double linear;           /* d */
    double *theta, *step;    /* [size] the intercept last */
    double *scores;          /* [count] */
    double *changes;         /* [count] of the scores by the step */
    /* of the last pass */
    double exact, smooth;    /* objectives */
    double gap;              /* duality gap, where the gradient is 0 */
    double *gradient;        /* [size] */
    double *within;          /* [size] the part of it by rows within the width */
    double *hessian;         /* [size x size] */
    double *factor;          /* [size x size] */
    MappedGram *gram;
    double *border, corner;  /* [features], sums of curvature times features, and of curvature */
    double *gathered;        /* [features x MAP_TILE] rows within the width */
    double gathered_weights[MAP_TILE];
    uint32_t gathered_count;
    double *products;        /* [MAP_TILE] */
    Loss *losses;            /* [MAP_TILE] */
    bool mapped;             /* the features of all rows have been computed once */
} Solver;

/* ---- losses ---- */

/* Returns max(0, t) times weight, with a parabola for t between 0 and width; slope and curvature by t. */
static Loss hinge(double t, double width, double weight)
{
    Loss out = {0};

    if (!(t > 0))
        return out;
    out.exact = weight * t;
    if (t < width) {
        out.smooth = weight * t * t / (2 * width);
        out.slope = weight * t / width;
        out.curvature = weight / width;
        out.gap = weight * t * (1 - t / width);
    } else {
        out.smooth = weight * (t - width / 2);
        out.slope = weight;
    }
    return out;
}

/* Returns the loss of row i of a tile with this score. */
static Loss loss_of(const Solver *solver, const DesignTile *tile, uint32_t i, double score)
{
    const MappedMargin *problem = solver->problem;
    double weight = problem->C * tile->weights[i], sign = 1;
    Loss out;

    if (weight == 0)
        return (Loss){0};
    if (!isnan(problem->nu)) {
        out = hinge(-score, solver->width, weight);
        out.slope = -out.slope;
        return out;
    }
    if (problem->signs != NULL) {
        sign = problem->signs[tile->classes[i]];
        weight *= problem->factors != NULL ? problem->factors[tile->classes[i]] : 1;
        if (sign == 0 || weight == 0)
            return (Loss){0};
        out = hinge(1 - sign * score, solver->width, weight);
    } else {
        double residual = tile->targets[i] - score;

        sign = residual < 0 ? -1 : 1;
        out = hinge(fabs(residual) - problem->epsilon, solver->width, weight);
    }
    out.slope *= -sign;
    return out;
}

/* ---- passes ---- */

/* Adds the gathered rows to the Hessian. */
static void flush_gathered(Solver *solver)
{
    if (solver->gathered_count == 0)
        return;
    for (uint32_t i = solver->gathered_count; i < MAP_TILE; i++)
        solver->gathered_weights[i] = 0;
    for (uint32_t j = 0; j < solver->features; j++)
        memset(solver->gathered + (size_t)j * MAP_TILE + solver->gathered_count, 0,
               (MAP_TILE - solver->gathered_count) * sizeof(double));
    for (uint32_t j = 0; j < solver->features; j++)
        solver->border[j] += column_dot(solver->gathered + (size_t)j * MAP_TILE, solver->gathered_weights, MAP_TILE);
    mapped_gram_add(solver->gram, solver->gathered, solver->gathered_weights);
    solver->gathered_count = 0;
}

/* Gathers the rows of a tile that are within the width. */
static void gather(Solver *solver, const DesignTile *tile)
{
    uint32_t from = 0;

    while (from < tile->count) {
        uint32_t places[MAP_TILE], count = 0, at = solver->gathered_count;

        for (; from < tile->count && at + count < MAP_TILE; from++)
            if (solver->losses[from].curvature > 0) {
                solver->gathered_weights[at + count] = solver->losses[from].curvature;
                solver->corner += solver->losses[from].curvature;
                places[count++] = from;
            }
        for (uint32_t j = 0; count > 0 && j < solver->features; j++) {
            const double *x = tile->x + (size_t)j * MAP_TILE;
            double *to = solver->gathered + (size_t)j * MAP_TILE + at;

            for (uint32_t k = 0; k < count; k++)
                to[k] = x[places[k]];
        }
        solver->gathered_count = at + count;
        if (solver->gathered_count == MAP_TILE)
            flush_gathered(solver);
    }
}

/* Adds the losses of a tile at scores + changes, with their derivatives. */
static void add_tile(Solver *solver, const DesignTile *tile)
{
    double slopes[MAP_TILE] = {0}, inner[MAP_TILE] = {0}, sum = 0, inner_sum = 0;
    bool any = false;

    for (uint32_t i = 0; i < tile->count; i++) {
        uint64_t row = tile->first + i;

        solver->losses[i] = loss_of(solver, tile, i, solver->scores[row] + solver->changes[row]);
        solver->exact += solver->losses[i].exact;
        solver->smooth += solver->losses[i].smooth;
        solver->gap += solver->losses[i].gap;
        slopes[i] = solver->losses[i].slope;
        sum += slopes[i];
        if (solver->losses[i].curvature > 0) {
            inner[i] = slopes[i];
            inner_sum += slopes[i];
            any = true;
        }
    }
    for (uint32_t j = 0; j < solver->features; j++)
        solver->gradient[j] += column_dot(tile->x + (size_t)j * MAP_TILE, slopes, MAP_TILE);
    solver->gradient[solver->features] += sum;
    if (!any)
        return;
    for (uint32_t j = 0; j < solver->features; j++)
        solver->within[j] += column_dot(tile->x + (size_t)j * MAP_TILE, inner, MAP_TILE);
    solver->within[solver->features] += inner_sum;
    gather(solver, tile);
}

/* Reads all rows: sets changes to what the step makes of the scores, and objectives, gradient and Hessian at theta + step. */
static void pass(Solver *solver)
{
    uint32_t m = solver->features;
    double intercept = solver->theta[m] + solver->step[m], square = 0;
    DesignTile tile;

    for (uint32_t j = 0; j < m; j++) {
        double w = solver->theta[j] + solver->step[j];

        square += w * w;
        solver->gradient[j] = w;
    }
    solver->gradient[m] = solver->linear;
    solver->exact = solver->smooth = square / 2 + solver->linear * intercept;
    solver->corner = solver->gap = 0;
    memset(solver->border, 0, m * sizeof(double));
    memset(solver->within, 0, solver->size * sizeof(double));
    mapped_gram_clear(solver->gram);
    mapped_rewind(solver->problem->rows);
    while (mapped_next(solver->problem->rows, &tile)) {
        if (!solver->mapped && tile.first / MAP_TILE % 16 == 0) /* the first pass computes the features */
            solver->env->progress(solver->env, "feature map", tile.first, solver->count, NAN);
        mapped_products(solver->problem->rows, &tile, solver->step, 1, solver->products);
        for (uint32_t i = 0; i < tile.count; i++)
            solver->changes[tile.first + i] = solver->products[i] + solver->step[m];
        add_tile(solver, &tile);
    }
    solver->mapped = true;
    flush_gathered(solver);
    mapped_gram_read(solver->gram, solver->hessian, solver->size);
    for (uint32_t j = 0; j < m; j++) {
        solver->hessian[(size_t)j * solver->size + j] += 1;
        solver->hessian[(size_t)j * solver->size + m] = solver->hessian[(size_t)m * solver->size + j] = solver->border[j];
    }
    solver->hessian[(size_t)m * solver->size + m] = solver->corner;
}

/* Makes the step of the last pass part of theta. */
static void accept(Solver *solver)
{
    for (uint32_t j = 0; j < solver->size; j++) {
        solver->theta[j] += solver->step[j];
        solver->step[j] = 0;
    }
    for (uint64_t i = 0; i < solver->count; i++)
        solver->scores[i] += solver->changes[i];
    solver->env->poll(solver->env);
}

/* ---- steps ---- */

/* Sets step to Newton's at theta, and returns minus its product with the gradient: twice what the parabola falls by. */
static double newton_step(Solver *solver)
{
    uint32_t n = solver->size;
    double *b = solver->step, decrement = 0, *corner = &solver->factor[(size_t)n * n - 1];

    env_copy(solver->env, solver->factor, solver->hessian, (size_t)n * n * sizeof(double));
    /* without rows in the width nothing holds the intercept */
    *corner = fmax(*corner * (1 + 1e-12), 1e-9 * (1 + solver->corner));
    for (uint32_t j = 0; j < n; j++)
        b[j] = -solver->gradient[j];
    if (cholesky_factor(solver->env, solver->factor, n, 0) < n) /* the intercept is determined by rounding alone */
        *corner = sqrt(1e-9 * (1 + solver->corner));
    cholesky_solve(solver->env, solver->factor, n, b, 1);
    cholesky_solve_transposed(solver->env, solver->factor, n, b, 1);
    for (uint32_t j = 0; j < n; j++)
        decrement -= b[j] * solver->gradient[j];
    return decrement;
}

/*
 * Returns the duality gap at theta of the slopes as multipliers, whose w is theta less the gradient. They add up to d but for the
 * gradient of the intercept. A row within the width can take that up, where its loss is 0 to within the width; if there is none, it
 * counts by how far the intercept is from 0.
 */
static double duality_gap(const Solver *solver)
{
    uint32_t m = solver->features;
    double stray = fabs(solver->gradient[m]), square = stray * stray;

    for (uint32_t j = 0; j < m; j++)
        square += solver->gradient[j] * solver->gradient[j];
    return solver->gap + square / 2 + stray * (solver->corner > 0 ? solver->width : fabs(solver->theta[m]));
}

/* Returns how much narrower the next width is, by how well the last step hit the minimum: left, as a share of the gap. */
static double factor_of(double left)
{
    return left < 1e-4 ? 0.1 : left < 1e-3 ? 0.25 : left < 1e-2 ? 0.4 : 0.6;
}

/*
 * Narrows the width. Gradient and Hessian become those of the new width with the same rows within it: their multipliers, which are
 * slopes, then stay nearly what they are, and the step leads to where the rows are within the new width.
 */
static void narrow(Solver *solver, double factor)
{
    double ratio = 1 / factor;
    uint32_t n = solver->size;

    solver->width *= factor;
    solver->corner *= ratio;
    for (uint32_t j = 0; j < n; j++) {
        solver->gradient[j] += (ratio - 1) * solver->within[j];
        for (uint32_t i = 0; i < n; i++) {
            double *cell = &solver->hessian[(size_t)j * n + i], own = i == j && j + 1 < n;

            *cell = own + ratio * (*cell - own);
        }
        if (j % 256 == 0)
            solver->env->poll(solver->env);
    }
}

/* Returns the derivative of the smoothed objective along the step at theta + share x step; *second: its derivative. */
static double derivative(Solver *solver, double share, double *second)
{
    double sum = 0, square = 0, product = 0;
    DesignTile tile;

    for (uint32_t j = 0; j < solver->features; j++) {
        square += solver->step[j] * solver->step[j];
        product += solver->step[j] * solver->theta[j];
    }
    sum = product + share * square + solver->linear * solver->step[solver->features];
    *second = square;
    mapped_rewind(solver->problem->rows);
    while (mapped_next_plain(solver->problem->rows, &tile))
        for (uint32_t i = 0; i < tile.count; i++) {
            double change = solver->changes[tile.first + i];
            Loss loss = loss_of(solver, &tile, i, solver->scores[tile.first + i] + share * change);

            sum += loss.slope * change;
            *second += loss.curvature * change * change;
        }
    return sum;
}

/* Scales the step of the last pass to the minimum along it: Newton's method for the derivative, within a bracket. */
static void search(Solver *solver)
{
    double low = 0, high = 1, share = 0.5, second;

    for (int k = 0; k < SEARCH_STEPS; k++) {
        double first = derivative(solver, share, &second), next;

        if (first < 0)
            low = share;
        else
            high = share;
        next = second > 0 ? share - first / second : share;
        next = next > low && next < high ? next : (low + high) / 2;
        if (fabs(next - share) < 1e-3 * share)
            break;
        share = next;
    }
    for (uint32_t j = 0; j < solver->size; j++)
        solver->step[j] *= share;
}

/* ---- the whole ---- */

size_t mapped_margin_bytes(const FeatureMap *map, uint64_t rows)
{
    size_t m = map->features;

    return rows * 2 * sizeof(double) + (3 * (m + 1) * (m + 1) + 6 * m + m * MAP_TILE) * sizeof(double);
}

/* Sets the first intercept and width: most rows are within it. */
static void begin(Solver *solver)
{
    const MappedMargin *problem = solver->problem;
    double weight = 0, mean = 0, absolute = 0, self = 0, start = 0;
    DesignTile tile;

    mapped_rewind(problem->rows);
    while (mapped_next_plain(problem->rows, &tile))
        for (uint32_t i = 0; i < tile.count; i++) {
            weight += tile.weights[i];
            if (tile.targets != NULL)
                mean += (tile.targets[i] - mean) * (tile.weights[i] / weight);
        }
    mapped_rewind(problem->rows);
    while (tile.targets != NULL && mapped_next_plain(problem->rows, &tile))
        for (uint32_t i = 0; i < tile.count; i++)
            absolute += tile.weights[i] * fabs(tile.targets[i] - mean) / weight;
    solver->width = 2;
    if (!isnan(problem->nu)) {
        mapped_rewind(problem->rows);
        if (mapped_next(problem->rows, &tile))
            for (uint32_t j = 0; j < solver->features; j++)
                self += tile.x[(size_t)j * MAP_TILE] * tile.x[(size_t)j * MAP_TILE];
        solver->linear = problem->nu * weight;
        solver->width = solver->linear * fmax(self, 1e-300);
        start = -solver->width / 2;
    } else if (problem->signs == NULL) {
        start = mean;
        solver->width = 2 * (absolute > 0 ? absolute : 1);
    }
    solver->theta[solver->features] = start;
    for (uint64_t i = 0; i < solver->count; i++)
        solver->scores[i] = start;
}

static Solver *solver_new(const MappedMargin *problem)
{
    FeatureMap *map = mapped_rows_map(problem->rows);
    Env *env = map->env;
    Solver *solver = env_array(env, 1, sizeof(Solver));
    uint32_t m = map->features, size = m + 1;

    solver->problem = problem;
    solver->env = env;
    solver->features = m;
    solver->size = size;
    solver->count = map->sample->count;
    solver->theta = env_array(env, size, sizeof(double));
    solver->step = env_array(env, 3 * (size_t)size, sizeof(double));
    solver->gradient = solver->step + size;
    solver->within = solver->gradient + size;
    solver->scores = env_array(env, 2 * solver->count, sizeof(double));
    solver->changes = solver->scores + solver->count;
    solver->hessian = env_array(env, size, size * sizeof(double));
    solver->factor = env_array(env, size, size * sizeof(double));
    solver->gram = mapped_gram(env, m);
    solver->border = env_array(env, m, sizeof(double));
    solver->gathered = env_array(env, m, MAP_TILE * sizeof(double));
    solver->products = env_array(env, MAP_TILE, sizeof(double));
    solver->losses = env_array(env, MAP_TILE, sizeof(Loss));
    return solver;
}

static void solver_free(Solver *solver)
{
    Env *env = solver->env;
    void *arrays[] = {solver->scores, solver->hessian, solver->factor, solver->step, solver->gram->lower, solver->gathered};

    for (unsigned i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        env->release(env, arrays[i]);
}

MappedMarginResult mapped_margin(const MappedMargin *problem)
{
    Solver *solver = solver_new(problem);
    MappedMarginResult out = {.weights = solver->theta};
    double last = INFINITY;

    begin(solver);
    while (!out.converged && out.iterations < problem->max_iter) {
        double decrement, enough;

        pass(solver);
        out.iterations++;
        if (solver->smooth > last + 1e-12 * fabs(last)) { /* too far: rows on the way came within the width */
            search(solver);
            last = INFINITY;
            continue;
        }
        accept(solver);
        last = solver->smooth;
        out.objective = solver->exact;
        decrement = newton_step(solver);
        out.gap = duality_gap(solver);
        out.converged = out.gap <= problem->tolerance * fabs(solver->exact);
        solver->env->progress(solver->env, problem->method, (uint64_t)out.iterations, 0, solver->exact);
        enough = solver->gap > COARSE * fabs(solver->exact) ? 1 : ENOUGH;
        if (!out.converged && decrement / 2 <= enough * solver->gap) {
            narrow(solver, factor_of(decrement / 2 / solver->gap));
            newton_step(solver);
            last = INFINITY;
        }
    }
    out.intercept = solver->theta[solver->features];
    out.width = solver->width;
    solver_free(solver);
    return out;
}
