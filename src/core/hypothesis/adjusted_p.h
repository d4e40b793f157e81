/*
 * adjusted_p.h - p-values adjusted for many tests.
 */
#ifndef PGFIT_ADJUSTED_P_H
#define PGFIT_ADJUSTED_P_H

#include "core/base/env.h"

/*
 * Adjusts p-values in place by a method: holm, hochberg, bonferroni, bh (also fdr) or by, as R's p.adjust. Fails with ERROR_PARAMETER for another
 * method and with ERROR_DATA for a number outside 0 .. 1.
 */
void adjust_p(Env *env, double *p, uint32_t count, const char *method);

#endif
