/*
 * feature_map_sample.c - learns center, scale and gamma from rows that need not fit into memory, with the numbers of kernel_sample.
 */
#include "core/kernel_methods/feature_map.h"
#include "core/model/options.h"

#include <math.h>

/* Sets center to the weighted means and scale to the sums of squares about them (Welford 1962). Returns the weight. */
static double learn_moments(KernelSample *sample, DesignReader *reader)
{
    DesignBlock block;
    double weight = 0;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *x = block.x + (size_t)i * sample->dims;
            double own = row_weight(block.weights, i);

            weight += own;
            for (uint32_t d = 0; d < sample->dims; d++) {
                double step = x[d] - sample->center[d];

                sample->center[d] += step * (own / weight);
                sample->scale[d] += own * step * (x[d] - sample->center[d]);
            }
        }
    return weight;
}

static void standardize(KernelSample *sample, DesignReader *reader)
{
    Env *env = sample->env;
    double weight;

    sample->center = env_array(env, (size_t)sample->dims + 1, sizeof(double));
    sample->scale = env_array(env, (size_t)sample->dims + 1, sizeof(double));
    weight = learn_moments(sample, reader);
    for (uint32_t d = 0; d < sample->dims; d++) {
        double deviation = sqrt(sample->scale[d] / weight);

        if (!isfinite(deviation))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "the variance of a feature exceeds the range of double precision");
        /* a deviation this small is the rounding error of a constant */
        sample->scale[d] = deviation > 1e-14 * fabs(sample->center[d]) && isfinite(1 / deviation) ? 1 / deviation : 0;
    }
}

static double coordinate(const KernelSample *sample, const double *row, uint32_t d)
{
    return sample->center != NULL ? (row[d] - sample->center[d]) * sample->scale[d] : row[d];
}

/* Sets gamma as kernel_scale does, in two passes. */
static void scale_kernel(KernelSample *sample, DesignReader *reader)
{
    double mean = 0, squares = 0, rest = 0, numbers = (double)sample->count * sample->dims, gamma = 1.0 / sample->dims, variance;
    DesignBlock block;
    uint64_t seen = 0;

    design_rewind(reader);
    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            for (uint32_t d = 0; d < sample->dims; d++)
                mean += (coordinate(sample, block.x + (size_t)i * sample->dims, d) - mean) / (double)++seen;
    design_rewind(reader);
    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            for (uint32_t d = 0; d < sample->dims; d++) {
                double off = coordinate(sample, block.x + (size_t)i * sample->dims, d) - mean;

                squares += off * off;
                rest += off;
            }
    variance = (squares - rest * rest / numbers) / numbers;
    sample->kernel.gamma = gamma;
    if (variance > 0 && isfinite(gamma / variance) && gamma / variance > 0)
        sample->kernel.gamma = gamma / variance;
}

KernelSample *feature_map_sample(Env *env, Rows *rows, const Kernel *kernel, const Options *options, const char *method)
{
    KernelSample *sample = env_array(env, 1, sizeof(KernelSample));
    uint64_t count = rows_count(rows);
    DesignReader *reader;

    sample->env = env;
    sample->method = method;
    sample->design = row_design(env, rows, DESIGN_LEVELS, method);
    sample->dims = sample->design->terms;
    sample->kernel = *kernel;
    if (count >= INT32_MAX)
        env_fail(env, ERROR_LIMIT, NULL, "%s takes at most %d rows, not %llu", method, INT32_MAX - 1, (unsigned long long)count);
    sample->count = (uint32_t)count;
    if (sample->dims == 0)
        env_fail(env, ERROR_DATA, "Give at least one feature.", "%s has no features", method);
    reader = design_reader(sample->design);
    if (options_has(options, "standardize") && options_boolean(options, "standardize"))
        standardize(sample, reader);
    if (kernel->kind == KERNEL_RBF && kernel->gamma == 0)
        scale_kernel(sample, reader);
    design_reader_free(reader);
    return sample;
}
