/*
 * robust_scaler.c - brings each feature to median 0 and distance 1 between two quantiles, which outliers do not move.
 */
#include "core/math/special_functions.h"
#include "core/prepare/affine_scaler.h"
#include "core/prepare/column_quantiles.h"

static const OptionSpec robust_options[] = {
    {.name = "center", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Subtract the median of each feature."},
    {.name = "quantiles",
     .types = OPTION_NUMBER_LIST,
     .fallback = "[0.25,0.75]",
     FROM_ZERO_TO_ONE,
     .help = "The two quantiles whose difference becomes 1."},
    {.name = "scale", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Divide by the difference of the quantiles."},
    {.name = "unit_variance",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Divide by what makes a normally distributed feature have variance 1."},
    {.name = NULL}};

static Model *robust_scaler_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                ModelBuilder *builder)
{
    uint32_t slots = rows_slots(input->rows), count;
    const double *asked = options_numbers(options, "quantiles", &count);
    bool normal = options_boolean(options, "unit_variance");
    double shares[3] = {0.5}, *shift, *scale, *quantiles, divisor = 1;

    if (count != 2 || !(asked[0] < asked[1]))
        env_fail(env, ERROR_PARAMETER, "Give the lower and the upper one, such as [0.25, 0.75].",
                 count != 2 ? "option \"quantiles\" of robust_scaler has %u number%s, not 2"
                            : "option \"quantiles\" of robust_scaler has %u number%s that do not ascend",
                 count, count == 1 ? "" : "s");
    if (normal && (asked[0] == 0 || asked[1] == 1))
        env_fail(env, ERROR_PARAMETER, "Give quantiles above 0 and below 1.",
                 "a normal distribution has no quantile %g, which \"unit_variance\" of robust_scaler needs", asked[asked[0] != 0]);
    shares[1] = asked[0];
    shares[2] = asked[1];
    if (normal)
        divisor = normal_quantile(asked[1]) - normal_quantile(asked[0]);
    quantiles = column_quantiles(env, input->rows, shares, 3, self->name);
    shift = env_array(env, (size_t)slots + 1, sizeof(double));
    scale = env_array(env, (size_t)slots + 1, sizeof(double));
    for (uint32_t s = 0; s < slots; s++) {
        const double *q = quantiles + (size_t)s * 3;

        shift[s] = options_boolean(options, "center") ? q[0] : 0;
        scale[s] = options_boolean(options, "scale") ? (q[2] > q[1] ? q[2] - q[1] : 1) / divisor : 1;
    }
    affine_add(env, self, builder, shift, scale, slots);
    return model_build(builder);
}

const Estimator estimator_robust_scaler = {
    .name = "robust_scaler",
    AFFINE_ESTIMATOR,
    .input = INPUT_ROWS,
    .options = OPTION_TABLES(options_common, robust_options),
    .help = "Brings each feature to median 0 and interquartile range 1.",
    .source = "scikit-learn's RobustScaler; Hyndman & Fan 1996",
    .fit = robust_scaler_fit,
    .arrays = affine_array_tables,
};
