/*
 * neighbours.h - neighbours as SQL rows: what nearest() and its batch form share.
 */
#ifndef PGFIT_PG_NEIGHBOURS_H
#define PGFIT_PG_NEIGHBOURS_H

#include "pg/score/scoring.h"
#include "core/neighbors/neighbors_model.h"

/* The model made ready; fails where it is of another kind. function: for the message. */
Neighbours *neighbours_of(const Scorer *scorer, const char *function);
void __attribute__((noreturn)) neighbours_refuse_k(int64 k);
/* Fails where k is below 1, or there are not so many rows. */
uint32 neighbours_k(const Neighbours *neighbours, int64 k);

/* The type of the column id. */
typedef struct NeighbourColumns {
    Oid id_type; /* InvalidOid: text */
    Oid id_parameter;
    FmgrInfo id_input;
} NeighbourColumns;

/* id, distance, target of neighbour i of those found. */
void neighbours_columns(const Neighbours *neighbours, uint32 i, const NeighbourColumns *columns,
                        Datum values[3], bool nulls[3]);

#endif
