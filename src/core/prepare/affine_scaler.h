/*
 * affine_scaler.h - what standard_scaler, minmax_scaler and robust_scaler share: each feature minus a number, divided by another.
 *
 *   shift  F64[slots]
 *   scale  F64[slots]  positive
 *   range  F64[2]      minmax_scaler: what the smallest and the largest number become
 *   clip   BOOL[1]     minmax_scaler: numbers outside the range become its nearest end
 */
#ifndef PGFIT_AFFINE_SCALER_H
#define PGFIT_AFFINE_SCALER_H

#include "core/inspection/outputs.h"

extern const ArrayTable affine_array_tables[];
extern const ArrayTable minmax_array_tables[];
extern const Scoring affine_scoring;
extern const Table *const affine_tables[]; /* NULL-terminated: scaling(model) */

/*
 * Adds the two arrays. A scale of 0 becomes 1, as in scikit-learn: a constant feature is only shifted. Fails with ERROR_RANGE if a
 * number is not finite.
 */
void affine_add(Env *env, const Estimator *self, ModelBuilder *builder, double *shift, double *scale, uint32_t slots);

/* What the descriptors of the three have in common. */
const char *affine_check(Env *env, const Model *model);
void affine_output_sql(TextBuffer *out, const Model *model, uint32_t output);
char *affine_summary(Env *env, const Model *model);
#define AFFINE_ESTIMATOR                                                                                               \
    .task = TASK_PREPARATION, .numeric = true, .supervised = false, .check = affine_check, .scoring = &affine_scoring, \
    .output_name = output_slot_name, .output_sql = affine_output_sql, .tables = affine_tables,                       \
    .to_sql = outputs_to_sql, .summary = affine_summary

#endif
