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

/* The losses and their derivatives at theta. */
typedef struct SquaredPoint {
    double *theta, *gradient; /* [count] */
    double *packed;           /* generalized Hessian of the losses */
    double loss;
} SquaredPoint;

struct SquaredSolver {
    const MarginProblem *problem;
    const double *l1;
    Env *env;
    StandardizedRows *rows;
    uint32_t count, sides;
    SquaredPoint here, there;
    double *slope, *step, *matrix, *room; /* slope: gradient of losses and p */
    double *scratch;                      /* [8 x DESIGN_TILE], aligned */
};

SquaredSolver *squared_solver(const MarginProblem *problem, const double *l1, const char *method)
{
    StandardizedRows *rows = problem->rows;
    Env *env = rows->env;
    SquaredSolver *s = env_array(env, 1, sizeof(SquaredSolver));
    size_t count = rows->count, packed = factor_packed(count), square = count * count;
    void *block;

    env_require_memory(env, (2 * packed + square + QUADRATIC_ROOM(count)) * sizeof(double), method);
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
    s->here.packed = env_array_raw(env, packed + 1, sizeof(double));
    s->there.packed = env_array_raw(env, packed + 1, sizeof(double));
    s->matrix = env_array_raw(env, square + 1, sizeof(double));
    s->room = env_array_raw(env, QUADRATIC_ROOM(count), sizeof(double));
    s->scratch = env_aligned(env, (size_t)8 * DESIGN_TILE, &block);
    return s;
}

/* ---- passes ---- */

void squared_losses(const double *score, const double *sign, const double *bound, const double *C, double *slopes, double *curvatures,
                    double *losses)
{
    SIMD_CALL(side, score, sign, bound, C, slopes, curvatures, losses);
}

/* Sets sign, bound and C of one side of the current tile. */
static void tile_side(const SquaredSolver *s, uint32_t side, double *sign, double *bound, double *C)
{
    const DesignTile *tile = &s->rows->tile;
    const MarginProblem *problem = s->problem;

    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        sign[i] = s->sides == 1 ? problem->signs[tile->classes[i]] : side > 0 ? -1 : 1;
        bound[i] = s->sides == 1 ? 1 : sign[i] * tile->targets[i] - problem->epsilon;
        C[i] = sign[i] != 0 ? problem->C * tile->weights[i] : 0;
    }
}

/* Evaluates the losses and their derivatives in one pass. */
static void evaluate(SquaredSolver *s, SquaredPoint *point)
{
    StandardizedRows *rows = s->rows;
    double *score = s->scratch, *sign = score + DESIGN_TILE, *bound = sign + DESIGN_TILE, *C = bound + DESIGN_TILE;
    double *slopes = C + DESIGN_TILE, *curvatures = slopes + DESIGN_TILE, *losses = curvatures + DESIGN_TILE;

    point->loss = 0;
    memset(point->gradient, 0, s->count * sizeof(double));
    memset(point->packed, 0, factor_packed(s->count) * sizeof(double));
    while (standardized_next_tile(rows)) {
        tile_scores(rows->columns, s->count, point->theta, score);
        memset(slopes, 0, (size_t)3 * DESIGN_TILE * sizeof(double));
        for (uint32_t side = 0; side < s->sides; side++) {
            tile_side(s, side, sign, bound, C);
            squared_losses(score, sign, bound, C, slopes, curvatures, losses);
        }
        point->loss += tile_sum(losses);
        tile_products(rows->columns, s->count, slopes, point->gradient);
        tile_gram(s->env, rows->columns, s->count, curvatures, rows->scratch, point->packed);
    }
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
    const double *packed = s->here.packed;
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
    evaluate(s, &s->here);
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
    StandardizedRows *rows = s->rows;
    double *score = s->scratch, *sign = score + DESIGN_TILE, *bound = sign + DESIGN_TILE, *C = bound + DESIGN_TILE;

    while (standardized_next_tile(rows)) {
        uint64_t first = rows->tile.first;

        tile_scores(rows->columns, s->count, s->here.theta, score);
        for (uint32_t side = 0; side < s->sides; side++) {
            tile_side(s, side, sign, bound, C);
            for (uint32_t i = 0; i < rows->tile.count; i++) {
                double excess = bound[i] - sign[i] * score[i];

                if (!(excess > 0 && C[i] > 0))
                    continue;
                support[first + i] |= 1;
                if (multipliers != NULL)
                    multipliers[first + i] += 2 * C[i] * excess * sign[i];
            }
        }
    }
}
