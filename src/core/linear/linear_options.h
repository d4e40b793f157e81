/*
 * linear_options.h - options that the linear family shares: rows of option tables, and the plan for lambda that they
 * ask for.
 */
#ifndef PGFIT_LINEAR_OPTIONS_H
#define PGFIT_LINEAR_OPTIONS_H

#include "core/estimator/estimator.h"

/* Rows of an estimator's table. text: the help, where its meaning differs between estimators. */
#define LINEAR_OPTION_INTERCEPT(text)                                                              \
    {.name = "intercept", .types = OPTION_BOOLEAN, .fallback = "true", .help = text}
#define LINEAR_OPTION_LEVEL(text)                                                                  \
    {.name = "level",                                                                              \
     .types = OPTION_NUMBER,                                                                       \
     .fallback = "0.95",                                                                           \
     .minimum = 0,                                                                                 \
     .maximum = 1,                                                                                 \
     .minimum_open = true,                                                                         \
     .maximum_open = true,                                                                         \
     .help = text}
#define LINEAR_OPTION_STANDARDIZE(text)                                                            \
    {.name = "standardize", .types = OPTION_BOOLEAN, .fallback = "false", .help = text}
#define LINEAR_STANDARDIZE_PENALTY                                                                 \
    "Penalizes the coefficients of features divided by their standard deviation (divisor n)."
#define LINEAR_OPTION_LOSS                                                                         \
    {.name = "loss",                                                                               \
     .types = OPTION_STRING,                                                                       \
     .fallback = "\"sum\"",                                                                        \
     .choices = linear_losses,                                                                     \
     .help = "What the penalty is added to: the sum of squared residuals, or their mean."}
#define LINEAR_OPTION_MAX_ITER                                                                     \
    {.name = "max_iter",                                                                           \
     .types = OPTION_INTEGER,                                                                      \
     .fallback = "10000",                                                                          \
     .minimum = 1,                                                                                 \
     .maximum = 1000000000,                                                                        \
     .help = "Passes over the coefficients, a lambda, after which the fit stops with a WARNING."}
#define LINEAR_OPTION_TOLERANCE                                                                    \
    {.name = "tolerance",                                                                          \
     .types = OPTION_NUMBER,                                                                       \
     .fallback = "1e-08",                                                                           \
     .minimum = 0,                                                                                 \
     .maximum = 1,                                                                                 \
     .minimum_open = true,                                                                         \
     .help = "The fit has converged where the duality gap is at most this share of the target's sum " \
             "of squares."}
/* A number, a list of numbers, or one of `words`. */
#define LINEAR_OPTION_LAMBDA(words, text)                                                          \
    {.name = "lambda",                                                                             \
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,                                  \
     .fallback = "1",                                                                              \
     FROM_ZERO,                                                                                    \
     .choices = words,                                                                             \
     .help = text}
#define LINEAR_OPTION_PATH                                                                         \
    {.name = "path",                                                                               \
     .types = OPTION_INTEGER,                                                                      \
     .minimum = 2,                                                                                 \
     .maximum = 10000,                                                                             \
     .help = "Fits this many values of lambda beside and keeps their coefficients, for at_lambda() and "    \
             "coefficient_path(); 100 where lambda is a word."}
#define LINEAR_OPTION_PATH_RATIO(ratio)                                                            \
    {.name = "path_ratio",                                                                         \
     .types = OPTION_NUMBER,                                                                       \
     .fallback = ratio,                                                                            \
     .minimum = 0,                                                                                 \
     .maximum = 1,                                                                                 \
     .minimum_open = true,                                                                         \
     .maximum_open = true,                                                                         \
     .help = "The least lambda of a path divided by the greatest."}
#define LINEAR_OPTION_SELECT(words, text)                                                          \
    {.name = "select", .types = OPTION_STRING, .choices = words, .help = text}

#define LINEAR_SELECT_HELP                                                                         \
    "How lambda is chosen from several: the least error of cross-validation, the greatest lambda " \
    "within a standard error of it, or an information criterion; else the least lambda."

extern const char *const linear_losses[];

/* How one of several lambdas is chosen. */
typedef enum LambdaRule {
    LAMBDA_GIVEN,   /* the number */
    LAMBDA_LEAST,   /* the end of the path */
    LAMBDA_MINIMUM, /* least cross-validation error */
    LAMBDA_ONE_SE,  /* greatest lambda whose error is within one standard error of the least */
    LAMBDA_AIC, /* from here on by a criterion */
    LAMBDA_BIC,
    LAMBDA_GCV, /* generalized cross-validation */
    LAMBDA_LOO  /* leaving out each row */
} LambdaRule;

/* What options lambda, path, path_ratio and select ask for. */
typedef struct LambdaPlan {
    double given;        /* the lambda given as a number; NaN: it is chosen from several */
    uint32_t count;      /* lambdas of the path; 0: only the given one */
    const double *list;  /* lambdas that the user listed, in that order; NULL: evenly spaced logarithms */
    double ratio;        /* smallest over greatest lambda */
    bool keep;           /* the model keeps the coefficients of every lambda */
    bool folded;         /* cross-validation */
    LambdaRule rule;
} LambdaPlan;

/* Do these options, of a regression or of moments, need moments that keep their rows? */
bool options_keep_rows(const Options *options);
/* Reads the plan; fails with ERROR_PARAMETER if options contradict each other. */
LambdaPlan lambda_plan_read(Env *env, const Options *options);
/*
 * Returns the *count lambdas of a plan, each once, in falling order; just the given one if there is no path. greatest:
 * the first lambda of a path that the user did not list.
 */
double *lambda_grid(Env *env, const LambdaPlan *plan, double greatest, uint32_t *count);

#endif
