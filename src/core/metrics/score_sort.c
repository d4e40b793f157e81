/*
 * score_sort.c - visits rows in the order of a score.
 *
 * If the rows do not fit in memory, they are first spread over at most SPREAD ranges of keys, found from a histogram of equal widths, each of which
 * is then sorted by itself. roc_auc of 2 million rows takes 1.2 times as long by radix_sort, which moves row numbers, not weights.
 */
#include "core/metrics/score_sort.h"
#include "core/base/sort.h"

#include <string.h>

#define FEW_ROWS 48        /* fit in memory */
#define HISTOGRAM_BITS 12
#define SPREAD 32          /* ranges that are written at a time */
#define STAGE_LEAST 64     /* rows of a range that are written together */
#define STAGE_MOST 10000
#define POLL_RECORDS 65536 /* between two polls for cancellation */

/* Scores are negative where they are to fall. Weights are above 0 for positive rows, and below for negative ones. */
typedef struct Record {
    double score, weight;
} Record;

typedef struct Order {
    Env *env;
    double positive;
    bool descending;
    bool swapped; /* the target is the score, and the slot tells which rows are positive */
    uint32_t slots; /* of a row, of which the first counts */
    ScoreVisit visit;
    void *context;
} Order;

/* ---- keys ---- */

static inline double row_score(const Order *order, const RowsBlock *block, uint32_t i)
{
    double score = order->swapped ? block->targets[i] : block->slots[(size_t)i * order->slots];

    return order->descending ? -score : score;
}

static inline uint64_t row_key(const Order *order, const RowsBlock *block, uint32_t i)
{
    return number_key(row_score(order, block, i));
}

/* Returns the score of rows that have it with this sign; 0 for -0. */
static double given_score(const Order *order, double score)
{
    return (order->descending ? -score : score) + 0.0;
}

static inline double signed_weight(const Order *order, const RowsBlock *block, uint32_t i)
{
    double weight = row_weight(block->weights, i);

    return (order->swapped ? block->slots[(size_t)i * order->slots] : block->targets[i]) == order->positive ? weight : -weight;
}

/* ---- records in memory ---- */

static void group_add(ScoreGroup *group, double weight)
{
    if (weight > 0) {
        group->positive += weight;
        group->positive_rows++;
    } else {
        group->negative -= weight;
        group->negative_rows++;
    }
}

static void visit_records(const Order *order, const Record *records, size_t count)
{
    for (size_t i = 0; i < count;) {
        double score = records[i].score;
        ScoreGroup group = {.score = given_score(order, score)};

        for (; i < count && records[i].score == score; i++) {
            env_poll_every(order->env, i, POLL_RECORDS);
            group_add(&group, records[i].weight);
        }
        order->visit(order->context, &group);
    }
}

static void order_in_memory(const Order *order, Rows *rows)
{
    Env *env = order->env;
    size_t count = (size_t)rows_count(rows), at = 0;
    Record *records = env_array_raw(env, count + 1, sizeof(Record));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            records[at++] = (Record){row_score(order, &block, i), signed_weight(order, &block, i)};
    rows_reader_free(reader);
    sort_numbers(env, records, count, sizeof(Record));
    visit_records(order, records, count);
    env->release(env, records);
}

/* ---- more rows than fit in memory ---- */

/* The keys, from least to most, cut into at most 2^HISTOGRAM_BITS intervals of width 2^shift. */
typedef struct KeyRange {
    uint64_t least, most;
    unsigned shift;
} KeyRange;

static KeyRange key_range(const Order *order, Rows *rows)
{
    KeyRange range = {UINT64_MAX, 0, 0};
    RowsReader *reader = rows_reader(order->env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint64_t key = row_key(order, &block, i);

            range.least = key < range.least ? key : range.least;
            range.most = key > range.most ? key : range.most;
        }
    rows_reader_free(reader);
    while ((range.most - range.least) >> range.shift >= 1u << HISTOGRAM_BITS)
        range.shift++;
    return range;
}

/* Visits rows that all have the same score. */
static void visit_equal(const Order *order, Rows *rows, uint64_t key)
{
    ScoreGroup group = {.score = given_score(order, number_of_key(key))};
    RowsReader *reader = rows_reader(order->env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            group_add(&group, signed_weight(order, &block, i));
    rows_reader_free(reader);
    order->visit(order->context, &group);
}

/* Assigns each interval to a range, so that ranges have about equal counts. Returns the number of ranges. */
static uint32_t plan_ranges(const Order *order, Rows *rows, const KeyRange *range, uint8_t *range_of)
{
    Env *env = order->env;
    uint64_t *counts = env_array(env, (size_t)1 << HISTOGRAM_BITS, sizeof(uint64_t));
    uint64_t share = rows_count(rows) / SPREAD + 1, filled = 0;
    RowsReader *reader = rows_reader(env, rows);
    uint32_t ranges = 1;
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            counts[(row_key(order, &block, i) - range->least) >> range->shift]++;
    rows_reader_free(reader);
    for (uint32_t v = 0; v < 1u << HISTOGRAM_BITS; v++) {
        if (filled > 0 && filled + counts[v] > share && ranges < SPREAD) {
            ranges++;
            filled = 0;
        }
        filled += counts[v];
        range_of[v] = (uint8_t)(ranges - 1);
    }
    return ranges;
}

/* A row to be appended to a range: many at a time, so that ranges do not alternate in the file. */
typedef struct Staged {
    double slot, target, weight;
} Staged;

typedef struct Range {
    Rows *rows;
    Staged *staged; /* [stage_rows] */
    uint32_t count;
} Range;

static void range_flush(Range *range)
{
    for (uint32_t i = 0; i < range->count; i++)
        rows_append(range->rows, &range->staged[i].slot, range->staged[i].target, range->staged[i].weight, NULL, 0);
    range->count = 0;
}

/* Copies each row to its range. */
static void spread_rows(const Order *order, Rows *rows, const KeyRange *keys, const uint8_t *range_of, Range *ranges,
                        uint32_t range_count, uint32_t stage_rows)
{
    RowsReader *reader = rows_reader(order->env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint64_t key = row_key(order, &block, i);
            Range *range = &ranges[range_of[(key - keys->least) >> keys->shift]];

            if (range->count == stage_rows)
                range_flush(range);
            range->staged[range->count++] =
                (Staged){block.slots[i], block.targets[i], row_weight(block.weights, i)};
        }
    rows_reader_free(reader);
    for (uint32_t p = 0; p < range_count; p++)
        range_flush(&ranges[p]);
}

static void order_rows(const Order *order, Rows *rows);

/* Visits range by range; each is sorted in memory or spread once more. */
static void order_by_ranges(const Order *order, Rows *rows, const KeyRange *keys)
{
    Env *env = order->env;
    uint8_t *range_of = env_array(env, (size_t)1 << HISTOGRAM_BITS, 1);
    uint32_t count = plan_ranges(order, rows, keys, range_of);
    uint32_t stage_rows = (uint32_t)(env->memory_limit / 8 / SPREAD / sizeof(Staged));
    Model *schema = env->alloc(env, rows_schema(rows)->size); /* its header counts the rows of the ranges */
    unsigned contents = rows_contents(rows) & (ROWS_TARGET | ROWS_WEIGHT);
    Range ranges[SPREAD];
    Staged *staged;

    stage_rows = stage_rows < STAGE_LEAST ? STAGE_LEAST : stage_rows > STAGE_MOST ? STAGE_MOST : stage_rows;
    staged = env_array_raw(env, (size_t)count * stage_rows, sizeof(Staged));
    memcpy(schema, rows_schema(rows), rows_schema(rows)->size);
    for (uint32_t p = 0; p < count; p++)
        ranges[p] = (Range){rows_new(rows_pool_of(rows), schema, contents), staged + (size_t)p * stage_rows, 0};
    spread_rows(order, rows, keys, range_of, ranges, count, stage_rows);
    env->release(env, staged); /* a range may be spread once more */
    for (uint32_t p = 0; p < count; p++) {
        order_rows(order, ranges[p].rows);
        rows_free(ranges[p].rows);
    }
}

static void order_rows(const Order *order, Rows *rows)
{
    KeyRange range;

    if (rows_count(rows) == 0)
        return;
    if (order->slots > 1)
        env_require_memory(order->env, 2 * rows_count(rows) * sizeof(Record), "sorting rows of several numbers");
    if (order->slots > 1 || rows_count(rows) <= FEW_ROWS || rows_count(rows) <= order->env->memory_limit / (4 * sizeof(Record))) {
        order_in_memory(order, rows);
        return;
    }
    range = key_range(order, rows);
    if (range.least == range.most)
        visit_equal(order, rows, range.least);
    else
        order_by_ranges(order, rows, &range);
}

void score_order(Env *env, Rows *rows, double positive, bool descending, ScoreVisit visit, void *context)
{
    Order order = {.env = env, .slots = rows_schema(rows)->slot_count, .positive = positive, .descending = descending, .visit = visit, .context = context};

    order_rows(&order, rows);
}

void target_order(Env *env, Rows *rows, double positive, bool descending, ScoreVisit visit, void *context)
{
    Order order = {.env = env, .slots = rows_schema(rows)->slot_count, .positive = positive, .descending = descending, .swapped = true, .visit = visit, .context = context};

    order_rows(&order, rows);
}
