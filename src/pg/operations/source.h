/*
 * source.h - where the rows of a fit come from: a table, a view or a query, and its columns.
 */
#ifndef PGFIT_SOURCE_H
#define PGFIT_SOURCE_H

#include "pg/host/backend_env.h"

#include "access/tupdesc.h"

typedef struct Source {
    const char *from;  /* as an item of FROM: public.diamonds, or a query in parentheses */
    const char *alias; /* of its rows: not the name of a column */
    TupleDesc columns;
    Oid relation; /* invalid: a query */
} Source;

/*
 * Reads a source: text is the name of a table or view, or one SELECT, VALUES, TABLE or WITH. Needs SPI. Fails if it is neither, or if
 * PostgreSQL refuses it.
 */
Source *source_of_text(const char *text);

/* Tells whether the source reads a table that Citus lists as distributed. Needs SPI. */
bool source_is_distributed(const Source *source);

bool source_has_column(const Source *source, const char *name);
/* Returns the number of a column, from 0. Fails if there is none of this name, saying what it was wanted for: "target", "weight". */
int source_column(const Source *source, const char *use, const char *name);
/* Does the same for a name as formulas have it: as it is written, then in lower case; in quotes as it is. Other expressions fail. */
int source_column_written(const Source *source, const char *use, const char *written, size_t length);
/* Returns "FROM public.diamonds AS d WHERE condition", each part after what begins a line; condition: NULL: none. */
char *source_rows_sql(const Source *source, const char *line, const char *condition);
/* Returns "d.price". */
char *source_column_sql(const Source *source, int column);
/*
 * Returns a value of a source as text: "d.cut::text", or, because the owner of its type could make a cast that runs his function between a check and the
 * query, by the output function of the type.
 */
char *source_text_sql(const char *value, Oid type);
/*
 * Returns a label of a source as models keep it. The cast to text of most types depends on settings, or has zeros that equal numbers lack; the text that
 * aggregates compare has not, so it comes from one of them.
 */
char *source_label_sql(const char *value, Oid type);
/* Returns "d.price::float8"; booleans are 0 and 1. Fails as source_require_number does for other types. */
char *source_number_sql(const Source *source, const char *use, int column);
/* Returns a column of numbers, or of arrays of them, as a float8[], which is NULL where an element is. Fails for other types. */
char *source_numbers_sql(const Source *source, const char *use, int column);
/* Returns SQL of a text as a value of a column's type. */
char *source_cast(const Source *source, int column, const char *sql);
/* Returns "'2026-01-31'::date": a value of a column's type. */
char *source_literal(const Source *source, int column, const char *value);
/* Fails unless the column has a numeric type, of which neither a check nor a cast can run the code of others. */
void source_require_number(const Source *source, const char *use, int column);

/* Joins two conditions on rows, either of which may be NULL. */
char *both_conditions(const char *a, const char *b);

#endif
