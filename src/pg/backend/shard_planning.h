/*
 * shard_planning.h - aggregates that Citus calls row by row on a worker are called by the executor instead.
 */
#ifndef PGFIT_SHARD_PLANNING_H
#define PGFIT_SHARD_PLANNING_H

#include "pg/backend/backend_env.h"

/* Installs the planner hook. Called as the library is loaded, after row_planning_init: rows are narrowed in what this hook writes. */
void shard_planning_init(void);
/* Tells whether this aggregate returns the state of another for the rows of a shard: a call that the hook wrote. */
bool returns_shard_state(Oid aggregate);

#endif
