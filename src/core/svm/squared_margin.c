/*
 * squared_margin.c - Newton's method for squared losses of margins.
 */
#include "core/svm/squared_margin.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

#include "core/base/fused_sums.h"

#define SIMD_FILE "core/svm/squared_margin_simd.h"
#include "core/base/cpu_dispatch.h"

#define HALVINGS 40    /* of one step, at most */
#define FORESEEN 1e-13 /* of the objective: gains below it are rounding */
#define KEPT 0.01      /* of the most curvature of a column: where rows that left took more of it, the rounding of their sums would show */

/* The losses and their derivatives at theta. */
typedef struct SquaredPoint {
    double *theta, *gradient; /* [count] */
    double loss;
} SquaredPoint;

/* The curvature of the losses where they were evaluated last. Only rows change it that begin to have an excess, or no longer have one. */
typedef struct SquaredCurvature {
    double *packed;         /* [count (count + 1) / 2] */
    double *most;           /* [count] of its diagonal at all points since it was summed anew */
    uint8_t *active;        /* [rows] 1: in it */
    uint32_t waiting;       /* rows that are to be added or subtracted */
    double *x, *weights;    /* [DESIGN_TILE x terms], [DESIGN_TILE] those rows */
    double *tile;           /* [terms x DESIGN_TILE] */
    const double **columns; /* [count + padding] */
} SquaredCurvature;

struct SquaredSolver {
    const MarginProblem *problem;
    const double *l1;
    Env *env;
    StandardizedRows *rows;
    uint32_t count, sides;
    SquaredPoint here, there;
    SquaredCurvature curvature;
    double *slope, *step, *matrix, *room; /* slope: gradient of losses and p */
    double *slopes, *part, *sums;         /* [terms] of the columns themselves; [1 + terms] products of a tile and of all */
    double *scratch;                      /* [7 x DESIGN_TILE] */
};

/* Allocates the curvature; columns that are not of terms are ones and zeros. */
static void allocate_curvature(SquaredSolver *s)
{
    const StandardizedRows *rows = s->rows;
    SquaredCurvature *curvature = &s->curvature;
    size_t terms = rows->design->terms, padded = (size_t)s->count + TILE_PADDING;
    void *block;

    curvature->packed = env_array(s->env, factor_packed(s->count) + 1, sizeof(double));
    curvature->most = env_array(s->env, (size_t)s->count + 1, sizeof(double));
    curvature->active = env_array(s->env, rows_count(rows->design->rows), 1);
    curvature->x = env_array(s->env, terms * DESIGN_TILE + 1, sizeof(double));
    curvature->weights = env_aligned(s->env, (terms + 1) * DESIGN_TILE, &block);
    curvature->tile = curvature->weights + DESIGN_TILE;
    curvature->columns = env_array(s->env, padded, sizeof(double *));
    for (size_t j = 0; j < padded; j++)
        curvature->columns[j] = j == 0 && rows->intercept ? rows->ones : rows->zeros;
}

SquaredSolver *squared_solver(const MarginProblem *problem, const double *l1, const char *method)
{
    StandardizedRows *rows = problem->rows;
    Env *env = rows->env;
    SquaredSolver *s = env_array(env, 1, sizeof(SquaredSolver));
    size_t count = rows->count, square = count * count, terms = rows->design->terms;
    void *block;

    env_require_memory(env, (factor_packed(count) + square + QUADRATIC_ROOM(count) + 2 * DESIGN_TILE * (terms + 1)) * sizeof(double) + rows_count(rows->design->rows), method);
    s->problem = problem;
    s->l1 = l1;
    s->env = env;
    s->rows = rows;
    s->count = rows->count;
    s->sides = problem->signs == NULL ? 2 : 1;
    s->here.theta = env_array(env, 6 * count + 1, sizeof(double));
    s->here.gradient = s->here.theta + count;
    s->there.theta = s->here.gradient + count;
    s->there.gradient = s->there.theta + count;
    s->slope = s->there.gradient + count;
    s->step = s->slope + count;
    s->matrix = env_array_raw(env, square + 1, sizeof(double));
    s->room = env_array_raw(env, QUADRATIC_ROOM(count), sizeof(double));
    s->slopes = env_array(env, 3 * terms + 2, sizeof(double));
    s->part = s->slopes + terms;
    s->sums = s->part + terms + 1;
    s->scratch = env_aligned(env, (size_t)7 * DESIGN_TILE, &block);
    allocate_curvature(s);
    return s;
}

/* ---- passes ---- */

void squared_losses(const double *score, const double *sign, const double *bound, const double *C, uint32_t count, double *slopes, double *curvatures,
                    double *losses)
{
    SIMD_CALL(side, score, sign, bound, C, count, slopes, curvatures, losses);
}

/* Sets sign, bound and C of one side of rows in row order, from row `at` on. */
static void lines_side(const SquaredSolver *s, const DesignBlock *lines, uint32_t at, uint32_t count, uint32_t side, double *sign, double *bound, double *C)
{
    const MarginProblem *problem = s->problem;
    const double *weights = s->rows->line_weights + at;

    for (uint32_t i = 0; i < count; i++) {
        sign[i] = s->sides == 1 ? problem->signs[lines->classes[at + i]] : side > 0 ? -1 : 1;
        bound[i] = s->sides == 1 ? 1 : sign[i] * lines->targets[at + i] - problem->epsilon;
        C[i] = sign[i] != 0 ? problem->C * weights[i] : 0;
    }
}

/* Computes the scores of rows in row order. */
static void score_lines(const SquaredSolver *s, const double *theta, const double *x, uint32_t count, double *score)
{
    lines_scores(x, s->rows->design->terms, count, s->rows->center, s->slopes, s->rows->intercept ? theta[0] : 0, score);
}

/* Adds the rows that wait to the curvature, or subtracts them. */
static void add_waiting(SquaredSolver *s)
{
    SquaredCurvature *curvature = &s->curvature;
    uint32_t terms = s->rows->design->terms;

    memset(curvature->weights + curvature->waiting, 0, (DESIGN_TILE - curvature->waiting) * sizeof(double));
    tile_transpose(curvature->x, terms, DESIGN_TILE, curvature->tile); /* also rows of weight 0: the padding would be standardized again each time */
    standardized_columns(s->rows, curvature->tile, curvature->columns);
    tile_gram(s->env, curvature->columns, s->count, curvature->weights, s->rows->scratch, curvature->packed);
    curvature->waiting = 0;
}

/* Has those of a few rows wait whose excess has begun or ended. curvatures: 2 C where there is one now. */
static void follow_lines(SquaredSolver *s, uint64_t first, const double *x, const double *C, const double *curvatures, uint32_t count)
{
    SquaredCurvature *curvature = &s->curvature;
    uint32_t terms = s->rows->design->terms;
    uint8_t *active = curvature->active + first;

    for (uint32_t i = 0; i < count; i++, x += terms) {
        uint8_t now = curvatures[i] > 0;

        if (now == active[i])
            continue;
        active[i] = now;
        memcpy(curvature->x + (size_t)curvature->waiting * terms, x, terms * sizeof(double));
        curvature->weights[curvature->waiting++] = now ? 2 * C[i] : -2 * C[i];
        if (curvature->waiting == DESIGN_TILE)
            add_waiting(s);
    }
}

/* Adds the products of a tile to the sums: two levels of sums keep their digits over many rows. */
static void add_part(SquaredSolver *s)
{
    uint32_t numbers = s->rows->design->terms + 1;

    for (uint32_t i = 0; i < numbers; i++)
        s->sums[i] += s->part[i];
    memset(s->part, 0, numbers * sizeof(double));
}

/* Evaluates `count` rows in row order, from row `at` on. losses: of the tile. */
static void add_lines(SquaredSolver *s, const SquaredPoint *point, const DesignBlock *lines, uint32_t at, uint32_t count, double *losses)
{
    double *score = s->scratch, *sign = score + DESIGN_TILE, *bound = sign + DESIGN_TILE, *C = bound + DESIGN_TILE;
    double *slopes = C + DESIGN_TILE, *curvatures = slopes + DESIGN_TILE;
    uint32_t terms = s->rows->design->terms;
    uint64_t first = lines->first + at;
    const double *x = lines->x + (size_t)at * terms;

    score_lines(s, point->theta, x, count, score);
    memset(slopes, 0, (size_t)2 * DESIGN_TILE * sizeof(double));
    for (uint32_t side = 0; side < s->sides; side++) {
        lines_side(s, lines, at, count, side, sign, bound, C);
        squared_losses(score, sign, bound, C, count, slopes, curvatures, losses + first % DESIGN_TILE);
    }
    for (uint32_t i = 0; i < count; i++)
        s->part[0] += slopes[i];
    lines_products(x, terms, count, s->rows->center, slopes, s->part + 1);
    follow_lines(s, first, x, C, curvatures, count);
}

/* Evaluates the losses and their derivatives in one pass, which takes the curvature to this point. */
static void evaluate(SquaredSolver *s, SquaredPoint *point)
{
    StandardizedRows *rows = s->rows;
    uint32_t step = lines_cached(rows->design->terms);
    double *losses = s->scratch + (size_t)6 * DESIGN_TILE;
    DesignBlock lines;

    point->loss = 0;
    memset(losses, 0, DESIGN_TILE * sizeof(double));
    memset(s->part, 0, (size_t)2 * (rows->design->terms + 1) * sizeof(double)); /* and the sums */
    standardized_slopes(rows, point->theta, s->slopes);
    while (standardized_next_lines(rows, &lines)) {
        for (uint32_t at = 0; at < lines.count; at += step)
            add_lines(s, point, &lines, at, lines.count - at < step ? lines.count - at : step, losses);
        if ((lines.first + lines.count) % DESIGN_TILE != 0)
            continue;
        point->loss += tile_sum(losses);
        memset(losses, 0, DESIGN_TILE * sizeof(double));
        add_part(s);
    }
    point->loss += tile_sum(losses);
    add_part(s);
    add_waiting(s);
    standardized_products(rows, s->sums, point->gradient);
    for (uint32_t j = 0; j < s->count; j++) /* also where no step goes: rows that it brought leave rounding behind */
        s->curvature.most[j] = fmax(s->curvature.most[j], s->curvature.packed[factor_packed(j) + j]);
}

/* Has the curvature summed anew by the next pass. */
static void clear_curvature(SquaredSolver *s)
{
    memset(s->curvature.packed, 0, factor_packed(s->count) * sizeof(double));
    memset(s->curvature.most, 0, s->count * sizeof(double));
    memset(s->curvature.active, 0, rows_count(s->rows->design->rows));
}

/* Evaluates the current point once more, if rows that left took nearly all curvature of a column. */
static void renew_curvature(SquaredSolver *s)
{
    SquaredCurvature *curvature = &s->curvature;
    bool lost = false;

    for (uint32_t j = 0; j < s->count; j++)
        lost = lost || curvature->packed[factor_packed(j) + j] < KEPT * curvature->most[j];
    if (!lost)
        return;
    clear_curvature(s);
    evaluate(s, &s->here);
}

/* ---- Newton's method ---- */

static double penalty_of(const SquaredSolver *s, const double *theta)
{
    double sum = 0;

    for (uint32_t j = 0; j < s->count; j++)
        sum += s->problem->penalty[j] / 2 * theta[j] * theta[j] + (s->l1 != NULL ? s->l1[j] * fabs(theta[j]) : 0);
    return sum;
}

/* Finds the step from the current point; returns the decrease that its slope promises. */
static double find_step(SquaredSolver *s, double least_gain)
{
    const double *packed = s->curvature.packed;
    uint32_t n = s->count;

    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i <= j; i++)
            s->matrix[(size_t)j * n + i] = s->matrix[(size_t)i * n + j] = *packed++;
        s->matrix[(size_t)j * n + j] += s->problem->penalty[j];
        s->slope[j] = s->here.gradient[j] + s->problem->penalty[j] * s->here.theta[j];
    }
    return quadratic_step(s->env, n, s->matrix, s->slope, s->here.theta, s->l1, least_gain, s->room, s->step);
}

/* Evaluates points along the step until one has a lower objective, and moves there; returns false if none has. */
static bool search_line(SquaredSolver *s, double *objective, double promise)
{
    double length = 1;

    for (int k = 0; k < HALVINGS; k++, length /= 2) {
        double reached;

        for (uint32_t j = 0; j < s->count; j++)
            s->there.theta[j] = s->here.theta[j] + length * s->step[j];
        evaluate(s, &s->there);
        reached = s->there.loss + penalty_of(s, s->there.theta);
        if (reached <= *objective - NEWTON_SUFFICIENT * length * promise + NEWTON_ROUNDING * fabs(*objective)) {
            SquaredPoint swap = s->here;

            s->here = s->there;
            s->there = swap;
            *objective = reached;
            renew_curvature(s);
            return true;
        }
    }
    return false;
}

/* Sets the intercept of a regression to the mean of the targets. */
static void start(SquaredSolver *s)
{
    DesignBlock lines;
    double weight = 0, mean = 0;

    memset(s->here.theta, 0, s->count * sizeof(double));
    if (s->sides == 1 || !s->rows->intercept)
        return;
    while (standardized_next_lines(s->rows, &lines))
        for (uint32_t i = 0; i < lines.count; i++) {
            weight += s->rows->line_weights[i];
            mean += (lines.targets[i] - mean) * (s->rows->line_weights[i] / weight);
        }
    s->here.theta[0] = mean;
}

MarginSolution squared_solve(SquaredSolver *s)
{
    const MarginProblem *problem = s->problem;
    MarginSolution solution = {0};
    double objective, goal;

    start(s);
    clear_curvature(s);
    evaluate(s, &s->here);
    renew_curvature(s);
    objective = s->here.loss + penalty_of(s, s->here.theta);
    for (; solution.iterations < problem->max_iter; solution.iterations++) {
        double promise;

        s->env->progress(s->env, "squared hinge", (uint64_t)solution.iterations, (uint64_t)problem->max_iter, objective);
        goal = fmax(problem->tolerance, FORESEEN) * objective;
        promise = find_step(s, 1e-3 * goal);
        solution.gap = fmax(promise, 0) / 2;
        solution.converged = promise <= goal;
        if (solution.converged && !(promise > FORESEEN * objective))
            break;
        if (!search_line(s, &objective, promise) || solution.converged)
            break;
    }
    solution.theta = s->here.theta;
    solution.objective = objective;
    for (uint32_t j = 0; j < s->count; j++)
        solution.norm += problem->penalty[j] * s->here.theta[j] * s->here.theta[j];
    return solution;
}

void squared_support(SquaredSolver *s, uint8_t *support, double *multipliers)
{
    double *score = s->scratch, *sign = score + DESIGN_TILE, *bound = sign + DESIGN_TILE, *C = bound + DESIGN_TILE;
    DesignBlock lines;

    standardized_slopes(s->rows, s->here.theta, s->slopes);
    while (standardized_next_lines(s->rows, &lines)) {
        score_lines(s, s->here.theta, lines.x, lines.count, score);
        for (uint32_t side = 0; side < s->sides; side++) {
            lines_side(s, &lines, 0, lines.count, side, sign, bound, C);
            for (uint32_t i = 0; i < lines.count; i++) {
                double excess = bound[i] - sign[i] * score[i];

                if (!(excess > 0 && C[i] > 0))
                    continue;
                support[lines.first + i] |= 1;
                if (multipliers != NULL)
                    multipliers[lines.first + i] += 2 * C[i] * excess * sign[i];
            }
        }
    }
}
