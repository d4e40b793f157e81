/*
 * moments_check.c - checks that a value that claims to be moments is safe to add to, merge and fit.
 *
 * Its layout and schema have been checked before.
 */
#include "core/base/all_finite.h"
#include "core/moments/moments_internal.h"

#include <math.h>

/* Returns one flag per slot: whether its field is categorical. */
static uint8_t *categorical_slots(Env *env, const Model *model)
{
    uint8_t *flags = env_array(env, (size_t)model->slot_count + 1, 1);
    uint32_t slot = 0;

    for (uint32_t f = 0; f < model->field_count; f++) {
        uint32_t width = schema_field_width(model, f);
        bool categorical = schema_field_kind(model, f) == FIELD_CATEGORICAL;
        for (uint32_t i = 0; i < width && slot < model->slot_count; i++)
            flags[slot++] = categorical;
    }
    return flags;
}

/* Checks that the columns are the numbers in order, then the target, then levels and indicators, each at most once. */
static const char *check_map(Env *env, const MomentsView *view, const uint8_t *categorical)
{
    const Model *model = view->state;
    const int64_t *slot = view_i64(view, view->column_slot);
    const int64_t *level = view_i64(view, view->column_level);
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), column = 0;
    uint8_t *level_seen = env_array(env, (size_t)levels + model->slot_count + 1, 1);
    uint8_t *missing_seen = level_seen + levels;
    const char *problem = NULL;

    for (uint32_t s = 0; s < model->slot_count && problem == NULL; s++) {
        if (categorical[s])
            continue;
        if (column >= view->columns || slot[column] != s || level[column] != COLUMN_NUMBER)
            problem = "the columns of the moments are not in the order of the features";
        column++;
    }
    if (model->kind == MODEL_MOMENTS && problem == NULL) {
        if (column >= view->columns || slot[column] != -1 || level[column] != COLUMN_NUMBER)
            problem = "the column of the target is out of place";
        column++;
    }
    for (uint32_t k = 0; k < view->further && problem == NULL; k++, column++)
        if (column >= view->columns || slot[column] != -2 - (int64_t)k || level[column] != COLUMN_NUMBER)
            problem = "the column of a further target is out of place";
    for (; column < view->columns && problem == NULL; column++) {
        int64_t s = slot[column], l = level[column];
        if (s < 0 || s >= model->slot_count) {
            problem = "a column of the moments belongs to no feature";
        } else if (l == COLUMN_MISSING) {
            if (categorical[s] || !(model->flags & MODEL_IMPUTE) || missing_seen[s]++)
                problem = "an indicator column is out of place";
        } else if (l < 0 || l >= levels || !categorical[s] || level_seen[l]++ ||
                   dictionary_field(model, (uint32_t)l) != schema_slot_field(model, (uint32_t)s)) {
            problem = "the column of a level is out of place";
        }
    }
    return problem;
}

/* Returns whether a label is a whole number that the plan of the folds can assign. */
static bool fold_allowed(const MomentsView *view, double label)
{
    int64_t folds = view_i64(view, view->fold_plan)[0];

    return fabs(label) < 1e15 && label == floor(label) && (folds == 0 || (label >= 0 && label < (double)folds));
}

/* Checks the labels and the plan of the folds. */
static const char *check_folds(const MomentsView *view)
{
    const double *labels = view_f64(view, view->fold_labels);
    int64_t folds = view_i64(view, view->fold_plan)[0];

    if (folds < 0 || folds == 1 || folds > FOLDS_MAX || view->classes > FOLDS_MAX)
        return "the number of folds is impossible";
    for (uint32_t g = 0; g < view->classes; g++) {
        if (!fold_allowed(view, labels[g]))
            return "the label of a fold is impossible";
        for (uint32_t h = 0; h < g; h++)
            if (labels[h] == labels[g])
                return "two folds have the same label";
    }
    return NULL;
}

/* Checks pending or kept rows. */
static const char *check_rows(Env *env, const MomentsView *view, const double *row, uint32_t count,
                              const uint8_t *categorical)
{
    const Model *model = view->state;
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);
    uint32_t classes = model->kind == MODEL_CLASS_MOMENTS ? dictionary_size(model, DICTIONARY_CLASSES)
                                                          : 0;
    bool impute = (model->flags & MODEL_IMPUTE) != 0;

    for (uint32_t i = 0; i < count; i++, row += view->width) {
        const double *slots = row;
        if (model->kind != MODEL_FEATURE_MOMENTS && !isfinite(row[view->target]))
            return "a target in a pending row is not finite";
        if (model->kind == MODEL_CLASS_MOMENTS &&
            !(row[view->target] >= 0 && row[view->target] < classes &&
              row[view->target] == floor(row[view->target])))
            return "a pending row names a class that does not exist";
        if (view->weighted &&
            !(row[view->weight] > 0 && isfinite(row[view->weight])))
            return "the weight of a pending row is not positive";
        for (uint32_t t = 0; t < view->tags; t++)
            if (!isfinite(row[view->width - 1 - t]))
                return "a cluster, a place in the order or a target of a pending row is not finite";
        if (view->folded && !fold_allowed(view, row[view->width - 1]))
            return "a pending row is in an impossible fold";
        for (uint32_t s = 0; s < model->slot_count; s++) {
            double x = slots[s];
            if (categorical[s]) {
                if (!(x >= 0 && x < levels && x == floor(x)) ||
                    dictionary_field(model, (uint32_t)x) != schema_slot_field(model, s))
                    return "a pending row names a level that does not exist";
            } else if (!isfinite(x) && !(impute && x == NULL_MARK)) {
                return "a number in a pending row is not finite";
            }
        }
        env_poll_every(env, i + 1, 1024);
    }
    return NULL;
}

/* Checks that counts are whole and agree with the header, and that exactly the classes with rows have weight. */
static const char *check_counts(const MomentsView *view)
{
    const Model *model = view->state;
    const double *counts = view_f64(view, view->counts);
    double rows = 0;

    for (uint32_t c = 0; c < view->classes; c++) {
        double own = counts[2 * (size_t)c], weight = counts[2 * (size_t)c + 1];
        if (!(own >= 0) || own != floor(own) || !(weight >= 0) || !isfinite(weight) ||
            (own > 0) != (weight > 0))
            return "a count of the moments is negative or not finite";
        rows += own;
    }
    if (!(rows + model->pending_rows == (double)model->rows))
        return "the counts of the moments do not add up to its rows";
    if (view->kept != NULL && rows != view->kept->rows)
        return "the moments keep a different number of rows than they count";
    return NULL;
}

/* Tells whether all values are 0, as they must be while there are no columns. */
static bool all_zero(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* Checks that sums of squares are not negative. */
static const char *check_scatter(const MomentsView *view)
{
    const double *scatter = view_f64(view, view->scatter);

    for (uint32_t c = 0; c < view->classes; c++) {
        for (uint32_t j = 0; j < view->columns; j++)
            if (!(scatter[scatter_square(view, j)] >= 0))
                return "a sum of squares of the moments is negative";
        scatter += scatter_size(view, view->columns);
    }
    return NULL;
}

/* Checks that the sums of third and fourth order are finite, and those of fourth powers not negative. */
static const char *check_fourth_moments(Env *env, const MomentsView *view)
{
    const double *fourth_moments = view_f64(view, view->fourth_moments);

    if (!all_finite_polled(env, view_f64(view, view->thirds), (size_t)view->thirds->rows * view->thirds->columns) ||
        !all_finite_polled(env, fourth_moments, (size_t)view->fourth_moments->rows * view->fourth_moments->columns) ||
        (view->columns == 0 &&
         (!all_zero(fourth_moments, view->classes) || !all_zero(view_f64(view, view->thirds), view->classes))))
        return "a sum of third or fourth order is not finite";
    for (uint32_t c = 0; c < view->classes; c++, fourth_moments += factor_packed(view->columns))
        for (uint32_t j = 0; j < view->columns; j++)
            if (!(fourth_moments[factor_packed(j) + j] >= 0))
                return "a sum of fourth powers is negative";
    return NULL;
}

/* Checks that origins are finite, and 0 for columns that hold no numbers. */
static const char *check_origins(Env *env, const MomentsView *view)
{
    const double *origins = view_f64(view, view->origins);
    uint32_t rows = view->origins->rows;
    const int64_t *level = view->column_level == NULL ? NULL : view_i64(view, view->column_level);

    if (!all_finite_polled(env, origins, (size_t)rows * view->columns) ||
        (view->columns == 0 && !all_zero(origins, rows)))
        return "an origin of the moments is not finite";
    for (uint32_t r = 0; r < rows; r++, origins += view->columns)
        for (uint32_t j = 0; j < view->columns && level != NULL; j++)
            if (level[j] != COLUMN_NUMBER && origins[j] != 0)
                return "a column of the moments that holds no numbers has an origin";
    return NULL;
}

const char *moments_check(Env *env, const Model *model)
{
    MomentsView view;
    const char *problem = moments_view((Model *)model, &view); /* read only */
    ModelEntry *matrix;
    uint8_t *categorical;
    bool any = false;

    if (problem != NULL)
        return problem;
    if (view.deferred != NULL && (model->rows != model->pending_rows || model_find(model, "formula") == NULL))
        return "moments with rows that wait for a formula have none, or have sums";
    matrix = view.factor != NULL ? view.factor : view.scatter;
    if (!all_finite_polled(env, view_f64(&view, view.means), (size_t)view.classes * view.columns) ||
        !all_finite_polled(env, view_f64(&view, matrix), (size_t)matrix->rows * matrix->columns) ||
        (view.products != NULL && !all_finite_polled(env, view_f64(&view, view.products), view.products->rows)) ||
        !isfinite(view_f64(&view, view.totals)[0]))
        return "a number of the moments is not finite";
    if (view.columns == 0 && (!all_zero(view_f64(&view, view.means), view.classes) ||
                              !all_zero(view_f64(&view, matrix), view.classes)))
        return "moments without columns have sums";
    if (model->kind == MODEL_CLASS_MOMENTS &&
        view.classes > dictionary_size(model, DICTIONARY_CLASSES))
        return "the moments have more classes than labels";
    if ((model->flags & MODEL_FREQUENCY) && !(model->flags & MODEL_WEIGHTED))
        return "the weights are marked as counts, but the moments have none";
    problem = check_counts(&view);
    if (problem == NULL && view.folded)
        problem = check_folds(&view);
    if (problem == NULL && view.scatter != NULL)
        problem = check_scatter(&view);
    if (problem == NULL && view.fourth_moments != NULL)
        problem = check_fourth_moments(env, &view);
    if (problem == NULL && view.origins != NULL)
        problem = check_origins(env, &view);
    if (problem != NULL)
        return problem;

    categorical = categorical_slots(env, model);
    for (uint32_t s = 0; s < model->slot_count; s++)
        any = any || categorical[s];
    if ((view.column_slot != NULL) != (any || (model->flags & MODEL_IMPUTE) != 0 || view.further > 0))
        problem = "the map of columns is missing or not needed";
    if (problem == NULL && view.column_slot != NULL)
        problem = check_map(env, &view, categorical);
    if (problem == NULL)
        problem = check_rows(env, &view, view_f64(&view, view.pending), model->pending_rows, categorical);
    if (problem == NULL && view.kept != NULL)
        problem = check_rows(env, &view, view_f64(&view, view.kept), view.kept->rows, categorical);
    return problem;
}
