/*
 * mixed_model.h - what a model of mixed_regression keeps beside the equation of its fixed effects (linear_view.h).
 *
 *   fixed             BOOL[slots]  slots of fixed effects
 *   group_slot        I64[]        categorical slots of the grouping factors, factor by factor
 *   group_factor      I64[]        the factor of each
 *   group_levels      I64[F]       groups of each factor
 *   group_keys        I64[]        factor by factor the groups, rising: levels of the slots as digits of one number, the last one fastest
 *   effect_factor     I64[E]       the factor of each random effect, rising
 *   effect_bar        I64[E]       its bar, rising: effects of one bar may be correlated
 *   effect_slot       I64[E]       its slot; -1: the intercept
 *   effect_level      I64[E]       the level of a category whose effect it is, by dictionary position; -1: the slot's number is its factor
 *   random_covariance F64[]        bar by bar the lower triangle, by columns
 *   random_effects    F64[]        factor by factor, group by group: the predicted effects
 *   random_errors     F64[]        their conditional standard errors
 *   error_covariances F64[]        factor by factor, group by group: their conditional covariances, below the diagonal by columns; missing: no factor has
 *                                  several effects
 */
#ifndef PGFIT_MIXED_MODEL_H
#define PGFIT_MIXED_MODEL_H

#include "core/estimator/table.h"

/* The arrays of a checked model, and where the parts of a factor begin. */
typedef struct MixedView {
    uint32_t factors, effects, slots;
    const uint8_t *fixed;
    const int64_t *group_slot, *group_factor, *group_levels, *group_keys;
    const int64_t *effect_factor, *effect_bar, *effect_slot, *effect_level;
    const double *covariance, *predicted, *errors, *joint;
    uint32_t group_slots, keys, covariances, predictions, joints; /* lengths */
} MixedView;

/* A grouping factor of a checked model. */
typedef struct MixedGroups {
    uint32_t slot_count, first_slot; /* in group_slot */
    uint32_t *slots;
    int64_t *first, *size; /* [slot_count] as in MixedFactor */
    uint32_t levels, columns, first_effect;
    const int64_t *keys;
    const double *predicted, *errors; /* [levels x columns] */
    const double *joint;              /* [levels] of the triangle below the diagonal */
    const double *covariance;         /* bar by bar the lower triangle */
} MixedGroups;

extern const ArraySpec mixed_arrays[13];
void mixed_view(const Model *model, MixedView *view);
/* Returns the factors of a checked model, in env's memory. */
MixedGroups *mixed_groups(Env *env, const Model *model, const MixedView *view);
/* Checks what the tables cannot say. Returns NULL, or what is wrong. */
const char *mixed_check(Env *env, const Model *model);

/* Predictions: fixed effects, and the random effects of the groups that the model knows. */
extern const Scoring mixed_scoring;
char *mixed_to_sql(Env *env, const Model *model);

/* Returns "(intercept)", "days", "machine=A". */
const char *mixed_effect_name(Env *env, const Model *model, const MixedView *view, uint32_t effect);
/* Writes the levels of a group, "north:3". */
void mixed_put_group(TextBuffer *out, const Model *model, const MixedGroups *groups, uint32_t group);
/* Sets level [slots] to the dictionary positions of the levels of a group. */
void mixed_group_levels(const MixedGroups *groups, uint32_t group, uint32_t *level);

extern const Table mixed_effects_table, mixed_variances_table;

#endif
