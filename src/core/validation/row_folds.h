/*
 * row_folds.h - which rows cross-validation holds out together: by a hash of their content, by a column, by groups, by
 * classes, or in order of time.
 */
#ifndef PGFIT_ROW_FOLDS_H
#define PGFIT_ROW_FOLDS_H

#include "core/options/options.h"
#include "core/rows/rows.h"

typedef enum FoldRule { FOLDS_BY_HASH, FOLDS_BY_COLUMN, FOLDS_BY_GROUP, FOLDS_BY_TIME, FOLDS_BY_CLASS } FoldRule;

typedef struct RowFolds {
    uint32_t count;   /* folds that are held out */
    double *labels;   /* [count], rising */
    uint64_t *sizes;  /* [count + 1] rows; the first: rows that are never held out */
    uint16_t *fold;   /* [rows] 1 .. count, or 0: never held out */
    bool expanding;   /* a fold is held out from the rows before it alone */
} RowFolds;

/* Returns how these options of cross_validate assign rows to folds. Fails with ERROR_PARAMETER if they contradict each other. */
FoldRule fold_rule(Env *env, const Options *options);
/*
 * Assigns all rows. The id of a row begins with its tag; folds by hash or class need none. labeled: the
 * targets are classes. Fails with ERROR_DATA if there are fewer rows, groups or labels than folds need.
 */
RowFolds row_folds(Env *env, Rows *rows, const Options *options, bool labeled);

/* The tag of a row, with which its id begins: its fold, time or hashed group, and whether it is scored where it is held out. The id of the fit follows. */
#define ROW_TAG_SIZE 9
static inline void row_tag_number(char tag[ROW_TAG_SIZE], double number)
{
    memcpy(tag, &number, sizeof number);
}
static inline void row_tag_hash(char tag[ROW_TAG_SIZE], uint64_t hash)
{
    memcpy(tag, &hash, sizeof hash);
}
static inline void row_tag_set_judged(char tag[ROW_TAG_SIZE], bool judged)
{
    tag[ROW_TAG_SIZE - 1] = judged;
}
/* The targets of a row beyond the first, where an estimator predicts an array, are the numbers that follow its tag. */
static inline uint32_t row_tag_further(const RowsBlock *block, uint32_t i)
{
    return block->ids == NULL ? 0 : (block->id_lengths[i] - ROW_TAG_SIZE) / (uint32_t)sizeof(double);
}
static inline bool row_tag_judged(const RowsBlock *block, uint32_t i)
{
    return block->ids == NULL || block->ids[i][ROW_TAG_SIZE - 1] != 0;
}

#endif
