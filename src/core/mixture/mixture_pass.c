/*
 * mixture_pass.c - one pass of expectation-maximization over a tile of rows.
 */
#include "core/mixture/mixture.h"
#include "core/math/exp_log1p.h"

#include <math.h>

#include "core/base/fused_sums.h"

#define TINY_SHARE 1e-300 /* smaller shares become 0 */

#define SIMD_FILE "core/mixture/mixture_simd.h"
#include "core/base/cpu_dispatch.h"

#define POLL_WORK 4e6 /* multiplications between two polls */

/* Assigns the whole weight of each row to the component with the largest density, the first of equal ones. */
static void share_hard(double *shares, uint32_t k, uint32_t count, const double *weights)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t best = 0;
        for (uint32_t j = 1; j < k; j++)
            if (shares[(size_t)j * MIXTURE_TILE + i] > shares[(size_t)best * MIXTURE_TILE + i])
                best = j;
        for (uint32_t j = 0; j < k; j++)
            shares[(size_t)j * MIXTURE_TILE + i] = j == best ? weights[i] : 0;
    }
}

/* Writes the log weighted densities of the rows under component j to plan->shares. */
static void component_densities(MixturePlan *plan, const double *x, uint32_t j, uint32_t length)
{
    const Mixture *mixture = plan->mixture;
    uint32_t dims = mixture->dims;
    const double *factor = plan->factors +
                           (mixture->form == MIXTURE_TIED ? 0 : (size_t)j * mixture_numbers(mixture->form, dims));
    double *out = plan->shares + (size_t)j * MIXTURE_TILE;

    SIMD_CALL(center, x, mixture->means + (size_t)j * dims, dims, length, plan->centered);
    if (mixture->form <= MIXTURE_TIED)
        SIMD_CALL(quadratic, plan->centered, factor, plan->constants[j], dims, length, out);
    else
        SIMD_CALL(diagonal, plan->centered, factor, mixture->form == MIXTURE_DIAGONAL, plan->constants[j], dims, length,
             out);
}

/* Adds the sums of component j over the rows of the tile. */
static void component_sums(MixturePlan *plan, const double *x, uint32_t j, uint32_t length,
                           MixtureSums *sums)
{
    const Mixture *mixture = plan->mixture;
    uint32_t dims = mixture->dims;
    const double *shares = plan->shares + (size_t)j * MIXTURE_TILE;
    double *moments = sums->moments + (size_t)j * dims, total = SIMD_CALL(total, shares, length);
    double *products = sums->products + (mixture->form == MIXTURE_TIED
                                             ? 0
                                             : (size_t)j * mixture_products(mixture->form, dims));

    if (total == 0)
        return;
    sums->weights[j] += total;
    SIMD_CALL(center, x, mixture->means + (size_t)j * dims, dims, length, plan->centered);
    if (mixture->form <= MIXTURE_TIED)
        SIMD_CALL(accumulate, plan->centered, shares, dims, length, moments, products);
    else
        SIMD_CALL(accumulate_squares, plan->centered, shares, dims, length, moments, products);
}

void mixture_tile(Env *env, MixturePlan *plan, const double *x, const double *weights, uint32_t count,
                  bool hard, MixtureSums *sums)
{
    const Mixture *mixture = plan->mixture;
    uint32_t length = (count + 31) & ~31u;
    uint64_t work = 0, each = MIXTURE_TILE * (uint64_t)mixture_numbers(mixture->form, mixture->dims);

    for (uint32_t j = 0; j < mixture->k; j++) {
        component_densities(plan, x, j, length);
        env_poll_after(env, &work, each, POLL_WORK);
    }
    if (hard)
        share_hard(plan->shares, mixture->k, length, weights);
    else
        SIMD_CALL(share, plan->shares, mixture->k, length, weights, plan->likelihoods);
    if (sums == NULL)
        return;
    for (uint32_t j = 0; j < mixture->k; j++) {
        component_sums(plan, x, j, length, sums);
        env_poll_after(env, &work, each, POLL_WORK);
    }
    for (uint32_t i = 0; i < count; i++) {
        sums->weight += weights[i];
        if (!hard)
            sums->log_likelihood += weights[i] * plan->likelihoods[i];
    }
}
