/*
 * model_terms.h - the terms of a fitted model: which slot or level each coefficient belongs to.
 *
 * A term is a numeric slot or a level of a categorical one (1 or 0). Arrays of the model, present only if
 * the terms are not simply the slots:
 *   column_slot   I64[t], column_level I64[t]   slot of a term, and its level in final order or -1
 */
#ifndef PGFIT_MODEL_TERMS_H
#define PGFIT_MODEL_TERMS_H

#include "core/base/text_buffer.h"
#include "core/moments/moments.h"

/* Scorers keep a vector of as many terms on the stack; fits and checks refuse more. */
#define TERMS_MAX MOMENTS_MAX_COLUMNS

typedef struct Terms {
    uint32_t count;
    const int64_t *slot, *level; /* NULL: the terms are the slots */
} Terms;

/* Returns the value of a term in an encoded row. */
static inline double term_value(const Terms *terms, uint32_t term, const double *slots)
{
    double x;

    if (terms->slot == NULL)
        return slots[term];
    x = slots[terms->slot[term]];
    return terms->level[term] < 0 ? x : x == (double)terms->level[term];
}

/* Adds the two arrays if they are needed; their data lives in env until the model is built. */
void terms_add(Env *env, ModelBuilder *builder, const uint32_t *slot, const int32_t *level, uint32_t count);
/* Writes the name of a term ("carat", "cut=Ideal", "cut IS NULL"), cut to size. */
void terms_name(const Model *model, const Terms *terms, uint32_t term, char *buffer, size_t size);
/* Returns the names of all terms, in memory of env. */
const char *const *terms_names(Env *env, const Model *model, const Terms *terms);
/* Prints intercept + the sum of coef x (term - center) as SQL; coef, center: one number per term. */
void terms_sql(TextBuffer *out, const Model *model, const Terms *terms, double intercept, const double *center,
               const double *coef);
/* Writes the name of a term of a design, given as slot and level in final order, from the moments of that design. */
void terms_design_name(Env *env, const Model *moments, uint32_t slot, int64_t level, char *name, size_t size);

#endif
