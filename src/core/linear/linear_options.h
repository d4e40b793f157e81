/*
 * linear_options.h - options that the linear family shares: rows of their tables, and what they say.
 */
#ifndef PGFIT_LINEAR_OPTIONS_H
#define PGFIT_LINEAR_OPTIONS_H

#include "core/estimator/estimator.h"

/*
 * Tables for OPTION_TABLES. options_linear_penalty: intercept, level, loss, path and standardize, of regressions with a
 * penalty. options_linear_descent: max_iter, path_ratio and tolerance, of those fitted by coordinate descent.
 * option_few_folds: too_few_rows, of those that choose lambda by leaving rows out.
 */
extern const OptionSpec options_linear_penalty[], options_linear_descent[], option_few_folds[];
#define LINEAR_STANDARDIZE_PENALTY                                                                 \
    "Penalizes the coefficients of features divided by their standard deviation (divisor n)."

#define LINEAR_SELECT_HELP                                                                         \
    "How lambda is chosen from several: the least error of cross-validation, the greatest lambda " \
    "within a standard error of it, or an information criterion; else the least lambda."

/* Returns whether rows that are too few give NULL: in a window's frame, and with option too_few_rows. */
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
