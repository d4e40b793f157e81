/*
 * qr_panel.h - applies the reflections of FACTOR_PANEL adjacent columns at once, for qr_factor.c.
 *
 * Applied one by one, each reflection reads and writes all columns after it. In the form I - V T' V' (Schreiber & Van Loan 1989),
 * all of them together do so once, in matrix products.
 */
#ifndef PGFIT_QR_PANEL_H
#define PGFIT_QR_PANEL_H

#include "core/base/env.h"

#define FACTOR_PANEL 32

typedef struct FactorPanel {
    double *across;   /* [rows x FACTOR_PANEL] V by rows, without the unit part in the triangle */
    double *strips;   /* the same in strips of FACTOR_PANEL rows, each by columns, with zeros after the last row */
    double *triangle; /* [FACTOR_PANEL x FACTOR_PANEL] T by rows, zeros below the diagonal */
} FactorPanel;

/* Allocates a panel for at most `rows` rows, a multiple of 8; release *memory. */
FactorPanel factor_panel_new(Env *env, size_t rows, void **memory);

/* Reads the reflectors from the columns of v (column major, leading dimension ld); rows: a multiple of 8. */
void factor_panel_take(FactorPanel *panel, const double *v, size_t ld, size_t rows, const double *taus);

/*
 * Applies them to columns from .. to - 1: to rows first .. first + FACTOR_PANEL - 1 of the packed triangle and the
 * first `rows` of the block.
 */
void factor_panel_apply(const FactorPanel *panel, double *packed, uint32_t first, uint32_t from, uint32_t to,
                        double *block, size_t ld, size_t rows);

#endif
