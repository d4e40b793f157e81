/*
 * score_histogram.h - how the scores of each class are distributed: a histogram per class over the same bins.
 */
#ifndef PGFIT_SCORE_HISTOGRAM_H
#define PGFIT_SCORE_HISTOGRAM_H

#include "core/estimator/estimator.h"

/* Holds the aggregate's options; it is not in the list of estimators. */
extern const Estimator score_histogram_rows;
extern const OptionSpec *const score_histogram_options[];

typedef struct ScoreBin {
    uint32_t class; /* position in the dictionary of the rows */
    uint32_t bin;   /* from 1; 0 and the number of bins + 1: below and above the range */
    double low, high;
    uint64_t rows;
    double weight;
    double share;   /* of the weight of the class */
} ScoreBin;

/*
 * Returns the bins of all classes, in order of the classes, and their number. Every class has every bin; those below and above the
 * range are there if any row lies in them. Fails with ERROR_PARAMETER for a range whose ends are not in order, ERROR_LIMIT if there
 * is no memory for all bins.
 */
ScoreBin *score_histogram(Env *env, Rows *rows, const Options *options, uint64_t *count);

#endif
