/*
 * linear_equations.h - builds and checks the arrays of linear equations (linear_view.h), for regressions and classifiers.
 */
#ifndef PGFIT_LINEAR_EQUATIONS_H
#define PGFIT_LINEAR_EQUATIONS_H

#include "core/estimator/estimator.h"
#include "core/linear_equations/linear_view.h"
#include "core/rows/standardized_rows.h"

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

/* The equations that a fit found; all memory lives until model_build. */
typedef struct LinearEquations {
    Env *env;
    const Model *schema;    /* of the rows or moments */
    FitTerms terms;
    const double *means;    /* [terms] what the fit centers them at; NULL: 0 */
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

/*
 * Returns equations of these terms, all coefficients 0, for a schema in running or final order; levels without a term are references.
 * means: [terms] of a fit with an intercept, must live as long; NULL: the terms are not centered, and there is no intercept.
 */
LinearEquations linear_equations(Env *env, const Model *schema, FitTerms terms, uint32_t equations, const double *means);
/* Sets a coefficient, after the offset of its equation was set to the score at the means of all terms. */
static inline void linear_equations_set(LinearEquations *out, uint32_t equation, uint32_t term, double w)
{
    out->coef[(size_t)equation * (out->slots + out->levels) + linear_column(out->slots, out->terms, term)] = w;
    if (out->means != NULL && out->terms.level[term] >= 0) /* levels are not centered when they are scored */
        out->offset[equation] -= out->means[term] * w;
}
/*
 * Drops terms that depend linearly on others: warns, and adds the fact "dropped_terms" with their names. dropped: [terms] those that
 * no equation has; in_some: [terms] those that at least one equation lacks; NULL: the same. Does nothing if there are none.
 */
void linear_equations_drop(LinearEquations *out, const uint8_t *dropped, const uint8_t *in_some, const char *hint, ModelBuilder *builder);
/* The HINT about dropped terms. */
#define LINEAR_DROPPED_HINT "Leave them out, add rows, or give a \"lambda\", which shares the weight."
/* Adds the arrays. */
void linear_equations_add(ModelBuilder *builder, const LinearEquations *equations);

/* ---- of standardized rows ---- */

/* Returns empty equations of the terms of the rows, centered at their means if the rows are. */
LinearEquations linear_rows_equations(const StandardizedRows *rows, uint32_t equations);
/*
 * Sets an equation from theta [rows->count], the intercept first, of the standardized columns. Returns how many coefficients are not 0.
 * Fails with ERROR_RANGE and this hint if one is out of range. method: its name for messages.
 */
uint32_t linear_rows_set(LinearEquations *out, const StandardizedRows *rows, uint32_t equation, const double *theta, const char *method, const char *hint);

/*
 * Writes the covariance of the intercept at 0 and the coefficients, packed, for all terms of the design (0 for dropped ones; packed is zeros
 * before). covariance: of the standardized columns, [rows->count x rows->count], with leading dimension ld. Returns false if a number is out
 * of range.
 */
bool linear_rows_covariance(const StandardizedRows *rows, const double *covariance, size_t ld, double *packed);

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
