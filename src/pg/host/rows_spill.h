/*
 * rows_spill.h - rows of aggregate states: one pool and one temporary file per plan node.
 */
#ifndef PGFIT_ROWS_SPILL_H
#define PGFIT_ROWS_SPILL_H

#include "pg/host/backend_env.h"
#include "core/rows/rows.h"

typedef struct RowsNode RowsNode;

/* An aggregate state that keeps rows; starts as zeros, in the aggregate's memory context. */
typedef struct RowsState {
    Model *schema; /* in context */
    Rows *rows;    /* NULL until the first row */
    RowsNode *node;
    MemoryContext context; /* the aggregate's */
    char *failure, *failure_hint; /* why the group was given up, in context; failure NULL: it was not */
    MemoryContextCallback release; /* of a window's state */
} RowsState;

/* Makes state->rows in the pool of the plan node that runs this aggregate; released with the group. */
void rows_state_begin(RowsState *state, FunctionCallInfo fcinfo, unsigned contents);

/*
 * A pool of rows with a file of its own, for a function that keeps rows until it returns. Its memory is a child of context. After an error
 * it goes with that, and the file with the resource owner; without one call rows_node_end.
 */
RowsNode *rows_node_begin(MemoryContext context);
RowsPool *rows_node_pool(RowsNode *node);
void rows_node_end(RowsNode *node);

#endif
