/*
 * kernel.c - values of kernels, and kernels from options.
 */
#include "core/distance/kernel.h"
#include "core/linalg/vector_loops.h"
#include "core/linalg/gemm.h"

#include <math.h>
#include <string.h>

static const char *const kernel_choices[] = {"linear", "polynomial", "rbf", "sigmoid", NULL};

KernelKind kernel_find(const char *name)
{
    for (unsigned i = 0; kernel_choices[i] != NULL; i++)
        if (strcmp(kernel_choices[i], name) == 0)
            return (KernelKind)(i + 1);
    return 0;
}

const char *kernel_name(KernelKind kind)
{
    return kernel_choices[kind - 1];
}

/* ---- options ---- */

const OptionSpec options_kernel[] = {
    {.name = "coef0",
     .types = OPTION_NUMBER,
     .fallback = "0",
     .help = "For polynomial and sigmoid: the constant added to gamma times the product."},
    {.name = "degree",
     .types = OPTION_INTEGER,
     .fallback = "3",
     .minimum = 1,
     .maximum = KERNEL_MAX_DEGREE,
     .help = "For polynomial: the power."},
    {.name = "kernel",
     .types = OPTION_STRING,
     .fallback = "\"rbf\"",
     .choices = kernel_choices,
     .help = "The kernel that replaces the product of two rows."},
    {.name = "gamma",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .help = "For rbf: exp(-gamma d^2), not together with sigma; for polynomial and sigmoid: the factor of the product, 1 by default."},
    {.name = "sigma",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .help = "For rbf: the width; gamma is 1 / (2 sigma^2)."},
    {.name = NULL}};

/* Fails if an option is given that the kernel does not use. */
static void require_use(Env *env, const Options *options, const char *option, bool used,
                        KernelKind kind)
{
    if (options_given(options, option) && !used)
        env_fail(
            env, ERROR_PARAMETER,
            "Use gamma with polynomial, rbf and sigmoid; sigma with rbf; degree with polynomial; "
            "coef0 with polynomial and sigmoid.",
            "kernel %s has no option \"%s\"", kernel_name(kind), option);
}

static KernelKind kind_of(Env *env, const char *name)
{
    KernelKind kind = kernel_find(name);

    if (kind == 0)
        env_fail(env, ERROR_PARAMETER, "Use one of linear, polynomial, rbf, sigmoid.",
                 "unknown kernel \"%s\"", name);
    return kind;
}

Kernel kernel_of_options(Env *env, const Options *options, const char *given)
{
    Kernel kernel = {.gamma = 1, .degree = 1};
    KernelKind kind = kind_of(env, given != NULL ? given : options_string(options, "kernel"));
    bool product = kind == KERNEL_POLYNOMIAL || kind == KERNEL_SIGMOID;
    bool gamma = options_given(options, "gamma"), sigma = options_given(options, "sigma");

    if (gamma && sigma)
        env_fail(env, ERROR_PARAMETER, "Give one of them; gamma is 1 / (2 sigma^2).",
                 "gamma %g and sigma %g are both given", options_number(options, "gamma"),
                 options_number(options, "sigma"));
    require_use(env, options, "gamma", kind != KERNEL_LINEAR, kind);
    require_use(env, options, "sigma", kind == KERNEL_RBF, kind);
    require_use(env, options, "degree", kind == KERNEL_POLYNOMIAL, kind);
    require_use(env, options, "coef0", product, kind);
    kernel.kind = kind;
    if (gamma)
        kernel.gamma = options_number(options, "gamma");
    else if (kind == KERNEL_RBF)
        kernel.gamma = 0;
    if (sigma) {
        double width = options_number(options, "sigma");

        kernel.gamma = 0.5 / width / width;
        if (!(kernel.gamma > 0) || isinf(kernel.gamma))
            env_fail(env, ERROR_RANGE, "Scale the features, or give gamma.",
                     "sigma %g makes gamma %g", width, kernel.gamma);
    }
    if (product)
        kernel.coef0 = options_number(options, "coef0");
    if (kind == KERNEL_POLYNOMIAL)
        kernel.degree = (uint32_t)options_integer(options, "degree");
    return kernel;
}

void kernel_scale(Kernel *kernel, const double *rows, uint64_t count, uint32_t slots)
{
    uint64_t numbers = count * slots;
    double mean = 0, squares = 0, rest = 0, variance;

    if (kernel->kind != KERNEL_RBF || kernel->gamma > 0)
        return;
    for (uint64_t i = 0; i < numbers; i++)
        mean += (rows[i] - mean) / (double)(i + 1);
    for (uint64_t i = 0; i < numbers; i++) {
        squares += (rows[i] - mean) * (rows[i] - mean);
        rest += rows[i] - mean;
    }
    variance = numbers > 0 ? (squares - rest * rest / (double)numbers) / (double)numbers : 0;
    kernel->gamma = 1.0 / slots;
    if (variance > 0 && isfinite(kernel->gamma / variance) && kernel->gamma / variance > 0)
        kernel->gamma /= variance;
}

bool kernel_is_definite(const Kernel *kernel)
{
    return kernel->kind != KERNEL_SIGMOID &&
           !(kernel->kind == KERNEL_POLYNOMIAL && kernel->coef0 < 0);
}

/* ---- values ---- */

static double power_of(double base, uint32_t power)
{
    double result = 1;

    for (; power > 0; power >>= 1) {
        if (power & 1)
            result *= base;
        base *= base;
    }
    return result;
}

double kernel_of_product(const Kernel *kernel, double product)
{
    switch (kernel->kind) {
    case KERNEL_LINEAR:
        return product;
    case KERNEL_POLYNOMIAL:
        return power_of(kernel->gamma * product + kernel->coef0, kernel->degree);
    case KERNEL_RBF:
        return exp(-kernel->gamma * product);
    case KERNEL_SIGMOID:
        return tanh(kernel->gamma * product + kernel->coef0);
    }
    return NAN;
}

static Loop loop_of(const Kernel *kernel)
{
    return kernel->kind == KERNEL_RBF ? LOOP_SQUARES : LOOP_PRODUCTS;
}

double kernel_value(const Kernel *kernel, const double *a, const double *b, uint32_t count)
{
    return kernel_of_product(kernel, loop_pair(loop_of(kernel), 0, a, b, count));
}

double kernel_distance(const Kernel *kernel, const double *a, const double *b, uint32_t count)
{
    double squared;

    if (kernel->kind == KERNEL_LINEAR)
        return loop_norm(a, b, count);
    if (kernel->kind == KERNEL_RBF)
        return sqrt(-2 * expm1(-kernel->gamma * loop_pair(LOOP_SQUARES, 0, a, b, count)));
    squared = kernel_value(kernel, a, a, count) - 2 * kernel_value(kernel, a, b, count) +
              kernel_value(kernel, b, b, count);
    return squared <= 0 ? 0 : sqrt(squared);
}

double kernel_cosine(Env *env, const Kernel *kernel, const double *a, const double *b, uint32_t count)
{
    double aa = kernel_value(kernel, a, a, count), bb = kernel_value(kernel, b, b, count);

    if (!(aa > 0) || !(bb > 0))
        env_fail(env, ERROR_DATA, NULL, "kernel %s of a row with itself is %g: it has no direction",
                 kernel_name(kernel->kind), aa > 0 ? bb : aa);
    return fmax(-1, fmin(1, kernel_value(kernel, a, b, count) / sqrt(aa) / sqrt(bb)));
}

void kernel_rows(const Kernel *kernel, const double *query, const double *rows, uint32_t count,
                 uint32_t slots, double *out)
{
    loop_rows(loop_of(kernel), 0, query, rows, count, slots, slots, out);
    for (uint32_t i = 0; i < count; i++)
        out[i] = kernel_of_product(kernel, out[i]);
}

/* ---- many rows against many ---- */

/* Takes products and squared distances from product_distances, which handles cancellation. */
void kernel_matrix(Env *env, const Kernel *kernel, const double *a, uint32_t count_a,
                   const double *b, uint32_t count_b, uint32_t slots, double *out)
{
    product_distances(env, kernel->kind == KERNEL_RBF, a, count_a, b, count_b, slots, slots, out);
    for (uint32_t i = 0; i < count_a; i++) {
        double *row = out + (size_t)i * count_b;

        if (kernel->kind == KERNEL_LINEAR)
            continue;
        for (uint32_t j = 0; j < count_b; j++)
            row[j] = kernel_of_product(kernel, row[j]);
        if (i % 16 == 0)
            env->poll(env);
    }
}

void kernel_center(Env *env, double *gram, uint32_t n)
{
    double *rows = env_array(env, n, sizeof(double)), *columns = env_array(env, n, sizeof(double));
    double mean = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            rows[i] += gram[(size_t)i * n + j] / n;
            columns[j] += gram[(size_t)i * n + j] / n;
        }
    for (uint32_t i = 0; i < n; i++)
        mean += rows[i] / n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            gram[(size_t)i * n + j] += mean - (rows[i] + columns[j]);
        if (i % 64 == 0)
            env->poll(env);
    }
}

/* ---- storing ---- */

void kernel_write(Env *env, const Kernel *kernel, ModelBuilder *builder)
{
    double *numbers = env_array(env, 4, sizeof(double));

    numbers[0] = kernel->kind;
    numbers[1] = kernel->gamma;
    numbers[2] = kernel->coef0;
    numbers[3] = kernel->degree;
    builder_f64(builder, SECTION_ARRAYS, "kernel", numbers, 4);
}

const char *kernel_read(const Model *model, Kernel *kernel)
{
    uint32_t length = 0;
    const double *numbers = model_f64(model, "kernel", &length);

    if (numbers == NULL || length != 4)
        return "there is no array \"kernel\" of 4 numbers";
    if (!(numbers[0] == KERNEL_LINEAR || numbers[0] == KERNEL_POLYNOMIAL ||
          numbers[0] == KERNEL_RBF || numbers[0] == KERNEL_SIGMOID))
        return "\"kernel\" is not the number of a kernel";
    if (!(numbers[1] > 0) || isinf(numbers[1]) || !isfinite(numbers[2]))
        return "gamma or coef0 in \"kernel\" is out of range";
    if (!(numbers[3] >= 1 && numbers[3] <= KERNEL_MAX_DEGREE) || numbers[3] != floor(numbers[3]))
        return "the degree in \"kernel\" is out of range";
    *kernel = (Kernel){.kind = (KernelKind)numbers[0],
                       .gamma = numbers[1],
                       .coef0 = numbers[2],
                       .degree = (uint32_t)numbers[3]};
    return NULL;
}
