/*
 * query_notes.h - warnings that are raised once per query, when it ends, with a count: many groups or rows of one query
 * have the same to say.
 *
 * A query is recognized by its memory context, in which the executor sets up the calls of a plan (fn_mcxt). Notes wait there until the
 * executor has returned the last row; those of a cursor that is closed earlier are raised as its context is deleted, and those
 * of contexts that last longer, such as PL/pgSQL's, at the end of the transaction. A query that fails raises none. Parallel
 * workers have a context each, and warn on their own.
 */
#ifndef PGFIT_QUERY_NOTES_H
#define PGFIT_QUERY_NOTES_H

#include "pg/host/backend_env.h"

/* What one kind of warning has counted. A longer structure may begin with it. */
typedef struct QueryNote QueryNote;
struct QueryNote {
    QueryNote *next;
    void (*raise)(QueryNote *note); /* calls ereport(WARNING); must not fail otherwise */
    const void *about, *family;     /* the note's identity, beside raise */
    MemoryContext context;          /* of the query: texts of the note belong there */
    uint64_t count;                 /* 0: nothing is raised */
};

/*
 * Returns the note of the query that `context` belongs to with this identity, or a new one: zeros, `size` bytes. The
 * pointer is valid as long as the context.
 */
QueryNote *query_note(MemoryContext context, void (*raise)(QueryNote *), const void *about, const void *family, Size size);

/* Counts a warning of the core about a call; its first texts are shown. about: what else tells warnings of a family apart. */
void query_warn(const HostCall *call, int sqlstate, const char *family, const char *message, const char *hint);

/* Has notes raised at the ends of queries and transactions; called when the library is loaded. */
void query_notes_init(void);

#endif
