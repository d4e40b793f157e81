/*
 * glm_family.h - the distributions of generalized linear models: one table, from which fits, statistics and messages come.
 *
 * The variance of a target is dispersion V(mean) / weight. Formulas and starts are those of McCullagh & Nelder (1989), as R has them, so that
 * deviance, AIC and standard errors agree.
 */
#ifndef PGFIT_GLM_FAMILY_H
#define PGFIT_GLM_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

/* What a likelihood is made of, besides the means. */
typedef struct GlmSums {
    double rows, weight; /* as counted, and the sum of weights */
    double constant;     /* sum of GlmFamily.constant */
    double deviance;
} GlmSums;

typedef struct GlmFamily {
    const char *name, *link; /* the canonical link or, where another one is usual, that one */
    bool fixed;              /* the dispersion is 1, and tests are by the normal distribution */
    bool counts;             /* a mean of nearly 0 means coefficients without bound */
    double lowest, highest;  /* targets are between them; means too, without the ends */
    bool above;              /* targets are above the lowest */
    const char *targets;     /* the same in words */
    /* Returns a mean to start from. */
    double (*start)(double target, double weight);
    /* Writes V and twice the log-likelihood that the mean lacks, of weight 1. parameter: of the family; NaN: it has none. */
    void (*tile)(const double *target, const double *mean, uint32_t count, double parameter, double *variance, double *deviance);
    /*
     * Returns the elasticity of V less 1, from 0 to 1: under the log link it multiplies the share by which a target is above its mean, in the curvature of the
     * likelihood relative to its expectation. NULL: it is 0, or that curvature may be negative.
     */
    double (*elasticity)(double mean, double parameter);
    /* Returns what a row adds to GlmSums.constant; NaN: its target has no likelihood. log_target: any number for 0. frequency: the weight counts rows. */
    double (*constant)(double target, double log_target, double weight, bool frequency);
    /* Returns the log-likelihood. NULL: there is none, or it depends on the parameter (glm_theta.h). */
    double (*likelihood)(const GlmSums *sums);
} GlmFamily;

#define GLM_FAMILIES 9
extern const GlmFamily glm_families[GLM_FAMILIES];
/* Their names, NULL-terminated, for an option. */
extern const char *const glm_family_names[];
const GlmFamily *glm_family_find(const char *name);
/* Tells whether a family has such a target. */
bool glm_family_has(const GlmFamily *family, double target);

#endif
