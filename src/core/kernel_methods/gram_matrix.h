/*
 * gram_matrix.h - the kernel values of all training rows with each other, for methods that factor the whole matrix.
 */
#ifndef PGFIT_GRAM_MATRIX_H
#define PGFIT_GRAM_MATRIX_H

#include "core/kernel_methods/kernel_sample.h"

/*
 * Compares `copies` matrices of count x count doubles, and `others` bytes, with the budget. Fails with ERROR_LIMIT, naming both
 * and, as the way out, option approximation.
 */
void gram_require_memory(Env *env, uint64_t count, unsigned copies, size_t others, const char *method);
/*
 * Returns the matrix of the sample's points under a kernel, [count x count], both triangles filled. Fails with ERROR_RANGE if a
 * value is not finite. Polls.
 */
double *gram_matrix(const KernelSample *sample, const Kernel *kernel);

/*
 * Centers the matrix in feature space, with weights [count] (NULL: 1): the weighted mean of the rows becomes 0. Writes the
 * weighted mean of each row of the matrix as it was to means [count], and returns the mean of those.
 */
double gram_center(Env *env, double *gram, uint32_t n, const double *weights, double *means);
/* Multiplies element (i, j) by the square roots of weights i and j. */
void gram_weigh(Env *env, double *gram, uint32_t n, const double *roots);

#endif
