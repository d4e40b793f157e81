/*
 * linear_options.c - reads the options that the linear family shares.
 */
#include "core/linear_equations/linear_options.h"

#include "core/base/sort.h"
#include "core/estimator/shared_options.h"
#include "core/inference/vcov_options.h"
#include "core/rows/special_columns.h"

#include <math.h>
#include <string.h>

#define PATH_DEFAULT 100
#define PATH_LONGEST 10000u

static const char *const linear_losses[] = {"sum", "mean", NULL};
static const char *const descent_words[] = {"path", "cv", NULL};
static const char *const descent_rules[] = {"min", "1se", "aic", "bic", NULL};

const OptionSpec option_intercept[] = {
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation has a constant; it is not penalized."},
    {.name = NULL}};

const OptionSpec options_linear_penalty[] = {
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits in coefficients(), if there is no penalty."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to penalize the coefficients of standardized features, divided by their standard deviation (divisor n)."},
    {.name = NULL}};

const OptionSpec option_path[] = {
    {.name = "path",
     .types = OPTION_INTEGER,
     .minimum = 2,
     .maximum = 10000,
     .unset = "none; 100 if lambda is a word",
     .help = "Also fit this many values of lambda and keep their coefficients, for at_lambda() and coefficient_path()."},
    {.name = NULL}};

const OptionSpec options_linear_path[] = {
    {.name = "reduction",
     .formerly = "loss",
     .types = OPTION_STRING,
     .fallback = "\"sum\"",
     .choices = linear_losses,
     .help = "What the penalty is added to: the sum of squared residuals, or their mean."},
    {.name = "penalty_budget",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "lambda decides",
     .help = "Instead of lambda: the most that the penalty of the coefficients, without its factor lambda, may be; the fit finds the lambda at "
             "which it is that much, 0 if least squares stays below."},
    {.name = NULL}};

const OptionSpec options_linear_descent[] = {
    {.name = "lambda",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,
     .fallback = "1",
     .replaced_by = "penalty_budget",
     FROM_ZERO,
     .choices = descent_words,
     .help = "The penalty on the coefficients (0: least squares): a number, an array of numbers, \"path\" for a path of "
             "them; or chosen by cross-validation (\"cv\")."},
    OPTION_MAX_ITER("10000", 1e9, "passes over the coefficients per lambda"),
    {.name = "path_ratio",
     .types = OPTION_NUMBER,
     .fallback = "0.001",
     BETWEEN_ZERO_AND_ONE,
     .help = LINEAR_PATH_RATIO_HELP},
    {.name = "select", .types = OPTION_STRING, .choices = descent_rules, .unset = "the smallest lambda; min with cv", .help = LINEAR_SELECT_HELP},
    OPTION_TOLERANCE("1e-08", "Stop when the duality gap is at most this share of the target's sum of squares."),
    {.name = NULL}};

static LambdaRule chosen_rule(const Options *options, bool folded)
{
    static const struct {
        const char *name;
        LambdaRule rule;
    } rules[] = {{"min", LAMBDA_MINIMUM}, {"1se", LAMBDA_ONE_SE}, {"aic", LAMBDA_AIC},
                 {"bic", LAMBDA_BIC},     {"gcv", LAMBDA_GCV},    {"loo", LAMBDA_LOO}};

    if (!options_given(options, "select"))
        return options_is(options, "lambda", "gcv")   ? LAMBDA_GCV
               : options_is(options, "lambda", "loo") ? LAMBDA_LOO
               : folded                               ? LAMBDA_MINIMUM
                                                      : LAMBDA_LEAST;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (options_is(options, "select", rules[i].name))
            return rules[i].rule;
    return LAMBDA_LEAST;
}

static void require_consistent(Env *env, const Options *options, const LambdaPlan *plan)
{
    const char *rule = options_given(options, "select") ? options_string(options, "select") : NULL;

    if (rule == NULL)
        return;
    if (isfinite(plan->given))
        env_fail(env, ERROR_PARAMETER,
                 "Leave \"select\" out, or let lambda be chosen: \"cv\", or an array of numbers.",
                 "option \"select\" has nothing to choose from: lambda is %g", plan->given);
    if ((options_is(options, "lambda", "gcv") && plan->rule != LAMBDA_GCV) ||
        (options_is(options, "lambda", "loo") && plan->rule != LAMBDA_LOO))
        env_fail(env, ERROR_PARAMETER, "Leave \"select\" out.",
                 "option \"lambda\": \"%s\" chooses by itself, option \"select\" is \"%s\"",
                 options_string(options, "lambda"), rule);
}

/* Fails if an option beside penalty_budget gives or chooses lambda too. */
static void require_budget_alone(Env *env, const Options *options, double budget)
{
    static const char *const others[] = {"lambda", "path", "path_ratio", "select", "folds", "fold_column", NULL};

    for (size_t i = 0; others[i] != NULL; i++)
        if (options_given(options, others[i]))
            env_fail(env, ERROR_PARAMETER, "Give one of the two: the budget decides lambda.",
                     "option \"%s\" does not go with \"penalty_budget\": %g", others[i], budget);
}

bool options_keep_rows(const Options *options)
{
    if (options_has(options, "keep_rows"))
        return options_boolean(options, "keep_rows");
    if (options_robust(options) || special_column(options).absorbed > 0)
        return true;
    return options_has(options, "lambda") && options_has(options, "select") && (options_is(options, "lambda", "loo") || options_is(options, "select", "loo"));
}

LambdaPlan lambda_plan_read(Env *env, const Options *options)
{
    LambdaPlan plan = {.given = NAN, .budget = NAN, .ratio = options_number(options, "path_ratio")};
    OptionType type = options_type(options, "lambda");

    if (options_given(options, "penalty_budget")) {
        plan.budget = options_number(options, "penalty_budget");
        plan.rule = LAMBDA_BUDGET;
        require_budget_alone(env, options, plan.budget);
        return plan;
    }
    plan.folded = options_folded(options);
    if (type == OPTION_NUMBER)
        plan.given = options_number(options, "lambda");
    if (type == OPTION_NUMBER_LIST) {
        plan.list = options_numbers(options, "lambda", &plan.count);
        if (plan.count > PATH_LONGEST)
            env_fail(env, ERROR_LIMIT, NULL, "option \"lambda\" lists %u numbers, at most %u are possible",
                     plan.count, PATH_LONGEST);
        if (options_given(options, "path"))
            env_fail(env, ERROR_PARAMETER, "Give one of the two.",
                     "option \"path\" is a count of lambdas, and \"lambda\" lists %u", plan.count);
    } else if (type == OPTION_STRING || options_given(options, "path")) {
        plan.count = options_given(options, "path") ? (uint32_t)options_integer(options, "path") : PATH_DEFAULT;
    }
    plan.keep = plan.count > 0 || plan.list != NULL;
    plan.rule = isfinite(plan.given) ? LAMBDA_GIVEN : chosen_rule(options, plan.folded);
    require_consistent(env, options, &plan);
    return plan;
}

double *lambda_grid(Env *env, const LambdaPlan *plan, double greatest, uint32_t *count)
{
    double *grid = env_array(env, plan->count + 1, sizeof(double));

    if (plan->count == 0) {
        grid[0] = plan->given;
        *count = 1;
        return grid;
    }
    if (plan->list != NULL)
        memcpy(grid, plan->list, plan->count * sizeof(double));
    else
        for (uint32_t i = 0; i < plan->count; i++)
            grid[i] = greatest * pow(plan->ratio, (double)i / (plan->count - 1));
    *count = sort_falling(grid, plan->count);
    return grid;
}
