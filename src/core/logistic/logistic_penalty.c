/*
 * logistic_penalty.c - the penalty of a logistic model, read from its options and checked.
 */
#include "core/logistic/logistic_model.h"

#include "core/linear_equations/linear_path_model.h"

#include <string.h>

/* Tells whether lambda is several numbers, or a word for them. */
static bool several_lambdas(const Options *options)
{
    OptionType type = options_type(options, "lambda");

    return type == OPTION_NUMBER_LIST || type == OPTION_STRING || options_given(options, "path");
}

/* Returns option "penalty", or its default: l2 if lambda is above 0. */
static const char *penalty_name(const Options *options)
{
    const char *name = options_string(options, "penalty");

    return name != NULL ? name : several_lambdas(options) || options_number(options, "lambda") > 0 ? "l2" : "none";
}

LogisticPenalty logistic_penalty_at(const Options *options, double lambda)
{
    double alpha = options_number(options, "alpha");
    const char *name = penalty_name(options);
    LogisticPenalty penalty = {.standardize = options_boolean(options, "standardize")};

    if (strcmp(name, "l2") == 0)
        penalty.l2 = lambda;
    else if (strcmp(name, "l1") == 0)
        penalty.l1 = lambda;
    else if (strcmp(name, "elastic_net") == 0) {
        penalty.l1 = lambda * alpha;
        penalty.l2 = lambda * (1 - alpha);
    }
    return penalty;
}

LogisticPenalty logistic_penalty_of(const Options *options)
{
    return logistic_penalty_at(options, options_number(options, "lambda"));
}

double logistic_lambda(Env *env, const Model *model)
{
    const Options *options = estimator_options(env, estimator_of(model), model);

    return linear_path_lambda(env, model) * (options_is(options, "reduction", "mean") ? model->weight : 1);
}

/* Fails if one of several lambdas is 0, where there would be no penalty. */
static void require_positive(Env *env, const Options *options)
{
    uint32_t count;
    const double *list = options_numbers(options, "lambda", &count);

    for (uint32_t i = 0; i < count && options_type(options, "lambda") == OPTION_NUMBER_LIST; i++)
        if (!(list[i] > 0))
            env_fail(env, ERROR_PARAMETER, "Fit without a penalty by itself: leave \"lambda\" out.",
                     "several lambdas of logistic_regression must be above 0, not %g", list[i]);
}

void logistic_penalty_check(Env *env, const Options *options)
{
    double lambda = options_number(options, "lambda");
    const char *given = options_string(options, "penalty"), *name = penalty_name(options);

    require_positive(env, options);
    if (given != NULL && strcmp(given, "none") == 0 && several_lambdas(options))
        env_fail(env, ERROR_PARAMETER, "Omit one of them.", "\"penalty\" is \"none\", but there are several lambdas");
    if (given != NULL && strcmp(given, "none") == 0 && lambda > 0)
        env_fail(env, ERROR_PARAMETER, "Omit one of them.",
                 "\"penalty\" is \"none\", but \"lambda\" is %g", lambda);
    if (given != NULL && strcmp(given, "none") != 0 && !options_given(options, "lambda") && !several_lambdas(options))
        env_fail(env, ERROR_PARAMETER, "Set \"lambda\"; for l2, 0.5 is scikit-learn's C = 1.",
                 "penalty \"%s\" needs option \"lambda\"", given);
    if (options_given(options, "alpha") && strcmp(name, "elastic_net") != 0)
        env_fail(env, ERROR_PARAMETER, "Set \"penalty\": \"elastic_net\", or omit \"alpha\".",
                 "option \"alpha\" is only for \"penalty\": \"elastic_net\", not for \"%s\"", name);
}
