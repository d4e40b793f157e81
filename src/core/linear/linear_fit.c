/*
 * linear_fit.c - linear fits solved from the triangular factor of a design.
 *
 * Solved by orthogonal transformations of the factor; X'X is formed only where R is well conditioned. Terms that
 * depend on those before them are found along the diagonal, relative to the terms' own norms, and
 * dropped in order, as R's lm does it.
 */
#include "core/linear/linear_fit.h"

#include "core/linalg/cholesky.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/qr_factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PENALIZED_COLUMNS 64     /* from this many columns on, R'R + P is formed if R is well conditioned: ridge of 1,000 terms takes a third of the time */
#define PENALIZED_CONDITION 1e2
#define JACOBI_COLUMNS 32 /* up to this many the condition is computed, above it is estimated */

/* Returns the share of a column's norm below which a remainder counts as 0. */
static double rank_tolerance(uint32_t columns)
{
    return 100 * DBL_EPSILON * (columns < 10 ? 10 : columns);
}

static double column_norm(const double *column, uint32_t rows)
{
    double largest = 0, sum = 0;

    for (uint32_t i = 0; i < rows; i++)
        largest = fmax(largest, fabs(column[i]));
    if (largest == 0)
        return 0;
    for (uint32_t i = 0; i < rows; i++)
        sum += (column[i] / largest) * (column[i] / largest);
    return largest * sqrt(sum);
}

/* Returns the norm of a column before centering: what its remainder is compared with. */
static double full_norm(const LinearFit *fit, uint32_t column)
{
    uint32_t all = fit->design->terms + fit->design->targets;
    double norm = column_norm(fit->design->factor + (size_t)column * all, column + 1);

    return fit->with_intercept ? hypot(norm, sqrt(fit->design->weight) * fit->design->means[column]) : norm;
}

LinearFit *linear_begin(Env *env, Design *design, bool intercept)
{
    LinearFit *fit = env_array(env, 1, sizeof(LinearFit));
    uint32_t terms = design->terms, all = terms + design->targets;
    const double *y = design->factor + (size_t)terms * all;

    fit->env = env;
    fit->with_intercept = intercept;
    fit->design = design;
    fit->rows = design->rows;
    fit->condition = NAN;
    fit->coef = env_array(env, all, sizeof(double));
    fit->dropped = env_array(env, all, 1);

    for (uint32_t column = terms; column < all; column++) /* a constant target leaves only rounding errors */
        if (column_norm(design->factor + (size_t)column * all, all) <= rank_tolerance(1) * full_norm(fit, column))
            memset(design->factor + (size_t)column * all, 0, all * sizeof(double));
    fit->tss = column_norm(y, all);
    fit->tss *= fit->tss;
    return fit;
}

void linear_free(LinearFit *fit)
{
    Env *env = fit->env;

    if (fit->covariance != NULL)
        env->release(env, fit->covariance);
    if (fit->triangle != NULL)
        env->release(env, fit->triangle);
    if (fit->kept_terms != NULL)
        env->release(env, fit->kept_terms);
    env->release(env, fit->coef);
    env->release(env, fit->dropped);
    moments_design_free(env, fit->design);
    env->release(env, fit);
}

/* Restores a dense triangle whose columns from `from` on have one element too many, by Givens rotations. */
static void retriangularize(double *r, uint32_t ld, uint32_t columns, uint32_t from)
{
    for (uint32_t k = from; k < columns; k++) {
        double a = r[(size_t)k * ld + k], b = r[(size_t)k * ld + k + 1];
        double h = hypot(a, b), c, s;
        if (b == 0)
            continue;
        c = a / h;
        s = b / h;
        r[(size_t)k * ld + k] = h;
        r[(size_t)k * ld + k + 1] = 0;
        for (uint32_t j = k + 1; j < columns; j++) {
            double x = r[(size_t)j * ld + k], y = r[(size_t)j * ld + k + 1];
            r[(size_t)j * ld + k] = c * x + s * y;
            r[(size_t)j * ld + k + 1] = c * y - s * x;
        }
    }
}

uint32_t linear_drop_dependent(LinearFit *fit, double *r, uint32_t *kept)
{
    uint32_t terms = fit->design->terms, ld = terms + fit->design->targets, columns = ld, count = 0;
    double tolerance = rank_tolerance(terms);

    for (uint32_t t = 0; t < terms; t++) {
        double norm = full_norm(fit, t);
        if (fabs(r[(size_t)count * ld + count]) > tolerance * norm) {
            kept[count++] = t;
            continue;
        }
        fit->dropped[t] = 1;
        memmove(r + (size_t)count * ld, r + (size_t)(count + 1) * ld,
                (size_t)(columns - count - 1) * ld * sizeof(double));
        columns--;
        retriangularize(r, ld, columns, count);
        fit->env->poll(fit->env);
    }
    fit->kept = count;
    return count;
}

/* Solves the triangle for a right-hand side by back substitution. */
static void back_substitute(const double *r, uint32_t ld, uint32_t count, const double *right,
                            double *out)
{
    memcpy(out, right, count * sizeof(double));
    for (uint32_t k = count; k-- > 0;) {
        const double *column = r + (size_t)k * ld;
        out[k] /= column[k];
        for (uint32_t i = 0; i < k; i++)
            out[i] -= out[k] * column[i];
    }
}

/* Writes the inverse of a triangle, column major, into a zeroed matrix. */
static void invert(Env *env, const double *r, uint32_t ld, uint32_t count, double *inverse)
{
    for (uint32_t j = 0; j < count; j++) {
        double *x = inverse + (size_t)j * count;
        x[j] = 1;
        for (uint32_t k = j + 1; k-- > 0;) {
            const double *column = r + (size_t)k * ld;
            x[k] /= column[k];
            for (uint32_t i = 0; i < k; i++)
                x[i] -= x[k] * column[i];
        }
        if (j % 8 == 7)
            env->poll(env);
    }
}

/* Sets (X'X)^-1 of the intercept and the terms from the triangle of the kept terms. */
static void set_covariance(LinearFit *fit, const double *r, uint32_t ld, const uint32_t *kept,
                           uint32_t count)
{
    Env *env = fit->env;
    uint32_t first = fit->with_intercept, size = fit->design->terms + first;
    size_t packed = factor_packed(size);
    const double *means = fit->design->means;
    double *inverse, *c, *cross, middle = 0;

    env_require_memory(env, (packed + (size_t)count * count) * sizeof(double),
                       "the covariance of the coefficients");
    inverse = env_array(env, (size_t)count * count + 1, sizeof(double));
    fit->covariance = c = env_array(env, packed + 1, sizeof(double));
    cross = env_array(env, count + 1, sizeof(double));
    invert(env, r, ld, count, inverse);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i; j < count; j++) {
            double sum = 0;
            for (uint32_t k = j; k < count; k++)
                sum += inverse[(size_t)k * count + i] * inverse[(size_t)k * count + j];
            c[factor_packed(kept[j] + first) + kept[i] + first] = sum;
            cross[i] += sum * means[kept[j]];
            if (i != j)
                cross[j] += sum * means[kept[i]];
        }
        if (i % 4 == 3)
            env->poll(env);
    }
    if (fit->with_intercept) {
        /* 1/W + m'(R'R)^-1 m as a sum of squares */
        for (uint32_t k = 0; k < count; k++) {
            double sum = 0;
            for (uint32_t i = 0; i <= k; i++)
                sum += inverse[(size_t)k * count + i] * means[kept[i]];
            middle += sum * sum;
        }
        c[0] = 1 / fit->design->weight + middle;
        for (uint32_t i = 0; i < count; i++)
            c[factor_packed(kept[i] + 1)] = -cross[i];
    }
    env->release(env, inverse);
}

void linear_set_intercept(LinearFit *fit)
{
    const Design *design = fit->design;
    double sum = design->target_mean;

    if (!fit->with_intercept)
        return;
    for (uint32_t t = 0; t < design->terms; t++)
        sum -= fit->coef[t] * design->means[t];
    fit->intercept = sum;
}

double linear_residual(const LinearFit *fit)
{
    uint32_t terms = fit->design->terms, all = terms + 1;
    const double *r = fit->design->factor, *y = r + (size_t)terms * all;
    double *left = env_array(fit->env, all, sizeof(double)), norm;

    memcpy(left, y, all * sizeof(double));
    for (uint32_t t = 0; t < terms; t++)
        if (fit->coef[t] != 0)
            column_subtract(left, r + (size_t)t * all, fit->coef[t], t + 1);
    norm = column_norm(left, all);
    fit->env->release(fit->env, left);
    return norm * norm;
}

double linear_deviation(const LinearFit *fit, uint32_t term)
{
    uint32_t all = fit->design->terms + 1;
    double norm = column_norm(fit->design->factor + (size_t)term * all, term + 1);
    double raw = fit->with_intercept ? 0 : sqrt(fit->design->weight) * fit->design->means[term];

    /* without intercept the factor is that of the raw rows */
    if (fabs(raw) >= norm)
        return 0;
    return norm * sqrt((1 - raw / norm) * (1 + raw / norm)) / sqrt(fit->design->weight);
}

double linear_norm(const LinearFit *fit, uint32_t column)
{
    uint32_t all = fit->design->terms + 1;
    double norm = column_norm(fit->design->factor + (size_t)column * all, column + 1);

    return norm <= rank_tolerance(1) * full_norm(fit, column) ? 0 : norm;
}

void linear_solve_target(const LinearFit *fit, uint32_t target, double *coef)
{
    uint32_t ld = fit->design->terms + fit->design->targets;
    double *solution = env_array(fit->env, ld, sizeof(double));

    back_substitute(fit->triangle, ld, fit->kept, fit->triangle + (size_t)(fit->kept + target) * ld, solution);
    for (uint32_t i = 0; i < fit->kept; i++)
        coef[fit->kept_terms[i]] = solution[i];
    fit->env->release(fit->env, solution);
}

void linear_least_squares(LinearFit *fit)
{
    Env *env = fit->env;
    uint32_t ld = fit->design->terms + fit->design->targets;
    double *r = env_array_raw(env, (size_t)ld * ld, sizeof(double));
    uint32_t *kept = env_array(env, ld, sizeof(uint32_t));
    double last;

    memcpy(r, fit->design->factor, (size_t)ld * ld * sizeof(double));
    linear_drop_dependent(fit, r, kept);
    fit->condition = linear_condition(env, r, ld, fit->kept);
    fit->triangle = r;
    fit->kept_terms = kept;
    linear_solve_target(fit, 0, fit->coef);
    last = column_norm(r + (size_t)fit->kept * ld + fit->kept, ld - fit->kept);
    fit->rss = last * last;
    fit->df_model = fit->kept;
    linear_set_intercept(fit);
    set_covariance(fit, r, ld, kept, fit->kept);
}

void linear_decompose(LinearFit *fit)
{
    uint32_t terms = fit->design->terms, all = terms + 1;
    const double *y = fit->design->factor + (size_t)terms * all;

    for (uint32_t t = 0; t < terms; t++) {
        const double *x = fit->design->factor + (size_t)t * all;
        double norm = linear_norm(fit, t), sum = 0;
        if (norm == 0) {
            fit->dropped[t] = 1;
            continue;
        }
        for (uint32_t i = 0; i <= t; i++)
            sum += (x[i] / norm) * y[i];
        fit->coef[t] = sum / norm;
        fit->kept++;
    }
    fit->df_model = NAN;
    linear_set_intercept(fit);
    fit->rss = linear_residual(fit);
}

/*
 * Returns the trace of (R'R + P)^-1 R'R as the squared Frobenius norm of R A^-1. packed: R; penalized: A, A'A = R'R +
 * P.
 */
static double effective_terms(Env *env, const double *packed, const double *penalized,
                              uint32_t columns)
{
    double *row = env_array(env, columns + 1, sizeof(double)), trace = 0;

    for (uint32_t i = 0; i < columns; i++) {
        /* x A = row i of R, by substitution from the left */
        for (uint32_t j = i; j < columns; j++) {
            const double *column = penalized + factor_packed(j);
            double sum = packed[factor_packed(j) + i] - column_dot(row + i, column + i, j - i);
            row[j] = column[j] != 0 ? sum / column[j] : 0;
            trace += row[j] * row[j];
        }
        if (i % 4 == 3)
            env->poll(env);
    }
    env->release(env, row);
    return trace;
}

/* Returns the same trace from the diagonal of (A'A)^-1, which loses digits unless the penalty is as small as factor_penalize wants it. */
static double effective_terms_of_most(Env *env, const double *penalized, uint32_t columns, const double *squares)
{
    double *lower = env_array(env, (size_t)columns * columns + columns, sizeof(double)), *inverse = lower + (size_t)columns * columns;
    double trace = columns;

    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i <= j; i++)
            lower[(size_t)i * columns + j] = *penalized++;
    cholesky_inverse_diagonal(env, lower, columns, inverse);
    for (uint32_t j = 0; j < columns; j++)
        trace -= squares[j] * inverse[j];
    env->release(env, lower);
    return trace;
}

/*
 * Replaces R by the triangle of R'R + P of all columns, of which the last, the target, has no penalty. roots: square roots of the diagonal of P.
 * Returns the trace of (R'R + P)^-1 R'R of the others.
 */
static double penalize(Env *env, double *packed, uint32_t columns, const double *roots)
{
    size_t ld = factor_padded(columns), numbers = factor_packed(columns);
    double *squares = env_array_raw(env, columns, sizeof(double)), *before, *block, trace;
    void *memory;

    for (uint32_t j = 0; j < columns; j++)
        squares[j] = roots[j] * roots[j];
    if (columns >= PENALIZED_COLUMNS && factor_penalize(env, packed, columns, squares, PENALIZED_CONDITION)) {
        trace = effective_terms_of_most(env, packed, columns - 1, squares);
    } else {
        before = env_array_raw(env, numbers, sizeof(double));
        memcpy(before, packed, numbers * sizeof(double));
        block = env_aligned(env, ld * columns, &memory);
        for (uint32_t j = 0; j < columns; j++)
            block[j * ld + j] = roots[j];
        factor_update(env, packed, columns, block, ld, columns - 1, true);
        env->release(env, memory);
        trace = effective_terms(env, before, packed, columns - 1);
        env->release(env, before);
    }
    env->release(env, squares);
    return trace;
}

/* Solves Rx = solution in place. packed: R, unknown columns. column: the first is that of the intercept. Columns that depend on others get 0. */
static void solve_triangle(LinearFit *fit, const double *packed, uint32_t unknown, bool column, double *solution)
{
    for (uint32_t k = unknown; k-- > 0;) {
        const double *r = packed + factor_packed(k);
        double norm = column_norm(r, k + 1);

        if (fabs(r[k]) <= rank_tolerance(fit->design->terms) * norm || r[k] == 0) { /* a constant term under a scaled penalty, or lambda 0 */
            solution[k] = 0;
            if (!(column && k == 0))
                fit->dropped[k - column] = 1;
            continue;
        }
        solution[k] /= r[k];
        for (uint32_t i = 0; i < k; i++)
            solution[i] -= solution[k] * r[i];
    }
}

void linear_ridge(LinearFit *fit, double lambda, const double *scales, bool intercept_too)
{
    Env *env = fit->env;
    Design *design = fit->design;
    uint32_t terms = design->terms, own = terms + 1;
    bool column = fit->with_intercept && intercept_too; /* a column of ones in front */
    uint32_t all = own + column, unknown = all - 1;
    double root = sqrt(design->weight), *packed = env_array(env, factor_packed(all), sizeof(double)), *roots, *solution;

    if (column)
        packed[0] = root;
    for (uint32_t j = 0; j < own; j++) {
        double *to = packed + factor_packed(j + column);
        if (column)
            *to++ = root * design->means[j];
        memcpy(to, design->factor + (size_t)j * own, (j + 1) * sizeof(double));
    }
    roots = env_array(env, all, sizeof(double));
    for (uint32_t j = 0; j < unknown; j++)
        roots[j] = sqrt(lambda) * ((column && j == 0) || scales == NULL ? 1 : scales[j - column]);
    fit->df_model = penalize(env, packed, all, roots) - column;
    env->release(env, roots);

    solution = env_array(env, all, sizeof(double));
    memcpy(solution, packed + factor_packed(unknown), unknown * sizeof(double));
    solve_triangle(fit, packed, unknown, column, solution);
    for (uint32_t t = 0; t < terms; t++) {
        fit->coef[t] = solution[t + column];
        fit->kept += !fit->dropped[t];
    }
    linear_set_intercept(fit);
    fit->rss = linear_residual(fit);
    if (column) {
        double difference = root * (fit->intercept - solution[0]); /* to the intercept without a penalty */
        fit->rss += difference * difference;
        fit->intercept = solution[0];
    }
    fit->condition = linear_condition(env, design->factor, own, terms);
    env->release(env, solution);
    env->release(env, packed);
}

/*
 * Returns the ratio of the largest to the smallest singular value by one-sided Jacobi rotations. squares: scratch for
 * the squared norms of the columns, updated along the way and recomputed in every sweep.
 */
static double jacobi_condition(Env *env, double *a, uint32_t n, double *squares)
{
    double largest = 0, smallest = INFINITY;
    bool rotated = true;

    for (int sweep = 0; rotated && sweep < 60; sweep++) {
        rotated = false;
        for (uint32_t p = 0; p < n; p++) {
            const double *x = a + (size_t)p * n;
            squares[p] = 0;
            for (uint32_t i = 0; i < n; i++)
                squares[p] += x[i] * x[i];
        }
        for (uint32_t p = 0; p + 1 < n; p++)
            for (uint32_t q = p + 1; q < n; q++) {
                double *x = a + (size_t)p * n, *y = a + (size_t)q * n;
                double even = 0, odd = 0, product, zeta, t, c, s;
                for (uint32_t i = 0; i + 1 < n; i += 2) {
                    even += x[i] * y[i];
                    odd += x[i + 1] * y[i + 1];
                }
                product = even + odd + (n % 2 == 1 ? x[n - 1] * y[n - 1] : 0);
                /* a smaller product changes the singular values only by its square */
                if (product * product <= 1e-18 * squares[p] * squares[q])
                    continue;
                rotated = true;
                zeta = (squares[q] - squares[p]) / (2 * product);
                t = (zeta > 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                c = 1 / sqrt(1 + t * t);
                s = c * t;
                squares[p] = fmax(0, squares[p] - t * product);
                squares[q] += t * product;
                for (uint32_t i = 0; i < n; i++) {
                    double u = x[i], v = y[i];
                    x[i] = c * u - s * v;
                    y[i] = s * u + c * v;
                }
            }
        env->poll(env);
    }
    for (uint32_t p = 0; p < n; p++) {
        double norm = column_norm(a + (size_t)p * n, n);
        largest = fmax(largest, norm);
        smallest = fmin(smallest, norm);
    }
    return smallest > 0 ? largest / smallest : INFINITY;
}

/*
 * Estimates the same ratio for a large triangle [n x n] to about a percent, by power iterations with R'R and its
 * inverse. x: [n] scratch.
 */
static double power_condition(Env *env, const double *r, uint32_t n, double *x)
{
    double result = 1;

    for (int inverse = 0; inverse < 2; inverse++) {
        double norm = 0, last = 0;
        for (uint32_t i = 0; i < n; i++)
            x[i] = 1 + 0.1 * sin(i + 1.0);
        for (int step = 0; step < 200; step++) {
            if (inverse) { /* R'z = x, then R w = z */
                for (uint32_t k = 0; k < n; k++) {
                    const double *column = r + (size_t)k * n;
                    x[k] = (x[k] - column_dot(column, x, k)) / column[k];
                }
                for (uint32_t k = n; k-- > 0;) {
                    const double *column = r + (size_t)k * n;
                    x[k] /= column[k];
                    column_subtract(x, column, x[k], k);
                }
            } else { /* z = R x, then w = R'z */
                for (uint32_t i = 0; i < n; i++) {
                    double v = x[i];
                    const double *column = r + (size_t)i * n;
                    x[i] = 0;
                    column_subtract(x, column, -v, i + 1);
                }
                for (uint32_t k = n; k-- > 0;) {
                    const double *column = r + (size_t)k * n;
                    x[k] = column_dot(column, x, k + 1);
                }
            }
            norm = column_norm(x, n);
            if (!isfinite(norm) || norm == 0)
                return INFINITY;
            for (uint32_t i = 0; i < n; i++)
                x[i] /= norm;
            env->poll(env);
            if (fabs(norm - last) <= 1e-4 * norm)
                break;
            last = norm;
        }
        result *= sqrt(norm);
    }
    return result;
}

double linear_condition(Env *env, const double *factor, size_t ld, uint32_t count)
{
    double *scaled, *scratch, result = 0;

    if (count == 0)
        return NAN;
    if (count == 1)
        return factor[0] != 0 ? 1 : INFINITY;
    scaled = env_array(env, (size_t)count * (count + 1), sizeof(double));
    scratch = scaled + (size_t)count * count;
    for (uint32_t k = 0; k < count && result == 0; k++) {
        const double *column = factor + (size_t)k * ld;
        double norm = column_norm(column, k + 1);
        if (norm == 0)
            result = INFINITY;
        for (uint32_t i = 0; i <= k && norm > 0; i++)
            scaled[(size_t)k * count + i] = column[i] / norm;
    }
    if (result == 0)
        result = count <= JACOBI_COLUMNS ? jacobi_condition(env, scaled, count, scratch)
                                         : power_condition(env, scaled, count, scratch);
    env->release(env, scaled);
    return result;
}
