/*
 * mixture.h - mixtures of normal distributions: parameters, and one pass of expectation-maximization (Dempster, Laird & Rubin
 * 1977).
 *
 * A pass computes, tile by tile of rows, the share of each component in each row and the sums from which the next parameters
 * follow. Sums are about the current means, so an offset costs no digits, and ever fewer cancel as the iterations converge. Sums
 * of passes over parts of the rows add up.
 */
#ifndef PGFIT_MIXTURE_H
#define PGFIT_MIXTURE_H

#include "core/base/env.h"

typedef enum MixtureForm {
    MIXTURE_FULL,     /* one covariance per component */
    MIXTURE_TIED,     /* one covariance for all */
    MIXTURE_DIAGONAL, /* one variance per component and feature */
    MIXTURE_SPHERICAL /* one variance per component */
} MixtureForm;

typedef struct Mixture {
    MixtureForm form;
    uint32_t k, dims;
    double *weights;     /* [k], sum 1 */
    double *means;       /* [k x dims] */
    double *covariances; /* [mixture_matrices x mixture_numbers] */
} Mixture;

/* Returns the rows of covariances: k, or 1 if all components share one. */
static inline uint32_t mixture_matrices(MixtureForm form, uint32_t k)
{
    return form == MIXTURE_TIED ? 1 : k;
}
/* Returns the numbers of a row: an upper triangle by columns, variances, or one variance. */
static inline uint32_t mixture_numbers(MixtureForm form, uint32_t dims)
{
    return form == MIXTURE_SPHERICAL ? 1 : form == MIXTURE_DIAGONAL ? dims : dims * (dims + 1) / 2;
}
/* "full", "tied", "diagonal", "spherical" in the order of the enum, NULL at the end. */
extern const char *const mixture_forms[];

Mixture *mixture_new(Env *env, MixtureForm form, uint32_t k, uint32_t dims);
/* Copies the parameters; form and sizes must be the same. */
void mixture_copy(Mixture *to, const Mixture *from);
/* Returns the number of free parameters. */
double mixture_parameters(MixtureForm form, uint32_t k, uint32_t dims);

/* ---- one pass ---- */

#define MIXTURE_TILE 256 /* rows of a tile; DESIGN_TILE */

/* What a pass needs: factors and constants from the parameters, and work space. */
typedef struct MixturePlan {
    const Mixture *mixture;
    const double *factors;   /* [matrices x ...]: rows of the inverse Cholesky factors, or 1 / standard deviations */
    const double *constants; /* [k] log weight less half of (dims log 2 pi + log determinant) */
    double *shares;      /* [k x MIXTURE_TILE] log densities, then shares times weights */
    double *centered;    /* [dims x MIXTURE_TILE] */
    double *likelihoods; /* [MIXTURE_TILE] */
    double *extra;       /* factors, constants and work space of a plan of its own */
    void *memory;
} MixturePlan;

/* Sums of a pass. */
typedef struct MixtureSums {
    double *weights;  /* [k] of rows times shares */
    double *moments;  /* [k x dims] of rows less the means */
    double *products; /* [matrices x products] of their products; spherical has the same as diagonal */
    double log_likelihood, weight;
} MixtureSums;

/* Returns a plan for passes with this mixture; mixture_plan_update reads the parameters into it. */
MixturePlan *mixture_plan_new(Env *env, const Mixture *mixture);
/* Returns k, or the first component whose covariance is singular (0 for a tied one). */
uint32_t mixture_plan_update(Env *env, MixturePlan *plan);
/* Does both. Returns NULL if a covariance is singular, with its component in *collapsed. */
MixturePlan *mixture_plan(Env *env, const Mixture *mixture, uint32_t *collapsed);
/* Returns a plan from factors and constants that are known and live as long as the plan. */
MixturePlan *mixture_plan_of(Env *env, const Mixture *mixture, const double *factors, const double *constants);
void mixture_plan_free(Env *env, MixturePlan *plan);
/* Returns the bytes of a fit: a plan, sums and three sets of parameters. */
size_t mixture_memory(MixtureForm form, uint32_t k, uint32_t dims);

MixtureSums *mixture_sums(Env *env, const Mixture *mixture);
void mixture_sums_clear(MixtureSums *sums, const Mixture *mixture);
/* Returns the number of products per component (tied: of all). */
uint32_t mixture_products(MixtureForm form, uint32_t dims);

/*
 * Adds one tile to the sums. x [dims x MIXTURE_TILE] by columns, 64-byte aligned; weights [MIXTURE_TILE], 0 from row `count` on; both
 * are padded with finite numbers. hard: a row belongs only to its nearest component, and log_likelihood is not summed. sums NULL:
 * only sets likelihoods and shares in the plan. Polls.
 */
void mixture_tile(Env *env, MixturePlan *plan, const double *x, const double *weights,
                  uint32_t count, bool hard, MixtureSums *sums);

/*
 * Updates the parameters by the sums, which it overwrites, and adds regularization to every variance. A component without rows
 * gets weight 0 and keeps its mean and covariance.
 */
void mixture_update(Mixture *mixture, const MixtureSums *sums, double regularization);

#endif
