/*
 * score_sort.h - visits rows with a label and one score in the order of the score, equal scores together, for ranking metrics and
 * calibrations. Sorts in memory if the rows fit in half of the budget, else after spreading them over ranges of scores in the
 * temporary file.
 */
#ifndef PGFIT_SCORE_SORT_H
#define PGFIT_SCORE_SORT_H

#include "core/rows/rows.h"

/* All rows with one score. */
typedef struct ScoreGroup {
    double score;
    double positive, negative;           /* weights */
    double positive_rows, negative_rows; /* counts */
} ScoreGroup;

typedef void (*ScoreVisit)(void *context, const ScoreGroup *group);

/*
 * Calls visit for each different score. rows: one slot and ROWS_TARGET; positive: the target of positive rows, all others are
 * negative. -0 equals 0. Polls.
 */
void score_order(Env *env, Rows *rows, double positive, bool descending, ScoreVisit visit, void *context);
/*
 * Does the same in the order of the target, for rows whose first slot tells which are positive: times with events. Rows of several slots must fit in
 * memory, or it fails with ERROR_LIMIT.
 */
void target_order(Env *env, Rows *rows, double positive, bool descending, ScoreVisit visit, void *context);

#endif
