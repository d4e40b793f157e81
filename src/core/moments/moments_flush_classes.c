/*
 * moments_flush_classes.c - adds pending rows to the means and cross-products of their classes.
 */
#include "core/moments/fourth_moments.h"
#include "core/moments/moments_flush.h"

#include <math.h>
#include <string.h>

#define LOCAL_SCATTER 6144 /* scratch on the stack */

/* The rows of a block grouped by class, classes in the order of their first rows. */
typedef struct ClassRows {
    uint32_t classes;
    uint32_t class[WIDE_ROWS];     /* [classes] */
    uint16_t first[WIDE_ROWS + 1]; /* where the rows of a class begin in order */
    uint16_t order[WIDE_ROWS];
} ClassRows;

/* Groups the rows of a block by class; moments without classes have one, 0. */
static void split_classes(Env *env, const MomentsView *view, const double *rows, uint32_t count,
                          ClassRows *split)
{
    uint16_t near[256], of[WIDE_ROWS], *local = near; /* local: the number of a class in the block, from 1 */
    const double *class = rows + view->target;

    split->classes = 0;
    if (view->state->kind != MODEL_CLASS_MOMENTS) {
        split->classes = 1;
        split->class[0] = 0;
        split->first[0] = 0;
        split->first[1] = (uint16_t)count;
        for (uint32_t i = 0; i < count; i++)
            split->order[i] = (uint16_t)i;
        return;
    }
    if (view->classes > 256)
        local = env_array_raw(env, view->classes, sizeof(uint16_t));
    memset(local, 0, view->classes * sizeof(uint16_t));
    memset(split->first, 0, sizeof(split->first));
    for (uint32_t i = 0; i < count; i++, class += view->width) {
        uint32_t own = (uint32_t)*class;
        if (local[own] == 0) {
            split->class[split->classes++] = own;
            local[own] = (uint16_t)split->classes;
        }
        of[i] = local[own];
        split->first[of[i]]++;
    }
    for (uint32_t c = 0; c < split->classes; c++)
        split->first[c + 1] += split->first[c];
    for (uint32_t i = count; i-- > 0;)
        split->order[--split->first[of[i]]] = (uint16_t)i;
    /* first[c + 1] has moved to the beginning of class c */
    memmove(split->first, split->first + 1, split->classes * sizeof(uint16_t));
    split->first[split->classes] = (uint16_t)count;
    if (local != near)
        env->release(env, local);
}

/* Scratch: the expanded rows of a class with ld numbers each, their Gram matrix, and three rows of ld numbers. */
typedef struct ScatterScratch {
    size_t ld;
    double *block, *gram, *shift, *mean, *difference;
    double *sums, *second, *thirds, *fourth_moments; /* of the block, if the moments have sums of fourth order */
} ScatterScratch;

/* Makes the first number of each column its origin, unless the class had one before. */
static void take_origins(const MomentsView *view, const ColumnMap *map, const double *rows, const uint16_t *order,
                         uint32_t count, uint32_t class)
{
    double *origins = view_origins(view, class);

    for (uint32_t s = 0; s < view->state->slot_count; s++) {
        uint32_t column = map->number[s];
        if (column == NO_COLUMN || !moments_column_empty(view, class, column, map->missing[s]))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            double value = rows[(size_t)order[i] * view->width + s];
            if (value == NULL_MARK)
                continue;
            origins[column] = value;
            break;
        }
    }
}

/* Copies the rows of a class to scratch, expanded if there is a map, and appends a 1 to each. */
static void copy_rows(const MomentsView *view, const ColumnMap *map, const double *origins, const double *rows,
                      const uint16_t *order, uint32_t count, const ScatterScratch *scratch)
{
    uint32_t columns = view->columns;
    size_t ld = scratch->ld;

    for (uint32_t i = 0; i < count; i++) {
        const double *row = rows + (size_t)order[i] * view->width;
        double *to = scratch->block + i * ld;
        if (map != NULL) {
            memset(to, 0, ld * sizeof(double));
            column_map_expand(view, map, origins, row, to, 1);
        } else {
            memcpy(to, row, columns * sizeof(double));
            for (size_t j = columns + 1; j < ld; j++)
                to[j] = 0;
        }
        to[columns] = 1;
    }
}

/* Sets the shift to the weighted mean of the copied rows. */
static void block_mean(const MomentsView *view, const double *rows, const uint16_t *order,
                       uint32_t count, double weight, const ScatterScratch *scratch)
{
    uint32_t columns = view->columns;

    memset(scratch->shift, 0, columns * sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        const double *from = scratch->block + i * scratch->ld;
        double own = view->weighted ? rows[(size_t)order[i] * view->width + view->weight] : 1;
        for (uint32_t j = 0; j < columns; j++)
            scratch->shift[j] += own / weight * from[j];
    }
}

/* Subtracts the shift from the copied rows, and multiplies them and their 1 by the roots of their weights. */
static void shift_rows(const MomentsView *view, const double *rows, const uint16_t *order,
                       uint32_t count, const ScatterScratch *scratch)
{
    uint32_t columns = view->columns;
    const double *shift = scratch->shift;

    for (uint32_t i = 0; i < count; i++) {
        double *to = scratch->block + i * scratch->ld;
        for (uint32_t j = 0; j < columns; j++)
            to[j] -= shift[j];
        if (view->weighted) {
            double root = sqrt(rows[(size_t)order[i] * view->width + view->weight]);
            for (uint32_t j = 0; j <= columns; j++)
                to[j] *= root;
        }
    }
}

/* Does copy_rows and shift_rows at once for rows without weights that need no map. */
static void copy_shifted(const MomentsView *view, const double *rows, const uint16_t *order, uint32_t count,
                         const ScatterScratch *scratch)
{
    uint32_t columns = view->columns;
    const double *restrict shift = scratch->shift;
    size_t ld = scratch->ld;

    for (uint32_t i = 0; i < count; i++) {
        const double *row = rows + (size_t)order[i] * view->width;
        double *restrict to = scratch->block + i * ld;
        for (uint32_t j = 0; j < columns; j++)
            to[j] = row[j] - shift[j];
        to[columns] = 1;
        for (size_t j = columns + 1; j < ld; j++)
            to[j] = 0;
    }
}

/* Appends the squares of the columns of each copied row, times the root of its weight. */
static void add_squares(uint32_t columns, uint32_t count, const ScatterScratch *scratch)
{
    for (uint32_t i = 0; i < count; i++) {
        double *row = scratch->block + i * scratch->ld, *squares = row + columns + 1;
        double root = row[columns]; /* the 1, weighted */
        for (uint32_t j = 0; j < columns; j++)
            squares[j] = row[j] * row[j] / root;
    }
}

/*
 * Adds a block to the sums of third and fourth order of a class, after both were moved to the common mean. The
 * cross-products of the class must not include the block yet. In scratch, mean is the block's minus its shift, and
 * difference that of the means of both parts.
 */
static void flush_fourth_moments(Env *env, MomentsView *view, uint32_t class, double before, double weight,
                                 const ScatterScratch *scratch)
{
    uint32_t p = view->columns;
    size_t ld = scratch->ld;
    double *thirds = view_f64(view, view->thirds) + class * thirds_size(p);
    double *fourth_moments = view_f64(view, view->fourth_moments) + class * factor_packed(p);
    double share = weight / (before + weight), *moved = scratch->shift, *sums = scratch->sums;
    PowerSums old = {before, NULL, view_f64(view, view->scatter) + class * factor_packed(p), thirds, fourth_moments};
    PowerSums block = {weight, sums, scratch->second, scratch->thirds, scratch->fourth_moments};

    if (before > 0) {
        for (uint32_t j = 0; j < p; j++)
            moved[j] = -share * scratch->difference[j];
        fourth_moments_shift(env, p, &old, moved, thirds, fourth_moments, false);
    }
    for (uint32_t j = 0; j < p; j++) {
        moved[j] = (1 - share) * scratch->difference[j] - scratch->mean[j];
        sums[j] = scratch->gram[j * ld + p];
    }
    for (uint32_t l = 0; l < p; l++)
        for (uint32_t j = 0; j <= l; j++) {
            scratch->second[factor_packed(l) + j] = scratch->gram[j * ld + l];
            scratch->fourth_moments[factor_packed(l) + j] = scratch->gram[(p + 1 + j) * ld + p + 1 + l];
            scratch->thirds[thirds_at(j, l)] = scratch->gram[l * ld + p + 1 + j];
            scratch->thirds[thirds_at(l, j)] = scratch->gram[j * ld + p + 1 + l];
        }
    fourth_moments_shift(env, p, &block, moved, thirds, fourth_moments, true);
}

/* Returns the weight of rows of one class. */
static double block_weight(const MomentsView *view, const double *rows, const uint16_t *order, uint32_t count)
{
    double weight = 0;

    if (!view->weighted)
        return count;
    for (uint32_t i = 0; i < count; i++)
        weight += rows[(size_t)order[i] * view->width + view->weight];
    return weight;
}

/*
 * Adds rows of one class to its means and cross-products. They are centered at the mean so far, or at their own mean if
 * they weigh more than the rows before, so that what cancels is at most the sum of squares between both parts, which
 * is in the result. The Gram matrix has their sums in the column of the appended 1.
 */
static void flush_class(Env *env, MomentsView *view, const ColumnMap *map, const double *rows,
                        const uint16_t *order, uint32_t count, uint32_t class,
                        const ScatterScratch *scratch)
{
    uint32_t columns = view->columns;
    size_t ld = scratch->ld, packed = factor_packed(columns);
    double *scatter = view_f64(view, view->scatter) + class * packed, *out = scatter;
    double *means = view_f64(view, view->means) + (size_t)class * columns;
    double *counts = view_f64(view, view->counts) + 2 * (size_t)class;
    double weight = block_weight(view, rows, order, count), before = counts[1], share, between;
    double *mean = scratch->mean, *difference = scratch->difference;

    if (view->origins != NULL)
        take_origins(view, map, rows, order, count, class);
    if (before >= weight)
        memcpy(scratch->shift, means, columns * sizeof(double));
    if (before >= weight && map == NULL && !view->weighted) {
        copy_shifted(view, rows, order, count, scratch);
    } else {
        copy_rows(view, map, view_origins(view, class), rows, order, count, scratch);
        if (before < weight)
            block_mean(view, rows, order, count, weight, scratch);
        shift_rows(view, rows, order, count, scratch);
    }
    if (view->fourth_moments != NULL)
        add_squares(columns, count, scratch);
    factor_gram(env, scratch->block, ld, count, scratch->gram);

    share = weight / (before + weight);
    between = before * share;
    for (uint32_t j = 0; j < columns; j++) {
        mean[j] = scratch->gram[j * ld + columns] / weight;
        difference[j] = scratch->shift[j] - means[j] + mean[j];
        means[j] = before > 0 ? means[j] + share * difference[j] : scratch->shift[j] + mean[j];
        if (before == 0)
            difference[j] = 0;
    }
    if (view->fourth_moments != NULL)
        flush_fourth_moments(env, view, class, before, weight, scratch);
    for (uint32_t j = 0; j < columns; j++) {
        double of_mean = -weight * mean[j], of_difference = between * difference[j];
        for (uint32_t i = 0; i <= j; i++)
            *out++ += scratch->gram[i * ld + j] +
                      (of_mean * mean[i] + of_difference * difference[i]);
        if (out[-1] < 0)
            out[-1] = 0;
    }
    counts[0] += count;
    counts[1] += weight;
    moments_require_finite(env, view, scatter, columns, class);
    if (view->fourth_moments != NULL)
        fourth_moments_require_finite(env, view, class);
}

/* Returns the number of a slot of a pending row, which is in this column, minus its origin; 0: NULL. */
static inline double number_of(const double *origins, uint32_t column, double value)
{
    if (value == NULL_MARK)
        return 0;
    return origins != NULL ? value - origins[column] : value;
}

/* Adds `share` times the numbers of a pending row to those of their columns. */
static void add_numbers(const MomentsView *view, const ColumnMap *map, const double *origins, const double *row,
                        double share, double *sums)
{
    for (uint32_t s = 0; s < view->state->slot_count; s++) {
        uint32_t column = map != NULL ? map->number[s] : s;
        if (column != NO_COLUMN)
            sums[column] += share * number_of(origins, column, row[s]);
    }
}

#define SIMD_FILE "core/moments/squares_simd.h"
#include "core/base/cpu_dispatch.h"

void moments_add_squares(const double *const *rows, const double *weights, uint32_t count, uint32_t columns, const double *shift, double *sums,
                         double *squares)
{
    SIMD_CALL(add_squares, rows, weights, count, columns, shift, sums, squares);
}

/* Adds the columns of a pending row that has a map, minus the shift, and their squares. Only columns of numbers have a shift. */
static void add_mapped_squares(const MomentsView *view, const ColumnMap *map, const double *origins, const double *row,
                               double weight, const double *restrict shift, double *restrict sums, double *restrict squares)
{
    for (uint32_t s = 0; s < view->state->slot_count; s++) {
        uint32_t column = map->number[s];
        if (column == NO_COLUMN || row[s] == NULL_MARK) {
            uint32_t indicator = column == NO_COLUMN ? map->level[(uint32_t)row[s]] : map->missing[s];
            sums[indicator] += weight;
            squares[indicator] += weight;
        }
        if (column != NO_COLUMN) {
            double value = number_of(origins, column, row[s]) - shift[column];
            sums[column] += weight * value;
            squares[column] += weight * value * value;
        }
    }
}

/*
 * Does what flush_class does for moments without products of two columns. A row adds to the columns of its own levels alone,
 * however many there are. room: [3 x columns].
 */
static void flush_squares(Env *env, MomentsView *view, const ColumnMap *map, const double *rows, const uint16_t *order,
                          uint32_t count, uint32_t class, double *room)
{
    uint32_t columns = view->columns;
    double *scatter = view_f64(view, view->scatter) + (size_t)class * columns;
    double *means = view_f64(view, view->means) + (size_t)class * columns;
    double *counts = view_f64(view, view->counts) + 2 * (size_t)class, *origins;
    double *shift = room, *sums = shift + columns, *squares = sums + columns, weights[SQUARES_TOGETHER];
    const double *few[SQUARES_TOGETHER];
    double weight = block_weight(view, rows, order, count), before = counts[1], share, between;

    if (view->origins != NULL)
        take_origins(view, map, rows, order, count, class);
    origins = view_origins(view, class);
    memset(room, 0, 3 * (size_t)columns * sizeof(double));
    for (uint32_t i = 0; i < count && before < weight; i++) {
        const double *row = rows + (size_t)order[i] * view->width;
        add_numbers(view, map, origins, row, (view->weighted ? row[view->weight] : 1) / weight, shift);
    }
    for (uint32_t s = 0; s < view->state->slot_count && before >= weight; s++) {
        uint32_t column = map != NULL ? map->number[s] : s;
        if (column != NO_COLUMN)
            shift[column] = means[column];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i % SQUARES_TOGETHER;
        const double *row = few[place] = rows + (size_t)order[i] * view->width;
        weights[place] = view->weighted ? row[view->weight] : 1;
        if (map != NULL)
            add_mapped_squares(view, map, origins, row, weights[place], shift, sums, squares);
        else if (place == SQUARES_TOGETHER - 1 || i == count - 1)
            moments_add_squares(few, weights, place + 1, columns, shift, sums, squares);
    }

    share = weight / (before + weight);
    between = before * share;
    for (uint32_t j = 0; j < columns; j++) {
        double mean = sums[j] / weight, difference = before > 0 ? shift[j] - means[j] + mean : 0;
        means[j] = before > 0 ? means[j] + share * difference : shift[j] + mean;
        scatter[j] += squares[j] - weight * mean * mean + between * difference * difference;
        if (scatter[j] < 0)
            scatter[j] = 0;
    }
    counts[0] += count;
    counts[1] += weight;
    moments_require_finite(env, view, scatter, columns, class);
}

/* Adds the rows of each class of a block to the moments of the class. */
static void flush_products(Env *env, MomentsView *view, const ColumnMap *map, const double *rows, uint32_t count, const ClassRows *split)
{
    double local[LOCAL_SCATTER] __attribute__((aligned(ENV_ALIGN)));
    uint32_t columns = view->columns;
    bool fourth = view->fourth_moments != NULL;
    size_t ld = factor_padded((fourth ? 2 : 1) * (size_t)columns + 1), numbers = (count + ld + 3) * ld;
    size_t behind = numbers;
    ScatterScratch scratch = {.ld = ld, .block = local};
    void *memory = NULL;

    if (fourth)
        numbers += columns + 2 * factor_packed(columns) + thirds_size(columns);
    if (numbers > LOCAL_SCATTER)
        scratch.block = env_aligned(env, numbers, &memory);
    scratch.gram = scratch.block + count * ld;
    scratch.shift = scratch.gram + ld * ld;
    scratch.mean = scratch.shift + ld;
    scratch.difference = scratch.mean + ld;
    scratch.sums = scratch.block + behind;
    scratch.second = scratch.sums + columns;
    scratch.thirds = scratch.second + factor_packed(columns);
    scratch.fourth_moments = scratch.thirds + thirds_size(columns);
    for (uint32_t c = 0; c < split->classes; c++)
        flush_class(env, view, map, rows, split->order + split->first[c],
                    (uint32_t)split->first[c + 1] - split->first[c], split->class[c], &scratch);
    if (memory != NULL)
        env->release(env, memory);
}

void moments_flush_classes(Env *env, MomentsView *view, const ColumnMap *map, const double *rows, uint32_t count)
{
    ClassRows split;
    double *room;

    split_classes(env, view, rows, count, &split);
    if (view->diagonal == NULL) {
        flush_products(env, view, map, rows, count, &split);
        return;
    }
    room = env_array_raw(env, 3 * (size_t)view->columns + 1, sizeof(double));
    for (uint32_t c = 0; c < split.classes; c++)
        flush_squares(env, view, map, rows, split.order + split.first[c],
                      (uint32_t)split.first[c + 1] - split.first[c], split.class[c], room);
    env->release(env, room);
}
