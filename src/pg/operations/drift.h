/*
 * drift.h - the summary of training rows that fit stores in a model for drift.
 */
#ifndef PGFIT_DRIFT_H
#define PGFIT_DRIFT_H

#include "pg/operations/fit_query.h"

/* Lists the columns of the source that the model reads and a summary can hold, as "d.a, d.b"; NULL: there are none. */
char *summary_columns(const FitQuery *query, const Model *model);
/* Lists their names as a JSON array; NULL: there are none. */
char *summary_names(const FitQuery *query, const Model *model);
/*
 * Returns the model with a summary of the columns that it reads, over all rows of the source that meet the condition (NULL: all), also those
 * that the fit skipped. Takes one more scan of the source. Fails where there are no columns. Needs SPI.
 */
Model *model_keep_summary(const FitQuery *query, const char *condition, const Model *model);

#endif
