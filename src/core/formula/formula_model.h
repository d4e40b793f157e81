/*
 * formula_model.h - what a model keeps of a formula whose terms were learned: the schema of the inputs, and the parameters.
 *
 * The fields of such a model are terms (schema D of formula_terms.h). Its schema holds two more entries: "formula_inputs", the schema of
 * what is read from a row (S) as a value in binary form, and "formula_parameters". A row is read by S, expanded to D, and scored.
 * A formula that learns nothing leaves only its text in the schema, whose fields are then the inputs themselves.
 */
#ifndef PGFIT_FORMULA_MODEL_H
#define PGFIT_FORMULA_MODEL_H

#include "core/formula/formula_terms.h"

typedef struct FormulaModel {
    const Model *inputs; /* a value that has nothing but the schema S, the means that replace NULLs, and the flags of its rows */
    const Formula *formula;
    const FormulaTerms *terms;
    bool offsets;   /* the formula has offset(...) */
    double *row;    /* [slots of S] for a row that is read */
} FormulaModel;

/* Tells whether the fields of a value are terms that a formula learned. */
bool formula_model_any(const Model *model);
/* Opens a checked model; NULL if its fields are no such terms. */
FormulaModel *formula_model(Env *env, const Model *model);
/* Checks the formula of a value whose layout and schema are sound. Returns NULL, or what is wrong. */
const char *formula_model_check(Env *env, const Model *model);

/* Returns the schema by which rows are read for a model: that of the inputs, or the model itself. */
const Model *formula_row_schema(Env *env, const Model *model);
/* Tells whether a model reads more than plain columns: expressions, learned terms, factors. */
bool formula_has_expressions(Env *env, const Model *model);
/*
 * Returns, for each slot of a model, which term of its formula it belongs to, or where nothing was learned, which of its fields; *names: what these are
 * called, [*count].
 */
uint32_t *formula_slot_terms(Env *env, const Model *model, const char *const **names, uint32_t *count);
/*
 * Returns whether one of these terms is part of another, as a is of a:b: [count x count], true at i * count + j where term i is part of term j. count: as
 * formula_slot_terms gives it.
 */
bool *formula_margins(Env *env, const Model *model, uint32_t count);
/* Returns a formula of those of them that are kept [count], with the model's offsets, and without an intercept where the model has none. */
const char *formula_of_terms(Env *env, const Model *model, const char *const *names, uint32_t count, const bool *kept);
/* Tells whether a resolved formula has an offset. */
bool formula_has_offset(const Formula *formula);

/*
 * Returns the schema S of a state, as a model keeps it: levels in final order, without classes, target and id. means: replace NULLs, one
 * per slot; NULL: none.
 */
Model *formula_inputs_schema(Env *env, const Model *state, const double *means);
/* Describes the schema D of a state for schema_add; its levels are not in it. final: schema_final of the state that has the schema S. */
SchemaSpec formula_state_spec(Env *env, const FormulaTerms *terms, const Model *inputs, const Model *final);

/*
 * Returns the features of a model as SQL expressions over the columns of the row, [fields]; NULL where a field is a column with its name.
 * Returns NULL if all are. *offset: receives the sum of the offsets, NULL: there are none. Fails with ERROR_KIND where NULLs are
 * replaced before terms are computed, or a term cannot be written.
 */
const char *const *formula_model_sql(Env *env, const Model *model, char **offset);

#endif
