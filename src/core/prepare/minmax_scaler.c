/*
 * minmax_scaler.c - brings each feature to a range, such as 0 to 1.
 */
#include "core/prepare/affine_scaler.h"

static const OptionSpec minmax_options[] = {
    {.name = "clip",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Numbers outside those of the training rows become the nearest end of the range."},
    {.name = "range",
     .types = OPTION_NUMBER_LIST,
     .fallback = "[0,1]",
     .help = "What the smallest and the largest number of each feature become."},
    {.name = NULL}};

/* Returns option "range". */
static const double *read_range(Env *env, const Options *options)
{
    uint32_t count;
    const double *range = options_numbers(options, "range", &count);

    if (count != 2)
        env_fail(env, ERROR_PARAMETER, "Give the smallest and the largest number, such as [0, 1].",
                 "option \"range\" of minmax_scaler has %u number%s, not 2", count, count == 1 ? "" : "s");
    if (!(range[0] < range[1]) || !isfinite(range[1] - range[0]))
        env_fail(env, ERROR_PARAMETER, "Give the smaller number first.", "option \"range\" of minmax_scaler goes from %g to %g",
                 range[0], range[1]);
    return range;
}

static Model *minmax_scaler_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                ModelBuilder *builder)
{
    uint32_t slots = rows_slots(input->rows);
    const double *range = read_range(env, options);
    double *low = env_array(env, (size_t)slots + 1, sizeof(double)), *scale = env_array(env, (size_t)slots + 1, sizeof(double));
    uint8_t *clip = env_array(env, 1, 1);
    RowsReader *reader = rows_reader(env, input->rows);
    RowsBlock block;

    for (uint32_t s = 0; s < slots; s++) {
        low[s] = INFINITY;
        scale[s] = -INFINITY;
    }
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            for (uint32_t s = 0; s < slots; s++) {
                double x = block.slots[(size_t)i * slots + s];

                low[s] = x < low[s] ? x : low[s];
                scale[s] = x > scale[s] ? x : scale[s];
            }
    for (uint32_t s = 0; s < slots; s++)
        scale[s] = (scale[s] > low[s] ? scale[s] - low[s] : 1) / (range[1] - range[0]);
    affine_add(env, self, builder, low, scale, slots);
    *clip = options_boolean(options, "clip");
    builder_f64(builder, SECTION_ARRAYS, "range", range, 2);
    builder_bool(builder, SECTION_ARRAYS, "clip", clip, 1);
    return model_build(builder);
}

const Estimator estimator_minmax_scaler = {
    .name = "minmax_scaler",
    AFFINE_ESTIMATOR,
    .input = INPUT_ROWS,
    .options = OPTION_TABLES(options_common, minmax_options),
    .help = "Brings each feature to the range 0 to 1, or to another.",
    .source = "scikit-learn's MinMaxScaler",
    .fit = minmax_scaler_fit,
    .arrays = minmax_array_tables,
};
