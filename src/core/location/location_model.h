/*
 * location_model.h - models of one point, the array "center": what centroid, geometric_median and medoid
 * share.
 */
#ifndef PGFIT_LOCATION_MODEL_H
#define PGFIT_LOCATION_MODEL_H

#include "core/estimator/estimator.h"

extern const ArraySpec center_arrays[1];
/* The same alone: all that centroid and geometric_median keep. */
extern const ArrayTable center_array_tables[];
/* distance: the euclidean distance of a row from the center. */
extern const Scoring center_scoring;

#endif
