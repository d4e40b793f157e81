/*
 * mixture_step.h - one iteration of a mixture as an aggregate (model_step.h). Sums of the state, of k components and d features:
 *
 *   sum_weights   F64[k]             of rows times shares
 *   sum_moments   F64[k x d]         of rows less the means
 *   sum_products  F64[matrices x p]  see mixture.h
 *   sum_rows      F64[d + 1 x 256]   rows not summed yet: one line of numbers per feature, then the weights
 *   sum_totals    F64[TOTALS]        log likelihood, weight, rows in sum_rows
 */
#ifndef PGFIT_MIXTURE_STEP_H
#define PGFIT_MIXTURE_STEP_H

#include "core/estimator/model_step.h"

enum { TOTAL_LIKELIHOOD, TOTAL_WEIGHT, TOTAL_ROWS, TOTALS };

extern const ModelStep mixture_step;

/* Checks what the table of arrays cannot say about the sums of a state. Returns NULL, or what is wrong. */
const char *mixture_step_check(const Model *model);

#endif
