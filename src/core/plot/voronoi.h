/*
 * voronoi.h - the regions of the plane that are nearest to each centroid or medoid of a model: the table voronoi(model).
 */
#ifndef PGFIT_VORONOI_H
#define PGFIT_VORONOI_H

#include "core/plot/plot_axes.h"

extern const Table voronoi_table;
/*
 * Computes the cells of a checked model within a box, for voronoi_table.row. Fails with ERROR_KIND for a model without centroids or
 * medoids, of other than two numeric features, or of a metric whose regions have curved borders.
 */
void *voronoi_open(Env *env, const Model *model, const AxisGiven *x, const AxisGiven *y, uint64_t *rows);

#endif
