/*
 * linear_rows.h - the rows that moments keep, read as terms of a fit: as they came, or without the effects of absorbed columns.
 *
 * Frisch & Waugh 1933 and Lovell 1963: least squares of residuals on residuals gives the coefficients that a fit with one 0/1 column per level of
 * the absorbed columns would give, without these columns. The residuals of a column of terms are what is left of it after its projection on the
 * levels. For one column of levels they are the differences from the levels' means; for several, the projection is found by conjugate gradients over
 * symmetric sweeps through the columns, each of which subtracts the means of its levels (Hernández-Ramos, Escalante & Raydan 2011).
 */
#ifndef PGFIT_LINEAR_ROWS_H
#define PGFIT_LINEAR_ROWS_H

#include "core/inference/vcov_options.h"
#include "core/linear/linear_fit.h"

#include <math.h>

typedef struct LinearRows {
    KeptRows kept;
    const uint32_t *slot;   /* [terms] */
    const int32_t *level;   /* [terms] position in final order, or -1 */
    uint32_t *level_final;  /* running positions -> final ones; NULL: no term is a level */
} LinearRows;

/* For OPTION_TABLES: absorb. */
extern const OptionSpec option_absorb[];

/* What was absorbed. */
typedef struct Absorbed {
    uint32_t columns;                      /* 0: nothing */
    int64_t levels[ABSORBED_COLUMNS_MAX];
    double df;                             /* coefficients of the levels, beyond the intercept */
    double tss;                            /* of the target as it came */
} Absorbed;

/* Returns how many columns option "absorb" names, 0 without it. Fails with ERROR_PARAMETER where an option does not go with it. */
uint32_t absorbed_columns(Env *env, const Options *options, VcovKind vcov);

/* Reads kept rows (NULL: none are kept) in the terms of a design, which must live as long. */
LinearRows linear_rows(Env *env, const Design *design, const KeptRows *kept);
/* Returns a term of a row; a NULL counts as the mean. */
static inline double linear_rows_term(const LinearRows *rows, const Design *design, const double *row, uint32_t term)
{
    double value = row[rows->slot[term]];

    if (rows->level[term] >= 0)
        return rows->level_final[(uint32_t)value] == (uint32_t)rows->level[term];
    return isinf(value) ? design->means[term] : value;
}

/*
 * Takes the effects of the first tagged columns out of the rows and of the design's factor; the means stay, so that the intercept is that of
 * the average row. Terms that the levels determine become 0. Does nothing for 0 columns. Compares what it allocates with env->memory_limit.
 * Fails with ERROR_DATA where the projection does not converge.
 */
Absorbed linear_absorb(Env *env, uint32_t columns, Design *design, LinearRows *rows);
/* Keeps what was absorbed with the model, and corrects the fit's sums and degrees of freedom. */
void linear_absorbed_add(ModelBuilder *builder, LinearFit *fit, const Absorbed *absorbed);

#endif
