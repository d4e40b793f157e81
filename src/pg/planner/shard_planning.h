/*
 * shard_planning.h - aggregates that Citus calls row by row on a worker are called by the executor instead.
 */
#ifndef PGFIT_SHARD_PLANNING_H
#define PGFIT_SHARD_PLANNING_H

#include "pg/host/backend_env.h"

#include "nodes/parsenodes.h"

/* Returns the query with calls that the executor runs in place of those that Citus makes; the same query if it has none. */
Query *shard_calls_made_direct(Query *query);
/* Tells whether this aggregate returns the state of another for the rows of a shard: a call that was written so. */
bool returns_shard_state(Oid aggregate);
/* Takes off what made a row one of type record: whole_row, named_row. Returns other expressions as they are. */
Node *shard_plain_row(Node *expression);

#endif
