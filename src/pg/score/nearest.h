/*
 * nearest.h - neighbors as SQL rows: what nearest() and its batch form share.
 */
#ifndef PGFIT_NEAREST_H
#define PGFIT_NEAREST_H

#include "pg/score/scoring.h"
#include "core/neighbors/neighbors_model.h"

/* Returns the prepared neighbors of a model; fails if it has none. function: for the message. */
Neighbors *neighbors_of(const Scorer *scorer, const char *function);
void __attribute__((noreturn)) neighbors_refuse_k(int64 k);
/* Returns k; fails if it is below 1 or above the number of rows. */
uint32 neighbors_k(const Neighbors *neighbors, int64 k);

/* Sets id, distance and target of neighbor i of those found. id: the type of the id. */
void neighbors_columns(const Neighbors *neighbors, uint32 i, ResultType *id, Datum values[3], bool nulls[3]);

#endif
