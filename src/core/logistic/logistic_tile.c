/*
 * logistic_tile.c - the scores, probabilities, gradient and curvature of one tile.
 */
#include "core/logistic/logistic_tile.h"
#include "core/linalg/qr_factor.h"

#include <string.h>

#include "core/base/fused_sums.h"

#include "core/math/exp_log1p.h"

#define SIMD_FILE "core/logistic/logistic_tile_simd.h"
#include "core/base/cpu_dispatch.h"

double tile_binary(const double *eta, const double *y, const double *w, double *residuals,
                   double *curvatures)
{
    double losses[DESIGN_TILE] __attribute__((aligned(64)));

    SIMD_CALL(binary, eta, y, w, DESIGN_TILE, residuals, curvatures, losses);
    return SIMD_CALL(sum, losses);
}

double tile_softmax(double *eta, uint32_t classes, const double *y, const double *w, double *room)
{
    double losses[DESIGN_TILE] __attribute__((aligned(64)));

    SIMD_CALL(softmax, eta, classes, y, w, DESIGN_TILE, room, room + DESIGN_TILE, losses);
    return SIMD_CALL(sum, losses);
}

/* Adds losses row by row: a vectorized sum would depend on where the rows of a call begin. */
static double add_losses(const double *losses, uint32_t count, double sum)
{
    for (uint32_t i = 0; i < count; i++)
        sum += losses[i];
    return sum;
}

/* Fills up to the next multiple of LINES_MULTIPLE with rows of weight 0; returns that multiple. */
static uint32_t fill_up(uint32_t count, double *y, double *w)
{
    for (; count % LINES_MULTIPLE != 0; count++)
        y[count] = w[count] = 0;
    return count;
}

double lines_binary(double *eta, double *y, double *w, uint32_t count, double *residuals, double *room, double sum)
{
    double losses[DESIGN_TILE] __attribute__((aligned(64)));
    uint32_t filled = fill_up(count, y, w);

    for (uint32_t i = count; i < filled; i++)
        eta[i] = 0;
    SIMD_CALL(binary, eta, y, w, filled, residuals, room, losses);
    return add_losses(losses, count, sum);
}

double lines_softmax(double *eta, uint32_t classes, double *y, double *w, uint32_t count, double *room, double sum)
{
    double losses[DESIGN_TILE] __attribute__((aligned(64)));
    uint32_t filled = fill_up(count, y, w);

    for (uint32_t c = 0; c < classes; c++)
        for (uint32_t i = count; i < filled; i++)
            eta[(size_t)c * DESIGN_TILE + i] = 0;
    SIMD_CALL(softmax, eta, classes, y, w, filled, room, room + DESIGN_TILE, losses);
    return add_losses(losses, count, sum);
}

void lines_residuals(double *p, uint32_t class, const double *y, const double *w, uint32_t count)
{
    SIMD_CALL(residuals, p, class, y, w, count);
}

/* As tile_derivatives; eta holds the scores. */
static double softmax_derivatives(Env *env, const TileModel *tile, double *gradient, double *blocks)
{
    uint32_t fixed = tile->classes - tile->equations;
    double loss = tile_softmax(tile->eta, tile->classes, tile->y, tile->w, tile->room);

    for (uint32_t e = 0; e < tile->equations; e++) {
        const double *p = tile->eta + (size_t)(e + fixed) * DESIGN_TILE;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            tile->room[i] = tile->w[i] * (p[i] - (tile->y[i] == e + fixed));
        tile_products(tile->columns, tile->count, tile->room, gradient + (size_t)e * tile->count);
    }
    for (uint32_t e = 0; e < tile->equations; e++)
        for (uint32_t f = e; f < tile->equations; f++, blocks += factor_packed(tile->count)) {
            const double *p = tile->eta + (size_t)(e + fixed) * DESIGN_TILE;
            const double *q = tile->eta + (size_t)(f + fixed) * DESIGN_TILE;

            for (uint32_t i = 0; i < DESIGN_TILE; i++)
                tile->room[i] = tile->w[i] * p[i] * ((e == f) - q[i]);
            tile_gram(env, tile->columns, tile->count, tile->room, tile->scratch, blocks);
        }
    return loss;
}

double tile_derivatives(Env *env, const TileModel *tile, const double *theta, double *gradient, double *blocks)
{
    uint32_t fixed = tile->classes - tile->equations;
    double loss, *curvatures = tile->room + DESIGN_TILE;

    if (fixed) /* the first class has score 0 */
        memset(tile->eta, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t e = 0; e < tile->equations; e++)
        tile_scores(tile->columns, tile->count, theta + (size_t)e * tile->count,
                    tile->eta + (size_t)(e + fixed) * DESIGN_TILE);
    if (tile->classes > 1)
        return softmax_derivatives(env, tile, gradient, blocks);
    loss = tile_binary(tile->eta, tile->y, tile->w, tile->room, curvatures);
    tile_products(tile->columns, tile->count, tile->room, gradient);
    tile_gram(env, tile->columns, tile->count, curvatures, tile->scratch, blocks);
    return loss;
}
