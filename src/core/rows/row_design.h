/*
 * row_design.h - the rows of a fit as columns of numbers, with levels and classes in the order of the fitted model.
 *
 * Rows store levels and classes by their running positions, in order of appearance; a fitted model has them in final
 * order (by value). A design maps one to the other, and turns categorical slots into columns:
 *
 *     RowDesign *design = row_design(env, rows, DESIGN_INTERCEPT, "perceptron");
 *     DesignReader *reader = design_reader(design);
 *     while (design_next_block(reader, &block)) ... block.x[i * design->terms + t], block.classes[i] ...
 *
 * It streams: a block has at most a few hundred kB, whether rows are in memory or in a file. Rows of plain numbers are
 * read in place, without a copy. Under nulls = impute, NULLs are already replaced by the means of their slots.
 */
#ifndef PGFIT_ROW_DESIGN_H
#define PGFIT_ROW_DESIGN_H

#include "core/rows/rows.h"

/* How a categorical slot becomes columns; every other slot is one column, unchanged. */
typedef enum DesignMode {
    DESIGN_SLOTS,        /* one column: the final position of its level, as scoring sees it */
    DESIGN_LEVELS,       /* one column of 0 and 1 per level */
    DESIGN_INTERCEPT,    /* the same without its first level: for a fit with a constant */
    DESIGN_NO_INTERCEPT, /* the first categorical slot has all levels, the others lack their first */
} DesignMode;

/* Levels that no row has get no column; they count as the reference level, as in moments.h. */
typedef struct RowDesign {
    Env *env;
    Rows *rows;
    DesignMode mode;
    uint32_t terms;        /* columns */
    uint32_t *term_slot;   /* [terms] */
    int32_t *term_level;   /* [terms] final position of the level, or -1: the slot as it is */
    uint32_t levels;       /* of all categorical fields */
    uint32_t *level_final; /* [levels] running position -> final */
    uint32_t classes;      /* of the label; 0: there is none */
    uint32_t *class_final; /* [classes] running position -> final */
    /* used by readers */
    bool plain;            /* the slots are the columns */
    uint32_t *level_term;  /* [levels] by running position: its column, DESIGN_NO_TERM: none */
    uint32_t *plain_terms, plain_count;   /* terms that are slots */
    uint32_t *level_slots, level_count;   /* categorical slots */
} RowDesign;
#define DESIGN_NO_TERM UINT32_MAX
#define DESIGN_MAX_TERMS SCHEMA_MAX_SLOTS

/*
 * Makes the design of rows, which must not be empty. method: a name for messages. Makes one pass if there are levels,
 * otherwise none. Fails with ERROR_LIMIT if there would be more columns than DESIGN_MAX_TERMS.
 */
RowDesign *row_design(Env *env, Rows *rows, DesignMode mode, const char *method);
/* Writes the name of a term ("carat", "cut=Ideal", "cut IS NULL"), cut to size. */
void row_design_term_name(const RowDesign *design, uint32_t term, char *buffer, size_t size);
/* Counts rows and weight of each class in final order, [classes] each, in one pass. Every class has a row. */
void row_design_class_counts(const RowDesign *design, uint64_t *rows, double *weights);

/* Consecutive rows, valid until the next call for this reader. */
typedef struct DesignBlock {
    uint64_t first; /* number of its first row */
    uint32_t count;
    const double *x;         /* [count x terms], row major */
    const double *targets;   /* [count] numbers; NULL: none, or labels */
    const uint32_t *classes; /* [count] final positions; NULL: no labels */
    const double *weights;   /* [count]; NULL: all 1 */
    const char *const *ids;  /* as in RowsBlock */
    const uint32_t *id_lengths;
} DesignBlock;

/*
 * Reads the design block by block. Several readers may be open, each at its own position, and rewound any number of times.
 * Block boundaries depend on the budget; the order of the rows does not.
 */
typedef struct DesignReader DesignReader;
DesignReader *design_reader(RowDesign *design);
bool design_next_block(DesignReader *reader, DesignBlock *block); /* polls for cancel */
void design_rewind(DesignReader *reader);
void design_reader_free(DesignReader *reader); /* see rows_reader_free */

/*
 * Reads the design column by column in tiles of DESIGN_TILE rows, counted from the first row, so that sums over tiles do
 * not depend on the budget, bit for bit. The last tile is padded with rows of zeros that have weight 0.
 */
#define DESIGN_TILE 256
typedef struct DesignTile {
    uint64_t first;
    uint32_t count;          /* rows before the padding, <= DESIGN_TILE */
    double *x;               /* [terms x DESIGN_TILE], column by column, 64-byte aligned */
    double *targets;         /* [DESIGN_TILE] or NULL */
    uint32_t *classes;       /* [DESIGN_TILE] or NULL */
    double *weights;         /* [DESIGN_TILE]; 1 where the rows have none */
} DesignTile;
typedef struct TileReader TileReader;
TileReader *tile_reader(RowDesign *design);
bool tile_next(TileReader *reader, DesignTile *tile);
/* Does the same without columns, whose numbers are any: they are not fetched from memory if rows are read in place. */
bool tile_next_targets(TileReader *reader, DesignTile *tile);
/*
 * Reads the next rows in place, in row order: the rest of the current tile or a part of it, but never rows of two
 * tiles, so that sums over tiles do not depend on the budget either. After the last row of a tile (first + count is a
 * multiple of DESIGN_TILE) tile_next may be used again. Returns false after the last row. Valid until the next call.
 */
bool tile_lines(TileReader *reader, DesignBlock *lines);
void tile_rewind(TileReader *reader);

#endif
