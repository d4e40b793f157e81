/*
 * penalty_plan.h - the penalty of methods that add one to the sum or the mean of the losses of rows, and their other options: logistic and
 * generalized linear models.
 */
#ifndef PGFIT_PENALTY_PLAN_H
#define PGFIT_PENALTY_PLAN_H

#include "core/linear_equations/linear_equations.h"
#include "core/linear_equations/linear_options.h"

typedef struct LossPenalty {
    double l1, l2;    /* factors of |w| and w^2 of each coefficient; the intercept is not penalized */
    bool standardize; /* penalize the coefficients of features divided by their standard deviation */
} LossPenalty;
static inline bool loss_penalized(const LossPenalty *penalty)
{
    return penalty->l1 > 0 || penalty->l2 > 0;
}

/* Returns the penalty at a lambda. unit: at 1. */
static inline LossPenalty loss_penalty_at(const LossPenalty *unit, double lambda)
{
    return (LossPenalty){.l1 = lambda * unit->l1, .l2 = lambda * unit->l2, .standardize = unit->standardize};
}
/* Reads options penalty, alpha and standardize: the penalty at lambda 1. */
LossPenalty loss_penalty_unit(const Options *options);

/* What the options ask for, read once. */
typedef struct PenaltyPlan {
    const Options *options;  /* for class weights, code books and folds, which depend on the rows */
    bool intercept;
    bool mean;               /* the penalty is added to the mean of the losses, not to their sum */
    bool several;            /* lambdas, or folds to judge one by */
    LambdaPlan path;
    double lambda;           /* 1 if there are several */
    LossPenalty unit;        /* at lambda 1 */
    LossPenalty penalty;     /* at lambda */
    int64_t max_iter;
    double tolerance;
} PenaltyPlan;
/* Reads the plan; fails with ERROR_PARAMETER if options contradict each other. method: its name for messages. */
PenaltyPlan penalty_plan_read(Env *env, const Options *options, const char *method);
/*
 * For OPTION_TABLES. options_penalty: alpha, lambda, penalty, reduction, path_ratio; with option_path and options_linear_penalty. option_select:
 * select, of methods that cross-validate; with options_folds.
 */
extern const OptionSpec options_penalty[], option_select[];
#define PENALTY_L2_RATIO 1e-6 /* smallest over greatest lambda of an l2 path, unless option path_ratio is given */

/* Sets the penalties of the standardized columns, [rows->count] each; those of an intercept stay. */
void loss_penalty_columns(const LossPenalty *penalty, const StandardizedRows *rows, double *l1, double *l2);
/* Returns the penalty of the coefficients of all equations. */
double loss_penalty_of(const LossPenalty *penalty, const StandardizedRows *rows, const LinearEquations *equations);

/* Returns the factor of the penalty in the sum of losses of a model: its lambda, times its weight if the loss is a mean. */
double penalty_lambda(Env *env, const Model *model);

#endif
