/*
 * moments_merge.c - merges two states of moments into the moments of all their rows.
 *
 * Means and counts are merged as in Chan, Golub & LeVeque (1983); factors by triangularizing one on top of the other and
 * of the row of mean differences. If both have few pending rows, these stay pending together, because a block of rows
 * keeps more digits than the same rows one by one. The result depends on the content of the operands alone, not on
 * how much memory they had reserved.
 */
#include "core/moments/fourth_moments.h"
#include "core/moments/moments_internal.h"

#include <math.h>
#include <string.h>

/* Fails unless two states have the same kind, features and options. */
static void require_alike(Env *env, const Model *a, const Model *b)
{
    const char *difference;
    uint8_t alike = MODEL_WEIGHTED | MODEL_FREQUENCY | MODEL_IMPUTE | MODEL_FOLDED;

    if (a->kind != b->kind)
        env_fail(env, ERROR_KIND, "Merge moments of one kind.", "cannot merge %.31s with %.31s",
                 a->estimator, b->estimator);
    difference = schema_difference(env, a, b);
    if (difference != NULL)
        env_fail(env, ERROR_DATA, "Merge only moments of the same features in the same order.",
                 "cannot merge: %s", difference);
    if ((a->flags & alike) != (b->flags & alike) || a->slot_count != b->slot_count)
        env_fail(env, ERROR_PARAMETER, "Merge only moments that were computed with the same options.",
                 "cannot merge moments with and without weights, imputing or folds");
    if (moments_keeps_rows(a) != moments_keeps_rows(b))
        env_fail(env, ERROR_PARAMETER, "Merge only moments that were computed with the same options.",
                 "cannot merge moments that keep their rows with moments that do not");
    if (moments_tags(a) != moments_tags(b))
        env_fail(env, ERROR_PARAMETER, "Merge states of the same options.", "cannot merge moments whose rows end with %u and %u tags", moments_tags(a),
                 moments_tags(b));
    if (moments_further_targets(a) != moments_further_targets(b))
        env_fail(env, ERROR_DATA, "Merge moments of the same targets.", "cannot merge moments of %u and %u targets", 1 + moments_further_targets(a),
                 1 + moments_further_targets(b));
    if (moments_deferred(a) != moments_deferred(b))
        env_fail(env, ERROR_PARAMETER, "Merge only moments that were computed with the same formula.",
                 "cannot merge moments with rows that wait for their formula");
    if (moments_diagonal(a) != moments_diagonal(b))
        env_fail(env, ERROR_PARAMETER, "Merge only moments of one kind.", "cannot merge moments with and without products of columns");
    if (moments_has_fourth_moments(a) != moments_has_fourth_moments(b))
        env_fail(env, ERROR_PARAMETER, "Compute all of the moments with option \"fourth_moments\", or none of them.",
                 "cannot merge moments with and without fourth moments");
    if (a->flags & MODEL_FOLDED) {
        FoldPlan own = moments_fold_plan(a), other = moments_fold_plan(b);
        if (own.folds != other.folds || own.seed != other.seed)
            env_fail(env, ERROR_PARAMETER, "Merge only moments with the same folds and seed.",
                     "cannot merge moments whose rows were assigned to folds differently");
    }
}

/* Adds the entries of b's dictionary that a lacks. positions: receives the position in a of each entry of b. */
static Model *map_dictionary(Env *env, const Model *original, Model *a, const Model *b,
                             DictionaryKind kind, uint32_t *positions)
{
    uint32_t size = dictionary_size(b, kind);

    for (uint32_t i = 0; i < size; i++) {
        uint32_t length, field = kind == DICTIONARY_LEVELS ? dictionary_field(b, i) : 0;
        const char *bytes = dictionary_text(b, kind, i, &length);
        double key = dictionary_key(b, kind, i);
        bool is_null = isinf(key);
        int found;

        env_poll_every(env, i, 1024);
        found = dictionary_find(a, kind, field, bytes, length, is_null);
        if (found >= 0) {
            positions[i] = (uint32_t)found;
            continue;
        }
        Model *next = dictionary_add(env, a, kind, field, bytes, length, is_null, key,
                                     &positions[i]);
        if (next != a && a != original)
            env->release(env, a);
        a = next;
    }
    return a;
}

/*
 * Adds the columns of b that a lacks and reopens a's view. levels: the position in a of each level of b. columns:
 * receives the column of a for each column of b.
 */
static Model *map_columns(Env *env, const Model *original, Model *a, MomentsView *view,
                          const MomentsView *b, const uint32_t *levels, uint32_t *columns)
{
    uint32_t added = 0, before = view->columns;
    const int64_t *slot, *level;

    if (b->column_slot == NULL) {
        for (uint32_t j = 0; j < b->columns; j++)
            columns[j] = j;
        return a;
    }
    slot = view_i64(b, b->column_slot);
    level = view_i64(b, b->column_level);
    for (uint32_t j = 0; j < b->columns; j++) {
        int64_t own = level[j] >= 0 ? levels[level[j]] : level[j];
        /* usually both states have the same columns */
        if (j < before && view_i64(view, view->column_slot)[j] == slot[j] && view_i64(view, view->column_level)[j] == own)
            columns[j] = j;
        else
            columns[j] = moments_find_column(view, slot[j], own);
        if (columns[j] == NO_TERM_COLUMN)
            columns[j] = before + added++;
    }
    if (added == 0)
        return a;
    a = moments_reshape(env, original, a, view, before + added, view->classes);
    for (uint32_t j = 0; j < b->columns; j++) {
        if (columns[j] < before)
            continue;
        view_i64(view, view->column_slot)[columns[j]] = slot[j];
        view_i64(view, view->column_level)[columns[j]] = level[j] >= 0 ? levels[level[j]] : level[j];
    }
    return a;
}

/* Tells whether a and b have the same columns in the same order. */
static bool same_columns(const MomentsView *a, const MomentsView *b, const uint32_t *columns)
{
    uint32_t same = 0;

    while (same < b->columns && columns[same] == same)
        same++;
    return same == b->columns && a->columns == b->columns;
}

/*
 * Returns what must be added to each column of b so that a's origins apply to it (MODEL_MOMENTS), or NULL if nothing. A
 * column of a that holds no number yet takes b's origin instead.
 */
static double *move_origins(Env *env, MomentsView *a, const MomentsView *b, const uint32_t *columns)
{
    double *to = view_origins(a, 0), *moved = NULL;
    const double *from = view_origins(b, 0);

    if (b->factor == NULL || (to == NULL && from == NULL))
        return NULL;
    for (uint32_t j = 0; j < b->columns; j++) {
        double origin = to != NULL ? to[columns[j]] : 0, given = from != NULL ? from[j] : 0;
        if (origin == given || moments_column_unseen(b, j))
            continue;
        if (to != NULL && moments_column_unseen(a, columns[j])) {
            to[columns[j]] = given;
            continue;
        }
        if (moved == NULL)
            moved = env_array(env, b->columns, sizeof(double));
        moved[j] = given - origin;
    }
    return moved;
}

/* Returns the means of a fold of b about the origins of a. moved: from move_origins. A NULL still counts as 0. */
static double *moved_means(Env *env, const MomentsView *b, uint32_t fold, const double *moved)
{
    const double *means = view_f64(b, b->means) + (size_t)fold * b->columns;
    double *to = env_array_raw(env, b->columns, sizeof(double));

    for (uint32_t j = 0; j < b->columns; j++) {
        uint32_t missing = b->column_slot != NULL && moved[j] != 0
                               ? moments_missing_column(b, view_i64(b, b->column_slot)[j])
                               : NO_TERM_COLUMN;
        to[j] = means[j] + moved[j] * (missing != NO_TERM_COLUMN ? 1 - means[missing] : 1);
    }
    return to;
}

/*
 * Subtracts `times` the indicator of the NULLs of column j from `column`, since a NULL stays at the origin. Returns
 * whether there is such an indicator.
 */
static bool subtract_missing(const MomentsView *b, const double *packed, uint32_t j, double times, double *column)
{
    uint32_t missing = b->column_slot != NULL && times != 0
                           ? moments_missing_column(b, view_i64(b, b->column_slot)[j])
                           : NO_TERM_COLUMN;

    if (missing == NO_TERM_COLUMN)
        return false;
    for (uint32_t i = 0; i <= missing; i++)
        column[i] -= times * packed[factor_packed(missing) + i];
    return true;
}

/* Adds the factor of part `other` of b, and the row of mean differences, to the factor of part `own` of a. moved: from move_origins. */
static void merge_factors(Env *env, MomentsView *a, const MomentsView *b, uint32_t own, uint32_t other,
                          const uint32_t *columns, const double *differences, const double *moved)
{
    size_t ld = factor_padded((size_t)b->columns + 1);
    const double *packed = view_f64(b, b->factor) + other * factor_packed(b->columns);
    bool staircase = true;
    double *block;
    void *memory;

    if (a->columns > 0)
        env_require_memory(env, ld * a->columns * sizeof(double), "merging two factors");
    block = env_aligned(env, ld * a->columns, &memory);
    for (uint32_t j = 0; j < b->columns; j++) {
        memcpy(block + columns[j] * ld + 1, packed + factor_packed(j), (j + 1) * sizeof(double));
        staircase = staircase && columns[j] >= j;
        if (moved != NULL && subtract_missing(b, packed, j, moved[j], block + columns[j] * ld + 1))
            staircase = false;
    }
    for (uint32_t j = 0; j < a->columns; j++)
        block[j * ld] = differences[j];
    factor_update(env, view_f64(a, a->factor) + own * factor_packed(a->columns), a->columns, block, ld,
                  b->columns + 1, staircase);
    env->release(env, memory);
}

/* Adds the cross-products of a class of b, which has `count` columns, and those of the mean differences to a's. */
static void merge_scatters(MomentsView *a, uint32_t count, const double *from, uint32_t own,
                           const uint32_t *columns, const double *differences)
{
    double *to = view_f64(a, a->scatter) + own * scatter_size(a, a->columns);

    if (a->diagonal != NULL) {
        for (uint32_t j = 0; j < count; j++)
            to[columns[j]] += from[j];
        for (uint32_t j = 0; j < a->columns; j++)
            to[j] += differences[j] * differences[j];
        return;
    }
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t i = 0; i <= j; i++) {
            uint32_t low = columns[i] < columns[j] ? columns[i] : columns[j];
            uint32_t high = columns[i] < columns[j] ? columns[j] : columns[i];
            to[factor_packed(high) + low] += *from++;
        }
    for (uint32_t j = 0; j < a->columns; j++)
        for (uint32_t i = 0; i <= j; i++)
            *to++ += differences[i] * differences[j];
}

/* ---- origins ---- */

/* Changes the packed cross-products of a class as if `times` column i had been subtracted from column j. */
static void subtract_column(double *packed, uint32_t columns, uint32_t j, uint32_t i, double times)
{
    double of_both = packed[j < i ? factor_packed(i) + j : factor_packed(j) + i];
    double *square = packed + factor_packed(j) + j, of_i = packed[factor_packed(i) + i], next;

    for (uint32_t k = 0; k < columns; k++)
        if (k != j)
            packed[k < j ? factor_packed(j) + k : factor_packed(k) + j] -=
                times * packed[k < i ? factor_packed(i) + k : factor_packed(k) + i];
    next = *square - times * (of_both - times * of_i + of_both);
    *square = next > 0 ? next : 0;
}

/* Returns the sum of squares of a number in diagonal moments after subtracting `times` the indicator of its NULLs. */
static double diagonal_difference(const MomentsView *view, uint32_t class, uint32_t column, uint32_t missing, double times)
{
    const double *scatter = view_f64(view, view->scatter) + (size_t)class * view->columns;

    return fmax(0, scatter[column] + times * (times * scatter[missing] - 2 * diagonal_product(view, class, column, missing)));
}

/* A class of b about the origins of a class of a. */
typedef struct OtherClass {
    const double *means, *scatter;
    const double *thirds, *fourth_moments; /* NULL: not kept */
    void *memory; /* to be released; NULL: the arrays are b's own, because both have the same origins */
} OtherClass;

/* Computes the sums of third and fourth order of a class after adding `moved` to its columns, except to NULLs. */
static void move_fourth_moments(Env *env, const MomentsView *b, uint32_t other, const double *moved, OtherClass *class)
{
    uint32_t columns = b->columns;
    const double *means = view_f64(b, b->means) + (size_t)other * columns;
    PowerSums from = {view_f64(b, b->counts)[2 * (size_t)other + 1], NULL,
                      view_f64(b, b->scatter) + other * factor_packed(columns), class->thirds, class->fourth_moments};
    double *thirds = (double *)class->memory + columns + factor_packed(columns);
    double *term_means = env_array_raw(env, columns, sizeof(double));
    TermPlan *plans = env_array(env, columns, sizeof(TermPlan));

    /* adding a constant to all rows changes no central sum, so it is enough to subtract it from the NULLs */
    for (uint32_t j = 0; j < columns; j++) {
        uint32_t missing = moved[j] != 0 ? moments_missing_column(b, view_i64(b, b->column_slot)[j]) : NO_TERM_COLUMN;
        plans[j] = (TermPlan){.column = j, .indicator = missing, .imputed = -moved[j]};
        term_means[j] = means[j] - (missing != NO_TERM_COLUMN ? moved[j] * means[missing] : 0);
    }
    fourth_moments_of_terms(env, &from, means, plans, columns, term_means, class->scatter, thirds, thirds + thirds_size(columns));
    class->thirds = thirds;
    class->fourth_moments = thirds + thirds_size(columns);
    env->release(env, term_means);
    env->release(env, plans);
}

/*
 * Returns class `other` of b about the origins of class `own` of a: numbers move by the difference of the origins, and
 * NULLs do not. A column of a's class that holds no number yet takes b's origin instead.
 */
static OtherClass other_class(Env *env, MomentsView *a, const MomentsView *b, uint32_t own, uint32_t other,
                              const uint32_t *columns)
{
    size_t packed = scatter_size(b, b->columns);
    OtherClass result = {.means = view_f64(b, b->means) + (size_t)other * b->columns};
    double *to, *means, *scatter, *moved = NULL;
    const double *from;
    size_t numbers = b->columns + packed + (b->fourth_moments != NULL ? thirds_size(b->columns) + packed : 0);

    if (a->factor != NULL)
        return result;
    to = view_origins(a, own);
    from = view_origins(b, other);
    result.scatter = view_f64(b, b->scatter) + other * packed;
    if (b->fourth_moments != NULL) {
        result.thirds = view_f64(b, b->thirds) + other * thirds_size(b->columns);
        result.fourth_moments = view_f64(b, b->fourth_moments) + other * packed;
    }
    if (to == NULL && from == NULL)
        return result;
    for (uint32_t j = 0; j < b->columns; j++) {
        double origin = to != NULL ? to[columns[j]] : 0, given = from != NULL ? from[j] : 0;
        int64_t slot = view_i64(b, b->column_slot)[j];
        uint32_t missing;
        if (origin == given || moments_column_empty(b, other, j, moments_missing_column(b, slot)))
            continue;
        if (to != NULL && moments_column_empty(a, own, columns[j], moments_missing_column(a, slot))) {
            to[columns[j]] = given;
            continue;
        }
        if (result.memory == NULL) {
            moved = env_array(env, b->columns, sizeof(double));
            result.memory = means = env_array_raw(env, numbers, sizeof(double));
            memcpy(means, result.means, b->columns * sizeof(double));
            memcpy(means + b->columns, result.scatter, packed * sizeof(double));
            result.means = means;
            result.scatter = means + b->columns;
        }
        means = result.memory;
        scatter = means + b->columns;
        missing = moments_missing_column(b, slot);
        moved[j] = given - origin;
        means[j] += (given - origin) * (missing != NO_TERM_COLUMN ? 1 - means[missing] : 1);
        if (missing != NO_TERM_COLUMN && b->diagonal != NULL)
            scatter[j] = diagonal_difference(b, other, j, missing, given - origin);
        else if (missing != NO_TERM_COLUMN)
            subtract_column(scatter, b->columns, j, missing, given - origin);
    }
    if (moved != NULL && b->fourth_moments != NULL)
        move_fourth_moments(env, b, other, moved, &result);
    if (moved != NULL)
        env->release(env, moved);
    return result;
}

/*
 * Merges the sums of third and fourth order of a class of b, which has `count` columns, into those of class `own` of a,
 * about the common mean. The cross-products of a must not have been merged yet. differences: those of the means.
 */
static void merge_fourth_moments(Env *env, MomentsView *a, uint32_t count, const OtherClass *other, double other_weight,
                                 uint32_t own, const uint32_t *columns, const double *differences)
{
    uint32_t p = a->columns;
    size_t packed = factor_packed(p);
    double weight = view_f64(a, a->counts)[2 * (size_t)own + 1], share = other_weight / (weight + other_weight);
    double *thirds = view_f64(a, a->thirds) + own * thirds_size(p), *fourth_moments = view_f64(a, a->fourth_moments) + own * packed;
    double *moved = env_array(env, p + 2 * packed + thirds_size(p) + 1, sizeof(double)), *second = moved + p;
    PowerSums before = {weight, NULL, view_f64(a, a->scatter) + own * packed, thirds, fourth_moments};
    PowerSums given = {other_weight, NULL, other->scatter, other->thirds, other->fourth_moments};
    PowerSums more = {other_weight, NULL, second, second + packed, second + packed + thirds_size(p)};

    fourth_moments_spread(count, &given, columns, second, second + packed, second + packed + thirds_size(p));
    if (weight > 0) {
        for (uint32_t j = 0; j < p; j++)
            moved[j] = -share * differences[j];
        fourth_moments_shift(env, p, &before, moved, thirds, fourth_moments, false);
        for (uint32_t j = 0; j < p; j++)
            moved[j] = (1 - share) * differences[j];
    }
    fourth_moments_shift(env, p, &more, moved, thirds, fourth_moments, true);
    env->release(env, moved);
}

/* Merges class (or fold) `other` of b into class `own` of a. moved: from move_origins. */
static void merge_class(Env *env, MomentsView *a, const MomentsView *b, uint32_t own,
                        uint32_t other, const uint32_t *columns, const double *moved)
{
    double *means = view_f64(a, a->means) + (size_t)own * a->columns;
    OtherClass from;
    double *counts = view_f64(a, a->counts) + 2 * (size_t)own;
    const double *other_counts = view_f64(b, b->counts) + 2 * (size_t)other;
    double all = counts[1] + other_counts[1], share = other_counts[1] / all;
    double scale = sqrt(counts[1] * share), *differences;
    bool factor = a->factor != NULL;

    if (other_counts[1] == 0)
        return;
    from = other_class(env, a, b, own, other, columns);
    if (moved != NULL)
        from.means = from.memory = moved_means(env, b, other, moved);
    differences = env_array(env, a->columns + 1, sizeof(double));
    for (uint32_t j = 0; j < b->columns; j++)
        differences[columns[j]] = from.means[j];
    for (uint32_t j = 0; j < a->columns; j++) {
        double difference = differences[j] - means[j];
        means[j] = counts[1] == 0 ? differences[j] : means[j] + share * difference;
        differences[j] = counts[1] == 0 ? 0 : difference;
    }
    if (a->fourth_moments != NULL)
        merge_fourth_moments(env, a, b->columns, &from, other_counts[1], own, columns, differences);
    for (uint32_t j = 0; j < a->columns; j++)
        differences[j] *= scale;
    if (factor && counts[1] == 0 && moved == NULL && same_columns(a, b, columns))
        memcpy(view_f64(a, a->factor) + own * factor_packed(a->columns),
               view_f64(b, b->factor) + other * factor_packed(b->columns),
               factor_packed(a->columns) * sizeof(double));
    else if (factor)
        merge_factors(env, a, b, own, other, columns, differences, moved);
    else
        merge_scatters(a, b->columns, from.scatter, own, columns, differences);
    counts[0] += other_counts[0];
    counts[1] = all;
    env->release(env, differences);
    if (from.memory != NULL)
        env->release(env, from.memory);
    moments_require_finite(env, a,
                           view_f64(a, factor ? a->factor : a->scatter) + own * scatter_size(a, a->columns),
                           a->columns, own);
    if (a->fourth_moments != NULL)
        fourth_moments_require_finite(env, a, own);
}

/* Appends the pending rows of b to those of a. levels, classes: the positions in a of those of b. */
static Model *append_pending(Env *env, const Model *original, Model *a, const MomentsView *b,
                             const uint32_t *levels, const uint32_t *classes)
{
    uint32_t width = b->width, count = b->state->pending_rows;
    bool classed = b->state->kind == MODEL_CLASS_MOMENTS;
    size_t all = (size_t)a->pending_rows + count;
    ModelEntry *entry;
    double *to;

    if (count == 0)
        return a;
    a = moments_deferred(a) ? moments_reserve_deferred(env, original, a, all)
                            : moments_reserve(env, original, a, "pending", all * width * sizeof(double));
    entry = model_entry_mutable(a, "pending");
    if (a->pending_capacity < all)
        a->pending_capacity = (uint32_t)all;
    entry->rows = a->pending_capacity;
    to = (double *)((char *)a + a->pending_offset) + (size_t)a->pending_rows * width;
    memcpy(to, view_f64(b, b->pending), (size_t)count * width * sizeof(double));
    moments_map_levels(env, b, to, count, levels);
    for (uint32_t i = 0; i < count && classed; i++, to += width)
        to[b->target] = classes[(uint32_t)to[b->target]];
    a->pending_rows = (uint32_t)all;
    return a;
}

/* Adds the folds of b that a lacks and reopens a's view. places: receives the index in a of each fold of b. */
static Model *map_folds(Env *env, const Model *original, Model *a, MomentsView *view,
                        const MomentsView *b, uint32_t *places)
{
    const double *labels = view_f64(b, b->fold_labels);
    uint32_t before = view->classes, after = before;

    for (uint32_t g = 0; g < b->classes; g++) {
        uint32_t place = moments_find_fold(view, labels[g]);
        places[g] = place < before ? place : after++;
    }
    if (after == before)
        return a;
    a = moments_add_folds(env, original, a, view, after - before);
    for (uint32_t g = 0; g < b->classes; g++)
        view_f64(view, view->fold_labels)[places[g]] = labels[g];
    return a;
}

/* Merges all of b into a, pending rows included. */
static Model *merge_all(Env *env, const Model *original, Model *a, const Model *b)
{
    bool classed = a->kind == MODEL_CLASS_MOMENTS;
    uint32_t level_count = dictionary_size(b, DICTIONARY_LEVELS);
    uint32_t class_count = classed ? dictionary_size(b, DICTIONARY_CLASSES) : 0;
    uint32_t *levels, *classes, *columns;
    double *moved;
    MomentsView view, other;

    moments_open(env, (Model *)b, &other); /* read only */
    if (other.folded)
        class_count = other.classes;
    levels = env_array(env, (size_t)level_count + class_count + other.columns + 1, sizeof(uint32_t));
    classes = levels + level_count;
    columns = classes + class_count;
    a = map_dictionary(env, original, a, b, DICTIONARY_LEVELS, levels);
    if (classed)
        a = map_dictionary(env, original, a, b, DICTIONARY_CLASSES, classes);
    moments_open(env, a, &view);
    a = map_columns(env, original, a, &view, &other, levels, columns);
    if (classed && dictionary_size(a, DICTIONARY_CLASSES) > view.classes)
        a = moments_reshape(env, original, a, &view, view.columns,
                            dictionary_size(a, DICTIONARY_CLASSES));
    if (other.folded)
        a = map_folds(env, original, a, &view, &other, classes);
    moved = move_origins(env, &view, &other, columns);
    for (uint32_t c = 0; c < other.classes; c++) {
        merge_class(env, &view, &other, classed || other.folded ? classes[c] : 0, c, columns, moved);
        env_poll_every(env, c + 1, 256);
    }
    if (moved != NULL)
        env->release(env, moved);
    view_f64(&view, view.totals)[0] += view_f64(&other, other.totals)[0];
    a = moments_keep_others(env, original, a, &other, levels);
    a = append_pending(env, original, a, &other, levels, classes);
    env->release(env, levels);

    a->flags |= b->flags;
    a->rows += b->rows;
    a->skipped += b->skipped;
    a->weight += b->weight;
    a->flushes = a->flushes > UINT32_MAX - b->flushes ? UINT32_MAX : a->flushes + b->flushes;
    a->fingerprint = 0;
    return a;
}

Model *moments_merge(Env *env, Model *a, const Model *b, bool copy)
{
    const Model *original = copy ? NULL : a;
    Model *flushed = NULL, *result;

    require_alike(env, a, b);
    if (MODEL_MAX_ROWS - a->rows < b->rows || MODEL_MAX_ROWS - a->skipped < b->skipped)
        env_fail(env, ERROR_RANGE, NULL, "more rows than can be counted");
    if (copy)
        a = moments_copy(env, a);
    if ((uint64_t)a->pending_rows + b->pending_rows > NARROW_ROWS || model_find(a, "products") != NULL || model_find(b, "products") != NULL) {
        a = moments_settle(env, original, a);
        flushed = moments_settle(env, NULL, moments_copy(env, b));
    }
    result = merge_all(env, original, a, flushed != NULL ? flushed : b);
    if (flushed != NULL)
        env->release(env, flushed);
    return result;
}
