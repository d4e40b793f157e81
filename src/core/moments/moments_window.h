/*
 * moments_window.h - moments of a moving window frame, at a cost per row that does not depend on the frame's length.
 *
 * A first-in first-out queue made of two stacks of partial summaries, so that nothing is ever subtracted. The back has
 * one running summary of the rows pushed since the last turn; the front has, for each row, a summary of the rows from
 * it to the front's end. When the front is empty the back becomes the front, and its rows are summed from the last to
 * the first. Only every sqrt(n)-th of these summaries is kept (a checkpoint); those of the current block are made
 * when the head enters it. So a row is added at most three times, and memory is 2 sqrt(n) summaries plus the n rows.
 */
#ifndef PGFIT_MOMENTS_WINDOW_H
#define PGFIT_MOMENTS_WINDOW_H

#include "core/moments/moments.h"

typedef struct MomentsWindow MomentsWindow;

/* Returns an empty queue. keep: memory that the caller drops with the queue; work: short-lived memory, for the result of a call. */
MomentsWindow *moments_window_new(Env *keep, Env *work);

/*
 * Returns or sets the empty state that all summaries start from; NULL before the first usable row. Its dictionary must
 * hold the levels of all rows pushed: set it again when it grows or moves. The queue keeps a copy.
 */
Model *moments_window_start(const MomentsWindow *queue);
void moments_window_set_start(MomentsWindow *queue, const Model *start);

/* Pushes a row that is skipped: it only counts as skipped. */
void moments_window_push_skipped(MomentsWindow *queue);
/*
 * Pushes an encoded row; slots refer to the dictionary of the start. ends: the fold if the start has folds, or its further targets. A
 * queue holds either rows or moments.
 */
void moments_window_push_row(MomentsWindow *queue, const double *slots, const bool *nulls,
                             double target, double weight, const double *ends);
/* Pushes moments with the schema of the start; NULL: moments of no rows. */
void moments_window_push_moments(MomentsWindow *queue, const Model *input);

/* Removes the oldest item; the queue must not be empty. */
void moments_window_pop(MomentsWindow *queue);
uint64_t moments_window_count(const MomentsWindow *queue);

/* Returns the moments of all rows in the queue, allocated from work; NULL if there is no start yet. */
Model *moments_window_summary(MomentsWindow *queue);

#endif
