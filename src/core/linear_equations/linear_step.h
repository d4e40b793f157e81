/*
 * linear_step.h - what steps of linear models by passes over rows share, whatever their loss: the parameters of a model, its running
 * state (model_step.h), rows that are not in the sums yet, and the next equations.
 *
 * A state has, with E free equations of p parameters (the intercept, which is the score at the center, then the terms):
 *   sum_gradient   F64[gradients x E x p]
 *   sum_curvature  F64[blocks x p (p + 1) / 2]
 *   sum_rows       F64[(slots + 3) x DESIGN_TILE]  pending rows: one column per slot, then the classes or targets, the weights, and the offsets
 *   sum_totals     F64[...]                        what the loss counts; the last number is that of the pending rows
 */
#ifndef PGFIT_LINEAR_STEP_H
#define PGFIT_LINEAR_STEP_H

#include "core/estimator/model_step.h"
#include "core/linear_equations/linear_equations.h"
#include "core/moments/moments.h"
#include "core/rows/row_tile.h"

/* The declarations of the first three. */
#define LINEAR_SUM_SPECS                                                                                                          \
    {.name = "sum_curvature", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "sum_totals", .rows = {SIZE_FREE}},              \
        {.name = "sum_gradient", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "sum_totals", .rows = {SIZE_FREE}},           \
    {                                                                                                                             \
        .name = "sum_rows", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "sum_totals", .rows = {SIZE_SLOTS, .plus = 3},    \
        .columns = {SIZE_NUMBER, .plus = DESIGN_TILE}                                                                             \
    }

/* The parameters of a model, derived from it for each use. */
typedef struct LinearShape {
    Env *env;
    const Model *model;
    LinearView view;
    LinearTerm *terms;   /* [term_count] those that have a parameter */
    uint32_t term_count, classes;
    uint32_t count;      /* parameters per equation */
    uint32_t fixed;      /* equations fixed at 0, the first ones; set by the caller */
    uint32_t equations;  /* free equations: all but them */
    bool intercept;
    const double *deviation, *factor; /* step_deviation, step_factor; NULL: none */
} LinearShape;

/* Adds pending rows, of this state or another one of the same model, to the sums. */
typedef void (*LinearSum)(Env *env, Model *state, const double *rows, uint32_t pending);

/*
 * Returns the shape of a model. dropped: [columns], terms without a parameter, or NULL; constants: those whose deviation is 0 have none
 * either if there is an intercept.
 */
LinearShape linear_shape(Env *env, const Model *model, const uint8_t *dropped, bool constants);
void linear_shape_free(const LinearShape *shape);
/* Returns an array of a model; NULL: it has none. */
const double *linear_step_numbers(const Model *model, const char *name);
/* How many sums a state has, in the units of the arrays above. */
typedef struct LinearSums {
    size_t gradients, blocks;
    uint32_t totals;
} LinearSums;

/* Tells whether "step_from", and the sums of a state, have the lengths and the pending rows that the shape has. */
bool linear_step_from_fits(const LinearShape *shape);
bool linear_step_sums_fit(const LinearShape *shape, LinearSums sums);

/*
 * Returns a state without rows: the entries of the model that `kept` accepts, sums of 0, and the array `extra` [length], unless it is
 * NULL. name: of the aggregate. Fails with ERROR_LIMIT past the budget.
 */
Model *linear_step_begin(const LinearShape *shape, LinearSums sums, bool (*kept)(const ModelEntry *entry), const char *extra, const double *numbers,
                         uint32_t length, const char *name);
/* Tells whether an entry is none of the sums. */
bool linear_step_is_no_sum(const ModelEntry *entry);
/* Tells whether the next model has an array or fact of the state as it is. */
bool linear_step_keeps(const ModelEntry *entry);
/* The functions of a ModelStep. next: returns the next model of a state without pending rows. */
void linear_step_add(Env *env, Model *state, const double *slots, double target, double weight, double offset, ModelStepHints *hints, LinearSum sum);
void linear_step_merge(Env *env, const ModelStep *step, Model *a, const Model *b, LinearSum sum);
Model *linear_step_finish(Env *env, const Model *state, LinearSum sum, Model *(*next)(Env *env, const Model *state));

static inline const double *pending_targets(const double *rows, uint32_t slots)
{
    return rows + (size_t)slots * DESIGN_TILE;
}
static inline const double *pending_weights(const double *rows, uint32_t slots)
{
    return rows + ((size_t)slots + 1) * DESIGN_TILE;
}
static inline const double *pending_offsets(const double *rows, uint32_t slots)
{
    return rows + ((size_t)slots + 2) * DESIGN_TILE;
}
/* Writes the columns of the parameters to memory, [PENDING_NUMBERS], 64-byte aligned, and points columns, [count + 1 + TILE_PADDING], at them. */
#define PENDING_NUMBERS(terms) (((size_t)(terms) + 2) * DESIGN_TILE)
void pending_columns(const LinearShape *shape, const double *rows, double *memory, const double **columns);

/* Writes the parameters of a free equation. */
void linear_step_theta(const LinearShape *shape, uint32_t equation, double *theta);
/* Returns the equations of parameters [equations x count]. */
LinearEquations linear_step_equations(const LinearShape *shape, const double *theta);
/*
 * Returns the packed covariance of the intercept at 0 and all terms, 0 for those without a parameter, from that of the parameters of an
 * equation: [count x count], whose rows are `stride` apart.
 */
double *linear_step_covariance(const LinearShape *shape, const double *inverse, size_t stride);
/* Tells whether a step gained less than wanted. */
bool linear_step_worse(double objective, double before, double wanted);

/* ---- the first model ---- */

/* All rows of class moments, whose classes count with their factors. */
typedef struct PooledClasses {
    double weight;
    double *mean, *deviation; /* [terms] */
    double *products;         /* cross-products about the mean, upper triangle by columns */
} PooledClasses;
/* factors: [classes], NULL: 1. */
PooledClasses pooled_classes(Env *env, const ScatterDesign *design, const double *factors);
/* Returns the weight of a class, times its factor. */
double pooled_weight(const ScatterDesign *design, const double *factors, uint32_t class);
/*
 * Drops terms that are constant or depend on earlier ones, warns about them and adds the fact of their names. products: packed, of the terms, about
 * their means if there is an intercept; destroyed.
 */
void linear_start_drop(LinearEquations *out, double weight, const double *mean, double *products, const char *hint, ModelBuilder *builder);
/* Adds step_deviation, from the deviations of the terms, unless they are NULL, and step_factor, unless there are no factors. */
void linear_start_add(ModelBuilder *builder, const LinearEquations *equations, const double *deviation,
                      const double *factors, uint32_t classes);

#endif
