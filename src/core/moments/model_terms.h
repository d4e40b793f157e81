/*
 * model_terms.h - what the numbers of a fitted model stand for, where its methods work on a vector of terms.
 *
 * A term is a numeric slot or a level of a categorical one (1 or 0). Arrays of the model, only where the
 * terms are not simply the slots:
 *   column_slot   I64[t], column_level I64[t]   slot of a term, and its level in final order or -1
 */
#ifndef PGFIT_MODEL_TERMS_H
#define PGFIT_MODEL_TERMS_H

#include "core/moments/moments.h"

/* Scorers keep a vector of as many terms on the stack; fits and checks refuse more. */
#define TERMS_MAX MOMENTS_MAX_COLUMNS

typedef struct Terms {
    uint32_t count;
    const int64_t *slot, *level; /* NULL: the terms are the slots */
} Terms;

/* The value of a term in an encoded row. */
static inline double term_value(const Terms *terms, uint32_t term, const double *slots)
{
    double x;

    if (terms->slot == NULL)
        return slots[term];
    x = slots[terms->slot[term]];
    return terms->level[term] < 0 ? x : x == (double)terms->level[term];
}

/* Adds the two arrays where they are needed; what they are made of lives in env until the model is built. */
void terms_add(Env *env, ModelBuilder *builder, const uint32_t *slot, const int32_t *level,
               uint32_t count, uint32_t slots);
void terms_open(const Model *model, uint32_t count, Terms *terms);
/* "carat", "cut=Ideal", "cut IS NULL", cut to size. */
void terms_name(const Model *model, const Terms *terms, uint32_t term, char *buffer, size_t size);
/* The same of a term of a design, a slot and a level in final order, by the moments it is of. */
void terms_design_name(Env *env, const Model *moments, uint32_t slot, int64_t level, char *name, size_t size);
/* NULL, or what is wrong with the arrays of a model of `count` terms. */
const char *terms_check(const Model *model, uint32_t count);
/* Is every array of the model one of these? names: NULL-terminated. */
bool arrays_are_of(const Model *model, const char *const *names);
/* An array of this shape, all of it finite? columns 0: one dimension. */
bool array_is_finite(const Model *model, const char *name, uint32_t rows, uint32_t columns);

#endif
