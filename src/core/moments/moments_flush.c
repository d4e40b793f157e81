/*
 * moments_flush.c - flushes pending rows into the means and the factor or cross-products.
 */
#include "core/moments/moments_flush.h"
#include "core/linalg/column_loops.h"

#include <string.h>

#define LOCAL_NUMBERS 2048 /* scratch on the stack */

/* Fills the map from the columns of a state. */
static void map_open(Env *env, const MomentsView *view, ColumnMap *map)
{
    uint32_t slots = view->state->slot_count;
    const int64_t *slot = view_i64(view, view->column_slot);
    const int64_t *level = view_i64(view, view->column_level);

    map->levels = dictionary_size(view->state, DICTIONARY_LEVELS);
    map->target = moments_target_column(view);
    map->number = env_array_raw(env, 3 * (size_t)slots + map->levels + 1, sizeof(uint32_t));
    map->missing = map->number + slots;
    map->level = map->missing + slots;
    map->candidates = map->level + map->levels;
    memset(map->number, 0xff, (2 * (size_t)slots + map->levels) * sizeof(uint32_t));
    for (uint32_t j = 0; j < view->columns; j++) {
        if (slot[j] < 0 || slot[j] >= slots)
            continue;
        if (level[j] == COLUMN_NUMBER)
            map->number[slot[j]] = j;
        else if (level[j] == COLUMN_MISSING)
            map->missing[slot[j]] = j;
        else if (level[j] >= 0 && level[j] < map->levels)
            map->level[level[j]] = j;
    }
    map->candidate_count = 0;
    for (uint32_t s = 0; s < slots; s++)
        if (map->number[s] == NO_COLUMN || (view->state->flags & MODEL_IMPUTE))
            map->candidates[map->candidate_count++] = s;
}

/* Returns where the map keeps the column that a slot of a pending row needs; NULL: that of a number, which always exists. */
static uint32_t *column_place(Env *env, const ColumnMap *map, uint32_t slot, double value)
{
    if (map->number[slot] != NO_COLUMN)
        return value == NULL_MARK ? &map->missing[slot] : NULL;
    if (!(value >= 0 && value < map->levels))
        env_fail(env, ERROR_CORRUPT, NULL, "a pending row names level %g of %u", value, map->levels);
    return &map->level[(uint32_t)value];
}

/* Appends a column for each level, and for the NULLs of each slot, that first appear in the pending rows. */
static Model *append_columns(Env *env, const Model *original, Model *state, MomentsView *view,
                             ColumnMap *map)
{
    uint32_t columns = view->columns, added = 0;
    const double *row = view_f64(view, view->pending);
    int64_t *new_slot = NULL, *new_level = NULL;
    size_t room = 0;

    for (uint32_t i = 0; i < state->pending_rows; i++, row += view->width) {
        for (uint32_t k = 0; k < map->candidate_count; k++) {
            uint32_t s = map->candidates[k], *place = column_place(env, map, s, row[s]);
            if (place == NULL || *place != NO_COLUMN)
                continue;
            if (added == room) {
                room = room * 2 + 16;
                new_slot = env->resize(env, new_slot, room * sizeof(int64_t));
                new_level = env->resize(env, new_level, room * sizeof(int64_t));
            }
            new_slot[added] = s;
            new_level[added] = map->number[s] != NO_COLUMN ? COLUMN_MISSING : (int64_t)row[s];
            *place = columns + added++; /* found from now on, so that it is appended once */
        }
    }
    if (added == 0)
        return state;
    state = moments_reshape(env, original, state, view, columns + added, view->classes);
    memcpy(view_i64(view, view->column_slot) + columns, new_slot, added * sizeof(int64_t));
    memcpy(view_i64(view, view->column_level) + columns, new_level, added * sizeof(int64_t));
    env->release(env, new_slot);
    env->release(env, new_level);
    return state;
}

/* The weights of a block of rows. */
typedef struct BlockWeights {
    double *weights, *roots; /* [rows] and their square roots; NULL: all weights are 1 */
    double total;
} BlockWeights;

/* Returns row i of a block: rows[order[i]], or rows[i] if order is NULL. */
static inline const double *row_at(const MomentsView *view, const double *rows, const uint32_t *order,
                                   uint32_t i)
{
    return rows + (size_t)(order != NULL ? order[i] : i) * view->width;
}

/* Reads the weights of a block. room: [2 ld] for the weights and their roots, each filled with zeros from count on. */
static void take_weights(const MomentsView *view, const double *rows, const uint32_t *order, uint32_t count,
                         double *room, size_t ld, BlockWeights *w)
{
    w->weights = w->roots = NULL;
    w->total = count;
    if (!view->weighted)
        return;
    w->weights = room;
    w->roots = room + ld;
    w->total = 0;
    for (uint32_t i = 0; i < count; i++) {
        double weight = row_at(view, rows, order, i)[view->weight];
        w->weights[i] = weight;
        w->roots[i] = sqrt(weight);
        w->total += weight;
    }
    for (size_t i = count; i < ld; i++)
        w->weights[i] = w->roots[i] = 0;
}

/*
 * Moves the means to those of the rows before and the block together, and writes the mean differences times
 * sqrt(n m / (n + m)). Returns false, without differences, if there were no rows before.
 */
static bool move_means(double *means, const double *block_means, uint32_t columns, double weight,
                       double block_weight, double *differences, size_t step)
{
    double all = weight + block_weight, share = block_weight / all;
    double scale = sqrt(weight * share);

    if (weight == 0) {
        memcpy(means, block_means, columns * sizeof(double));
        return false;
    }
    for (uint32_t j = 0; j < columns; j++) {
        double difference = block_means[j] - means[j];
        differences[j * step] = scale * difference;
        means[j] += share * difference;
    }
    return true;
}

/*
 * Makes the first number of each column its origin, unless a row before had one. What remains after subtracting it is no
 * larger than the differences between the numbers, so means and blocks lose no digits to a large offset.
 */
static void take_origins(const MomentsView *view, const ColumnMap *map, const double *rows, uint32_t count)
{
    double *origins = view_origins(view, 0);
    bool fresh = view->state->rows == count, impute = (view->state->flags & MODEL_IMPUTE) != 0;

    if (origins == NULL || (!fresh && !impute))
        return;
    if (map == NULL) { /* columns are in the order of a row */
        memcpy(origins, rows, view->columns * sizeof(double));
        return;
    }
    if (fresh)
        origins[map->target] = rows[view->target];
    for (uint32_t k = 0; fresh && k < view->further; k++)
        origins[map->target + 1 + k] = rows[moments_further_place(view, k)];
    for (uint32_t s = 0; s < view->state->slot_count; s++) {
        uint32_t column = map->number[s], i = 0;
        if (column == NO_COLUMN || (!fresh && !moments_column_unseen(view, column)))
            continue;
        while (i < count && rows[(size_t)i * view->width + s] == NULL_MARK)
            i++;
        if (i < count)
            origins[column] = rows[(size_t)i * view->width + s];
    }
}

/* Writes a column of a block: the number at `place` in each row minus an origin, then zeros up to ld. */
static inline void take_column(const MomentsView *view, const double *rows, const uint32_t *order, uint32_t count,
                               uint32_t place, double origin, double *column, size_t ld)
{
    const double *from = rows + place;

    if (order != NULL)
        for (uint32_t i = 0; i < count; i++)
            column[i] = from[(size_t)order[i] * view->width] - origin;
    else
        for (uint32_t i = 0; i < count; i++, from += view->width)
            column[i] = *from - origin;
    for (size_t i = count; i < ld; i++)
        column[i] = 0;
}

static inline double origin_of(const double *origins, uint32_t column)
{
    return origins != NULL ? origins[column] : 0;
}

/* Expands the rows of a block to columns: column j begins at out[j * ld]. */
static void expand_columns(const MomentsView *view, const ColumnMap *map, const double *rows, const uint32_t *order,
                           uint32_t count, double *out, size_t ld)
{
    const double *origins = view_origins(view, 0);

    memset(out, 0, ld * view->columns * sizeof(double));
    if (view->state->flags & MODEL_IMPUTE) {
        for (uint32_t i = 0; i < count; i++)
            column_map_expand(view, map, origins, row_at(view, rows, order, i), out + i, ld);
        return;
    }
    for (uint32_t s = 0; s < view->state->slot_count; s++) {
        if (map->number[s] != NO_COLUMN)
            take_column(view, rows, order, count, s, origin_of(origins, map->number[s]), out + map->number[s] * ld, ld);
        else
            for (uint32_t i = 0; i < count; i++)
                out[map->level[(uint32_t)row_at(view, rows, order, i)[s]] * ld + i] = 1;
    }
    take_column(view, rows, order, count, view->target, origin_of(origins, map->target), out + map->target * ld, ld);
    for (uint32_t k = 0; k < view->further; k++)
        take_column(view, rows, order, count, moments_further_place(view, k), origin_of(origins, map->target + 1 + k),
                    out + (map->target + 1 + k) * ld, ld);
}

/* Adds a block of few columns, stored column by column, to the means and the factor of a part: a fold, or 0. */
static void flush_narrow(Env *env, MomentsView *view, const ColumnMap *map, const double *rows,
                         const uint32_t *order, uint32_t count, uint32_t part)
{
    double local[LOCAL_NUMBERS] __attribute__((aligned(ENV_ALIGN)));
    uint32_t columns = view->columns;
    size_t ld = factor_padded(count + 1), numbers = ld * (columns + 2) + columns;
    double *block = local, *means, *counts = view_f64(view, view->counts) + 2 * (size_t)part;
    double *factor = view_f64(view, view->factor) + part * factor_packed(columns);
    double *own = view_f64(view, view->means) + (size_t)part * columns;
    const double *origins = view_origins(view, 0);
    void *memory = NULL;
    BlockWeights w;

    if (numbers > LOCAL_NUMBERS)
        block = env_aligned(env, numbers, &memory);
    means = block + ld * (columns + 2);
    take_weights(view, rows, order, count, block + ld * columns, ld, &w);
    if (map != NULL)
        expand_columns(view, map, rows, order, count, block, ld);
    else
        for (uint32_t j = 0; j < columns; j++)
            take_column(view, rows, order, count, j, origin_of(origins, j), block + j * ld, ld);
    factor_center(block, ld, count, columns, w.weights, w.roots, w.total, means);
    if (move_means(own, means, columns, counts[1], w.total, block + count, ld))
        factor_update(env, factor, columns, block, ld, count + 1, false);
    else
        factor_update(env, factor, columns, block, ld, count, false);
    counts[0] += count;
    counts[1] += w.total;
    if (memory != NULL)
        env->release(env, memory);
    moments_require_finite(env, view, factor, columns, part);
}

/*
 * Marks the last level of each categorical field. Every level in the block has a column, so that the indicators of a
 * field sum to 1 in each row, and to 0 after centering: the pivot of the last one is known to be zero.
 */
static void mark_dependent(const MomentsView *view, const double *gram, size_t ld,
                           uint8_t *dependent)
{
    const int64_t *slot = view_i64(view, view->column_slot);
    const int64_t *level = view_i64(view, view->column_level);

    memset(dependent, 0, view->columns);
    for (uint32_t j = view->columns; j-- > 0;) {
        bool later = false;
        if (level[j] < 0 || gram[j * ld + j] == 0)
            continue;
        for (uint32_t k = j + 1; k < view->columns && !later; k++)
            later = level[k] >= 0 && slot[k] == slot[j] && gram[k * ld + k] != 0;
        dependent[j] = !later;
    }
}

/* Tells whether a column is 0 in the Gram matrix but not in the block, because its numbers are too small to square. */
static bool squares_vanish(const double *gram, const double *block, size_t ld, uint32_t rows,
                           uint32_t columns)
{
    for (uint32_t j = 0; j < columns; j++) {
        if (gram[j * ld + j] != 0)
            continue;
        for (uint32_t i = 0; i < rows; i++)
            if (block[i * ld + j] != 0)
                return true;
    }
    return false;
}

/* Copies rows as columns of the moments, less the origins, to a block of rows of ld numbers. */
static void load_block(const MomentsView *view, const ColumnMap *map, const double *rows, const uint32_t *order, uint32_t count, double *block, size_t ld)
{
    const double *origins = view_origins(view, 0);

    for (uint32_t i = 0; i < count; i++) {
        const double *row = row_at(view, rows, order, i);
        double *to = block + i * ld;

        uint32_t filled = map != NULL ? 0 : view->columns; /* a map leaves what is 0 */

        memset(to + filled, 0, (ld - filled) * sizeof(double));
        if (map != NULL) {
            column_map_expand(view, map, origins, row, to, 1);
            continue;
        }
        memcpy(to, row, view->columns * sizeof(double));
        if (origins != NULL)
            column_subtract(to, origins, 1, view->columns);
    }
}

/* Reduces a centered block to the triangle of its cross-products, scaled. Returns false where that would lose digits. */
static bool reduce_block(Env *env, const MomentsView *view, bool mapped, const double *block, size_t ld, uint32_t count, double *gram, double *scales)
{
    uint8_t *dependent = NULL;
    bool reduced;

    factor_gram(env, block, ld, count, gram);
    if (mapped) {
        dependent = env_array(env, view->columns, 1);
        mark_dependent(view, gram, ld, dependent);
    }
    reduced = !squares_vanish(gram, block, ld, count, view->columns) &&
              factor_cholesky(env, gram, ld, view->columns, dependent, GRAM_CONDITION, scales);
    if (dependent != NULL)
        env->release(env, dependent);
    return reduced;
}

void moments_fold_products(Env *env, const MomentsView *view)
{
    if (!factor_products_fold(env, view_f64(view, view->factor), view_f64(view, view->products), view->columns))
        env_fail(env, ERROR_CORRUPT, NULL, "the products of the moments are not those of rows");
}

/* Adds the Gram matrix of a centered block to the products. Returns false, and folds them, where the block would lose digits. */
static bool add_products(Env *env, const MomentsView *view, const double *block, size_t ld, uint32_t count, const BlockWeights *w, const double *means,
                         double *gram, double *differences)
{
    double *own = view_f64(view, view->means), *counts = view_f64(view, view->counts), *products = view_f64(view, view->products);
    double *factor = view_f64(view, view->factor), share = w->total / (counts[1] + w->total), scale = sqrt(counts[1] * share);
    bool added;

    factor_gram(env, block, ld, count, gram);
    for (uint32_t j = 0; j < view->columns; j++)
        differences[j] = scale * (means[j] - own[j]);
    if (squares_vanish(gram, block, ld, count, view->columns)) {
        moments_fold_products(env, view);
        return false;
    }
    added = factor_products_add(factor, products, view->columns, gram, ld, differences);
    if (!added) { /* beside what the products have become, the block may be small */
        moments_fold_products(env, view);
        added = factor_condition_below(env, factor, view->columns, GRAM_CONDITION) &&
                factor_products_add(factor, products, view->columns, gram, ld, differences);
    }
    if (!added)
        return false;
    move_means(own, means, view->columns, counts[1], w->total, differences, 1);
    counts[0] += count;
    counts[1] += w->total;
    moments_require_finite(env, view, products, view->columns, 0);
    return true;
}

/* Adds a block of many columns to a part: via the Gram matrix of the block if that is safe, otherwise by reflections. */
static void flush_wide(Env *env, MomentsView *view, const ColumnMap *map, const double *rows,
                       const uint32_t *order, uint32_t count, uint32_t part)
{
    uint32_t columns = view->columns;
    size_t ld = factor_padded(columns), tall = factor_padded(count + 1);
    size_t staircase = factor_padded(columns + 1);
    bool small = count <= columns && view->products == NULL, moved, reduced;
    size_t filled = 4 * ld + 2 * tall, numbers = count * ld + filled + (small ? 0 : ld * ld);
    double *block, *means, *spare, *gram, *stack, *scales;
    double *counts = view_f64(view, view->counts) + 2 * (size_t)part;
    double *factor = view_f64(view, view->factor) + part * factor_packed(columns);
    double *own = view_f64(view, view->means) + (size_t)part * columns;
    void *memory, *stack_memory;
    BlockWeights w;

    block = env_aligned_raw(env, numbers, &memory);
    memset(block + count * ld, 0, filled * sizeof(double));
    means = block + count * ld;
    spare = means + ld;
    scales = spare + ld; /* 2 ld */
    gram = scales + 2 * ld + 2 * tall;
    take_weights(view, rows, order, count, scales + 2 * ld, tall, &w);
    load_block(view, map, rows, order, count, block, ld);
    factor_center_rows(block, ld, count, w.weights, w.roots, w.total, means, spare);
    if (view->products != NULL && add_products(env, view, block, ld, count, &w, means, gram, spare)) {
        env->release(env, memory);
        return;
    }
    reduced = !small && reduce_block(env, view, map != NULL, block, ld, count, gram, scales);
    if (reduced) {
        stack = env_aligned(env, staircase * columns, &stack_memory);
        moved = move_means(own, means, columns, counts[1], w.total, stack, staircase);
        for (uint32_t i = 0; i < columns; i++)
            for (uint32_t j = i; j < columns; j++)
                stack[j * staircase + i + 1] = gram[i * ld + j] * scales[j];
        if (moved) {
            factor_update(env, factor, columns, stack, staircase, columns + 1, true);
        } else {
            double *out = factor;
            for (uint32_t j = 0; j < columns; j++)
                for (uint32_t i = 0; i <= j; i++)
                    *out++ = stack[j * staircase + i + 1];
        }
    } else {
        stack = env_aligned(env, tall * columns, &stack_memory);
        for (uint32_t j = 0; j < columns; j += FACTOR_LANES) {
            uint32_t end = columns - j < FACTOR_LANES ? columns : j + FACTOR_LANES;
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t k = j; k < end; k++)
                    stack[k * tall + i] = block[i * ld + k];
        }
        moved = move_means(own, means, columns, counts[1], w.total, stack + count, tall);
        factor_update(env, factor, columns, stack, tall, count + moved, false);
    }
    counts[0] += count;
    counts[1] += w.total;
    env->release(env, stack_memory);
    env->release(env, memory);
    moments_require_finite(env, view, factor, columns, part);
}

/* Makes room for all classes of the dictionary. Fails with ERROR_CORRUPT if a pending row names none of them. */
static Model *append_classes(Env *env, const Model *original, Model *state, MomentsView *view)
{
    uint32_t classes = dictionary_size(state, DICTIONARY_CLASSES);
    const double *class = view_f64(view, view->pending) + view->target;

    for (uint32_t i = 0; i < state->pending_rows; i++, class += view->width)
        if (!(*class >= 0 && *class < classes && *class == (uint32_t)*class))
            env_fail(env, ERROR_CORRUPT, NULL, "a pending row names class %g of %u", *class, classes);
    if (classes > view->classes)
        state = moments_reshape(env, original, state, view, view->columns, classes);
    return state;
}

/* Adds rows, block by block, to the factor of a part or to the cross-products of their classes. order: as in row_at. */
static void flush_part(Env *env, MomentsView *view, const ColumnMap *map, const double *rows,
                       const uint32_t *order, uint32_t count, uint32_t part)
{
    bool sums = view->state->kind == MODEL_MOMENTS, narrow = view->columns < GRAM_COLUMNS && sums;
    uint32_t step = narrow ? NARROW_ROWS : sums && order == NULL && view->columns >= GATHER_COLUMNS ? count : WIDE_ROWS, block;

    for (uint32_t i = 0; i < count; i += block) {
        const double *from = order != NULL ? rows : rows + (size_t)i * view->width;
        const uint32_t *chosen = order != NULL ? order + i : NULL;
        block = count - i < step ? count - i : step;
        if (view->state->kind != MODEL_MOMENTS)
            moments_flush_classes(env, view, map, from, block);
        else if (narrow)
            flush_narrow(env, view, map, from, chosen, block, part);
        else
            flush_wide(env, view, map, from, chosen, block, part);
    }
}

/* Pending rows grouped by fold: those of fold g are order[first[g]] .. order[first[g + 1] - 1]. */
typedef struct FoldRows {
    uint32_t *order;
    uint32_t *first; /* [folds + 1] */
} FoldRows;

#define NEAR_LABELS 256 /* smaller labels are looked up in a table */

/*
 * Writes the index of each pending row's fold to `of`. Folds that the state does not have yet get the next indexes, and
 * their labels are written to `labels`. Returns the number of new labels, at most FOLDS_MAX + 1.
 */
static uint32_t name_folds(const MomentsView *view, uint16_t *of, double *labels)
{
    const double *known = view_f64(view, view->fold_labels);
    const double *label = view_f64(view, view->pending) + view->width - 1;
    uint16_t near[NEAR_LABELS] = {0}; /* index of a label, from 1 */
    uint32_t added = 0;

    for (uint32_t g = 0; g < view->classes; g++)
        if (known[g] >= 0 && known[g] < NEAR_LABELS)
            near[(uint32_t)known[g]] = (uint16_t)(g + 1);
    for (uint32_t i = 0; i < view->state->pending_rows && added <= FOLDS_MAX; i++, label += view->width) {
        bool close = *label >= 0 && *label < NEAR_LABELS;
        uint32_t place, k = 0;
        if (close && near[(uint32_t)*label] > 0) {
            of[i] = (uint16_t)(near[(uint32_t)*label] - 1);
            continue;
        }
        place = moments_find_fold(view, *label);
        if (place == view->classes) {
            while (k < added && labels[k] != *label)
                k++;
            if (k == added)
                labels[added++] = *label;
            place += k;
        }
        if (close)
            near[(uint32_t)*label] = (uint16_t)(place + 1);
        of[i] = (uint16_t)place;
    }
    return added;
}

/* Groups the pending rows by fold, and adds folds that first appear in them. */
static Model *split_folds(Env *env, const Model *original, Model *state, MomentsView *view, FoldRows *split)
{
    uint32_t count = state->pending_rows, before = view->classes, added;
    double *labels = env_array_raw(env, FOLDS_MAX + 1, sizeof(double));
    uint16_t *of;

    of = env_array_raw(env, count, sizeof(uint16_t));
    added = name_folds(view, of, labels);
    if (added > 0) {
        state = moments_add_folds(env, original, state, view, added);
        memcpy(view_f64(view, view->fold_labels) + before, labels, added * sizeof(double));
    }
    env->release(env, labels);
    split->order = env_array_raw(env, count, sizeof(uint32_t));
    split->first = env_array(env, (size_t)view->classes + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++)
        split->first[of[i] + 1]++;
    for (uint32_t g = 0; g < view->classes; g++)
        split->first[g + 1] += split->first[g];
    for (uint32_t i = count; i-- > 0;)
        split->order[--split->first[of[i] + 1]] = i;
    /* first[g + 1] has moved to the beginning of fold g */
    memmove(split->first, split->first + 1, view->classes * sizeof(uint32_t));
    split->first[view->classes] = count;
    env->release(env, of);
    return state;
}

Model *moments_flush_pending(Env *env, const Model *original, Model *state)
{
    MomentsView view;
    ColumnMap map;
    FoldRows split = {NULL, NULL};
    const double *rows;
    bool mapped;

    if (state->pending_rows == 0)
        return state;
    moments_open(env, state, &view);
    if (view.deferred != NULL)
        return state;
    if (state->kind == MODEL_CLASS_MOMENTS)
        state = append_classes(env, original, state, &view);
    if (view.folded)
        state = split_folds(env, original, state, &view, &split);
    mapped = view.column_slot != NULL;
    if (mapped) {
        map_open(env, &view, &map);
        state = append_columns(env, original, state, &view, &map);
    }
    rows = view_f64(&view, view.pending);
    if (state->kind == MODEL_MOMENTS)
        take_origins(&view, mapped ? &map : NULL, rows, state->pending_rows);
    if (view.weighted) {
        const double *weight = rows + view.weight;
        double *totals = view_f64(&view, view.totals);
        for (uint32_t i = 0; i < state->pending_rows; i++, weight += view.width)
            totals[0] += log(*weight);
    }
    if (view.folded) {
        for (uint32_t g = 0; g < view.classes; g++)
            flush_part(env, &view, mapped ? &map : NULL, rows, split.order + split.first[g],
                       split.first[g + 1] - split.first[g], g);
        env->release(env, split.order);
        env->release(env, split.first);
    } else {
        flush_part(env, &view, mapped ? &map : NULL, rows, NULL, state->pending_rows, 0);
    }
    if (mapped)
        env->release(env, map.number);
    state = moments_keep_pending(env, original, state, &view);
    state->pending_rows = 0;
    if (state->flushes < UINT32_MAX)
        state->flushes++;
    return state;
}
