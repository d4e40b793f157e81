/*
 * smo.c - sequential minimal optimization.
 *
 * For each row the solver keeps what its multiplier gains per unit when it grows and when it shrinks:
 *
 *     rise_i = t_i - f_i - (b_i >= 0 ? epsilon : -epsilon)    -infinity at the upper bound
 *     fall_i = t_i - f_i - (b_i > 0 ? epsilon : -epsilon)      infinity at the lower bound
 *
 * where f_i = sum b_j k(x_j, x_i). At the solution no rise is above a fall, and the intercept lies between them. A step takes
 * the row with the largest rise and the partner that promises most, moves both by the same amount in opposite directions, and
 * stops at a bound or, under an epsilon, at 0.
 *
 * Nu machines have two such sides, of multipliers >= 0 and of multipliers <= 0. A step stays on one side, so that both sums stay. Every
 * row has one of each, as in LIBSVM (Chang & Lin 2002, Neural Computation 14): if a row had one that changes sides at 0, the problem
 * would not be convex.
 */
#include "core/svm/smo_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLL_STEPS 4
#define REPORT_STEPS 1024
#define POLISH_ROUNDS 5
#define POLISH_WORK 1000000 /* rows passed between exact steps, at least */
#define MOST_ROWS_IN_PARTS 2000
#define POLISHED 1e-10  /* a gap that leaves nothing to do */
#define SHRINK_STEPS 1000 /* between two shrinkings, at most */
#define STILL_STEPS 1000  /* on end that change nothing: the solver stops */
#define MARGIN_STEPS 1000 /* between two tests whether a hard margin exists */
#define MOST_LOST 1e-3      /* of the range of f and t that rounding may have in a proof */
#define MOST_SHARE 0.01   /* of the objective that the duality gap of a solution may have, at most; less for a small tolerance */

static uint32_t padded_length(uint32_t count)
{
    return (count + SMO_PAD - 1) / SMO_PAD * SMO_PAD;
}

/* ---- shrinking ---- */

/* Takes all rows up again. Those at the front keep what the steps made of them. */
static void unshrink(Smo *smo)
{
    if (smo->active == smo->count)
        return;
    smo_restore(smo, smo->active);
    smo->active = smo->count;
    smo_find_extremes(smo);
}

static bool idle(const Smo *smo, uint32_t i)
{
    for (uint32_t s = 0; s < smo->sides; s++) {
        const SmoSide *side = &smo->side[s];

        if (!(side->rise[i] < side->now.least && side->fall[i] > side->now.largest))
            return false;
    }
    return true;
}

/* Sets the last row worked on aside. */
static void set_aside(Smo *smo)
{
    smo->active--;
    for (uint32_t s = 0; s < smo->sides; s++) {
        smo->side[s].rise[smo->active] = -INFINITY;
        smo->side[s].fall[smo->active] = INFINITY;
    }
}

/*
 * Sets rows aside that are unlikely to move again. Their rise and fall lose their meaning, so the rows behind `active` up to
 * the padding get values that are never chosen; unshrink() computes them again.
 */
static void shrink(Smo *smo)
{
    uint32_t swaps = 0;

    if (!smo->unshrunk && smo_gap(smo) <= 10 * smo->tolerance) {
        smo->unshrunk = true;
        unshrink(smo);
    }
    for (uint32_t i = 0; i < smo->active;) {
        if (!idle(smo, i)) {
            i++;
            continue;
        }
        while (smo->active - 1 > i && idle(smo, smo->active - 1)) /* an exchange takes time in each row of the cache */
            set_aside(smo);
        if (i != smo->active - 1) {
            smo_swap_kept(smo, i, smo->active - 1);
            smo->pairs[swaps++] = (PointPair){i, smo->active - 1};
        }
        set_aside(smo);
    }
    kernel_cache_swap(smo->cache, smo->pairs, swaps);
    smo_find_extremes(smo);
}

/* ---- steps ---- */

/* Returns the row of a block with the largest rise. */
static uint32_t top_row(const Smo *smo, const SmoSide *side)
{
    uint32_t first = side->now.first, best = first;

    for (uint32_t i = first; i < first + SMO_PAD && i < smo->active; i++)
        if (side->rise[i] > side->rise[best])
            best = i;
    return best;
}

/* Moves two multipliers in opposite directions as far as it pays, at most to where they must stop. */
static void move_pair(Smo *smo, uint32_t s, uint32_t i, uint32_t j)
{
    const SmoSide *side = &smo->side[s];
    double *b = smo_own(smo, s);
    double curvature = smo->diagonal[i] + smo->diagonal[j] - 2 * (double)smo->row_i[j];
    double move = (side->rise[i] - side->fall[j]) / (curvature > SMO_TAU ? curvature : SMO_TAU);
    double top = smo_top(smo, s, i), bottom = smo_bottom(smo, s, j), room_i = top - b[i], room_j = b[j] - bottom;
    double rest_i = smo_rest(smo, i), rest_j = smo_rest(smo, j);

    if (curvature <= 0 && (isfinite(room_i) || isfinite(room_j))) /* equal rows, or a concave pair: nothing stops it before */
        move = INFINITY;
    if (move >= room_i || move >= room_j)
        move = room_i <= room_j ? room_i : room_j;
    smo->still = move <= 4 * DBL_EPSILON * fmax(fabs(b[i]), fabs(b[j])) ? smo->still + 1 : 0;
    b[i] = move == room_i ? top : b[i] + move;
    b[j] = move == room_j ? bottom : b[j] - move;
    if (smo->sides == 2) {
        smo->b[i] = smo->side[0].part[i] + smo->side[1].part[i];
        smo->b[j] = smo->side[0].part[j] + smo->side[1].part[j];
    }
    smo_set_row(smo, i, rest_i);
    smo_set_row(smo, j, rest_j);
    smo_move(smo, move, smo->row_i, smo->row_j);
}

/* Takes one step; false: no pair misses the conditions by more than the tolerance. */
static bool step(Smo *smo)
{
    uint32_t s = smo->sides == 2 && smo_side_gap(&smo->side[1]) > smo_side_gap(&smo->side[0]), i, j;
    const SmoSide *side = &smo->side[s];

    if (!(smo_side_gap(side) > smo->tolerance))
        return false;
    i = top_row(smo, side);
    smo->row_i = kernel_cache_row(smo->cache, i, smo->active);
    j = smo_partner(smo, side, i);
    if (j == UINT32_MAX)
        return false;
    smo->row_j = kernel_cache_row(smo->cache, j, smo->active);
    move_pair(smo, s, i, j);
    smo->iterations++;
    return true;
}

/* ---- margins ---- */

/*
 * Tells whether no hyperplane separates the classes by more than a hair: where one separates them by m on both sides, all multipliers have
 * |w| >= m sum |b|. Without a hard margin the sum grows without end while |w| hardly does; in nu machines it stays while |w| goes to 0.
 */
static bool inseparable(const Smo *smo)
{
    double square = 0, sum = 0;

    for (uint32_t i = 0; i < smo->count; i++)
        if (smo->b[i] != 0 && i < smo->active) {
            square += smo->b[i] * (smo->targets[i] - smo_rest(smo, i));
            sum += fabs(smo->b[i]);
        }
    return square <= smo->problem->least_margin * smo->problem->least_margin * sum * sum;
}

/* ---- start and end ---- */

static double *copy_of(Env *env, const double *from, uint32_t count)
{
    double *copy = env_array(env, (size_t)count + SMO_PAD, sizeof(double));

    memcpy(copy, from, count * sizeof(double));
    return copy;
}

/* Fails unless kernel values of the points with themselves, which bound all others, are numbers in single precision. */
static void require_range(const Smo *smo)
{
    for (uint32_t i = 0; i < smo->count; i++)
        if (!(fabs(smo->diagonal[i]) < FLT_MAX / 4))
            env_fail(smo->env, ERROR_RANGE, "Scale the features (\"standardize\": true), or lower gamma or degree.",
                     "kernel %s of a row with itself is %g: %s needs values below %g", kernel_name(smo->problem->kernel->kind),
                     smo->diagonal[i], smo->problem->phase, (double)FLT_MAX / 4);
}

/* Splits the multipliers of nu machines into sides, and raises them to their sums, by the same on both sides of a row, which leaves b. */
static void fill_sides(Smo *smo)
{
    double left = smo->problem->side_sum;

    for (uint32_t i = 0; i < smo->count; i++) {
        smo->side[0].part[i] = fmax(smo->b[i], 0);
        smo->side[1].part[i] = fmin(smo->b[i], 0);
        left -= smo->side[0].part[i];
    }
    for (uint32_t i = 0; i < smo->count && left > 1e-12 * smo->problem->side_sum; i++) {
        double step = fmin(left, fmin(smo->upper[i] - smo->side[0].part[i], smo->side[1].part[i] - smo->lower[i]));

        smo->side[0].part[i] += step;
        smo->side[1].part[i] -= step;
        left -= step;
    }
}

/* Returns the base without multipliers. */
static SmoBase base_of(const Smo *smo)
{
    return (SmoBase){.b = env_array(smo->env, smo->padded, sizeof(double)), .rest = copy_of(smo->env, smo->problem->targets, smo->count)};
}

static void begin(Smo *smo, const double *multipliers)
{
    const SmoProblem *problem = smo->problem;
    Env *env = smo->env;

    smo->padded = padded_length(smo->count) + SMO_PAD;
    smo->cache = kernel_cache(env, problem->kernel, problem->points, smo->count, problem->dims, problem->cache_bytes);
    smo->b = copy_of(env, multipliers, smo->count);
    smo->targets = copy_of(env, problem->targets, smo->count);
    smo->lower = copy_of(env, problem->lower, smo->count);
    smo->upper = copy_of(env, problem->upper, smo->count);
    smo->exact = base_of(smo);
    smo->near = base_of(smo);
    smo->diagonal = env_array(env, smo->padded, sizeof(double));
    memcpy(smo->diagonal, kernel_cache_diagonal(smo->cache), smo->count * sizeof(double));
    require_range(smo);
    smo->zeros = env_array(env, smo->padded, sizeof(float));
    smo->rows = env_array(env, smo->padded, sizeof(uint32_t));
    smo->pairs = env_array(env, smo->padded, sizeof(PointPair));
    for (uint32_t i = 0; i < smo->count; i++)
        smo->rows[i] = i;
    for (uint32_t s = 0; s < smo->sides; s++) {
        smo->side[s].rise = env_array(env, smo->padded, sizeof(double));
        smo->side[s].fall = env_array(env, smo->padded, sizeof(double));
        if (smo->sides == 2)
            smo->side[s].part = env_array(env, smo->padded, sizeof(double));
        for (uint32_t i = smo->count; i < smo->padded; i++) {
            smo->side[s].rise[i] = -INFINITY;
            smo->side[s].fall[i] = INFINITY;
        }
    }
    if (smo->sides == 2)
        fill_sides(smo);
    smo_restore(smo, 0);
    smo_find_extremes(smo);
}

static void end(Smo *smo)
{
    Env *env = smo->env;
    void *arrays[] = {smo->b,     smo->targets, smo->lower,          smo->upper,         smo->diagonal,      (void *)(uintptr_t)smo->zeros,
                      smo->rows,  smo->pairs,   smo->side[0].rise,   smo->side[0].fall,  smo->side[1].rise,  smo->side[1].fall,
                      smo->side[0].part, smo->side[1].part, smo->exact.b, smo->exact.rest, smo->near.b, smo->near.rest};

    for (uint32_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        if (arrays[i] != NULL)
            env->release(env, arrays[i]);
    kernel_cache_free(smo->cache);
}

/* The level of f on a side: the mean over its free multipliers, or the middle of what the others allow. */
typedef struct Level {
    double low, high, mean;
} Level;

static double middle(double low, double high)
{
    return isfinite(low) && isfinite(high) ? low / 2 + high / 2 : isfinite(low) ? low : isfinite(high) ? high : 0;
}

static Level level(const Smo *smo, uint32_t s)
{
    const SmoSide *side = &smo->side[s];
    Level level = {.low = -INFINITY, .high = INFINITY};
    double sum = 0;
    uint32_t free_rows = 0;

    for (uint32_t i = 0; i < smo->count; i++) {
        double b = smo_own(smo, s)[i];

        if (b != 0 && b > smo->lower[i] && b < smo->upper[i]) {
            sum += side->rise[i];
            free_rows++;
        }
        level.low = fmax(level.low, side->rise[i]);
        level.high = fmin(level.high, side->fall[i]);
    }
    level.mean = free_rows > 0 ? sum / free_rows : middle(level.low, level.high);
    return level;
}

/* Sets the intercept and the width. A tube has no negative width: what is optimal with width 0 lies between the limits of both sides. */
static void set_levels(const Smo *smo, SmoResult *result)
{
    Level first = level(smo, 0), second = smo->sides == 2 ? level(smo, 1) : first;
    bool tube = false;

    for (uint32_t i = 0; i < smo->count; i++)
        tube = tube || (smo->sides == 2 && smo->lower[i] < 0 && smo->upper[i] > 0);
    result->intercept = first.mean / 2 + second.mean / 2;
    result->width = first.mean / 2 - second.mean / 2;
    if (tube && result->width < 0) {
        result->intercept = middle(fmax(first.low, second.low), fmin(first.high, second.high));
        result->width = 0;
    }
}

/*
 * Returns what a row adds to the duality gap, never less than 0: u (r - width)+ - l (-r - width)+ - b r + width (|b| on both sides), with
 * the bounds l and u and r = t - f of the whole decision function.
 */
static double excess_of(const Smo *smo, uint32_t i, double r, double width)
{
    double both = smo->sides == 2 ? smo->side[0].part[i] - smo->side[1].part[i] : fabs(smo->b[i]), excess = width * both - smo->b[i] * r;

    if (r > width && isfinite(smo->upper[i]))
        excess += smo->upper[i] * (r - width);
    if (-r > width && isfinite(smo->lower[i]))
        excess += smo->lower[i] * (r + width);
    return excess;
}

/* Sets the intercept, the objectives, and the multipliers in the caller's order. */
static SmoResult finish(Smo *smo, double *multipliers)
{
    SmoResult result = {.iterations = smo->iterations};

    set_levels(smo, &result);
    for (uint32_t i = 0; i < smo->count; i++) {
        double f = smo->targets[i] - smo_rest(smo, i), b = smo->b[i];

        result.square += b * f;
        result.objective += b * (f / 2 - smo->targets[i]) + smo->epsilon * fabs(b);
        result.excess += excess_of(smo, i, smo->targets[i] - f - result.intercept, smo->sides == 2 ? result.width : smo->epsilon);
        multipliers[smo->rows[i]] = b;
    }
    result.gap = fmax(0, smo_gap(smo));
    result.evaluations = kernel_cache_evaluations(smo->cache);
    return result;
}

/* ---- the whole ---- */

/* Takes steps until no pair misses the conditions by more than the tolerance; false: stopped before. */
static bool run(Smo *smo, uint64_t most, bool *no_margin)
{
    const SmoProblem *problem = smo->problem;
    uint32_t period = smo->count < SHRINK_STEPS ? smo->count : SHRINK_STEPS;
    uint64_t next_shrink = smo->iterations + period;

    while (smo->iterations < most && smo->still < STILL_STEPS) {
        if (problem->shrinking && smo->iterations >= next_shrink) {
            shrink(smo);
            next_shrink = smo->iterations + period;
        }
        if (problem->least_margin > 0 && smo->sides == 1 && smo->iterations % MARGIN_STEPS == 1 && inseparable(smo)) {
            *no_margin = true;
            return false;
        }
        if (step(smo)) {
            env_poll_every(smo->env, smo->iterations, POLL_STEPS);
            if (smo->iterations % REPORT_STEPS == 0)
                smo->env->progress(smo->env, problem->phase, smo->iterations, 0, smo_gap(smo));
            continue;
        }
        if (smo->active == smo->count)
            return true;
        unshrink(smo);
    }
    return false;
}

/* Returns how many steps a part of a small problem has, after which exact steps are tried. */
static uint64_t part_steps(const Smo *smo)
{
    return 20 * (uint64_t)smo->count + POLISH_WORK / smo->count;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * Returns a gap that rounding leaves: 1e-12 of the largest |f| and |t|, or 1e-14 of what f may be before its terms cancel. proof: the second at most as
 * a share of what f and t range over, because a gap beyond that says that they are lost in rounding.
 */
static double rounding_gap(const Smo *smo, bool proof)
{
    double largest = 0, norm = 0, sum = 0, low_f = INFINITY, high_f = -INFINITY, low_t = INFINITY, high_t = -INFINITY, cancelled;

    for (uint32_t i = 0; i < smo->count; i++) {
        double own = sqrt(fabs(smo->diagonal[i])), t = smo->targets[i], f = t - smo_rest(smo, i);

        largest = fmax(largest, fmax(fabs(t), fabs(f)));
        norm = fmax(norm, own);
        sum += fabs(smo->b[i]) * own;
        low_f = fmin(low_f, f);
        high_f = fmax(high_f, f);
        low_t = fmin(low_t, t);
        high_t = fmax(high_t, t);
    }
    cancelled = 1e-14 * norm * sum;
    if (proof && high_t > low_t) /* otherwise f may be 0 at the solution */
        cancelled = fmin(cancelled, MOST_LOST * (high_f - low_f + high_t - low_t));
    return fmax(1e-12 * largest, cancelled);
}

/*
 * Takes steps until the conditions hold, at most max_iter. Where that takes long, because kernel values are large or rows depend on each
 * other, small problems get exact steps now and then, which go where thousands of steps of pairs would.
 */
static bool run_parts(Smo *smo, bool *no_margin)
{
    uint64_t most = smo->problem->max_iter;
    bool converged = false, parts = smo->count <= MOST_ROWS_IN_PARTS;

    while (!converged && !*no_margin && smo->iterations < most) {
        converged = run(smo, parts ? earlier(most, smo->iterations + part_steps(smo)) : most, no_margin);
        unshrink(smo);
        if (converged || *no_margin || smo->iterations >= most || smo->still >= STILL_STEPS)
            break;
        parts = smo_polish(smo, false);
        converged = smo_gap(smo) <= fmax(smo->tolerance, rounding_gap(smo, false));
    }
    return converged;
}

/* Takes exact steps, and finer ones where rows depend on each other. */
static void last_digits(Smo *smo, bool *no_margin)
{
    double rounding = rounding_gap(smo, false), enough = fmax(fmin(POLISHED, 100 * rounding), rounding);

    for (int round = 0; smo_polish(smo, true) && smo_gap(smo) > enough && round < POLISH_ROUNDS; round++) {
        smo->tolerance = fmin(smo->tolerance, smo_gap(smo)) / 100;
        run(smo, earlier(smo->problem->max_iter, smo->iterations + part_steps(smo)), no_margin);
        unshrink(smo);
    }
}

size_t smo_least(uint32_t count, uint32_t dims)
{
    size_t cache = kernel_cache_least(count, dims), rows = ((size_t)count + 2 * SMO_PAD) * 20 * sizeof(double);

    return cache == SIZE_MAX || cache > SIZE_MAX - rows ? SIZE_MAX : cache + rows;
}

/* Tells whether the primal objective proves a solution: the duality gap is a small share of it, or what rounding leaves. */
static bool proven(const Smo *smo, const SmoResult *result)
{
    double tolerance = smo->problem->tolerance, rounding = rounding_gap(smo, true), bounds = 0;
    double largest = fmax(fabs(result->objective), fabs(result->excess - result->objective));

    for (uint32_t i = 0; i < smo->count; i++)
        bounds += fmax(isfinite(smo->upper[i]) ? smo->upper[i] : 0, isfinite(smo->lower[i]) ? -smo->lower[i] : 0);
    if (result->width < 0) /* the margin is the unit of scores */
        tolerance *= -result->width;
    return result->gap <= fmax(tolerance, rounding) && result->excess <= fmin(MOST_SHARE, 10 * smo->problem->tolerance) * largest + rounding * bounds;
}

/* Solves to a tolerance that the primal objective confirms. */
static SmoResult solve_proven(Smo *smo, double *multipliers)
{
    bool no_margin = false, converged;
    uint64_t before = UINT64_MAX; /* iterations of the round before */
    SmoResult result;

    for (;;) {
        converged = run_parts(smo, &no_margin);
        if (converged)
            last_digits(smo, &no_margin);
        result = finish(smo, multipliers);
        if (smo->problem->least_margin > 0 && inseparable(smo)) {
            smo_recompute(smo, (SmoKnown){NULL, 0, 0}); /* a sum that cancels needs all digits */
            smo_find_extremes(smo);
            no_margin = inseparable(smo);
        }
        result.converged = converged && !no_margin && proven(smo, &result);
        if (!converged || no_margin || result.converged || smo->iterations >= smo->problem->max_iter)
            break;
        /* a gap above the tolerance that no pair can close: their gains are below the smallest number */
        if (result.gap <= rounding_gap(smo, false) || smo->still >= STILL_STEPS || smo->iterations == before) {
            result.stalled = true;
            break;
        }
        before = smo->iterations;
        smo->tolerance = fmin(smo->tolerance, result.gap) / 10;
    }
    result.stalled = result.stalled || (!converged && smo->still >= STILL_STEPS);
    result.inseparable = no_margin;
    return result;
}

SmoResult smo_solve(Env *env, const SmoProblem *problem, double *multipliers)
{
    Smo smo = {.env = env,
               .problem = problem,
               .count = problem->count,
               .active = problem->count,
               .sides = problem->side_sum > 0 ? 2 : 1,
               .epsilon = problem->side_sum > 0 ? 0 : problem->epsilon,
               .tolerance = problem->tolerance};
    SmoResult result;

    begin(&smo, multipliers);
    result = solve_proven(&smo, multipliers);
    end(&smo);
    return result;
}
