/*
 * linear_options.h - options that the linear family shares: rows of their tables, and what they say.
 */
#ifndef PGFIT_LINEAR_OPTIONS_H
#define PGFIT_LINEAR_OPTIONS_H

#include "core/estimator/estimator.h"

/* Rows of an estimator's table; text: the help where members of the family differ in what it means. */
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
#define LINEAR_OPTION_TOO_FEW(text)                                                                \
    {.name = "too_few_rows",                                                                       \
     .types = OPTION_STRING,                                                                       \
     .fallback = "\"error\"",                                                                      \
     .choices = linear_few_choices,                                                                \
     .help = text}
#define LINEAR_TOO_FEW_FOLDS                                                                       \
    "What a group gives whose rows are too few to choose lambda by leaving rows out: an error, or NULL as its model."
/* One number, a list, or one of the words that `words` lists. */
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

extern const char *const linear_losses[], *const linear_few_choices[];
/* Do rows that are too few give NULL: in a window's frame, and by option too_few_rows? */
bool linear_passed_over(const FitInput *input, const Options *options);

/* How a lambda is chosen from several. */
typedef enum LambdaRule {
    LAMBDA_GIVEN,   /* the number */
    LAMBDA_LEAST,   /* the end of the path */
    LAMBDA_MINIMUM, /* the least error of cross-validation */
    LAMBDA_ONE_SE,  /* the greatest whose error is within a standard error of the least */
    LAMBDA_AIC, /* from here on by a criterion */
    LAMBDA_BIC,
    LAMBDA_GCV, /* generalized cross-validation */
    LAMBDA_LOO  /* leaving out each row */
} LambdaRule;

/* What options lambda, path, path_ratio and select ask for. */
typedef struct LambdaPlan {
    double given;        /* the number; NaN: to be chosen */
    uint32_t count;      /* lambdas of the path; 0: the given one alone */
    const double *list;  /* those that the user named, as they came; NULL: spread evenly in their logarithms */
    double ratio;        /* of the least to the greatest */
    bool keep;           /* the model keeps the coefficients of all */
    bool folded;         /* cross-validation */
    LambdaRule rule;
} LambdaPlan;

/* Do these options want moments that keeps its rows? Of regressions, or of moments. */
bool options_keep_rows(const Options *options);
/* Fails with ERROR_PARAMETER where the options contradict each other. */
LambdaPlan lambda_plan_read(Env *env, const Options *options);
/*
 * The lambdas of a plan, each once, the greatest first; *count of them. greatest: where a path that was
 * not listed begins; the given one alone where there is no path.
 */
double *lambda_grid(Env *env, const LambdaPlan *plan, double greatest, uint32_t *count);

#endif
