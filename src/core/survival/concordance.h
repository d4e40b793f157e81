/*
 * concordance.h - how well scores order censored times.
 */
#ifndef PGFIT_CONCORDANCE_H
#define PGFIT_CONCORDANCE_H

#include "core/survival/cox_times.h"

/*
 * Returns the share of pairs in which the row with the higher score [rows] has its event first, by weight; equal scores count half (Harrell, Lee & Mark
 * 1996). A pair is an event and a row of the same stratum that is at risk then and survives it. NaN: there is none.
 */
double concordance(Env *env, const CoxTimes *times, const double *scores);

#endif
