/*
 * location_model.h - models of one point, the array "center": what centroid, geometric_median and medoid
 * share.
 */
#ifndef PGFIT_LOCATION_MODEL_H
#define PGFIT_LOCATION_MODEL_H

#include "core/estimator/estimator.h"

/* Is the array there, finite, and a number a slot? For check(). */
const char *center_check(const Model *model);
/* The same of models of numbers alone, which center_scoring scores. */
const char *center_check_numbers(Env *env, const Model *model);
/* distance: the euclidean distance of a row from the center. */
extern const Scoring center_scoring;

#endif
