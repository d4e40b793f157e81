/*
 * moments_products.c - sums of products beside the factor of many columns: the rows after the first ones of a well conditioned state cost
 * half as many operations as reflections (qr_factor.h says why no digits are lost). Only a running state has them.
 */
#include "core/moments/moments_flush.h"

#include <math.h>
#include <string.h>

#define PRODUCTS_COLUMNS 1024 /* of more, memory is what takes time, and a factor of them costs as much as many rows */
#define FIRST_SHARE 1.5       /* rows for each column before there are products */
#define GATHER_MEMORY 4       /* times the memory of rows that are kept: that of the state and of the block that they become */
#define PRODUCTS_FLUSHES 1024 /* products are factored after so many: their rounding grows with the blocks that are summed */

/* Tells whether an entry is not the products. */
static bool is_kept(const ModelEntry *entry)
{
    return strcmp(entry->name, "products") != 0;
}

/* Returns the state without products, or with products of zero; releases the old block unless it is the original. */
static Model *change_products(Env *env, const Model *original, Model *state, bool with)
{
    size_t numbers = factor_packed(state->column_count);
    double *zeros = with ? env_array(env, numbers, sizeof(double)) : NULL;
    ModelBuilder *builder = builder_from(env, state, is_kept);
    Model *next;

    builder_header(builder)->pending_capacity = state->pending_rows;
    if (with)
        builder_f64(builder, SECTION_ARRAYS, "products", zeros, (uint32_t)numbers);
    next = model_build(builder);
    next->fingerprint = 0; /* of a running state */
    if (with)
        env->release(env, zeros);
    if (state != original)
        env->release(env, state);
    return next;
}

/* Tells whether a state may have products: many columns, each of a number, and no rows that are kept. */
static bool may_have_products(const Model *state)
{
    return state->kind == MODEL_MOMENTS && !(state->flags & MODEL_FOLDED) && state->column_count >= GRAM_COLUMNS &&
           state->column_count <= PRODUCTS_COLUMNS && model_find(state, "column_slot") == NULL && model_find(state, "kept_rows") == NULL;
}

uint32_t moments_gathered_rows(const Env *env, const Model *state)
{
    double rows = ceil(FIRST_SHARE * state->column_count), bytes = rows * state->column_count * sizeof(double);
    bool gathers = state->column_count >= GATHER_COLUMNS && may_have_products(state) && GATHER_MEMORY * bytes <= env->memory_limit;

    return gathers ? (uint32_t)rows : 0;
}

Model *moments_choose_products(Env *env, const Model *original, Model *state)
{
    MomentsView view;
    bool with;

    if (!may_have_products(state))
        return state;
    moments_open(env, state, &view);
    if (view.products != NULL && !factor_products_zero(view_f64(&view, view.products), view.columns)) {
        if (state->flushes % PRODUCTS_FLUSHES != 0)
            return state;
        moments_fold_products(env, &view);
    }
    /* a state that failed is tried again after twice as many blocks */
    if (view.products == NULL && (state->rows < FIRST_SHARE * view.columns || (state->flushes & (state->flushes - 1)) != 0))
        return state;
    with = factor_condition_below(env, view_f64(&view, view.factor), view.columns, GRAM_CONDITION);
    return with == (view.products != NULL) ? state : change_products(env, original, state, with);
}

Model *moments_settle(Env *env, const Model *original, Model *state)
{
    MomentsView view;

    state = moments_flush_pending(env, original, state);
    if (model_find(state, "products") == NULL)
        return state;
    moments_open(env, state, &view);
    moments_fold_products(env, &view);
    return change_products(env, original, state, false);
}
