/*
 * logistic_penalty.c - the penalty of a logistic model, read from its options and checked.
 */
#include "core/logistic/logistic_model.h"

#include <string.h>

static const char *penalty_name(const Options *options)
{
    const char *name = options_string(options, "penalty");

    return name != NULL ? name : options_number(options, "lambda") > 0 ? "l2" : "none";
}

LogisticPenalty logistic_penalty_of(const Options *options)
{
    double lambda = options_number(options, "lambda"), alpha = options_number(options, "alpha");
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

void logistic_penalty_check(Env *env, const Options *options)
{
    double lambda = options_number(options, "lambda");
    const char *given = options_string(options, "penalty"), *name = penalty_name(options);

    if (given != NULL && strcmp(given, "none") == 0 && lambda > 0)
        env_fail(env, ERROR_PARAMETER, "Leave one of them out.",
                 "penalty \"none\" has no lambda, but %g is given", lambda);
    if (given != NULL && strcmp(given, "none") != 0 && !options_given(options, "lambda"))
        env_fail(env, ERROR_PARAMETER, "Give \"lambda\"; 0.5 is scikit-learn's C = 1 for l2.",
                 "penalty \"%s\" needs option \"lambda\"", given);
    if (options_given(options, "alpha") && strcmp(name, "elastic_net") != 0)
        env_fail(env, ERROR_PARAMETER, "Give \"penalty\": \"elastic_net\", or leave alpha out.",
                 "option \"alpha\" belongs to the penalty elastic_net, not to %s", name);
}
