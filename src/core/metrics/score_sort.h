/*
 * score_sort.h - rows of a label and one score, in order of the score, equal scores together.
 *
 * What ranking metrics and calibrations are made from. In memory where it fits in half of the budget
 * (a radix sort on the bits of the scores), else spread over ranges of scores in the temporary file first.
 */
#ifndef PGFIT_SCORE_SORT_H
#define PGFIT_SCORE_SORT_H

#include "core/rows/rows.h"

/* All rows of one score. */
typedef struct ScoreGroup {
    double score;
    double positive, negative;           /* weights */
    double positive_rows, negative_rows; /* counts */
} ScoreGroup;

typedef void (*ScoreVisit)(void *context, const ScoreGroup *group);

/*
 * Calls visit for each different score. rows: one slot, ROWS_TARGET; positive: the target of positive
 * rows, all others are negative ones. -0 is 0. Polls; frees what it takes.
 */
void score_order(Env *env, Rows *rows, double positive, bool descending, ScoreVisit visit, void *context);

#endif
