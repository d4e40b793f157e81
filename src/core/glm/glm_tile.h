/*
 * glm_tile.h - what a pass of a generalized linear model computes row by row, several rows at once: exponentials, deviances, and the terms of the
 * sums. Only for fits. One at a time, by the functions of libm, they were a third of the instructions of poisson_regression and gamma_regression of 10
 * features.
 *
 * Arrays have [count] numbers at any address.
 */
#ifndef PGFIT_GLM_TILE_H
#define PGFIT_GLM_TILE_H

#include "core/rows/row_tile.h"

/* Sets means to the exponentials of scores. */
void glm_exponentials(const double *score, uint32_t count, double *mean);
/* Sets logs to the logarithms of numbers of at least 0; any number for 0. */
void glm_logs(const double *number, uint32_t count, double *logs);
/*
 * Sets ratios to log(target / mean), with the digits of target - mean where that is small beside the mean; any number for a target of 0. Returns
 * false if the quotient of a row is too small or too large for its logarithm.
 */
bool glm_log_ratios(const double *target, const double *mean, uint32_t count, double *ratio);

/* The terms of a tile's sums. */
typedef struct GlmTerms {
    const double *target, *weight, *mean, *slope, *variance;
    double *deviance, *pearson;    /* deviance: per unit of weight before */
    double *gradient, *curvature;
    double least, most;            /* of the means */
} GlmTerms;
/* Sets the terms of rows, at most DESIGN_TILE. least and most pass over means that are no numbers. */
void glm_terms(GlmTerms *terms, uint32_t count);

#endif
