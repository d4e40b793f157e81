/*
 * moments_view.c - finds the arrays of a state of moments, checks their shapes, and looks up columns and folds.
 */
#include "core/moments/moments_internal.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MAP_WRONG "the map of columns has the wrong length"
#define FOLDS_WRONG "the folds of the moments do not fit"
#define FOURTHS_WRONG "the fourth moments do not fit the moments"
#define TARGETS_WRONG "the number of targets does not fit"
#define PRODUCTS_WRONG "the products of the moments do not fit"
#define AT(member) offsetof(MomentsView, member)

const MomentsArray moments_arrays[MOMENTS_ARRAYS] = {
    {"column_level", ARRAY_I64, 1, ROWS_COLUMNS, WIDTH_ONE, AT(column_level), MAP_WRONG},
    {"column_slot", ARRAY_I64, 1, ROWS_COLUMNS, WIDTH_ONE, AT(column_slot), MAP_WRONG},
    {"counts", ARRAY_F64, 2, ROWS_CLASSES, WIDTH_TWO, AT(counts), NULL},
    {"deferred", ARRAY_BOOL, 1, ROWS_ONE, WIDTH_ONE, AT(deferred), "the mark of deferred moments is not one boolean"},
    {"diagonal", ARRAY_BOOL, 1, ROWS_ONE, WIDTH_ONE, AT(diagonal), "the mark of moments without products of columns is out of place"},
    {"factor", ARRAY_F64, 2, ROWS_CLASSES, WIDTH_PACKED, AT(factor), NULL},
    {"fold_labels", ARRAY_F64, 1, ROWS_CLASSES, WIDTH_ONE, AT(fold_labels), FOLDS_WRONG},
    {"fold_plan", ARRAY_I64, 1, ROWS_TWO, WIDTH_ONE, AT(fold_plan), FOLDS_WRONG},
    {"fourths", ARRAY_F64, 2, ROWS_CLASSES, WIDTH_PACKED, AT(fourth_moments), FOURTHS_WRONG},
    {"kept_rows", ARRAY_F64, 2, ROWS_ANY, WIDTH_ROW, AT(kept), "the kept rows of the moments do not fit"},
    {"means", ARRAY_F64, 2, ROWS_CLASSES, WIDTH_COLUMNS, AT(means), NULL},
    {"origins", ARRAY_F64, 2, ROWS_ORIGINS, WIDTH_COLUMNS, AT(origins), "the origins of the moments do not fit"},
    {"pending", ARRAY_F64, 2, ROWS_ANY, WIDTH_ANY, AT(pending), NULL},
    {"products", ARRAY_F64, 1, ROWS_ONE, WIDTH_PACKED, AT(products), PRODUCTS_WRONG},
    {"row_tags", ARRAY_I64, 1, ROWS_ONE, WIDTH_ONE, AT(row_tags), "the number of tags of the rows does not fit"},
    {"scatter", ARRAY_F64, 2, ROWS_CLASSES, WIDTH_PACKED, AT(scatter), NULL},
    {"targets", ARRAY_I64, 1, ROWS_ONE, WIDTH_ONE, AT(targets), TARGETS_WRONG},
    {"thirds", ARRAY_F64, 2, ROWS_CLASSES, WIDTH_SQUARE, AT(thirds), FOURTHS_WRONG},
    {"totals", ARRAY_F64, 1, ROWS_ONE, WIDTH_ONE, AT(totals), NULL},
};

uint32_t moments_array_rows(const MomentsView *view, const MomentsArray *array, uint32_t columns, uint32_t classes)
{
    switch ((ArrayRows)array->rows) {
    case ROWS_TWO:
        return 2;
    case ROWS_COLUMNS:
        return columns;
    case ROWS_CLASSES:
        return classes;
    case ROWS_ORIGINS: /* all folds of MODEL_MOMENTS share one row */
        return view->state->kind == MODEL_MOMENTS ? 1 : classes;
    default:
        return 1;
    }
}

size_t moments_array_width(const MomentsView *view, const MomentsArray *array, uint32_t columns)
{
    switch ((ArrayWidth)array->width) {
    case WIDTH_TWO:
        return 2;
    case WIDTH_COLUMNS:
        return stored_columns(columns);
    case WIDTH_PACKED:
        return stored_columns(scatter_size(view, columns));
    case WIDTH_SQUARE:
        return stored_columns((size_t)columns * columns);
    case WIDTH_ROW:
        return view->width;
    default:
        return 1;
    }
}

/* Returns NULL, or what is wrong with the type and the shape of an array. */
static const char *check_array(const MomentsView *view, const MomentsArray *array, const ModelEntry *entry)
{
    bool flat = array->dimensions == 1 || (entry == view->factor && !view->folded);
    uint64_t rows = moments_array_rows(view, array, view->columns, view->classes), width = moments_array_width(view, array, view->columns);

    if (entry->type != array->type)
        return array->wrong != NULL ? array->wrong : "an array of the moments has the wrong type";
    /* a 1 x 1 matrix would pass as an array of one number until it grows */
    if (entry->dimensions != (flat ? 1 : 2))
        return array->wrong != NULL ? array->wrong : "an array of the moments has the wrong shape";
    if (flat && array->rows != ROWS_ANY) {
        rows *= width;
        width = 1;
    }
    if ((array->rows != ROWS_ANY && entry->rows != rows) || (array->width != WIDTH_ANY && entry->columns != width))
        return array->wrong != NULL ? array->wrong : "an array of the moments has the wrong length";
    return NULL;
}

/* Returns NULL, or which array is there that states of this kind do not have, or the other way round. */
static const char *check_presence(const Model *state, const MomentsView *view)
{
    bool target = state->kind == MODEL_MOMENTS;

    if (view->means == NULL || (target ? view->factor : view->scatter) == NULL || view->counts == NULL || view->totals == NULL ||
        view->pending == NULL || (view->column_slot == NULL) != (view->column_level == NULL) ||
        (view->factor != NULL && view->scatter != NULL))
        return "the moments lack one of their arrays";
    if (view->folded != (view->fold_labels != NULL) || view->folded != (view->fold_plan != NULL))
        return FOLDS_WRONG;
    if (view->origins != NULL && !target && !(state->flags & MODEL_IMPUTE))
        return "the origins of the moments do not fit";
    if ((view->thirds != NULL) != (view->fourth_moments != NULL) || (view->thirds != NULL && target))
        return FOURTHS_WRONG;
    if (view->diagonal != NULL && (target || view->fourth_moments != NULL))
        return "the mark of moments without products of columns is out of place";
    if (view->products != NULL && (!target || view->folded || view->column_slot != NULL))
        return PRODUCTS_WRONG;
    if (view->kept != NULL && !target)
        return "the kept rows of the moments do not fit";
    if (view->row_tags != NULL && (!target || view->folded || view->row_tags->type != ARRAY_I64 || view->row_tags->rows < 1 ||
                                   !(view_i64(view, view->row_tags)[0] >= 1 && view_i64(view, view->row_tags)[0] <= ROW_TAGS_MAX)))
        return "the number of tags of the rows does not fit";
    if (view->targets != NULL && (!target || view->folded || view->row_tags != NULL || view->targets->type != ARRAY_I64 || view->targets->rows < 1 ||
                                  view->column_slot == NULL || !(view_i64(view, view->targets)[0] >= 1 && view_i64(view, view->targets)[0] < MOMENTS_MAX_COLUMNS)))
        return TARGETS_WRONG;
    return NULL;
}

/* Finds the arrays, which are in order of name; returns false if there is another. */
static bool find_arrays(Model *state, MomentsView *view)
{
    ModelEntry *entry = (ModelEntry *)(state + 1), *end = entry + state->entry_count;
    const MomentsArray *array = moments_arrays, *last = array + MOMENTS_ARRAYS;

    for (; entry < end; entry++) {
        if (entry->section != SECTION_ARRAYS)
            continue;
        while (array < last && memcmp(array->name, entry->name, MODEL_NAME_SIZE) != 0)
            array++;
        if (array == last)
            return false;
        *(ModelEntry **)((char *)view + array->place) = entry;
    }
    return true;
}

const char *moments_view(Model *state, MomentsView *view)
{
    const char *wrong;

    *view = (MomentsView){.state = state, .folded = (state->flags & MODEL_FOLDED) != 0, .weighted = (state->flags & MODEL_WEIGHTED) != 0};
    if (!find_arrays(state, view))
        return "the moments have an array that they cannot have";
    if ((wrong = check_presence(state, view)) != NULL)
        return wrong;
    view->columns = state->column_count;
    view->classes = view->means->rows;
    view->target = state->slot_count;
    view->weight = state->slot_count + (state->kind != MODEL_FEATURE_MOMENTS);
    view->further = view->targets != NULL ? (uint32_t)view_i64(view, view->targets)[0] : 0;
    view->tags = view->row_tags != NULL ? (uint32_t)view_i64(view, view->row_tags)[0] : view->further;
    view->width = view->weight + view->weighted + view->folded + view->tags;
    view->width += view->width == 0;
    if (view->columns > MOMENTS_MAX_COLUMNS || (state->kind != MODEL_CLASS_MOMENTS && !view->folded && view->classes != 1))
        return "an array of the moments has the wrong length";
    for (const MomentsArray *array = moments_arrays; array < moments_arrays + MOMENTS_ARRAYS; array++)
        if (view_array(view, array) != NULL && (wrong = check_array(view, array, view_array(view, array))) != NULL)
            return wrong;
    if (view->column_slot == NULL && view->columns != (state->kind == MODEL_MOMENTS) + (uint64_t)state->slot_count)
        return "the moments have the wrong number of columns";
    if (view->pending->columns != view->width || view->pending->rows > state->pending_capacity ||
        (uint64_t)state->pending_capacity * view->width > view->pending->reserved / sizeof(double) ||
        view->pending->offset != state->pending_offset || state->pending_rows > state->pending_capacity)
        return "the pending rows of the moments do not fit";
    return NULL;
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
    if (moments->pending_rows > 0 || view->products != NULL)
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

uint32_t moments_further_targets(const Model *state)
{
    uint32_t length = 0;
    const int64_t *targets = model_i64(state, "targets", &length);

    return length == 1 ? (uint32_t)targets[0] : 0;
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
