/*
 * pending_tile.h - rows that a step aggregate has not added to its sums yet, as the columns of a linear model's parameters.
 *
 * They are an array F64[(slots + 2) x DESIGN_TILE] of the state: one column per slot, then the classes or targets, then the weights.
 */
#ifndef PGFIT_PENDING_TILE_H
#define PGFIT_PENDING_TILE_H

#include "core/linear_equations/linear_view.h"
#include "core/rows/row_tile.h"

/* The parameters of an equation: an intercept, the score at the center, if there is one, and the terms. */
typedef struct PendingTerms {
    const LinearView *view;
    const LinearTerm *terms; /* [count] */
    uint32_t count;
    bool intercept;
} PendingTerms;

static inline const double *pending_classes(const double *rows, uint32_t slots)
{
    return rows + (size_t)slots * DESIGN_TILE;
}
static inline const double *pending_weights(const double *rows, uint32_t slots)
{
    return rows + ((size_t)slots + 1) * DESIGN_TILE;
}
/* Writes a row to place `at`. target: the number, or the position of the class. */
void pending_store(double *rows, uint32_t slots, uint32_t at, const double *values, double target, double weight);
/*
 * Tells whether pending rows from outside are safe to use: how many there are, their weights and, with classes > 0, their classes.
 */
bool pending_sound(const double *rows, uint32_t slots, double pending, uint32_t classes);
/* Writes the columns to memory, [PENDING_NUMBERS], 64-byte aligned, and points columns, [count + 1 + TILE_PADDING], at them. */
#define PENDING_NUMBERS(terms) (((size_t)(terms) + 2) * DESIGN_TILE)
void pending_columns(const PendingTerms *of, const double *rows, double *memory, const double **columns);

#endif
