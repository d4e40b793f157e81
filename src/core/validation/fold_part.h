/*
 * fold_part.h - the training rows of a fold as a fit takes them: rows, or moments built from them. Levels and classes that no
 * training row has are unknown to the fit, so nothing is learned from the rows that are held out.
 */
#ifndef PGFIT_FOLD_PART_H
#define PGFIT_FOLD_PART_H

#include "core/estimator/estimator.h"
#include "core/validation/row_folds.h"

typedef struct FoldParts FoldParts;

/*
 * Prepares the training parts of all folds for a fit with these options. folds must outlive the result. further: targets of each row beyond
 * the first. Moments are added up once per fold here and merged afterwards. Fails with ERROR_LIMIT if they exceed the memory budget.
 */
FoldParts *fold_parts(Env *env, Rows *rows, const RowFolds *folds, uint32_t further, const Estimator *estimator, const Options *options);
/* Tells whether these parts are also those of a fit with other options: the same moments. */
bool fold_parts_serve(const FoldParts *parts, const Options *options);
/*
 * Returns how many of the candidates may be fitted in each fold before its rows are scored: those of moments that fit into the memory,
 * since a model of them is about as large as they are; 1 of rows.
 */
uint32_t fold_parts_together(const FoldParts *parts, size_t memory, uint32_t candidates);
/* Makes the training part of fold k, 1 .. count, in memory of env. input has its rows as soon as there are any. */
void fold_part_input(Env *env, FoldParts *parts, uint32_t k, FitInput *input);
/* Gives back its rows, also after an error. */
void fold_part_free(FitInput *input);

#endif
