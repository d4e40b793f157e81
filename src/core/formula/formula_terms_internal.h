/*
 * formula_terms_internal.h - the plan by which the terms of a row are computed.
 */
#ifndef PGFIT_FORMULA_TERMS_INTERNAL_H
#define PGFIT_FORMULA_TERMS_INTERNAL_H

#include "core/formula/formula_internal.h"
#include "core/formula/formula_terms.h"

#define FORMULA_MAX_LEARNED 4096 /* columns of all learned atoms: formula_expand has them on the stack */

typedef struct TermAtom {
    const FormulaAtom *atom;
    const double *parameters;
    uint32_t parameter_count;
    uint32_t slot;        /* of S */
    uint32_t columns;     /* of a category: its levels */
    uint32_t first_level; /* of a category of S */
    uint32_t reference;   /* of a category: index of the level */
    double *contrasts;    /* [columns x (columns - 1)] of C(x, sum) and its like: the numbers of each level; NULL: treatment */
    uint32_t value;       /* where its numbers are among the learned ones; FORMULA_NONE: in S */
    Spline spline;
} TermAtom;

typedef struct TermFactor {
    uint32_t atom;    /* index in FormulaTerms.atoms */
    bool contrasts;   /* of a category: without its reference level, or by the contrasts of the atom */
    uint32_t columns;
    uint32_t stride;  /* of its columns in the term */
} TermFactor;

typedef struct TermPlan {
    uint32_t first, count;  /* factors */
    uint32_t slot, columns; /* in D */
    uint32_t field;
    bool category;          /* a categorical field, as in S */
    uint32_t product;       /* the input that is the product of the factors; FORMULA_NONE: it is computed */
    double shift;           /* of its levels */
} TermPlan;

struct FormulaTerms {
    const Formula *formula;
    bool intercept;
    double *parameters;
    uint32_t parameter_count;
    TermAtom *atoms; /* [atoms of the formula] */
    uint32_t *input_slots; /* [inputs + 1] of S */
    TermFactor *factors;
    TermPlan *plans; /* [terms of the formula] */
    uint32_t slots, fields;
    SchemaSpec spec;
    int *sources;          /* [fields] */
    uint32_t *field_plan;  /* [fields] */
    uint32_t *offsets;     /* slots of S */
    uint32_t offset_count;
    const char **level_names; /* [levels of S] "=Ideal", " IS NULL" */
    const char **level_texts; /* [levels of S]; NULL: the level of NULL */
};

/* Returns how many parameters an atom learns. */
uint32_t formula_atom_parameters(const FormulaAtom *atom);
/* Returns the terms of checked parameters; NULL with a problem. */
FormulaTerms *formula_plan(Env *env, const Formula *formula, const Model *inputs, double *parameters, uint32_t count,
                           FormulaProblem *problem);
/*
 * Decides how categories are coded: sets contrasts of every factor that is one. Returns the atom that has all levels because
 * there is no intercept, or FORMULA_NONE.
 */
uint32_t formula_code_categories(Env *env, const Formula *formula, bool intercept, TermFactor *factors);

/* Tells whether all these atoms are part of a term; they rise. */
bool formula_part_of(const Formula *formula, uint32_t term, const uint32_t *atoms, uint32_t count);

/* Computes the orthogonal polynomials of degree 1 .. degree at x. */
void formula_poly_values(const double *parameters, uint32_t degree, double x, double *values);
/* Returns the interval of x among the breaks of cut. */
uint32_t formula_cut_interval(const double *breaks, uint32_t intervals, double x);

#endif
