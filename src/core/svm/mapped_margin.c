/*
 * mapped_margin.c - Newton's method for smoothed losses, with a falling width.
 */
#include "core/svm/mapped_margin.h"

#include "core/linalg/cholesky.h"
#include "core/rows/row_tile.h"

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
    RowsReader *reader;
    DesignReader *plain;     /* the rows before they are mapped: for passes that need no features */
    MappedGram *gram;
    double *gathered;        /* [MAP_ROWS x size] rows within the width, times the root of their curvature */
    uint32_t gathered_count;
    double *zeros;           /* [features] */
    double slopes[MAP_ROWS], inner[MAP_ROWS];
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

/* Returns the loss of a row with this score. target: a number, or the position of the class. */
static Loss loss_of(const Solver *solver, double target, double weight, double score)
{
    const MappedMargin *problem = solver->problem;
    double sign = 1;
    Loss out;

    weight *= problem->C;
    if (weight == 0)
        return (Loss){0};
    if (!isnan(problem->nu)) {
        out = hinge(-score, solver->width, weight);
        out.slope = -out.slope;
        return out;
    }
    if (problem->signs != NULL) {
        uint32_t class = (uint32_t)target;

        sign = problem->signs[class];
        weight *= problem->factors != NULL ? problem->factors[class] : 1;
        if (sign == 0 || weight == 0)
            return (Loss){0};
        out = hinge(1 - sign * score, solver->width, weight);
    } else {
        double residual = target - score;

        sign = residual < 0 ? -1 : 1;
        out = hinge(fabs(residual) - problem->epsilon, solver->width, weight);
    }
    out.slope *= -sign;
    return out;
}

/* Returns the target of row i of a block. */
static double target_of(const uint32_t *classes, const double *targets, uint32_t i)
{
    return classes != NULL ? classes[i] : targets != NULL ? targets[i] : 0;
}

/* ---- passes ---- */

/* Adds the gathered rows to the Hessian. */
static void flush_gathered(Solver *solver)
{
    if (solver->gathered_count > 0)
        mapped_gram_add(solver->gram, solver->gathered, solver->gathered_count);
    solver->gathered_count = 0;
}

/* Gathers a row that is within the width. */
static void gather(Solver *solver, const double *z, double curvature)
{
    double root = sqrt(curvature), *to = solver->gathered + (size_t)solver->gathered_count * solver->size;

    for (uint32_t j = 0; j < solver->features; j++)
        to[j] = root * z[j];
    to[solver->features] = root;
    if (++solver->gathered_count == MAP_ROWS)
        flush_gathered(solver);
}

/* Adds the losses of a block at scores + changes, with their derivatives. */
static void add_block(Solver *solver, const RowsBlock *block)
{
    uint32_t m = solver->features;
    bool any = false;

    for (uint32_t i = 0; i < block->count; i++) {
        uint64_t row = block->first + i;
        Loss loss = loss_of(solver, block->targets != NULL ? block->targets[i] : 0, row_weight(block->weights, i),
                            solver->scores[row] + solver->changes[row]);
        bool within = loss.curvature > 0;

        solver->exact += loss.exact;
        solver->smooth += loss.smooth;
        solver->gap += loss.gap;
        solver->slopes[i] = loss.slope;
        solver->inner[i] = within ? loss.slope : 0;
        solver->gradient[m] += loss.slope;
        solver->within[m] += solver->inner[i];
        if (within)
            gather(solver, block->slots + (size_t)i * m, loss.curvature);
        any |= within;
    }
    lines_products(block->slots, m, block->count, solver->zeros, solver->slopes, solver->gradient);
    if (any)
        lines_products(block->slots, m, block->count, solver->zeros, solver->inner, solver->within);
}

/* Reads all rows: sets changes to what the step makes of the scores, and objectives, gradient and Hessian at theta + step. */
static void pass(Solver *solver)
{
    uint32_t m = solver->features;
    double square = 0;
    RowsBlock block;

    for (uint32_t j = 0; j < m; j++) {
        double w = solver->theta[j] + solver->step[j];

        square += w * w;
        solver->gradient[j] = w;
    }
    solver->gradient[m] = solver->linear;
    solver->exact = solver->smooth = square / 2 + solver->linear * (solver->theta[m] + solver->step[m]);
    solver->gap = 0;
    memset(solver->within, 0, solver->size * sizeof(double));
    mapped_gram_clear(solver->gram);
    rows_rewind(solver->reader);
    while (rows_next_block(solver->reader, &block)) {
        if (!solver->mapped) /* the first pass computes the features */
            solver->env->progress(solver->env, "feature map", block.first, solver->count, NAN);
        lines_scores(block.slots, m, block.count, solver->zeros, solver->step, solver->step[m], solver->changes + block.first);
        add_block(solver, &block);
    }
    solver->mapped = true;
    flush_gathered(solver);
    mapped_gram_read(solver->gram, solver->hessian);
    for (uint32_t j = 0; j < m; j++)
        solver->hessian[(size_t)j * solver->size + j] += 1;
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

/* Returns the sum of the curvatures: the last diagonal element of the Hessian. */
static double corner_of(const Solver *solver)
{
    return solver->hessian[(size_t)solver->size * solver->size - 1];
}

/* Sets step to Newton's at theta, and returns minus its product with the gradient: twice what the parabola falls by. */
static double newton_step(Solver *solver)
{
    uint32_t n = solver->size;
    double *b = solver->step, decrement = 0, *corner = &solver->factor[(size_t)n * n - 1], sum = corner_of(solver);

    env_copy(solver->env, solver->factor, solver->hessian, (size_t)n * n * sizeof(double));
    /* without rows in the width nothing holds the intercept */
    *corner = fmax(*corner * (1 + 1e-12), 1e-9 * (1 + sum));
    for (uint32_t j = 0; j < n; j++)
        b[j] = -solver->gradient[j];
    if (cholesky_factor(solver->env, solver->factor, n, 0) < n) /* the intercept is determined by rounding alone */
        *corner = sqrt(1e-9 * (1 + sum));
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
    return solver->gap + square / 2 + stray * (corner_of(solver) > 0 ? solver->width : fabs(solver->theta[m]));
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
    for (uint32_t j = 0; j < n; j++) {
        solver->gradient[j] += (ratio - 1) * solver->within[j];
        for (uint32_t i = 0; i < n; i++) {
            double *cell = &solver->hessian[(size_t)j * n + i], own = i == j && j + 1 < n;

            *cell = own + ratio * (*cell - own);
        }
        env_poll_every(solver->env, j, 256);
    }
}

/* Returns the derivative of the smoothed objective along the step at theta + share x step; *second: its derivative. */
static double derivative(Solver *solver, double share, double *second)
{
    double sum = 0, square = 0, product = 0;
    DesignBlock block;

    for (uint32_t j = 0; j < solver->features; j++) {
        square += solver->step[j] * solver->step[j];
        product += solver->step[j] * solver->theta[j];
    }
    sum = product + share * square + solver->linear * solver->step[solver->features];
    *second = square;
    design_rewind(solver->plain);
    while (design_next_block(solver->plain, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double change = solver->changes[block.first + i];
            Loss loss = loss_of(solver, target_of(block.classes, block.targets, i), row_weight(block.weights, i),
                                solver->scores[block.first + i] + share * change);

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

    return rows * 2 * sizeof(double) + (3 * (m + 1) * (m + 1) + 6 * m + m * MAP_ROWS) * sizeof(double);
}

/* Sets the weight of all rows, the mean of their targets and the mean distance from it. */
static void describe_targets(const Solver *solver, double *weight, double *mean, double *absolute)
{
    DesignBlock block;

    *weight = *mean = *absolute = 0;
    while (design_next_block(solver->plain, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            *weight += row_weight(block.weights, i);
            if (block.targets != NULL)
                *mean += (block.targets[i] - *mean) * (row_weight(block.weights, i) / *weight);
        }
    design_rewind(solver->plain);
    while (solver->problem->signs == NULL && isnan(solver->problem->nu) && design_next_block(solver->plain, &block))
        for (uint32_t i = 0; i < block.count; i++)
            *absolute += row_weight(block.weights, i) * fabs(block.targets[i] - *mean) / *weight;
}

/* Sets the first intercept and width: most rows are within it. */
static void begin(Solver *solver)
{
    const MappedMargin *problem = solver->problem;
    double weight, mean, absolute, self = 0, start = 0;
    RowsBlock block;

    describe_targets(solver, &weight, &mean, &absolute);
    solver->width = 2;
    if (!isnan(problem->nu)) {
        if (rows_next_block(solver->reader, &block))
            for (uint32_t j = 0; j < solver->features; j++)
                self += block.slots[j] * block.slots[j];
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
    Env *env = problem->map->env;
    Solver *solver = env_array(env, 1, sizeof(Solver));
    uint32_t m = problem->map->features, size = m + 1;

    solver->problem = problem;
    solver->env = env;
    solver->features = m;
    solver->size = size;
    solver->count = rows_count(problem->rows);
    solver->theta = env_array(env, size, sizeof(double));
    solver->step = env_array(env, 3 * (size_t)size, sizeof(double));
    solver->gradient = solver->step + size;
    solver->within = solver->gradient + size;
    solver->scores = env_array(env, 2 * solver->count, sizeof(double));
    solver->changes = solver->scores + solver->count;
    solver->hessian = env_array(env, size, size * sizeof(double));
    solver->factor = env_array(env, size, size * sizeof(double));
    solver->gram = mapped_gram(env, size);
    solver->gathered = env_array_raw(env, MAP_ROWS, size * sizeof(double));
    solver->zeros = env_array(env, size, sizeof(double));
    solver->reader = rows_reader(env, problem->rows);
    solver->plain = design_reader(problem->map->sample->design);
    return solver;
}

static void solver_free(Solver *solver)
{
    Env *env = solver->env;
    void *arrays[] = {solver->scores, solver->hessian, solver->factor, solver->gathered, solver->gram->lower};

    rows_reader_free(solver->reader);
    design_reader_free(solver->plain);
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
        solver->env->progress(solver->env, problem->method, (uint64_t)out.iterations, (uint64_t)problem->max_iter, solver->exact);
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
