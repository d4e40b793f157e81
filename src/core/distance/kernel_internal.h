/*
 * kernel_internal.h - what the files of kernels share.
 */
#ifndef PGFIT_KERNEL_INTERNAL_H
#define PGFIT_KERNEL_INTERNAL_H

#include "core/distance/kernel_texts.h"

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

#endif
