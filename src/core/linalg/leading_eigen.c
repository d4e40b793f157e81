/*
 * leading_eigen.c - a block Krylov method for the largest eigenvalues of a symmetric matrix.
 *
 * The basis V (one vector per row) and its products V A are kept, so that Ritz pairs and their residuals follow from small
 * matrices. New vectors are the newest products less their projections on the basis. When the basis is full, it is replaced by
 * its leading Ritz vectors; the new vectors stay orthogonal to those.
 */
#include "core/linalg/leading_eigen.h"

#include "core/base/random.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/eigen.h"
#include "core/linalg/gemm.h"
#include "core/linalg/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WIDTH PRODUCT_STRIP /* vectors of a block: as many as are packed together */
#define MOST_PRODUCTS 2000
#define LEAST_ROWS 400      /* a smaller matrix is decomposed completely */
#define CALL_FLOPS 5e7      /* between two polls */
#define CANCELED 1e-3       /* the share of a vector that is left where most of it was subtracted */
#define ACCURACY 1e-10      /* residual of a pair, as a share of its value */

typedef struct Krylov {
    Env *env;
    const double *a;
    uint32_t n, count, room; /* room: vectors that the basis holds */
    uint32_t size;           /* of the basis now */
    double *basis, *products; /* [room x n] V and V A */
    double *inner;           /* [room x room] V A V', by rows of `room` */
    double *block;           /* [WIDTH x n] the next vectors */
    double *packed, *strip;  /* scratch of multiply */
    double *small, *pairs;   /* [room x room]: a copy of inner, and its leading vectors */
    const double *values;    /* of the small matrix */
    double *mixed;           /* [room x n] scratch of restarts and residuals */
    double scale; /* a power of two that brings the numbers of a near 1, so that squares stay in range */
    uint64_t random;
} Krylov;

/* Below the rows of a matrix for which leading_eigen_pays. */
static uint32_t room_for(uint32_t count)
{
    return 2 * count + 10 * WIDTH;
}

bool leading_eigen_pays(uint32_t n, uint32_t count)
{
    return n >= LEAST_ROWS && count <= n / 8;
}

size_t leading_eigen_memory(uint32_t n, uint32_t count)
{
    size_t room = room_for(count);

    return (3 * room * n + 3 * (size_t)WIDTH * n + 6 * room * room + 4096) * sizeof(double);
}

/* Writes block A to out [WIDTH x n], times the scale; both by rows. */
static void multiply(Krylov *k, const double *block, double *out)
{
    uint32_t n = k->n, step = (uint32_t)fmax(8, fmin(256, CALL_FLOPS / (2.0 * n * WIDTH)));

    product_pack(block, WIDTH, n, n, NULL, k->packed);
    for (uint32_t first = 0; first < n; first += step) {
        uint32_t rows = n - first < step ? n - first : step;

        product_block(k->a + (size_t)first * n, rows, k->packed, WIDTH, n, k->strip, WIDTH);
        for (uint32_t v = 0; v < WIDTH; v++)
            for (uint32_t i = 0; i < rows; i++)
                out[(size_t)v * n + first + i] = k->strip[(size_t)i * WIDTH + v] * k->scale;
        k->env->poll(k->env);
    }
}

/* Adds times x coefficients' rows to out: out [rows x n] = scale out + times c' rows, with c [count x rows] by rows of ld. */
static void combine(Krylov *k, const double *c, uint32_t ld, const double *from, uint32_t count, uint32_t rows, double times,
                    double scale, double *out)
{
    int n = (int)k->n, stride = (int)ld, inside = (int)count;
    uint32_t step = (uint32_t)fmax(1, CALL_FLOPS / (2.0 * n * (count + 1)));

    for (uint32_t first = 0; first < rows; first += step) {
        int now = (int)(rows - first < step ? rows - first : step);

        dgemm_("N", "T", &n, &now, &inside, &times, from, &n, c + first, &stride, &scale, out + (size_t)first * n, &n, 1, 1);
        k->env->poll(k->env);
    }
}

/* Writes x y' [count_x x count_y] by rows of ld, for vectors of n numbers. */
static void products_of(Krylov *k, const double *x, uint32_t count_x, const double *y, uint32_t count_y, double *out, uint32_t ld)
{
    const double one = 1, zero = 0;
    int n = (int)k->n, stride = (int)ld, inside = (int)count_y;
    uint32_t step = (uint32_t)fmax(1, CALL_FLOPS / (2.0 * n * (count_y + 1)));

    for (uint32_t first = 0; first < count_x; first += step) {
        int now = (int)(count_x - first < step ? count_x - first : step);

        dgemm_("T", "N", &inside, &now, &n, &one, y, &n, x + (size_t)first * n, &n, &zero, out + (size_t)first * ld, &stride, 1, 1);
        k->env->poll(k->env);
    }
}

static void fill_random(Krylov *k, double *vector)
{
    for (uint32_t i = 0; i < k->n; i++)
        vector[i] = random_unit(&k->random) - 0.5;
}

/* Scales a vector to norm 1 after subtracting its projections on those before it in the block; returns the norm it had. */
static double normalize(Krylov *k, uint32_t place)
{
    double *vector = k->block + (size_t)place * k->n, norm;

    for (int again = 0; again < 2; again++)
        for (uint32_t p = 0; p < place; p++) {
            const double *other = k->block + (size_t)p * k->n;

            column_subtract(vector, other, column_dot(vector, other, k->n), k->n);
        }
    norm = sqrt(column_dot(vector, vector, k->n));
    for (uint32_t i = 0; norm > 0 && i < k->n; i++)
        vector[i] /= norm;
    return norm;
}

/* Subtracts the projections of `rows` vectors of the block on the basis, twice. */
static void project_out(Krylov *k, double *vectors, uint32_t rows)
{
    double *shares = k->small;

    for (int again = 0; again < 2 && k->size > 0; again++) {
        products_of(k, k->basis, k->size, vectors, rows, shares, rows);
        combine(k, shares, rows, k->basis, k->size, rows, -1, 1, vectors);
    }
}

/* Makes the block orthonormal and orthogonal to the basis. Vectors that depend on others are replaced by random ones. */
static void orthogonalize(Krylov *k)
{
    double largest = 0;

    for (uint32_t v = 0; v < WIDTH; v++) {
        const double *vector = k->block + (size_t)v * k->n;

        largest = fmax(largest, sqrt(column_dot(vector, vector, k->n)));
    }
    project_out(k, k->block, WIDTH);
    for (uint32_t v = 0; v < WIDTH; v++) {
        double *vector = k->block + (size_t)v * k->n;

        double before = sqrt(column_dot(vector, vector, k->n)), norm = normalize(k, v);

        if (!(norm > 1e-13 * largest)) {
            fill_random(k, vector);
            project_out(k, vector, 1);
            normalize(k, v);
        } else if (norm < CANCELED * before) { /* what is left has the rounding errors of what was there */
            project_out(k, vector, 1);
            normalize(k, v);
        }
        k->env->poll(k->env);
    }
}

/* Appends the block to the basis, with its products. */
static void append(Krylov *k)
{
    uint32_t n = k->n, before = k->size;
    double *new_products = k->products + (size_t)before * n;

    memcpy(k->basis + (size_t)before * n, k->block, (size_t)WIDTH * n * sizeof(double));
    multiply(k, k->block, new_products);
    k->size += WIDTH;
    products_of(k, k->basis, k->size, new_products, WIDTH, k->inner + before, k->room);
    for (uint32_t i = 0; i < k->size; i++)
        for (uint32_t j = before; j < k->size && i < before; j++)
            k->inner[(size_t)j * k->room + i] = k->inner[(size_t)i * k->room + j];
    for (uint32_t i = before; i < k->size; i++)
        for (uint32_t j = before; j < i; j++) {
            double mean = (k->inner[(size_t)i * k->room + j] + k->inner[(size_t)j * k->room + i]) / 2;

            k->inner[(size_t)i * k->room + j] = k->inner[(size_t)j * k->room + i] = mean;
        }
}

/* Sets values and the leading `wanted` pairs of the small matrix, [wanted x size]. Returns the smallest value. */
static double solve_small(Krylov *k, uint32_t wanted)
{
    uint32_t size = k->size;
    Eigen *eigen;

    for (uint32_t i = 0; i < size; i++)
        memcpy(k->small + (size_t)i * size, k->inner + (size_t)i * k->room, size * sizeof(double));
    eigen = eigen_begin(k->env, k->small, size);
    k->values = eigen_values(eigen);
    eigen_vectors(eigen, wanted, k->pairs);
    return k->values[size - 1];
}

/* Writes s' from for the leading pairs s: Ritz vectors, or their products. */
static void mix(Krylov *k, const double *from, uint32_t wanted, double *out)
{
    const double one = 1, zero = 0;
    int n = (int)k->n, size = (int)k->size;
    uint32_t step = (uint32_t)fmax(1, CALL_FLOPS / (2.0 * n * size));

    for (uint32_t first = 0; first < wanted; first += step) {
        int now = (int)(wanted - first < step ? wanted - first : step);

        dgemm_("N", "N", &n, &now, &size, &one, from, &n, k->pairs + (size_t)first * size, &size, &zero,
               out + (size_t)first * n, &n, 1, 1);
        k->env->poll(k->env);
    }
}

/* Tells whether |A v - value v| is small for all wanted pairs. Leaves their vectors in mixed. */
static bool has_converged(Krylov *k)
{
    uint32_t n = k->n, count = k->count;
    double largest = fmax(fabs(k->values[0]), fabs(k->values[k->size - 1]));
    double floor = 16 * DBL_EPSILON * sqrt(n) * largest;
    double *vectors = k->mixed, *moved = k->mixed + (size_t)count * n;

    mix(k, k->basis, count, vectors);
    mix(k, k->products, count, moved);
    for (uint32_t i = 0; i < count; i++) {
        double *rest = moved + (size_t)i * n;

        column_subtract(rest, vectors + (size_t)i * n, k->values[i], n);
        if (sqrt(column_dot(rest, rest, n)) > fmax(ACCURACY * k->values[i], floor))
            return false;
    }
    return true;
}

/* Replaces the basis by its leading Ritz vectors. */
static void restart(Krylov *k)
{
    uint32_t n = k->n, kept = k->count + WIDTH;

    solve_small(k, kept);
    mix(k, k->basis, kept, k->mixed);
    env_copy(k->env, k->basis, k->mixed, (size_t)kept * n * sizeof(double));
    mix(k, k->products, kept, k->mixed);
    env_copy(k->env, k->products, k->mixed, (size_t)kept * n * sizeof(double));
    for (uint32_t i = 0; i < kept; i++)
        for (uint32_t j = 0; j < kept; j++)
            k->inner[(size_t)i * k->room + j] = i == j ? k->values[i] : 0;
    k->size = kept;
}

/* Returns a power of two near 1 / the largest number of a, 1 if all are 0. */
static double scale_of(Env *env, const double *a, uint32_t n)
{
    double largest = 0;
    int exponent = 0;

    for (uint32_t i = 0; i < n; i++) {
        const double *row = a + (size_t)i * n;

        for (uint32_t j = 0; j < n; j++)
            largest = fabs(row[j]) > largest ? fabs(row[j]) : largest;
        env_poll_every(env, i, 64);
    }
    if (largest > 0)
        frexp(largest, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

static Krylov begin(Env *env, const double *a, uint32_t n, uint32_t count)
{
    Krylov k = {.env = env, .a = a, .n = n, .count = count, .room = room_for(count), .scale = scale_of(env, a, n),
                .random = 1};
    size_t vectors = (size_t)k.room * n, square = (size_t)k.room * (k.room + WIDTH);

    k.basis = env_array_raw(env, vectors, sizeof(double));
    k.products = env_array_raw(env, vectors, sizeof(double));
    k.mixed = env_array_raw(env, vectors, sizeof(double));
    k.block = env_array_raw(env, (size_t)WIDTH * n, sizeof(double));
    k.packed = env_array_raw(env, product_packed(WIDTH, n), sizeof(double));
    k.strip = env_array_raw(env, 256 * WIDTH, sizeof(double));
    k.inner = env_array(env, square, sizeof(double));
    k.small = env_array_raw(env, square, sizeof(double));
    k.pairs = env_array_raw(env, square, sizeof(double));
    return k;
}

LeadingEigen leading_eigen(Env *env, const double *a, uint32_t n, uint32_t count)
{
    Krylov k = begin(env, a, n, count);
    LeadingEigen out = {.least = INFINITY};

    for (uint32_t v = 0; v < WIDTH; v++)
        fill_random(&k, k.block + (size_t)v * n);
    while (!out.converged && out.products < MOST_PRODUCTS) {
        orthogonalize(&k);
        if (k.size + WIDTH > k.room)
            restart(&k);
        append(&k);
        out.products++;
        memcpy(k.block, k.products + (size_t)(k.size - WIDTH) * n, (size_t)WIDTH * n * sizeof(double));
        if (k.size < count)
            continue;
        out.least = fmin(out.least, solve_small(&k, count));
        out.converged = has_converged(&k);
        env->progress(env, "eigenvalues", out.products, 0, k.values[0]);
    }
    out.values = env_array(env, count, sizeof(double));
    out.vectors = env_array_raw(env, (size_t)count * n, sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        out.values[i] = k.values[i] / k.scale;
    out.least /= k.scale;
    env_copy(env, out.vectors, k.mixed, (size_t)count * n * sizeof(double));
    env->release(env, k.basis);
    env->release(env, k.products);
    env->release(env, k.mixed);
    return out;
}
