/*
 * feature_map_sample.c - learns center, scale and gamma from rows that need not fit into memory, with the numbers of kernel_sample.
 */
#include "core/kernel_methods/feature_map_internal.h"
#include "core/options/options.h"

#include <string.h>

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

double feature_map_self(const KernelSample *sample, bool weighted)
{
    FeatureMap map = {.sample = sample, .kernel = sample->kernel, .texts = feature_map_texts(sample), .terms = sample->dims};
    double mean = 0, weight = 0, *point;
    DesignReader *reader;
    DesignBlock block;

    if (sample->kernel.kind == KERNEL_RBF)
        return 1;
    reader = design_reader(sample->design);
    point = env_array(sample->env, sample->dims, sizeof(double));
    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double own = weighted ? row_weight(block.weights, i) : 1;

            memcpy(point, block.x + (size_t)i * sample->dims, sample->dims * sizeof(double));
            feature_map_points(&map, point, 1);
            weight += own;
            mean += (kernel_self(&sample->kernel, point, sample->dims) - mean) * (own / weight);
        }
    design_reader_free(reader);
    return mean;
}

KernelSample *feature_map_sample(Env *env, Rows *rows, const Kernel *kernel, const Options *options, const char *method)
{
    MapSample *out = env_array(env, 1, sizeof(MapSample));
    KernelSample *sample = &out->sample;
    DesignReader *reader;

    kernel_sample_begin(sample, env, rows, DESIGN_LEVELS, kernel, method);
    if (standardize_wanted(options)) {
        kernel_require_numbers(env, kernel, "standardize");
        kernel_sample_scale(sample, true);
    }
    reader = design_reader(sample->design);
    out->texts = kernel_learn_texts(env, &sample->kernel, rows_schema(rows), sample->design->term_slot, sample->dims, method);
    if (kernel_lacks_gamma(kernel))
        scale_kernel(sample, reader);
    design_reader_free(reader);
    return sample;
}
