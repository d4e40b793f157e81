/*
 * moments_rows.c - keeps rows beside their sums, for results that the sums cannot give, such as exact leave-one-out
 * errors, and instead of their sums, for formulas that learn.
 */
#include "core/moments/moments_internal.h"

#include <string.h>

#define KEPT "kept_rows"

static const OptionSpec keep_rows_option[] = {
    {.name = "keep_rows",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keep the rows next to their sums, for ridge_regression with lambda \"loo\": 8 bytes per number, "
             "within pgfit.fit_mem."},
    {.name = NULL}};
const OptionSpec *const moments_options[] = {options_common, options_folds, keep_rows_option, NULL};

/* Makes room for `count` more kept rows and reopens view. */
static Model *reserve_rows(Env *env, const Model *original, Model *state, MomentsView *view, uint32_t count)
{
    uint64_t rows = (uint64_t)view->kept->rows + count, bytes;
    char limit[ENV_SIZE_TEXT];

    if (__builtin_mul_overflow(rows * sizeof(double), (uint64_t)view->width, &bytes))
        bytes = UINT64_MAX;
    if (bytes > env->memory_limit)
        env_fail(env, ERROR_LIMIT,
                 "Set pgfit.fit_mem higher; or do without the rows: choose lambda by generalized cross-validation, \"gcv\", or leave out \"vcov\" or \"absorb\".",
                 "keeping %llu rows of %u numbers exceeds the %s that pgfit.fit_mem allows",
                 (unsigned long long)rows, view->width, env_size_text(env->memory_limit, limit));
    state = moments_reserve(env, original, state, KEPT, bytes);
    moments_open(env, state, view);
    return state;
}

/* Returns where the next kept row goes. */
static double *rows_end(const MomentsView *view)
{
    return view_f64(view, view->kept) + (size_t)view->kept->rows * view->width;
}

Model *moments_keep_pending(Env *env, const Model *original, Model *state, MomentsView *view)
{
    if (view->kept == NULL)
        return state;
    state = reserve_rows(env, original, state, view, state->pending_rows);
    memcpy(rows_end(view), view_f64(view, view->pending),
           (size_t)state->pending_rows * view->width * sizeof(double));
    view->kept->rows += state->pending_rows;
    return state;
}

void moments_map_levels(Env *env, const MomentsView *other, double *rows, uint32_t count, const uint32_t *levels)
{
    const Model *state = other->state;
    uint32_t *slots, slot_count = 0;

    if (other->column_slot == NULL)
        return;
    slots = env_array(env, (size_t)state->slot_count + 1, sizeof(uint32_t));
    for (uint32_t s = 0; s < state->slot_count; s++)
        if (schema_field_kind(state, schema_slot_field(state, s)) == FIELD_CATEGORICAL)
            slots[slot_count++] = s;
    for (uint32_t i = 0; i < count && slot_count > 0; i++, rows += other->width)
        for (uint32_t k = 0; k < slot_count; k++)
            rows[slots[k]] = levels[(uint32_t)rows[slots[k]]];
    env->release(env, slots);
}

Model *moments_keep_others(Env *env, const Model *original, Model *state, const MomentsView *other,
                           const uint32_t *levels)
{
    MomentsView view;
    double *to;

    if (other->kept == NULL || other->kept->rows == 0)
        return state;
    moments_open(env, state, &view);
    state = reserve_rows(env, original, state, &view, other->kept->rows);
    to = rows_end(&view);
    memcpy(to, view_f64(other, other->kept), (size_t)other->kept->rows * view.width * sizeof(double));
    moments_map_levels(env, other, to, other->kept->rows, levels);
    view.kept->rows += other->kept->rows;
    return state;
}

bool moments_kept_rows(Env *env, const Model *state, KeptRows *rows)
{
    MomentsView view;

    moments_open(env, (Model *)state, &view); /* read only */
    if (view.kept == NULL)
        return false;
    *rows = (KeptRows){.rows = {view_f64(&view, view.kept), view_f64(&view, view.pending)},
                       .counts = {view.kept->rows, state->pending_rows},
                       .width = view.width,
                       .target = view.target,
                       .weight = view.weighted ? view.weight : 0,
                       .tags = view.tags};
    return true;
}

/* ---- instead of sums ---- */

Model *moments_reserve_deferred(Env *env, const Model *original, Model *state, uint64_t rows)
{
    uint32_t width = model_find(state, "pending")->columns;
    uint64_t bytes, room;
    char limit[ENV_SIZE_TEXT];
    ModelEntry *pending;

    if (rows <= state->pending_capacity)
        return state;
    if (__builtin_mul_overflow(rows * sizeof(double), (uint64_t)width, &bytes))
        bytes = UINT64_MAX;
    if (bytes > env->memory_limit || bytes > MODEL_MAX_SIZE)
        env_fail(env, ERROR_LIMIT,
                 "Set pgfit.fit_mem higher, or use a formula without learned terms (scale, center, poly, bs, ns, cut) and "
                 "without interactions with a category, which keeps no rows.",
                 "keeping %llu rows of %u numbers for the terms of the formula exceeds the %s that pgfit.fit_mem allows",
                 (unsigned long long)rows, width,
                 env_size_text(env->memory_limit < MODEL_MAX_SIZE ? env->memory_limit : MODEL_MAX_SIZE, limit));
    state = moments_reserve(env, original, state, "pending", bytes);
    pending = model_entry_mutable(state, "pending");
    room = pending->reserved / sizeof(double) / width;
    pending->rows = state->pending_capacity = room > UINT32_MAX ? UINT32_MAX : (uint32_t)room;
    return state;
}
