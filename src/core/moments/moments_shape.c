/*
 * moments_shape.c - makes empty states of moments, and grows states to more columns, classes, folds and rows.
 */
#include "core/moments/moments_internal.h"

#include <stdio.h>
#include <string.h>

/* Writes the slots of the columns of an empty state (targets: -1, -2, ...) unless slots is NULL. Returns the number of columns. */
static uint32_t base_columns(const SchemaSpec *spec, uint32_t targets, int64_t *slots)
{
    uint32_t columns = 0;
    int64_t slot = 0;

    for (uint32_t f = 0; f < spec->field_count; f++) {
        uint32_t width = spec->widths != NULL ? spec->widths[f] : 1;
        if (spec->kinds != NULL && spec->kinds[f] == FIELD_CATEGORICAL) {
            slot += width;
            continue;
        }
        for (uint32_t i = 0; i < width; i++, slot++, columns++)
            if (slots != NULL)
                slots[columns] = slot;
    }
    for (uint32_t k = 0; k < targets; k++, columns++)
        if (slots != NULL)
            slots[columns] = -1 - (int64_t)k;
    return columns;
}

/* Returns the number of slots of a spec. categorical: receives whether a field is categorical. */
static uint64_t spec_slots(const SchemaSpec *spec, bool *categorical)
{
    uint64_t slots = 0;

    *categorical = false;
    for (uint32_t f = 0; f < spec->field_count; f++) {
        slots += spec->widths != NULL ? spec->widths[f] : 1;
        if (spec->kinds != NULL && spec->kinds[f] == FIELD_CATEGORICAL)
            *categorical = true;
    }
    return slots;
}

static void require_columns(Env *env, uint64_t columns)
{
    if (columns > MOMENTS_MAX_COLUMNS)
        env_fail(env, ERROR_LIMIT, "Use fewer features, or fewer levels of a categorical one.",
                 "%llu columns are more than the %u that moments can hold",
                 (unsigned long long)columns, MOMENTS_MAX_COLUMNS);
}

/* Fails with ERROR_DATA if a feature is an array of categories. */
static void refuse_category_arrays(Env *env, const SchemaSpec *spec)
{
    for (uint32_t f = 0; f < spec->field_count; f++)
        if (spec->kinds != NULL && spec->kinds[f] == FIELD_CATEGORICAL && spec->widths != NULL &&
            spec->widths[f] != 1)
            env_fail(env, ERROR_DATA, "Put each category in a column of its own.",
                     "feature %u is an array of categories", f + 1);
}

/* Adds the slot and the level of each column. room: 2 (columns + 1) numbers that must live until the model is built. */
static void add_map(ModelBuilder *builder, const SchemaSpec *spec, uint32_t targets, int64_t *room, uint32_t columns)
{
    int64_t *levels = room + columns + 1;

    base_columns(spec, targets, room);
    for (uint32_t j = 0; j < columns; j++)
        levels[j] = COLUMN_NUMBER;
    builder_i64(builder, SECTION_ARRAYS, "column_slot", room, columns);
    builder_i64(builder, SECTION_ARRAYS, "column_level", levels, columns);
}

/* Adds the arrays of no rows. zero: as many zeros as the largest has; tags: the number of tags or further targets. Both must live until the model is built. */
static void add_sums(ModelBuilder *builder, const MomentsPlan *plan, uint32_t columns, uint32_t width, bool impute, const double *zero,
                     const int64_t *tags)
{
    bool target = plan->kind == MODEL_MOMENTS, folded = plan->flags & MODEL_FOLDED;
    uint32_t classes = plan->kind == MODEL_CLASS_MOMENTS || folded ? 0 : 1;
    size_t packed = factor_packed(columns);
    static const uint8_t marked[1] = {1};

    builder_f64_matrix(builder, SECTION_ARRAYS, "means", zero, classes, (uint32_t)stored_columns(columns));
    if (target && !folded)
        builder_f64(builder, SECTION_ARRAYS, "factor", zero, (uint32_t)packed);
    else if (target)
        builder_f64_matrix(builder, SECTION_ARRAYS, "factor", zero, 0, (uint32_t)packed);
    else
        builder_f64_matrix(builder, SECTION_ARRAYS, "scatter", zero, classes,
                           (uint32_t)stored_columns(plan->diagonal ? columns : packed));
    if (plan->fourth_moments) {
        builder_f64_matrix(builder, SECTION_ARRAYS, "thirds", zero, classes, (uint32_t)stored_columns((size_t)columns * columns));
        builder_f64_matrix(builder, SECTION_ARRAYS, "fourths", zero, classes, (uint32_t)stored_columns(packed));
    }
    if (target || impute)
        builder_f64_matrix(builder, SECTION_ARRAYS, "origins", zero, target ? 1 : classes, (uint32_t)stored_columns(columns));
    builder_f64_matrix(builder, SECTION_ARRAYS, "counts", zero, classes, 2);
    builder_f64(builder, SECTION_ARRAYS, "totals", zero, 1);
    builder_f64_matrix(builder, SECTION_ARRAYS, "pending", zero, FIRST_ROWS, width);
    if (plan->keep_rows)
        builder_f64_matrix(builder, SECTION_ARRAYS, "kept_rows", zero, 0, width);
    if (plan->deferred)
        builder_bool(builder, SECTION_ARRAYS, "deferred", marked, 1);
    if (plan->diagonal)
        builder_bool(builder, SECTION_ARRAYS, "diagonal", marked, 1);
    if (plan->tags > 0)
        builder_i64(builder, SECTION_ARRAYS, "row_tags", tags, 1);
    if (plan->targets > 0)
        builder_i64(builder, SECTION_ARRAYS, "targets", tags, 1);
    if (folded)
        builder_f64(builder, SECTION_ARRAYS, "fold_labels", zero, 0);
}

Model *moments_new(Env *env, const SchemaSpec *spec, const MomentsPlan *plan)
{
    static const char *const names[] = {"moments", "class_moments", "feature_moments"};
    bool folded = plan->flags & MODEL_FOLDED, categorical;
    uint64_t slots = spec_slots(spec, &categorical);
    bool impute = plan->flags & MODEL_IMPUTE, mapped = categorical || impute || plan->targets > 0;
    uint32_t lead = plan->kind == MODEL_FEATURE_MOMENTS ? 0 : 1, targets = plan->kind == MODEL_MOMENTS ? 1 + plan->targets : 0;
    uint32_t width, columns;
    size_t packed, zeros;
    double local[256] = {0}, *zero = local;
    int64_t fold_plan[] = {plan->folds.folds, plan->folds.seed}, tags = plan->tags + plan->targets, *slot_map = NULL;
    ModelBuilder *builder;
    Model *state;

    refuse_category_arrays(env, spec);
    require_columns(env, slots + plan->targets);
    columns = base_columns(spec, targets, NULL);
    require_columns(env, columns);
    width = lead + (uint32_t)slots + ((plan->flags & MODEL_WEIGHTED) != 0) + folded + (uint32_t)tags;
    width += width == 0; /* no features known yet */
    packed = factor_packed(columns);
    zeros = packed > (size_t)FIRST_ROWS * width ? packed : (size_t)FIRST_ROWS * width;
    if (plan->fourth_moments && zeros < (size_t)columns * columns)
        zeros = (size_t)columns * columns;
    if (zeros > 256)
        zero = env_array(env, zeros, sizeof(double));

    builder = model_builder(env, plan->kind, names[plan->kind - MODEL_MOMENTS]);
    schema_add(env, builder, spec);
    builder_header(builder)->flags |= plan->flags;
    builder_header(builder)->column_count = columns;
    if (plan->options_length > 0)
        builder_options(builder, plan->options, plan->options_length);
    add_sums(builder, plan, columns, width, impute, zero, &tags);
    if (folded)
        builder_i64(builder, SECTION_ARRAYS, "fold_plan", fold_plan, 2);
    if (mapped) {
        slot_map = env_array(env, 2 * ((size_t)columns + 1), sizeof(int64_t));
        add_map(builder, spec, targets, slot_map, columns);
    }
    state = model_build(builder);
    if (mapped)
        env->release(env, slot_map);
    if (zero != local)
        env->release(env, zero);
    state->pending_capacity = FIRST_ROWS;
    state->pending_rows = 0;
    state->pending_offset = model_find(state, "pending")->offset;
    state->options_hash = plan->options_hash;
    state->fingerprint = 0;
    return state;
}

Model *moments_copy(Env *env, const Model *state)
{
    Model *copy = env->alloc(env, state->size);

    env_copy(env, copy, state, state->size);
    return copy;
}

Model *moments_reserve(Env *env, const Model *original, Model *state, const char *name, size_t bytes)
{
    const ModelEntry *entry = model_find(state, name);
    Model *next;

    if (entry->reserved >= bytes)
        return state;
    if (bytes > MODEL_MAX_SIZE)
        env_fail(env, ERROR_LIMIT, "Use fewer features, levels or classes.",
                 "the moments would need %zu bytes, but at most %u are possible", bytes, MODEL_MAX_SIZE);
    next = model_grow(env, state, name, (uint32_t)bytes);
    next->pending_offset = model_find(next, "pending")->offset;
    if (state != original)
        env->release(env, state);
    return next;
}

/* Grows a matrix in place, in memory that has room for it; new elements are 0. */
static void spread(Env *env, double *data, uint32_t old_rows, size_t old_columns, uint32_t rows, size_t columns)
{
    for (uint32_t i = old_rows; columns > old_columns && i-- > 0;) {
        memmove(data + i * columns, data + i * old_columns, old_columns * sizeof(double));
        memset(data + i * columns + old_columns, 0, (columns - old_columns) * sizeof(double));
    }
    env_zero(env, data + old_rows * columns, (rows - old_rows) * columns * sizeof(double));
}

/* Returns the bytes of an array of a shape. */
static uint64_t array_bytes(const MomentsView *view, const MomentsArray *array, uint32_t columns, uint32_t classes)
{
    return moments_array_rows(view, array, columns, classes) * (uint64_t)moments_array_width(view, array, columns) * sizeof(double);
}

/* Fails with ERROR_LIMIT if growing to this shape would exceed pgfit.fit_mem. */
static void require_shape(Env *env, const Model *state, const MomentsView *view, uint32_t columns, uint32_t classes)
{
    uint64_t more = 0;
    char what[80];

    for (const MomentsArray *array = moments_arrays; array < moments_arrays + MOMENTS_ARRAYS; array++) {
        const ModelEntry *entry = is_of_classes(array) ? view_array(view, array) : NULL;
        if (entry != NULL && array_bytes(view, array, columns, classes) > entry->reserved)
            more += array_bytes(view, array, columns, classes) - entry->reserved;
    }
    if (view->folded)
        snprintf(what, sizeof what, "a state of %u folds and %u columns", classes, columns);
    else if (state->kind == MODEL_CLASS_MOMENTS)
        snprintf(what, sizeof what, "a state of %u classes and %u columns", classes, columns);
    else
        snprintf(what, sizeof what, "a state of %u columns", columns);
    model_require_growth(env, state, more, what);
}

Model *moments_reshape(Env *env, const Model *original, Model *state, MomentsView *view,
                       uint32_t columns, uint32_t classes)
{
    MomentsView before = *view;
    size_t limit = MODEL_MAX_SIZE / sizeof(double);

    require_columns(env, columns);
    if (classes > limit / stored_columns(scatter_size(view, columns)))
        env_fail(env, ERROR_LIMIT, "Use fewer features, levels or classes.",
                 "moments of %u classes and %u columns are larger than a value can be", classes, columns);
    require_shape(env, state, view, columns, classes);
    for (const MomentsArray *array = moments_arrays; array < moments_arrays + MOMENTS_ARRAYS; array++)
        if (view_array(&before, array) != NULL && array->rows >= ROWS_COLUMNS) {
            state = moments_reserve(env, original, state, array->name, array_bytes(&before, array, columns, classes));
            before.state = state; /* the former one may be gone */
        }
    moments_open(env, state, view);

    for (const MomentsArray *array = moments_arrays; array < moments_arrays + MOMENTS_ARRAYS; array++) {
        ModelEntry *entry = view_array(view, array);
        uint32_t rows = moments_array_rows(view, array, columns, classes);
        size_t width = moments_array_width(view, array, columns);
        if (entry == NULL || array->rows < ROWS_COLUMNS)
            continue;
        spread(env, view_f64(view, entry), moments_array_rows(&before, array, before.columns, before.classes),
               moments_array_width(view, array, before.columns), rows, width);
        /* the factor of moments without folds is one row, and of one dimension */
        entry->rows = entry == view->factor && !view->folded ? (uint32_t)width : rows;
        entry->columns = entry == view->factor && !view->folded ? 1 : (uint32_t)width;
    }
    for (uint32_t j = before.columns; view->column_level != NULL && j < columns; j++)
        view_i64(view, view->column_level)[j] = COLUMN_MISSING;
    state->column_count = columns;
    moments_open(env, state, view);
    return state;
}

Model *moments_add_folds(Env *env, const Model *original, Model *state, MomentsView *view, uint32_t count)
{
    if (count > FOLDS_MAX - view->classes)
        env_fail(env, ERROR_LIMIT, "Use a fold column with fewer distinct numbers.",
                 "the moments would have more than %d folds", FOLDS_MAX);
    return moments_reshape(env, original, state, view, view->columns, view->classes + count);
}

uint32_t moments_wanted_rows(const Model *state)
{
    uint32_t rows = state->column_count < GRAM_COLUMNS ? NARROW_ROWS : WIDE_ROWS;

    if (state->flushes < GROW_FLUSHES) {
        uint32_t half = state->column_count / 4 / FACTOR_LANES * FACTOR_LANES; /* these rows take half the memory of a factor */
        return half < FIRST_ROWS + 1 ? FIRST_ROWS : half < rows ? half - 1 : rows;
    }
    /* a block is divided among the classes */
    if (rows == NARROW_ROWS && state->kind == MODEL_CLASS_MOMENTS && model_find(state, "means")->rows > 1)
        return model_find(state, "means")->rows < 4 ? 2 * NARROW_ROWS : 4 * NARROW_ROWS;
    if (state->flags & MODEL_FOLDED) { /* a block for each fold */
        uint32_t folds = model_find(state, "fold_labels")->rows;
        rows *= folds < 1 ? 1 : folds < FOLDS_ROOM ? folds : FOLDS_ROOM;
    }
    return rows;
}
