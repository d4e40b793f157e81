/*
 * smo_polish.c - the last digits: solves for the free multipliers of an almost optimal solution.
 *
 * With F the free rows (neither at a bound nor 0) and the others fixed, the conditions are linear: moving the multipliers by d must
 * bring t - f - epsilon sign(b) to one level c per side, while their sums stay:
 *
 *     K_FF d + E c = r_F,    E' d = 0         E: a column of ones per side
 *
 * solved by a Cholesky factor of K_FF + s E E', which changes nothing where E' d = 0. Where a step would leave the box, it ends at
 * the box, and that row is fixed. Where a row of a nu machine has a free multiplier on either side, both move. A row that depends on others (equal rows, more free rows than the feature space has dimensions)
 * moves with them along a direction in which f does not change, until one of them reaches the box.
 */
#include "core/linalg/cholesky.h"
#include "core/svm/smo_internal.h"

#include <math.h>
#include <string.h>

#define MOST_FREE 800 /* the Cholesky factor takes 0.1 s */
#define MOST_WORK 3e8 /* coordinates compared to compute f of all rows */
#define LEAST_BYTES 4e6 /* of matrices, whatever the budget for the cache */
#define MOST_FLOPS 5e8
#define DEPENDENT 1e-11 /* a pivot below this share of its diagonal element */

/* A multiplier that may move. */
typedef struct Free {
    uint32_t row, side;
} Free;

typedef struct Polish {
    Smo *smo;
    uint32_t free_rows; /* of the first rows */
    uint32_t length;    /* all rows if there is room, else the free ones */
    double *gram;       /* [free_rows x length] */
    double *rest;       /* [free_rows] t - f */
    Free *at;           /* [count] the multipliers that are still free */
    uint32_t count;
    double flops;       /* spent on factors */
    double *factor, *right, *step; /* [count x count], [count x 3], [count] */
} Polish;

static bool is_free(const Smo *smo, uint32_t s, uint32_t i)
{
    double b = smo_own(smo, s)[i];

    return b != 0 && b > smo->lower[i] && b < smo->upper[i];
}

/* Counts the free multipliers of a row. */
static uint32_t free_of(const Smo *smo, uint32_t i)
{
    return is_free(smo, 0, i) + (smo->sides == 2 && is_free(smo, 1, i));
}

/* Brings the free rows to the front. */
static void gather(Smo *smo)
{
    uint32_t front = 0, swaps = 0;

    for (uint32_t i = 0; i < smo->count; i++) {
        if (free_of(smo, i) == 0)
            continue;
        if (i != front) {
            PointPair pair = {front, i};

            smo->pairs[swaps++] = pair;
        }
        front++;
    }
    smo_swap(smo, smo->pairs, swaps);
}

/* Computes the kernel values of the free rows. */
static SmoKnown load(Polish *polish)
{
    uint32_t length = polish->length, n = polish->free_rows;

    polish->gram = env_array_raw(polish->smo->env, (size_t)n * length + KERNEL_PANEL, sizeof(double));
    for (uint32_t j = 0; j < n; j++) /* what is written behind a row is overwritten by the next one */
        kernel_cache_values(polish->smo->cache, j, 0, length, polish->gram + (size_t)j * length);
    return (SmoKnown){polish->gram, n, length};
}

/* Takes a multiplier out of those that may move. */
static void fix(Polish *polish, uint32_t i)
{
    polish->count--;
    memmove(polish->at + i, polish->at + i + 1, (polish->count - i) * sizeof(Free));
}

/* Returns by how much the objective falls per unit of a multiplier, leaving out what goes with the sums. */
static double slope(const Polish *polish, uint32_t i)
{
    uint32_t row = polish->at[i].row;

    return polish->rest[row] - (polish->smo->b[row] < 0 ? -polish->smo->epsilon : polish->smo->epsilon);
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes out of the first n of a step what would change the sums of the sides: the solution of a matrix that is nearly singular has few digits. */
static void keep_sums(Polish *polish, uint32_t n)
{
    double sum[2] = {0, 0};
    uint32_t count[2] = {0, 0};

    for (uint32_t i = 0; i < n; i++) {
        sum[polish->at[i].side] += polish->step[i];
        count[polish->at[i].side]++;
    }
    for (uint32_t i = 0; i < n; i++)
        polish->step[i] -= sum[polish->at[i].side] / count[polish->at[i].side];
}

/* Moves the free multipliers by share times the step, at most to the box; returns whether they stayed inside it. */
static bool take(Polish *polish, double share)
{
    Smo *smo = polish->smo;
    uint32_t n = polish->count, stopped = UINT32_MAX;
    double end = 0;

    for (uint32_t i = 0; i < n; i++) {
        Free at = polish->at[i];
        double b = smo_own(smo, at.side)[at.row], d = polish->step[i];
        double bound = d > 0 ? smo_top(smo, at.side, at.row) : smo_bottom(smo, at.side, at.row);

        if (d != 0 && (bound - b) / d < share) {
            share = (bound - b) / d;
            stopped = i;
            end = bound;
        }
    }
    if (!isfinite(share))
        return true;
    for (uint32_t i = 0; i < n; i++) {
        Free at = polish->at[i];
        const double *row = polish->gram + (size_t)at.row * polish->length;
        double move = share * polish->step[i];

        if (move == 0)
            continue;
        smo_own(smo, at.side)[at.row] = i == stopped ? end : smo_own(smo, at.side)[at.row] + move;
        for (uint32_t k = 0; k < polish->free_rows; k++)
            polish->rest[k] -= move * row[k];
    }
    if (stopped == UINT32_MAX)
        return true;
    fix(polish, stopped);
    return false;
}

/* Returns an element of K + border E E'. */
static double entry(const Polish *polish, uint32_t i, uint32_t j, double border)
{
    Free a = polish->at[i], b = polish->at[j];

    return polish->gram[(size_t)a.row * polish->length + b.row] + (a.side == b.side ? border : 0);
}

/*
 * Moves along the direction in which the row at `place` depends on those before it: v = 1 for it and -K^-1 k for them. Its curvature
 * is the pivot, which is hardly above 0. Then either a row is at the box, or this one stays as it is.
 */
static void purge(Polish *polish, uint32_t place, double border)
{
    Env *env = polish->smo->env;
    uint32_t n = polish->count;
    double *leading = env_array(env, (size_t)place * place + 1, sizeof(double)), *z = polish->right, gain = 0, pivot;

    for (uint32_t j = 0; j < place; j++)
        memcpy(leading + (size_t)j * place, polish->factor + (size_t)j * n, place * sizeof(double));
    for (uint32_t i = 0; i < place; i++)
        z[i] = entry(polish, i, place, border);
    cholesky_solve(env, leading, place, z, 1);
    pivot = entry(polish, place, place, border) - dot(z, z, place);
    cholesky_solve_transposed(env, leading, place, z, 1);
    env->release(env, leading);
    for (uint32_t i = 0; i < n; i++)
        polish->step[i] = i < place ? -z[i] : i == place;
    keep_sums(polish, place + 1);
    for (uint32_t i = 0; i <= place; i++)
        gain += polish->step[i] * slope(polish, i);
    for (uint32_t i = 0; gain < 0 && i <= place; i++)
        polish->step[i] = -polish->step[i];
    if (take(polish, pivot > 0 ? fabs(gain) / pivot : INFINITY))
        fix(polish, place);
}

/* Factors the matrix of the rows that may still move; false: too much work, or no row is left. */
static bool factor(Polish *polish)
{
    double border = 0;

    for (uint32_t i = 0; i < polish->free_rows; i++)
        border += polish->gram[(size_t)i * polish->length + i] / polish->free_rows;
    if (!(border > 0)) /* rows at the origin of the feature space, whose multipliers still have a sum to keep */
        border = 1;
    while (polish->count > 0 && polish->flops < MOST_FLOPS) {
        uint32_t n = polish->count, place;

        for (uint32_t j = 0; j < n; j++)
            for (uint32_t i = 0; i < n; i++)
                polish->factor[(size_t)j * n + i] = entry(polish, i, j, border);
        polish->flops += 100 * (double)n + (double)n * n * n / 3;
        place = cholesky_factor(polish->smo->env, polish->factor, n, DEPENDENT);
        if (place == n)
            return true;
        purge(polish, place, border);
    }
    return false;
}

/* Computes the step: with V = L^-1 [E r], c from V_E' V_E c = V_E' V_r, and d = L'^-1 (V_r - V_E c). */
static void solve(Polish *polish)
{
    Env *env = polish->smo->env;
    uint32_t n = polish->count;
    double *first = polish->right, *second = first + n, *r = second + n;
    double a, b, d, u, v, determinant, c1, c2;

    for (uint32_t i = 0; i < n; i++) {
        first[i] = polish->at[i].side == 0;
        second[i] = polish->at[i].side == 1;
        r[i] = slope(polish, i);
    }
    cholesky_solve(env, polish->factor, n, polish->right, 3);
    a = dot(first, first, n);
    b = dot(first, second, n);
    d = dot(second, second, n);
    u = dot(first, r, n);
    v = dot(second, r, n);
    determinant = a * d - b * b;
    c1 = d > 0 && determinant > 0 ? (d * u - b * v) / determinant : a > 0 ? u / a : 0;
    c2 = d > 0 && determinant > 0 ? (a * v - b * u) / determinant : d > 0 ? v / d : 0;
    for (uint32_t i = 0; i < n; i++)
        polish->step[i] = r[i] - c1 * first[i] - c2 * second[i];
    cholesky_solve_transposed(env, polish->factor, n, polish->step, 1);
    keep_sums(polish, n);
}

/* Tells whether f of all rows takes little time to compute. */
static bool is_short(const Smo *smo)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < smo->count; i++)
        used += smo->b[i] != 0;
    return (double)used * smo->count * (smo->problem->dims + 16.0) <= MOST_WORK;
}

/* Tells whether so many matrices' elements have room. */
static bool has_room(const Smo *smo, double elements)
{
    return elements * sizeof(double) <= fmax(LEAST_BYTES, (double)smo->problem->cache_bytes / 4);
}

static bool worth_while(const Smo *smo, uint32_t free_count)
{
    return free_count > 0 && free_count <= MOST_FREE && has_room(smo, 3.0 * free_count * free_count);
}

/* Returns a copy of the multipliers and of t - f. */
static double *keep(const Smo *smo)
{
    size_t n = smo->count;
    double *kept = env_array(smo->env, (smo->sides + 1) * n, sizeof(double));

    for (uint32_t s = 0; s < smo->sides; s++)
        memcpy(kept + s * n, smo_own(smo, s), n * sizeof(double));
    for (uint32_t i = 0; i < smo->count; i++)
        kept[smo->sides * n + i] = smo_rest(smo, i);
    return kept;
}

static void give_back(Smo *smo, const double *kept)
{
    size_t n = smo->count;

    for (uint32_t s = 0; s < smo->sides; s++)
        memcpy(smo_own(smo, s), kept + s * n, n * sizeof(double));
    smo_join(smo);
    for (uint32_t i = 0; i < smo->count; i++)
        smo_set_row(smo, i, kept[smo->sides * n + i]);
    smo_find_extremes(smo);
}

/* Computes t - f of all rows in double precision: the steps have added up kernel values of single precision. */
static void recompute(Smo *smo, SmoKnown known)
{
    smo_recompute(smo, known);
    smo_find_extremes(smo);
}

bool smo_polish(Smo *smo, bool last)
{
    Env *env = smo->env;
    Polish polish = {.smo = smo};
    SmoKnown known;
    double *kept, before;
    uint32_t free_count = 0;
    bool whole = false;

    for (uint32_t i = 0; i < smo->count; i++) {
        free_count += free_of(smo, i);
        polish.free_rows += free_of(smo, i) > 0;
    }
    if (!is_short(smo))
        return false;
    if (!worth_while(smo, free_count)) {
        recompute(smo, (SmoKnown){NULL, 0, 0});
        return false;
    }
    gather(smo);
    polish.length = has_room(smo, polish.free_rows * (double)smo->count + 2.0 * free_count * free_count) ? smo->count : polish.free_rows;
    known = load(&polish);
    recompute(smo, known);
    before = smo_gap(smo);
    polish.factor = env_array(env, (size_t)free_count * free_count, sizeof(double));
    polish.right = env_array(env, (size_t)free_count * 3, sizeof(double));
    polish.step = env_array(env, free_count, sizeof(double));
    polish.rest = env_array(env, polish.free_rows, sizeof(double));
    polish.at = env_array(env, free_count, sizeof(Free));
    kept = keep(smo);
    for (uint32_t i = 0; i < polish.free_rows; i++)
        for (uint32_t s = 0; s < smo->sides; s++)
            if (is_free(smo, s, i))
                polish.at[polish.count++] = (Free){i, s};
    memcpy(polish.rest, smo->exact.rest, polish.free_rows * sizeof(double));
    while (!whole && factor(&polish)) {
        solve(&polish);
        whole = take(&polish, 1);
    }
    smo_join(smo);
    recompute(smo, known);
    if (last ? !(smo_gap(smo) < before) : !isfinite(smo_gap(smo)))
        give_back(smo, kept);
    env->release(env, polish.gram);
    env->release(env, polish.factor);
    env->release(env, polish.right);
    env->release(env, polish.step);
    env->release(env, polish.rest);
    env->release(env, polish.at);
    env->release(env, kept);
    return true;
}
