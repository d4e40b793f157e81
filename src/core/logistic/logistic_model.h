/*
 * logistic_model.h - checks and statistics that logistic_regression and logistic_step share.
 *
 * Stored facts: log_likelihood, null_deviance, parameters (only with a single likelihood: two classes or multinomial),
 * objective and penalty (penalized), nonzero (l1), iterations, converged, separated, dropped_terms.
 */
#ifndef PGFIT_LOGISTIC_MODEL_H
#define PGFIT_LOGISTIC_MODEL_H

#include "core/estimator/estimator.h"

extern const ArrayTable logistic_array_tables[];
/* Returns what is wrong with a model from outside; NULL: nothing. */
const char *logistic_check(Env *env, const Model *model);
/* Returns the statistics that follow from the stored facts: deviance, aic, bic, pseudo_r_squared (McFadden), df_residual. */
Model *logistic_statistics(Env *env, const Model *model);
extern const Table *const logistic_tables[]; /* NULL-terminated */

#endif
