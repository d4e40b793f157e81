/*
 * location_model.h - the array "center" of centroid, geometric_median and medoid, models that consist of one point.
 */
#ifndef PGFIT_LOCATION_MODEL_H
#define PGFIT_LOCATION_MODEL_H

#include "core/estimator/estimator.h"

extern const ArraySpec center_arrays[1]; /* center */
extern const ArraySpec center_facts[3];  /* of centroid and medoid */
/* Tables of these alone, for models without a metric. */
extern const ArrayTable center_array_tables[];
/* The score distance: the euclidean distance of a row from the center. */
extern const Scoring center_scoring;

#endif
