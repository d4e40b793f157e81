/*
 * mixed_system.c - the profiled deviance of a mixed model and its slope, from cross-products.
 *
 * With A = Lambda' Z'Z Lambda + I and the fixed effects beside it, the deviance is log |A| (for REML of the whole system) + n log of the
 * penalized sum of squares. Its slope in T needs the blocks of A^-1 Lambda' Z'Z on the diagonal, and the products of residuals with Z, neither of
 * which divides by T: variances of 0 are no special case.
 */
#include "core/mixed/mixed_system.h"

#include "core/linalg/cholesky.h"

#include <math.h>
#include <string.h>

#define MOST_DENSE 100000 /* rows of the dense system: 400 GB */

MixedSystem *mixed_system(const MixedDesign *design, uint32_t fixed, double rows, bool reml)
{
    Env *env = design->env;
    MixedSystem *system = env_array(env, 1, sizeof(MixedSystem));
    size_t n, levels = design->factors[0].levels, q = design->factors[0].columns;
    uint64_t random = 0;

    system->env = env;
    system->reml = reml;
    system->rows = rows;
    system->count = design->factor_count;
    system->fixed = fixed;
    system->blocks = env_array(env, system->count, sizeof(MixedBlock));
    for (uint32_t f = 0; f < system->count; f++) {
        MixedBlock *block = &system->blocks[f];

        *block = (MixedBlock){.columns = design->factors[f].columns, .levels = design->factors[f].levels, .first = (uint32_t)random};
        if (f > 0) {
            random += (uint64_t)block->columns * block->levels;
            system->stride = block->columns > system->stride ? block->columns : system->stride;
        }
        if (random + fixed > MOST_DENSE)
            env_fail(env, ERROR_LIMIT, "Use fewer groups or random effects, besides those of the largest grouping factor.",
                     "mixed_regression has more than %d random effects besides those of the largest grouping factor, and fixed effects", MOST_DENSE);
    }
    n = (size_t)(random + fixed);
    env_require_memory(env, (5 * n * n + levels * (2 * (q * fixed + q * q + q) + q * (q + 3) / 2)) * sizeof(double),
                       env_message(env, "mixed_regression with %zu groups of the largest grouping factor, and %llu random effects of the others", levels,
                                   (unsigned long long)random));
    system->random = (uint32_t)random;
    for (uint32_t f = 0; f < system->count; f++) {
        MixedBlock *block = &system->blocks[f];

        block->factor = env_array(env, mixed_square(block), sizeof(double));
        block->slope = env_array(env, mixed_square(block), sizeof(double));
        block->effects = env_array(env, (size_t)block->columns * block->levels, sizeof(double));
        block->errors = env_array(env, (size_t)block->columns * block->levels, sizeof(double));
        block->joint = env_array(env, mixed_pairs(block->columns) * block->levels + 1, sizeof(double));
    }
    system->own = env_array(env, levels * q * q, sizeof(double));
    system->with_fixed = env_array(env, levels * q * fixed + 1, sizeof(double));
    system->with_target = env_array(env, levels * q, sizeof(double));
    system->triangles = env_array(env, levels * q * q, sizeof(double));
    system->solved_fixed = env_array(env, levels * q * fixed + 1, sizeof(double));
    system->solved_target = env_array(env, levels * q, sizeof(double));
    system->dense = env_array(env, n * n + 1, sizeof(double));
    system->schur = env_array(env, n * n + 1, sizeof(double));
    system->cholesky = env_array(env, n * n + 1, sizeof(double));
    system->inverse = env_array(env, n * n + 1, sizeof(double));
    system->dense_target = env_array(env, n + 1, sizeof(double));
    system->schur_target = env_array(env, n + 1, sizeof(double));
    system->solution = env_array(env, n + 1, sizeof(double));
    system->weights = env_array(env, n + 1, sizeof(double));
    system->spherical = env_array(env, n + 1, sizeof(double));
    system->beta = env_array(env, (size_t)fixed + 1, sizeof(double));
    return system;
}

/* ---- small matrices, by columns ---- */

/* Sets out [rows x columns] to T' b. */
static void times_transposed(const double *t, uint32_t q, const double *b, uint32_t columns, double *out)
{
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t i = 0; i < q; i++) {
            double sum = 0;

            for (uint32_t k = i; k < q; k++)
                sum += t[i * q + k] * b[(size_t)c * q + k];
            out[(size_t)c * q + i] = sum;
        }
}

/* Sets out [q] to T b. */
static void times(const double *t, uint32_t q, const double *b, double *out)
{
    for (uint32_t i = 0; i < q; i++) {
        double sum = 0;

        for (uint32_t k = 0; k <= i; k++)
            sum += t[k * q + i] * b[k];
        out[i] = sum;
    }
}

/* Replaces a, symmetric, by L with L L' = a. Returns false if it is not positive definite. */
static bool factor_small(double *a, uint32_t q)
{
    for (uint32_t j = 0; j < q; j++) {
        for (uint32_t k = 0; k < j; k++)
            for (uint32_t i = j; i < q; i++)
                a[j * q + i] -= a[k * q + i] * a[k * q + j];
        if (!(a[j * q + j] > 0) || !isfinite(a[j * q + j]))
            return false;
        a[j * q + j] = sqrt(a[j * q + j]);
        for (uint32_t i = j + 1; i < q; i++)
            a[j * q + i] /= a[j * q + j];
    }
    return true;
}

/* Replaces the columns of b by L^-1 b. */
static void solve_small(const double *l, uint32_t q, double *b, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c++, b += q)
        for (uint32_t i = 0; i < q; i++) {
            for (uint32_t k = 0; k < i; k++)
                b[i] -= l[k * q + i] * b[k];
            b[i] /= l[i * q + i];
        }
}

/* Replaces the columns of b by L'^-1 b. */
static void solve_small_transposed(const double *l, uint32_t q, double *b, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c++, b += q)
        for (uint32_t i = q; i-- > 0;) {
            for (uint32_t k = i + 1; k < q; k++)
                b[i] -= l[i * q + k] * b[k];
            b[i] /= l[i * q + i];
        }
}

/* ---- the levels of block 0 ---- */

/* Returns the block of a column of the dense system. */
static const MixedBlock *block_at(const MixedSystem *system, uint32_t column)
{
    uint32_t f = 1;

    while (f + 1 < system->count && column >= system->blocks[f + 1].first)
        f++;
    return &system->blocks[f];
}

/* The columns of the dense system that a level of block 0 has rows in common with. */
typedef struct LevelColumns {
    uint32_t count;
    uint32_t *index;       /* [count] rising */
    const double **solved; /* [count] of L^-1 T' times the cross-products, [columns of block 0] each */
    const double **plain;  /* [count] of the cross-products */
} LevelColumns;

static LevelColumns level_columns(MixedSystem *system)
{
    size_t n = (size_t)system->random + system->fixed + 1;

    return (LevelColumns){.index = env_array_raw(system->env, n, sizeof(uint32_t)),
                          .solved = env_array_raw(system->env, n, sizeof(double *)),
                          .plain = env_array_raw(system->env, n, sizeof(double *))};
}

static void release_columns(const MixedSystem *system, const LevelColumns *list)
{
    system->env->release(system->env, list->index);
    system->env->release(system->env, list->solved);
    system->env->release(system->env, list->plain);
}

static void add_column(LevelColumns *list, uint32_t column, const double *plain, const double *solved)
{
    list->index[list->count] = column;
    list->plain[list->count] = plain;
    list->solved[list->count++] = solved;
}

/* Lists them; fixed: with the fixed effects. */
static void list_columns(const MixedSystem *system, uint32_t level, bool fixed, LevelColumns *list)
{
    uint32_t q = system->blocks[0].columns;

    list->count = 0;
    for (uint32_t i = system->count > 1 ? system->pair_first[level] : 0; system->count > 1 && i < system->pair_first[level + 1]; i++) {
        size_t at = (size_t)system->pair_at[i] * q * system->stride;
        uint32_t columns = block_at(system, system->pair_columns[i])->columns;

        for (uint32_t c = 0; c < columns; c++)
            add_column(list, system->pair_columns[i] + c, system->pairs + at + (size_t)c * q, system->solved_pairs + at + (size_t)c * q);
    }
    for (uint32_t j = 0; fixed && j < system->fixed; j++) {
        size_t at = ((size_t)level * system->fixed + j) * q;

        add_column(list, system->random + j, system->with_fixed + at, system->solved_fixed + at);
    }
}

/* Factors T' Z'Z T + I of a level, and solves its cross-products. Returns false if it is not positive definite. */
static bool solve_level(MixedSystem *system, uint32_t level)
{
    const MixedBlock *block = &system->blocks[0];
    uint32_t q = block->columns, p = system->fixed;
    double *l = system->triangles + level * mixed_square(block), *fixed = system->solved_fixed + (size_t)level * q * p;
    double *target = system->solved_target + (size_t)level * q, half[MIXED_MAX_COLUMNS];

    times_transposed(block->factor, q, system->own + level * mixed_square(block), q, l);
    for (uint32_t i = 0; i < q; i++) { /* row i of T' Z'Z, times T */
        for (uint32_t k = 0; k < q; k++)
            half[k] = l[k * q + i];
        for (uint32_t j = 0; j < q; j++) {
            double sum = i == j;

            for (uint32_t k = j; k < q; k++)
                sum += half[k] * block->factor[j * q + k];
            l[j * q + i] = sum;
        }
    }
    if (!factor_small(l, q))
        return false;
    times_transposed(block->factor, q, system->with_fixed + (size_t)level * q * p, p, fixed);
    solve_small(l, q, fixed, p);
    times_transposed(block->factor, q, system->with_target + (size_t)level * q, 1, target);
    solve_small(l, q, target, 1);
    for (uint32_t i = system->count > 1 ? system->pair_first[level] : 0; system->count > 1 && i < system->pair_first[level + 1]; i++) {
        size_t at = (size_t)system->pair_at[i] * q * system->stride;
        uint32_t columns = block_at(system, system->pair_columns[i])->columns;

        times_transposed(block->factor, q, system->pairs + at, columns, system->solved_pairs + at);
        solve_small(l, q, system->solved_pairs + at, columns);
    }
    for (uint32_t i = 0; i < q; i++)
        system->log_random += 2 * log(l[i * q + i]);
    return true;
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Subtracts what a level explains from the dense system. */
static void eliminate_level(MixedSystem *system, uint32_t level, const LevelColumns *list)
{
    size_t n = (size_t)system->random + system->fixed;
    uint32_t q = system->blocks[0].columns;
    const double *target = system->solved_target + (size_t)level * q;

    for (uint32_t a = 0; a < list->count; a++) {
        double *column = system->schur + list->index[a] * n;

        for (uint32_t b = a; b < list->count; b++)
            column[list->index[b]] -= dot(list->solved[a], list->solved[b], q);
        system->schur_target[list->index[a]] -= dot(list->solved[a], target, q);
    }
    system->squares -= dot(target, target, q);
}

/* Polls after a level that has rows in common with this many columns. */
static void poll_level(MixedSystem *system, uint32_t columns, uint64_t *unpolled)
{
    uint64_t q = system->blocks[0].columns, n = columns + q + 4;

    *unpolled += n * n * q;
    if (*unpolled > 1000000) {
        system->env->poll(system->env);
        *unpolled = 0;
    }
}

/* ---- the dense system ---- */

/* Replaces a vector in the order of the dense system by Lambda, or Lambda', times it; fixed effects stay. */
static void scale_vector(const MixedSystem *system, bool transposed, double *vector)
{
    double out[MIXED_MAX_COLUMNS];

    for (uint32_t f = 1; f < system->count; f++) {
        const MixedBlock *block = &system->blocks[f];
        uint32_t q = block->columns;

        for (uint32_t g = 0; g < block->levels; g++) {
            double *at = vector + block->first + (size_t)g * q;

            if (transposed)
                times_transposed(block->factor, q, at, 1, out);
            else
                times(block->factor, q, at, out);
            memcpy(at, out, q * sizeof(double));
        }
    }
}

/* Replaces each column of a matrix [size x size] by Lambda, or Lambda', times it. */
static void scale_rows(const MixedSystem *system, bool transposed, double *matrix, size_t size)
{
    for (size_t j = 0; j < size; j++) {
        scale_vector(system, transposed, matrix + j * size);
        if (j % 64 == 63)
            system->env->poll(system->env);
    }
}

/* Replaces a matrix [size x size] by it times Lambda', or times Lambda. */
static void scale_columns(const MixedSystem *system, bool transposed, double *matrix, size_t size)
{
    for (uint32_t f = 1; f < system->count; f++) {
        const MixedBlock *block = &system->blocks[f];
        uint32_t q = block->columns;

        for (uint32_t g = 0; g < block->levels; g++) {
            double *first = matrix + (block->first + (size_t)g * q) * size;

            for (uint32_t step = 0; step < q; step++) { /* in an order in which the columns that one takes are as they were */
                uint32_t i = transposed ? q - 1 - step : step, last = transposed ? i : q - 1 - i;

                for (size_t r = 0; r < size; r++)
                    first[i * size + r] *= block->factor[i * q + i];
                for (uint32_t c = 1; c <= last; c++) {
                    uint32_t k = transposed ? i - c : i + c;
                    double t = transposed ? block->factor[k * q + i] : block->factor[i * q + k];

                    for (size_t r = 0; r < size; r++)
                        first[i * size + r] += t * first[k * size + r];
                }
                system->env->poll(system->env);
            }
        }
    }
}

/* Sets the upper triangle of a square matrix to the lower one. */
static void mirror(Env *env, double *matrix, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++)
            matrix[i * n + j] = matrix[j * n + i];
        if (j % 64 == 63)
            env->poll(env);
    }
}

/* Sets the Cholesky factor of the dense system, scaled. Returns false if it is not positive definite. */
static bool factor_dense(MixedSystem *system)
{
    Env *env = system->env;
    size_t n = (size_t)system->random + system->fixed;

    memcpy(system->solution, system->schur_target, n * sizeof(double));
    mirror(env, system->schur, n);
    memcpy(system->cholesky, system->schur, n * n * sizeof(double));
    if (system->random > 0) {
        scale_rows(system, true, system->cholesky, n);
        scale_columns(system, false, system->cholesky, n);
    }
    for (size_t i = 0; i < system->random; i++)
        system->cholesky[i * n + i] += 1;
    scale_vector(system, true, system->solution);
    if (n == 0)
        return true;
    if (cholesky_factor(env, system->cholesky, (uint32_t)n, 0) < n)
        return false;
    cholesky_solve(env, system->cholesky, (uint32_t)n, system->solution, 1);
    return true;
}

/* Sets the dense system without block 0. Returns false if a level is not positive definite. */
static bool eliminate_levels(MixedSystem *system)
{
    size_t n = (size_t)system->random + system->fixed;
    LevelColumns list = level_columns(system);
    bool solved = true;
    uint64_t unpolled = 0;

    memcpy(system->schur, system->dense, n * n * sizeof(double));
    memcpy(system->schur_target, system->dense_target, n * sizeof(double));
    system->squares = system->target;
    system->log_random = system->log_fixed = 0;
    for (uint32_t g = 0; solved && g < system->blocks[0].levels; g++) {
        solved = solve_level(system, g);
        list_columns(system, g, true, &list);
        if (solved)
            eliminate_level(system, g, &list);
        poll_level(system, list.count, &unpolled);
    }
    release_columns(system, &list);
    return solved;
}

double mixed_evaluate(MixedSystem *system)
{
    size_t n = (size_t)system->random + system->fixed;
    double rows = system->rows - (system->reml ? system->fixed : 0);

    if (!eliminate_levels(system) || !factor_dense(system))
        return INFINITY;
    for (size_t i = 0; i < n; i++) {
        double logarithm = 2 * log(system->cholesky[i * n + i]);

        *(i < system->random ? &system->log_random : &system->log_fixed) += logarithm;
        system->squares -= system->solution[i] * system->solution[i];
    }
    if (!(system->squares > 0))
        return INFINITY;
    return system->log_random + (system->reml ? system->log_fixed : 0) + rows * log(system->squares);
}

/* Sets u of a level of block 0. */
static void level_spherical(const MixedSystem *system, uint32_t level, const LevelColumns *list, double *u)
{
    uint32_t q = system->blocks[0].columns;

    memcpy(u, system->solved_target + (size_t)level * q, q * sizeof(double));
    for (uint32_t i = 0; i < q; i++)
        for (uint32_t c = 0; c < list->count; c++)
            u[i] -= list->solved[c][i] * system->weights[list->index[c]];
    solve_small_transposed(system->triangles + (size_t)level * q * q, q, u, 1);
}

void mixed_solve(MixedSystem *system)
{
    size_t n = (size_t)system->random + system->fixed;
    const MixedBlock *own = &system->blocks[0];
    LevelColumns list = level_columns(system);
    double u[MIXED_MAX_COLUMNS];
    uint64_t unpolled = 0;

    memcpy(system->spherical, system->solution, n * sizeof(double));
    if (n > 0)
        cholesky_solve_transposed(system->env, system->cholesky, (uint32_t)n, system->spherical, 1);
    for (uint32_t f = 1; f < system->count; f++) {
        const MixedBlock *block = &system->blocks[f];

        for (uint32_t g = 0; g < block->levels; g++) {
            double *effects = block->effects + (size_t)g * block->columns;

            times(block->factor, block->columns, system->spherical + block->first + (size_t)g * block->columns, effects);
            memcpy(system->weights + block->first + (size_t)g * block->columns, effects, block->columns * sizeof(double));
        }
    }
    memcpy(system->beta, system->spherical + system->random, system->fixed * sizeof(double));
    memcpy(system->weights + system->random, system->beta, system->fixed * sizeof(double));
    for (uint32_t g = 0; g < own->levels; g++) {
        list_columns(system, g, true, &list);
        level_spherical(system, g, &list, u);
        times(own->factor, own->columns, u, own->effects + (size_t)g * own->columns);
        poll_level(system, list.count, &unpolled);
    }
    release_columns(system, &list);
}

/* ---- inverses ---- */

/*
 * Sets the inverse of the first `size` rows and columns of the dense system, scaled. size: all, or the random effects alone, whose factor is
 * the same. Full, [size x size].
 */
static void invert_dense(MixedSystem *system, uint32_t size)
{
    cholesky_inverse(system->env, system->cholesky, system->random + system->fixed, size, system->inverse);
}

/* ---- the slope ---- */

/* The slope of the deviance is 2 (its term)', less 2 rows / squares times residuals' products with Z times u'. */
static void add_slope(const MixedBlock *block, const double *term, const double *residual, const double *u, double ratio)
{
    uint32_t q = block->columns;

    for (uint32_t j = 0; j < q; j++)
        for (uint32_t i = 0; i < q; i++)
            block->slope[j * q + i] += 2 * term[i * q + j] - 2 * ratio * residual[i] * u[j];
}

/* Adds the levels of the other blocks. The inverse is Lambda S^-1, [size x size]. */
static void slope_others(MixedSystem *system, uint32_t size, double ratio)
{
    size_t n = (size_t)system->random + system->fixed;
    double term[MIXED_MAX_COLUMNS * MIXED_MAX_COLUMNS], residual[MIXED_MAX_COLUMNS];

    for (uint32_t f = 1; f < system->count; f++) {
        const MixedBlock *block = &system->blocks[f];
        uint32_t q = block->columns;

        for (uint32_t g = 0; g < block->levels; g++) {
            size_t first = block->first + (size_t)g * q;

            for (uint32_t j = 0; j < q; j++) {
                const double *column = system->schur + (first + j) * n;

                residual[j] = system->schur_target[first + j] - dot(column, system->weights, (uint32_t)n);
                for (uint32_t i = 0; i < q; i++)
                    term[j * q + i] = dot(system->inverse + (first + i) * size, column, size);
            }
            add_slope(block, term, residual, system->spherical + first, ratio);
            if (g % 16 == 15)
                system->env->poll(system->env);
        }
    }
}

/*
 * Sets term to L'^-1 (L^-1 T' D - G P E' (I - T A^-1 T' D)), with D = Z'Z of the level, E its cross-products, G = L^-1 T' E, and P, the inverse scaled
 * on both sides.
 */
static void level_term(const MixedSystem *system, uint32_t level, const LevelColumns *list, uint32_t size, double *scratch, double *term)
{
    const MixedBlock *block = &system->blocks[0];
    uint32_t q = block->columns;
    const double *l = system->triangles + level * mixed_square(block), *own = system->own + level * mixed_square(block);
    double *left = scratch, *rest = left + q * q, *product = rest + q * q, *half = product + q * q;

    times_transposed(block->factor, q, own, q, left);
    solve_small(l, q, left, q);            /* L^-1 T' D */
    memcpy(half, left, q * q * sizeof(double));
    solve_small_transposed(l, q, half, q); /* A^-1 T' D */
    for (uint32_t j = 0; j < q; j++) {
        times(block->factor, q, half + j * q, rest + j * q);
        for (uint32_t i = 0; i < q; i++)
            rest[j * q + i] = (i == j) - rest[j * q + i];
    }
    memset(product, 0, q * q * sizeof(double)); /* G P E' */
    for (uint32_t b = 0; b < list->count; b++) {
        const double *inverse = system->inverse + (size_t)list->index[b] * size;

        memset(half, 0, q * sizeof(double));
        for (uint32_t a = 0; a < list->count; a++)
            for (uint32_t i = 0; i < q; i++)
                half[i] += list->solved[a][i] * inverse[list->index[a]];
        for (uint32_t j = 0; j < q; j++)
            for (uint32_t i = 0; i < q; i++)
                product[j * q + i] += half[i] * list->plain[b][j];
    }
    for (uint32_t j = 0; j < q; j++)
        for (uint32_t i = 0; i < q; i++) {
            double sum = left[j * q + i];

            for (uint32_t k = 0; k < q; k++)
                sum -= product[k * q + i] * rest[j * q + k];
            term[j * q + i] = sum;
        }
    solve_small_transposed(l, q, term, q);
}

void mixed_gradient(MixedSystem *system)
{
    const MixedBlock *own = &system->blocks[0];
    uint32_t q = own->columns, size = system->random + (system->reml ? system->fixed : 0);
    double ratio = (system->rows - (system->reml ? system->fixed : 0)) / system->squares, residual[MIXED_MAX_COLUMNS], u[MIXED_MAX_COLUMNS];
    double *scratch = env_array_raw(system->env, 5 * mixed_square(own), sizeof(double)), *term = scratch + 4 * mixed_square(own);
    LevelColumns list = level_columns(system), all = level_columns(system);
    uint64_t unpolled = 0;

    for (uint32_t f = 0; f < system->count; f++)
        memset(system->blocks[f].slope, 0, mixed_square(&system->blocks[f]) * sizeof(double));
    invert_dense(system, size);
    scale_rows(system, false, system->inverse, size); /* Lambda S^-1 */
    slope_others(system, size, ratio);
    scale_columns(system, true, system->inverse, size);
    for (uint32_t g = 0; g < own->levels; g++) {
        list_columns(system, g, true, &all);
        list_columns(system, g, system->reml, &list);
        level_spherical(system, g, &all, u);
        for (uint32_t i = 0; i < q; i++) {
            residual[i] = system->with_target[(size_t)g * q + i];
            for (uint32_t k = 0; k < q; k++)
                residual[i] -= system->own[g * mixed_square(own) + k * q + i] * own->effects[(size_t)g * q + k];
            for (uint32_t c = 0; c < all.count; c++)
                residual[i] -= all.plain[c][i] * system->weights[all.index[c]];
        }
        level_term(system, g, &list, size, scratch, term);
        add_slope(own, term, residual, u, ratio);
        poll_level(system, all.count, &unpolled);
    }
    release_columns(system, &list);
    release_columns(system, &all);
    system->env->release(system->env, scratch);
}

/* Sets errors and covariances of a level by root variance root', [q x q] each. */
static void level_errors(const MixedBlock *block, uint32_t level, const double *root, const double *variance)
{
    uint32_t q = block->columns;
    double half[MIXED_MAX_COLUMNS], *joint = block->joint + level * mixed_pairs(q);

    for (uint32_t j = 0; j < q; j++) {
        for (uint32_t b = 0; b < q; b++) {
            half[b] = 0;
            for (uint32_t a = 0; a < q; a++)
                half[b] += root[a * q + j] * variance[b * q + a];
        }
        for (uint32_t i = j; i < q; i++) {
            double sum = 0;

            for (uint32_t b = 0; b < q; b++)
                sum += half[b] * root[b * q + i];
            if (i == j)
                block->errors[(size_t)level * q + i] = sum < 0 ? 0 : sqrt(sum);
            else
                *joint++ = sum;
        }
    }
}

void mixed_errors(MixedSystem *system, double *const *roots)
{
    const MixedBlock *own = &system->blocks[0];
    uint32_t q = own->columns, size = system->random;
    double *variance = env_array_raw(system->env, (size_t)MIXED_MAX_COLUMNS * MIXED_MAX_COLUMNS, sizeof(double));
    double *half = env_array_raw(system->env, mixed_square(own), sizeof(double));
    LevelColumns list = level_columns(system);
    uint64_t unpolled = 0;

    invert_dense(system, size);
    for (uint32_t f = 1; f < system->count; f++) {
        const MixedBlock *block = &system->blocks[f];

        for (uint32_t g = 0; g < block->levels; g++) {
            size_t first = block->first + (size_t)g * block->columns;

            for (uint32_t j = 0; j < block->columns; j++)
                memcpy(variance + (size_t)j * block->columns, system->inverse + (first + j) * size + first, block->columns * sizeof(double));
            level_errors(block, g, roots[f], variance);
        }
    }
    scale_rows(system, false, system->inverse, size);
    scale_columns(system, true, system->inverse, size);
    for (uint32_t g = 0; g < own->levels; g++) {
        const double *l = system->triangles + g * mixed_square(own);

        list_columns(system, g, false, &list);
        memset(variance, 0, mixed_square(own) * sizeof(double));
        for (uint32_t i = 0; i < q; i++)
            variance[i * q + i] = 1;
        for (uint32_t b = 0; b < list.count; b++) { /* I + G P G' */
            const double *inverse = system->inverse + (size_t)list.index[b] * size;

            memset(half, 0, q * sizeof(double));
            for (uint32_t a = 0; a < list.count; a++)
                for (uint32_t i = 0; i < q; i++)
                    half[i] += list.solved[a][i] * inverse[list.index[a]];
            for (uint32_t j = 0; j < q; j++)
                for (uint32_t i = 0; i < q; i++)
                    variance[j * q + i] += half[i] * list.solved[b][j];
        }
        solve_small_transposed(l, q, variance, q); /* L'^-1 V, then its transpose: V is symmetric */
        for (uint32_t j = 0; j < q; j++)
            for (uint32_t i = 0; i < q; i++)
                half[i * q + j] = variance[j * q + i];
        solve_small_transposed(l, q, half, q);
        level_errors(own, g, roots[0], half);
        poll_level(system, list.count, &unpolled);
    }
    release_columns(system, &list);
    system->env->release(system->env, half);
    system->env->release(system->env, variance);
}
