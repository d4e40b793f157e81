/*
 * kernel.h - kernels k(a, b) between two vectors of numbers: linear, polynomial, rbf, sigmoid.
 *
 *   linear      a.b
 *   polynomial  (gamma a.b + coef0)^degree
 *   rbf         exp(-gamma |a - b|^2) = exp(-|a - b|^2 / (2 sigma^2))
 *   sigmoid     tanh(gamma a.b + coef0): not positive semi-definite in general
 *
 * Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis. Values between single
 * vectors use no BLAS and one order of summation on every machine; exp and tanh are the C
 * library's.
 */
#ifndef PGFIT_KERNEL_H
#define PGFIT_KERNEL_H

#include "core/base/env.h"
#include "core/model/model.h"
#include "core/model/options.h"

typedef enum KernelKind {
    KERNEL_LINEAR = 1,
    KERNEL_POLYNOMIAL = 2,
    KERNEL_RBF = 3,
    KERNEL_SIGMOID = 4
} KernelKind;

typedef struct Kernel {
    KernelKind kind;
    double gamma; /* > 0; 0: an rbf whose gamma follows from the rows (kernel_scale) */
    double coef0;
    uint32_t degree; /* 1 .. KERNEL_MAX_DEGREE */
} Kernel;

#define KERNEL_MAX_DEGREE 100

/* The options kernel, gamma, sigma, degree and coef0, as a table for OPTION_TABLES. */
extern const OptionSpec options_kernel[];

/* Returns the kernel of this name, 0 if there is none. */
KernelKind kernel_find(const char *name);
const char *kernel_name(KernelKind kind);

/*
 * Returns the kernel that the options describe; given: its name if an argument has it, else NULL. gamma is 0 for an rbf
 * without gamma and sigma. Fails with ERROR_PARAMETER if gamma and sigma are both given, or an option does not apply to
 * the kernel.
 */
Kernel kernel_of_options(Env *env, const Options *options, const char *given);
/*
 * Sets the gamma of an rbf that was given none: 1 / (slots x variance), where variance is that of all numbers of the
 * training rows (count x slots) together; 1 / slots if they are all equal.
 */
void kernel_scale(Kernel *kernel, const double *rows, uint64_t count, uint32_t slots);

/* Returns whether the kernel is positive semi-definite: all but sigmoid, and polynomial with coef0 < 0. */
bool kernel_is_definite(const Kernel *kernel);

/* Returns k(a, b) of vectors of count numbers; finite unless it overflows. */
double kernel_value(const Kernel *kernel, const double *a, const double *b, uint32_t count);
/* Returns k from a.b (rbf: from |a - b|^2). */
double kernel_of_product(const Kernel *kernel, double product);
/* Returns |phi(a) - phi(b)| = sqrt(k(a,a) - 2 k(a,b) + k(b,b)), 0 if rounding made it negative. */
double kernel_distance(const Kernel *kernel, const double *a, const double *b, uint32_t count);
/* Returns the cosine k(a,b) / sqrt(k(a,a) k(b,b)), -1 to 1. Fails with ERROR_DATA unless k(a,a) and k(b,b) are above 0. */
double kernel_cosine(Env *env, const Kernel *kernel, const double *a, const double *b, uint32_t count);

/* Writes out[i] = k(query, row i) for rows [count x slots], with the bits of kernel_value. */
void kernel_rows(const Kernel *kernel, const double *query, const double *rows, uint32_t count,
                 uint32_t slots, double *out);
/*
 * Writes out[i x count_b + j] = k(a_i, b_j) through a product of matrices, for fits. Polls. Needs a few hundred kB.
 */
void kernel_matrix(Env *env, const Kernel *kernel, const double *a, uint32_t count_a,
                   const double *b, uint32_t count_b, uint32_t slots, double *out);

/*
 * Centers a Gram matrix [n x n] in place: subtracts row means and column means and adds the mean of all. The result is the
 * Gram matrix of the rows minus their mean in feature space. The matrix need not be symmetric.
 */
void kernel_center(Env *env, double *gram, uint32_t n);

/* A model stores "kernel" F64[4]: kind, gamma, coef0, degree. kernel_read returns NULL, or what is wrong, for check(). */
void kernel_write(Env *env, const Kernel *kernel, ModelBuilder *builder);
const char *kernel_read(const Model *model, Kernel *kernel);

#endif
