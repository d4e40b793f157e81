/*
 * outputs.h - the numbers that a model's transform writes: their names, and the row that they make.
 */
#ifndef PGFIT_OUTPUTS_H
#define PGFIT_OUTPUTS_H

#include "core/estimator/estimator.h"

/* Tells whether models of this estimator transform rows. */
static inline bool estimator_transforms(const Estimator *estimator)
{
    return estimator != NULL && estimator->scoring != NULL && estimator->scoring->transform != NULL;
}

/* Adds the whole name of a field: "carat", "f3". */
void output_field_name(TextBuffer *out, const Model *model, uint32_t field);
/* Add the whole name of a slot ("carat", "f3", "embedding[7]"), and of a term: of a level (-1: none) too ("cut=Ideal"). */
void output_slot_name(TextBuffer *out, const Model *model, uint32_t slot);
void output_term_name(TextBuffer *out, const Model *model, uint32_t slot, int64_t level);
/*
 * Returns the names of the outputs of a model that transforms rows, and their number. Two that are equal would lie: sets *wrong to a
 * message then, else to NULL. wrong NULL: fails with ERROR_DATA.
 */
const char *const *output_names(Env *env, const Model *model, uint32_t *count, const char **wrong);
/* Estimator.to_sql of any method that has output_sql: an array of its outputs. */
char *outputs_to_sql(Env *env, const Model *model);
/* Writes the row that numbers of transform stand for: inverse_row, or the inverse under the names of slots or terms. */
void output_inverse_row(TextBuffer *out, const Model *model, const double *numbers);
/* Writes a level by its position as JSON; null where it is that of NULLs, or none. */
void output_level(TextBuffer *out, const Model *model, double position);
/* Writes an encoded row as a JSON object by the names of its features, with levels as text, which scores read again. */
void output_row(TextBuffer *out, const Model *model, const double *slots);

#endif
