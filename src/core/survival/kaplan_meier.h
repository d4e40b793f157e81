/*
 * kaplan_meier.h - the share of the rows that survive each time, from times of which some end without the event (censored).
 *
 * The input is rows with a time as the target and one slot: 1 where the event happened at that time, 0 where the row was last seen without it. A second slot
 * has the time from which on the row is observed (left truncation).
 */
#ifndef PGFIT_KAPLAN_MEIER_H
#define PGFIT_KAPLAN_MEIER_H

#include "core/estimator/estimator.h"

/* Descriptors that hold the aggregates' options; they are not in the list of estimators. */
extern const Estimator kaplan_meier_rows, median_survival_rows;

/* One different time. Counts are weights. */
typedef struct SurvivalPoint {
    double time;
    double at_risk;          /* just before the time */
    double events, censored; /* at the time */
    double survival;         /* the share that survives the time */
    double std_error, conf_low, conf_high; /* NaN once no row survives */
} SurvivalPoint;

/* The time that half of the rows survive. NaN: the curve, or one of its limits, does not come down to 0.5. */
typedef struct SurvivalMedian {
    double median, conf_low, conf_high;
} SurvivalMedian;

/*
 * Returns the product-limit estimate (Kaplan & Meier 1958), one point per different time in rising order, with Greenwood's standard errors and
 * limits by options "level" and "conf_type". Fails with ERROR_DATA if a time is negative or an entry not before its time, with ERROR_PARAMETER for other slots,
 * with ERROR_RANGE where weights differ so much that rows at risk lose their digits, with ERROR_LIMIT past the memory budget.
 */
SurvivalPoint *kaplan_meier(Env *env, Rows *rows, const Options *options, uint64_t *count);
/* Returns the median of the curve and those of its limits. */
SurvivalMedian median_survival(Env *env, Rows *rows, const Options *options);

#endif
