/*
 * mixed_optimizer.c - minimizes the deviance of a mixed model by BFGS with exact slopes.
 *
 * The diagonals of T are bounded below by 0. A step goes at most nine tenths of the way to a bound, so that a variance of 0 is approached and never
 * jumped at: the deviance is an even function of a column of T, and its slope at a column of zeros says nothing. A diagonal that has become small is
 * set to 0 where the deviance is no larger there, and at the end freed again where it would fall. Where it rises with each of them alone it may still
 * fall with several together. With G the slopes in the covariances S = T T', a minimum has G S = 0 and no negative eigenvalue of G.
 */
#include "core/mixed/mixed_optimizer.h"

#include "core/linalg/eigen.h"

#include <math.h>
#include <string.h>

#define SMALL 1e-4         /* of a diagonal, in units of sigma per standardized effect */
#define FREED 4096.0       /* the largest value at which a diagonal at 0 is tried again: with weights far apart, effects are large beside the weighted rows */
#define BESIDE 1e-6      /* of a diagonal at 0, where slopes beside it are taken */
#define LARGE 1e7          /* of a diagonal, at which random effects are as good as fixed ones */
#define EXACT 1e-12        /* the share of the squares that is rounding there */
#define STEP_TOLERANCE 1e-9
#define SLOPE_TOLERANCE 1e-3 /* of the deviance where no step is left */
#define LINE_STEPS 40

typedef struct Parameter {
    double *entry;       /* of a T */
    const double *slope; /* of the deviance in it */
    bool diagonal, held; /* held: at 0 */
    const MixedBlock *block;
    uint32_t row;
} Parameter;

typedef struct Search {
    MixedSystem *system;
    Env *env;
    uint32_t count;
    Parameter *parameters;
    double *x, *g;          /* of the best point, whose deviance is f */
    double *next, *next_g, *direction, *change, *turn;
    double *inverse;        /* [count x count] of the second derivatives */
    double f, noise;
    bool fresh;             /* the inverse is a multiple of the unit matrix */
} Search;

static Search search_begin(MixedSystem *system, const uint32_t *const *bars)
{
    Search search = {.system = system, .env = system->env, .fresh = true};
    size_t most = 0, k;

    for (uint32_t f = 0; f < system->count; f++)
        most += mixed_square(&system->blocks[f]);
    search.parameters = env_array(search.env, most, sizeof(Parameter));
    for (uint32_t f = 0; f < system->count; f++) {
        MixedBlock *block = &system->blocks[f];

        for (uint32_t j = 0; j < block->columns; j++)
            for (uint32_t i = j; i < block->columns && bars[f][i] == bars[f][j]; i++)
                search.parameters[search.count++] = (Parameter){.entry = &block->factor[j * block->columns + i],
                                                                .slope = &block->slope[j * block->columns + i],
                                                                .diagonal = i == j,
                                                                .block = block,
                                                                .row = i};
    }
    k = search.count;
    env_require_memory(search.env, (k * k + 7 * k) * sizeof(double), "the variances of mixed_regression");
    search.x = env_array(search.env, 7 * k, sizeof(double));
    search.g = search.x + k;
    search.next = search.g + k;
    search.next_g = search.next + k;
    search.direction = search.next_g + k;
    search.change = search.direction + k;
    search.turn = search.change + k;
    search.inverse = env_array(search.env, k * k, sizeof(double));
    for (uint32_t i = 0; i < k; i++)
        search.x[i] = search.parameters[i].diagonal;
    return search;
}

/* Evaluates a point, with slopes. */
static double evaluate(Search *search, const double *x, double *g)
{
    double f;

    for (uint32_t i = 0; i < search->count; i++)
        *search->parameters[i].entry = x[i];
    f = mixed_evaluate(search->system);
    if (g == NULL || !isfinite(f))
        return f;
    mixed_solve(search->system);
    mixed_gradient(search->system);
    for (uint32_t i = 0; i < search->count; i++)
        g[i] = search->parameters[i].held ? 0 : *search->parameters[i].slope;
    return f;
}

static double inner(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void reset(Search *search)
{
    memset(search->inverse, 0, (size_t)search->count * search->count * sizeof(double));
    for (uint32_t i = 0; i < search->count; i++)
        search->inverse[(size_t)i * search->count + i] = 1 / fmax(1, sqrt(inner(search->g, search->g, search->count)));
    search->fresh = true;
}

/* Sets the direction of the next step. Returns the slope along it, which is negative, or 0 at a stationary point. */
static double find_direction(Search *search)
{
    uint32_t k = search->count;
    double slope;

    for (uint32_t attempt = 0; attempt < 2; attempt++) {
        for (uint32_t i = 0; i < k; i++)
            search->direction[i] = search->parameters[i].held ? 0 : -inner(search->inverse + (size_t)i * k, search->g, k);
        slope = inner(search->direction, search->g, k);
        if (slope < 0 || search->fresh)
            return slope;
        reset(search);
    }
    return slope;
}

/* Returns the longest step that keeps diagonals positive. */
static double longest_step(const Search *search)
{
    double most = 1;

    for (uint32_t i = 0; i < search->count; i++)
        if (search->parameters[i].diagonal && search->x[i] + most * search->direction[i] < 0.1 * search->x[i])
            most = -0.9 * search->x[i] / search->direction[i];
    return most;
}

/* Makes one step along the direction, whose slope is given. Returns false if no point along it is lower. */
static bool line_search(Search *search, double slope)
{
    double step = longest_step(search), limit = fmin(1, step);

    for (uint32_t i = 0; i < LINE_STEPS; i++) {
        double f, along;

        for (uint32_t j = 0; j < search->count; j++)
            search->next[j] = search->x[j] + step * search->direction[j];
        f = evaluate(search, search->next, search->next_g);
        along = isfinite(f) ? inner(search->next_g, search->direction, search->count) : INFINITY;
        /* within rounding of the deviance, its slope decides (Hager & Zhang 2005) */
        if (f <= search->f + 1e-4 * step * slope || (f <= search->f + search->noise && along <= -0.8 * slope && along >= slope)) {
            for (uint32_t j = 0; j < search->count; j++) {
                search->change[j] = search->next[j] - search->x[j];
                search->turn[j] = search->next_g[j] - search->g[j];
            }
            memcpy(search->x, search->next, search->count * sizeof(double));
            memcpy(search->g, search->next_g, search->count * sizeof(double));
            search->f = f;
            return true;
        }
        /* the minimum of the parabola, within bounds */
        along = isfinite(f) ? -slope * step * step / (2 * (f - search->f - slope * step)) : 0.1 * step;
        step = fmin(fmax(along, 0.1 * step), 0.5 * step);
        if (step < 1e-14 * limit)
            return false;
    }
    return false;
}

/* Updates the inverse by the last step. */
static void update(Search *search)
{
    uint32_t k = search->count;
    double curvature = inner(search->change, search->turn, k), turn = inner(search->turn, search->turn, k), *product = search->next, scale;

    if (!(curvature > 1e-14 * sqrt(turn * inner(search->change, search->change, k))))
        return;
    if (search->fresh) {
        for (uint32_t i = 0; i < k; i++)
            search->inverse[(size_t)i * k + i] = curvature / turn;
        search->fresh = false;
    }
    for (uint32_t i = 0; i < k; i++)
        product[i] = inner(search->inverse + (size_t)i * k, search->turn, k);
    scale = 1 + inner(search->turn, product, k) / curvature;
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < k; j++)
            search->inverse[(size_t)i * k + j] += (scale * search->change[i] * search->change[j] - product[i] * search->change[j] -
                                                   search->change[i] * product[j]) / curvature;
}

/* Holds small diagonals at 0 where the deviance is no larger there. Returns whether it has held one. */
static bool hold_small(Search *search)
{
    bool any = false;

    for (uint32_t i = 0; i < search->count; i++) {
        double f;

        if (!search->parameters[i].diagonal || search->parameters[i].held || search->x[i] > SMALL)
            continue;
        memcpy(search->next, search->x, search->count * sizeof(double));
        search->next[i] = 0;
        f = evaluate(search, search->next, NULL);
        if (!(f <= search->f + search->noise))
            continue;
        search->x[i] = 0;
        search->parameters[i].held = true;
        any = true;
    }
    if (any) {
        search->f = evaluate(search, search->x, search->g);
        reset(search);
    }
    return any;
}

/* Tells whether the deviance of the next point is lower than at this minimum. */
static bool next_is_lower(Search *search)
{
    return evaluate(search, search->next, NULL) < search->f - fmax(1e-8, 2 * search->noise);
}

/* Moves to the next point and begins anew there, with the parameters that are held now. */
static void move_to_next(Search *search)
{
    memcpy(search->x, search->next, search->count * sizeof(double));
    search->f = evaluate(search, search->x, search->g);
    reset(search);
}

/* Frees a diagonal at 0 where the deviance falls with it. Returns whether there is one. */
static bool free_held(Search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (!search->parameters[i].held)
            continue;
        memcpy(search->next, search->x, search->count * sizeof(double));
        for (double x = FREED; x > SMALL; x /= 8) {
            search->next[i] = x;
            if (!next_is_lower(search))
                continue;
            search->parameters[i].held = false;
            move_to_next(search);
            return true;
        }
    }
    search->f = evaluate(search, search->x, search->g);
    return false;
}

/* Returns the number of effects of the bar whose first diagonal is the given parameter; its triangle is packed by columns from there. */
static uint32_t bar_columns(const Search *search, uint32_t first)
{
    uint32_t columns = 1;

    while (first + columns < search->count && !search->parameters[first + columns].diagonal)
        columns++;
    return columns;
}

static bool any_held(const Search *search, uint32_t first, uint32_t columns)
{
    for (uint32_t i = first; i < first + columns * (columns + 1) / 2; i++)
        if (search->parameters[i].held)
            return true;
    return false;
}

/* Sets g [columns x columns] to the slopes in the covariances T T' of a bar, beside the best point, where T has an inverse. */
static void covariance_slopes(Search *search, uint32_t first, uint32_t columns, double *g)
{
    const Parameter *bar = &search->parameters[first];
    uint32_t stride = bar->block->columns;

    for (uint32_t i = 0; i < search->count; i++)
        search->next[i] = search->parameters[i].held ? BESIDE : search->x[i];
    evaluate(search, search->next, search->next_g);
    for (uint32_t j = columns; j-- > 0;) /* those in T are 2 G T */
        for (uint32_t i = 0; i < columns; i++) {
            double sum = bar->slope[j * stride + i] / 2;

            for (uint32_t k = j + 1; k < columns; k++)
                sum -= g[k * columns + i] * bar->entry[j * stride + k];
            g[j * columns + i] = sum / bar->entry[j * stride + j];
        }
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < j; i++)
            g[j * columns + i] = g[i * columns + j] = (g[j * columns + i] + g[i * columns + j]) / 2;
}

/* Adds column column' to the T T' of a bar of the next point, by rotations, which use up the column. */
static void add_column(Search *search, uint32_t first, uint32_t columns, double *column)
{
    double *entry = search->next + first;

    for (uint32_t j = 0; j < columns; entry += columns - j, j++) {
        double length = hypot(entry[0], column[j]), c = length > 0 ? entry[0] / length : 1, s = length > 0 ? column[j] / length : 0;

        entry[0] = length;
        for (uint32_t i = j + 1; i < columns; i++) {
            double below = entry[i - j];

            entry[i - j] = c * below + s * column[i];
            column[i] = c * column[i] - s * below;
        }
    }
}

/* Sets the next point to the best one with the columns of T moved down the slopes g, which T as a triangle with a diagonal at 0 cannot follow. */
static void turn_columns(Search *search, uint32_t first, uint32_t columns, const double *g, double size)
{
    const double *entry = search->x + first;
    double moved[MIXED_MAX_COLUMNS];

    memcpy(search->next, search->x, search->count * sizeof(double));
    memset(search->next + first, 0, columns * (columns + 1) / 2 * sizeof(double));
    for (uint32_t j = 0; j < columns; entry += columns - j, j++) {
        for (uint32_t i = 0; i < columns; i++)
            moved[i] = (i < j ? 0 : entry[i - j]) - size * inner(g + i * columns + j, entry, columns - j);
        add_column(search, first, columns, moved);
    }
}

/* Moves to the next point, whose triangle of a bar is another, if the deviance is lower there. */
static bool move_bar(Search *search, uint32_t first, uint32_t columns)
{
    if (!next_is_lower(search))
        return false;
    for (uint32_t i = first; i < first + columns * (columns + 1) / 2; i++)
        search->parameters[i].held = search->parameters[i].diagonal && search->next[i] == 0;
    move_to_next(search);
    return true;
}

/*
 * Frees effects of a bar with diagonals at 0 where the deviance falls with several of them together: down the slopes, or along the direction in which
 * they are the most negative. Returns whether there are any.
 */
static bool free_together(Search *search)
{
    bool moved = false;

    for (uint32_t first = 0, columns; first < search->count && !moved; first += columns * (columns + 1) / 2) {
        double *g, *direction, column[MIXED_MAX_COLUMNS];
        Eigen *eigen;

        columns = bar_columns(search, first);
        if (columns == 1 || !any_held(search, first, columns))
            continue;
        g = env_array_raw(search->env, 2 * (size_t)columns * columns, sizeof(double));
        direction = g + columns * columns;
        covariance_slopes(search, first, columns, g);
        for (double size = FREED; size > SMALL && !moved; size /= 8) {
            turn_columns(search, first, columns, g, size);
            moved = move_bar(search, first, columns);
        }
        eigen = eigen_begin(search->env, g, columns);
        eigen_vectors(eigen, columns, direction);
        for (double size = FREED; size > SMALL && !moved && eigen_values(eigen)[columns - 1] < 0; size /= 8) {
            memcpy(search->next, search->x, search->count * sizeof(double));
            for (uint32_t i = 0; i < columns; i++)
                column[i] = size * direction[(size_t)(columns - 1) * columns + i];
            add_column(search, first, columns, column);
            moved = move_bar(search, first, columns);
        }
        eigen_free(eigen);
        search->env->release(search->env, g);
    }
    if (!moved)
        search->f = evaluate(search, search->x, search->g);
    return moved;
}

/* Holds a diagonal of any size at 0, or all of them with what is beside them, where the deviance is lower than at this minimum. Returns whether it has. */
static bool hold_large(Search *search)
{
    for (uint32_t i = 0; i <= search->count; i++) {
        bool all = i == search->count;

        if (!all && (!search->parameters[i].diagonal || search->parameters[i].held))
            continue;
        memcpy(search->next, search->x, search->count * sizeof(double));
        for (uint32_t j = all ? 0 : i; j < (all ? search->count : i + 1); j++)
            search->next[j] = 0;
        if (!next_is_lower(search))
            continue;
        for (uint32_t j = all ? 0 : i; j < (all ? search->count : i + 1); j++)
            search->parameters[j].held = search->parameters[j].diagonal;
        move_to_next(search);
        return true;
    }
    search->f = evaluate(search, search->x, search->g);
    return false;
}

/* Tells whether the next step is within the tolerance. */
static bool is_stationary(const Search *search)
{
    double step = 0, size = 1;

    for (uint32_t i = 0; i < search->count; i++) {
        step = fmax(step, fabs(search->direction[i]));
        size = fmax(size, fabs(search->x[i]));
    }
    return !search->fresh && step <= STEP_TOLERANCE * size;
}

/* Tells whether random effects of any size leave nothing of the squares: the least deviance is then at infinity. */
static bool is_exact(Search *search)
{
    for (uint32_t i = 0; i < search->count; i++)
        search->next[i] = search->parameters[i].diagonal ? LARGE : 0;
    evaluate(search, search->next, NULL);
    return search->system->squares <= EXACT * search->system->target;
}

/* Lists the parameters that are not held, with the lengths of their rows. */
static void list_free(const Search *search, MixedOptimum *result)
{
    result->parameters = env_array(search->env, (size_t)search->count + 1, sizeof(MixedParameter));
    for (uint32_t i = 0; i < search->count; i++) {
        const Parameter *parameter = &search->parameters[i];
        double length = 0;

        for (uint32_t j = 0; j <= parameter->row; j++)
            length = hypot(length, parameter->block->factor[j * parameter->block->columns + parameter->row]);
        if (!parameter->held)
            result->parameters[result->count++] = (MixedParameter){parameter->entry, parameter->slope, length};
    }
}

MixedOptimum mixed_optimize(MixedSystem *system, const uint32_t *const *bars, int64_t max_iter)
{
    Search search = search_begin(system, bars);
    MixedOptimum result = {.converged = false};
    uint32_t freed = 0;

    result.exact = is_exact(&search);
    search.f = evaluate(&search, search.x, search.g);
    result.exact = result.exact || !isfinite(search.f);
    search.noise = 1e-14 * (1 + fabs(search.f)) * sqrt(system->rows);
    reset(&search);
    while (!result.exact && !result.converged && result.iterations < max_iter) {
        double slope = find_direction(&search);

        system->env->progress(system->env, "deviance", (uint64_t)result.iterations, (uint64_t)max_iter, search.f);
        if (!(slope < 0) || is_stationary(&search) || !line_search(&search, slope)) {
            if (!search.fresh && slope < 0 && !is_stationary(&search)) {
                reset(&search); /* once more, along the slope */
                result.iterations++;
                continue;
            }
            result.converged = freed > search.count || !(hold_small(&search) || (freed++, free_held(&search) || free_together(&search) || hold_large(&search)));
            continue;
        }
        update(&search);
        hold_small(&search);
        result.iterations++;
    }
    result.deviance = evaluate(&search, search.x, search.g);
    result.exact = result.exact || system->squares <= EXACT * system->target;
    list_free(&search, &result);
    /* steps may end before; a slope is rounding if the parabola with it, and a second derivative of the number of rows, gains as little */
    result.converged = result.converged && inner(search.g, search.g, search.count) <= fmax(SLOPE_TOLERANCE * SLOPE_TOLERANCE, system->rows * search.noise);
    return result;
}
