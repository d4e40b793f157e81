/*
 * model_tables.h - finds the tables of a model: those of its method, then those of any method.
 */
#ifndef PGFIT_MODEL_TABLES_H
#define PGFIT_MODEL_TABLES_H

#include "core/estimator/table.h"

/* Tables that models of several methods have: coefficients, features, levels ... NULL-terminated. */
extern const Table *const general_tables[];

/* Returns the table of this name that the model has, or NULL. */
const Table *table_of(const Model *model, const char *name);
/* Returns the names of the tables that the model has: "coefficients, features, levels". */
char *table_names(Env *env, const Model *model);

#endif
