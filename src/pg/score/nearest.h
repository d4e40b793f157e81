/*
 * nearest.h - neighbors as SQL rows: what nearest() and its batch form share.
 */
#ifndef PGFIT_NEAREST_H
#define PGFIT_NEAREST_H

#include "pg/score/scoring.h"
#include "core/neighbors/neighbors_model.h"

/* The model made ready; fails where it is of another kind. function: for the message. */
Neighbors *neighbors_of(const Scorer *scorer, const char *function);
void __attribute__((noreturn)) neighbors_refuse_k(int64 k);
/* Fails where k is below 1, or there are not so many rows. */
uint32 neighbors_k(const Neighbors *neighbors, int64 k);

/* The type of the column id. */
typedef struct NeighborColumns {
    Oid id_type; /* InvalidOid: text */
    Oid id_parameter;
    FmgrInfo id_input;
} NeighborColumns;

/* id, distance, target of neighbor i of those found. */
void neighbors_columns(const Neighbors *neighbors, uint32 i, const NeighborColumns *columns,
                        Datum values[3], bool nulls[3]);

#endif
