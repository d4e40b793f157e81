/*
 * linear_options.h - options that the linear family shares: rows of option tables, and the plan for lambda that they
 * ask for.
 */
#ifndef PGFIT_LINEAR_OPTIONS_H
#define PGFIT_LINEAR_OPTIONS_H

#include "core/estimator/estimator.h"

/*
 * Tables for OPTION_TABLES. option_intercept: of methods that penalize coefficients. options_linear_penalty: level and
 * standardize, of those that have tests without a penalty. option_path: of all with paths. options_linear_path: loss and
 * penalty_budget, of regressions. options_linear_descent: lambda, max_iter, path_ratio, select and tolerance, of those fitted by
 * coordinate descent.
 */
extern const OptionSpec option_intercept[], option_path[], options_linear_penalty[], options_linear_path[], options_linear_descent[];
#define LINEAR_PATH_RATIO_HELP "The smallest lambda of a path divided by the largest."
#define LINEAR_SELECT_HELP                                                                         \
    "How to choose one of several lambdas: by the least error of cross-validation, as the largest lambda within one " \
    "standard error of it, or by an information criterion."

/* How one of several lambdas is chosen. */
typedef enum LambdaRule {
    LAMBDA_GIVEN,   /* the number */
    LAMBDA_BUDGET,  /* the one whose coefficients have the penalty that is asked for */
    LAMBDA_LEAST,   /* the end of the path */
    LAMBDA_MINIMUM, /* least cross-validation error */
    LAMBDA_ONE_SE,  /* greatest lambda whose error is within one standard error of the least */
    LAMBDA_AIC, /* from here on by a criterion */
    LAMBDA_BIC,
    LAMBDA_GCV, /* generalized cross-validation */
    LAMBDA_LOO  /* leaving out each row */
} LambdaRule;

/* What options lambda, path, path_ratio, select and penalty_budget ask for. */
typedef struct LambdaPlan {
    double given;        /* the lambda given as a number; NaN: it is chosen from several */
    double budget;       /* the penalty that the coefficients may have; NaN: lambda is given or chosen otherwise */
    uint32_t count;      /* lambdas of the path; 0: only the given one */
    const double *list;  /* lambdas that the user listed, in that order; NULL: evenly spaced logarithms */
    double ratio;        /* smallest over greatest lambda */
    bool keep;           /* the model keeps the coefficients of every lambda */
    bool folded;         /* cross-validation */
    LambdaRule rule;
} LambdaPlan;

/* Tells whether these options, of a regression or of moments, need moments that keep their rows. */
bool options_keep_rows(const Options *options);
/* Reads the plan; fails with ERROR_PARAMETER if options contradict each other. */
LambdaPlan lambda_plan_read(Env *env, const Options *options);
/*
 * Returns the *count lambdas of a plan, each once, in falling order; just the given one if there is no path. greatest:
 * the first lambda of a path that the user did not list.
 */
double *lambda_grid(Env *env, const LambdaPlan *plan, double greatest, uint32_t *count);

#endif
