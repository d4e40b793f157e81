/*
 * svd.c - singular values by one-sided rotations, or by a bidiagonal form and LAPACK.
 */
#include "core/linalg/svd.h"
#include "core/linalg/bidiagonal.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/vector_loops.h"
#include "core/linalg/lapack.h"
#include "core/linalg/householder.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROTATED_COLUMNS 64 /* the largest matrix that rotations decompose */
#define SWEEPS 60          /* of rotations, at most */

/* ---- one-sided rotations ---- */

/* Rotates columns x and y, and their vectors, so that x'y = 0. */
static void rotate(double *x, double *y, double *v, double *w, uint32_t n, double zeta)
{
    double t = (zeta > 0 ? 1 : -1) / (fabs(zeta) + hypot(1, zeta)), c = 1 / sqrt(1 + t * t), s = c * t;

    for (uint32_t i = 0; i < n; i++) {
        double left = x[i], right = y[i];
        x[i] = c * left - s * right;
        y[i] = s * left + c * right;
    }
    for (uint32_t i = 0; i < n; i++) {
        double left = v[i], right = w[i];
        v[i] = c * left - s * right;
        w[i] = s * left + c * right;
    }
}

/* Does one sweep over all pairs; returns false if no pair needed a rotation. squares: of the columns' norms. */
static bool sweep(double *a, double *vectors, uint32_t n, double *squares)
{
    double limit = DBL_EPSILON * DBL_EPSILON * n;
    bool turned = false;

    for (uint32_t p = 0; p + 1 < n; p++)
        for (uint32_t q = p + 1; q < n; q++) {
            double *x = a + (size_t)p * n, *y = a + (size_t)q * n;
            double product = column_dot(x, y, n);
            if (product * product <= limit * squares[p] * squares[q])
                continue;
            rotate(x, y, vectors + (size_t)p * n, vectors + (size_t)q * n, n,
                   (squares[q] - squares[p]) / (2 * product));
            squares[p] = column_dot(x, x, n);
            squares[q] = column_dot(y, y, n);
            turned = true;
        }
    return turned;
}

/* Sets values, vectors and left by rotations; a becomes the products of values and left vectors. */
static void by_rotations(Env *env, double *a, const double *y, Singular *out)
{
    uint32_t n = out->n;
    double *squares = env_array(env, n, sizeof(double));

    for (uint32_t i = 0; i < n; i++) {
        out->vectors[(size_t)i * n + i] = 1;
        squares[i] = column_dot(a + (size_t)i * n, a + (size_t)i * n, n);
    }
    for (int i = 0; i < SWEEPS && sweep(a, out->vectors, n, squares); i++)
        env->poll(env);
    for (uint32_t j = 0; j < n; j++) {
        out->values[j] = loop_norm_scaled(a + (size_t)j * n, NULL, n);
        for (uint32_t i = 0; i < n && y != NULL && out->values[j] > 0; i++)
            out->left[j] += a[(size_t)j * n + i] / out->values[j] * y[i];
    }
}

/* ---- a bidiagonal form ---- */

/* Sets values, vectors and left by a bidiagonal form and divide and conquer. */
static void by_division(Env *env, double *a, double *y, Singular *out)
{
    Bidiagonal form = bidiagonal_make(env, a, out->n, y);
    int n = (int)out->n, unused = 0, info = 0;
    /* dbdsdc needs 3 n^2 + 4 n doubles and 8 n integers */
    double *work = env_array_raw(env, (size_t)n * (3 * (size_t)n + 4), sizeof(double)), nothing = 0;
    double *u = env_array_raw(env, (size_t)n * n, sizeof(double)), *right = env_array_raw(env, (size_t)n * n, sizeof(double));
    int *whole = env_array_raw(env, 8 * (size_t)n, sizeof(int));

    env->poll(env);
    dbdsdc_("U", "I", &n, form.diagonal, form.above, u, &n, right, &n, &nothing, &unused, work, whole, &info, 1, 1);
    env->poll(env);
    if (info != 0)
        env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                 "LAPACK did not find the singular values of %d columns", n);
    memcpy(out->values, form.diagonal, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        if (y != NULL)
            out->left[j] = column_dot(u + (size_t)j * n, y, (size_t)n);
        for (int i = 0; i < n; i++)
            out->vectors[(size_t)j * n + i] = right[(size_t)i * n + j];
    }
    householder_apply(env, form.reflectors, form.taus, (uint32_t)n, out->vectors, (uint32_t)n);
}

/* ---- either method ---- */

/* Sets values to 0 that do not exceed the rounding errors of their combination of columns. */
static void drop_rounding(Singular *out, const double *noise)
{
    uint32_t n = out->n;
    double all = loop_norm_scaled(noise, NULL, n);

    for (uint32_t j = 0; j < n; j++) {
        const double *v = out->vectors + (size_t)j * n;
        double own = 0;
        for (uint32_t t = 0; t < n; t++)
            own = hypot(own, v[t] * noise[t]);
        if (out->values[j] <= (n > ROTATED_COLUMNS ? all : own))
            out->values[j] = 0;
    }
}

/* Sorts values in descending order; equal ones keep their order. */
static void sort_descending(Env *env, Singular *out)
{
    uint32_t n = out->n;
    double *vector = env_array_raw(env, n, sizeof(double));

    for (uint32_t i = 1; i < n; i++) {
        double value = out->values[i], left = out->left != NULL ? out->left[i] : 0;
        uint32_t place = i;
        while (place > 0 && out->values[place - 1] < value)
            place--;
        if (place == i)
            continue;
        memcpy(vector, out->vectors + (size_t)i * n, n * sizeof(double));
        memmove(out->vectors + (size_t)(place + 1) * n, out->vectors + (size_t)place * n,
                (size_t)(i - place) * n * sizeof(double));
        memmove(out->values + place + 1, out->values + place, (i - place) * sizeof(double));
        memcpy(out->vectors + (size_t)place * n, vector, n * sizeof(double));
        out->values[place] = value;
        if (out->left != NULL) {
            memmove(out->left + place + 1, out->left + place, (i - place) * sizeof(double));
            out->left[place] = left;
        }
    }
}

size_t singular_memory(uint32_t n)
{
    return (n > ROTATED_COLUMNS ? 7 : 2) * (size_t)n * n * sizeof(double);
}

Singular singular_make(Env *env, double *a, uint32_t n, double *y, const double *noise)
{
    Singular out = {.n = n};
    double largest = 0;
    int exponent = 0;

    out.values = env_array(env, 2 * (size_t)n, sizeof(double));
    out.vectors = env_array(env, (size_t)n * n, sizeof(double));
    if (y != NULL)
        out.left = out.values + n;
    for (size_t i = 0; i < (size_t)n * n; i++)
        largest = fmax(largest, fabs(a[i]));
    if (largest > 0)
        frexp(largest, &exponent);
    for (size_t i = 0; i < (size_t)n * n; i++) /* scaling by powers of two is exact, and keeps squares in range */
        a[i] = ldexp(a[i], -exponent);
    if (n <= ROTATED_COLUMNS)
        by_rotations(env, a, y, &out);
    else
        by_division(env, a, y, &out);
    for (uint32_t i = 0; i < n; i++)
        out.values[i] = ldexp(out.values[i], exponent);
    if (noise != NULL)
        drop_rounding(&out, noise);
    sort_descending(env, &out);
    while (out.rank < n && out.values[out.rank] > 0)
        out.rank++;
    return out;
}
