/*
 * hypothesis_result.c - what every test returns, and the options that tests share.
 */
#include "core/hypothesis/hypothesis_result.h"
#include "core/math/special_functions.h"

#include <stdarg.h>
#include <stdio.h>

const char *const alternative_names[] = {"two_sided", "less", "greater", NULL};
static const char *const failure_choices[] = {"error", "null", NULL};

const OptionSpec hypothesis_options[] = {
    {.name = "on_failure",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = failure_choices,
     .help = "What to do where the rows do not define the test (too few, a single group, no variance): raise an error, or return NULL.",
     .of_call = true},
    {.name = NULL}};

const OptionSpec alternative_options[] = {
    {.name = "alternative",
     .types = OPTION_STRING,
     .fallback = "\"two_sided\"",
     .choices = alternative_names,
     .help = "Whether the estimate may differ from the null hypothesis in both directions, or is tested for being less or greater."},
    {.name = NULL}};

Alternative hypothesis_alternative(const Options *options)
{
    return options_is(options, "alternative", "less") ? LESS : options_is(options, "alternative", "greater") ? GREATER : TWO_SIDED;
}

void hypothesis_begin(HypothesisResult *result, const char *test, const char *alternative, double rows)
{
    *result = (HypothesisResult){.test = test, .statistic = NAN, .df = NAN, .df_2 = NAN, .p_value = NAN, .estimate = NAN,
                                 .std_error = NAN, .conf_low = NAN, .conf_high = NAN, .effect_size = NAN,
                                 .alternative = alternative, .rows = rows};
}

bool hypothesis_fails(Env *env, HypothesisResult *result, const char *hint, const char *format, ...)
{
    const size_t size = 500;
    char *message = env_array_raw(env, size, 1);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, size, format, arguments);
    va_end(arguments);
    result->failure = message;
    result->failure_hint = hint;
    return false;
}

void hypothesis_t(HypothesisResult *result, double null, double df, Alternative alternative, double level)
{
    double t = (result->estimate - null) / result->std_error, both = t_two_sided(t, df);
    double point = t_quantile(alternative == TWO_SIDED ? (1 + level) / 2 : level, df) * result->std_error;

    result->statistic = t;
    result->df = df;
    result->alternative = alternative_names[alternative];
    result->conf_low = alternative == LESS ? -INFINITY : result->estimate - point;
    result->conf_high = alternative == GREATER ? INFINITY : result->estimate + point;
    result->p_value = alternative == TWO_SIDED ? both : (t < 0) == (alternative == LESS) ? both / 2 : 1 - both / 2;
}

double normal_p_value(double z, Alternative alternative)
{
    return alternative == TWO_SIDED ? 2 * normal_cdf(-fabs(z)) : normal_cdf(alternative == LESS ? z : -z);
}

void normal_ends(double level, Alternative alternative, double *low, double *high)
{
    double point = alternative == TWO_SIDED ? -normal_quantile((1 - level) / 2) : normal_quantile(level); /* (1 + level) / 2 may round to 1 */

    *low = alternative == LESS ? -INFINITY : -point;
    *high = alternative == GREATER ? INFINITY : point;
}
