/*
 * standard_scaler.c - brings each feature to mean 0 and standard deviation 1.
 */
#include "core/prepare/affine_scaler.h"

#include <float.h>
#include <math.h>

static const OptionSpec scaler_options[] = {
    {.name = "center", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Subtract the mean of each feature."},
    {.name = "ddof",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .help = "Variances divide by the number of rows minus this: 0 as in scikit-learn, 1 as in R."},
    {.name = "scale", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Divide by the standard deviation of each feature."},
    {.name = NULL}};

#define CONSTANT (16 * DBL_EPSILON)

/* Tells whether a variance is no more than rounding errors leave of a constant. */
static bool is_constant(double mean, double variance)
{
    return sqrt(variance) <= CONSTANT * fabs(mean);
}

static Model *standard_scaler_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                  ModelBuilder *builder)
{
    ScatterDesign *design = moments_squares(env, input->moments, CODING_FULL);
    double *shift = env_array(env, (size_t)design->terms + 1, sizeof(double));
    double *scale = env_array(env, (size_t)design->terms + 1, sizeof(double)), *weight = design->weight;
    double rows = design->rows[0], ddof = (double)options_integer(options, "ddof");

    /* weights count as shares of the rows, unless they are frequencies */
    for (uint32_t t = 0; t < design->terms; t++) {
        double variance = design->scatter[t] / *weight;
        bool constant = is_constant(design->means[t], variance);

        shift[t] = options_boolean(options, "center") ? design->means[t] : 0;
        scale[t] = 1;
        if (options_boolean(options, "scale") && !constant && rows > ddof)
            scale[t] = sqrt(variance * (rows / (rows - ddof)));
    }
    affine_add(env, self, builder, shift, scale, design->terms);
    return model_build(builder);
}

const Estimator estimator_standard_scaler = {
    .name = "standard_scaler",
    AFFINE_ESTIMATOR,
    .input = INPUT_FEATURE_MOMENTS,
    .diagonal = true,
    .options = OPTION_TABLES(options_common, scaler_options),
    .help = "Brings each feature to mean 0 and standard deviation 1.",
    .source = "scikit-learn's StandardScaler; R's scale",
    .fit = standard_scaler_fit,
    .arrays = affine_array_tables,
};
