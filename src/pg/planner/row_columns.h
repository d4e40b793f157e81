/*
 * row_columns.h - rows that are passed as their columns, so that the executor need not make them.
 *
 * Scores get the columns as arguments of their own (src/pg/score/column_scoring.c). Steps of aggregates get a RowColumns: the value of
 * a call of pgfit_internal.row_columns that replaces the row in a finished plan (src/pg/planner/row_planning.c).
 */
#ifndef PGFIT_ROW_COLUMNS_H
#define PGFIT_ROW_COLUMNS_H

#include "pg/host/backend_env.h"

#include "nodes/primnodes.h"

#define ROW_COLUMNS_MAX 64 /* of a row that is passed by its columns; a function has at most 100 arguments */

/* ---- planning ---- */

/* Returns the columns of a row of expressions; NIL: it has too many, or columns of its type were added or dropped. */
List *row_columns_of(const RowExpr *row);
/* Returns what says which row they are, the argument before them: the names as a constant text[], or the row's type as an oid. */
Const *row_columns_names(const RowExpr *row);
/* Returns the call that passes the row to a step; NULL: it is passed as it is. */
FuncExpr *row_columns_call(const RowExpr *row);
/* Tells whether an expression is such a call. */
bool is_row_columns(const Node *node);
/* Returns the columns of such a call as a row, with their names if those are known. */
const RowExpr *row_columns_row(const FuncExpr *call);

/* Installs the planner hook that makes them (row_planning.c). Called as the library is loaded. */
void row_planning_init(void);

/* ---- execution ---- */

/* The value of a call: the columns of one row, until the next one. */
typedef struct RowColumns {
    int32 length_word; /* as of any varlena, for those who pass a value on without reading it */
    Oid row_type;
    int32 row_typmod;
    const FmgrInfo *call; /* knows the types of the columns, */
    int first;            /* which are its arguments from this one on */
    uint32 count;
    NullableDatum values[FLEXIBLE_ARRAY_MEMBER];
} RowColumns;

/* Returns the type and typmod of the row whose columns are the arguments from `first` on; the argument before them says which one. */
void row_columns_type(FunctionCallInfo fcinfo, int first, Oid *type, int32 *typmod);
/* Fails: a user called a function that only a plan may call. */
void fail_not_planned(void) __attribute__((noreturn));

#endif
