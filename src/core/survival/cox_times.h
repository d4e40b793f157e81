/*
 * cox_times.h - times with events, entries and strata as risk sets: which rows are at risk at each time with an event.
 *
 * Event times are numbered stratum by stratum in rising order. A row is at risk at those from `first` to `last`, all of its own stratum: later than
 * its entry, and not later than its own time.
 */
#ifndef PGFIT_COX_TIMES_H
#define PGFIT_COX_TIMES_H

#include "core/rows/rows.h"
#include "core/rows/special_columns.h"

#define NO_TIME UINT32_MAX

typedef struct CoxTimes {
    uint64_t rows, events; /* events: rows with the event */
    uint8_t *event;        /* [rows] */
    uint32_t *last;        /* [rows] NO_TIME: at risk at none */
    uint32_t *first;       /* [rows] 0: the first time of its stratum; NULL: there are no entries, and it is that of all rows */
    double *weight;        /* [rows] */
    uint32_t count;        /* of event times */
    double *time;          /* [count] */
    uint32_t *deaths;      /* [count] rows with the event at that time */
    double *death_weight;  /* [count] their weights */
    uint32_t strata;
    uint32_t *end;         /* [strata] where the event times of a stratum end; that of the next one begins there */
    uint32_t *cluster;     /* [rows] its number, in order of arrival; NULL: there is no column of clusters */
    uint32_t clusters;
    const char **stratum;  /* [strata] their texts in byte order; NULL: there is no column of strata */
    uint32_t *stratum_length;
} CoxTimes;

/*
 * Reads rows with a time as target and an EventTag as id. special: the columns of these. Weights are divided by `scale`. Fails with ERROR_DATA for
 * negative times and entries that are not before the time, with ERROR_LIMIT past the budget. Makes one pass. Without events, that is all it tells.
 */
CoxTimes *cox_times(Env *env, Rows *rows, const SpecialColumn *special, double scale);

#endif
