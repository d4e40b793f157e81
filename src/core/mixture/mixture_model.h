/*
 * mixture_model.h - a gaussian_mixture as a value: see gaussian_mixture.c for its arrays.
 */
#ifndef PGFIT_MIXTURE_MODEL_H
#define PGFIT_MIXTURE_MODEL_H

#include "core/estimator/estimator.h"
#include "core/mixture/mixture.h"
#include "core/rows/row_scale.h"

/* Sets the form that covariances of this shape have. Returns false if no form has this shape. */
bool mixture_form_of(uint32_t k, uint32_t dims, const ModelEntry *covariances, MixtureForm *form);
/* The arrays of a gaussian_mixture and of the state of its steps. */
extern const ArrayTable mixture_array_tables[];
/* Returns a view of the parameters inside the model, which must not be written to. */
Mixture mixture_view(const Model *model);
/* Returns a plan with the factors of a prepared scorer, which must outlive it; NULL if the scorer has another shape. */
MixturePlan *mixture_plan_prepared(Env *env, const Mixture *mixture, const void *prepared);
/* Returns the scale of a model of standardized rows; one of 0 columns for other models. */
RowScale mixture_scale(const Model *model);
/* Returns the form that a model was fitted with; form: that of its covariances. */
MixtureForm mixture_fitted_form(Env *env, const Model *model, MixtureForm form);

/*
 * Turn a mixture over data into one over standardized rows, in place: its means, its covariances (spherical: they are standardized
 * already), or both, with one variance per component if that is the form. scale: NULL to change the form alone.
 */
void mixture_standardize_means(Mixture *mixture, const RowScale *scale);
void mixture_standardize_covariances(Mixture *mixture, const RowScale *scale);
void mixture_standardize(Env *env, Mixture *mixture, const RowScale *scale, MixtureForm form);
/* Turns a mixture over standardized rows into one over data. The form spherical becomes diagonal. */
void mixture_unstandardize(Env *env, Mixture *mixture, const RowScale *scale);
/* Returns what a log density of standardized rows lacks to one of the data. */
double mixture_log_volume(const RowScale *scale);
/* Adds to every variance, but of components without rows. */
void mixture_regularize(Mixture *mixture, double regularization);

/* Adds weights, means and covariances to the builder. They must live until the model is built. */
void mixture_add_arrays(ModelBuilder *builder, const Mixture *mixture);

/* Estimator.statistics, tables and summary. */
Model *mixture_statistics(Env *env, const Model *model);
extern const Table *const mixture_tables[]; /* NULL-terminated */
char *mixture_summary(Env *env, const Model *model);
extern const Sampling mixture_sampling;

#endif
