/*
 * fit_call.h - calls of aggregates over the rows of a fit.
 */
#ifndef PGFIT_FIT_CALL_H
#define PGFIT_FIT_CALL_H

#include "pg/operations/fit_query.h"

/*
 * Returns "schema.name([target, ]row, options[, weight])" over the rows of the source; of a distributed fit the form that splits, with the whole row
 * of the source.
 */
char *fit_call(const FitQuery *query, const char *schema, const char *name, bool target, const char *row, const char *options);
/*
 * Writes the arguments with the very types of a form of pgfit_distributed. Options are written even if there are none: a form that takes whole rows has
 * them always. target: whether the call has one. Fails without the extension.
 */
char *fit_typed_arguments(const FitQuery *query, bool target, const char *options);

#endif
