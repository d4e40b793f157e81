/*
 * tree_columns.c - turns rows into columns of ranks: each column is sorted once, by radix.
 */
#include "core/tree_growth/tree_columns.h"
#include "core/base/number_order.h"
#include "core/base/radix_sort.h"
#include "core/base/random.h"
#include "core/math/carried_sum.h"
#include "core/rows/row_design.h"
#include "core/tree_value/tree_levels.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COLUMNS_TOGETHER 8 /* columns that one pass over the rows collects */
#define POLL_ROWS 65536
#define TREE_MAX_ROWS 2147483646u
#define TINY_TARGET 0x1p-60 /* smaller targets are scaled: their squares could vanish */

/* ---- one column ---- */

/* Ranks the sorted numbers, and keeps the distinct ones. */
static void rank_numbers(Env *env, TreeColumn *column, const uint64_t *keys, const uint32_t *rows, uint32_t count)
{
    uint32_t distinct = 0;

    for (uint32_t i = 0; i < count; i++)
        distinct += i == 0 || keys[i] != keys[i - 1];
    column->values = env_array_raw(env, (size_t)distinct + 1, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || keys[i] != keys[i - 1])
            column->values[column->ranks++] = number_of_key(keys[i]);
        column->rank[rows[i]] = column->ranks - 1;
        if (i % POLL_ROWS == 0)
            env->poll(env);
    }
}

static void make_numbers(Env *env, TreeColumn *column, const double *x, uint32_t rows, RadixRoom *room, bool keep_order)
{
    uint32_t count = 0;
    int at;

    for (uint32_t i = 0; i < rows; i++) {
        if (isnan(x[i])) {
            column->rank[i] = TREE_MISSING;
            continue;
        }
        room->keys[0][count] = number_key(x[i]);
        room->rows[0][count++] = i;
    }
    column->missing = rows - count;
    at = radix_sort(env, room, count);
    rank_numbers(env, column, room->keys[at], room->rows[at], count);
    if (keep_order) {
        column->order = env_array_raw(env, (size_t)count + 1, sizeof(uint32_t));
        env_copy(env, column->order, room->rows[at], count * sizeof(uint32_t));
    }
}

/* final: running position of a level -> final one. */
static void make_category(Env *env, TreeColumn *column, const double *x, uint32_t rows, const uint32_t *final,
                          bool keep_order)
{
    uint32_t *place = env_array(env, (size_t)column->ranks + 2, sizeof(uint32_t));

    for (uint32_t i = 0; i < rows; i++) {
        if (isnan(x[i])) {
            column->rank[i] = TREE_MISSING;
            column->missing++;
            continue;
        }
        column->rank[i] = final[(uint32_t)x[i]] - column->first_level;
        place[column->rank[i] + 1]++;
    }
    if (!keep_order)
        return;
    column->order = env_array_raw(env, (size_t)rows - column->missing + 1, sizeof(uint32_t));
    for (uint32_t r = 0; r < column->ranks; r++)
        place[r + 1] += place[r];
    for (uint32_t i = 0; i < rows; i++)
        if (column->rank[i] != TREE_MISSING)
            column->order[place[column->rank[i]]++] = i;
}

/* ---- the order of the rows ---- */

typedef struct Loader {
    Rows *rows;
    RowDesign *design;
    TreeColumns *columns;
    uint32_t *place; /* [rows] in the order of arrival -> number; NULL: the same */
} Loader;

void tree_hash_rows(Env *env, Rows *rows, const RowDesign *design, bool ones, uint64_t *hashes)
{
    TreeLevels levels = tree_levels(env, rows_schema(rows));
    uint32_t slots = rows_slots(rows);
    double *row = env_array(env, (size_t)slots + 2, sizeof(double));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t n = slots;

            memcpy(row, block.slots + (size_t)i * slots, slots * sizeof(double));
            for (uint32_t s = 0; s < slots; s++)
                if (isnan(row[s]))
                    row[s] = -INFINITY;
                else if (levels.category[s])
                    row[s] = design->level_final[(uint32_t)row[s]];
            if (block.targets != NULL)
                row[n++] = design->classes > 0 ? design->class_final[(uint32_t)block.targets[i]] : block.targets[i];
            if (block.weights != NULL || ones)
                row[n++] = row_weight(block.weights, i);
            hashes[block.first + i] = rows_hash(0, row, n);
        }
    rows_reader_free(reader);
}

/*
 * Orders the rows by hash. Rows of equal hash are taken to be equal: two different ones among a billion have one with a
 * probability of 3 percent, and then only their order would depend on that of arrival.
 */
static void order_by_content(Env *env, Loader *loader, RadixRoom *room)
{
    TreeColumns *columns = loader->columns;
    int at;

    tree_hash_rows(env, loader->rows, loader->design, false, room->keys[0]);
    for (uint32_t i = 0; i < columns->rows; i++)
        room->rows[0][i] = i;
    at = radix_sort(env, room, columns->rows);
    columns->numbers = env_array_raw(env, columns->rows, sizeof(uint32_t));
    loader->place = env_array_raw(env, columns->rows, sizeof(uint32_t));
    env_copy(env, columns->numbers, room->rows[at], columns->rows * sizeof(uint32_t));
    for (uint32_t i = 0; i < columns->rows; i++)
        loader->place[columns->numbers[i]] = i;
}

/* ---- loading ---- */

/* Collects `count` columns from `first` on into x, column after column. */
static void collect(Env *env, const Loader *loader, uint32_t first, uint32_t count, double *x)
{
    uint32_t rows = loader->columns->rows, slots = loader->columns->slots;
    RowsReader *reader = rows_reader(env, loader->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * slots + first;
            size_t at = loader->place != NULL ? loader->place[block.first + i] : block.first + i;

            for (uint32_t c = 0; c < count; c++)
                x[c * (size_t)rows + at] = row[c];
        }
    rows_reader_free(reader);
}

/* Returns the sum of the weights of all rows. */
static double sum_weights(const TreeColumns *columns)
{
    CarriedSum sum = {0, 0};

    if (columns->weights == NULL)
        return columns->rows;
    for (uint32_t i = 0; i < columns->rows; i++)
        carried_add(&sum, columns->weights[i]);
    return carried_value(&sum);
}

/* Loads targets or classes, and weights. */
static void load_targets(Env *env, const Loader *loader)
{
    TreeColumns *columns = loader->columns;
    unsigned contents = rows_contents(loader->rows);
    RowsReader *reader;
    RowsBlock block;

    if (contents & ROWS_TARGET && columns->class_count > 0)
        columns->classes = env_array_raw(env, columns->rows, sizeof(uint32_t));
    else if (contents & ROWS_TARGET)
        columns->targets = env_array_raw(env, columns->rows, sizeof(double));
    if (contents & ROWS_WEIGHT)
        columns->weights = env_array_raw(env, columns->rows, sizeof(double));
    reader = rows_reader(env, loader->rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            size_t at = loader->place != NULL ? loader->place[block.first + i] : block.first + i;

            if (columns->classes != NULL)
                columns->classes[at] = loader->design->class_final[(uint32_t)block.targets[i]];
            if (columns->targets != NULL)
                columns->targets[at] = block.targets[i];
            if (columns->weights != NULL)
                columns->weights[at] = block.weights[i];
        }
    rows_reader_free(reader);
    columns->weight = sum_weights(columns);
}

void tree_require_poisson(const TreeColumns *columns)
{
    double sum = 0;

    for (uint32_t i = 0; i < columns->rows; i++) {
        if (columns->targets[i] < 0)
            env_fail(columns->env, ERROR_DATA, "Use \"criterion\": \"mse\", or fit rows whose target is at least 0.",
                     "criterion poisson needs targets of at least 0, but one is %g", columns->targets[i]);
        sum += columns->targets[i];
    }
    if (sum == 0)
        env_fail(columns->env, ERROR_DATA, "Use \"criterion\": \"mse\".", "criterion poisson needs a target above 0");
}

double *tree_class_totals(Env *env, const uint32_t *labels, const double *weights, uint32_t rows, uint32_t classes)
{
    CarriedSum *sums = env_array(env, (size_t)classes + 1, sizeof(CarriedSum));
    double *totals = env_array(env, (size_t)classes + 1, sizeof(double));

    for (uint32_t i = 0; i < rows; i++)
        carried_add(&sums[labels[i]], row_weight(weights, i));
    for (uint32_t k = 0; k < classes; k++)
        totals[k] = carried_value(&sums[k]);
    return totals;
}

double *tree_weigh_classes(Env *env, const Options *options, const ClassSet *classes, const uint32_t *labels, double *weights,
                           uint32_t rows)
{
    double *factors = class_weights(classes, options, tree_class_totals(env, labels, weights, rows, classes->count)), *weighed;

    if (factors == NULL)
        return weights;
    weighed = env_array_raw(env, rows, sizeof(double));
    for (uint32_t i = 0; i < rows; i++)
        weighed[i] = row_weight(weights, i) * factors[labels[i]];
    return weighed;
}

uint32_t tree_most_levels(const TreeColumns *columns)
{
    uint32_t most = 0;

    for (uint32_t s = 0; s < columns->slots; s++)
        if (columns->columns[s].category && columns->columns[s].ranks > most)
            most = columns->columns[s].ranks;
    return most;
}

void tree_columns_scale(TreeColumns *columns)
{
    double largest = 0;
    int exponent;

    columns->unit = 1;
    if (columns->targets == NULL)
        return;
    for (uint32_t i = 0; i < columns->rows; i++)
        largest = fabs(columns->targets[i]) > largest ? fabs(columns->targets[i]) : largest;
    if (!(largest > 0 && largest < TINY_TARGET))
        return;
    frexp(largest, &exponent);
    columns->unit = ldexp(1, exponent < DBL_MIN_EXP ? DBL_MIN_EXP : exponent);
    for (uint32_t i = 0; i < columns->rows; i++)
        columns->targets[i] /= columns->unit;
}

/* Returns the bytes of the budget that are left. Fails if the columns and what is allocated to make them exceed it. */
static uint64_t require_room(Env *env, uint64_t rows, uint32_t slots, unsigned what, size_t room, const char *method)
{
    uint32_t together = slots < COLUMNS_TOGETHER ? slots : COLUMNS_TOGETHER;
    double per_row = (double)slots * (4 + (what & TREE_ORDER ? 4 : 0) + (what & TREE_VALUES ? 8 : 0)) + 24 + (what & TREE_BY_CONTENT ? 8 : 0);
    double work = (double)together * 8 + 24, distinct = (double)slots * 8, needed;

    if (rows > TREE_MAX_ROWS)
        env_fail(env, ERROR_LIMIT, "Fit a sample of the rows.", "%s takes at most %u rows, not %llu", method,
                 TREE_MAX_ROWS, (unsigned long long)rows);
    if (what & TREE_UNRANKED) {
        per_row -= (double)slots * 4;
        work = 24;
    }
    /* distinct numbers, or by_row, at worst as many as rows; what sorting takes is given back before room is used */
    needed = (double)rows * (per_row + distinct + (work > (double)room ? work : (double)room));
    env_require_memory(env, (size_t)fmin(needed, (double)SIZE_MAX / 2), method);
    return env->memory_limit - (uint64_t)needed;
}

static void make_column(Env *env, const Loader *loader, uint32_t slot, const TreeLevels *levels, const double *x, RadixRoom *room,
                        unsigned what)
{
    bool keep_order = (what & TREE_ORDER) != 0;
    TreeColumn *column = &loader->columns->columns[slot];
    uint32_t rows = loader->columns->rows;

    column->rank = env_array_raw(env, rows, sizeof(uint32_t));
    column->category = levels->category[slot];
    if (!column->category) {
        make_numbers(env, column, x, rows, room, keep_order);
        if (!(what & TREE_VALUES))
            return;
        column->by_row = env_array_raw(env, rows, sizeof(double));
        for (uint32_t i = 0; i < rows; i++)
            column->by_row[i] = x[i] + 0.0; /* -0 as 0 */
        return;
    }
    column->first_level = levels->first[slot];
    column->ranks = levels->count[slot];
    make_category(env, column, x, rows, loader->design->level_final, keep_order);
}

/* Collects the columns without ranks, in the order of arrival. */
static void collect_unranked(Env *env, const Loader *loader, const TreeLevels *levels)
{
    uint32_t slots = loader->columns->slots;
    RowsReader *reader = rows_reader(env, loader->rows);
    RowsBlock block;

    for (uint32_t s = 0; s < slots; s++) {
        TreeColumn *column = &loader->columns->columns[s];

        *column = (TreeColumn){.category = levels->category[s], .first_level = levels->first[s], .ranks = levels->count[s]};
        if (column->category)
            column->rank = env_array_raw(env, loader->columns->rows, sizeof(uint32_t));
        else
            column->by_row = env_array_raw(env, loader->columns->rows, sizeof(double));
    }
    while (rows_next_block(reader, &block))
        for (uint32_t s = 0; s < slots; s++) {
            TreeColumn *column = &loader->columns->columns[s];
            const double *x = block.slots + s;

            for (uint32_t i = 0; !column->category && i < block.count; i++)
                column->by_row[block.first + i] = x[(size_t)i * slots] + 0.0; /* -0 as 0 */
            for (uint32_t i = 0; column->category && i < block.count; i++) {
                double level = x[(size_t)i * slots];

                column->rank[block.first + i] =
                    isnan(level) ? TREE_MISSING : loader->design->level_final[(uint32_t)level] - column->first_level;
            }
        }
    rows_reader_free(reader);
}

static RadixRoom sort_room(Env *env, uint32_t rows)
{
    RadixRoom room;

    for (int i = 0; i < 2; i++) {
        room.keys[i] = env_array_raw(env, rows, sizeof(uint64_t));
        room.rows[i] = env_array_raw(env, rows, sizeof(uint32_t));
    }
    return room;
}

static void sort_room_free(Env *env, RadixRoom *room)
{
    for (int i = 0; i < 2; i++) {
        env->release(env, room->keys[i]);
        env->release(env, room->rows[i]);
    }
}

/* Collects the columns, and sorts each to rank its values. */
static void rank_columns(Env *env, const Loader *loader, const TreeLevels *levels, RadixRoom *sort, unsigned what)
{
    TreeColumns *columns = loader->columns;
    uint32_t together = columns->slots < COLUMNS_TOGETHER ? columns->slots : COLUMNS_TOGETHER;
    double *x = env_array_raw(env, columns->rows, (size_t)together * sizeof(double));

    for (uint32_t first = 0; first < columns->slots; first += together) {
        uint32_t count = columns->slots - first < together ? columns->slots - first : together;

        collect(env, loader, first, count, x);
        for (uint32_t c = 0; c < count; c++) {
            env->progress(env, "sorting features", first + c, columns->slots, NAN);
            make_column(env, loader, first + c, levels, x + c * (size_t)columns->rows, sort, what);
        }
    }
    env->release(env, x);
}

TreeColumns *tree_columns(Env *env, Rows *rows, unsigned what, size_t room, const char *method)
{
    TreeColumns *columns = env_array(env, 1, sizeof(TreeColumns));
    Loader loader = {.rows = rows, .columns = columns};
    TreeLevels levels = tree_levels(env, rows_schema(rows));
    RadixRoom sort;

    columns->spare = require_room(env, rows_count(rows), rows_slots(rows), what, room, method);
    loader.design = row_design(env, rows, DESIGN_SLOTS, method);
    columns->env = env;
    columns->rows = (uint32_t)rows_count(rows);
    columns->slots = rows_slots(rows);
    columns->class_count = loader.design->classes;
    columns->columns = env_array(env, (size_t)columns->slots + 1, sizeof(TreeColumn));
    sort = sort_room(env, columns->rows);
    if (what & TREE_BY_CONTENT)
        order_by_content(env, &loader, &sort);
    if (!(what & TREE_UNRANKED))
        rank_columns(env, &loader, &levels, &sort, what);
    sort_room_free(env, &sort);
    if (what & TREE_UNRANKED)
        collect_unranked(env, &loader, &levels);
    load_targets(env, &loader);
    return columns;
}

/* Describes the bins as columns of ranks. */
static void describe_bins(TreeColumns *columns)
{
    for (uint32_t slot = 0; slot < columns->slots; slot++) {
        const BinnedFeature *feature = &columns->binned->feature[slot];
        TreeColumn *column = &columns->columns[slot];

        *column = (TreeColumn){.category = feature->categorical,
                               .ranks = feature->categorical ? feature->levels : feature->bins,
                               .first_level = feature->first_level,
                               .values = feature->high};
    }
}

TreeColumns *tree_columns_binned(Env *env, Rows *rows, unsigned what, size_t room, uint64_t bytes, const char *method)
{
    TreeColumns *columns = env_array(env, 1, sizeof(TreeColumns));
    Loader loader = {.rows = rows, .columns = columns};
    uint64_t count = rows_count(rows);
    bool by_content = (what & TREE_BY_CONTENT) != 0;

    bytes += count * (room + TREE_TARGET_BYTES + (by_content ? 8 : 0));
    env_require_memory(env, by_content ? count * 32 : 0, method);
    loader.design = row_design(env, rows, DESIGN_SLOTS, method);
    columns->env = env;
    columns->rows = (uint32_t)count;
    columns->slots = rows_slots(rows);
    columns->class_count = loader.design->classes;
    columns->columns = env_array(env, (size_t)columns->slots + 1, sizeof(TreeColumn));
    if (by_content && count <= TREE_MAX_ROWS) {
        RadixRoom sort = sort_room(env, columns->rows);

        order_by_content(env, &loader, &sort);
        sort_room_free(env, &sort);
    }
    columns->binned = binned_columns_load(env, rows, loader.place, bytes, method);
    columns->spare = columns->binned->spare;
    describe_bins(columns);
    load_targets(env, &loader);
    return columns;
}

void tree_columns_pack(Pack *pack, TreeColumns *columns)
{
    pack_value(pack, columns, sizeof *columns);
    columns->env = pack->env;
    pack_structures(pack, &columns->columns, columns->slots, sizeof(TreeColumn));
    for (uint32_t j = 0; j < columns->slots; j++) {
        TreeColumn *column = &columns->columns[j];

        pack_array(pack, &column->values, column->ranks, sizeof(double));
        pack_array(pack, &column->rank, columns->rows, sizeof(uint32_t));
        pack_array(pack, &column->by_row, columns->rows, sizeof(double));
        pack_array(pack, &column->order, columns->rows - column->missing, sizeof(uint32_t));
    }
    pack_array(pack, &columns->targets, columns->rows, sizeof(double));
    pack_array(pack, &columns->classes, columns->rows, sizeof(uint32_t));
    pack_array(pack, &columns->weights, columns->rows, sizeof(double));
    columns->numbers = pack->mode == PACK_OPEN ? NULL : columns->numbers; /* no tree asks for it */
    if (columns->binned == NULL)
        return;
    if (pack->mode == PACK_OPEN)
        columns->binned = env_array(pack->env, 1, sizeof(BinnedColumns));
    binned_columns_pack(pack, columns->binned);
}

void tree_columns_end(TreeColumns *columns)
{
    if (columns->binned != NULL)
        binned_columns_end(columns->binned);
    columns->env->release(columns->env, columns->targets);
    columns->targets = NULL;
}
