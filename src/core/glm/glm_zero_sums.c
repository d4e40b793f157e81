/*
 * glm_zero_sums.c - the sums for the test of zeros, tile by tile.
 */
#include "core/glm/glm_zero_sums.h"

#include "core/glm/glm_tile.h"

#include <math.h>
#include <string.h>

void glm_zeros_add(const GlmProblem *problem, const double *const *columns, uint32_t count, const GlmTile *tile, GlmZeroSums *sums, double *slope)
{
    double theta = strcmp(problem->family->name, "poisson") == 0 ? NAN : problem->parameter, ratios[DESIGN_TILE], powers[DESIGN_TILE], zeros[DESIGN_TILE];
    double observed[DESIGN_TILE] = {0}, expected[DESIGN_TILE] = {0}, variance[DESIGN_TILE] = {0};
    bool whole;

    memset(tile->gradient, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t i = 0; i < tile->count; i++) {
        ratios[i] = isnan(theta) ? tile->mean[i] : log1p(tile->mean[i] / theta);
        powers[i] = isnan(theta) ? -ratios[i] : -theta * ratios[i];
    }
    glm_exponentials(powers, tile->count, zeros);
    whole = glm_zero_terms(tile->targets, tile->weights, tile->slope, zeros, tile->count, observed, expected, variance, tile->gradient);
    sums->observed += whole ? tile_sum(observed) : NAN; /* other targets are no counts, of which the family has no probability of 0 */
    sums->expected += whole ? tile_sum(expected) : NAN;
    sums->variance += tile_sum(variance);
    for (uint32_t i = 0; !isnan(theta) && i < tile->count; i++) {
        double m = tile->mean[i], all = theta + m;

        sums->theta += expected[i] * (m / all - ratios[i]);
        tile->gradient[i] *= theta / all;
    }
    tile_products(columns, count, tile->gradient, slope);
}
