/*
 * concordance.h - how well scores order censored times.
 */
#ifndef PGFIT_CONCORDANCE_H
#define PGFIT_CONCORDANCE_H

#include "core/estimator/estimator.h"
#include "core/survival/cox_times.h"

/*
 * Returns the share of pairs in which the row with the higher score [rows] has its event first, by weight; equal scores count half (Harrell, Lee & Mark
 * 1996). A pair is an event and a row of the same stratum that is at risk then and survives it. NaN: there is none.
 */
double concordance(Env *env, const CoxTimes *times, const double *scores);

/* Holds the aggregate's options; not in the list of estimators. */
extern const Estimator concordance_observed_rows;
/*
 * Returns the concordance of rows with a time as target and two to four slots: whether the event happened, the score, from when on the row is observed,
 * its stratum. Fails with ERROR_PARAMETER for other slots.
 */
double concordance_observed(Env *env, Rows *rows);

/* Returns empty rows for concordance_of_rows: a score as the one slot, a time as target, and as id what event_tag_write says and the stratum. */
Rows *concordance_rows(Env *env, RowsPool *pool);
/* Returns their concordance, as above. special: the columns of the ids. */
double concordance_of_rows(Env *env, Rows *rows, const SpecialColumn *special);

#endif
