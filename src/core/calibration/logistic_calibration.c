/*
 * logistic_calibration.c - probabilities from scores that are normal in each class, with one variance.
 *
 * If scores are N(mean+, s^2) and N(mean-, s^2), the likelihood ratio is exp(gamma (score - d0)) with gamma =
 * (mean+ - mean-) / s^2 and d0 midway between the means (Flach 2012, Machine Learning, 7.4). Multiplied by the ratio of the
 * classes it gives the odds.
 */
#include "core/calibration/calibration_model.h"

#include <float.h>
#include <math.h>

static const char *const ratio_choices[] = {"data", NULL};

static const OptionSpec logistic_calibration_options[] = {
    {.name = "class_ratio",
     .types = OPTION_NUMBER | OPTION_STRING,
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e100,
     .minimum_open = true,
     .choices = ratio_choices,
     .help = "The probability of the positive class divided by that of the negative one in the data to be scored; "
             "data: the ratio in the calibration rows."},
    {.name = "ddof",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 2,
     .help = "Subtracted from the number of rows in the divisor of the variance; 2 makes it unbiased."},
    {.name = NULL}};

/* Returns the pooled variance within the classes. Fails if ddof leaves no rows. */
static double pooled_variance(Env *env, const ScatterDesign *design, double ddof)
{
    double weight = design->weight[0] + design->weight[1], rows = design->rows[0] + design->rows[1];

    if (rows <= ddof)
        env_fail(env, ERROR_DATA, "Use more rows, or option \"ddof\": 0.",
                 "the variance of %.0f rows with ddof %.0f is not defined", rows, ddof);
    return (design->scatter[0] + design->scatter[1]) / weight * (rows / (rows - ddof));
}

/* Fails if the means of the classes are equal, or the scores do not vary within the classes. */
static void require_separable(Env *env, double positive_mean, double negative_mean, double variance)
{
    double offset = fmax(fabs(positive_mean), fabs(negative_mean));

    /* equal means differ in the last digits, as the order of the rows has it */
    if (fabs(positive_mean - negative_mean) <= 8 * DBL_EPSILON * offset)
        env_fail(env, ERROR_DATA, "Check the classifier and the labels: such scores do not separate the classes.",
                 "logistic_calibration needs different mean scores of the classes, and both are %.10g", positive_mean);
    /* differences of equal numbers leave rounding errors */
    if (!(variance > (offset * 1e-15) * (offset * 1e-15)))
        env_fail(env, ERROR_DATA, "Use isotonic_calibration, which takes such scores.",
                 "logistic_calibration needs scores that vary within the classes, but they are constant: %.10g and %.10g",
                 positive_mean, negative_mean);
}

static Model *logistic_calibration_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                       ModelBuilder *builder)
{
    const Model *schema = input->moments;
    double map[CALIBRATION_HEAD + CALIBRATION_LOGISTIC_SIZE] = {CALIBRATION_LOGISTIC, CALIBRATION_LOGISTIC_SIZE};
    ScatterDesign *design;
    double variance, gamma, positive_mean, negative_mean, ratio = 1;
    ClassSet classes;
    ClassRule rule;
    uint32_t p, n;

    /* the first frames of a window have few rows, and none vary within the classes yet */
    if (input->frame && (class_set(env, schema).count < 2 || schema->rows <= 2 + (uint64_t)options_integer(options, "ddof")))
        return NULL;
    classes = calibration_classes(env, schema, "logistic_calibration", false);
    rule = class_rule_read(&classes, options);
    p = rule.positive;
    n = 1 - p;
    design = moments_scatter(env, schema, CODING_REFERENCE);
    positive_mean = design->means[p];
    negative_mean = design->means[n];
    variance = pooled_variance(env, design, (double)options_integer(options, "ddof"));
    require_separable(env, positive_mean, negative_mean, variance);
    gamma = (positive_mean - negative_mean) / variance;
    if (!isfinite(gamma))
        env_fail(env, ERROR_RANGE, "Multiply the scores by a constant.",
                 "gamma, %g / %g, is out of range of double precision", positive_mean - negative_mean, variance);
    ratio = options_type(options, "class_ratio") == OPTION_STRING ? design->weight[p] / design->weight[n]
                                                                  : options_number(options, "class_ratio");
    map[2] = gamma;
    map[3] = positive_mean / 2 + negative_mean / 2;
    map[4] = log(ratio);
    builder_fact(builder, "d0", map[3]);
    builder_fact(builder, "gamma", gamma);
    builder_fact(builder, "mean_negative", negative_mean);
    builder_fact(builder, "mean_positive", positive_mean);
    builder_fact(builder, "variance", variance);
    return calibration_finish(env, builder, &rule, map, ratio / (1 + ratio));
}

const Estimator estimator_logistic_calibration = {
    .name = "logistic_calibration",
    CALIBRATION_ESTIMATOR,
    .input = INPUT_CLASS_MOMENTS,
    .options = OPTION_TABLES(options_common, option_positive, option_threshold, logistic_calibration_options),
    .help = "Maps scores to probabilities by a logistic curve, from the means and the common variance of the scores "
            "of two classes.",
    .source = "Flach 2012, Machine Learning, 7.4",
    .fit = logistic_calibration_fit,
};
