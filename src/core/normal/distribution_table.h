/*
 * distribution_table.h - the table "distributions" of models that are made of normal distributions.
 *
 *     static const Table mine = {.name = "distributions", .open = open_distributions, .row = distribution_row};
 *
 * where open_distributions returns what distribution_reader makes of the model's distributions.
 */
#ifndef PGFIT_DISTRIBUTION_TABLE_H
#define PGFIT_DISTRIBUTION_TABLE_H

#include "core/estimator/table.h"

/* The normal distributions of a model; the arrays live as long as the model, or in memory of the env. */
typedef struct Distributions {
    uint32_t count, dims;
    const double *weights, *means, *covariances; /* [count], [count x dims], [count x dims x dims] */
} Distributions;

/* Returns a reader for distribution_row, and sets the number of rows. */
void *distribution_reader(Env *env, Distributions distributions, uint64_t *rows);
/* Fills the cells of distribution i; a Table.row. */
bool distribution_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells);

#endif
