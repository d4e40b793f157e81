/*
 * centroid_score.h - scores of models that are centroids: the nearest one, and the distances from them.
 */
#ifndef PGFIT_CENTROID_SCORE_H
#define PGFIT_CENTROID_SCORE_H

#include "core/distance/centroid_distance.h"
#include "core/rows/row_scale.h"

typedef struct CentroidScorer {
    CentroidLanes *lanes;
    const double *centroids; /* [k x dims] as rows are compared with them */
    RowScale scale;          /* of standardized rows; of 0 columns: rows are compared as they come */
    double *row;             /* [dims] the row to score, standardized */
} CentroidScorer;

/* Returns a scorer of centroids [k x dims] in the units of the data, which must outlive it. */
CentroidScorer centroid_scorer(Env *env, const double *centroids, uint32_t k, uint32_t dims, RowScale scale);
/* Returns the nearest centroid of an unscaled row, the first among equals, and its squared distance. */
uint32_t centroid_of_row(const CentroidScorer *scorer, const double *slots, double *square);
/* Returns the distance of an unscaled row from the nearest centroid, and that centroid. */
double centroid_distance_of_row(const CentroidScorer *scorer, const double *slots, uint32_t *nearest);
/* Writes the distances from all centroids, [k]. */
void centroid_distances_of_row(const CentroidScorer *scorer, const double *slots, double *out);

#endif
