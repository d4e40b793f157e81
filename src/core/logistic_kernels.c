/*
 * logistic_kernels.c - one tile's scores, probabilities, gradient and curvature.
 */
#include "logistic_kernels.h"

#include <math.h>
#include <string.h>

/* Kernels of fits may contract: results are reproducible on one machine, not to the last bit across. */
#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast,no-trapping-math,no-math-errno")
#endif

#include "exponential.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define KERNEL_DISPATCH 1

#define LANES 8
#define KERNEL(name) name##_avx512
#define KERNEL_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#include "logistic_tile.h"
#undef LANES
#undef KERNEL
#undef KERNEL_TARGET

#define LANES 4
#define KERNEL(name) name##_avx2
#define KERNEL_TARGET __attribute__((target("avx2,fma")))
#include "logistic_tile.h"
#undef LANES
#undef KERNEL
#undef KERNEL_TARGET
#endif

#define LANES 2
#define KERNEL(name) name##_base
#define KERNEL_TARGET
#include "logistic_tile.h"
#undef LANES
#undef KERNEL
#undef KERNEL_TARGET

/* The widest vectors, in bits, that may be used: tests force narrower kernels by it. */
#ifndef LOGISTIC_WIDEST
#define LOGISTIC_WIDEST 512
#endif

#ifdef KERNEL_DISPATCH
#define CALL(name, ...)                                                                            \
    (LOGISTIC_WIDEST >= 512 && __builtin_cpu_supports("avx512f") &&                                \
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")              \
         ? name##_avx512(__VA_ARGS__)                                                              \
     : LOGISTIC_WIDEST >= 256 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")   \
         ? name##_avx2(__VA_ARGS__)                                                                \
         : name##_base(__VA_ARGS__))
#else
#define CALL(name, ...) name##_base(__VA_ARGS__)
#endif

#define POLL_WORK 4e6 /* multiplications between two polls */

void tile_standardise(double *column, double center, double scale)
{
    CALL(standardise, column, center, scale);
}

void tile_scores(const double *const *columns, uint32_t count, const double *theta, double *eta)
{
    CALL(scores, columns, count, theta, eta);
}

double tile_binary(const double *eta, const double *y, const double *w, double *residuals,
                   double *curvatures)
{
    return CALL(binary, eta, y, w, residuals, curvatures);
}

double tile_softmax(double *eta, uint32_t classes, const double *y, const double *w, double *room)
{
    return CALL(softmax, eta, classes, y, w, room, room + DESIGN_TILE);
}

void tile_products(const double *const *columns, uint32_t count, const double *weights, double *sums)
{
    CALL(products, columns, count, weights, sums);
}

void tile_squares(const double *const *columns, uint32_t count, const double *weights, double *squares)
{
    CALL(squares, columns, count, weights, squares);
}

void tile_gram(Env *env, const double *const *columns, uint32_t count, const double *weights,
               double *scratch, double *packed)
{
    double work = 0;

    for (uint32_t first = 0; first < count; first += KERNEL_PADDING) {
        CALL(gram, columns, count, first, weights, scratch, packed);
        work += 4.0 * DESIGN_TILE * (count - first);
        if (work > POLL_WORK) {
            env->poll(env);
            work = 0;
        }
    }
}
