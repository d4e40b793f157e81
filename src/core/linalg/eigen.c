/*
 * eigen.c - eigenvalues and eigenvectors of symmetric matrices.
 */
#include "core/linalg/eigen.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/lapack.h"
#include "core/linalg/householder.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define JACOBI_COLUMNS 40 /* the largest matrix that rotations diagonalize */
#define SWEEPS 60         /* of rotations, at most */
#define PANEL 32          /* columns reduced together */
#define REST 64           /* the last columns are reduced one by one */
#define CALL_FLOPS 1e8    /* of one call into BLAS, at most */

struct Eigen {
    Env *env;
    uint32_t n;
    double *a;
    double *values;  /* descending */
    double *vectors; /* Jacobi: [n x n], one vector per row, unsorted; else NULL */
    uint32_t *order; /* Jacobi: row of each value */
    double *diagonal, *beside, *tau; /* otherwise: the tridiagonal form, with its reflectors in a */
};

/* ---- Jacobi ---- */

/* Rotates rows and columns p and q so that element (p, q) is zero. */
static void rotate(double *a, double *vectors, uint32_t n, uint32_t p, uint32_t q)
{
    double *row = a + (size_t)p * n, *other = a + (size_t)q * n;
    double theta = (other[q] - row[p]) / (2 * row[q]);
    double t = 1 / (fabs(theta) + sqrt(1 + theta * theta)), c, s, tau;
    double *v = vectors + (size_t)p * n, *w = vectors + (size_t)q * n;

    if (theta < 0)
        t = -t;
    c = 1 / sqrt(1 + t * t);
    s = t * c;
    tau = s / (1 + c);
    row[p] -= t * row[q];
    other[q] += t * row[q];
    row[q] = other[p] = 0;
    for (uint32_t r = 0; r < n; r++) {
        double g = row[r], h = other[r];
        if (r == p || r == q)
            continue;
        row[r] = a[(size_t)r * n + p] = g - s * (h + g * tau);
        other[r] = a[(size_t)r * n + q] = h + s * (g - h * tau);
    }
    for (uint32_t r = 0; r < n; r++) {
        double g = v[r], h = w[r];
        v[r] = g - s * (h + g * tau);
        w[r] = h + s * (g - h * tau);
    }
}

/* Does one sweep over all pairs; returns false if no pair needed a rotation. */
static bool sweep(double *a, double *vectors, uint32_t n)
{
    bool turned = false;

    for (uint32_t p = 0; p + 1 < n; p++)
        for (uint32_t q = p + 1; q < n; q++) {
            double both = sqrt(fabs(a[(size_t)p * n + p])) * sqrt(fabs(a[(size_t)q * n + q]));
            double beside = fabs(a[(size_t)p * n + q]);
            if (beside <= DBL_EPSILON / 2 * both || beside < 1e-290)
                continue;
            rotate(a, vectors, n, p, q);
            turned = true;
        }
    return turned;
}

/* Sets all values and vectors by rotations. */
static void jacobi(Eigen *eigen)
{
    Env *env = eigen->env;
    uint32_t n = eigen->n;

    eigen->vectors = env_array(env, (size_t)n * n, sizeof(double));
    eigen->order = env_array(env, n, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++)
        eigen->vectors[(size_t)i * n + i] = 1;
    for (int i = 0; i < SWEEPS && sweep(eigen->a, eigen->vectors, n); i++)
        env->poll(env);
    for (uint32_t i = 0; i < n; i++) { /* an insertion sort: equal values keep their order */
        double value = eigen->a[(size_t)i * n + i];
        uint32_t place = i;
        for (; place > 0 && eigen->values[place - 1] < value; place--) {
            eigen->values[place] = eigen->values[place - 1];
            eigen->order[place] = eigen->order[place - 1];
        }
        eigen->values[place] = value;
        eigen->order[place] = i;
    }
}

/* ---- reduction to a tridiagonal matrix ---- */

/* Subtracts v w' + w v' from a (rows x rows, lower triangle), in strips of columns. */
static void update_rest(Env *env, double *a, int ld, int rows, int width, const double *v,
                        const double *w, int ldw)
{
    const double minus = -1, one = 1;
    int step;

    for (int j = 0; j < rows; j += step) {
        int below, columns;
        step = (int)fmax(1, CALL_FLOPS / (4.0 * width * (rows - j)));
        columns = rows - j < step ? rows - j : step;
        below = rows - j - columns;
        dsyr2k_("L", "N", &columns, &width, &minus, v + j, &ld, w + j, &ldw, &one,
                a + (size_t)j * ld + j, &ld, 1, 1);
        if (below > 0) {
            double *under = a + (size_t)j * ld + j + columns;
            dgemm_("N", "T", &below, &columns, &width, &minus, v + j + columns, &ld, w + j, &ldw,
                   &one, under, &ld, 1, 1);
            dgemm_("N", "T", &below, &columns, &width, &minus, w + j + columns, &ldw, v + j, &ld,
                   &one, under, &ld, 1, 1);
        }
        env->poll(env);
    }
}

/*
 * Reduces a as LAPACK's dsytrd does, but polls: writes the diagonal and subdiagonal; reflectors stay in the lower triangle and
 * tau.
 */
static void reduce(Eigen *eigen)
{
    Env *env = eigen->env;
    int n = (int)eigen->n, first = 0, rest, info, panel;
    double *a = eigen->a, *work;

    panel = (int)fmin(PANEL, fmax(1, CALL_FLOPS / (2.0 * n * n)));
    work = env_array(env, (size_t)n * panel, sizeof(double));
    for (; n - first > REST + panel; first += panel) {
        double *corner = a + (size_t)first * n + first;
        int left = n - first, below = left - panel;
        if (n >= REPORT_COLUMNS)
            env->progress(env, "eigenvalues", (uint64_t)first, (uint64_t)n, NAN);
        dlatrd_("L", &left, &panel, corner, &n, eigen->beside + first, eigen->tau + first, work,
                &left, 1);
        env->poll(env);
        update_rest(env, corner + (size_t)panel * n + panel, n, below, panel, corner + panel,
                    work + panel, left);
        for (int j = first; j < first + panel; j++) {
            a[(size_t)j * n + j + 1] = eigen->beside[j];
            eigen->diagonal[j] = a[(size_t)j * n + j];
        }
    }
    rest = n - first;
    dsytd2_("L", &rest, a + (size_t)first * n + first, &n, eigen->diagonal + first,
            eigen->beside + first, eigen->tau + first, &info, 1);
}

/* ---- vectors of the tridiagonal matrix, by ascending value ---- */

/* Finds the last `count` by relatively robust representations; returns false if LAPACK fails. */
static bool vectors_of_few(Eigen *eigen, uint32_t count, double *z)
{
    Env *env = eigen->env;
    int n = (int)eigen->n, low = n - (int)count + 1, found = 0, try_accuracy = 1, info = 0;
    int work_size = 18 * n, whole_size = 10 * n;
    double *numbers = env_array(env, (size_t)n * 21, sizeof(double)), unused = 0;
    int *whole = env_array(env, (size_t)n * 12, sizeof(int));

    memcpy(numbers, eigen->diagonal, (size_t)n * sizeof(double));
    memcpy(numbers + n, eigen->beside, (size_t)(n - 1) * sizeof(double));
    env->poll(env);
    dstemr_("V", "I", &n, numbers, numbers + n, &unused, &unused, &low, &n, &found, numbers + 2 * n,
            z, &n, &n, whole + 10 * n, &try_accuracy, numbers + 3 * n, &work_size, whole,
            &whole_size, &info, 1, 1);
    env->poll(env);
    return info == 0 && found == (int)count;
}

/* Finds all by divide and conquer; the last `count` move to the front of z, which holds n x n numbers. */
static void vectors_of_all(Eigen *eigen, uint32_t count, double *z)
{
    Env *env = eigen->env;
    int n = (int)eigen->n, info = 0;
    /* dstedc needs 1 + 4 n + n^2 doubles and 3 + 5 n integers */
    int work_size = 1 + 4 * n + n * n, whole_size = 3 + 5 * n;
    double *numbers, *work;
    int *whole;

    numbers = env_array_raw(env, 2 * (size_t)n, sizeof(double));
    work = env_array_raw(env, (size_t)work_size, sizeof(double));
    whole = env_array_raw(env, (size_t)whole_size, sizeof(int));
    memcpy(numbers, eigen->diagonal, (size_t)n * sizeof(double));
    memcpy(numbers + n, eigen->beside, (size_t)(n - 1) * sizeof(double));
    env->poll(env);
    dstedc_("I", &n, numbers, numbers + n, z, &n, work, &work_size, whole, &whole_size, &info, 1);
    env->poll(env);
    if (info != 0)
        env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                 "LAPACK did not find the eigenvectors of %d columns", n);
    memmove(z, z + (size_t)(n - (int)count) * n, (size_t)count * n * sizeof(double));
    env->release(env, work);
}

/* ---- either method ---- */

/* Tells whether so few vectors are wanted that robust representations are faster. */
static bool is_few(uint32_t n, uint32_t count)
{
    return count < n / 4 && n > 200;
}

size_t eigen_memory(uint32_t n, uint32_t count)
{
    size_t columns = n <= JACOBI_COLUMNS ? n : is_few(n, count) ? 2 * (size_t)count + 64 : 2 * (size_t)n + count;

    return ((size_t)n + columns) * n * sizeof(double);
}

Eigen *eigen_begin(Env *env, double *a, uint32_t n)
{
    Eigen *eigen = env_array(env, 1, sizeof(Eigen));
    double largest = 0, half, rest;
    int exponent = 0, order = (int)n, info = 0;

    eigen->env = env;
    eigen->n = n;
    eigen->a = a;
    eigen->values = env_array(env, n, sizeof(double));
    for (size_t i = 0; i < (size_t)n * n; i++)
        largest = fmax(largest, fabs(a[i]));
    if (largest > 0)
        frexp(largest, &exponent);
    /* scaling by powers of two is exact, and keeps products in range */
    half = ldexp(1, -exponent / 2);
    rest = ldexp(1, -exponent - -exponent / 2);
    for (size_t i = 0; i < (size_t)n * n; i++)
        a[i] = a[i] * half * rest;
    if (n <= JACOBI_COLUMNS) {
        jacobi(eigen);
    } else {
        double *beside = env_array(env, n, sizeof(double));
        eigen->diagonal = env_array(env, n, sizeof(double));
        eigen->beside = env_array(env, n, sizeof(double));
        eigen->tau = env_array(env, n, sizeof(double));
        reduce(eigen);
        memcpy(eigen->values, eigen->diagonal, n * sizeof(double));
        memcpy(beside, eigen->beside, (n - 1) * sizeof(double));
        dsterf_(&order, eigen->values, beside, &info);
        env->release(env, beside);
        if (info != 0)
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "LAPACK did not find the eigenvalues of %u columns", n);
        for (uint32_t i = 0; i < n / 2; i++) {
            double swap = eigen->values[i];
            eigen->values[i] = eigen->values[n - 1 - i];
            eigen->values[n - 1 - i] = swap;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        eigen->values[i] = ldexp(eigen->values[i], exponent);
    return eigen;
}

const double *eigen_values(const Eigen *eigen)
{
    return eigen->values;
}

/* Releases what has n x n numbers, because a qda does this for every class. */
void eigen_vectors(Eigen *eigen, uint32_t count, double *vectors)
{
    Env *env = eigen->env;
    uint32_t n = eigen->n;
    bool few = is_few(n, count);
    double *z;

    if (count == 0)
        return;
    if (eigen->vectors != NULL) {
        for (uint32_t i = 0; i < count; i++)
            memcpy(vectors + (size_t)i * n, eigen->vectors + (size_t)eigen->order[i] * n,
                   n * sizeof(double));
        env->release(env, eigen->vectors);
        eigen->vectors = NULL;
        return;
    }
    z = env_array_raw(env, few ? (size_t)n * count : (size_t)n * n, sizeof(double));
    if (few && !vectors_of_few(eigen, count, z)) {
        env_require_memory(env, eigen_memory(n, n), "eigenvectors");
        z = env_array_raw(env, (size_t)n * n, sizeof(double));
        few = false;
    }
    if (!few)
        vectors_of_all(eigen, count, z);
    householder_apply(env, eigen->a, eigen->tau, n, z, count);
    for (uint32_t i = 0; i < count; i++)
        memcpy(vectors + (size_t)i * n, z + (size_t)(count - 1 - i) * n, n * sizeof(double));
    env->release(env, z);
}

void eigen_free(Eigen *eigen)
{
    Env *env = eigen->env;
    void *blocks[] = {eigen->values, eigen->vectors, eigen->order, eigen->diagonal, eigen->beside, eigen->tau, eigen};

    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        if (blocks[i] != NULL)
            env->release(env, blocks[i]);
}
