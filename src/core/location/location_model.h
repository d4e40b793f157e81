/*
 * location_model.h - what models that are one point share, the array "center": centroid, geometric_median and medoid.
 */
#ifndef PGFIT_LOCATION_MODEL_H
#define PGFIT_LOCATION_MODEL_H

#include "core/estimator/estimator.h"

extern const ArraySpec center_arrays[1]; /* center */
extern const ArraySpec center_facts[3];  /* of centroid and medoid */
extern const ArrayTable center_array_tables[]; /* these alone, of centroid */
/* distance: the euclidean distance of a row from the center. */
extern const Scoring center_scoring;

#endif
