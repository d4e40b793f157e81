/*
 * cluster_start.h - the model that the first pass of kmeans_step or mixture_step over many rows begins from.
 */
#ifndef PGFIT_CLUSTER_START_H
#define PGFIT_CLUSTER_START_H

#include "core/estimator/estimator.h"

/*
 * Returns a kmeans or gaussian_mixture with the clusters of a model of some of the rows, and what all rows say: the means that replace
 * NULLs and, with option standardize, the centers and scales of the features. scaler: a standard_scaler of all rows. options: those that
 * the steps follow. The model has no iterations behind it. Fails with ERROR_PARAMETER if the models have different features.
 */
Model *cluster_start(Env *env, const Model *model, const Model *scaler, const Options *options);

#endif
