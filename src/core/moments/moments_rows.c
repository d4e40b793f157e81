/*
 * moments_rows.c - moments that keeps the rows it is of, for what no summary of them can say.
 */
#include "core/moments/moments_internal.h"

#include <string.h>

#define KEPT "kept_rows"

static const OptionSpec keep_rows_option[] = {
    {.name = "keep_rows",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keeps the rows beside their summary, for ridge_regression with lambda \"loo\"; of as many bytes as they "
             "have numbers, within pgfit.fit_mem."},
    {.name = NULL}};
const OptionSpec *const moments_options[] = {options_common, options_folds, keep_rows_option, NULL};

bool moments_keeps_rows(const Model *state)
{
    return model_find(state, KEPT) != NULL;
}

/* Room for so many rows more; view is opened anew. */
static Model *reserve_rows(Env *env, const Model *original, Model *state, MomentsView *view, uint32_t count)
{
    uint64_t rows = (uint64_t)view->kept->rows + count, bytes;
    char limit[ENV_SIZE_TEXT];

    if (__builtin_mul_overflow(rows * sizeof(double), (uint64_t)view->width, &bytes))
        bytes = UINT64_MAX;
    if (bytes > env->memory_limit)
        env_fail(env, ERROR_LIMIT,
                 "Set pgfit.fit_mem higher; or choose lambda by generalized cross-validation, \"gcv\", which keeps "
                 "no rows.",
                 "%llu rows of %u numbers, which are to be kept, pass the %s that pgfit.fit_mem allows",
                 (unsigned long long)rows, view->width, env_size_text(env->memory_limit, limit));
    state = moments_reserve(env, original, state, KEPT, bytes);
    moments_open(env, state, view);
    return state;
}

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

static bool is_no_row(const ModelEntry *entry)
{
    return strcmp(entry->name, KEPT) != 0;
}

Model *moments_folded(Env *env, const Model *state)
{
    ModelBuilder *builder;

    if (!moments_keeps_rows(state))
        return moments_flush_pending(env, NULL, moments_copy(env, state));
    builder = builder_from(env, state, is_no_row);
    builder_header(builder)->pending_capacity = state->pending_rows;
    return moments_flush_pending(env, NULL, model_build(builder));
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
                       .weight = view.weighted ? view.weight : 0};
    return true;
}
