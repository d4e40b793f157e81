/*
 * interior_point.c - Mehrotra's predictor-corrector method for margins (Mehrotra 1992, SIAM J. Optim. 2(4)).
 *
 * With D = 1 / (excess / room + slack / alpha), a step of theta solves (P + X'DX) step = rhs; all else follows row by row. The
 * constraints hold from the start, up to the same `shift` for all rows, which shrinks by 1 - length at each step.
 */
#include "core/svm/interior_point.h"
#include "core/linalg/qr_factor.h"
#include "core/linalg/penalized_quadratic.h"

#include <math.h>
#include <string.h>

#include "core/base/fused_sums.h"

#define SIMD_FILE "core/svm/interior_point_simd.h"
#include "core/base/cpu_dispatch.h"

#define BACK_OFF 0.995     /* share of the longest step that keeps all numbers above 0 */
#define FLOOR 1e-16        /* of the objective at the start: smaller ones count as this in the test of convergence */
#define CERTIFICATE 1e9    /* sum of multipliers over the gradient that they leave: no theta shorter than this separates */
#define LEFT 1e-2           /* share of the goal below which products need not fall */
#define POLISH_STEPS 10
#define POLISH_WEIGHT 1e5  /* of the rows on the margin, relative to the penalty */
#define NOISE 1e-13        /* share of an objective that is rounding */
#define LITTLE 1e-3        /* spread of scores, whose margin is 1, that a constant may replace if it is as good */
#define HARD_GOAL 1e-12    /* share by which the conditions of a polished hard margin may be missed */
#define BOX 1e-9           /* share of the largest multiplier by which polished ones may leave their bounds */
#define POLISH_GOAL 1e-15  /* residual of these rows, relative to the spread of the targets */
#define POLL_TILES 64
#define STUCK 1e-9         /* shorter steps do not lead on */

struct MarginSolver {
    const MarginProblem *problem;
    Env *env;
    StandardizedRows *rows;
    uint32_t count, sides;
    bool hard;
    uint64_t row_count, tiles;
    double *state;       /* [tiles x (4 sides + 2) x DESIGN_TILE] */
    int8_t *tags;        /* [tiles x DESIGN_TILE] sign of the row (of a regression: 1), or 0: not used */
    double *packed, *matrix, *factor; /* the Newton matrix */
    double *theta, *residual, *sums, *fixed, *centered, *step; /* [count] */
    double *slope;       /* [design terms] a direction in units of the columns */
    double shift, used;  /* used: constraints */
    double spread;       /* of the targets; 1: a classifier */
    double null;         /* objective at the start */
    double largest;      /* multiplier, at the end */
    double *scratch;     /* [10 x DESIGN_TILE], aligned */
};

/* What an iteration knows after its first pass. */
typedef struct Iterate {
    double products, duals, losses, gap, primal, all;
} Iterate;

/* ---- state ---- */

/* Polls now and then in a loop over tiles without reading rows. */
static void poll_tile(const MarginSolver *m, uint64_t tile)
{
    env_poll_every(m->env, tile, POLL_TILES);
}

/* Points to the state of one side of a tile. sign, used: [DESIGN_TILE] scratch, filled here. */
static MarginTile tile_state(const MarginSolver *m, uint64_t tile, uint32_t side, double *sign, double *used)
{
    double *at = m->state + tile * (4 * m->sides + 2) * DESIGN_TILE, *own = at + (size_t)side * 4 * DESIGN_TILE;
    const int8_t *tags = m->tags + tile * DESIGN_TILE;

    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        sign[i] = side > 0 ? -tags[i] : tags[i];
        used[i] = tags[i] != 0;
    }
    return (MarginTile){.hard = m->hard,
                        .alpha = own,
                        .slack = own + DESIGN_TILE,
                        .room = own + (size_t)2 * DESIGN_TILE,
                        .excess = own + (size_t)3 * DESIGN_TILE,
                        .sign = sign,
                        .used = used,
                        .predicted = at + (size_t)4 * m->sides * DESIGN_TILE,
                        .corrected = at + ((size_t)4 * m->sides + 1) * DESIGN_TILE};
}

static void poll_row(const MarginSolver *m, uint64_t row)
{
    if (row % DESIGN_TILE == 0)
        poll_tile(m, row / DESIGN_TILE);
}

/* Returns the multiplier of a row; slack, room and excess follow, DESIGN_TILE numbers apart. */
static double *row_state(const MarginSolver *m, uint64_t row, uint32_t side)
{
    return m->state + (row / DESIGN_TILE * (4 * m->sides + 2) + 4 * side) * DESIGN_TILE + row % DESIGN_TILE;
}

/* Returns the scores of a tile's rows along the predictor's or the corrector's direction. */
static double *tile_line(const MarginSolver *m, uint64_t tile, bool corrected)
{
    return m->state + (tile * (4 * m->sides + 2) + 4 * m->sides + corrected) * DESIGN_TILE;
}

MarginSolver *margin_solver(const MarginProblem *problem, const char *method)
{
    StandardizedRows *rows = problem->rows;
    Env *env = rows->env;
    MarginSolver *m = env_array(env, 1, sizeof(MarginSolver));
    size_t count = rows->count, square = count * count, each;
    void *block;

    m->problem = problem;
    m->env = env;
    m->rows = rows;
    m->count = rows->count;
    m->sides = problem->signs == NULL ? 2 : 1;
    m->row_count = rows_count(rows->design->rows);
    m->tiles = (m->row_count + DESIGN_TILE - 1) / DESIGN_TILE;
    each = ((4 * (size_t)m->sides + 2) * sizeof(double) + 1) * DESIGN_TILE;
    if (m->tiles > SIZE_MAX / 2 / each)
        env_require_memory(env, SIZE_MAX / 2, method);
    env_require_memory(env, m->tiles * each + (square + factor_packed(count) + QUADRATIC_ROOM(count)) * sizeof(double),
                       method);
    m->state = env_aligned(env, m->tiles * (4 * (size_t)m->sides + 2) * DESIGN_TILE, &block);
    m->tags = env_array(env, m->tiles * DESIGN_TILE, 1);
    m->scratch = env_aligned(env, (size_t)12 * DESIGN_TILE, &block);
    m->packed = env_array_raw(env, factor_packed(count) + 1, sizeof(double));
    m->matrix = env_array_raw(env, square + 1, sizeof(double));
    m->factor = env_array_raw(env, QUADRATIC_ROOM(count), sizeof(double));
    m->theta = env_array(env, 6 * count + 1, sizeof(double));
    m->residual = m->theta + count;
    m->sums = m->residual + count;
    m->fixed = m->sums + count;
    m->centered = m->fixed + count;
    m->step = m->centered + count;
    m->slope = env_array(env, (size_t)rows->design->terms + 1, sizeof(double));
    return m;
}

/* ---- the start ---- */

/* The weighted mean of the targets and their range. */
typedef struct Targets {
    double weight, mean, squares, least, most;
} Targets;

static Targets read_targets(MarginSolver *m)
{
    Targets t = {.least = INFINITY, .most = -INFINITY};
    DesignBlock lines;

    while (standardized_next_lines(m->rows, &lines))
        for (uint32_t i = 0; i < lines.count; i++) {
            double w = m->rows->line_weights[i], y = lines.targets[i], off = y - t.mean;

            t.weight += w;
            t.mean += off * (w / t.weight);
            t.squares += w * off * (y - t.mean);
            t.least = fmin(t.least, y);
            t.most = fmax(t.most, y);
        }
    return t;
}

/* Sets the state of one row. score: of theta at the start. */
static void start_row(MarginSolver *m, uint64_t row, double y, double C, double score)
{
    for (uint32_t side = 0; side < m->sides; side++) {
        double above = side > 0 ? score - y - m->problem->epsilon : y - m->problem->epsilon - score;
        double *at = row_state(m, row, side);

        if (m->sides == 1)
            above = m->hard ? 0 : 1;
        if (!(C > 0))
            above = 0;
        at[0] = C > 0 ? C / 2 : 1;
        at[DESIGN_TILE] = fmax(-above, 0) + m->spread;
        at[(size_t)2 * DESIGN_TILE] = m->hard ? 1 : at[0];
        at[(size_t)3 * DESIGN_TILE] = m->hard ? 0 : fmax(above, 0) + m->spread;
        if (C > 0) {
            m->used++;
            m->null += m->hard ? 0 : C * fmax(above, 0);
        }
    }
}

/* Returns the sign of a row's class; 1 in a regression. */
static int8_t sign_of(const MarginProblem *problem, const DesignBlock *lines, uint32_t i)
{
    return problem->signs != NULL ? problem->signs[lines->classes[i]] : 1;
}

static void start(MarginSolver *m)
{
    const MarginProblem *problem = m->problem;
    double score = m->rows->intercept && m->sides == 2 ? m->theta[0] : 0, mean = 0;
    DesignBlock lines;

    for (uint32_t j = 0; j < m->count; j++)
        mean += problem->penalty[j] / m->count;
    for (uint64_t tile = 0; tile < m->tiles; tile++) {
        poll_tile(m, tile);
        for (uint32_t k = 0; k < (4 * m->sides + 2) * DESIGN_TILE; k++)
            m->state[tile * (4 * m->sides + 2) * DESIGN_TILE + k] = 1;
    }
    memset(m->tags, 0, m->tiles * DESIGN_TILE);
    m->used = m->null = 0;
    while (standardized_next_lines(m->rows, &lines))
        for (uint32_t i = 0; i < lines.count; i++) {
            int8_t sign = sign_of(problem, &lines, i);
            double weight = m->rows->line_weights[i], C = sign == 0 ? 0 : problem->C * weight;

            if (m->hard)
                C = sign == 0 || weight == 0 ? 0 : 2 * fmax(mean, 1e-300) / (double)m->row_count;
            m->tags[lines.first + i] = C > 0 ? sign : 0;
            start_row(m, lines.first + i, lines.targets != NULL ? lines.targets[i] : 0, C, score);
        }
    m->shift = m->hard ? -2 : 0;
}

/* ---- passes ---- */

static double largest_of(const double *numbers)
{
    double most = 0;

    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

/* Sets the bounds of one side's constraints. */
static void tile_bounds(const MarginSolver *m, uint32_t side, double *bound)
{
    const double *y = m->rows->tile.targets;

    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        bound[i] = m->sides == 1 ? 1 : (side > 0 ? -y[i] : y[i]) - m->problem->epsilon;
}

/* Computes the Newton matrix, the right-hand side of the predictor (fixed), X'(sign alpha) (sums) and the objectives. */
static void begin_pass(MarginSolver *m, Iterate *now)
{
    StandardizedRows *rows = m->rows;
    double *sign = m->scratch, *used = sign + DESIGN_TILE, *bound = used + DESIGN_TILE, *d = bound + DESIGN_TILE;
    double *q = d + DESIGN_TILE, *a = q + DESIGN_TILE, *products = a + DESIGN_TILE, *duals = products + DESIGN_TILE;
    double *losses = duals + DESIGN_TILE;

    memset(m->packed, 0, factor_packed(m->count) * sizeof(double));
    memset(m->fixed, 0, m->count * sizeof(double));
    memset(m->sums, 0, m->count * sizeof(double));
    *now = (Iterate){0};
    for (uint64_t tile = 0; standardized_next_tile(rows); tile++) {
        memset(d, 0, (size_t)6 * DESIGN_TILE * sizeof(double));
        for (uint32_t side = 0; side < m->sides; side++) {
            MarginTile t = tile_state(m, tile, side, sign, used);

            tile_bounds(m, side, bound);
            t.bound = bound;
            SIMD_CALL(begin, &t, m->shift, d, q, a, products, duals, losses);
            now->all += m->shift != 0 ? tile_sum(t.alpha) : 0;
        }
        now->products += tile_sum(products);
        now->duals += tile_sum(duals);
        now->losses += tile_sum(losses);
        tile_gram(m->env, rows->columns, m->count, d, rows->scratch, m->packed);
        tile_products(rows->columns, m->count, q, m->fixed);
        tile_products(rows->columns, m->count, a, m->sums);
    }
}

/* Computes the scores along the predictor's step, the longest step, and both parts of the corrector's right-hand side. */
static double predict_pass(MarginSolver *m, double *squares)
{
    StandardizedRows *rows = m->rows;
    double *sign = m->scratch, *used = sign + DESIGN_TILE, *fixed = used + DESIGN_TILE, *centered = fixed + DESIGN_TILE;
    double *ratios = centered + DESIGN_TILE, *own = ratios + DESIGN_TILE, most = 0;

    memset(m->fixed, 0, m->count * sizeof(double));
    memset(m->centered, 0, m->count * sizeof(double));
    *squares = 0;
    for (uint64_t tile = 0; standardized_next_tile(rows); tile++) {
        tile_scores(rows->columns, m->count, m->step, tile_line(m, tile, false));
        memset(fixed, 0, (size_t)4 * DESIGN_TILE * sizeof(double));
        for (uint32_t side = 0; side < m->sides; side++) {
            MarginTile t = tile_state(m, tile, side, sign, used);

            SIMD_CALL(predict, &t, m->shift, fixed, centered, ratios, own);
        }
        most = fmax(most, largest_of(ratios));
        *squares += tile_sum(own);
        tile_products(rows->columns, m->count, fixed, m->fixed);
        tile_products(rows->columns, m->count, centered, m->centered);
    }
    return most;
}

/* Computes x times a direction for all rows, into `corrected` of the state. */
static void score_pass(MarginSolver *m, const double *direction)
{
    StandardizedRows *rows = m->rows;
    uint32_t first = rows->intercept, terms = rows->design->terms;
    DesignBlock lines;

    memset(m->slope, 0, terms * sizeof(double));
    standardized_slopes(rows, direction, m->slope);
    while (standardized_next_lines(rows, &lines))
        lines_scores(lines.x, terms, lines.count, rows->center, m->slope, first ? direction[0] : 0,
                     tile_line(m, lines.first / DESIGN_TILE, true) + lines.first % DESIGN_TILE);
}

/* Returns 1 / the longest step of the corrector. */
static double correct_pass(MarginSolver *m, double target)
{
    double *sign = m->scratch, *used = sign + DESIGN_TILE, *ratios = used + DESIGN_TILE, most = 0;

    score_pass(m, m->step);
    memset(ratios, 0, DESIGN_TILE * sizeof(double));
    for (uint64_t tile = 0; tile < m->tiles; tile++) {
        poll_tile(m, tile);
        for (uint32_t side = 0; side < m->sides; side++) {
            MarginTile t = tile_state(m, tile, side, sign, used);

            SIMD_CALL(correct, &t, m->shift, target, ratios);
        }
    }
    return fmax(most, largest_of(ratios));
}

static void advance(MarginSolver *m, double target, double length)
{
    double *sign = m->scratch, *used = sign + DESIGN_TILE;

    for (uint64_t tile = 0; tile < m->tiles; tile++) {
        poll_tile(m, tile);
        for (uint32_t side = 0; side < m->sides; side++) {
            MarginTile t = tile_state(m, tile, side, sign, used);

            SIMD_CALL(advance, &t, m->shift, target, length);
        }
    }
    for (uint32_t j = 0; j < m->count; j++)
        m->theta[j] += length * m->step[j];
    m->shift *= 1 - length;
}

/* ---- iterations ---- */

/*
 * Sets the residual r of the gradient, and computes the duality gap. The dual objective has the term v^2 / 2p, where v = p theta - r;
 * where p is 0 or next to it, r is held against the size of theta.
 */
static void measure(MarginSolver *m, Iterate *now)
{
    const double *p = m->problem->penalty;
    double primal = now->losses, gap = 0;

    for (uint32_t j = 0; j < m->count; j++) {
        double theta = m->theta[j], r = p[j] * theta - m->sums[j], size = fabs(r) * (fabs(theta) + m->spread);

        m->residual[j] = r;
        primal += p[j] * theta * theta / 2;
        gap += p[j] * theta * theta / 2 - r * theta + (p[j] > 0 ? fmin(r / p[j] * r / 2, size) : size);
    }
    now->primal = primal;
    now->gap = primal - now->duals + gap + fabs(m->shift) * now->all;
}

/* Factors the Newton matrix; false: it has no curvature. */
static bool factor(MarginSolver *m)
{
    uint32_t n = m->count;
    const double *packed = m->packed;

    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i <= j; i++)
            m->matrix[(size_t)j * n + i] = m->matrix[(size_t)i * n + j] = *packed++;
        m->matrix[(size_t)j * n + j] += m->problem->penalty[j];
    }
    memcpy(m->factor, m->matrix, (size_t)n * n * sizeof(double));
    if (cholesky_factor(m->env, m->factor, n, 0) == n)
        return true;
    return curvature_factor(m->env, n, m->matrix, m->factor);
}

/* Sets step to the solution for the right-hand side fixed + target centered - residual. */
static void solve(MarginSolver *m, double target)
{
    for (uint32_t j = 0; j < m->count; j++)
        m->step[j] = m->fixed[j] + (target > 0 ? target * m->centered[j] : 0) - m->residual[j];
    cholesky_solve(m->env, m->factor, m->count, m->step, 1);
    cholesky_solve_transposed(m->env, m->factor, m->count, m->step, 1);
}

/* Tells whether the multipliers prove that no theta of reasonable length satisfies the constraints (Farkas). */
static bool proves_inseparable(const MarginSolver *m, const Iterate *now)
{
    double rest = 0;

    for (uint32_t j = 0; j < m->count; j++)
        rest += fabs(m->sums[j]);
    return m->hard && now->duals > CERTIFICATE * rest;
}

static void iterate(MarginSolver *m, MarginSolution *solution)
{
    const MarginProblem *problem = m->problem;
    Iterate now;

    for (;; solution->iterations++) {
        double most, squares, target, length;

        begin_pass(m, &now);
        measure(m, &now);
        m->env->progress(m->env, "interior point", (uint64_t)solution->iterations, (uint64_t)problem->max_iter, now.gap);
        solution->gap = now.gap;
        solution->inseparable = proves_inseparable(m, &now);
        solution->converged = now.gap <= problem->tolerance * fmax(now.primal, FLOOR * m->null);
        if (solution->converged || solution->inseparable || solution->iterations >= problem->max_iter || !factor(m))
            return;
        solve(m, 0);
        most = fmax(1, predict_pass(m, &squares));
        target = fmax(0, now.products * (1 - 1 / most) + squares / most / most) / now.products;
        target = fmax(target * target * target * now.products, LEFT * problem->tolerance * fmax(now.primal, FLOOR * m->null)) /
                 (m->used * (m->hard ? 1 : 2));
        solve(m, target);
        most = correct_pass(m, target);
        length = most > BACK_OFF ? BACK_OFF / most : 1;
        if (!(length > STUCK))
            return;
        advance(m, target, length);
    }
}

/* ---- the end ---- */

/* Tells whether a multiplier is above 0, by strict complementarity. */
static bool supports(const MarginSolver *m, const double *own)
{
    return own[0] / m->largest > own[DESIGN_TILE] / m->spread;
}

static bool at_bound(const MarginSolver *m, const double *own)
{
    return !m->hard && own[2 * DESIGN_TILE] / m->largest < own[3 * DESIGN_TILE] / m->spread;
}

/* Moves the intercept to the middle of all that are optimal, where it is not unique. */
static void center_intercept(MarginSolver *m)
{
    double least = -INFINITY, most = INFINITY;

    for (uint64_t row = 0; row < m->row_count; row++) {
        uint64_t tile = row / DESIGN_TILE, i = row % DESIGN_TILE;
        double score = tile_line(m, tile, true)[i] - m->theta[0], y = tile_line(m, tile, false)[i];

        poll_row(m, row);
        for (uint32_t side = 0; side < m->sides && m->tags[row] != 0; side++) {
            const double *own = row_state(m, row, side);
            bool zero = !supports(m, own), full = at_bound(m, own), upward = side > 0 ? m->tags[row] < 0 : m->tags[row] > 0;
            double at = m->sides == 1 ? m->tags[row] - score
                                      : y - (upward ? m->problem->epsilon : -m->problem->epsilon) - score;

            if (full ? !upward : upward || !zero)
                least = fmax(least, at);
            if (full ? upward : !upward || !zero)
                most = fmin(most, at);
        }
    }
    if (least <= most && isfinite(least) && isfinite(most))
        m->theta[0] = least + (most - least) / 2;
}

/* Finds the largest multiplier. */
static void find_largest(MarginSolver *m)
{
    m->largest = 0;
    for (uint64_t row = 0; row < m->row_count; row++) {
        poll_row(m, row);
        for (uint32_t side = 0; side < m->sides && m->tags[row] != 0; side++)
            m->largest = fmax(m->largest, *row_state(m, row, side));
    }
}

/* Computes the scores of the solution, into `corrected`, and leaves the targets in `predicted`. */
static void final_scores(MarginSolver *m)
{
    DesignBlock lines;

    score_pass(m, m->theta);
    while (m->sides == 2 && standardized_next_lines(m->rows, &lines))
        for (uint32_t i = 0; i < lines.count; i++)
            tile_line(m, lines.first / DESIGN_TILE, false)[lines.first % DESIGN_TILE + i] = lines.targets[i];
}

/* Computes the objective from the scores. moved: of the intercept since the scores. */
static void finish(MarginSolver *m, double moved, MarginSolution *solution)
{
    double losses = 0, lowest = INFINITY, highest = -INFINITY;

    solution->nearest = INFINITY;
    for (uint64_t row = 0; row < m->row_count; row++) {
        uint64_t tile = row / DESIGN_TILE, i = row % DESIGN_TILE;
        double score = tile_line(m, tile, true)[i] + moved, y = tile_line(m, tile, false)[i];

        poll_row(m, row);
        lowest = fmin(lowest, score);
        highest = fmax(highest, score);
        for (uint32_t side = 0; side < m->sides && m->tags[row] != 0; side++) {
            const double *own = row_state(m, row, side);
            double above = m->sides == 1 ? 1 - m->tags[row] * score
                                         : (side > 0 ? score - y : y - score) - m->problem->epsilon;

            solution->nearest = fmin(solution->nearest, m->tags[row] * score);
            losses += m->hard ? 0 : (own[0] + own[2 * DESIGN_TILE]) * fmax(above, 0);
        }
    }
    solution->spread = highest - lowest;
    solution->norm = 0;
    for (uint32_t j = 0; j < m->count; j++)
        solution->norm += m->problem->penalty[j] * m->theta[j] * m->theta[j];
    solution->objective = losses + solution->norm / 2;
}

/* Solves a problem without a step: the targets lie within epsilon of one number. Returns false if they do not. */
static bool solve_flat(MarginSolver *m, MarginSolution *solution)
{
    const StandardizedRows *rows = m->rows;
    Targets targets;
    double middle;

    m->spread = 1;
    if (m->sides == 1)
        return false;
    targets = read_targets(m);
    middle = rows->intercept ? targets.least + (targets.most - targets.least) / 2 : 0;
    if (targets.most - middle <= m->problem->epsilon && middle - targets.least <= m->problem->epsilon) {
        if (rows->intercept)
            m->theta[0] = middle;
        solution->converged = true;
        return true;
    }
    if (rows->intercept)
        m->theta[0] = targets.mean;
    m->spread = sqrt(rows->intercept ? targets.squares / targets.weight
                                     : targets.squares / targets.weight + targets.mean * targets.mean);
    return false;
}

/* ---- polishing ---- */

/* The rows on the margin: sign x and bound of each, and their multipliers. */
typedef struct MarginRows {
    uint32_t count, room;
    double *x;                         /* [room x columns] */
    double *bound, *alpha, *left, *top; /* [room] left: bound - sign x theta; top: of alpha */
    double *rest;                      /* [columns] sum of sign C x over the rows beyond the margin */
} MarginRows;

/* Sorts one side of the current tile: adds rows on the margin, and sets q to sign C for rows beyond it; false: too many rows. */
static bool take_side(MarginSolver *m, MarginRows *on, const MarginTile *t, double *q)
{
    for (uint32_t i = 0; i < m->rows->tile.count; i++) {
        const double *own = t->alpha + i;

        if (t->used[i] == 0 || !supports(m, own))
            continue;
        if (at_bound(m, own)) {
            q[i] += t->sign[i] * (own[0] + own[2 * DESIGN_TILE]);
            continue;
        }
        if (on->count == on->room)
            return false;
        for (uint32_t j = 0; j < m->count; j++)
            on->x[(size_t)on->count * m->count + j] = t->sign[i] * m->rows->columns[j][i];
        on->bound[on->count] = t->bound[i];
        on->top[on->count] = m->hard ? INFINITY : own[0] + own[2 * DESIGN_TILE];
        on->alpha[on->count++] = own[0];
    }
    return true;
}

/* Collects the rows on the margin; false: there are too many, and the rest of the pass is in vain. */
static bool collect(MarginSolver *m, MarginRows *on)
{
    double *sign = m->scratch, *used = sign + DESIGN_TILE, *bound = used + DESIGN_TILE, *q = bound + DESIGN_TILE;
    bool few = true;

    for (uint64_t tile = 0; standardized_next_tile(m->rows); tile++) {
        memset(q, 0, DESIGN_TILE * sizeof(double));
        for (uint32_t side = 0; side < m->sides && few; side++) {
            MarginTile t = tile_state(m, tile, side, sign, used);

            tile_bounds(m, side, bound);
            t.bound = bound;
            few = take_side(m, on, &t, q);
        }
        tile_products(m->rows->columns, m->count, q, on->rest);
    }
    return few;
}

/* Factors P + weight X'X of the rows on the margin. */
static bool factor_on_margin(MarginSolver *m, const MarginRows *on, double *weight)
{
    uint32_t n = m->count;
    double penalty = 0, squares = 0;

    memset(m->matrix, 0, (size_t)n * n * sizeof(double));
    for (uint32_t k = 0; k < on->count; k++) {
        const double *x = on->x + (size_t)k * n;

        env_poll_every(m->env, k, 64);
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t i = 0; i <= j; i++)
                m->matrix[(size_t)j * n + i] += x[i] * x[j];
    }
    for (uint32_t j = 0; j < n; j++) {
        penalty = fmax(penalty, m->problem->penalty[j]);
        squares = fmax(squares, m->matrix[(size_t)j * n + j]);
    }
    *weight = squares > 0 ? POLISH_WEIGHT * penalty / squares : 0;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double h = *weight * m->matrix[(size_t)j * n + i] + (i == j ? m->problem->penalty[j] : 0);

            m->matrix[(size_t)j * n + i] = m->matrix[(size_t)i * n + j] = h;
        }
    memcpy(m->factor, m->matrix, (size_t)n * n * sizeof(double));
    return cholesky_factor(m->env, m->factor, n, 0) == n;
}

/* Makes a step of the method of multipliers; returns the largest residual of the constraints before it. */
static double multiplier_step(MarginSolver *m, MarginRows *on, double weight)
{
    uint32_t n = m->count;
    double largest = 0;

    for (uint32_t j = 0; j < n; j++)
        m->step[j] = on->rest[j] - m->problem->penalty[j] * m->theta[j];
    for (uint32_t k = 0; k < on->count; k++) {
        const double *x = on->x + (size_t)k * n;
        double left = on->bound[k];

        for (uint32_t j = 0; j < n; j++)
            left -= x[j] * m->theta[j];
        on->left[k] = left;
        largest = fmax(largest, fabs(left));
        for (uint32_t j = 0; j < n; j++)
            m->step[j] += (on->alpha[k] + weight * left) * x[j];
    }
    cholesky_solve(m->env, m->factor, n, m->step, 1);
    cholesky_solve_transposed(m->env, m->factor, n, m->step, 1);
    for (uint32_t k = 0; k < on->count; k++) {
        for (uint32_t j = 0; j < n; j++)
            on->left[k] -= on->x[(size_t)k * n + j] * m->step[j];
        on->alpha[k] += weight * on->left[k];
    }
    for (uint32_t j = 0; j < n; j++)
        m->theta[j] += m->step[j];
    return largest;
}

/*
 * Moves theta to where the rows that the multipliers put on the margin lie on it exactly, and finds the multipliers that go with it.
 * Where the solution is degenerate, an interior point has only half of the digits of its objective. Returns false if it does nothing.
 */
static bool polish(MarginSolver *m, MarginRows *on)
{
    Env *env = m->env;
    double weight;

    if ((2 * (size_t)m->count + 16) * (m->count + 3) * sizeof(double) > env->memory_limit / 8)
        return false;
    on->room = 2 * m->count + 16;
    on->x = env_array_raw(env, on->room, m->count * sizeof(double));
    on->bound = env_array(env, (size_t)4 * on->room + m->count, sizeof(double));
    on->alpha = on->bound + on->room;
    on->left = on->alpha + on->room;
    on->top = on->left + on->room;
    on->rest = on->top + on->room;
    if (!collect(m, on) || on->count == 0 || !factor_on_margin(m, on, &weight))
        return false;
    for (int k = 0; k < POLISH_STEPS; k++)
        if (!(multiplier_step(m, on, weight) > POLISH_GOAL * m->spread) && k >= POLISH_STEPS / 2)
            break;
    return true;
}

/* Tells whether the polished multipliers are within their bounds. Otherwise those of the interior point go with theta, which then hardly moved, and add up to 0. */
static bool are_in_box(const MarginSolver *m, const MarginRows *on)
{
    double slack = BOX * m->largest;

    for (uint32_t k = 0; k < on->count; k++)
        if (!(on->alpha[k] >= -slack && on->alpha[k] <= on->top[k] + slack))
            return false;
    return true;
}

/* Puts the polished multipliers into the state, in the order in which the rows were collected. */
static void keep_multipliers(MarginSolver *m, const MarginRows *on)
{
    uint32_t k = 0;

    for (uint64_t tile = 0; tile < m->tiles; tile++)
        for (uint32_t side = 0; side < m->sides; side++)
            for (uint64_t row = tile * DESIGN_TILE; row < (tile + 1) * DESIGN_TILE && row < m->row_count; row++) {
                double *own = row_state(m, row, side), C = m->hard ? INFINITY : own[0] + own[2 * DESIGN_TILE];

                poll_row(m, row);
                if (m->tags[row] == 0 || !supports(m, own) || at_bound(m, own))
                    continue;
                own[0] = fmin(fmax(on->alpha[k++], 0), C);
                if (!m->hard)
                    own[2 * DESIGN_TILE] = C - own[0];
                else if (own[0] <= HARD_GOAL * m->largest) /* on the margin, but needless */
                    own[0] = 0;
            }
}

/* Completes a solution: centers the intercept, and computes the objective. */
static void complete_solution(MarginSolver *m, MarginSolution *solution)
{
    double before = m->rows->intercept ? m->theta[0] : 0;

    final_scores(m);
    if (m->rows->intercept && !m->hard)
        center_intercept(m);
    finish(m, m->rows->intercept ? m->theta[0] - before : 0, solution);
}

/* Tells whether a polished hard margin is the largest: no row is inside it, no multiplier is below 0, and the objectives agree. */
static bool proves_hard(const MarginSolver *m, const MarginRows *on, MarginSolution *polished)
{
    double sum = 0, least = 0;

    for (uint32_t k = 0; k < on->count; k++) {
        sum += on->alpha[k];
        least = fmin(least, on->alpha[k]);
    }
    polished->gap = fabs(polished->norm - sum);
    polished->converged = polished->nearest >= 1 - HARD_GOAL && least >= -HARD_GOAL * m->largest && polished->gap <= HARD_GOAL * sum;
    return polished->converged;
}

/* Replaces a solution by a polished one that is at least as good. */
static void improve(MarginSolver *m, MarginSolution *solution)
{
    MarginSolution polished = *solution;
    MarginRows on = {0};

    memcpy(m->sums, m->theta, m->count * sizeof(double));
    polished.objective = INFINITY;
    if (polish(m, &on))
        complete_solution(m, &polished);
    if (m->hard ? isfinite(polished.objective) && proves_hard(m, &on, &polished) : polished.objective <= solution->objective) {
        if (m->hard || are_in_box(m, &on))
            keep_multipliers(m, &on);
        *solution = polished;
    } else {
        memcpy(m->theta, m->sums, m->count * sizeof(double));
    }
    if (on.room > 0) {
        m->env->release(m->env, on.x);
        m->env->release(m->env, on.bound);
    }
}

/* Returns the objective of the best constant score, and sets it: the margin of the class with more weight, or 0 between equal ones. */
static double best_constant(const MarginSolver *m, double *score)
{
    double C[2] = {0};

    for (uint64_t row = 0; row < m->row_count; row++) {
        const double *own = row_state(m, row, 0);

        poll_row(m, row);
        if (m->tags[row] != 0)
            C[m->tags[row] > 0] += own[0] + own[2 * DESIGN_TILE];
    }
    *score = fabs(C[1] - C[0]) <= NOISE * C[0] ? 0 : C[1] > C[0] ? 1 : -1;
    return 2 * fmin(C[0], C[1]);
}

/*
 * Sets coefficients to 0 that tell no rows apart, and the intercept to the margin: those of classes that no hyperplane divides better than
 * none. They are sums that cancel; a distance would divide by what the tolerance left, and that of two classes would decide between them.
 */
static void drop_noise(MarginSolver *m, MarginSolution *solution)
{
    double most = 0; /* that multipliers at their bounds could make of a coefficient: of features on a small scale it is small, too */
    double constant, score;

    if (m->sides > 1 || m->hard || !m->rows->intercept)
        return;
    for (uint32_t j = 0; j < m->count; j++)
        if (m->problem->penalty[j] > 0)
            most = fmax(most, m->problem->C * m->rows->weight / m->problem->penalty[j]);
    if (!(solution->spread <= LITTLE * fmin(1, most)))
        return;
    constant = best_constant(m, &score);
    if (!(constant <= solution->objective * (1 + NOISE)))
        return;
    for (uint32_t j = 0; j < m->count; j++)
        if (m->problem->penalty[j] > 0)
            m->theta[j] = 0;
    m->theta[0] = score;
    solution->objective = constant;
    solution->norm = solution->spread = 0;
}

MarginSolution margin_solve(MarginSolver *m)
{
    MarginSolution solution = {.theta = m->theta};

    m->hard = isinf(m->problem->C);
    memset(m->theta, 0, m->count * sizeof(double));
    if (solve_flat(m, &solution))
        return solution;
    start(m);
    iterate(m, &solution);
    find_largest(m);
    complete_solution(m, &solution);
    if (m->hard ? !solution.inseparable : solution.converged) /* a hard margin that stopped early may be found after all */
        improve(m, &solution);
    drop_noise(m, &solution);
    return solution;
}

void margin_support(const MarginSolver *m, uint8_t *support, double *multipliers)
{
    for (uint64_t row = 0; row < m->row_count; row++) {
        poll_row(m, row);
        for (uint32_t side = 0; side < m->sides && m->tags[row] != 0; side++) {
            const double *own = row_state(m, row, side);
            bool full = at_bound(m, own);

            if (!supports(m, own))
                continue;
            support[row] |= full ? 3 : 1;
            if (multipliers != NULL)
                multipliers[row] += (side > 0 ? -m->tags[row] : m->tags[row]) * (full ? own[0] + own[2 * DESIGN_TILE] : own[0]);
        }
    }
}
