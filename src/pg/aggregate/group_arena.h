/*
 * group_arena.h - the states of an aggregate's many groups in a hash table: moments of one shape
 * (core/moments/moments_grouped.h) in memory of their own.
 *
 * A state is an expanded object (utils/expandeddatum.h): when it leaves the aggregate, for a final function, a combine
 * function or a table, PostgreSQL flattens it to moments like any other.
 */
#ifndef PGFIT_GROUP_ARENA_H
#define PGFIT_GROUP_ARENA_H

#include "pg/host/backend_env.h"
#include "core/moments/moments_grouped.h"

typedef struct GroupStates GroupStates;
typedef struct TableGroup TableGroup;

/* Does this call work on a group in a hash table? Sets *context to that of the groups' states. */
bool group_states_context(FunctionCallInfo fcinfo, MemoryContext *context);
/*
 * Creates groups of the shape of this state, under `context`; NULL if states of this shape cannot be grouped. *place is
 * set to NULL when the context is reset, so it must outlive the context.
 */
GroupStates *group_states_begin(MemoryContext context, const Model *state, GroupStates **place);
const MomentsShape *group_states_shape(const GroupStates *states);
/* Returns a new group, whose Datum never changes. skipped: rows skipped so far. */
TableGroup *group_new(GroupStates *states, int64_t skipped);
Datum group_datum(TableGroup *group);
/* Returns the group behind a Datum; NULL: it is another value. Does not read the group, which is likely not in the cache. */
TableGroup *group_of(const GroupStates *states, Datum datum);
/*
 * Adds a row, which may be buffered. Until it is added to the group, use only group_of, group_datum and flattening, which
 * adds the buffered rows first.
 */
void group_add(GroupStates *states, TableGroup *group, const double *slots, double target, double weight);
/* Gives up a group, which from now on is this state, copied. */
void group_fail(GroupStates *states, TableGroup *group, const Model *state);
bool group_failed(const GroupStates *states, TableGroup *group);
void group_skip(GroupStates *states, TableGroup *group);

#endif
