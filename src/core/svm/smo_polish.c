/*
 * smo_polish.c - the last digits: solves for the free multipliers of an almost optimal solution.
 *
 * With F the free rows (neither at a bound nor 0) and the others fixed, the conditions are linear: moving the multipliers by d must
 * bring t - f - epsilon sign(b) to one level c per side, while their sums stay:
 *
 *     K_FF d + E c = r_F,    E' d = 0         E: a column of ones per side
 *
 * solved by a Cholesky factor of K_FF. Where a step would leave the box, it ends at the box, and that row is fixed; rows that
 * depend on others (equal rows) stay as they are.
 */
#include "core/linalg/cholesky.h"
#include "core/svm/smo_internal.h"

#include <math.h>
#include <string.h>

#define MOST_FREE 800 /* the Cholesky factor takes 0.1 s */
#define MOST_WORK 3e8 /* coordinates compared to compute f of all rows */
#define MOST_STEPS 30

typedef struct Polish {
    Smo *smo;
    uint32_t free_rows; /* of the first rows */
    double *gram;       /* [free_rows x free_rows] */
    double *rest;       /* [free_rows] t - f */
    uint32_t *at;       /* [count] which of them are still free */
    uint32_t count;
    double *factor, *right, *step; /* [count x count], [count x 3], [count] */
} Polish;

static bool is_free(const Smo *smo, uint32_t i)
{
    return smo->b[i] != 0 && smo->b[i] > smo->lower[i] && smo->b[i] < smo->upper[i];
}

/* Brings the free rows to the front. */
static void gather(Smo *smo)
{
    uint32_t front = 0, swaps = 0;

    for (uint32_t i = 0; i < smo->count; i++) {
        if (!is_free(smo, i))
            continue;
        if (i != front) {
            PointPair pair = {front, i};

            smo->pairs[swaps++] = pair;
        }
        front++;
    }
    smo_swap(smo, smo->pairs, swaps);
}

/* Computes the Gram matrix of the free rows, and t - f of each in double precision. */
static void load(Polish *polish)
{
    Smo *smo = polish->smo;
    uint32_t n = polish->free_rows;
    double *values = env_array(smo->env, (size_t)n + KERNEL_PANEL, sizeof(double));

    memcpy(polish->rest, smo->targets, n * sizeof(double));
    for (uint32_t j = 0; j < smo->count; j++) {
        if (j >= n && smo->b[j] == 0)
            continue;
        kernel_cache_values(smo->cache, j, 0, n, values);
        if (j < n)
            memcpy(polish->gram + (size_t)j * n, values, n * sizeof(double));
        for (uint32_t i = 0; i < n; i++)
            polish->rest[i] -= smo->b[j] * values[i];
    }
    smo->env->release(smo->env, values);
}

/* Factors the Gram matrix of the rows that are still free, without those that depend on rows before them. */
static bool factor(Polish *polish)
{
    uint32_t n = polish->count, place;

    for (int tries = 0; tries < MOST_STEPS && n > 0; tries++) {
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t i = 0; i < n; i++)
                polish->factor[(size_t)j * n + i] = polish->gram[(size_t)polish->at[j] * polish->free_rows + polish->at[i]];
        place = cholesky_factor(polish->smo->env, polish->factor, n, 1e-10);
        if (place == n) {
            polish->count = n;
            return true;
        }
        n--;
        memmove(polish->at + place, polish->at + place + 1, (n - place) * sizeof(uint32_t));
    }
    return false;
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Computes the step: with V = L^-1 [E r], c from V_E' V_E c = V_E' V_r, and d = L'^-1 (V_r - V_E c). */
static void solve(Polish *polish)
{
    const Smo *smo = polish->smo;
    Env *env = smo->env;
    uint32_t n = polish->count;
    double *first = polish->right, *second = first + n, *r = second + n;
    double a, b, d, u, v, determinant, c1, c2;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = polish->at[i];
        bool negative = smo->b[row] < 0;

        first[i] = smo->sides == 1 || !negative;
        second[i] = smo->sides == 2 && negative;
        r[i] = polish->rest[row] - (negative ? -smo->epsilon : smo->epsilon);
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
}

/* Moves the free multipliers, at most to the box. Returns whether the whole step was taken. */
static bool take(Polish *polish)
{
    Smo *smo = polish->smo;
    uint32_t n = polish->count, stopped = UINT32_MAX;
    bool zero = smo->epsilon > 0 || smo->sides == 2;
    double share = 1, end = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = polish->at[i];
        double b = smo->b[row], d = polish->step[i];
        double bound = d > 0 ? (zero && b < 0 ? 0 : smo->upper[row]) : (zero && b > 0 ? 0 : smo->lower[row]);

        if (d != 0 && (bound - b) / d < share) {
            share = (bound - b) / d;
            stopped = i;
            end = bound;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const double *row = polish->gram + (size_t)polish->at[i] * polish->free_rows;
        double move = share * polish->step[i];

        smo->b[polish->at[i]] += move;
        for (uint32_t k = 0; k < polish->free_rows; k++)
            polish->rest[k] -= move * row[k];
    }
    if (stopped == UINT32_MAX)
        return true;
    smo->b[polish->at[stopped]] = end;
    polish->count--;
    memmove(polish->at + stopped, polish->at + stopped + 1, (polish->count - stopped) * sizeof(uint32_t));
    return false;
}

static bool worth_while(const Smo *smo, uint32_t free_rows)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < smo->count; i++)
        used += smo->b[i] != 0;
    return free_rows > 0 && free_rows <= MOST_FREE && (double)used * smo->count * (smo->problem->dims + 16.0) <= MOST_WORK;
}

bool smo_polish(Smo *smo)
{
    Env *env = smo->env;
    Polish polish = {.smo = smo};
    double *kept, before = smo_gap(smo);
    bool whole = false;

    for (uint32_t i = 0; i < smo->count; i++)
        polish.free_rows += is_free(smo, i);
    if (!worth_while(smo, polish.free_rows))
        return false;
    gather(smo);
    polish.count = polish.free_rows;
    polish.gram = env_array(env, (size_t)polish.count * polish.count, sizeof(double));
    polish.factor = env_array(env, (size_t)polish.count * polish.count, sizeof(double));
    polish.right = env_array(env, (size_t)polish.count * 3, sizeof(double));
    polish.step = env_array(env, polish.count, sizeof(double));
    polish.rest = env_array(env, polish.count, sizeof(double));
    polish.at = env_array(env, polish.count, sizeof(uint32_t));
    kept = env_array(env, 2 * (size_t)smo->count, sizeof(double));
    for (uint32_t i = 0; i < smo->count; i++) {
        kept[i] = smo->b[i];
        kept[smo->count + i] = smo_rest(smo, i);
    }
    for (uint32_t i = 0; i < polish.count; i++)
        polish.at[i] = i;
    load(&polish);
    for (int steps = 0; !whole && steps < MOST_STEPS && factor(&polish); steps++) {
        solve(&polish);
        whole = take(&polish);
    }
    smo_recompute(smo, 0);
    smo_find_extremes(smo);
    if (!(smo_gap(smo) < before)) {
        memcpy(smo->b, kept, smo->count * sizeof(double));
        for (uint32_t i = 0; i < smo->count; i++)
            smo_set_row(smo, i, kept[smo->count + i]);
        smo_find_extremes(smo);
    }
    env->release(env, polish.gram);
    env->release(env, polish.factor);
    env->release(env, polish.right);
    env->release(env, polish.step);
    env->release(env, polish.rest);
    env->release(env, polish.at);
    env->release(env, kept);
    return true;
}
