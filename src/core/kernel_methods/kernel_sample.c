/*
 * kernel_sample.c - loads the rows of a kernel method.
 */
#include "core/kernel_methods/kernel_sample.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 1024

const OptionSpec option_standardize_kernel[] = {
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether the kernel sees standardized features: the mean is subtracted, and the difference is divided by the standard "
             "deviation (divisor n). The model keeps both, so rows to score are given as they come."},
    {.name = NULL}};

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

/* Sets center to the weighted means and scale to the sums of squares about them (Welford 1962). Returns the weight. */
static double learn_moments(KernelSample *sample)
{
    double weight = 0;

    for (uint32_t i = 0; i < sample->count; i++) {
        const double *x = sample->points + (size_t)i * sample->dims;
        double own = row_weight(sample->weights, i);

        weight += own;
        for (uint32_t d = 0; d < sample->dims; d++) {
            double step = x[d] - sample->center[d];

            sample->center[d] += step * (own / weight);
            sample->scale[d] += own * step * (x[d] - sample->center[d]);
        }
        if (i % POLL_ROWS == 0)
            sample->env->poll(sample->env);
    }
    return weight;
}

/* Centers the points; deviations: and divides them by their standard deviations. */
static void standardize(KernelSample *sample, bool deviations)
{
    Env *env = sample->env;
    double weight;

    sample->center = env_array(env, (size_t)sample->dims + 1, sizeof(double));
    sample->scale = env_array(env, (size_t)sample->dims + 1, sizeof(double));
    weight = learn_moments(sample);
    for (uint32_t d = 0; d < sample->dims; d++) {
        double deviation = sqrt(sample->scale[d] / weight);

        if (!deviations) {
            sample->scale[d] = 1;
            continue;
        }
        if (!isfinite(deviation))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "the variance of a feature exceeds the range of double precision");
        /* a deviation this small is the rounding error of a constant */
        sample->scale[d] = deviation > 1e-14 * fabs(sample->center[d]) && isfinite(1 / deviation) ? 1 / deviation : 0;
    }
    for (uint32_t i = 0; i < sample->count; i++) {
        double *x = sample->points + (size_t)i * sample->dims;

        for (uint32_t d = 0; d < sample->dims; d++)
            x[d] = (x[d] - sample->center[d]) * sample->scale[d];
        if (i % POLL_ROWS == 0)
            env->poll(env);
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

KernelSample *kernel_sample(Env *env, Rows *rows, const Kernel *kernel, const Options *options, size_t bytes_per_row,
                            const char *method)
{
    return kernel_sample_of(env, rows, DESIGN_LEVELS, false, kernel, options, bytes_per_row, method);
}

KernelSample *kernel_sample_of(Env *env, Rows *rows, DesignMode mode, bool centered, const Kernel *kernel, const Options *options,
                               size_t bytes_per_row, const char *method)
{
    KernelSample *sample = env_array(env, 1, sizeof(KernelSample));
    unsigned contents = rows_contents(rows);
    uint64_t count = rows_count(rows);

    sample->env = env;
    sample->method = method;
    sample->design = row_design(env, rows, mode, method);
    sample->dims = sample->design->terms;
    if (count >= INT32_MAX)
        env_fail(env, ERROR_LIMIT, NULL, "%s compares at most %d rows, not %llu", method, INT32_MAX - 1, (unsigned long long)count);
    sample->count = (uint32_t)count;
    if (sample->dims == 0)
        env_fail(env, ERROR_DATA, "Give at least one feature.", "%s has no features", method);
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
    sample->kernel = *kernel;
    if (options_boolean(options, "standardize")) {
        kernel_require_numbers(env, kernel, "standardize");
        standardize(sample, true);
    } else if (centered) {
        standardize(sample, false);
    }
    sample->points = kernel_learn(env, &sample->kernel, rows_schema(rows), sample->design->term_slot, sample->points, count,
                                  sample->dims, method);
    sample->dims = kernel_point_dims(kernel, sample->dims);
    return sample;
}
