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

#ifndef KERNEL_WIDEST
#define KERNEL_WIDEST 512
#endif
#define KERNEL_FILE "logistic_tile.h"
#include "instruction_sets.h"

#define POLL_WORK 4e6 /* multiplications between two polls */

void tile_standardise(double *column, double center, double scale)
{
    KERNEL_CALL(standardise, column, center, scale);
}

void tile_scores(const double *const *columns, uint32_t count, const double *theta, double *eta)
{
    KERNEL_CALL(scores, columns, count, theta, eta);
}

double tile_binary(const double *eta, const double *y, const double *w, double *residuals,
                   double *curvatures)
{
    return KERNEL_CALL(binary, eta, y, w, residuals, curvatures);
}

double tile_softmax(double *eta, uint32_t classes, const double *y, const double *w, double *room)
{
    return KERNEL_CALL(softmax, eta, classes, y, w, room, room + DESIGN_TILE);
}

void tile_products(const double *const *columns, uint32_t count, const double *weights, double *sums)
{
    KERNEL_CALL(products, columns, count, weights, sums);
}

void tile_squares(const double *const *columns, uint32_t count, const double *weights, double *squares)
{
    KERNEL_CALL(squares, columns, count, weights, squares);
}

void tile_gram(Env *env, const double *const *columns, uint32_t count, const double *weights,
               double *scratch, double *packed)
{
    double work = 0;

    for (uint32_t first = 0; first < count; first += KERNEL_PADDING) {
        KERNEL_CALL(gram, columns, count, first, weights, scratch, packed);
        work += 4.0 * DESIGN_TILE * (count - first);
        if (work > POLL_WORK) {
            env->poll(env);
            work = 0;
        }
    }
}
