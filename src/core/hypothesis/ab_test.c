/*
 * ab_test.c - comparing two variants of an experiment, from sums alone.
 *
 * Each variant gives a mean and its variance: of the outcome; of the outcome minus theta times a covariate (CUPED; Deng et al. 2013), with
 * theta pooled within the variants, so that the difference is the coefficient of a regression on variant and covariate; or of a ratio of
 * sums by the delta method. Welch's t test compares them. Always-valid limits come from the mixture sequential probability ratio test
 * (Robbins 1970; Johari et al. 2017).
 */
#include "core/hypothesis/ab_test.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIXTURE_DEFAULT 0.1 /* standard deviations of the outcome: limits are about tightest at 3,000 rows */

const OptionSpec ab_test_options[] = {
    {.name = "control",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "the first variant in the order of labels",
     .help = "The variant that the other one is compared with."},
    {.name = "treatment",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "the other one of two variants",
     .help = "The variant that is compared with the control; needed if there are more than two."},
    {.name = "ratio",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to compare ratios of sums, outcome by the second number, by the delta method; else the second number is a covariate."},
    {.name = "treatment_share",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     BETWEEN_ZERO_AND_ONE,
     .help = "The share of the rows of both variants that the treatment was planned to have, which sample_ratio_p_value tests."},
    {.name = "always_valid",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether p-value and limits hold however often and whenever one looks at them, by a mixture sequential probability ratio test."},
    {.name = "mixture",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "0.1 standard deviations of the outcome",
     .help = "Of always_valid: the standard deviation of the differences that are expected, in the unit of the outcome, chosen before the start."},
    {.name = NULL}};

const OptionSpec sample_ratio_options[] = {
    {.name = "shares",
     .types = OPTION_OBJECT,
     .unset = "the same for all variants that occur",
     .help = "The planned share of each variant, as {\"a\": 0.9, \"b\": 0.1}; numbers with another sum are divided by it."},
    {.name = NULL}};

/* ---- variants ---- */

/* Returns the label that an option names; NULL: it is not given. */
static const char *label_option(const Options *options, const char *name)
{
    return options_type(options, name) == OPTION_STRING ? options_string(options, name) : options_value_json(options, name);
}

static const char *whole_label(Env *env, const SampleGroup *group)
{
    char *label = env_array(env, (size_t)group->length + 1, 1);

    memcpy(label, group_label(group), group->length);
    return label;
}

/* Returns the labels of a sample for messages: "a", "b", "c" and 2 more. */
static const char *variant_list(Env *env, const Sample *sample, const uint32_t *order)
{
    const size_t room = 256; /* three labels of 60 bytes, as group_text cuts them, and the count */
    char *list = env_array(env, room, 1);
    uint32_t shown = sample->group_count < 3 ? sample->group_count : 3;
    size_t length = 0;

    for (uint32_t i = 0; i < shown; i++)
        length += (size_t)snprintf(list + length, room - length, "%s\"%s\"", i > 0 ? ", " : "", group_text(env, &sample_groups(sample)[order[i]]));
    if (shown < sample->group_count)
        snprintf(list + length, room - length, " and %u more", sample->group_count - shown);
    return list;
}

static double sample_rows(const Sample *sample)
{
    double rows = 0;

    for (uint32_t i = 0; i < sample->group_count; i++)
        rows += sample_groups(sample)[i].count;
    return rows;
}

#define GROUP_NONE UINT32_MAX
/* Returns the group with a label; GROUP_NONE: there is none. */
static uint32_t find_variant(const Sample *sample, const char *label)
{
    for (uint32_t i = 0; i < sample->group_count; i++) {
        const SampleGroup *group = &sample_groups(sample)[i];

        if (group->length == strlen(label) && memcmp(group_label(group), label, group->length) == 0)
            return i;
    }
    return GROUP_NONE;
}

/* Finds the group that an option names; *found: GROUP_NONE if it names none. Ends the test if no row has this label. */
static bool named_variant(Env *env, const Sample *sample, const Options *options, const char *name, const uint32_t *order, uint32_t *found,
                          HypothesisResult *result)
{
    const char *label = label_option(options, name);

    *found = label != NULL ? find_variant(sample, label) : GROUP_NONE;
    if (label == NULL || *found != GROUP_NONE)
        return true;
    return hypothesis_fails(env, result, env_message(env, "The variants are %s.", variant_list(env, sample, order)),
                            "none of the %.0f rows has the variant \"%s\" that option \"%s\" names", result->rows, label, name);
}

/* Sets the groups of control and treatment, or ends the test. */
static bool find_variants(Env *env, const Sample *sample, const Options *options, uint32_t variants[2], HypothesisResult *result)
{
    const uint32_t *order = sample_order(env, sample);
    uint32_t count = sample->group_count;

    if (count < 2)
        return hypothesis_fails(env, result, "Pass a column with two variants.", "ab_test compares two variants, but the %.0f rows have %u", result->rows,
                                count);
    if (!named_variant(env, sample, options, "control", order, &variants[0], result) ||
        !named_variant(env, sample, options, "treatment", order, &variants[1], result))
        return false;
    if (variants[1] == GROUP_NONE && count > 2)
        return hypothesis_fails(env, result, "Name the one to compare with the control by option treatment, or choose two with FILTER or WHERE.",
                                "ab_test compares two variants, but the %.0f rows have %u: %s", result->rows, count, variant_list(env, sample, order));
    if (variants[0] == GROUP_NONE)
        variants[0] = order[0] != variants[1] ? order[0] : order[1];
    if (variants[1] == GROUP_NONE)
        variants[1] = order[0] != variants[0] ? order[0] : order[1];
    if (variants[0] == variants[1])
        env_fail(env, ERROR_PARAMETER, "Name two variants.", "options \"control\" and \"treatment\" both name \"%s\"",
                 group_text(env, &sample_groups(sample)[variants[0]]));
    return true;
}

/* ---- means and their variances ---- */

/* A variant's mean, or ratio, with its squared standard error. */
typedef struct Arm {
    const SampleGroup *group;
    const SampleExtra *extra;
    double mean, variance;
} Arm;

static double second_mean(const Arm *arm)
{
    return arm->extra->origin + arm->extra->mean;
}

/* Returns the variance of the mean of outcome - slope x second number. */
static double residual_variance(const Arm *arm, double slope)
{
    double n = arm->group->count;

    return fmax(0, arm->group->squares - 2 * slope * arm->extra->products + slope * slope * arm->extra->squares) / (n - 1) / n;
}

static bool adjust_arms(Env *env, Arm arms[2], VariantComparison *comparison, HypothesisResult *result)
{
    double squares = arms[0].extra->squares + arms[1].extra->squares, rows = arms[0].group->count + arms[1].group->count, plain = 0, adjusted = 0, mean;

    if (!(squares > 0))
        return hypothesis_fails(env, result, "Leave the covariate out, or pass one that varies.", "the covariate is constant within both variants, of %.0f rows",
                                rows);
    comparison->theta = (arms[0].extra->products + arms[1].extra->products) / squares;
    mean = second_mean(&arms[0]) + (second_mean(&arms[1]) - second_mean(&arms[0])) * (arms[1].group->count / rows);
    for (int i = 0; i < 2; i++) {
        plain += arms[i].variance;
        arms[i].mean -= comparison->theta * (second_mean(&arms[i]) - mean);
        arms[i].variance = residual_variance(&arms[i], comparison->theta);
        adjusted += arms[i].variance;
    }
    comparison->variance_reduction = 1 - adjusted / plain;
    return true;
}

static bool divide_arms(Env *env, Arm arms[2], HypothesisResult *result)
{
    for (int i = 0; i < 2; i++) {
        double mean = second_mean(&arms[i]);

        if (!(mean > 0))
            return hypothesis_fails(env, result, "Pass denominators that are counts or other sizes.",
                                    "the denominators of the %.0f rows of variant \"%s\" have the mean %g instead of one above 0", arms[i].group->count,
                                    group_text(env, arms[i].group), mean);
        arms[i].mean /= mean;
        arms[i].variance = residual_variance(&arms[i], arms[i].mean) / (mean * mean);
    }
    return true;
}

/* Sets mean and variance of both variants, or ends the test. */
static bool fill_arms(Env *env, const Sample *sample, const Options *options, const uint32_t variants[2], Arm arms[2], HypothesisResult *result)
{
    VariantComparison *comparison = result->comparison;
    bool ratio = options_boolean(options, "ratio");

    for (int i = 0; i < 2; i++) {
        const SampleGroup *group = &sample_groups(sample)[variants[i]];

        arms[i] = (Arm){group, sample_extra(sample, variants[i]), group_mean(group), 0};
        sample_require_finite(env, group->squares + arms[i].extra->squares);
        if (group->count < 2)
            return hypothesis_fails(env, result, "Collect more rows, or leave small groups out with FILTER.",
                                    "ab_test needs 2 rows per variant, but \"%s\" has %.0f", group_text(env, group), group->count);
        arms[i].variance = group->squares / (group->count - 1) / group->count;
    }
    if (ratio && sample->extra == NULL)
        env_fail(env, ERROR_PARAMETER, "Pass the denominator as the third argument, or of moments as the second one of features.",
                 "option \"ratio\" needs a second number");
    return ratio ? divide_arms(env, arms, result) : sample->extra == NULL || adjust_arms(env, arms, comparison, result);
}

/* ---- the comparison ---- */

double mixture_log_ratio(double z, double ratio)
{
    return (z * z * (ratio / (1 + ratio)) - log1p(ratio)) / 2;
}

double mixture_distance(double level, double ratio)
{
    return sqrt((1 + 1 / ratio) * (log1p(ratio) - 2 * log1p(-level)));
}

/* Sets p-value and limits that hold at any time. Returns the variance of the mixture, in squared standard errors. */
static double always_valid(Env *env, const Arm arms[2], const Options *options, HypothesisResult *result)
{
    double n = arms[0].group->count, m = arms[1].group->count, mixture = options_number(options, "mixture");
    double ratio = isnan(mixture) ? MIXTURE_DEFAULT * MIXTURE_DEFAULT * (n * m / (n + m)) : fmin(pow(mixture / result->std_error, 2), 1e300);
    double distance = mixture_distance(options_number(options, "level"), ratio) * result->std_error;

    if (hypothesis_alternative(options) != TWO_SIDED)
        env_fail(env, ERROR_PARAMETER, "Leave out option \"alternative\".", "option \"always_valid\" is of two-sided tests");
    result->statistic = mixture_log_ratio(result->estimate / result->std_error, ratio);
    result->p_value = fmin(1, exp(-result->statistic));
    result->alternative = alternative_names[TWO_SIDED];
    result->conf_low = result->estimate - distance;
    result->conf_high = result->estimate + distance;
    return ratio;
}

/* Sets the lift with its limits by the delta method, at as many standard errors as those of the difference. */
static void set_lift(const Arm arms[2], double ratio, const Options *options, const HypothesisResult *result, VariantComparison *comparison)
{
    double control = arms[0].mean, lift = result->estimate / control, relative = arms[1].mean / control;
    double error = sqrt(arms[1].variance + relative * relative * arms[0].variance) / control, level = options_number(options, "level"), distance;
    Alternative alternative = hypothesis_alternative(options);

    if (!(control > 0))
        return;
    if (isnan(ratio)) {
        distance = t_quantile(alternative == TWO_SIDED ? (1 + level) / 2 : level, result->df);
    } else { /* the mixture in units of the control's mean */
        double scale = result->std_error / control / error;

        distance = mixture_distance(level, ratio * scale * scale);
    }
    comparison->lift = lift;
    comparison->lift_low = alternative == LESS ? -INFINITY : lift - distance * error;
    comparison->lift_high = alternative == GREATER ? INFINITY : lift + distance * error;
}

static double share_p_value(const Arm arms[2], double share)
{
    double n = arms[0].group->count + arms[1].group->count, expected = share * n, d = arms[1].group->count - expected;

    return chi_square_upper(d * d / expected + d * d / (n - expected), 1);
}

void ab_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    VariantComparison *comparison = env_array(env, 1, sizeof(VariantComparison));
    bool valid = options_boolean(options, "always_valid");
    double df, ratio = NAN;
    uint32_t variants[2];
    Arm arms[2];

    *comparison = (VariantComparison){.lift = NAN, .lift_low = NAN, .lift_high = NAN, .theta = NAN, .variance_reduction = NAN};
    hypothesis_begin(result, NULL, NULL, sample_rows(sample));
    result->comparison = comparison;
    if (!find_variants(env, sample, options, variants, result) || !fill_arms(env, sample, options, variants, arms, result))
        return;
    result->test = env_message(env, "%s%s", valid ? "Always-valid mixture sequential test" : "Welch two-sample t test",
                               sample->extra == NULL                ? ""
                               : options_boolean(options, "ratio") ? " of ratios by the delta method"
                                                                    : " adjusted for a covariate");
    result->estimate = arms[1].mean - arms[0].mean;
    result->std_error = sqrt(arms[0].variance + arms[1].variance);
    sample_require_finite(env, result->estimate + result->std_error);
    if (!(result->std_error > 10 * DBL_EPSILON * fmax(fabs(arms[0].mean), fabs(arms[1].mean)))) {
        hypothesis_fails(env, result, "Check that the outcome varies; \"on_failure\": \"null\" returns NULL instead.",
                         "the outcome is essentially constant in %.0f rows: the standard error is %g", arms[0].group->count + arms[1].group->count,
                         result->std_error);
        return;
    }
    df = welch_df(arms[0].variance, arms[0].group->count, arms[1].variance, arms[1].group->count);
    if (valid)
        ratio = always_valid(env, arms, options, result);
    else
        hypothesis_t(result, 0, df, hypothesis_alternative(options), options_number(options, "level"));
    comparison->control = whole_label(env, arms[0].group);
    comparison->treatment = whole_label(env, arms[1].group);
    comparison->control_rows = arms[0].group->count;
    comparison->treatment_rows = arms[1].group->count;
    comparison->control_mean = arms[0].mean;
    comparison->treatment_mean = arms[1].mean;
    set_lift(arms, ratio, options, result, comparison);
    comparison->sample_ratio_p_value = share_p_value(arms, options_number(options, "treatment_share"));
}

/* ---- shares of variants ---- */

/* Returns the rows of a variant. */
static double rows_of(const Sample *sample, const char *label)
{
    uint32_t group = find_variant(sample, label);

    return group != GROUP_NONE ? sample_groups(sample)[group].count : 0;
}

/* Adds up chi-square over the variants that have a share. Ends the test if a row has another variant. */
static bool chi_square_of_shares(Env *env, const Sample *sample, const Options *options, const char *const *labels, uint32_t count,
                                 HypothesisResult *result)
{
    double sum = 0, known = 0;

    for (uint32_t i = 0; i < count; i++) {
        double share = options_object_number(options, "shares", labels[i], NAN);

        if (!(share > 0 && isfinite(share)))
            env_fail(env, ERROR_PARAMETER, "Pass shares above 0.", "the share of variant \"%s\" is %g", labels[i], share);
        sum += share;
        known += rows_of(sample, labels[i]);
    }
    if (known != result->rows)
        return hypothesis_fails(env, result, "Give each variant a share, or leave its rows out.",
                                "option \"shares\" has %u variants, which %.0f of the %.0f rows do not have: those have %s", count, result->rows - known,
                                result->rows, variant_list(env, sample, sample_order(env, sample)));
    result->statistic = 0;
    for (uint32_t i = 0; i < count; i++) {
        double expected = options_object_number(options, "shares", labels[i], NAN) / sum * result->rows, d = rows_of(sample, labels[i]) - expected;

        result->statistic += d * d / expected;
    }
    return true;
}

void sample_ratio_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    uint32_t count;
    const char *const *labels = options_keys(options, "shares", &count);

    hypothesis_begin(result, "Chi-square test of given shares", NULL, sample_rows(sample));
    if (count == 0) {
        count = sample->group_count;
        result->statistic = 0;
        for (uint32_t i = 0; i < count; i++) {
            double expected = result->rows / count, d = sample_groups(sample)[i].count - expected;

            result->statistic += d * d / expected;
        }
    } else if (!chi_square_of_shares(env, sample, options, labels, count, result)) {
        return;
    }
    if (count < 2) {
        hypothesis_fails(env, result, "Pass a column with several variants, or option shares.", "sample_ratio_test compares variants, but the %.0f rows have %u",
                         result->rows, count);
        return;
    }
    result->df = count - 1.0;
    result->p_value = chi_square_upper(result->statistic, result->df);
    result->effect = "Cohen's w";
    result->effect_size = sqrt(result->statistic / result->rows);
}
