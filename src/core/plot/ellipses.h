/*
 * ellipses.h - the ellipses of normal distributions over two features: the table ellipses(model).
 */
#ifndef PGFIT_ELLIPSES_H
#define PGFIT_ELLIPSES_H

#include "core/estimator/table.h"

extern const Table ellipse_table;
/*
 * Prepares the ellipses of a checked model that hold this share of each distribution, for ellipse_table.row. x, y: names of two
 * features; NULL: the model has just two. Fails with ERROR_KIND for a model without normal distributions, or of more features where
 * none are named; with ERROR_PARAMETER for a level outside (0, 1) and for other features.
 */
void *ellipses_open(Env *env, const Model *model, double level, const char *x, const char *y, uint64_t *rows);

#endif
