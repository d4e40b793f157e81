/*
 * table.h - tables that a model can show: a number of rows, and a function that fills row i.
 *
 * coefficients(model), dendrogram_merges(model) and their like are one C function (src/pg/inspect/tables.c), which finds the
 * table by the name of the SQL function. To add a table, declare it here or in a method's file, put it into the
 * estimator's `tables` (or general_tables, for models of several methods), and create the SQL function of the same
 * name, which declares the columns, AS 'MODULE_PATHNAME', 'pgfit_table'.
 */
#ifndef PGFIT_TABLE_H
#define PGFIT_TABLE_H

#include "core/estimator/estimator.h"

#include <math.h>
#include <string.h>

#define TABLE_MAX_COLUMNS 12

/* What a cell holds. The SQL function declares the types of its columns, and its rows fail where a cell does not fit. */
typedef enum CellKind {
    CELL_NULL,
    CELL_INTEGER, /* int, bigint or boolean */
    CELL_NUMBER,  /* float8 */
    CELL_TEXT,    /* text, or jsonb from its text */
    CELL_NUMBERS  /* float8[] of one or two dimensions */
} CellKind;

/* One value of a row, valid until the next row is filled. */
typedef struct Cell {
    CellKind kind;
    union {
        int64_t integer;
        double number;
        struct {
            const char *bytes;
            uint32_t length;
        } text;
        struct {
            const double *data;
            uint32_t rows, columns; /* rows 0: one dimension */
        } numbers;
    };
} Cell;

struct Table {
    const char *name; /* of the SQL function */
    bool (*has)(const Model *model); /* does this model have the table? NULL: every model of the estimator */
    /* Prepares to read the table of a checked model and sets the number of rows. Returns what row needs, or NULL. */
    void *(*open)(Env *env, const Model *model, uint64_t *rows);
    const OptionSpec *const *options; /* of the SQL function's second argument; NULL: it has none, and open is called */
    void *(*open_with)(Env *env, const Model *model, const Options *options, uint64_t *rows);
    /*
     * Fills the cells of row i, in the order of the columns; all are NULL before. Rows are asked for once each, in order. Returns false where the
     * table leaves the row out. Memory taken here is the row's.
     */
    bool (*row)(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells);
};

static inline void cell_integer(Cell *cell, int64_t integer)
{
    cell->kind = CELL_INTEGER;
    cell->integer = integer;
}

static inline void cell_number(Cell *cell, double number)
{
    cell->kind = number == number ? CELL_NUMBER : CELL_NULL;
    cell->number = number;
}

/* bytes NULL: the cell is NULL. */
static inline void cell_text(Cell *cell, const char *bytes, uint32_t length)
{
    cell->kind = bytes != NULL ? CELL_TEXT : CELL_NULL;
    cell->text.bytes = bytes;
    cell->text.length = length;
}

static inline void cell_string(Cell *cell, const char *string)
{
    cell_text(cell, string, string != NULL ? (uint32_t)strlen(string) : 0);
}

/* Shows text i of an array of the model. */
static inline void cell_text_of(Cell *cell, const Model *model, const ModelEntry *texts, uint32_t i)
{
    cell->kind = CELL_TEXT;
    cell->text.bytes = model_text(model, texts, i, &cell->text.length);
}

/* Shows the label of a class, or a level; the level of NULLs, whose key is infinite, as NULL. */
static inline void cell_of_dictionary(Cell *cell, const Model *model, DictionaryKind kind, uint32_t position)
{
    cell->kind = kind == DICTIONARY_LEVELS && isinf(dictionary_key(model, kind, position)) ? CELL_NULL : CELL_TEXT;
    cell->text.bytes = dictionary_text(model, kind, position, &cell->text.length);
}

/* Shows what was written to a buffer. */
static inline void cell_buffer(Cell *cell, TextBuffer *buffer)
{
    size_t length;
    const char *bytes = text_finish(buffer, &length);

    cell_text(cell, bytes, (uint32_t)length);
}

static inline void cell_numbers(Cell *cell, const double *data, uint32_t rows, uint32_t columns)
{
    cell->kind = CELL_NUMBERS;
    cell->numbers.data = data;
    cell->numbers.rows = rows;
    cell->numbers.columns = columns;
}

#endif
