/*
 * linear_equations.h - builds and checks the arrays of linear equations (linear_view.h), for regressions and classifiers.
 */
#ifndef PGFIT_LINEAR_EQUATIONS_H
#define PGFIT_LINEAR_EQUATIONS_H

#include "core/estimator/dropped_terms.h"
#include "core/estimator/estimator.h"
#include "core/linear_equations/linear_view.h"

/* The equations that a fit found; all memory lives until model_build. */
typedef struct LinearEquations {
    const Model *schema;    /* of the rows or moments */
    uint32_t equations;
    uint32_t slots, levels; /* columns = slots + levels */
    double *coef;           /* [equations x columns] */
    double *offset;         /* [equations] score at the center (linear_view.h); NULL: no intercept */
    double *center;         /* [slots]; NULL: 0 */
    uint8_t *reference;     /* [levels]; NULL without levels */
    uint8_t *dropped;       /* [columns]; NULL: none */
    double *covariance;     /* packed; NULL: none; one equation */
    double *errors;         /* [equations x (1 + columns)]; NULL: none; several equations */
    LinearLink link;        /* of classifiers */
} LinearEquations;

/* The terms of a design of rows or of moments. */
typedef struct FitTerms {
    uint32_t count;
    const uint32_t *slot; /* [count] */
    const int32_t *level; /* [count] or -1, as in the designs */
} FitTerms;
#define FIT_TERMS(design) ((FitTerms){(design)->terms, (design)->term_slot, (design)->term_level})

/* Returns the column of a term. */
static inline uint32_t linear_column(uint32_t slots, FitTerms terms, uint32_t term)
{
    return terms.level[term] < 0 ? terms.slot[term] : slots + (uint32_t)terms.level[term];
}

/* Returns empty equations (all coefficients 0) for a schema, in running or final order. */
LinearEquations linear_equations(Env *env, const Model *schema, uint32_t equations);
/* Flags the reference levels: those without a term. */
void linear_equations_references(LinearEquations *equations, FitTerms terms);
/* Prepares a fit with an intercept: allocates offset, and sets center from the means of the terms, [count]. */
void linear_equations_center(Env *env, LinearEquations *equations, FitTerms terms, const double *means);
/* Marks a term as dropped. */
void linear_equations_drop(Env *env, LinearEquations *equations, FitTerms terms, uint32_t term);
/* The HINT about dropped terms. */
#define LINEAR_DROPPED_HINT "Leave them out, add rows, or give a \"lambda\", which shares the weight."
/* Adds the arrays. */
void linear_equations_add(Env *env, ModelBuilder *builder, const LinearEquations *equations);

/* Returns the intercept that goes with an offset, [slots] centers and coefficients, in the order that linear_accept repeats. */
static inline double linear_intercept(double offset, const double *center, const double *coef, uint32_t slots)
{
    for (uint32_t s = 0; s < slots; s++)
        offset -= center[s] * coef[s];
    return offset;
}

/* ---- checks ---- */

extern const ArraySpec linear_arrays[8]; /* the arrays of linear_view.h */
/* Checks what the table cannot say: the size of the covariance. Returns NULL, or what is wrong. */
const char *linear_check(Env *env, const Model *model);
/* The same for regressions, which have one equation. */
const char *linear_equation_check(Env *env, const Model *model);
/*
 * Returns NULL if the intercept follows from offset, center and coef to the last bit, coefficients other than 0 belong to
 * terms, and level_slots lists the categorical slots; else what is wrong.
 */
const char *linear_accept(Env *env, const Model *model);

#endif
