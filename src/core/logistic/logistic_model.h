/*
 * logistic_model.h - penalties, checks and statistics that logistic_regression and logistic_step share.
 *
 * Stored facts: log_likelihood, null_deviance, parameters (only with a single likelihood: two classes or multinomial),
 * objective and penalty (penalized), nonzero (l1), iterations, converged, separated, dropped_terms.
 */
#ifndef PGFIT_LOGISTIC_MODEL_H
#define PGFIT_LOGISTIC_MODEL_H

#include "core/estimator/estimator.h"

typedef struct LogisticPenalty {
    double l1, l2;    /* factors of |w| and w^2 of each coefficient; the intercept is not penalized */
    bool standardize; /* penalize the coefficients of features divided by their standard deviation */
} LogisticPenalty;
static inline bool logistic_penalized(const LogisticPenalty *penalty)
{
    return penalty->l1 > 0 || penalty->l2 > 0;
}

/* Reads options penalty, lambda (a number), alpha and standardize. */
LogisticPenalty logistic_penalty_of(const Options *options);
/* The same for another lambda. */
LogisticPenalty logistic_penalty_at(const Options *options, double lambda);
/* Fails with ERROR_PARAMETER if the given penalty options contradict each other. */
void logistic_penalty_check(Env *env, const Options *options);

/* Returns the factor of the penalty in the sum of losses of a model: its lambda, times its weight if the loss is a mean. */
double logistic_lambda(Env *env, const Model *model);

extern const ArrayTable logistic_array_tables[];
/* Returns what is wrong with a model from outside; NULL: nothing. */
const char *logistic_check(Env *env, const Model *model);
/* Returns the statistics that follow from the stored facts: deviance, aic, bic, pseudo_r_squared (McFadden), df_residual. */
Model *logistic_statistics(Env *env, const Model *model);
extern const Table *const logistic_tables[]; /* NULL-terminated */

#endif
