/*
 * mixture_step.h - one iteration of a mixture as an aggregate (model_step.h). Sums of the state, with k components and d features:
 *
 *   sum_weights   F64[k]             see MixtureSums in mixture.h, also for the next two
 *   sum_moments   F64[k x d]
 *   sum_products  F64[matrices x p]
 *   sum_rows      F64[d + 1 x 256]   rows not summed yet, one per column: d features, then the weight
 *   sum_totals    F64[TOTALS]        log likelihood, weight, number of rows in sum_rows
 */
#ifndef PGFIT_MIXTURE_STEP_H
#define PGFIT_MIXTURE_STEP_H

#include "core/estimator/model_step.h"

enum { TOTAL_LIKELIHOOD, TOTAL_WEIGHT, TOTAL_ROWS, TOTALS };

extern const ModelStep mixture_step;

/* Checks what the table of arrays cannot say about the sums of a state. Returns NULL, or what is wrong. */
const char *mixture_step_check(const Model *model);

#endif
