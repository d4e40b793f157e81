/*
 * group_arena.h - the states of an aggregate's many groups in a hash table: moments of one shape
 * (core/moments_grouped.h) in memory of their own.
 *
 * A state is an expanded object (utils/expandeddatum.h): where it leaves the aggregate, for a final function, a
 * combine function or a table, PostgreSQL has it flattened, and it is moments like any other.
 */
#ifndef PGFIT_GROUP_ARENA_H
#define PGFIT_GROUP_ARENA_H

#include "pg/backend/backend_env.h"
#include "core/moments/moments_grouped.h"

typedef struct GroupStates GroupStates;
typedef struct TableGroup TableGroup;

/* Does this call work on a group in a hash table? *context: that of the groups' states. */
bool group_states_context(FunctionCallInfo fcinfo, MemoryContext *context);
/*
 * Groups of the shape of this state, under `context`; NULL: its like cannot be. *place becomes NULL again when they go with the
 * context, so it must outlive that.
 */
GroupStates *group_states_begin(MemoryContext context, const Model *state, GroupStates **place);
const MomentsShape *group_states_shape(const GroupStates *states);
/* A new group; skipped: rows left out so far. Its Datum is the same as long as it lives. */
TableGroup *group_new(GroupStates *states, int64_t skipped);
Datum group_datum(TableGroup *group);
/* The group behind a Datum, NULL: it is another value. Does not look at it: it is as likely not in the cache. */
TableGroup *group_of(const GroupStates *states, Datum datum);
/*
 * Adds a row, which may wait for others: group_of, group_datum and flattening, which adds them first, are all that may be asked
 * meanwhile.
 */
void group_add(GroupStates *states, TableGroup *group, const double *slots, double target, double weight);
void group_skip(GroupStates *states, TableGroup *group);

#endif
