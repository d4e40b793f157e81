/*
 * standardized_rows.h - the rows of a fit as centered and scaled columns, so that features far from 0 or of different size do not
 * spoil its curvature: tile by tile, or a few rows at a time. Shared by methods that minimize a sum of losses of linear scores.
 *
 * Columns are centered only with an intercept. Constant columns are left out (without an intercept: columns of zeros).
 */
#ifndef PGFIT_STANDARDIZED_ROWS_H
#define PGFIT_STANDARDIZED_ROWS_H

#include "core/rows/row_tile.h"

/* Which cross-products of the columns a fit needs. */
typedef enum RowsUse {
    ROWS_INDEPENDENT, /* all, also to find dependent columns, which are dropped: a fit without a penalty */
    ROWS_PRODUCTS,    /* all */
    ROWS_SAMPLE,      /* those of a sample suffice: for a preconditioner */
    ROWS_SCALES,      /* none */
} RowsUse;

#define PRODUCTS_MOST 800 /* most columns whose cross-products are computed here */

/* The rows as a fit passes over them: prepared once for all problems of a fit. */
typedef struct StandardizedRows {
    Env *env;
    RowDesign *design;
    TileReader *reader;
    TileReader *offsets;   /* of standardized_offsets; NULL: there are none */
    double offset_center;  /* what it subtracts from them */
    bool intercept;
    uint32_t classes;      /* 1: the rows have no labels */
    const double *factors; /* [classes] class weights; NULL: 1 */
    uint32_t terms;        /* kept terms: neither constant nor dependent */
    uint32_t count;        /* parameters per equation: the intercept first, then the kept terms */
    uint32_t *term;        /* [terms] index of each kept term among the design's terms */
    uint8_t *dropped;      /* [design terms] constant (with an intercept), or dependent */
    double *center, *scale, *deviation; /* [design terms] a column is (x - center) / scale; center is 0 without an intercept */
    double weight;         /* of all rows, times class weights */
    double *class_weight;  /* [classes] the same per class */
    double *class_sums;    /* [classes x count] weighted sums of the standardized columns */
    double *target_sums;   /* [count] the same of their products with the targets; any numbers if not all rows are in gram, or there are no targets */
    double *gram;          /* packed, weighted cross-products of the standardized columns; NULL: too many columns */
    bool sampled;          /* gram is estimated from a sample of the tiles, for a preconditioner only */
    /* the current tile, after standardized_next_tile; padding has weight 0 and target 0 */
    DesignTile tile;
    const double **columns; /* [count + padding] */
    const double *offset;   /* [DESIGN_TILE] those of these rows; NULL: there are none */
    double *zeros, *ones;   /* [DESIGN_TILE] */
    double *scratch;        /* [4 x DESIGN_TILE] */
    double *line_weights;   /* [DESIGN_TILE] weights of the current lines, times class weights */
} StandardizedRows;

/*
 * Prepares the rows in one pass. factors: class weights, or NULL; must outlive the result. method: a name for messages. Fails with
 * ERROR_RANGE if the squares of a column are no numbers, with ERROR_LIMIT if the cross-products exceed the budget.
 */
StandardizedRows *standardized_rows(Env *env, RowDesign *design, bool intercept, const double *factors, RowsUse use,
                                    const char *method);
/* Returns the factor of a kept term's standardized coefficient in a penalty, on its own scale or on that of standardized features. */
static inline double standardized_factor(const StandardizedRows *rows, uint32_t kept, bool standardize)
{
    return (standardize ? rows->deviation[rows->term[kept]] : 1) / rows->scale[rows->term[kept]];
}
/* Has the offset of each row read with its tile: offsets has one number per row. centered: less their mean, in one pass over them. */
void standardized_offsets(StandardizedRows *rows, RowDesign *offsets, bool centered);
/* Reads the next tile, with standardized columns and weights times class weights; false: rewound after the last. */
bool standardized_next_tile(StandardizedRows *rows);
/* Does the same without the columns. */
bool standardized_next_targets(StandardizedRows *rows);
/* Standardizes the columns of rows, x [design terms x DESIGN_TILE] as tile_transpose writes them, and lists those of kept terms from columns[intercept] on. */
void standardized_columns(const StandardizedRows *rows, double *x, const double **columns);
/* Reads the next rows in row order (tile_lines), with their weights in line_weights; false: rewound after the last. */
bool standardized_next_lines(StandardizedRows *rows, DesignBlock *lines);
/* Converts coefficients of the standardized columns to slopes [design terms] for lines_scores; slopes of dropped terms stay as they are. */
void standardized_slopes(const StandardizedRows *rows, const double *theta, double *slopes);
/* Converts sums [1 + design terms] of numbers, and of their products with the columns by lines_products, to those with the standardized columns. */
void standardized_products(const StandardizedRows *rows, const double *sums, double *products);

#endif
