/*
 * formula_terms.h - the second stage of a formula: learns its terms from rows of its inputs, and computes them for a row.
 *
 * S is the schema of the inputs, D that of the terms. Fields of D in the order of the terms, by degree and then by appearance:
 *   a plain column       the same field, array columns with all their slots
 *   a category           a categorical field with the levels that it has in S, where the treatment coding of designs does what R does;
 *                        else numbers 0 and 1, such as "cut=Ideal"
 *   what was learned     numbers such as "poly(depth, 2)1", "cut(carat, 3)=(0.5,1]"
 *   a product            numbers such as "cut=Ideal:carat"; the first factor varies fastest, as in R
 * Categories are coded by R's rule: factor v of a term by contrasts where the rest of the term is part of an earlier term (or empty),
 * else by all its levels; without an intercept, the first category has all levels. Levels that the model does not know count as the
 * reference.
 *
 * Learned parameters ignore weights, as those of R do. scale, center and poly need two passes over the rows and constant memory; bs,
 * ns keep the values for their quantiles, which is compared with the budget.
 */
#ifndef PGFIT_FORMULA_TERMS_H
#define PGFIT_FORMULA_TERMS_H

#include "core/formula/formula.h"
#include "core/rows/rows.h"

typedef struct FormulaTerms FormulaTerms; /* a resolved formula with what it learned: immutable; scoring allocates nothing */

/*
 * Learns the terms of a formula. inputs: the schema S with its levels in final order (schema_final), whose fields are the inputs of the
 * formula in order; rows: of these inputs. intercept: whether the model has one. Makes up to two passes. Fails with ERROR_LIMIT
 * where the terms have more than FORMULA_MAX_COLUMNS columns, with ERROR_DATA where nothing can be learned (too few distinct values, a
 * reference level that is not there).
 */
FormulaTerms *formula_learn(Env *env, const Formula *formula, const Model *inputs, Rows *rows, bool intercept);
/* Returns all that was learned, as numbers; how many there are follows from the formula. The first says whether there is an intercept. */
const double *formula_parameters(const FormulaTerms *terms, uint32_t *count);
/*
 * Makes the same terms from parameters that were stored. Returns NULL with what is wrong: everything is checked, because it comes from
 * outside.
 */
FormulaTerms *formula_terms_from(Env *env, const Formula *formula, const Model *inputs, const double *parameters, uint32_t count,
                                 const char **wrong);

/* Returns how many numbers formula_expand writes. */
uint32_t formula_terms_slots(const FormulaTerms *terms);
/* Returns names, kinds and widths of the fields; classes, target and ids are not known here. Lives as long as the terms. */
const SchemaSpec *formula_terms_spec(const FormulaTerms *terms);
/* Returns the field of S that a categorical or plain field of D is a copy of, or -1. */
int formula_terms_source(const FormulaTerms *terms, uint32_t field);
/*
 * Returns a fitted value that has nothing but the schema D: levels in final order, and the classes, the target's name and the type of ids
 * that S has.
 */
Model *formula_terms_schema(Env *env, const FormulaTerms *terms, const Model *inputs);

/*
 * Computes the terms of a row. inputs: encoded by S, levels in final order; slots: encoded by D, whose levels are in final order too.
 * Allocates nothing. NaN among the inputs gives NaN in all terms that they are part of.
 */
void formula_expand(const FormulaTerms *terms, const double *inputs, double *slots);
/* Returns the sum of the offsets of a row of S; 0 if there are none. */
double formula_offset(const FormulaTerms *terms, const double *inputs);

/*
 * Return SQL over quoted column names: of a field of D that is a number (a number), or a categorical one (the column itself); of an
 * input. NULL where a field is an array. The same numbers as formula_expand computes to 1e-12.
 */
char *formula_term_sql(Env *env, const FormulaTerms *terms, uint32_t field);
char *formula_input_sql(Env *env, const Formula *formula, uint32_t input);

#endif
