/*
 * kernel_ridge_candidates.h - the lambdas and gammas that kernel ridge regression chooses from.
 */
#ifndef PGFIT_KERNEL_RIDGE_CANDIDATES_H
#define PGFIT_KERNEL_RIDGE_CANDIDATES_H

#include "core/kernel/kernel.h"

typedef struct RidgeCandidates {
    double *lambdas, *gammas; /* falling; gammas NULL: that of the kernel */
    uint32_t lambda_count, gamma_count;
    double *errors; /* [gamma_count x lambda_count] */
} RidgeCandidates;

/* Tell whether an option is not one number, or a word. */
bool option_is_several(const Options *options, const char *name);
bool option_is_word(const Options *options, const char *name);

/* Returns the kernel of the options; where gamma is a list or a word, with gamma 0, to be replaced. Fails if the kernel has no gamma. */
Kernel ridge_kernel(Env *env, const Options *options);
/* Returns the gammas to choose from. kernel: with its gamma; becomes the first candidate. */
RidgeCandidates ridge_gammas(Env *env, const Options *options, Kernel *kernel);
/* Adds the lambdas to choose from. diagonal: mean of k(x, x), which a grid is relative to. */
void ridge_lambdas(Env *env, const Options *options, double diagonal, RidgeCandidates *out);
/* Warns where lambda or gamma is chosen from a grid and is its first or last number, so that a better one may lie beyond. */
void ridge_warn_of_ends(Env *env, const Options *options, const RidgeCandidates *candidates, double lambda, double gamma);
/* Adds every candidate with its error: path_lambda, path_error, path_gamma. */
void ridge_candidates_add(Env *env, const RidgeCandidates *candidates, ModelBuilder *builder);

#endif
