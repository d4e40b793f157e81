/*
 * logistic_plan.h - the penalty and the other options of logistic models.
 */
#ifndef PGFIT_LOGISTIC_PLAN_H
#define PGFIT_LOGISTIC_PLAN_H

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

#endif
