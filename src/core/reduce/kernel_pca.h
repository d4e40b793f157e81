/*
 * kernel_pca.h - models of kernel_pca: fits with an approximation, arrays, preimages and reports. kernel_pca.c describes them.
 */
#ifndef PGFIT_KERNEL_PCA_H
#define PGFIT_KERNEL_PCA_H

#include "core/estimator/estimator.h"
#include "core/kernel_methods/feature_map.h"
#include "core/kernel_methods/kernel_model.h"

/* What a fit found: components by descending variance. */
typedef struct KernelComponents {
    uint32_t count;
    double *values;      /* [count] eigenvalues of the centered Gram matrix */
    double *multipliers; /* [count x rows] */
    double *intercepts;  /* [count]; NULL: not centered */
} KernelComponents;

/* Returns the bytes that preimages need besides sample and components. */
size_t preimages_memory(uint64_t rows, uint32_t components, uint32_t terms);
/*
 * Learns the way back from scores to rows, by kernel ridge regression with an rbf kernel on the scores (Bakir, Weston & Schoelkopf
 * 2004), and adds it to the model. Needs room for another Gram matrix. lambda: its penalty.
 */
void preimages_add(const KernelSample *sample, const KernelComponents *components, double lambda, ModelBuilder *builder);
extern const ArraySpec preimage_arrays[4];
/* Scoring.inverse and inverse_width; the width is 0 for a model without preimages. */
void preimages_inverse(const Model *model, const double *scores, double *out);
uint32_t preimages_width(const Model *model);

/* Scoring.distance and has_distance: NaN for new rows of a precomputed kernel, which come without k(x, x). */
double kernel_pca_distance(const Model *model, const void *prepared, const double *slots);
bool kernel_pca_has_distance(const Model *model);
extern const ArraySpec kernel_pca_mean_arrays[2];

/* Returns the facts with the variance explained by each component and its shares. */
Model *kernel_pca_statistics(Env *env, const Model *model);
char *kernel_pca_summary(Env *env, const Model *model);
extern const Table *const kernel_pca_tables[];

/* The Estimator.fit for options with an approximation: principal components of mapped rows. wanted: option k; 0: not given. */
Model *mapped_pca(Env *env, const FitInput *input, const Options *options, Approximation approximation, const Kernel *kernel,
                  uint32_t wanted, ModelBuilder *builder);

#endif
