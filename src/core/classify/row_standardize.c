/*
 * row_standardize.c - standardized rows, and their equations in the units of the features.
 */
#include "core/classify/row_standardize.h"

#include <math.h>

const OptionSpec option_standardize_rows[] = {
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Learn from standardized features: the mean is subtracted, and the difference is divided by the "
             "standard deviation (divisor n). The coefficients are in the original units either way. Not with start."},
    {.name = NULL}};

/* Computes weighted means, and sums of squares about them, in one pass (Welford 1962). */
static void learn(const RowDesign *design, double *means, double *squares, double *weight)
{
    DesignReader *reader = design_reader((RowDesign *)design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *x = block.x + (size_t)i * design->terms;
            double own = row_weight(block.weights, i);

            *weight += own;
            for (uint32_t t = 0; t < design->terms; t++) {
                double step = x[t] - means[t];

                means[t] += step * (own / *weight);
                squares[t] += own * step * (x[t] - means[t]);
            }
        }
    design_reader_free(reader);
}

RowScaling *row_standardize(RowDesign *design, const Options *options, bool centered, const char *method)
{
    Env *env = design->env;
    RowScaling *scaling;
    double weight = 0;

    if (!options_boolean(options, "standardize"))
        return NULL;
    if (options_type(options, "start") != 0)
        env_fail(env, ERROR_PARAMETER, "Standardize the features in the query, by means and scales that stay the same.",
                 "%s cannot standardize the rows when it continues from a model", method);
    env_require_memory(env, 3 * (size_t)design->terms * sizeof(double), method);
    scaling = env_array(env, 1, sizeof(RowScaling));
    scaling->design = design;
    scaling->centered = centered;
    scaling->means = env_array(env, (size_t)design->terms + 1, sizeof(double));
    scaling->scales = env_array(env, (size_t)design->terms + 1, sizeof(double));
    scaling->row = env_array(env, (size_t)design->terms + 1, sizeof(double));
    learn(design, scaling->means, scaling->scales, &weight);
    for (uint32_t t = 0; t < design->terms; t++) {
        double deviation = sqrt(scaling->scales[t] / weight);

        if (!isfinite(deviation))
            env_fail(env, ERROR_RANGE, "Divide large features by a power of ten.",
                     "the variance of a feature exceeds the range of double precision");
        /* the deviation of a constant is rounding errors */
        scaling->scales[t] = deviation > 1e-14 * fabs(scaling->means[t]) ? 1 / deviation : 0;
        if (!isfinite(scaling->scales[t]))
            scaling->scales[t] = 0;
        if (!centered)
            scaling->means[t] = 0;
    }
    return scaling;
}

void row_standardize_store(const RowScaling *scaling, const RowDesign *design, LinearEquations *classifier,
                       uint32_t equation, const double *w, const double *w0)
{
    double *coef = classifier->coef + (size_t)equation * (classifier->slots + classifier->levels);
    double offset = w0 != NULL ? *w0 : 0;

    if (scaling != NULL && scaling->centered && classifier->center == NULL)
        classifier->center = env_array(design->env, (size_t)classifier->slots + 1, sizeof(double));
    for (uint32_t t = 0; t < design->terms; t++) {
        double own = scaling != NULL ? w[t] * scaling->scales[t] : w[t];

        coef[linear_column(classifier->slots, FIT_TERMS(design), t)] = own;
        if (scaling == NULL || !scaling->centered)
            continue;
        if (design->term_level[t] < 0) /* scorers center numbers, but not levels */
            classifier->center[design->term_slot[t]] = scaling->means[t];
        else
            offset -= own * scaling->means[t];
    }
    if (w0 != NULL)
        classifier->offset[equation] = offset;
}
