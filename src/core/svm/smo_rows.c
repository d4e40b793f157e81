/*
 * smo_rows.c - what sequential minimal optimization keeps of each row, and the passes over all of them.
 */
#include "core/svm/smo_internal.h"

#include <math.h>
#include <string.h>

#define MOST_UPDATES 8 /* changes added to t - f, one after the other */

#define SIMD_FILE "core/svm/smo_simd.h"
#include "core/base/cpu_dispatch.h"

/* ---- rows ---- */

void smo_join(Smo *smo)
{
    for (uint32_t i = 0; smo->sides == 2 && i < smo->count; i++)
        smo->b[i] = smo->side[0].part[i] + smo->side[1].part[i];
}

double smo_top(const Smo *smo, uint32_t s, uint32_t i)
{
    return s == 1 || (smo->epsilon > 0 && smo->b[i] < 0) ? 0 : smo->upper[i];
}

double smo_bottom(const Smo *smo, uint32_t s, uint32_t i)
{
    return (smo->sides == 2 && s == 0) || (smo->epsilon > 0 && smo->b[i] > 0) ? 0 : smo->lower[i];
}

void smo_set_row(Smo *smo, uint32_t i, double rest)
{
    double b = smo->b[i], epsilon = smo->epsilon;
    bool up = b < smo->upper[i], down = b > smo->lower[i];

    if (smo->sides == 1) {
        smo->side[0].rise[i] = up ? rest - (b >= 0 ? epsilon : -epsilon) : -INFINITY;
        smo->side[0].fall[i] = down ? rest - (b > 0 ? epsilon : -epsilon) : INFINITY;
        return;
    }
    smo->side[0].rise[i] = smo->side[0].part[i] < smo->upper[i] ? rest : -INFINITY;
    smo->side[0].fall[i] = smo->side[0].part[i] > 0 ? rest : INFINITY;
    smo->side[1].rise[i] = smo->side[1].part[i] < 0 ? rest : -INFINITY;
    smo->side[1].fall[i] = smo->side[1].part[i] > smo->lower[i] ? rest : INFINITY;
}

double smo_rest(const Smo *smo, uint32_t i)
{
    double b = smo->b[i], epsilon = smo->epsilon;
    const SmoSide *side = &smo->side[smo->sides == 2 && smo->upper[i] == 0 ? 1 : 0];

    if (isfinite(side->rise[i]))
        return side->rise[i] + (b >= 0 ? epsilon : -epsilon);
    return side->fall[i] + (b > 0 ? epsilon : -epsilon);
}

static void swap_doubles(double *array, uint32_t i, uint32_t j)
{
    double kept = array[i];

    array[i] = array[j];
    array[j] = kept;
}

void smo_swap_kept(Smo *smo, uint32_t i, uint32_t j)
{
    uint32_t kept = smo->rows[i];

    swap_doubles(smo->b, i, j);
    swap_doubles(smo->targets, i, j);
    swap_doubles(smo->lower, i, j);
    swap_doubles(smo->upper, i, j);
    swap_doubles(smo->diagonal, i, j);
    swap_doubles(smo->exact.b, i, j);
    swap_doubles(smo->exact.rest, i, j);
    swap_doubles(smo->near.b, i, j);
    swap_doubles(smo->near.rest, i, j);
    for (uint32_t s = 0; s < smo->sides; s++) {
        swap_doubles(smo->side[s].rise, i, j);
        swap_doubles(smo->side[s].fall, i, j);
        if (smo->sides == 2)
            swap_doubles(smo->side[s].part, i, j);
    }
    smo->rows[i] = smo->rows[j];
    smo->rows[j] = kept;
}

void smo_swap(Smo *smo, const PointPair *pairs, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++)
        smo_swap_kept(smo, pairs[p].first, pairs[p].second);
    kernel_cache_swap(smo->cache, pairs, count);
}

/* ---- extremes ---- */

void smo_move(Smo *smo, double step, const float *row_i, const float *row_j)
{
    for (uint32_t s = 0; s < smo->sides; s++)
        SIMD_CALL(move, step, row_i, row_j, smo->active, smo->side[s].rise, smo->side[s].fall, &smo->side[s].now);
}

void smo_find_extremes(Smo *smo)
{
    smo_move(smo, 0, smo->zeros, smo->zeros);
}

double smo_side_gap(const SmoSide *side)
{
    return isfinite(side->now.largest) && isfinite(side->now.least) ? side->now.largest - side->now.least : 0;
}

double smo_gap(const Smo *smo)
{
    return smo->sides == 1 ? smo_side_gap(&smo->side[0]) : fmax(smo_side_gap(&smo->side[0]), smo_side_gap(&smo->side[1]));
}

/* ---- steps ---- */

/* Returns the row of a block that promises most. */
static uint32_t partner_row(const Smo *smo, const SmoSide *side, uint32_t first, uint32_t i)
{
    uint32_t best = first;
    double most = -1;

    for (uint32_t j = first; j < first + SMO_PAD && j < smo->active; j++) {
        double difference = side->rise[i] - side->fall[j];
        double curvature = smo->diagonal[i] + smo->diagonal[j] - 2 * (double)smo->row_i[j];
        double gain = difference > 0 ? difference * difference / (curvature > SMO_TAU ? curvature : SMO_TAU) : 0;

        if (gain > most) {
            most = gain;
            best = j;
        }
    }
    return best;
}

uint32_t smo_partner(const Smo *smo, const SmoSide *side, uint32_t i)
{
    uint32_t first = SIMD_CALL(partner, side->rise[i], smo->diagonal[i], smo->row_i, smo->diagonal, side->fall, smo->active);

    return first == UINT32_MAX ? first : partner_row(smo, side, first, i);
}

/* ---- values from multipliers ---- */

/* Makes the base one without multipliers if most have changed since, or if added changes might leave too many rounding errors. */
static void choose_base(const Smo *smo, SmoBase *base)
{
    uint32_t used = 0, changed = 0;

    for (uint32_t j = 0; j < smo->count; j++) {
        used += smo->b[j] != 0;
        changed += smo->b[j] != base->b[j];
    }
    if (changed < used && base->updates++ < MOST_UPDATES)
        return;
    memset(base->b, 0, smo->count * sizeof(double));
    memcpy(base->rest, smo->targets, smo->count * sizeof(double));
    base->updates = 0;
}

/* Takes change x values from t - f. */
static void take_doubles(double *restrict rest, double change, const double *restrict values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rest[i] -= change * values[i];
}

/* Brings the base to the multipliers, for rows first .. count - 1; first: a multiple of KERNEL_PANEL. */
static void add_changes(Smo *smo, SmoBase *base, uint32_t first, SmoKnown known)
{
    Env *env = smo->env;
    uint32_t length = smo->count - first, added = 0;
    double *room = env_array(env, (size_t)length + SMO_PAD, sizeof(double)), *rest = base->rest + first;
    bool single = base == &smo->near && smo->problem->kernel->kind == KERNEL_RBF, is_known = known.length == smo->count;

    for (uint32_t j = 0; j < smo->count; j++) {
        double change = smo->b[j] - base->b[j];

        if (change == 0)
            continue;
        if (added++ % 256 == 0)
            env->progress(env, "gradient", j, smo->count, NAN);
        if (single) {
            kernel_cache_floats(smo->cache, j, first, length, (float *)room);
            SIMD_CALL(take, change, (float *)room, length, rest);
        } else if (is_known && j < known.count) {
            take_doubles(rest, change, known.values + (size_t)j * length, length);
        } else {
            kernel_cache_values(smo->cache, j, first, length, room);
            take_doubles(rest, change, room, length);
        }
        env->poll(env);
    }
    memcpy(base->b, smo->b, smo->count * sizeof(double));
    env->release(env, room);
}

void smo_recompute(Smo *smo, SmoKnown known)
{
    choose_base(smo, &smo->exact);
    add_changes(smo, &smo->exact, 0, known);
    memcpy(smo->near.b, smo->exact.b, smo->count * sizeof(double));
    memcpy(smo->near.rest, smo->exact.rest, smo->count * sizeof(double));
    for (uint32_t i = 0; i < smo->count; i++)
        smo_set_row(smo, i, smo->exact.rest[i]);
}

void smo_restore(Smo *smo, uint32_t first)
{
    choose_base(smo, &smo->near);
    add_changes(smo, &smo->near, first / KERNEL_PANEL * KERNEL_PANEL, (SmoKnown){NULL, 0, 0});
    for (uint32_t i = 0; i < first; i++)
        smo->near.rest[i] = smo_rest(smo, i);
    for (uint32_t i = first; i < smo->count; i++)
        smo_set_row(smo, i, smo->near.rest[i]);
}
