/*
 * moments_window.h - moments of a moving frame, at a cost a row that does not depend on its length.
 *
 * A first-in first-out queue as two stacks of partial summaries (nothing is ever subtracted): the back
 * has one running summary of the rows pushed since the last turn, the front a summary of the rows from
 * its head to its end. When the front is used up the back becomes the front: its rows are gone through
 * from the last to the first. Only every sqrt(n)-th of these summaries is kept (a checkpoint); those
 * of the block that the head is in are made when the head enters it. So a row is added three times at
 * most, and the memory is 2 sqrt(n) summaries and the n rows themselves.
 */
#ifndef PGFIT_MOMENTS_WINDOW_H
#define PGFIT_MOMENTS_WINDOW_H

#include "core/moments/moments.h"

typedef struct MomentsWindow MomentsWindow;

/* keep: memory that lives as long as the queue; work: short-lived, results of a call are in it. */
MomentsWindow *moments_window_new(Env *keep, Env *work);
void moments_window_free(MomentsWindow *queue);

/*
 * The empty state that all summaries begin as; none before the first usable row. Its dictionary holds
 * the levels of all rows pushed: set it again when it grew (or moved). The queue keeps a copy.
 */
Model *moments_window_start(const MomentsWindow *queue);
void moments_window_set_start(MomentsWindow *queue, const Model *start);

/* A row that is not used, of which only the number counts. */
void moments_window_push_skipped(MomentsWindow *queue);
/*
 * An encoded row; slots refer to the dictionary of the start. fold: of a start with folds. A queue holds rows or
 * moments.
 */
void moments_window_push_row(MomentsWindow *queue, const double *slots, const bool *nulls,
                           double target, double weight, double fold);
/* Moments of the schema of the start, or NULL: of no rows. */
void moments_window_push_moments(MomentsWindow *queue, const Model *input);

/* Takes the oldest out; the queue must not be empty. */
void moments_window_pop(MomentsWindow *queue);
uint64_t moments_window_count(const MomentsWindow *queue);

/* The moments of all rows in the queue, to be released with work; NULL: no start yet. */
Model *moments_window_summary(MomentsWindow *queue);

/* For tests: summaries held now. */
uint64_t moments_window_summaries(const MomentsWindow *queue);

#endif
