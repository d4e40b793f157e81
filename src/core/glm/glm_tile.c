/*
 * glm_tile.c - exponentials, logarithms and terms of the rows of a tile.
 */
#include "core/glm/glm_tile.h"

#include <float.h>
#include <math.h>

#include "core/base/fused_sums.h"

#include "core/math/exp_log1p.h"

#define EXTREMES 8 /* means compared at once */

/* Tells whether the quotient of a target that is not 0 is out of the range of log_core. */
static inline __attribute__((always_inline)) uint64_t is_odd(double target, double quotient)
{
    return (uint64_t)!(quotient <= DBL_MAX) | ((uint64_t)!(quotient >= DBL_MIN) & (uint64_t)(target != 0));
}

#define SIMD_FILE "core/glm/glm_tile_simd.h"
#include "core/base/cpu_dispatch.h"

void glm_exponentials(const double *score, uint32_t count, double *mean)
{
    SIMD_CALL(exponentials, score, count, mean);
}

void glm_logs(const double *number, uint32_t count, double *logs)
{
    if (SIMD_CALL(logarithms, number, count, logs) == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        logs[i] = log(number[i]);
}

bool glm_poisson_rows(const double *target, const double *mean, uint32_t count, double met, double *variance, double *deviance)
{
    return SIMD_CALL(poisson_rows, target, mean, count, met, variance, deviance) == 0;
}

bool glm_gamma_rows(const double *target, const double *mean, uint32_t count, double *variance, double *deviance)
{
    return SIMD_CALL(gamma_rows, target, mean, count, variance, deviance) == 0;
}

bool glm_zero_terms(const double *target, const double *weight, const double *slope, const double *zero, uint32_t count, double *observed, double *expected,
                    double *variance, double *gradient)
{
    return SIMD_CALL(zero_terms, target, weight, slope, zero, count, observed, expected, variance, gradient) == 0;
}

void glm_terms(GlmTerms *terms, uint32_t count)
{
    double least[EXTREMES], most[EXTREMES];

    for (uint32_t k = 0; k < EXTREMES; k++) {
        least[k] = INFINITY;
        most[k] = -INFINITY;
    }
    SIMD_CALL(terms, terms, count, least, most);
    terms->least = terms->most = NAN;
    for (uint32_t k = 0; k < EXTREMES; k++) {
        terms->least = fmin(terms->least, least[k]);
        terms->most = fmax(terms->most, most[k]);
    }
}
