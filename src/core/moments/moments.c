/*
 * moments.c - a state of moments: made, added to, checked.
 */
#include "core/linalg/qr_factor.h"
#include "core/moments/moments_internal.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The place of an array of this name in a view, or NULL. */
static ModelEntry **view_place(MomentsView *view, const char *name)
{
    switch (name[0]) {
    case 'c':
        if (strcmp(name, "counts") == 0)
            return &view->counts;
        if (strcmp(name, "column_slot") == 0)
            return &view->column_slot;
        return strcmp(name, "column_level") == 0 ? &view->column_level : NULL;
    case 'f':
        if (strcmp(name, "factor") == 0)
            return &view->factor;
        if (strcmp(name, "fold_labels") == 0)
            return &view->fold_labels;
        if (strcmp(name, "fourths") == 0)
            return &view->fourth_moments;
        return strcmp(name, "fold_plan") == 0 ? &view->fold_plan : NULL;
    case 'k':
        return strcmp(name, "kept_rows") == 0 ? &view->kept : NULL;
    case 'm':
        return strcmp(name, "means") == 0 ? &view->means : NULL;
    case 'o':
        return strcmp(name, "origins") == 0 ? &view->origins : NULL;
    case 'p':
        return strcmp(name, "pending") == 0 ? &view->pending : NULL;
    case 's':
        return strcmp(name, "scatter") == 0 ? &view->scatter : NULL;
    case 't':
        if (strcmp(name, "thirds") == 0)
            return &view->thirds;
        return strcmp(name, "totals") == 0 ? &view->totals : NULL;
    default:
        return NULL;
    }
}

const char *moments_view(Model *state, MomentsView *view)
{
    ModelEntry *entries = (ModelEntry *)(state + 1);
    ModelEntry *matrix;
    uint64_t packed;

    memset(view, 0, sizeof(*view));
    view->state = state;
    view->folded = (state->flags & MODEL_FOLDED) != 0;
    for (uint32_t i = 0; i < state->entry_count; i++) {
        ModelEntry *e = &entries[i], **place;
        if (e->section != SECTION_ARRAYS)
            continue;
        place = view_place(view, e->name);
        if (place == NULL)
            return "moments with an array that does not belong to it";
        *place = e;
    }
    matrix = state->kind == MODEL_MOMENTS ? view->factor : view->scatter;
    if (view->means == NULL || matrix == NULL || view->counts == NULL || view->totals == NULL ||
        view->pending == NULL || (view->column_slot == NULL) != (view->column_level == NULL) ||
        (view->factor != NULL && view->scatter != NULL))
        return "moments without one of its arrays";
    if (view->means->type != ARRAY_F64 || matrix->type != ARRAY_F64 ||
        view->counts->type != ARRAY_F64 || view->totals->type != ARRAY_F64 ||
        view->pending->type != ARRAY_F64)
        return "moments with an array of another type";
    /* a matrix of one number is one number too, but not when it grows */
    if (view->means->dimensions != 2 || view->counts->dimensions != 2 ||
        view->pending->dimensions != 2 || view->totals->dimensions != 1 ||
        matrix->dimensions != (state->kind == MODEL_MOMENTS && !view->folded ? 1 : 2))
        return "moments with an array of another shape";
    if (view->column_slot != NULL && (view->column_slot->type != ARRAY_I64 ||
                                      view->column_level->type != ARRAY_I64 ||
                                      view->column_slot->columns != 1 ||
                                      view->column_level->columns != 1 ||
                                      view->column_slot->rows != state->column_count ||
                                      view->column_level->rows != state->column_count))
        return "moments with a map of columns of the wrong length";
    if (view->folded != (view->fold_labels != NULL) || view->folded != (view->fold_plan != NULL) ||
        (view->folded &&
         (view->fold_labels->type != ARRAY_F64 || view->fold_labels->dimensions != 1 ||
          view->fold_labels->rows != view->means->rows || view->fold_plan->type != ARRAY_I64 ||
          view->fold_plan->dimensions != 1 || view->fold_plan->rows != 2)))
        return "moments whose folds do not fit";
    if (view->origins != NULL &&
        ((state->kind != MODEL_MOMENTS && !(state->flags & MODEL_IMPUTE)) || view->origins->type != ARRAY_F64 ||
         view->origins->dimensions != 2 ||
         view->origins->rows != (state->kind == MODEL_MOMENTS ? 1 : view->means->rows) ||
         view->origins->columns != view->means->columns))
        return "moments whose origins do not fit";
    if ((view->thirds != NULL) != (view->fourth_moments != NULL) ||
        (view->fourth_moments != NULL &&
         (state->kind == MODEL_MOMENTS || view->thirds->type != ARRAY_F64 || view->fourth_moments->type != ARRAY_F64 ||
          view->thirds->dimensions != 2 || view->fourth_moments->dimensions != 2 ||
          view->thirds->rows != view->means->rows || view->fourth_moments->rows != view->means->rows ||
          view->thirds->columns != stored_columns((size_t)state->column_count * state->column_count) ||
          view->fourth_moments->columns != matrix->columns)))
        return "moments whose fourth moments do not fit";

    view->columns = state->column_count;
    view->classes = view->means->rows;
    view->target = state->slot_count;
    view->weighted = (state->flags & MODEL_WEIGHTED) != 0;
    view->width = state->slot_count + (state->kind != MODEL_FEATURE_MOMENTS) + view->weighted +
                  view->folded;
    view->width += view->width == 0;
    view->weight = state->slot_count + (state->kind != MODEL_FEATURE_MOMENTS);
    packed = stored_columns((size_t)view->columns * ((size_t)view->columns + 1) / 2);
    if (view->columns > MOMENTS_MAX_COLUMNS ||
        view->means->columns != stored_columns(view->columns) ||
        (state->kind != MODEL_CLASS_MOMENTS && !view->folded && view->classes != 1) ||
        (uint64_t)matrix->rows * matrix->columns != packed * view->classes ||
        (matrix->dimensions == 2 && (matrix->rows != view->classes || matrix->columns != packed)) ||
        view->counts->rows != view->classes || view->counts->columns != 2 ||
        (uint64_t)view->totals->rows * view->totals->columns != 1)
        return "moments with an array of the wrong length";
    if (view->kept != NULL && (state->kind != MODEL_MOMENTS || view->kept->type != ARRAY_F64 ||
                               view->kept->dimensions != 2 || view->kept->columns != view->width))
        return "moments whose rows do not fit";
    if (view->column_slot == NULL &&
        view->columns != (state->kind == MODEL_MOMENTS) + (uint64_t)state->slot_count)
        return "moments with the wrong number of columns";
    if (view->pending->columns != view->width || view->pending->rows > state->pending_capacity ||
        (uint64_t)state->pending_capacity * view->width > view->pending->reserved / sizeof(double) ||
        view->pending->offset != state->pending_offset ||
        state->pending_rows > state->pending_capacity)
        return "moments whose pending rows do not fit";
    return NULL;
}

void moments_open(Env *env, Model *state, MomentsView *view)
{
    const char *problem = moments_view(state, view);

    if (problem != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", problem);
}

uint32_t moments_target_column(const MomentsView *view)
{
    const int64_t *slot;
    uint32_t column = 0;

    if (view->column_slot == NULL)
        return view->state->slot_count;
    slot = view_i64(view, view->column_slot);
    while (column + 1 < view->columns && slot[column] >= 0)
        column++;
    return column;
}

/* The slots of the numeric columns of a spec, in order, then the target's -1; returns their number. */
static uint32_t base_columns(const SchemaSpec *spec, bool target, int64_t *slots)
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
    if (target) {
        if (slots != NULL)
            slots[columns] = -1;
        columns++;
    }
    return columns;
}

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
                 "%llu columns are more than the %u that moments can keep",
                 (unsigned long long)columns, MOMENTS_MAX_COLUMNS);
}

static Model *new_state(Env *env, ModelKind kind, const SchemaSpec *spec, uint8_t flags,
                        const FoldPlan *folds, bool keep_rows, bool fourth_moments, const char *options,
                        uint32_t options_length, uint64_t options_hash)
{
    static const char *const names[] = {"moments", "class_moments", "feature_moments"};
    bool target = kind == MODEL_MOMENTS, categorical;
    uint64_t slots = spec_slots(spec, &categorical);
    bool mapped = categorical || (flags & MODEL_IMPUTE);
    uint32_t lead = kind == MODEL_FEATURE_MOMENTS ? 0 : 1;
    uint32_t classes = kind == MODEL_CLASS_MOMENTS || folds != NULL ? 0 : 1;
    uint32_t width, columns;
    int64_t plan[2];
    size_t packed, zeros;
    double local[256] = {0}, *zero = local;
    int64_t *slot_map = NULL, *level_map = NULL;
    ModelBuilder *builder;
    Model *state;

    for (uint32_t f = 0; f < spec->field_count; f++)
        if (spec->kinds != NULL && spec->kinds[f] == FIELD_CATEGORICAL && spec->widths != NULL &&
            spec->widths[f] != 1)
            env_fail(env, ERROR_DATA, "Give each category a column of its own.",
                     "feature %u is an array of categories", f + 1);
    require_columns(env, slots);
    columns = base_columns(spec, target, NULL);
    require_columns(env, columns);
    width = lead + (uint32_t)slots + ((flags & MODEL_WEIGHTED) != 0) + (folds != NULL);
    width += width == 0; /* no features known yet */
    packed = (size_t)columns * (columns + 1) / 2;
    zeros = packed > (size_t)FIRST_ROWS * width ? packed : (size_t)FIRST_ROWS * width;
    if (fourth_moments && zeros < (size_t)columns * columns)
        zeros = (size_t)columns * columns;
    if (zeros > 256)
        zero = env_array(env, zeros, sizeof(double));

    builder = model_builder(env, kind, names[kind - MODEL_MOMENTS]);
    schema_add(env, builder, spec);
    builder_header(builder)->flags |= flags;
    builder_header(builder)->column_count = columns;
    if (options_length > 0)
        builder_options(builder, options, options_length);
    builder_f64_matrix(builder, SECTION_ARRAYS, "means", zero, classes, (uint32_t)stored_columns(columns));
    if (target && folds == NULL)
        builder_f64(builder, SECTION_ARRAYS, "factor", zero, (uint32_t)packed);
    else if (target)
        builder_f64_matrix(builder, SECTION_ARRAYS, "factor", zero, 0, (uint32_t)packed);
    else
        builder_f64_matrix(builder, SECTION_ARRAYS, "scatter", zero, classes,
                           (uint32_t)stored_columns(packed));
    if (fourth_moments) {
        builder_f64_matrix(builder, SECTION_ARRAYS, "thirds", zero, classes, (uint32_t)stored_columns((size_t)columns * columns));
        builder_f64_matrix(builder, SECTION_ARRAYS, "fourths", zero, classes, (uint32_t)stored_columns(packed));
    }
    if (target || (flags & MODEL_IMPUTE))
        builder_f64_matrix(builder, SECTION_ARRAYS, "origins", zero, target ? 1 : classes, (uint32_t)stored_columns(columns));
    builder_f64_matrix(builder, SECTION_ARRAYS, "counts", zero, classes, 2);
    builder_f64(builder, SECTION_ARRAYS, "totals", zero, 1);
    builder_f64_matrix(builder, SECTION_ARRAYS, "pending", zero, FIRST_ROWS, width);
    if (keep_rows)
        builder_f64_matrix(builder, SECTION_ARRAYS, "kept_rows", zero, 0, width);
    if (folds != NULL) {
        plan[0] = folds->folds;
        plan[1] = folds->seed;
        builder_f64(builder, SECTION_ARRAYS, "fold_labels", zero, 0);
        builder_i64(builder, SECTION_ARRAYS, "fold_plan", plan, 2);
    }
    if (mapped) {
        slot_map = env_array(env, columns + 1, sizeof(int64_t));
        level_map = env_array(env, columns + 1, sizeof(int64_t));
        base_columns(spec, target, slot_map);
        for (uint32_t j = 0; j < columns; j++)
            level_map[j] = COLUMN_NUMBER;
        builder_i64(builder, SECTION_ARRAYS, "column_slot", slot_map, columns);
        builder_i64(builder, SECTION_ARRAYS, "column_level", level_map, columns);
    }
    state = model_build(builder);
    if (mapped) {
        env->release(env, slot_map);
        env->release(env, level_map);
    }
    if (zero != local)
        env->release(env, zero);
    state->pending_capacity = FIRST_ROWS;
    state->pending_rows = 0;
    state->pending_offset = model_find(state, "pending")->offset;
    state->options_hash = options_hash;
    state->fingerprint = 0;
    return state;
}

Model *moments_new(Env *env, ModelKind kind, const SchemaSpec *spec, uint8_t flags,
                   const char *options, uint32_t options_length, uint64_t options_hash)
{
    return new_state(env, kind, spec, flags, NULL, false, false, options, options_length, options_hash);
}

Model *moments_new_fourth(Env *env, ModelKind kind, const SchemaSpec *spec, uint8_t flags,
                          const char *options, uint32_t options_length, uint64_t options_hash)
{
    return new_state(env, kind, spec, flags, NULL, false, true, options, options_length, options_hash);
}

bool moments_has_fourth_moments(const Model *state)
{
    return model_find(state, "fourths") != NULL;
}

Model *moments_new_folded(Env *env, const SchemaSpec *spec, uint8_t flags, const FoldPlan *folds,
                          const char *options, uint32_t options_length, uint64_t options_hash)
{
    return new_state(env, MODEL_MOMENTS, spec, flags | MODEL_FOLDED, folds, false, false, options, options_length,
                     options_hash);
}

Model *moments_new_keeping(Env *env, const SchemaSpec *spec, uint8_t flags, const FoldPlan *folds,
                           const char *options, uint32_t options_length, uint64_t options_hash)
{
    flags = folds != NULL ? flags | MODEL_FOLDED : flags & (uint8_t)~MODEL_FOLDED;
    return new_state(env, MODEL_MOMENTS, spec, flags, folds, true, false, options, options_length, options_hash);
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
                 "moments would need %zu bytes, at most %u are possible", bytes, MODEL_MAX_SIZE);
    next = model_grow(env, state, name, (uint32_t)bytes);
    next->pending_offset = model_find(next, "pending")->offset;
    if (state != original)
        env->release(env, state);
    return next;
}

/* Spreads a matrix of old_rows x old_columns to a larger shape in place, the new cells zero. */
static void spread(Env *env, double *data, uint32_t old_rows, size_t old_columns, uint32_t rows, size_t columns)
{
    for (uint32_t i = old_rows; columns > old_columns && i-- > 0;) {
        memmove(data + i * columns, data + i * old_columns, old_columns * sizeof(double));
        memset(data + i * columns + old_columns, 0, (columns - old_columns) * sizeof(double));
    }
    env_zero(env, data + old_rows * columns, (rows - old_rows) * columns * sizeof(double));
}

/* Arrays with a row a class (or fold), and how many numbers a row has. More columns append to a row. */
static size_t width_columns(size_t columns)
{
    return stored_columns(columns);
}
static size_t width_packed(size_t columns)
{
    return stored_columns(columns * (columns + 1) / 2);
}
static size_t width_square(size_t columns)
{
    return stored_columns(columns * columns);
}
static size_t width_two(size_t columns)
{
    (void)columns;
    return 2;
}
static size_t width_one(size_t columns)
{
    (void)columns;
    return 1;
}
static const struct {
    const char *name;
    size_t place; /* in a view */
    size_t (*width)(size_t columns);
} class_arrays[] = {
    {"means", offsetof(MomentsView, means), width_columns},     {"factor", offsetof(MomentsView, factor), width_packed},
    {"scatter", offsetof(MomentsView, scatter), width_packed},  {"origins", offsetof(MomentsView, origins), width_columns},
    {"thirds", offsetof(MomentsView, thirds), width_square},    {"fourths", offsetof(MomentsView, fourth_moments), width_packed},
    {"counts", offsetof(MomentsView, counts), width_two},       {"fold_labels", offsetof(MomentsView, fold_labels), width_one},
};
#define CLASS_ARRAYS (sizeof(class_arrays) / sizeof(class_arrays[0]))

static ModelEntry *class_array(const MomentsView *view, size_t i)
{
    return *(ModelEntry *const *)((const char *)view + class_arrays[i].place);
}

/* Rows of the array where there are so many classes: the origins of all folds are one row. */
static uint32_t array_rows(uint32_t kind, size_t i, uint32_t classes)
{
    return class_arrays[i].place == offsetof(MomentsView, origins) && kind == MODEL_MOMENTS ? 1 : classes;
}

/* Refuses a shape that passes pgfit.fit_mem. */
static void require_shape(Env *env, const Model *state, const MomentsView *view, uint32_t columns, uint32_t classes)
{
    uint64_t more = 0;
    char what[80];

    for (size_t i = 0; i < CLASS_ARRAYS; i++) {
        const ModelEntry *entry = class_array(view, i);
        uint64_t bytes = entry != NULL ? array_rows(state->kind, i, classes) * class_arrays[i].width(columns) * sizeof(double) : 0;
        if (entry != NULL && bytes > entry->reserved)
            more += bytes - entry->reserved;
    }
    if (view->folded)
        snprintf(what, sizeof what, "moments of %u folds and %u columns", classes, columns);
    else if (state->kind == MODEL_CLASS_MOMENTS)
        snprintf(what, sizeof what, "moments of %u classes and %u columns", classes, columns);
    else
        snprintf(what, sizeof what, "moments of %u columns", columns);
    model_require_growth(env, state, more, what);
}

Model *moments_reshape(Env *env, const Model *original, Model *state, MomentsView *view,
                       uint32_t columns, uint32_t classes)
{
    uint32_t old_columns = view->columns, old_classes = view->classes;
    bool mapped = view->column_slot != NULL, there[CLASS_ARRAYS];
    size_t limit = MODEL_MAX_SIZE / sizeof(double);

    require_columns(env, columns);
    if (classes > limit / width_packed(columns))
        env_fail(env, ERROR_LIMIT, "Use fewer features, levels or classes.",
                 "moments of %u classes and %u columns pass the size of a value", classes, columns);
    require_shape(env, state, view, columns, classes);
    for (size_t i = 0; i < CLASS_ARRAYS; i++)
        there[i] = class_array(view, i) != NULL;
    for (size_t i = 0; i < CLASS_ARRAYS; i++)
        if (there[i])
            state = moments_reserve(env, original, state, class_arrays[i].name,
                                    array_rows(state->kind, i, classes) * class_arrays[i].width(columns) * sizeof(double));
    if (mapped) {
        state = moments_reserve(env, original, state, "column_slot", (size_t)columns * 8);
        state = moments_reserve(env, original, state, "column_level", (size_t)columns * 8);
    }
    moments_open(env, state, view);

    for (size_t i = 0; i < CLASS_ARRAYS; i++) {
        ModelEntry *entry = class_array(view, i);
        size_t width = class_arrays[i].width(columns);
        if (entry == NULL)
            continue;
        spread(env, view_f64(view, entry), array_rows(state->kind, i, old_classes), class_arrays[i].width(old_columns),
               array_rows(state->kind, i, classes), width);
        /* the factor of moments without folds is one row, and of one dimension */
        entry->rows = entry == view->factor && !view->folded ? (uint32_t)width : array_rows(state->kind, i, classes);
        entry->columns = entry == view->factor && !view->folded ? 1 : (uint32_t)width;
    }
    if (mapped) {
        view->column_slot->rows = columns;
        view->column_level->rows = columns;
        for (uint32_t j = old_columns; j < columns; j++) {
            view_i64(view, view->column_slot)[j] = 0;
            view_i64(view, view->column_level)[j] = COLUMN_MISSING;
        }
    }
    state->column_count = columns;
    moments_open(env, state, view);
    return state;
}

uint32_t moments_wanted_rows(const Model *state)
{
    uint32_t rows = state->column_count < GRAM_COLUMNS ? NARROW_ROWS : WIDE_ROWS;

    if (state->flushes < GROW_FLUSHES) {
        uint32_t half = state->column_count / 4 / FACTOR_LANES * FACTOR_LANES; /* as much as half a factor */
        return half < FIRST_ROWS + 1 ? FIRST_ROWS : half < rows ? half - 1 : rows;
    }
    /* each class has its share of a block */
    if (rows == NARROW_ROWS && state->kind == MODEL_CLASS_MOMENTS && model_find(state, "means")->rows > 1)
        return model_find(state, "means")->rows < 4 ? 2 * NARROW_ROWS : 4 * NARROW_ROWS;
    if (state->flags & MODEL_FOLDED) { /* a block of each fold */
        uint32_t folds = model_find(state, "fold_labels")->rows;
        rows *= folds < 1 ? 1 : folds < FOLDS_ROOM ? folds : FOLDS_ROOM;
    }
    return rows;
}

/* Room for one more pending row: folds the others in, and grows the room of a state that lives on. */
static __attribute__((noinline)) Model *make_room(Env *env, const Model *original, Model *state)
{
    uint32_t wanted;

    state = moments_flush_pending(env, original, state);
    wanted = moments_wanted_rows(state);
    if (state->pending_capacity < wanted) {
        ModelEntry *pending;
        uint32_t width = model_find(state, "pending")->columns;
        state = moments_reserve(env, original, state, "pending", (size_t)wanted * width * 8);
        pending = model_entry_mutable(state, "pending");
        pending->rows = wanted;
        state->pending_capacity = wanted;
    }
    return state;
}

/* fold: of folded moments; the others know at compile time that they have none. */
static inline __attribute__((always_inline)) Model *add_row(Env *env, Model *state, const double *slots,
                                                            const bool *nulls, double target,
                                                            double weight, bool folded, double fold)
{
    uint32_t slot_count = state->slot_count;
    bool weighted = (state->flags & MODEL_WEIGHTED) != 0;
    bool targeted = state->kind != MODEL_FEATURE_MOMENTS;
    uint64_t width = (uint64_t)slot_count + targeted + weighted + folded, end;
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
    if (folded)
        row[slot_count + targeted + weighted] = fold;
    state->pending_rows++;
    state->rows++;
    return state;
}

Model *moments_add(Env *env, Model *state, const double *slots, const bool *nulls, double target,
                   double weight)
{
    if (__builtin_expect((state->flags & MODEL_FOLDED) != 0, 0))
        return add_row(env, state, slots, nulls, target, weight, true,
                       moments_content_fold(env, state, slots, nulls, target));
    return add_row(env, state, slots, nulls, target, weight, false, 0);
}

Model *moments_add_fold(Env *env, Model *state, const double *slots, const bool *nulls, double target,
                        double weight, double fold)
{
    return add_row(env, state, slots, nulls, target, weight, (state->flags & MODEL_FOLDED) != 0, fold);
}

Model *moments_flush(Env *env, Model *state)
{
    return moments_flush_pending(env, state, state);
}

static void __attribute__((noreturn)) fail_weights(Env *env)
{
    env_fail(env, ERROR_RANGE, "Divide the weights by a power of ten.", "the sum of the weights is out of range");
}

/* Weights may add up to more than a number holds: what readers would refuse is not given out. */
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
        fail_weights(env);
    return state;
}

Model *moments_finish(Env *env, const Model *state)
{
    size_t pending = (size_t)state->pending_rows *
                     ((size_t)state->slot_count + (state->kind != MODEL_FEATURE_MOMENTS) +
                      ((state->flags & MODEL_WEIGHTED) != 0) + ((state->flags & MODEL_FOLDED) != 0));
    Model *folded, *result;

    /* a handful of rows and nothing else stays as it is: what it merges with gets it in one block */
    if (state->rows == state->pending_rows &&
        pending <= KEEP_NUMBERS + (size_t)state->column_count * (state->column_count + 1) / 2)
        return require_finite_weights(env, model_compact(env, state));
    folded = moments_flush_pending(env, NULL, moments_copy(env, state));
    result = model_compact(env, folded);
    env->release(env, folded);
    return require_finite_weights(env, result);
}

void moments_column_name(const MomentsView *view, uint32_t column, char *buffer, size_t size)
{
    int64_t slot = column;

    if (view->column_slot != NULL)
        slot = view_i64(view, view->column_slot)[column];
    else if (column == view->state->slot_count)
        slot = -1;
    if (slot < 0)
        snprintf(buffer, size, "the target");
    else
        schema_slot_name(view->state, (uint32_t)slot, buffer, size);
}

void moments_require_finite(Env *env, const MomentsView *view, const double *values,
                            uint32_t columns, uint32_t class)
{
    const double *means = view_f64(view, view->means) + (size_t)class * columns;
    size_t packed = (size_t)columns * (columns + 1) / 2;
    double sum = 0, sums[8] = {0}, weight = view_f64(view, view->counts)[2 * (size_t)class + 1];
    size_t whole = packed / 8 * 8;

    for (uint32_t j = 0; j < columns; j++)
        sum += means[j] * 0.0;
    for (size_t i = 0; i < whole; i += 8)
        for (int l = 0; l < 8; l++)
            sums[l] += values[i + l] * 0.0;
    for (size_t i = whole; i < packed; i++)
        sum += values[i] * 0.0;
    for (int l = 0; l < 8; l++)
        sum += sums[l];
    if (sum == 0)
        return;
    if (!isfinite(weight))
        fail_weights(env);
    if (weight < DBL_MIN)
        env_fail(env, ERROR_RANGE, "Multiply the weights by a power of ten.",
                 "the sum of the weights, %g, is too small to divide by", weight);
    for (uint32_t j = 0; j < columns; j++) {
        bool bad = !isfinite(means[j]);
        for (uint32_t i = 0; i <= j; i++)
            bad |= !isfinite(*values++);
        if (bad) {
            char name[SCHEMA_NAME_SIZE];
            moments_column_name(view, j, name, sizeof(name));
            env_fail(env, ERROR_RANGE, "Divide the values by a power of ten.",
                     "values of %s are too large to be summed", name);
        }
    }
}
