/*
 * coordinate_descent.c - cyclic descent by coordinates on a working set, certified by a duality gap.
 *
 * Friedman, Hastie & Tibshirani 2010 (covariance updates), Tibshirani et al. 2012 (the strong rule, which
 * picks the working set; the optimality conditions find what it missed). Once the signs stay, the
 * coefficients solve linear equations; solving these ends the long descent that nearly dependent features
 * would need.
 *
 * The gap: with u a multiple of the residuals that satisfies |2 x_j'u| <= l1_j, 2 u'y - u'u is below the
 * optimum. A squared penalty adds a row to X and a zero to y.
 */
#include "core/linear/coordinate_descent.h"

#include "core/linalg/cholesky.h"
#include "core/linalg/column_loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLL_WORK 4e6     /* multiplications between two polls */
#define ROUNDING 1e-14    /* of inner products of columns with norms up to 1 */
#define EXACT_ROUNDS 5u   /* exact solutions at the end, with a pass between them; more for few coefficients */
#define EXACT_SMALL 2000u
#define ACTIVE_PASSES 8u /* over the nonzero coefficients before a pass over all */

/* The problem on the working set: a copy of its rows and columns. */
typedef struct Working {
    Descent *descent;
    uint32_t count;
    const double *gram; /* [count x count] */
    double *copy;       /* the memory of gram; NULL: the working set is everything */
    double *cross, *l1, *l2, *coef, *gradient; /* [count] */
    double work;        /* since the last poll */
} Working;

Descent descent_begin(Env *env, uint32_t count, const double *gram, const double *cross, double square)
{
    Descent descent = {.env = env,
                       .count = count,
                       .gram = gram,
                       .cross = cross,
                       .square = square,
                       .tolerance = 1e-8,
                       .max_passes = 10000};

    descent.coef = env_array(env, (size_t)count + 1, sizeof(double));
    descent.gradient = env_array(env, (size_t)count + 1, sizeof(double));
    memcpy(descent.gradient, cross, count * sizeof(double));
    return descent;
}

void descent_free(Descent *descent)
{
    descent->env->release(descent->env, descent->coef);
    descent->env->release(descent->env, descent->gradient);
}

/* Counts work, and polls after every POLL_WORK. */
static void worked(Working *w, double multiplications)
{
    w->work += multiplications;
    if (w->work >= POLL_WORK) {
        w->work = 0;
        w->descent->env->poll(w->descent->env);
    }
}

/* ---- the duality gap ---- */

/* What the gap needs from each coefficient b with its gradient g = x'r. */
typedef struct GapSums {
    double explained; /* sum of b x'y */
    double along;     /* sum of b g */
    double squared;   /* sum of l2 b^2 */
    double absolute;  /* sum of l1 |b| */
    double most;      /* the largest multiple of the residuals that meets the conditions on u */
} GapSums;

static void gap_add(GapSums *sums, double cross, double coef, double gradient, double l1, double l2)
{
    double slope = fabs(gradient - l2 * coef);

    sums->explained += coef * cross;
    sums->along += coef * gradient;
    sums->squared += l2 * coef * coef;
    sums->absolute += l1 * fabs(coef);
    if (slope > 0)
        sums->most = fmin(sums->most, (l1 + ROUNDING) / (2 * slope));
}

/* Returns the objective less the lower bound. square: y'y. */
static double gap_of(const GapSums *sums, double square)
{
    double product = square - sums->explained; /* y'r */
    double residual = fmax(0, product - sums->along) + sums->squared;
    double times = residual > 0 ? product / residual : 1, bound;

    times = fmax(-sums->most, fmin(sums->most, times));
    bound = 2 * times * product - times * times * residual;
    return fmax(0, residual + sums->absolute - bound);
}

static double working_gap(const Working *w)
{
    GapSums sums = {.most = INFINITY};

    for (uint32_t j = 0; j < w->count; j++)
        gap_add(&sums, w->cross[j], w->coef[j], w->gradient[j], w->l1[j], w->l2[j]);
    return gap_of(&sums, w->descent->square);
}

static double whole_gap(const Descent *d, const double *l1, const double *l2)
{
    GapSums sums = {.most = INFINITY};

    for (uint32_t j = 0; j < d->count; j++)
        gap_add(&sums, d->cross[j], d->coef[j], d->gradient[j], l1[j], l2[j]);
    return gap_of(&sums, d->square);
}

/* ---- descent ---- */

/* Moves one coordinate to its optimum; returns roughly by how much the objective fell. */
static inline double step(Working *w, uint32_t j)
{
    const double *column = w->gram + (size_t)j * w->count;
    double own = column[j], before = w->coef[j], half = 0.5 * w->l1[j], rho, after, change;

    if (!(own + w->l2[j] > 0))
        return 0;
    rho = w->gradient[j] + own * before;
    after = rho > half ? (rho - half) / (own + w->l2[j]) : rho < -half ? (rho + half) / (own + w->l2[j]) : 0;
    change = after - before;
    if (change == 0)
        return 0;
    w->coef[j] = after;
    column_subtract(w->gradient, column, change, w->count);
    return change * change * (own + w->l2[j]);
}

/* Makes a pass over all coefficients, or over the nonzero ones. */
static double pass(Working *w, bool active)
{
    double fallen = 0;

    for (uint32_t j = 0; j < w->count; j++) {
        if (active && w->coef[j] == 0)
            continue;
        fallen += step(w, j);
        worked(w, w->count);
    }
    w->descent->passes++;
    return fallen;
}

/* Computes the gradient anew from the coefficients, which removes the rounding errors of the steps. */
static void renew_gradient(Working *w)
{
    memcpy(w->gradient, w->cross, w->count * sizeof(double));
    for (uint32_t j = 0; j < w->count; j++)
        if (w->coef[j] != 0) {
            column_subtract(w->gradient, w->gram + (size_t)j * w->count, w->coef[j], w->count);
            worked(w, w->count);
        }
}

/* Solves for the nonzero coefficients at the current signs; false if their equations are singular. */
static bool solve_signs(Working *w, const uint32_t *active, uint32_t count, double *solution)
{
    Env *env = w->descent->env;
    double *matrix = env_array_raw(env, (size_t)count * count, sizeof(double));
    bool solved;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = active[i];
        for (uint32_t j = 0; j < count; j++)
            matrix[(size_t)i * count + j] = w->gram[(size_t)k * w->count + active[j]];
        matrix[(size_t)i * count + i] += w->l2[k];
        solution[i] = w->cross[k] - copysign(0.5 * w->l1[k], w->coef[k]);
        worked(w, count);
    }
    solved = cholesky_factor(env, matrix, count, CHOLESKY_TOLERANCE(count)) == count;
    if (solved) {
        cholesky_solve(env, matrix, count, solution, 1);
        cholesky_solve_transposed(env, matrix, count, solution, 1);
    }
    env->release(env, matrix);
    return solved;
}

/*
 * Moves to the solution for the current signs, or on the way there to where the first coefficient becomes 0.
 * The objective falls all the way. Returns whether it reached the solution.
 */
static bool go_to_signs(Working *w)
{
    Env *env = w->descent->env;
    uint32_t *active = env_array(env, (size_t)w->count + 1, sizeof(uint32_t)), count = 0, first = 0;
    double *solution = env_array(env, (size_t)w->count + 1, sizeof(double)), share = 1;
    bool arrived = false;

    for (uint32_t j = 0; j < w->count; j++)
        if (w->coef[j] != 0)
            active[count++] = j;
    if (count > 0 && solve_signs(w, active, count, solution)) {
        for (uint32_t i = 0; i < count; i++) {
            double from = w->coef[active[i]], to = solution[i], crossing;
            if (from * to > 0)
                continue;
            crossing = from / (from - to);
            if (crossing < share) {
                share = crossing;
                first = i;
            }
        }
        arrived = share == 1;
        for (uint32_t i = 0; i < count; i++) {
            double from = w->coef[active[i]];
            w->coef[active[i]] = arrived ? solution[i] : i == first ? 0 : from + share * (solution[i] - from);
        }
        renew_gradient(w);
    }
    env->release(env, solution);
    env->release(env, active);
    return arrived;
}

static uint32_t nonzero_count(const Working *w)
{
    uint32_t count = 0;

    for (uint32_t j = 0; j < w->count; j++)
        count += w->coef[j] != 0;
    return count;
}

/* Moves to solutions for the current signs until one is reached; each coefficient that becomes 0 changes the signs. */
static bool solve_for_signs(Working *w)
{
    uint32_t before = nonzero_count(w), after;

    for (;;) {
        if (go_to_signs(w))
            return true;
        after = nonzero_count(w);
        if (after >= before)
            return false; /* singular */
        before = after;
    }
}

/* Descends until the gap of the working set is at most `wanted`, or passes run out. */
static void descend(Working *w, double wanted)
{
    Descent *d = w->descent;
    uint32_t rounds = 0, still = 0;

    while (d->passes < d->max_passes) {
        double fallen = pass(w, false);

        if (working_gap(w) <= wanted)
            break;
        /* solving costs about as much as this many rounds */
        if (fallen == 0 || ++rounds > 1 + nonzero_count(w) / 512) {
            bool solved;
            rounds = 0;
            renew_gradient(w);
            solved = solve_for_signs(w);
            still += fallen == 0;
            if (working_gap(w) <= wanted || (fallen == 0 && (!solved || still > 2)))
                break; /* rounding allows no more */
            continue;
        }
        for (uint32_t i = 0; i < ACTIVE_PASSES && d->passes < d->max_passes; i++)
            if (pass(w, true) <= 0.01 * wanted)
                break;
    }
}

/* Replaces the coefficients by the exact solution for their signs where that is better. */
static void finish_exactly(Working *w)
{
    Env *env = w->descent->env;
    double before = working_gap(w);
    double *kept = env_array_raw(env, 2 * (size_t)w->count + 1, sizeof(double));

    memcpy(kept, w->coef, w->count * sizeof(double));
    memcpy(kept + w->count, w->gradient, w->count * sizeof(double));
    for (uint32_t left = EXACT_ROUNDS + EXACT_SMALL / (nonzero_count(w) + 1); left > 0; left--) {
        if (!solve_for_signs(w) || working_gap(w) <= DBL_EPSILON * w->descent->square)
            break;
        if (left == 1 || w->descent->passes >= w->descent->max_passes ||
            pass(w, false) <= DBL_EPSILON * DBL_EPSILON)
            break;
    }
    if (working_gap(w) > before) {
        memcpy(w->coef, kept, w->count * sizeof(double));
        memcpy(w->gradient, kept + w->count, w->count * sizeof(double));
    }
    env->release(env, kept);
}

/* ---- the working set ---- */

static Working working_open(Descent *d, const uint32_t *set, uint32_t count, const double *l1,
                            const double *l2)
{
    Env *env = d->env;
    Working w = {.descent = d, .count = count, .gram = d->gram};

    w.cross = env_array(env, 5 * (size_t)count + 1, sizeof(double));
    w.l1 = w.cross + count;
    w.l2 = w.l1 + count;
    w.coef = w.l2 + count;
    w.gradient = w.coef + count;
    if (count < d->count)
        w.gram = w.copy = env_array_raw(env, (size_t)count * count, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = set[i];
        w.cross[i] = d->cross[k];
        w.l1[i] = l1[k];
        w.l2[i] = l2[k];
        w.coef[i] = d->coef[k];
        w.gradient[i] = d->gradient[k];
        for (uint32_t j = 0; w.copy != NULL && j < count; j++)
            w.copy[(size_t)i * count + j] = d->gram[(size_t)k * d->count + set[j]];
        worked(&w, count);
    }
    return w;
}

static void working_close(Working *w, const uint32_t *set)
{
    Descent *d = w->descent;

    for (uint32_t i = 0; i < w->count; i++)
        d->coef[set[i]] = w->coef[i];
    if (w->copy != NULL)
        d->env->release(d->env, w->copy);
    d->env->release(d->env, w->cross);
    /* the gradient of all coefficients, computed anew */
    memcpy(d->gradient, d->cross, d->count * sizeof(double));
    for (uint32_t j = 0; j < d->count; j++)
        if (d->coef[j] != 0) {
            column_subtract(d->gradient, d->gram + (size_t)j * d->count, d->coef[j], d->count);
            worked(w, d->count);
        }
}

/* Adds the coefficients whose slope is at least `share` of the threshold to the set; returns whether it grew. */
static bool take_in(const Descent *d, const double *l1, double share, uint8_t *in)
{
    bool some = false;

    for (uint32_t j = 0; j < d->count; j++)
        if (!in[j] && (d->coef[j] != 0 || 2 * fabs(d->gradient[j]) > share * l1[j] + ROUNDING)) {
            in[j] = 1;
            some = true;
        }
    return some;
}

void descent_solve(Descent *d, const double *l1, const double *l2, double before)
{
    Env *env = d->env;
    uint8_t *in = env_array(env, (size_t)d->count + 1, 1);
    uint32_t *set = env_array(env, (size_t)d->count + 1, sizeof(uint32_t));
    double allowed = d->tolerance * d->square, wanted = allowed;

    d->passes = 0;
    take_in(d, l1, 2 - before, in);
    for (int round = 0; round < 100; round++) {
        uint32_t count = 0;
        Working w;

        for (uint32_t j = 0; j < d->count; j++)
            if (in[j])
                set[count++] = j;
        w = working_open(d, set, count, l1, l2);
        descend(&w, wanted);
        if (nonzero_count(&w) <= d->exact)
            finish_exactly(&w);
        working_close(&w, set);
        d->gap = whole_gap(d, l1, l2);
        if (take_in(d, l1, 1, in))
            continue;
        if (d->gap <= allowed || d->passes >= d->max_passes || round > 90)
            break;
        wanted *= 0.1;
        if (wanted < DBL_EPSILON * allowed)
            break;
    }
    d->converged = d->gap <= allowed;
    env->release(env, set);
    env->release(env, in);
}
