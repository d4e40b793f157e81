/*
 * moments.c - adds rows to a state of moments, flushes the pending ones, and finishes the state for users and fits.
 */
#include "core/moments/moments_internal.h"

#include <stddef.h>
#include <string.h>

/* Reserves room for so many pending rows. */
static Model *reserve_pending(Env *env, const Model *original, Model *state, uint32_t rows)
{
    ModelEntry *pending;

    if (state->pending_capacity >= rows)
        return state;
    state = moments_reserve(env, original, state, "pending", (size_t)rows * model_find(state, "pending")->columns * sizeof(double));
    pending = model_entry_mutable(state, "pending");
    pending->rows = state->pending_capacity = rows;
    return state;
}

/* Makes room for one more pending row: flushes the others, and reserves more room in a state that is flushed often. */
static __attribute__((noinline)) Model *make_room(Env *env, const Model *original, Model *state)
{
    uint32_t gathered = moments_gathered_rows(env, state);

    if (moments_deferred(state))
        return moments_reserve_deferred(env, original, state, (uint64_t)state->pending_rows + 1);
    if (state->pending_rows < gathered && state->rows == state->pending_rows)
        return reserve_pending(env, original, state, 2 * state->pending_rows < gathered ? 2 * state->pending_rows : gathered);
    state = moments_choose_products(env, original, moments_flush_pending(env, original, state));
    return reserve_pending(env, original, state, gathered > 0 && model_find(state, "products") != NULL ? gathered : moments_wanted_rows(state));
}

/* Adds one row that ends with `count` tags, a constant at compile time where it matters. */
static inline __attribute__((always_inline)) Model *add_row(Env *env, Model *state, const double *slots,
                                                            const bool *nulls, double target,
                                                            double weight, const double *tags, uint32_t count)
{
    uint32_t slot_count = state->slot_count;
    bool weighted = (state->flags & MODEL_WEIGHTED) != 0;
    bool targeted = state->kind != MODEL_FEATURE_MOMENTS;
    uint64_t width = (uint64_t)slot_count + targeted + weighted + count, end;
    double *row;

    if (__builtin_expect(state->pending_rows >= state->pending_capacity, 0))
        state = make_room(env, state, state);
    end = state->pending_offset + (state->pending_rows + (uint64_t)1) * width * sizeof(double);
    if (__builtin_expect(end > state->size || state->pending_offset % 8 != 0 ||
                             state->pending_offset < sizeof(Model) + (uint64_t)state->entry_count *
                                                                         sizeof(ModelEntry),
                         0))
        env_fail(env, ERROR_CORRUPT, NULL, "pending rows lie outside the moments");

    row = (double *)((char *)state + state->pending_offset) + state->pending_rows * width;
    memcpy(row, slots, slot_count * sizeof(double));
    if (nulls != NULL)
        for (uint32_t s = 0; s < slot_count; s++)
            if (nulls[s])
                row[s] = NULL_MARK;
    if (targeted)
        row[slot_count] = target;
    if (weighted) {
        row[slot_count + targeted] = weight;
        state->weight += weight;
    } else {
        state->weight += 1;
    }
    for (uint32_t i = 0; i < count; i++)
        row[slot_count + targeted + weighted + i] = tags[i];
    state->pending_rows++;
    state->rows++;
    return state;
}

Model *moments_add(Env *env, Model *state, const double *slots, const bool *nulls, double target,
                   double weight)
{
    if (__builtin_expect((state->flags & MODEL_FOLDED) != 0, 0)) {
        double fold = moments_content_fold(env, state, slots, nulls, target);

        return add_row(env, state, slots, nulls, target, weight, &fold, 1);
    }
    return add_row(env, state, slots, nulls, target, weight, NULL, 0);
}

Model *moments_add_tagged(Env *env, Model *state, const double *slots, const bool *nulls, double target, double weight, const double *tags,
                          uint32_t count)
{
    if (__builtin_expect(count == 0, 1))
        return add_row(env, state, slots, nulls, target, weight, NULL, 0);
    return add_row(env, state, slots, nulls, target, weight, tags, count);
}

Model *moments_flush(Env *env, Model *state)
{
    return moments_settle(env, state, state);
}

/* Tells whether an entry holds anything but kept rows. */
static bool is_no_row(const ModelEntry *entry)
{
    return strcmp(entry->name, "kept_rows") != 0;
}

const Model *moments_for_fit(Env *env, const Model *moments)
{
    bool settled = moments->pending_rows == 0 && model_find(moments, "products") == NULL;

    if (moments_deferred(moments))
        env_fail(env, ERROR_KIND, "Compute them without option \"keep_rows\" and without terms that are learned from all rows, or fit the rows.",
                 "the moments keep their rows for a formula that needs them all, and sum nothing yet");
    if (!settled && !moments_keeps_rows(moments)) {
        moments = moments_settle(env, NULL, moments_copy(env, moments));
    } else if (!settled) {
        ModelBuilder *builder = builder_from(env, moments, is_no_row);

        builder_header(builder)->pending_capacity = moments->pending_rows;
        moments = moments_settle(env, NULL, model_build(builder));
    }
    return moments_used_classes(env, moments);
}

/* Fails if the weights add up to infinity or NaN, because readers would refuse such a value. */
static Model *require_finite_weights(Env *env, Model *state)
{
    uint32_t count, one;
    const double *counts = model_f64(state, "counts", &count);
    const double *totals = model_f64(state, "totals", &one);
    double sum = state->weight * 0.0;

    for (uint32_t i = 0; i < count; i++)
        sum += counts[i] * 0.0;
    for (uint32_t i = 0; i < one; i++)
        sum += totals[i] * 0.0;
    if (sum != 0)
        moments_fail_weights(env);
    return state;
}

Model *moments_finish(Env *env, const Model *state)
{
    size_t pending = (size_t)state->pending_rows *
                     ((size_t)state->slot_count + (state->kind != MODEL_FEATURE_MOMENTS) +
                      ((state->flags & MODEL_WEIGHTED) != 0) + ((state->flags & MODEL_FOLDED) != 0) + moments_tags(state) + moments_further_targets(state));
    Model *flushed, *result;

    /* a state of a few pending rows alone keeps them: a merge then adds them in one block */
    if (state->rows == state->pending_rows &&
        pending <= KEEP_NUMBERS + (size_t)state->column_count * (state->column_count + 1) / 2)
        return require_finite_weights(env, model_compact(env, state));
    flushed = moments_settle(env, NULL, moments_copy(env, state));
    result = model_compact(env, flushed);
    env->release(env, flushed);
    return require_finite_weights(env, result);
}
