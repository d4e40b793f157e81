/*
 * mixture.h - mixtures of normal distributions: parameters, and one pass of expectation-maximization (Dempster, Laird & Rubin
 * 1977).
 *
 * A pass takes the rows tile by tile. It computes the share of each component in each row, and the sums from which the next
 * parameters follow. Sums are about the current means, so an offset costs no digits, and fewer digits cancel as the iterations
 * converge. Sums of passes over parts of the rows can be added.
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

/* Returns the number of rows of `covariances`: k, or 1 if all components share one. */
static inline uint32_t mixture_matrices(MixtureForm form, uint32_t k)
{
    return form == MIXTURE_TIED ? 1 : k;
}
/* Returns the numbers per row of `covariances`: an upper triangle by columns, variances, or one variance. */
static inline uint32_t mixture_numbers(MixtureForm form, uint32_t dims)
{
    return form == MIXTURE_SPHERICAL ? 1 : form == MIXTURE_DIAGONAL ? dims : dims * (dims + 1) / 2;
}
/* "full", "tied", "diagonal", "spherical" in the order of the enum; NULL-terminated. */
extern const char *const mixture_forms[];

/* Returns a mixture whose parameters are all 0. */
Mixture *mixture_new(Env *env, MixtureForm form, uint32_t k, uint32_t dims);
/* Copies the parameters; form and sizes must be the same. */
void mixture_copy(Mixture *to, const Mixture *from);
/* Returns the number of free parameters. */
double mixture_parameters(MixtureForm form, uint32_t k, uint32_t dims);

/* ---- one pass ---- */

#define MIXTURE_TILE 256 /* rows of a tile; DESIGN_TILE */

/* What a pass needs: factors and constants, which follow from the parameters, and work space. */
typedef struct MixturePlan {
    const Mixture *mixture;
    const double *factors;   /* [matrices x numbers]: inverse Cholesky factors by rows, or 1 / standard deviations */
    const double *constants; /* [k] log weight less half of (dims log 2 pi + log determinant) */
    double *shares;      /* [k x MIXTURE_TILE] log densities, then shares times weights of the rows */
    double *centered;    /* [dims x MIXTURE_TILE] rows less a mean */
    double *likelihoods; /* [MIXTURE_TILE] log densities of the rows */
    double *extra;       /* factors, constants and work space, if the plan computes them itself */
    void *memory;        /* the block that holds all of these */
} MixturePlan;

/* Sums of a pass, each term times the share of the component and the weight of the row. */
typedef struct MixtureSums {
    double *weights;  /* [k] of 1 */
    double *moments;  /* [k x dims] of rows less the mean */
    double *products; /* [matrices x mixture_products] of products of these differences */
    double log_likelihood, weight; /* of all rows */
} MixtureSums;

/* Returns a plan for passes with this mixture, which mixture_plan_update completes. */
MixturePlan *mixture_plan_new(Env *env, const Mixture *mixture);
/*
 * Computes factors and constants from the parameters. Returns k, or the first component whose covariance is singular (0 if tied).
 */
uint32_t mixture_plan_update(Env *env, MixturePlan *plan);
/* Returns a complete plan; NULL if a covariance is singular, with its component in *collapsed. */
MixturePlan *mixture_plan(Env *env, const Mixture *mixture, uint32_t *collapsed);
/* Returns a plan with given factors and constants, which must live as long as the plan. */
MixturePlan *mixture_plan_of(Env *env, const Mixture *mixture, const double *factors, const double *constants);
void mixture_plan_free(Env *env, MixturePlan *plan);
/* Returns the bytes that a fit takes: a plan, sums of a block and of all rows, and three sets of parameters. */
size_t mixture_memory(MixtureForm form, uint32_t k, uint32_t dims);

/* Returns sums that are all 0. */
MixtureSums *mixture_sums(Env *env, const Mixture *mixture);
void mixture_sums_clear(MixtureSums *sums, const Mixture *mixture);
/* Returns the number of products per matrix: those of an upper triangle, or the squares if diagonal or spherical. */
uint32_t mixture_products(MixtureForm form, uint32_t dims);

/*
 * Adds one tile of `count` rows to the sums. x: [dims x MIXTURE_TILE] by columns, 64-byte aligned; weights: [MIXTURE_TILE], 0 from
 * row `count` on; both are padded with finite numbers. hard: assigns each row to its nearest component alone, and does not sum
 * log_likelihood. sums: NULL to set only likelihoods and shares in the plan. Polls.
 */
void mixture_tile(Env *env, MixturePlan *plan, const double *x, const double *weights,
                  uint32_t count, bool hard, MixtureSums *sums);

/*
 * Updates the parameters from the sums, which it overwrites, and adds regularization to every variance. A component without rows
 * gets weight 0 and keeps its mean and covariance.
 */
void mixture_update(Mixture *mixture, const MixtureSums *sums, double regularization);

#endif
