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
    double gamma; /* > 0; 0: rbf whose gamma is the rows' to tell (kernel_scale) */
    double coef0;
    uint32_t degree; /* 1 .. KERNEL_MAX_DEGREE */
} Kernel;

#define KERNEL_MAX_DEGREE 100

/* The options kernel, gamma, sigma, degree and coef0, as a table for OPTION_TABLES. */
extern const OptionSpec options_kernel[];

/* KERNEL_RBF ...; 0 where unknown. */
KernelKind kernel_find(const char *name);
const char *kernel_name(KernelKind kind);

/*
 * From options with KERNEL_OPTIONS; given: the kernel where an argument names it, else NULL.
 * Fails with ERROR_PARAMETER where gamma and sigma are both given, or an option is of no use to the
 * kernel. gamma is 0 for rbf without gamma and sigma.
 */
Kernel kernel_of_options(Env *env, const Options *options, const char *given);
/*
 * gamma of an rbf that was given none: 1 / (slots x variance), variance being that of all the
 * numbers of the training rows (count x slots) together; 1 / slots where they are all equal.
 */
void kernel_scale(Kernel *kernel, const double *rows, uint64_t count, uint32_t slots);

/* Is k(x, x) the same for all x (rbf)? Is it positive semi-definite (all but sigmoid, and
 * polynomial with coef0 < 0)? */
bool kernel_is_constant(const Kernel *kernel);
bool kernel_is_definite(const Kernel *kernel);

/* k(a, b) of vectors of count numbers; not finite only where it overflows. */
double kernel_value(const Kernel *kernel, const double *a, const double *b, uint32_t count);
/* k from a.b (rbf: from |a - b|^2). */
double kernel_of_product(const Kernel *kernel, double product);
/* |phi(a) - phi(b)| = sqrt(k(a,a) - 2 k(a,b) + k(b,b)), 0 where rounding made it negative. */
double kernel_distance(const Kernel *kernel, const double *a, const double *b, uint32_t count);

/* out[i] = k(query, row i) of rows [count x slots]: no BLAS, the bits of kernel_value. */
void kernel_rows(const Kernel *kernel, const double *query, const double *rows, uint32_t count,
                 uint32_t slots, double *out);
/*
 * out[i x count_b + j] = k(a_i, b_j), through a product of matrices: for fits. Polls. Working
 * memory is a few hundred kB; out is the caller's.
 */
void kernel_matrix(Env *env, const Kernel *kernel, const double *a, uint32_t count_a,
                   const double *b, uint32_t count_b, uint32_t slots, double *out);

/*
 * Centers a Gram matrix [n x n] in place: less row means and column means, plus the mean of all. It
 * is then that of the rows less their mean in the kernel's space. The matrix need not be symmetric.
 */
void kernel_center(Env *env, double *gram, uint32_t n);

/*
 * In a model: "kernel" F64[4] in SECTION_ARRAYS: kind, gamma, coef0, degree. kernel_read gives
 * NULL, or what is wrong: for check().
 */
void kernel_write(Env *env, const Kernel *kernel, ModelBuilder *builder);
const char *kernel_read(const Model *model, Kernel *kernel);

#endif
