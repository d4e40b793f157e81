/*
 * kernel.h - kernels k(a, b) between two rows.
 *
 *   linear       a.b
 *   polynomial   (gamma a.b + coef0)^degree
 *   rbf          exp(-gamma |a - b|^2) = exp(-|a - b|^2 / (2 sigma^2))
 *   sigmoid      tanh(gamma a.b + coef0): not positive semi-definite in general
 *   precomputed  the features of row i are k(x_i, x_j) for all training rows j, in the order in which they arrive
 *   spectrum     of a text column: strings of `length` characters that both texts have (string_kernel.h)
 *   subsequence  the same with gaps, each character that an occurrence spans counting `decay`
 *   sum, product of other kernels, each times its weight. Kernels of texts compare the text column, all others the rest
 *
 * Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis. Values between single rows use no BLAS and one order of
 * operations on every machine.
 *
 * A method sees points: rows of `dims` numbers, which it may copy, reorder and store, and compares by the functions below. For most
 * kernels they are the rows. A text is a number in a point, its position in a table of texts; a point of kernel precomputed is one
 * number, the number of the row.
 *
 * In a fit:
 *     Kernel kernel = kernel_of_options(env, options, NULL);
 *     double *points = kernel_learn(env, &kernel, rows_schema(rows), NULL, matrix, weights, n, slots, "svm_classifier");
 *     uint32_t dims = kernel_point_dims(&kernel, slots);
 *     kernel_rows, kernel_matrix, kernel_gram ... over points [n x dims]
 *     kernel_write(env, &kernel, builder);
 *     kernel_write_texts(env, &kernel, builder, stored, m, dims);   for the points that the model stores
 * The arrays that these write are declared by kernel_arrays. In check():
 *     kernel_read(model, &kernel), then kernel_check_points(model, &kernel, stored, m, dims)
 * and in prepare():
 *     kernel_prepare(env, model, &kernel);
 * after which kernel_rows(&kernel, slots, stored, m, dims, out) compares the row that is scored, as it comes, with stored points.
 */
#ifndef PGFIT_KERNEL_H
#define PGFIT_KERNEL_H

#include "core/base/env.h"
#include "core/estimator/array_spec.h"
#include "core/math/carried_sum.h"
#include "core/model/model.h"
#include "core/options/options.h"

typedef enum KernelKind {
    KERNEL_LINEAR = 1,
    KERNEL_POLYNOMIAL = 2,
    KERNEL_RBF = 3,
    KERNEL_SIGMOID = 4,
    KERNEL_PRECOMPUTED = 5,
    KERNEL_SPECTRUM = 6,
    KERNEL_SUBSEQUENCE = 7,
    KERNEL_SUM = 8,
    KERNEL_PRODUCT = 9
} KernelKind;

#define KERNEL_MAX_DEGREE 100
#define KERNEL_MAX_PARTS 16 /* of a sum or product, all levels together */
#define KERNEL_MAX_DEPTH 4  /* levels of sums and products */

/* A sum or product, or a kernel in one. */
typedef struct KernelPart {
    KernelKind kind;
    double weight;    /* > 0: multiplies its values */
    double gamma;     /* > 0; 0: an rbf whose gamma follows from the rows (kernel_scale) */
    double coef0;
    uint32_t degree;  /* 1 .. KERNEL_MAX_DEGREE */
    uint32_t length;  /* of strings */
    double decay;     /* of gaps: > 0, at most 1 */
    bool normalized;   /* strings: k(a, b) / sqrt(k(a, a) k(b, b)) */
    bool c_library;   /* exp and tanh are those of the C library, as in models of earlier versions */
    uint32_t parts;   /* of a sum or product: how many kernels it has; they follow, each with its own parts */
    uint32_t string;  /* of strings: its place in the table of texts */
} KernelPart;

typedef struct KernelTexts KernelTexts; /* kernel_texts.h */

/* A kernel, as a value that can be copied: {.kind = KERNEL_RBF, .gamma = 1} is one. */
typedef struct Kernel {
    KernelKind kind;
    double gamma; /* these as in KernelPart */
    double coef0;
    uint32_t degree;
    uint32_t length;
    double decay;
    bool normalized;
    bool c_library;
    uint32_t part_count;
    KernelPart parts[KERNEL_MAX_PARTS]; /* of a sum or product: itself first */
    uint32_t text_at;         /* the column of points that is a text, from 1; 0: there is none */
    const KernelTexts *texts; /* NULL: texts cannot be compared yet */
    const double *gram;       /* of precomputed in a fit: [gram_size x gram_size] */
    uint32_t gram_size;       /* of precomputed: training rows */
} Kernel;

/* The arrays kernel, kernel_parts and texts of models with a kernel. */
extern const ArraySpec kernel_arrays[3];

/* ---- options ---- */

/*
 * Options of kernels, as tables for OPTION_TABLES. Of kernels between numbers: kernel, gamma, sigma, degree and coef0. Methods that take
 * every kernel name the other table after it: kernel with all choices, length, decay and normalized.
 */
extern const OptionSpec options_number_kernel[], options_kernel[];

/* In a spec, what an option "kernel" may be, for methods with a default of their own. */
extern const char *const kernel_choices[];
extern const OptionSpec *const kernel_part_tables[];
#define KERNEL_OPTION .types = OPTION_STRING | OPTION_NESTED, .choices = kernel_choices, .nested = kernel_part_tables

/* Returns the kernel of this name, 0 if there is none. */
KernelKind kernel_find(const char *name);
const char *kernel_name(KernelKind kind);

/*
 * Returns the kernel that the options describe; given: its name if an argument has it, or an object as JSON, else NULL. gamma is 0 for
 * an rbf without gamma and sigma. Fails with ERROR_PARAMETER if gamma and sigma are both given, or an option does not apply to
 * the kernel.
 */
Kernel kernel_of_options(Env *env, const Options *options, const char *given);
/* Tells whether option "kernel" asks for a kernel of texts. */
bool kernel_options_use_texts(const Options *options);

/* ---- what a kernel is ---- */

/* Tells whether values follow from a.b or |a - b|^2 alone (kernel_of_product): linear, polynomial, rbf, sigmoid. */
bool kernel_is_simple(const Kernel *kernel);
/* Tells whether it compares texts, alone or in a part. */
bool kernel_uses_texts(const Kernel *kernel);
/* Tells whether it or a part is an rbf that was given neither gamma nor sigma. */
bool kernel_lacks_gamma(const Kernel *kernel);
/* Tells whether two kernels have the same kind, numbers and parts. */
bool kernel_same(const Kernel *a, const Kernel *b);
/* Returns whether the kernel is positive semi-definite: not sigmoid, nor polynomial with coef0 < 0. Of precomputed, kernel_learn warns. */
bool kernel_is_definite(const Kernel *kernel);
/* Fails with ERROR_PARAMETER unless the kernel is simple. user: what takes only those, such as "metric kernel". */
void kernel_require_simple(Env *env, const Kernel *kernel, const char *user);
/* Fails with ERROR_PARAMETER if points of this kernel are not the numbers of the rows, which an option needs: texts, precomputed. */
void kernel_require_numbers(Env *env, const Kernel *kernel, const char *option);

/* ---- points of a fit ---- */

/*
 * Sets the gamma of each rbf that was given none: 1 / (columns x variance), where variance is that of all numbers of the
 * training rows (count x slots) together; 1 / columns if they are all equal. Texts do not count. weights: NULL for all 1.
 */
void kernel_scale(Kernel *kernel, const double *rows, const double *weights, uint64_t count, uint32_t slots);
/*
 * The same for rows that are read twice, block by block: sums for the mean of all numbers, then squares about it. Begins as {0}. Sums
 * carry their rounding errors, because starts are drawn by hashes of features that depend on each digit of gamma.
 */
typedef struct KernelWidth {
    CarriedSum weight, total, squares, rest;
} KernelWidth;
void kernel_width_mean(KernelWidth *width, const Kernel *kernel, const double *row, uint32_t columns, double weight);
void kernel_width_squares(KernelWidth *width, const Kernel *kernel, const double *row, uint32_t columns, double weight);
void kernel_set_width(Kernel *kernel, const KernelWidth *width, uint32_t columns);

/*
 * Makes training rows [n x columns] points of the kernel, and the kernel ready for them: gamma from the rows, the table of texts, the
 * Gram matrix. Returns the points [n x kernel_point_dims]: the rows, in which texts have become positions in the table, or new
 * ones. The rows must live as long as the kernel is used.
 *
 * schema: of the rows (NULL: numbers of kernel precomputed); column_slots [columns]: their slots, NULL: columns are slots; weights: NULL for all 1. Fails with ERROR_DATA
 * for columns that the kernel does not compare, and for Gram matrices that are not square or not symmetric. Warns if a kernel that
 * need not be positive semi-definite is not for these rows.
 */
double *kernel_learn(Env *env, Kernel *kernel, const Model *schema, const uint32_t *column_slots, double *rows,
                     const double *weights, uint64_t n, uint32_t columns, const char *method);
/*
 * The part of it that is about texts, for rows that are read block by block: makes the table of texts, and returns the position in it of
 * each text of the dictionary, NULL for kernels without texts.
 */
uint32_t *kernel_learn_texts(Env *env, Kernel *kernel, const Model *schema, const uint32_t *column_slots, uint32_t columns,
                             const char *method);
/* Returns how many numbers a point has, for rows of `columns` numbers. */
uint32_t kernel_point_dims(const Kernel *kernel, uint32_t columns);

/*
 * Finds the text column of rows of this schema, whose columns are slots: the one of this kind, FIELD_TEXT or FIELD_CATEGORICAL. For
 * functions of two rows; kernel_learn does it for fits. Fails as kernel_learn does.
 */
void kernel_find_text(Env *env, Kernel *kernel, const Model *schema, int kind);

/* Fails with ERROR_DATA if a Gram matrix [n x n] is not symmetric, naming row, column and both values. */
void kernel_check_gram(Env *env, const double *gram, uint32_t n);
/*
 * Warns if a Gram matrix is not positive semi-definite: by the diagonal and all pairs of rows, and by a Cholesky factor of all or of 500
 * rows of it, evenly spaced. name: of the kernel.
 */
void kernel_warn_gram(Env *env, const double *gram, uint32_t n, const char *name, const char *method);
/* The same for points, if the kernel need not be positive semi-definite. kernel_learn calls it. */
void kernel_warn_indefinite(Env *env, const Kernel *kernel, const double *points, uint64_t n, uint32_t dims, const char *method);

/* ---- values ---- */

/* Returns k(a, b) of points of count numbers; finite unless it overflows. */
double kernel_value(const Kernel *kernel, const double *a, const double *b, uint32_t count);
/* Returns k(a, a); NaN for a row that is scored with kernel precomputed, which does not have it. */
double kernel_self(const Kernel *kernel, const double *a, uint32_t count);
/* Returns k from a.b (rbf: from |a - b|^2), for simple kernels. */
double kernel_of_product(const Kernel *kernel, double product);
/* Returns |phi(a) - phi(b)| = sqrt(k(a,a) - 2 k(a,b) + k(b,b)), 0 if rounding made it negative. */
double kernel_distance(const Kernel *kernel, const double *a, const double *b, uint32_t count);
/* Returns the cosine k(a,b) / sqrt(k(a,a) k(b,b)), -1 to 1. Fails with ERROR_DATA unless k(a,a) and k(b,b) are above 0. */
double kernel_cosine(Env *env, const Kernel *kernel, const double *a, const double *b, uint32_t count);

/* Writes out[i] = k(query, row i) for rows [count x slots], with the bits of kernel_value. */
void kernel_rows(const Kernel *kernel, const double *query, const double *rows, uint32_t count,
                 uint32_t slots, double *out);
/*
 * The same for panels of eight points, interleaved: number d of point i is panels[(i / 8 x slots + d) x 8 + i % 8]. The fastest
 * form where many queries meet the same points (kernel_points.h makes panels). out: [8 x panel_count].
 */
void kernel_panels(const Kernel *kernel, const double *query, const double *panels, uint32_t panel_count, uint32_t slots,
                   double *out);
#define KERNEL_PANEL 8
/*
 * Writes out[i x count_b + j] = k(a_i, b_j) through a product of matrices, for fits. Polls. Needs a few hundred kB.
 */
void kernel_matrix(Env *env, const Kernel *kernel, const double *a, uint32_t count_a,
                   const double *b, uint32_t count_b, uint32_t slots, double *out);
/* Writes k(x_i, x_j) of all pairs of n points to gram [n x n], exactly symmetric, at half the work of kernel_matrix. Polls. */
void kernel_gram(Env *env, const Kernel *kernel, const double *points, uint32_t n, uint32_t dims, double *gram);

/*
 * Centers a Gram matrix [n x n] in place: subtracts row means and column means and adds the mean of all. The result is the
 * Gram matrix of the rows minus their mean in feature space. The matrix need not be symmetric.
 */
void kernel_center(Env *env, double *gram, uint32_t n);

/* ---- storing ---- */

/*
 * A model stores "kernel" F64[4]: a number for kind, then gamma, coef0, degree; of strings: decay, normalized, length; of sums and
 * products the text column, and "kernel_parts" F64[parts x 8]. kernel_read returns NULL, or what is wrong, for check().
 */
void kernel_write(Env *env, const Kernel *kernel, ModelBuilder *builder);
const char *kernel_read(const Model *model, Kernel *kernel);
/*
 * Adds "texts", those that the points [count x dims] of a model have, and renumbers them in the points. Adds nothing for kernels
 * without texts. The points must live until model_build.
 */
void kernel_write_texts(Env *env, const Kernel *kernel, ModelBuilder *builder, double *points, uint32_t count, uint32_t dims);
/* Checks stored points of a kernel that was read: dims, numbers of rows and of texts. Returns NULL, or what is wrong. */
const char *kernel_check_points(const Model *model, const Kernel *kernel, const double *points, uint32_t count, uint32_t dims);
/* Reads the kernel of a checked model for scoring, with its table of texts. */
void kernel_prepare(Env *env, const Model *model, Kernel *kernel);

#endif
