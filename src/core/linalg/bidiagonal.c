/*
 * bidiagonal.c - Householder bidiagonalization.
 */
#include "core/linalg/bidiagonal.h"
#include "core/linalg/column_loops.h"

#include <math.h>
#include <string.h>

#define POLL_WORK 4e6 /* multiplications between two polls */

/* Replaces x by the vector of its reflector, with a leading 1; returns the number that x is reflected to. */
static double reflector(double *x, uint32_t length, size_t step, double *tau)
{
    double sum = 0, head = x[0], norm;

    for (uint32_t i = 1; i < length; i++)
        sum += x[i * step] * x[i * step];
    *tau = 0;
    if (sum == 0)
        return head;
    norm = head > 0 ? -sqrt(head * head + sum) : sqrt(head * head + sum);
    *tau = (norm - head) / norm;
    for (uint32_t i = 1; i < length; i++)
        x[i * step] /= head - norm;
    x[0] = 1;
    return norm;
}

/* Replaces y by (I - tau v v') y. */
static void reflect(const double *v, double tau, double *y, uint32_t length)
{
    column_subtract(y, v, tau * column_dot(v, y, length), length);
}

Bidiagonal bidiagonal_make(Env *env, double *a, uint32_t n, double *y)
{
    Bidiagonal b = {.n = n, .reflectors = a};
    double *row, *product, work = 0;

    b.taus = env_array(env, 5 * (size_t)n + 1, sizeof(double));
    b.diagonal = b.taus + n;
    b.above = b.diagonal + n;
    row = b.above + n;
    product = row + n;
    for (uint32_t k = 0; k < n; k++) {
        double *column = a + (size_t)k * n + k, tau;
        uint32_t rows = n - k, right = n - k - 1;

        b.diagonal[k] = reflector(column, rows, 1, &tau);
        if (tau != 0) {
            for (uint32_t j = k + 1; j < n; j++)
                reflect(column, tau, a + (size_t)j * n + k, rows);
            if (y != NULL)
                reflect(column, tau, y + k, rows);
        }
        if (right == 0)
            break;
        b.above[k] = reflector(a + (size_t)(k + 1) * n + k, right, n, &b.taus[k]);
        for (uint32_t j = 0; j < right; j++)
            row[j] = a[(size_t)(k + 1 + j) * n + k];
        if (b.taus[k] != 0) {
            memset(product, 0, (rows - 1) * sizeof(double));
            for (uint32_t j = 0; j < right; j++)
                column_subtract(product, a + (size_t)(k + 1 + j) * n + k + 1, -row[j], rows - 1);
            for (uint32_t j = 0; j < right; j++)
                column_subtract(a + (size_t)(k + 1 + j) * n + k + 1, product, b.taus[k] * row[j], rows - 1);
        }
        /* the reflector of V replaces that of U, which is no longer needed */
        memcpy(column + 1, row, right * sizeof(double));
        work += 4.0 * rows * rows;
        if (work > POLL_WORK) {
            work = 0;
            env->poll(env);
            if (n >= REPORT_COLUMNS)
                env->progress(env, "singular values", k, n, NAN);
        }
    }
    return b;
}

void bidiagonal_free(Env *env, Bidiagonal *b)
{
    env->release(env, b->reflectors);
    env->release(env, b->taus);
}

void bidiagonal_right(const Bidiagonal *b, double *z)
{
    for (uint32_t k = b->n; k-- > 0;)
        if (b->taus[k] != 0)
            reflect(b->reflectors + (size_t)k * b->n + k + 1, b->taus[k], z + k + 1, b->n - k - 1);
}
