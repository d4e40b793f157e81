/*
 * slot_relations.h - features that tell the target, or number the rows: what is most likely in the features by mistake.
 *
 * Rows are read until no feature can be one any more, which usually takes the first block. Moments tell less: equal and affine
 * columns, categories whose rows all have one target, and whole numbers without gaps, at the cost of one product per column.
 */
#ifndef PGFIT_SLOT_RELATIONS_H
#define PGFIT_SLOT_RELATIONS_H

#include "core/moments/moments.h"
#include "core/rows/rows.h"

typedef enum SlotRelation {
    SLOT_EQUALS_TARGET = 1,     /* the same number in every row */
    SLOT_DETERMINES_TARGET = 2, /* one target for each of a few values or levels, or an affine function of the target */
    SLOT_NUMBERS_ROWS = 4       /* whole numbers, another one in each row, too close together to be so by chance */
} SlotRelation;

/*
 * Returns the relations of each slot, [slots], 0 for most. A relation that chance may bring about in so few rows is none: to determine
 * a target by chance must be less likely than e^-20, as must be whole numbers of that range without a repetition. NULLs end a
 * relation. Rows without a target may be numbered. Numbering takes a bit for each number of the range, and is not found where that is more than 1/16 of the memory limit.
 */
uint8_t *slot_relations_of_rows(Env *env, Rows *rows);
/* The same from moments without pending rows. Of numbers that number the rows only those in equal steps are seen, without weights. */
uint8_t *slot_relations_of_moments(Env *env, const Model *moments);

/* Return the standard deviation of each numeric slot, [slots], 0 for categories and texts. */
double *slot_deviations_of_rows(Env *env, Rows *rows);
double *slot_deviations_of_moments(Env *env, const Model *moments);

#endif
