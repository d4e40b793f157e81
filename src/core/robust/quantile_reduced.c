/*
 * quantile_reduced.c - the preprocessing of Portnoy & Koenker (1997, Statistical Science 12): a sample of the rows shows which rows are surely below or above the
 * equation. The rows of each of these sides become one, their sum, and what is solved is left with the rows between.
 *
 * The check loss of a sum is at most the sum of the losses, and the same while its rows are on one side. So a solution of the reduced rows that leaves every
 * row on its side is one of all rows, and its duality gap is theirs. Rows that are found on another side are taken out of the sums, and the rest is solved again.
 * Where several equations are equally good, all rows are solved: the rows between would see another middle of them, which depends on the sample.
 *
 * A fit of 100,000 rows of 10 features takes 0.10 s of processor time with the scan instead of 0.27 s (section "quantile regression" of bench/linear.py; with
 * pgfit.fit_mem at 20 MB there is no room for it).
 */
#include "core/robust/quantile_state.h"
#include "core/base/number_order.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

#define SAMPLE_TOLERANCE 1e-4 /* the sample's own error is larger */
#define BETWEEN 1.5  /* rows between the sides, as a multiple of the sample */
#define ROUNDS 5     /* solutions of the rows between; the first or second is mostly the last */
#define OUTLIER 1e4  /* times the width of what is between: larger residuals of the sides count as so much */
#define MARGIN 1e-9  /* of that width: nearer rows are not on a side */
#define LEFT 1e-3    /* of the sum of a side, at least, is left of it in a solution that keeps it there: less may be rounding */
#define SEED 0x9e6c63d0876a9a47

enum { SIDE_BETWEEN, SIDE_BELOW, SIDE_ABOVE };

typedef struct Reduction {
    Env *env;
    QuantileSolver *all, *part;
    double quantile;
    double *residuals;  /* [rows] of all->theta */
    uint8_t *side;      /* [rows] */
    double low, high;   /* residuals between these are between the sides */
    double width;
    double median, size; /* of the targets */
    uint64_t between;   /* rows */
    bool sums_kept;     /* whether the sums of the sides are on their sides of the last solution */
} Reduction;

/* Copies a row to place `at` of a part. target: instead of its own. */
static void copy_row(const QuantileSolver *all, uint64_t row, double target, QuantileSolver *part, uint64_t at)
{
    const double *from = all->x + row / DESIGN_TILE * all->width * DESIGN_TILE + row % DESIGN_TILE;
    double *to = part->x + at / DESIGN_TILE * all->width * DESIGN_TILE + at % DESIGN_TILE;

    for (uint32_t j = 0; j < all->width; j++)
        to[(size_t)j * DESIGN_TILE] = from[(size_t)j * DESIGN_TILE];
    part->target[at] = target;
    part->weight[at] = all->weight[row];
}

/* ---- the sample ---- */

static bool is_sampled(uint64_t row, double share)
{
    return (double)mix64(row ^ SEED) < share * 0x1p64;
}

/* Returns the solver of a sample of about so many rows. */
static QuantileSolver *draw_sample(QuantileSolver *all, double rows)
{
    double share = rows / (double)all->count;
    uint64_t count = 0, at = 0;
    QuantileSolver *part;

    for (uint64_t i = 0; i < all->count; i++) {
        count += is_sampled(i, share);
        env_poll_rows(all->env, i);
    }
    part = quantile_room(all->rows, count, SAMPLE_TOLERANCE, all->max_iter);
    for (uint64_t i = 0; i < all->count; i++) {
        if (is_sampled(i, share))
            copy_row(all, i, all->target[i], part, at++);
        env_poll_rows(all->env, i);
    }
    return part;
}

/* Sets the limits of what is between: the residuals of the sample about 0. Returns false if too many of them are equal. */
static bool set_limits(Reduction *reduction, const QuantileSolver *sample)
{
    Env *env = reduction->env;
    uint64_t n = sample->count, zero = 0, half = (uint64_t)(0.5 * BETWEEN * (double)n * (double)n / (double)reduction->all->count) + 1;
    double *sorted = env_array_raw(env, n, sizeof(double)), least, most;

    quantile_residuals(sample, sample->theta, false, sorted);
    sort_numbers(env, sorted, n, sizeof(double));
    while (zero < n && sorted[zero] < 0)
        zero++;
    least = sorted[zero > half ? zero - half : 0];
    most = sorted[zero + half < n ? zero + half : n - 1];
    reduction->low = zero > half ? fmin(least, 0) : -INFINITY;
    reduction->high = zero + half < n ? fmax(most, 0) : INFINITY;
    reduction->width = most - least;
    env->release(env, sorted);
    return reduction->width > 0;
}

/* Solves a sample of about so many rows, and sets theta and the limits by it. Returns false if it does not tell enough. */
static bool solve_sample(Reduction *reduction, double rows, QuantileSolution *solution)
{
    QuantileSolver *sample = draw_sample(reduction->all, rows);
    bool solved = sample->count > sample->width && quantile_solve_rows(sample, reduction->quantile, solution) && solution->converged &&
                  solution->iterations > 0 /* 0: a perfect fit */ && set_limits(reduction, sample);

    reduction->median = sample->median;
    reduction->size = sample->size * (double)reduction->all->count / (double)sample->count;
    memcpy(reduction->all->theta, sample->theta, sample->width * sizeof(double));
    quantile_release(sample);
    return solved;
}

/* ---- sides ---- */

static void set_sides(Reduction *reduction)
{
    for (uint64_t i = 0; i < reduction->all->count; i++) {
        double residual = reduction->residuals[i];

        reduction->side[i] = residual < reduction->low ? SIDE_BELOW : residual > reduction->high ? SIDE_ABOVE : SIDE_BETWEEN;
        reduction->between += reduction->side[i] == SIDE_BETWEEN;
        env_poll_rows(reduction->env, i);
    }
}

/* Takes the rows that are not on their side out of it. Returns how many there are. */
static uint64_t leave_sides(Reduction *reduction)
{
    double margin = MARGIN * reduction->width;
    uint64_t count = 0;

    for (uint64_t i = 0; i < reduction->all->count; i++) {
        double residual = reduction->residuals[i];

        if ((reduction->side[i] == SIDE_BELOW && !(residual < -margin)) || (reduction->side[i] == SIDE_ABOVE && !(residual > margin))) {
            reduction->side[i] = SIDE_BETWEEN;
            count++;
        }
        env_poll_rows(reduction->env, i);
    }
    reduction->between += count;
    return count;
}

/*
 * Makes a row of the part the sum of the rows of a side. Its solution depends on the side alone on which it is: outliers count less. So the sum may be on
 * another side although all of its rows are on theirs.
 */
static void add_side(Reduction *reduction, uint8_t side, uint64_t at)
{
    const QuantileSolver *all = reduction->all;
    QuantileSolver *part = reduction->part;
    double most = OUTLIER * reduction->width, *sums = env_array(reduction->env, all->width, sizeof(double));
    double *to = part->x + at / DESIGN_TILE * all->width * DESIGN_TILE + at % DESIGN_TILE;

    memset(all->work, 0, all->tiles * DESIGN_TILE * sizeof(double));
    for (uint64_t i = 0; i < all->count; i++) {
        if (reduction->side[i] == side) {
            all->work[i] = 1;
            part->target[at] += all->weight[i] * fmin(fmax(reduction->residuals[i], -most), most);
        }
        env_poll_rows(reduction->env, i);
    }
    quantile_add_products(all, all->work, sums);
    for (uint32_t j = 0; j < all->width; j++)
        to[(size_t)j * DESIGN_TILE] = sums[j];
    part->weight[at] = 1;
    reduction->env->release(reduction->env, sums);
}

/* Returns whether the sums of the sides, the last two rows of the part, are below and above its solution. A side without rows has a sum of 0. */
static bool sums_are_kept(const QuantileSolver *part)
{
    uint64_t below = part->count - 2, above = part->count - 1;

    quantile_residuals(part, part->theta, false, part->work);
    return part->work[below] <= LEFT * part->target[below] && part->work[above] >= LEFT * part->target[above];
}

/* Adds to theta what solves the reduced rows. Returns false if that does not converge. */
static bool solve_between(Reduction *reduction, QuantileSolution *solution)
{
    QuantileSolver *all = reduction->all, *part = quantile_room(all->rows, reduction->between + 2, all->tolerance, all->max_iter);
    uint64_t at = 0;

    reduction->part = part;
    part->median = reduction->median;
    part->size = reduction->size;
    for (uint64_t i = 0; i < all->count; i++) {
        if (reduction->side[i] == SIDE_BETWEEN)
            copy_row(all, i, reduction->residuals[i], part, at++);
        env_poll_rows(reduction->env, i);
    }
    add_side(reduction, SIDE_BELOW, at++);
    add_side(reduction, SIDE_ABOVE, at);
    quantile_improve(part, reduction->quantile, solution);
    reduction->sums_kept = sums_are_kept(part);
    for (uint32_t j = 0; j < all->width; j++)
        all->theta[j] += part->theta[j];
    quantile_release(part);
    return solution->converged;
}

/* Returns whether the rows on the equation determine it. If not, it is in the middle of equations that are equally good. */
static bool is_determined(const Reduction *reduction)
{
    const QuantileSolver *all = reduction->all;

    for (uint64_t i = 0; i < all->count; i++) {
        all->shift[i] = fabs(reduction->residuals[i]) <= MARGIN * reduction->width;
        env_poll_rows(reduction->env, i);
    }
    quantile_gram(all, all->shift, all->gram);
    dense_from_packed(all->dense, all->gram, all->width);
    return cholesky_factor(reduction->env, all->dense, all->width, CHOLESKY_TOLERANCE(all->width)) == all->width;
}

/* Solves from theta and limits. Returns false if that takes too many rows or rounds, or other equations are equally good. */
static bool solve_rounds(Reduction *reduction, uint64_t most, QuantileSolution *solution)
{
    for (int round = 0; round < ROUNDS; round++) {
        quantile_residuals(reduction->all, reduction->all->theta, false, reduction->residuals);
        if (round == 0)
            set_sides(reduction);
        else if (leave_sides(reduction) == 0 && reduction->sums_kept)
            return is_determined(reduction);
        if (reduction->between > most || !solve_between(reduction, solution))
            return false;
    }
    return false;
}

/* Solves by fewer rows. Returns false if the rows are too few, or too many are equal, for that, or a step does not converge, or other equations are equally good. */
static bool solve_reduced(QuantileSolver *solver, double quantile, QuantileSolution *solution)
{
    Env *env = solver->env;
    double rows = pow((double)solver->count * solver->width, 2.0 / 3), most = 2 * BETWEEN * rows;
    QuantileSolution own = {.theta = solution->theta};
    Reduction reduction = {.env = env, .all = solver, .quantile = quantile};
    bool solved;

    if (solver->width == 0 || most > 0.5 * (double)solver->count ||
        quantile_memory(solver->count, solver->width) + quantile_memory((uint64_t)most, solver->width) + 9.0 * (double)solver->count > (double)env->memory_limit)
        return false;
    reduction.residuals = env_array_raw(env, solver->count, sizeof(double));
    reduction.side = env_array(env, solver->count, 1);
    solved = solve_sample(&reduction, rows, &own) && solve_rounds(&reduction, (uint64_t)most, &own);
    env->release(env, reduction.residuals);
    env->release(env, reduction.side);
    if (solved)
        *solution = own;
    return solved;
}

QuantileSolution quantile_solve(QuantileSolver *solver, double quantile)
{
    QuantileSolution solution = {.theta = env_array(solver->env, (size_t)solver->width + 1, sizeof(double))};

    if (!solve_reduced(solver, quantile, &solution) && !quantile_solve_rows(solver, quantile, &solution))
        env_fail(solver->env, ERROR_RANGE, "Multiply small weights by a large number.", "the weighted features of quantile_regression are too small or too different for a number");
    solution.objective = quantile_check_loss(solver, quantile);
    memcpy(solution.theta, solver->theta, solver->width * sizeof(double));
    return solution;
}
