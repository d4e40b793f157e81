/*
 * power_analysis.c - power, rows and detectable effect of tests of means and shares.
 *
 * Means: by the non-central t distribution, with the same variance in both groups. Shares: by the normal distribution, with the pooled share under
 * the null hypothesis (Fleiss et al. 2003), or from Cohen's h. A two-sided test may reject in either direction. Rows and effects are found by
 * bisection of their logarithm, because power grows with both.
 */
#include "core/hypothesis/hypothesis_tests.h"
#include "core/hypothesis/hypothesis_result.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <string.h>

#define LEAST_ROWS 2.0
#define MOST_ROWS 1e15

static const char *const kinds[] = {"two_sample", "one_sample", "paired", "proportions", NULL};

static const OptionSpec kind_options[] = {
    {.name = "test",
     .types = OPTION_STRING,
     .fallback = "\"two_sample\"",
     .choices = kinds,
     .help = "What is tested: means of two groups, the mean of one sample or of the differences of pairs, or shares of two groups."},
    {.name = "sd",
     .types = OPTION_NUMBER,
     .fallback = "1",
     ABOVE_ZERO,
     .help = "Of means: the standard deviation within a group, or of the differences of pairs; 1 makes the effect Cohen's d."},
    {.name = "baseline",
     .types = OPTION_NUMBER,
     BETWEEN_ZERO_AND_ONE,
     .unset = "the effect is Cohen's h",
     .help = "Of proportions: the share of the control, from which the effect is the difference."},
    {.name = "allocation",
     .types = OPTION_NUMBER,
     .fallback = "1",
     ABOVE_ZERO,
     .help = "Of two groups: the rows of the treatment per row of the control."},
    {.name = NULL}};

static const OptionSpec wanted_options[] = {
    {.name = "power",
     .types = OPTION_NUMBER,
     .fallback = "0.8",
     BETWEEN_ZERO_AND_ONE,
     .help = "The probability with which the test is to find the effect."},
    {.name = NULL}};

static const OptionSpec level_option[] = {
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "The confidence level of the test, which is 1 - the significance level."},
    {.name = NULL}};

const OptionSpec *const power_options[] = {alternative_options, level_option, kind_options, NULL};
const OptionSpec *const sizing_options[] = {alternative_options, level_option, kind_options, wanted_options, NULL};

typedef enum PowerKind { TWO_SAMPLE, ONE_SAMPLE, SHARES, SHARES_BY_H } PowerKind;

/* A test to plan. */
typedef struct Plan {
    PowerKind kind;
    Alternative alternative;
    double alpha, sd, baseline, allocation, power;
} Plan;

static Plan plan_of(Env *env, const Options *options)
{
    Plan plan = {.kind = options_is(options, "test", "two_sample")    ? TWO_SAMPLE
                         : !options_is(options, "test", "proportions") ? ONE_SAMPLE
                         : options_given(options, "baseline")          ? SHARES
                                                                       : SHARES_BY_H,
                 .alternative = hypothesis_alternative(options),
                 .alpha = 1 - options_number(options, "level"),
                 .sd = options_number(options, "sd"),
                 .baseline = options_number(options, "baseline"),
                 .allocation = options_number(options, "allocation"),
                 .power = options_has(options, "power") ? options_number(options, "power") : NAN};

    if (options_given(options, "baseline") && plan.kind != SHARES)
        env_fail(env, ERROR_PARAMETER, "Use \"test\": \"proportions\", or leave it out.", "option \"baseline\" is of proportions");
    if (options_given(options, "sd") && plan.kind >= SHARES)
        env_fail(env, ERROR_PARAMETER, "Leave it out.", "option \"sd\" is of means, not of proportions");
    if (options_given(options, "allocation") && plan.kind == ONE_SAMPLE)
        env_fail(env, ERROR_PARAMETER, "Leave it out.", "option \"allocation\" is of two groups");
    return plan;
}

/* Returns the power of a test whose statistic is t with df degrees of freedom around `shift`; infinite df: normal. */
static double t_power(double shift, double df, double tail, Alternative alternative)
{
    double point = isinf(df) ? -normal_quantile(tail) : -t_quantile(tail, df);

    if (alternative == LESS)
        return noncentral_t_upper(point, df, -shift);
    return noncentral_t_upper(point, df, shift) + (alternative == TWO_SIDED ? noncentral_t_upper(point, df, -shift) : 0);
}

/* Returns the power of comparing shares: the difference exceeds `point` standard errors under the null hypothesis. */
static double shares_power(const Plan *plan, double effect, double rows, double tail)
{
    double p = plan->baseline, q = p + effect, n = rows, m = rows * plan->allocation, pooled = (n * p + m * q) / (n + m);
    double null = -normal_quantile(tail) * sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)), error = sqrt(p * (1 - p) / n + q * (1 - q) / m);
    double above = normal_cdf((effect - null) / error), below = normal_cdf((-effect - null) / error);

    return plan->alternative == LESS ? below : plan->alternative == GREATER ? above : above + below;
}

static double plan_power(const Plan *plan, double effect, double rows)
{
    double tail = plan->alternative == TWO_SIDED ? plan->alpha / 2 : plan->alpha, all = rows * (1 + plan->allocation);
    double scale = sqrt(rows * (plan->allocation / (1 + plan->allocation)));

    switch (plan->kind) {
    case TWO_SAMPLE:
        return t_power(effect / plan->sd * scale, all - 2, tail, plan->alternative);
    case ONE_SAMPLE:
        return t_power(effect / plan->sd * sqrt(rows), rows - 1, tail, plan->alternative);
    case SHARES:
        return shares_power(plan, effect, rows, tail);
    default:
        return t_power(effect * scale, INFINITY, tail, plan->alternative);
    }
}

/* ---- checks ---- */

static void require_rows(Env *env, const Plan *plan, double rows)
{
    if (!(rows >= LEAST_ROWS && rows <= MOST_ROWS))
        env_fail(env, ERROR_PARAMETER, "Pass the rows of the control, of the only sample, or the pairs.", "the number of rows is %g, but must be from 2 to 1e15", rows);
    if (plan->kind != ONE_SAMPLE && !(plan->allocation * rows >= 1))
        env_fail(env, ERROR_PARAMETER, "Pass more rows of the control, or a larger allocation.", "allocation %g of %g rows leaves the treatment less than one row",
                 plan->allocation, rows);
}

static void require_effect(Env *env, const Plan *plan, double effect)
{
    if (!isfinite(effect))
        env_fail(env, ERROR_PARAMETER, NULL, "the effect is %g", effect);
    if (plan->kind == SHARES && !(plan->baseline + effect > 0 && plan->baseline + effect < 1))
        env_fail(env, ERROR_PARAMETER, "Pass the difference of two shares, such as 0.02 for two percentage points.",
                 "the effect %g makes a share of %g out of the baseline %g", effect, plan->baseline + effect, plan->baseline);
}

static void require_wanted(Env *env, const Plan *plan)
{
    if (plan->power <= plan->alpha)
        env_fail(env, ERROR_PARAMETER, "Choose a larger power.", "a power of %g is no more than the significance level %g, which needs no effect", plan->power,
                 plan->alpha);
}

/* ---- what a power needs ---- */

/* Returns the number from low to high whose power is the one wanted, of an effect (by_effect, with this sign) or of rows. */
static double solve(Env *env, const Plan *plan, double low, double high, bool by_effect, double other)
{
    double from = log(low), to = log(high), middle = 0;

    for (int i = 0; i < 200; i++) {
        double x;

        env->poll(env);
        middle = from + (to - from) / 2;
        if (middle <= from || middle >= to)
            break;
        x = exp(middle);
        if (plan_power(plan, by_effect ? copysign(x, other) : other, by_effect ? fabs(other) : x) < plan->power)
            from = middle;
        else
            to = middle;
    }
    return exp(middle);
}

double test_power(Env *env, double effect, double rows, const Options *options)
{
    Plan plan = plan_of(env, options);

    require_effect(env, &plan, effect);
    require_rows(env, &plan, rows);
    return fmin(1, plan_power(&plan, effect, rows));
}

double test_sample_size(Env *env, double effect, const Options *options)
{
    Plan plan = plan_of(env, options);
    double least = plan.kind == ONE_SAMPLE ? LEAST_ROWS : fmax(LEAST_ROWS, 1 / plan.allocation);

    require_effect(env, &plan, effect);
    require_wanted(env, &plan);
    if (effect == 0 || (plan.alternative == LESS && effect > 0) || (plan.alternative == GREATER && effect < 0))
        env_fail(env, ERROR_PARAMETER, "Pass an effect in the direction of the alternative.", "no number of rows finds the effect %g with alternative \"%s\"", effect,
                 alternative_names[plan.alternative]);
    if (plan_power(&plan, effect, least) >= plan.power)
        return least;
    if (plan_power(&plan, effect, MOST_ROWS) < plan.power)
        env_fail(env, ERROR_PARAMETER, "Pass a larger effect.", "the effect %g needs more than 1e15 rows", effect);
    return solve(env, &plan, least, MOST_ROWS, false, effect);
}

double test_detectable_effect(Env *env, double rows, const Options *options)
{
    Plan plan = plan_of(env, options);
    double sign = plan.alternative == LESS ? -1 : 1, unit = plan.kind >= SHARES ? 1 : plan.sd, most = 1e12 * unit;

    require_rows(env, &plan, rows);
    require_wanted(env, &plan);
    if (plan.kind == SHARES)
        most = (sign > 0 ? 1 - plan.baseline : plan.baseline) * (1 - DBL_EPSILON);
    if (plan_power(&plan, sign * most, rows) < plan.power)
        env_fail(env, ERROR_PARAMETER, "Pass more rows.", "no effect has the power %g with %g rows", plan.power, rows);
    return sign * solve(env, &plan, 1e-16 * unit, most, true, sign * rows);
}
