/*
 * formula_bars.h - the random effects of a formula, (1 + days | subject): which fields of a model they are.
 *
 * All terms of a formula with random effects are learned, so that the fields are terms: first those of the fixed effects, then those that random
 * effects alone have, and the groups, which are categorical fields.
 */
#ifndef PGFIT_FORMULA_BARS_H
#define PGFIT_FORMULA_BARS_H

#include "core/formula/formula_model.h"

/* Random effects of one grouping factor, which may be correlated. */
typedef struct FormulaBar {
    bool intercept;
    uint32_t effect_count;
    const uint32_t *effects; /* fields */
    uint32_t group_count;
    const uint32_t *groups; /* fields, whose levels together are a group, as in school:class */
} FormulaBar;

typedef struct FormulaBars {
    uint32_t count;
    const FormulaBar *bars;
    const bool *fixed; /* [fields] those of the fixed effects */
} FormulaBars;

/* Returns the random effects of a value whose fields are terms; NULL: its formula has none. */
const FormulaBars *formula_bars(Env *env, const Model *model);
/* Tells whether a resolved formula has random effects. */
bool formula_has_bars(const Formula *formula);

#endif
