/*
 * logistic_model.h - options, checks and statistics that logistic_regression and logistic_step share.
 *
 * Stored facts: log_likelihood, null_deviance, parameters (only with a single likelihood: two classes or multinomial),
 * objective and penalty (penalized), nonzero (l1), iterations, converged, separated, dropped_terms.
 */
#ifndef PGFIT_LOGISTIC_MODEL_H
#define PGFIT_LOGISTIC_MODEL_H

#include "core/estimator/estimator.h"
#include "core/linear_equations/linear_options.h"

typedef struct LogisticPenalty {
    double l1, l2;    /* factors of |w| and w^2 of each coefficient; the intercept is not penalized */
    bool standardize; /* penalize the coefficients of features divided by their standard deviation */
} LogisticPenalty;
static inline bool logistic_penalized(const LogisticPenalty *penalty)
{
    return penalty->l1 > 0 || penalty->l2 > 0;
}

/* Returns the penalty at a lambda. unit: at 1. */
static inline LogisticPenalty logistic_penalty_at(const LogisticPenalty *unit, double lambda)
{
    return (LogisticPenalty){.l1 = lambda * unit->l1, .l2 = lambda * unit->l2, .standardize = unit->standardize};
}
/* Reads options penalty, alpha and standardize: the penalty at lambda 1. */
LogisticPenalty logistic_unit_penalty(const Options *options);

/* What the options ask for, read once. */
typedef struct LogisticPlan {
    const Options *options;  /* for class weights, code books and folds, which depend on the rows */
    bool intercept;
    bool mean;               /* the penalty is added to the mean of the losses, not to their sum */
    bool several;            /* lambdas, or folds to judge one by */
    LambdaPlan path;
    double lambda;           /* 1 if there are several */
    LogisticPenalty unit;    /* at lambda 1 */
    LogisticPenalty penalty; /* at lambda */
    int64_t max_iter;
    double tolerance;
} LogisticPlan;
/* Reads the plan; fails with ERROR_PARAMETER if options contradict each other. */
LogisticPlan logistic_plan(Env *env, const Options *options);
extern const OptionSpec options_logistic_path[]; /* for OPTION_TABLES: reduction, path_ratio, select; with option_path */
#define LOGISTIC_L2_RATIO 1e-6 /* smallest over greatest lambda of an l2 path, unless option path_ratio is given */

/* Returns the factor of the penalty in the sum of losses of a model: its lambda, times its weight if the loss is a mean. */
double logistic_lambda(Env *env, const Model *model);

extern const ArrayTable logistic_array_tables[];
/* Returns what is wrong with a model from outside; NULL: nothing. */
const char *logistic_check(Env *env, const Model *model);
/* Returns the statistics that follow from the stored facts: deviance, aic, bic, pseudo_r_squared (McFadden), df_residual. */
Model *logistic_statistics(Env *env, const Model *model);
extern const Table *const logistic_tables[]; /* NULL-terminated */

#endif
