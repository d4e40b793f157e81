/*
 * moments_view.c - finds the arrays of a state of moments, checks their shapes, and looks up columns and folds.
 */
#include "core/moments/moments_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns where a view keeps the array of this name, or NULL. */
static ModelEntry **view_place(MomentsView *view, const char *name)
{
    switch (name[0]) {
    case 'c':
        if (strcmp(name, "counts") == 0)
            return &view->counts;
        if (strcmp(name, "column_slot") == 0)
            return &view->column_slot;
        return strcmp(name, "column_level") == 0 ? &view->column_level : NULL;
    case 'd':
        if (strcmp(name, "diagonal") == 0)
            return &view->diagonal;
        return strcmp(name, "deferred") == 0 ? &view->deferred : NULL;
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
    case 'r':
        return strcmp(name, "row_tags") == 0 ? &view->row_tags : NULL;
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

/* Checks the types and shapes of the arrays that only some moments have. Returns NULL, or what is wrong. */
static const char *check_optional(const Model *state, const MomentsView *view, const ModelEntry *matrix)
{
    if (view->column_slot != NULL && (view->column_slot->type != ARRAY_I64 ||
                                      view->column_level->type != ARRAY_I64 ||
                                      view->column_slot->columns != 1 ||
                                      view->column_level->columns != 1 ||
                                      view->column_slot->rows != state->column_count ||
                                      view->column_level->rows != state->column_count))
        return "the map of columns has the wrong length";
    if (view->folded != (view->fold_labels != NULL) || view->folded != (view->fold_plan != NULL) ||
        (view->folded &&
         (view->fold_labels->type != ARRAY_F64 || view->fold_labels->dimensions != 1 ||
          view->fold_labels->rows != view->means->rows || view->fold_plan->type != ARRAY_I64 ||
          view->fold_plan->dimensions != 1 || view->fold_plan->rows != 2)))
        return "the folds of the moments do not fit";
    if (view->origins != NULL &&
        ((state->kind != MODEL_MOMENTS && !(state->flags & MODEL_IMPUTE)) || view->origins->type != ARRAY_F64 ||
         view->origins->dimensions != 2 ||
         view->origins->rows != (state->kind == MODEL_MOMENTS ? 1 : view->means->rows) ||
         view->origins->columns != view->means->columns))
        return "the origins of the moments do not fit";
    if ((view->thirds != NULL) != (view->fourth_moments != NULL) ||
        (view->fourth_moments != NULL &&
         (state->kind == MODEL_MOMENTS || view->thirds->type != ARRAY_F64 || view->fourth_moments->type != ARRAY_F64 ||
          view->thirds->dimensions != 2 || view->fourth_moments->dimensions != 2 ||
          view->thirds->rows != view->means->rows || view->fourth_moments->rows != view->means->rows ||
          view->thirds->columns != stored_columns((size_t)state->column_count * state->column_count) ||
          view->fourth_moments->columns != matrix->columns)))
        return "the fourth moments do not fit the moments";
    if (view->deferred != NULL && (view->deferred->type != ARRAY_BOOL || view->deferred->dimensions != 1 ||
                                   view->deferred->rows != 1))
        return "the mark of deferred moments is not one boolean";
    if (view->diagonal != NULL && (state->kind == MODEL_MOMENTS || view->fourth_moments != NULL || view->diagonal->type != ARRAY_BOOL ||
                                   view->diagonal->dimensions != 1 || view->diagonal->rows != 1))
        return "the mark of moments without products of columns is out of place";
    if (view->row_tags != NULL &&
        (state->kind != MODEL_MOMENTS || view->folded || view->row_tags->type != ARRAY_I64 || view->row_tags->dimensions != 1 || view->row_tags->rows != 1 ||
         !(view_i64(view, view->row_tags)[0] >= 1 && view_i64(view, view->row_tags)[0] <= ROW_TAGS_MAX)))
        return "the number of tags of the rows does not fit";
    return NULL;
}

/* Finds the arrays; returns false if there is another. */
static bool find_places(Model *state, MomentsView *view)
{
    ModelEntry *entries = (ModelEntry *)(state + 1);

    for (uint32_t i = 0; i < state->entry_count; i++) {
        ModelEntry *e = &entries[i], **place;
        if (e->section != SECTION_ARRAYS)
            continue;
        place = view_place(view, e->name);
        if (place == NULL)
            return false;
        *place = e;
    }
    return true;
}

/* Returns NULL, or which array does not have the length that the others and the header say. matrix: factor or scatter. */
static const char *check_lengths(const Model *state, const MomentsView *view, const ModelEntry *matrix)
{
    uint64_t packed = stored_columns(scatter_size(view, view->columns));

    if (view->columns > MOMENTS_MAX_COLUMNS ||
        view->means->columns != stored_columns(view->columns) ||
        (state->kind != MODEL_CLASS_MOMENTS && !view->folded && view->classes != 1) ||
        (uint64_t)matrix->rows * matrix->columns != packed * view->classes ||
        (matrix->dimensions == 2 && (matrix->rows != view->classes || matrix->columns != packed)) ||
        view->counts->rows != view->classes || view->counts->columns != 2 ||
        (uint64_t)view->totals->rows * view->totals->columns != 1)
        return "an array of the moments has the wrong length";
    if (view->kept != NULL && (state->kind != MODEL_MOMENTS || view->kept->type != ARRAY_F64 ||
                               view->kept->dimensions != 2 || view->kept->columns != view->width))
        return "the kept rows of the moments do not fit";
    if (view->column_slot == NULL &&
        view->columns != (state->kind == MODEL_MOMENTS) + (uint64_t)state->slot_count)
        return "the moments have the wrong number of columns";
    if (view->pending->columns != view->width || view->pending->rows > state->pending_capacity ||
        (uint64_t)state->pending_capacity * view->width > view->pending->reserved / sizeof(double) ||
        view->pending->offset != state->pending_offset ||
        state->pending_rows > state->pending_capacity)
        return "the pending rows of the moments do not fit";
    return NULL;
}

const char *moments_view(Model *state, MomentsView *view)
{
    ModelEntry *matrix;
    const char *wrong;

    memset(view, 0, sizeof(*view));
    view->state = state;
    view->folded = (state->flags & MODEL_FOLDED) != 0;
    if (!find_places(state, view))
        return "the moments have an array that they cannot have";
    matrix = state->kind == MODEL_MOMENTS ? view->factor : view->scatter;
    if (view->means == NULL || matrix == NULL || view->counts == NULL || view->totals == NULL ||
        view->pending == NULL || (view->column_slot == NULL) != (view->column_level == NULL) ||
        (view->factor != NULL && view->scatter != NULL))
        return "the moments lack one of their arrays";
    if (view->means->type != ARRAY_F64 || matrix->type != ARRAY_F64 ||
        view->counts->type != ARRAY_F64 || view->totals->type != ARRAY_F64 ||
        view->pending->type != ARRAY_F64)
        return "an array of the moments has the wrong type";
    /* a 1 x 1 matrix would pass as an array of one number until it grows */
    if (view->means->dimensions != 2 || view->counts->dimensions != 2 ||
        view->pending->dimensions != 2 || view->totals->dimensions != 1 ||
        matrix->dimensions != (state->kind == MODEL_MOMENTS && !view->folded ? 1 : 2))
        return "an array of the moments has the wrong shape";
    wrong = check_optional(state, view, matrix);
    if (wrong != NULL)
        return wrong;

    view->columns = state->column_count;
    view->classes = view->means->rows;
    view->target = state->slot_count;
    view->weighted = (state->flags & MODEL_WEIGHTED) != 0;
    view->width = state->slot_count + (state->kind != MODEL_FEATURE_MOMENTS) + view->weighted +
                  view->folded;
    view->tags = view->row_tags != NULL ? (uint32_t)view_i64(view, view->row_tags)[0] : 0;
    view->width += view->tags;
    view->width += view->width == 0;
    view->weight = state->slot_count + (state->kind != MODEL_FEATURE_MOMENTS);
    return check_lengths(state, view, matrix);
}

void moments_open(Env *env, Model *state, MomentsView *view)
{
    const char *problem = moments_view(state, view);

    if (problem != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", problem);
}

void moments_read(Env *env, const Model *moments, MomentsView *view)
{
    moments_open(env, (Model *)moments, view); /* read only */
    if (moments->pending_rows > 0)
        env_fail(env, ERROR_INTERNAL, NULL, "moments are read while %u rows are pending", moments->pending_rows);
}

bool moments_has_fourth_moments(const Model *state)
{
    return model_find(state, "fourths") != NULL;
}

bool moments_keeps_rows(const Model *state)
{
    return model_find(state, "kept_rows") != NULL;
}

bool moments_deferred(const Model *state)
{
    return model_find(state, "deferred") != NULL;
}

bool moments_diagonal(const Model *state)
{
    return model_find(state, "diagonal") != NULL;
}

uint32_t moments_tags(const Model *state)
{
    uint32_t length = 0;
    const int64_t *tags = model_i64(state, "row_tags", &length);

    return length == 1 ? (uint32_t)tags[0] : 0;
}

FoldPlan moments_fold_plan(const Model *state)
{
    uint32_t length = 0;
    const int64_t *plan = model_i64(state, "fold_plan", &length);

    return length == 2 ? (FoldPlan){plan[0], plan[1]} : (FoldPlan){0, 0};
}

uint32_t moments_find_fold(const MomentsView *view, double label)
{
    const double *labels = view_f64(view, view->fold_labels);
    uint32_t fold = 0;

    while (fold < view->classes && labels[fold] != label)
        fold++;
    return fold;
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

uint32_t moments_find_column(const MomentsView *view, int64_t slot, int64_t level)
{
    const int64_t *slots, *levels;

    if (view->column_slot == NULL)
        return level == COLUMN_NUMBER ? (uint32_t)slot : NO_TERM_COLUMN;
    slots = view_i64(view, view->column_slot);
    levels = view_i64(view, view->column_level);
    for (uint32_t j = 0; j < view->columns; j++)
        if (slots[j] == slot && levels[j] == level)
            return j;
    return NO_TERM_COLUMN;
}

uint32_t moments_missing_column(const MomentsView *view, int64_t slot)
{
    return moments_find_column(view, slot, COLUMN_MISSING);
}

bool moments_column_empty(const MomentsView *view, uint32_t class, uint32_t column, uint32_t indicator)
{
    const double *means = view_f64(view, view->means) + (size_t)class * view->columns;
    const ModelEntry *matrix = view->factor != NULL ? view->factor : view->scatter;
    const double *own = view_f64(view, matrix) + class * scatter_size(view, view->columns) + scatter_square(view, column) - column;

    if (view_f64(view, view->counts)[2 * (size_t)class + 1] == 0)
        return true;
    /* the share of NULLs may be rounded to less than 1 even if all rows are NULL */
    if (indicator == NO_TERM_COLUMN || !(means[indicator] > 1 - 1e-12) || means[column] != 0)
        return false;
    for (uint32_t i = view->factor != NULL ? 0 : column; i <= column; i++)
        if (own[i] != 0)
            return false;
    return true;
}

bool moments_column_unseen(const MomentsView *view, uint32_t column)
{
    uint32_t indicator = view->column_slot != NULL ? moments_missing_column(view, view_i64(view, view->column_slot)[column])
                                                   : NO_TERM_COLUMN;

    for (uint32_t g = 0; g < view->classes; g++)
        if (!moments_column_empty(view, g, column, indicator))
            return false;
    return true;
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

void moments_fail_weights(Env *env)
{
    env_fail(env, ERROR_RANGE, "Divide the weights by a power of ten.", "the sum of the weights is out of range");
}

void moments_require_finite(Env *env, const MomentsView *view, const double *values,
                            uint32_t columns, uint32_t class)
{
    const double *means = view_f64(view, view->means) + (size_t)class * columns;
    size_t packed = scatter_size(view, columns);
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
        moments_fail_weights(env);
    if (weight < DBL_MIN)
        env_fail(env, ERROR_RANGE, "Multiply the weights by a power of ten.",
                 "the sum of the weights, %g, is too small to divide by", weight);
    for (uint32_t j = 0; j < columns; j++) {
        bool bad = !isfinite(means[j]);
        for (uint32_t i = view->diagonal != NULL ? j : 0; i <= j; i++)
            bad |= !isfinite(*values++);
        if (bad) {
            char name[SCHEMA_NAME_SIZE];
            moments_column_name(view, j, name, sizeof(name));
            env_fail(env, ERROR_RANGE, "Divide the values by a power of ten.",
                     "values of %s are too large to be summed", name);
        }
    }
}
