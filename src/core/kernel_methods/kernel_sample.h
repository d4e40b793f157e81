/*
 * kernel_sample.h - the rows of a fit as the points that a kernel compares.
 *
 * Numbers are coordinates as they came, or standardized by option. Each level of a category that some row has is a coordinate of
 * 0 and 1, so that categories can be features of kernel methods: two rows that differ in a level are sqrt(2) apart in it.
 */
#ifndef PGFIT_KERNEL_SAMPLE_H
#define PGFIT_KERNEL_SAMPLE_H

#include "core/kernel/kernel.h"
#include "core/rows/row_design.h"
#include "core/rows/row_scale.h"

typedef struct KernelSample {
    Env *env;
    RowDesign *design;
    const char *method;
    uint32_t count, dims;
    double *points;    /* [count x dims], in order of arrival; as kernel_learn makes them of the design's columns */
    double *targets;   /* [count] numbers; NULL: none */
    uint32_t *classes; /* [count] final positions; NULL: no labels */
    double *weights;   /* [count]; NULL: all 1 */
    double *center;    /* [dims] means, of option standardize or centered; NULL: points are as they came */
    double *scale;     /* [dims] 1 / standard deviation (divisor: the weight); 1: the coordinate does not vary (row_scale.h) */
    Kernel kernel;     /* ready: gamma is set (kernel_scale) */
    uint32_t *texts;   /* without points: positions of texts in the kernel's table, by those in the dictionary; NULL: no texts */
} KernelSample;

/*
 * Loads all rows. options: has `standardize`. bytes_per_row: what the method will allocate for each row beside them; the sum is
 * compared with the budget before anything is allocated. Fails with ERROR_LIMIT past the budget or 2^31 rows, with ERROR_RANGE
 * if a variance or the sum of the weights is too large, and as kernel_learn does. Polls.
 */
KernelSample *kernel_sample(Env *env, Rows *rows, const Kernel *kernel, const Options *options, size_t bytes_per_row, const char *method);
/*
 * The same with a design of the caller's choice. centered: the points are centered, also without option standardize, and the sample
 * has center and scale (1, or of the option).
 */
KernelSample *kernel_sample_of(Env *env, Rows *rows, DesignMode mode, bool centered, const Kernel *kernel, const Options *options,
                               size_t bytes_per_row, const char *method);
/*
 * Returns what the rows of a fit are to a kernel, without the points: the design, center and scale of option standardize (if there is
 * one), the kernel with its gamma. For rows that need not fit into memory: up to three passes over them. Fails as kernel_sample does.
 */
KernelSample *feature_map_sample(Env *env, Rows *rows, const Kernel *kernel, const Options *options, const char *method);
/* Returns the bytes that the sample holds. */
size_t kernel_sample_bytes(const KernelSample *sample);

#endif
