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
 * Set the variances and deviances of family poisson and gamma, with the digits of target - mean where that is small beside the mean, and 0 for counts
 * below the share `met` of the mean. Return false if the quotient of a row is too small or too large for its logarithm.
 */
bool glm_poisson_rows(const double *target, const double *mean, uint32_t count, double met, double *variance, double *deviance);
bool glm_gamma_rows(const double *target, const double *mean, uint32_t count, double *variance, double *deviance);
/* Sets the terms of the sums of zeros, from the probability of 0 of each row; the gradient is that of family poisson. Returns false if a target is not whole. */
bool glm_zero_terms(const double *target, const double *weight, const double *slope, const double *zero, uint32_t count, double *observed, double *expected,
                    double *variance, double *gradient);

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
