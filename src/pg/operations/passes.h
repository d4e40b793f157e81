/*
 * passes.h - option "passes" of fit: a fit by passes over the source, none of which keeps rows.
 */
#ifndef PGFIT_PASSES_H
#define PGFIT_PASSES_H

#include "pg/operations/fit_query.h"

typedef struct Passes Passes;

/*
 * Takes option "passes" out of the options. Returns NULL without it, if it is false, and for estimators of moments, whose aggregate is such
 * a pass. Fails for an estimator that cannot be fitted by passes.
 */
Passes *passes_take(const Estimator *estimator, Jsonb **options);
/* Reads the options of the estimator. Fails for those that passes cannot follow. */
void passes_read(Passes *passes, const FitQuery *query);
/* Returns the query of a pass after the first model, $1. condition: as in fit_query.h. */
char *passes_text(const FitQuery *query, const char *condition);
/*
 * Fits, in the active snapshot. Returns the model in the current memory context; NULL if no row can be used. Warns if the passes end
 * before the model has converged.
 */
Model *passes_run(const FitQuery *query, const char *condition);

#endif
