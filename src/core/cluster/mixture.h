/*
 * mixture.h - mixtures of normal distributions: parameters, one pass of expectation-maximization, a fit.
 *
 * Dempster, Laird & Rubin (1977). A pass computes, a tile of rows at a time, the share of each component in
 * each row and the sums from which the next parameters follow; sums are taken about the present means, so
 * that they lose no digits to an offset, and less and less as the iterations settle. Sums of passes over parts of
 * the rows add up.
 */
#ifndef PGFIT_MIXTURE_H
#define PGFIT_MIXTURE_H

#include "core/base/env.h"

typedef enum MixtureForm {
    MIXTURE_FULL,     /* a covariance a component */
    MIXTURE_TIED,     /* one for all */
    MIXTURE_DIAGONAL, /* variances a component and feature */
    MIXTURE_SPHERICAL /* one variance a component */
} MixtureForm;

typedef struct Mixture {
    MixtureForm form;
    uint32_t k, dims;
    double *weights;     /* [k], sum 1 */
    double *means;       /* [k x dims] */
    double *covariances; /* [mixture_matrices x mixture_numbers] */
} Mixture;

/* Rows of covariances: k, or one where all components share theirs. */
static inline uint32_t mixture_matrices(MixtureForm form, uint32_t k)
{
    return form == MIXTURE_TIED ? 1 : k;
}
/* Numbers of one: an upper triangle by columns, variances, or one variance. */
static inline uint32_t mixture_numbers(MixtureForm form, uint32_t dims)
{
    return form == MIXTURE_SPHERICAL ? 1 : form == MIXTURE_DIAGONAL ? dims : dims * (dims + 1) / 2;
}
/* "full", "tied", "diagonal", "spherical" in the order of the enum, NULL at the end. */
extern const char *const mixture_forms[];

Mixture *mixture_new(Env *env, MixtureForm form, uint32_t k, uint32_t dims);
void mixture_copy(Mixture *to, const Mixture *from);
/* Free parameters. */
double mixture_parameters(MixtureForm form, uint32_t k, uint32_t dims);

/* ---- one pass ---- */

#define MIXTURE_TILE 256 /* rows that are worked on together; DESIGN_TILE */

/* What a pass needs of the parameters. */
typedef struct MixturePlan {
    const Mixture *mixture;
    const double *factors;   /* [matrices x ...]: rows of the inverse Cholesky factors, or 1 / standard deviations */
    const double *constants; /* [k] log weight less half of (dims log 2 pi + log determinant) */
    double *shares;    /* [k x MIXTURE_TILE] log densities, then shares times weights */
    double *centered;   /* [dims x MIXTURE_TILE] */
    double *likelihoods; /* [MIXTURE_TILE] */
    double *extra;       /* factors, constants and work space of a plan of its own */
    void *memory;
} MixturePlan;

/* Sums of a pass; additive. */
typedef struct MixtureSums {
    double *weights;  /* [k] of rows times shares */
    double *moments;  /* [k x dims] of rows less the means */
    double *products; /* [matrices x numbers] of the squares of the same; spherical: [k x dims] as diagonal */
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
/* Bytes of a plan and of sums, for env_require_memory. */
size_t mixture_memory(MixtureForm form, uint32_t k, uint32_t dims);

MixtureSums *mixture_sums(Env *env, const Mixture *mixture);
void mixture_sums_clear(MixtureSums *sums, const Mixture *mixture);
/* Numbers of products a component. */
uint32_t mixture_products(MixtureForm form, uint32_t dims);

/*
 * One tile: x [dims x MIXTURE_TILE] by columns, 64-byte aligned; weights [MIXTURE_TILE], 0 behind the last of
 * count rows; both filled up with finite numbers. hard: a row belongs to its nearest component alone, and
 * the sum of log_likelihood means nothing. sums NULL: likelihoods and shares in the plan alone. Polls.
 */
void mixture_tile(Env *env, MixturePlan *plan, const double *x, const double *weights,
                  uint32_t count, bool hard, MixtureSums *sums);

/*
 * The parameters that the sums give, in place; regularization is added to every variance. A component without
 * rows keeps its mean and covariance, at weight 0.
 */
void mixture_update(Mixture *mixture, const MixtureSums *sums, double regularization);

#endif
