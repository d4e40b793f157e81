/*
 * kernel_sample.c - loads the rows of a kernel method.
 */
#include "core/kernel_methods/kernel_sample.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 1024

/* ---- loading ---- */

static void load(KernelSample *sample, Rows *rows)
{
    DesignReader *reader = design_reader(sample->design);
    DesignBlock block;

    while (design_next_block(reader, &block)) {
        size_t first = block.first;

        memcpy(sample->points + first * sample->dims, block.x, (size_t)block.count * sample->dims * sizeof(double));
        if (sample->targets != NULL)
            memcpy(sample->targets + first, block.targets, block.count * sizeof(double));
        if (sample->classes != NULL)
            memcpy(sample->classes + first, block.classes, block.count * sizeof(uint32_t));
        if (sample->weights != NULL)
            memcpy(sample->weights + first, block.weights, block.count * sizeof(double));
    }
    design_reader_free(reader);
}

/* ---- standardizing ---- */

/* Sets center and scale in a pass over the rows. deviations: else scale is 1. */
static void learn_scale(KernelSample *sample, bool deviations)
{
    RowScale scale = row_scale_new(sample->env, sample->dims);
    DesignReader *reader = design_reader(sample->design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        row_scale_add(&scale, block.x, block.weights, block.count);
    design_reader_free(reader);
    if (deviations)
        row_scale_ready(sample->env, &scale, 1);
    else
        row_scale_sums(&scale);
    for (uint32_t d = 0; !deviations && d < sample->dims; d++)
        scale.scale[d] = 1;
    sample->center = scale.center;
    sample->scale = scale.scale;
}

/* Centers the points; deviations: and divides them by their standard deviations. */
static void standardize(KernelSample *sample, bool deviations)
{
    RowScale scale;

    learn_scale(sample, deviations);
    scale = (RowScale){.columns = sample->dims, .center = sample->center, .scale = sample->scale};
    for (uint32_t i = 0; i < sample->count; i++) {
        double *x = sample->points + (size_t)i * sample->dims;

        row_scale_apply(&scale, x, x);
        env_poll_every(sample->env, i, POLL_ROWS);
    }
}

/* ---- the whole ---- */

static size_t row_bytes(const KernelSample *sample, unsigned contents)
{
    return ((size_t)sample->dims + ((contents & ROWS_TARGET) != 0) + ((contents & ROWS_WEIGHT) != 0)) * sizeof(double);
}

size_t kernel_sample_bytes(const KernelSample *sample)
{
    return sample->count * row_bytes(sample, rows_contents(sample->design->rows));
}

/* Fails if the weights have no finite sum: every method divides by it, or solves for multiples of it. */
static void require_finite_weight(const KernelSample *sample)
{
    double weight = 0;

    for (uint32_t i = 0; sample->weights != NULL && i < sample->count; i++)
        weight += sample->weights[i];
    if (!isfinite(weight))
        env_fail(sample->env, ERROR_RANGE, "Divide the weights by a power of ten.",
                 "the weights of %u rows add up to more than double precision can hold", sample->count);
}

KernelSample *kernel_sample(Env *env, Rows *rows, const Kernel *kernel, const Options *options, size_t bytes_per_row, const char *method)
{
    return kernel_sample_of(env, rows, DESIGN_LEVELS, false, kernel, options, bytes_per_row, method);
}

/* Begins a sample: its design, size and kernel, without points. Fails without features, or past 2^31 rows. */
static void begin(KernelSample *sample, Env *env, Rows *rows, DesignMode mode, const Kernel *kernel, const char *method)
{
    uint64_t count = rows_count(rows);

    sample->env = env;
    sample->method = method;
    sample->design = row_design(env, rows, mode, method);
    sample->dims = sample->design->terms;
    sample->kernel = *kernel;
    if (count >= INT32_MAX)
        env_fail(env, ERROR_LIMIT, NULL, "%s takes at most %d rows, not %llu", method, INT32_MAX - 1, (unsigned long long)count);
    sample->count = (uint32_t)count;
    if (sample->dims == 0)
        env_fail(env, ERROR_DATA, "Give at least one feature.", "%s has no features", method);
}

KernelSample *kernel_sample_of(Env *env, Rows *rows, DesignMode mode, bool centered, const Kernel *kernel, const Options *options,
                               size_t bytes_per_row, const char *method)
{
    KernelSample *sample = env_array(env, 1, sizeof(KernelSample));
    unsigned contents = rows_contents(rows);

    begin(sample, env, rows, mode, kernel, method);
    env_require_memory(env, sample->count * (row_bytes(sample, contents) + bytes_per_row), method);
    sample->points = env_array_raw(env, (size_t)sample->count * sample->dims, sizeof(double));
    if ((contents & ROWS_TARGET) != 0 && sample->design->classes > 0)
        sample->classes = env_array_raw(env, sample->count, sizeof(uint32_t));
    else if ((contents & ROWS_TARGET) != 0)
        sample->targets = env_array_raw(env, sample->count, sizeof(double));
    if ((contents & ROWS_WEIGHT) != 0)
        sample->weights = env_array_raw(env, sample->count, sizeof(double));
    load(sample, rows);
    require_finite_weight(sample);
    if (options_boolean(options, "standardize")) {
        kernel_require_numbers(env, kernel, "standardize");
        standardize(sample, true);
    } else if (centered) {
        standardize(sample, false);
    }
    sample->points = kernel_learn(env, &sample->kernel, rows_schema(rows), sample->design->term_slot, sample->points, sample->weights,
                                  sample->count, sample->dims, method);
    sample->dims = kernel_point_dims(kernel, sample->dims);
    return sample;
}

/* ---- rows that need not fit into memory ---- */

/* Sets the gamma of each rbf that was given none, as kernel_scale does, in two passes. */
static void scale_kernel(KernelSample *sample, DesignReader *reader)
{
    RowScale scale = {.columns = sample->dims, .center = sample->center, .scale = sample->scale};
    double *point = env_array(sample->env, sample->dims, sizeof(double));
    KernelWidth width = {0};
    DesignBlock block;

    for (int pass = 0; pass < 2; pass++) {
        design_rewind(reader);
        while (design_next_block(reader, &block))
            for (uint32_t i = 0; i < block.count; i++) {
                const double *row = block.x + (size_t)i * sample->dims;

                if (sample->center != NULL) {
                    row_scale_apply(&scale, row, point);
                    row = point;
                }
                (pass == 0 ? kernel_width_mean : kernel_width_squares)(&width, &sample->kernel, row, sample->dims,
                                                                       row_weight(block.weights, i));
            }
    }
    kernel_set_width(&sample->kernel, &width, sample->dims);
}

KernelSample *feature_map_sample(Env *env, Rows *rows, const Kernel *kernel, const Options *options, const char *method)
{
    KernelSample *sample = env_array(env, 1, sizeof(KernelSample));
    DesignReader *reader;

    begin(sample, env, rows, DESIGN_LEVELS, kernel, method);
    if (standardize_wanted(options)) {
        kernel_require_numbers(env, kernel, "standardize");
        learn_scale(sample, true);
    }
    reader = design_reader(sample->design);
    sample->texts = kernel_learn_texts(env, &sample->kernel, rows_schema(rows), sample->design->term_slot, sample->dims, method);
    if (kernel_lacks_gamma(kernel))
        scale_kernel(sample, reader);
    design_reader_free(reader);
    return sample;
}
