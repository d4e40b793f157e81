/*
 * kernel_internal.h - what the files of kernels share.
 */
#ifndef PGFIT_KERNEL_INTERNAL_H
#define PGFIT_KERNEL_INTERNAL_H

#include "core/kernel/kernel_texts.h"
#include "core/math/exp_log1p.h"

/* Returns a kernel that has no parts as a part. */
static inline KernelPart kernel_whole(const Kernel *kernel)
{
    return (KernelPart){.kind = kernel->kind,
                        .weight = 1,
                        .gamma = kernel->gamma,
                        .coef0 = kernel->coef0,
                        .degree = kernel->degree,
                        .length = kernel->length,
                        .decay = kernel->decay,
                        .normalized = kernel->normalized,
                        .c_library = kernel->c_library};
}

/* Returns a part that stands alone as a kernel. */
static inline Kernel kernel_of_part(const KernelPart *part)
{
    return (Kernel){.kind = part->kind,
                    .gamma = part->gamma,
                    .coef0 = part->coef0,
                    .degree = part->degree,
                    .length = part->length,
                    .decay = part->decay,
                    .normalized = part->normalized,
                    .c_library = part->c_library};
}

static inline bool kind_is_sum(KernelKind kind)
{
    return kind == KERNEL_SUM || kind == KERNEL_PRODUCT;
}

static inline bool kind_is_text(KernelKind kind)
{
    return kind == KERNEL_SPECTRUM || kind == KERNEL_SUBSEQUENCE;
}

static inline bool kind_is_simple(KernelKind kind)
{
    return kind == KERNEL_LINEAR || kind == KERNEL_POLYNOMIAL || kind == KERNEL_RBF || kind == KERNEL_SIGMOID;
}

/* Returns exp(x), 0 below exp(-708). The same operations for every number, as the next one, so that loops over them vectorize. */
static inline __attribute__((always_inline)) double exponential(double x)
{
    double value = exponential_core(x);

    return x < -EXP_LARGEST ? 0 : value;
}

/* Returns tanh(x) to a few units in the last place. */
static inline __attribute__((always_inline)) double hyperbolic_tangent(double x)
{
    double size = x < 0 ? -x : x, doubled = size > 20 ? 40 : 2 * size, square = size * size;
    double large = 1 - 2 / (exponential_core(doubled) + 1);
    /* below 0.25, where 1 - ... would lose digits: the continued fraction x / (1 + x^2 / (3 + x^2 / (5 + ...))) */
    double small = size / (1 + square / (3 + square / (5 + square / (7 + square / (9 + square / (11 + square / 13))))));
    double value = size < 0.25 ? small : large;

    return x < 0 ? -value : value;
}

#endif
