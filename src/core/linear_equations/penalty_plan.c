/*
 * penalty_plan.c - the options of a penalty, read and checked, and its sums.
 */
#include "core/linear_equations/penalty_plan.h"

#include "core/linear_equations/linear_path_model.h"

#include <math.h>
#include <string.h>

static const char *const penalties[] = {"none", "l2", "l1", "elastic_net", NULL};
static const char *const lambda_words[] = {"path", "cv", NULL};
static const char *const losses[] = {"sum", "mean", NULL};
static const char *const rules[] = {"min", "1se", NULL};

const OptionSpec options_penalty[] = {
    {.name = "alpha",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     FROM_ZERO_TO_ONE,
     .help = "For elastic_net: the penalty is lambda (alpha |w| + (1 - alpha) w^2)."},
    {.name = "lambda",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,
     .fallback = "0",
     FROM_ZERO,
     .choices = lambda_words,
     .help = "The strength of the penalty, which is added to the sum of the rows' losses: a number, an array of numbers, \"path\" for a path of them, "
             "or \"cv\" for the one that cross-validation chooses."},
    {.name = "penalty",
     .types = OPTION_STRING,
     .choices = penalties,
     .unset = "l2 if lambda is given, otherwise none",
     .help = "The penalty on the coefficients: lambda times the sum of squares (l2), of absolute values (l1), or of both (elastic_net)."},
    {.name = "reduction",
     .formerly = "loss",
     .types = OPTION_STRING,
     .fallback = "\"sum\"",
     .choices = losses,
     .help = "What the penalty is added to: the sum of the rows' losses, or their mean."},
    {.name = "path_ratio",
     .types = OPTION_NUMBER,
     .fallback = "0.001",
     BETWEEN_ZERO_AND_ONE,
     .help = "The smallest lambda of a path divided by the largest; 1e-06 if not given for an l2 penalty."},
    {.name = NULL}};

const OptionSpec option_select[] = {
    {.name = "select",
     .types = OPTION_STRING,
     .choices = rules,
     .unset = "the smallest lambda; min with cv",
     .help = "How to choose one of several lambdas: by the least error of cross-validation (min), or as the largest lambda within one standard "
             "error of it (1se)."},
    {.name = NULL}};

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

LossPenalty loss_penalty_unit(const Options *options)
{
    double alpha = options_number(options, "alpha");
    const char *name = penalty_name(options);
    LossPenalty penalty = {.standardize = options_boolean(options, "standardize")};

    if (strcmp(name, "l2") == 0)
        penalty.l2 = 1;
    else if (strcmp(name, "l1") == 0)
        penalty.l1 = 1;
    else if (strcmp(name, "elastic_net") == 0) {
        penalty.l1 = alpha;
        penalty.l2 = 1 - alpha;
    }
    return penalty;
}

void loss_penalty_columns(const LossPenalty *penalty, const StandardizedRows *rows, double *l1, double *l2)
{
    for (uint32_t t = 0; t < rows->terms; t++) {
        double factor = standardized_factor(rows, t, penalty->standardize);

        l1[rows->intercept + t] = penalty->l1 * factor;
        l2[rows->intercept + t] = penalty->l2 * factor * factor;
    }
}

double loss_penalty_of(const LossPenalty *penalty, const StandardizedRows *rows, const LinearEquations *equations)
{
    size_t columns = (size_t)equations->slots + equations->levels;
    double sum = 0;

    for (uint32_t e = 0; e < equations->equations; e++)
        for (uint32_t t = 0; t < rows->terms; t++) {
            uint32_t term = rows->term[t];
            double w = fabs(equations->coef[e * columns + linear_column(equations->slots, equations->terms, term)]);

            w *= penalty->standardize ? rows->deviation[term] : 1;
            sum += penalty->l1 * w + penalty->l2 * w * w;
        }
    return sum;
}

double penalty_lambda(Env *env, const Model *model)
{
    const Options *options = estimator_options(env, estimator_of(model), model);

    return linear_path_lambda(env, model) * (options_is(options, "reduction", "mean") ? model->weight : 1);
}

/* Fails if the options of the penalty contradict each other. */
static void check_penalty(Env *env, const Options *options, const char *method)
{
    uint32_t count;
    const double *list = options_numbers(options, "lambda", &count);
    double lambda = options_number(options, "lambda");
    const char *given = options_string(options, "penalty"), *name = penalty_name(options);

    for (uint32_t i = 0; i < count && options_type(options, "lambda") == OPTION_NUMBER_LIST; i++)
        if (!(list[i] > 0)) /* there would be no penalty */
            env_fail(env, ERROR_PARAMETER, "Fit without a penalty by itself: leave \"lambda\" out.",
                     "several lambdas of %s must be above 0, not %g", method, list[i]);
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

PenaltyPlan penalty_plan_read(Env *env, const Options *options, const char *method)
{
    PenaltyPlan plan = {.options = options,
                         .intercept = options_boolean(options, "intercept"),
                         .mean = options_is(options, "reduction", "mean"),
                         .unit = loss_penalty_unit(options),
                         .lambda = 1,
                         .max_iter = options_integer(options, "max_iter"),
                         .tolerance = options_number(options, "tolerance")};

    check_penalty(env, options, method);
    plan.path = lambda_plan_read(env, options);
    plan.several = plan.path.count > 0 || plan.path.folded;
    if (!plan.several)
        plan.lambda = options_number(options, "lambda");
    plan.penalty = loss_penalty_at(&plan.unit, plan.lambda);
    if (plan.several && !loss_penalized(&plan.penalty))
        env_fail(env, ERROR_PARAMETER, "Set \"lambda\" to \"cv\" or to numbers above 0.", "there is no lambda to cross-validate");
    if (plan.unit.l1 == 0 && !options_given(options, "path_ratio"))
        plan.path.ratio = PENALTY_L2_RATIO;
    if (plan.several && options_given(options, "start"))
        env_fail(env, ERROR_PARAMETER, "Leave \"start\" out, or give one lambda.", "a path starts from its own solutions, not from option \"start\"");
    return plan;
}
