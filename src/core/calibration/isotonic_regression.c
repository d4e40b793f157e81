/*
 * isotonic_regression.c - a target that only rises, or only falls, with one number: the monotone function with the least sum of
 * squared errors (Brunk 1955; Barlow, Bartholomew, Bremner & Brunk 1972).
 *
 * Rows are sorted, equal ones are averaged, and adjacent violators are pooled (pool_adjacent.h). The blocks are the model:
 *   blocks    F64[n x 3]  low, high and value of each, rising
 *   behavior  I64[2]      1: straight lines between blocks, 0: steps; 1: clipped beyond them, 0: NULL
 */
#include "core/base/sort.h"
#include "core/calibration/pool_adjacent.h"
#include "core/estimator/calibration_map.h"
#include "core/estimator/estimator.h"

#include <math.h>

#define FIRST_CAPACITY 64 /* blocks */

void pool_add(PooledBlocks *pooled, PooledBlock block)
{
    while (pooled->count > 0) {
        const PooledBlock *last = &pooled->blocks[pooled->count - 1];

        if (last->sum * block.weight < block.sum * last->weight) /* the means, exact where they are shares of counts */
            break;
        block.low = last->low;
        block.sum += last->sum;
        block.weight += last->weight;
        pooled->count--;
    }
    if (pooled->count == pooled->capacity) {
        pooled->capacity = pooled->capacity > 0 ? pooled->capacity * 2 : FIRST_CAPACITY;
        env_require_memory(pooled->env, pooled->capacity * sizeof(PooledBlock), pooled->method);
        pooled->blocks = pooled->env->resize(pooled->env, pooled->blocks, pooled->capacity * sizeof(PooledBlock));
    }
    pooled->blocks[pooled->count++] = block;
}

static const char *const direction_choices[] = {"increasing", "decreasing", "auto", NULL};
static const char *const interpolation_choices[] = {"linear", "step", NULL};
static const char *const outside_choices[] = {"clip", "null", NULL};

static const OptionSpec isotonic_regression_options[] = {
    {.name = "direction",
     .types = OPTION_STRING,
     .fallback = "\"increasing\"",
     .choices = direction_choices,
     .help = "Whether the target rises or falls with the feature; auto: falls if their rank correlation is negative."},
    {.name = "interpolation",
     .types = OPTION_STRING,
     .fallback = "\"linear\"",
     .choices = interpolation_choices,
     .help = "Between two blocks: a straight line from one to the next, or the value of the lower one (step)."},
    {.name = "out_of_bounds",
     .types = OPTION_STRING,
     .fallback = "\"clip\"",
     .choices = outside_choices,
     .help = "Below the least and above the largest number of the rows: the value there (clip), or null."},
    {.name = "y_max", .types = OPTION_NUMBER, .unset = "no limit", .help = "The largest value: larger ones are cut to it."},
    {.name = "y_min", .types = OPTION_NUMBER, .unset = "no limit", .help = "The least value: smaller ones are cut to it."},
    {.name = NULL}};

typedef struct Row {
    double x, y, weight, rank; /* rank: of x, for "auto" */
} Row;

static int compare_x(const void *left, const void *right)
{
    const Row *a = left, *b = right;

    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->weight < b->weight ? -1 : a->weight > b->weight;
}

static int compare_y(const void *left, const void *right)
{
    const Row *a = left, *b = right;

    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return compare_x(left, right);
}

static Row *sorted_rows(Env *env, Rows *rows)
{
    uint64_t count = rows_count(rows);
    double *targets, *weights, *x;
    Row *sorted;

    if (rows_slots(rows) != 1)
        env_fail(env, ERROR_DATA, "Pass one number per row; for several features, use another regression.",
                 "isotonic_regression needs one number, not %u features", rows_slots(rows));
    env_require_memory(env, count * (2 * sizeof(Row) + 3 * sizeof(double)), "isotonic_regression");
    x = rows_matrix(env, rows, &targets, &weights, "isotonic_regression");
    sorted = env_array_raw(env, count, sizeof(Row));
    env->progress(env, "sorting rows", 0, count, NAN);
    for (uint64_t i = 0; i < count; i++) {
        sorted[i] = (Row){.x = x[i] + 0.0, .y = targets[i] + 0.0, .weight = row_weight(weights, i)};
        env_poll_every(env, i, 4096);
    }
    sort_numbers(env, sorted, count, sizeof(Row));
    sort_ties(env, sorted, count, sizeof(Row), compare_x);
    return sorted;
}

/*
 * Tells whether the rank correlation of x and y is negative. Equal numbers share the middle of their ranks; a row of weight 2 counts
 * as two. Leaves the rows sorted by x.
 */
static bool ranks_fall(Env *env, Row *rows, uint64_t count)
{
    double total = 0, before = 0, sum = 0;
    uint64_t groups = 0;

    for (uint64_t i = 0; i < count; i++)
        total += rows[i].weight;
    for (int by_y = 0; by_y < 2; by_y++) {
        before = 0;
        if (by_y)
            sort_polled(env, rows, count, sizeof(Row), compare_y);
        for (uint64_t first = 0, last; first < count; first = last) {
            double weight = 0, rank;

            for (last = first; last < count && (by_y ? rows[last].y == rows[first].y : rows[last].x == rows[first].x); last++)
                weight += rows[last].weight;
            rank = (before + weight / 2) / total - 0.5; /* less the mean rank */
            for (uint64_t i = first; i < last; i++) {
                if (by_y)
                    sum += rows[i].weight / total * rows[i].rank * rank;
                else
                    rows[i].rank = rank;
            }
            before += weight;
            env_poll_every(env, ++groups, 4096);
        }
    }
    sort_polled(env, rows, count, sizeof(Row), compare_x);
    return sum < -1e-15;
}

/* Fails if sums or products of weights and targets, by which means are compared, leave the range. */
static void require_range(Env *env, const Row *rows, uint64_t count)
{
    double largest = 0, least = INFINITY, total = 0;

    for (uint64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(rows[i].y));
        least = fmin(least, rows[i].weight);
        total += rows[i].weight;
    }
    if (!(total < 1e120 && least > 1e-120))
        env_fail(env, ERROR_RANGE, "Multiply the weights by a constant.", "the weights add up to %g", total);
    if (!(largest * fmax(total, 1) < 1e150 && (largest == 0 || largest > 1e-100)))
        env_fail(env, ERROR_RANGE, "Divide the target by a power of ten.",
                 "targets up to %g are out of the range of isotonic_regression", largest);
}

static PooledBlocks pool_rows(Env *env, const Row *rows, uint64_t count, bool decreasing)
{
    PooledBlocks pooled = {.env = env, .method = "isotonic_regression"};
    uint64_t added = 0;

    for (uint64_t first = 0, last; first < count; first = last) {
        PooledBlock block = {.low = rows[first].x, .high = rows[first].x};

        for (last = first; last < count && rows[last].x == rows[first].x; last++) {
            block.sum += rows[last].weight * (decreasing ? -rows[last].y : rows[last].y);
            block.weight += rows[last].weight;
        }
        pool_add(&pooled, block);
        env_poll_every(env, ++added, 4096);
    }
    return pooled;
}

/* Returns the least and the largest value that the options allow; infinite where they do not say. */
static void read_limits(Env *env, const Options *options, double limits[2])
{
    limits[0] = options_given(options, "y_min") ? options_number(options, "y_min") : -INFINITY;
    limits[1] = options_given(options, "y_max") ? options_number(options, "y_max") : INFINITY;
    if (limits[0] > limits[1])
        env_fail(env, ERROR_PARAMETER, NULL, "y_min %g is above y_max %g", limits[0], limits[1]);
}

static Model *isotonic_regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                      ModelBuilder *builder)
{
    uint64_t count = rows_count(input->rows);
    int64_t *behavior = env_array(env, 2, sizeof(int64_t));
    double limits[2], *blocks, *out;
    PooledBlocks pooled;
    bool decreasing;
    Row *rows;

    read_limits(env, options, limits);
    rows = sorted_rows(env, input->rows);
    require_range(env, rows, count);
    decreasing = options_is(options, "direction", "decreasing") ||
                 (options_is(options, "direction", "auto") && ranks_fall(env, rows, count));
    pooled = pool_rows(env, rows, count, decreasing);
    blocks = out = env_array_raw(env, pooled.count * CALIBRATION_BLOCK_SIZE, sizeof(double));
    for (uint64_t i = 0; i < pooled.count; i++) {
        const PooledBlock *block = &pooled.blocks[i];
        double value = block->sum / block->weight;

        *out++ = block->low;
        *out++ = block->high;
        *out++ = fmax(limits[0], fmin(limits[1], (decreasing ? -value : value) + 0.0));
    }
    behavior[0] = options_is(options, "interpolation", "linear");
    behavior[1] = options_is(options, "out_of_bounds", "clip");
    builder_i64(builder, SECTION_ARRAYS, "behavior", behavior, 2);
    builder_f64_matrix(builder, SECTION_ARRAYS, "blocks", blocks, (uint32_t)pooled.count, CALIBRATION_BLOCK_SIZE);
    builder_fact_bool(builder, "increasing", !decreasing);
    return model_build(builder);
}

/* ---- the model ---- */

typedef struct IsotonicModel {
    const double *blocks;
    const int64_t *behavior;
    uint32_t count;
} IsotonicModel;

static const ArraySpec isotonic_arrays[] = {{.name = "behavior",
                                             .type = ARRAY_I64,
                                             .rows = {SIZE_NUMBER, .plus = 2},
                                             .data_at = VIEW_AT(IsotonicModel, behavior)},
                                            {.name = "blocks",
                                             .type = ARRAY_F64,
                                             .rows = {SIZE_ROWS, .defines = true},
                                             .columns = {SIZE_NUMBER, .plus = CALIBRATION_BLOCK_SIZE},
                                             .data_at = VIEW_AT(IsotonicModel, blocks),
                                             .rows_at = VIEW_AT(IsotonicModel, count)}};
static const ArraySpec isotonic_facts[] = {FACT("increasing", ARRAY_BOOL)};
static const ArrayTable isotonic_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(isotonic_arrays), FACT_TABLE(isotonic_facts));

static IsotonicModel isotonic_model(const Model *model)
{
    IsotonicModel view = {.blocks = NULL};

    view_arrays(model, isotonic_array_tables, &view);
    return view;
}

static const char *isotonic_check(Env *env, const Model *model)
{
    IsotonicModel view = isotonic_model(model);

    if (model->slot_count != 1 || !schema_all_numeric(model))
        return "isotonic_regression must have one numeric feature";
    for (int i = 0; i < 2; i++)
        if (view.behavior[i] != 0 && view.behavior[i] != 1)
            return "\"behavior\" of isotonic_regression is not 0 or 1";
    return monotone_blocks_check(env, view.blocks, view.count);
}

static double isotonic_predict(const Model *model, const void *prepared, const double *slots)
{
    IsotonicModel view = isotonic_model(model);
    bool outside = slots[0] < view.blocks[0] || slots[0] > view.blocks[(size_t)view.count * CALIBRATION_BLOCK_SIZE - 2];

    return outside && !view.behavior[1] ? NAN : monotone_blocks_value(view.blocks, view.count, slots[0], view.behavior[0] != 0);
}

static const Scoring isotonic_scoring = {.partial = true, .predict = isotonic_predict};

const Estimator estimator_isotonic_regression = {
    .name = "isotonic_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .numeric = true,
    .options = OPTION_TABLES(options_common, isotonic_regression_options),
    .help = "The function of one number that only rises or only falls and has the least sum of squared errors.",
    .source = "Ayer et al. 1955; Barlow, Bartholomew, Bremner & Brunk 1972",
    .fit = isotonic_regression_fit,
    .arrays = isotonic_array_tables,
    .check = isotonic_check,
    .scoring = &isotonic_scoring,
};
