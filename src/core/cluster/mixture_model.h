/*
 * mixture_model.h - a gaussian_mixture as a value: see gaussian_mixture.c for its arrays.
 */
#ifndef PGFIT_MIXTURE_MODEL_H
#define PGFIT_MIXTURE_MODEL_H

#include "core/estimator/estimator.h"
#include "core/cluster/mixture.h"

/* Sets the form that covariances of this shape have. Returns false if no form has this shape. */
bool mixture_form_of(uint32_t k, uint32_t dims, const ModelEntry *covariances, MixtureForm *form);
/* The arrays of a gaussian_mixture and of the state of its steps. */
extern const ArrayTable mixture_array_tables[];
/* Returns a view of the parameters inside the model, which must not be written to. */
Mixture mixture_view(const Model *model);
/* Returns a plan with the factors of a prepared scorer, which must outlive it; NULL if the scorer has another shape. */
MixturePlan *mixture_plan_prepared(Env *env, const Mixture *mixture, const void *prepared);
/* Adds weights, means and covariances to the builder. They must live until the model is built. */
void mixture_add_arrays(ModelBuilder *builder, const Mixture *mixture);

/* Estimator.statistics, tables and summary. */
Model *mixture_statistics(Env *env, const Model *model);
extern const Table *const mixture_tables[]; /* NULL-terminated */
char *mixture_summary(Env *env, const Model *model);

#endif
