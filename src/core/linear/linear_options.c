/*
 * linear_options.c - reads the options that the linear family shares.
 */
#include "core/linear/linear_options.h"

#include "core/rows/folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PATH_DEFAULT 100
#define PATH_LONGEST 10000u

const char *const linear_losses[] = {"sum", "mean", NULL};

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

bool options_keep_rows(const Options *options)
{
    if (options_has(options, "keep_rows"))
        return options_boolean(options, "keep_rows");
    return options_has(options, "select") && (options_is(options, "lambda", "loo") || options_is(options, "select", "loo"));
}

LambdaPlan lambda_plan_read(Env *env, const Options *options)
{
    LambdaPlan plan = {.given = NAN, .ratio = options_number(options, "path_ratio")};
    OptionType type = options_type(options, "lambda");

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

static int compare_falling(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a < b) - (a > b);
}

/* Sorts numbers in falling order and removes duplicates; returns how many are left. */
static uint32_t sort_falling(double *values, uint32_t count)
{
    uint32_t kept = 0;

    qsort(values, count, sizeof(double), compare_falling);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i])
            values[kept++] = values[i];
    return kept;
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
