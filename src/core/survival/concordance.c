/*
 * concordance.c - concordant pairs in O(n log n): times in falling order, and a tree of sums over the ranks of the scores of the rows at risk (Fenwick
 * 1994).
 */
#include "core/survival/concordance.h"
#include "core/base/number_order.h"
#include "core/base/radix_sort.h"
#include "core/estimator/shared_options.h"

#include <math.h>

#define POLL_ROWS 4096

typedef struct Pairs {
    Env *env;
    const CoxTimes *times;
    uint32_t *rank;    /* [rows] of the score, from 1; equal ones share it */
    uint32_t ranks;
    double *tree;      /* [ranks + 1] */
    double all;        /* weight in the tree */
    double concordant, pairs;
    uint64_t steps;
} Pairs;

static void poll_rows(Env *env, uint64_t row)
{
    if (row % POLL_ROWS == POLL_ROWS - 1)
        env->poll(env);
}

static void rank_scores(Pairs *pairs, const double *scores)
{
    Env *env = pairs->env;
    uint32_t count = (uint32_t)pairs->times->rows;
    RadixRoom room;
    int side;

    for (int k = 0; k < 2; k++) {
        room.keys[k] = env_array_raw(env, count, sizeof(uint64_t));
        room.rows[k] = env_array_raw(env, count, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < count; i++) {
        room.keys[0][i] = number_key(scores[i]);
        room.rows[0][i] = i;
        poll_rows(env, i);
    }
    side = radix_sort(env, &room, count);
    for (uint32_t i = 0; i < count; i++) {
        pairs->ranks += i == 0 || room.keys[side][i] != room.keys[side][i - 1];
        pairs->rank[room.rows[side][i]] = pairs->ranks;
        poll_rows(env, i);
    }
    for (int k = 0; k < 2; k++) {
        env->release(env, room.keys[k]);
        env->release(env, room.rows[k]);
    }
}

/* Lists the rows by a number below `count`, NO_TIME in none: those of number k are [start[k], start[k + 1]). */
static uint32_t *rows_by(Env *env, const uint32_t *numbers, uint64_t rows, uint32_t count, uint32_t *start)
{
    uint32_t *list = env_array_raw(env, rows + 1, sizeof(uint32_t));

    for (uint64_t i = 0; i < rows; i++) {
        if (numbers[i] != NO_TIME)
            start[numbers[i] + 2]++;
        poll_rows(env, i);
    }
    for (uint32_t k = 2; k <= count; k++)
        start[k] += start[k - 1];
    for (uint64_t i = 0; i < rows; i++) {
        if (numbers[i] != NO_TIME)
            list[start[numbers[i] + 1]++] = (uint32_t)i;
        poll_rows(env, i);
    }
    return list;
}

static void tree_add(Pairs *pairs, uint32_t row, double weight)
{
    for (uint32_t at = pairs->rank[row]; at <= pairs->ranks; at += at & -at)
        pairs->tree[at] += weight;
    pairs->all += weight;
    if (++pairs->steps % POLL_ROWS == 0)
        pairs->env->poll(pairs->env);
}

static double tree_until(const Pairs *pairs, uint32_t rank)
{
    double sum = 0;

    for (uint32_t at = rank; at > 0; at -= at & -at)
        sum += pairs->tree[at];
    return sum;
}

/* Counts the pairs of the events at one time. rows: [count] whose last event time it is; the others at risk are in the tree. */
static void add_time(Pairs *pairs, const uint32_t *rows, uint32_t count)
{
    const CoxTimes *times = pairs->times;

    for (uint32_t i = 0; i < count; i++)
        if (!times->event[rows[i]])
            tree_add(pairs, rows[i], times->weight[rows[i]]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = pairs->rank[rows[i]];

        if (!times->event[rows[i]])
            continue;
        pairs->concordant += times->weight[rows[i]] * (tree_until(pairs, rank) + tree_until(pairs, rank - 1)) / 2;
        pairs->pairs += times->weight[rows[i]] * pairs->all;
        poll_rows(pairs->env, i);
    }
    for (uint32_t i = 0; i < count; i++)
        if (times->event[rows[i]])
            tree_add(pairs, rows[i], times->weight[rows[i]]);
}

double concordance(Env *env, const CoxTimes *times, const double *scores)
{
    Pairs pairs = {.env = env, .times = times};
    uint32_t *start, *leave_start = NULL, *by_last, *by_first = NULL;

    env_require_memory(env, times->rows * (2 * sizeof(uint64_t) + 5 * sizeof(uint32_t) + sizeof(double)) + 2 * (size_t)times->count * sizeof(uint32_t),
                       "the concordance of cox_regression");
    pairs.rank = env_array_raw(env, times->rows, sizeof(uint32_t));
    rank_scores(&pairs, scores);
    pairs.tree = env_array(env, (size_t)pairs.ranks + 1, sizeof(double));
    start = env_array(env, (size_t)times->count + 3, sizeof(uint32_t));
    by_last = rows_by(env, times->last, times->rows, times->count, start);
    if (times->first != NULL) {
        leave_start = env_array(env, (size_t)times->count + 3, sizeof(uint32_t));
        by_first = rows_by(env, times->first, times->rows, times->count, leave_start);
    }
    for (uint32_t s = times->strata; s-- > 0;) {
        uint32_t begin = s > 0 ? times->end[s - 1] : 0, end = times->end[s];

        for (uint32_t time = end; time-- > begin;) {
            if (by_first != NULL && time + 1 < end)
                for (uint32_t i = leave_start[time + 1]; i < leave_start[time + 2]; i++)
                    if (times->last[by_first[i]] != NO_TIME)
                        tree_add(&pairs, by_first[i], -times->weight[by_first[i]]);
            add_time(&pairs, by_last + start[time], start[time + 1] - start[time]);
        }
        for (uint32_t i = start[begin]; i < start[end] && s > 0; i++) /* the next stratum starts with an empty tree */
            if (times->first == NULL || times->first[by_last[i]] == 0)
                tree_add(&pairs, by_last[i], -times->weight[by_last[i]]);
        pairs.all = 0;
    }
    return pairs.pairs > 0 ? pairs.concordant / pairs.pairs : NAN;
}

Rows *concordance_rows(Env *env, RowsPool *pool)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "concordance");
    SchemaSpec spec = {.field_count = 1};

    schema_add(env, builder, &spec);
    return rows_new(pool, model_build(builder), ROWS_TARGET | ROWS_WEIGHT | ROWS_ID);
}

double concordance_of_rows(Env *env, Rows *rows, const SpecialColumn *special)
{
    const CoxTimes *times = cox_times(env, rows, special, 1);
    RowsReader *reader = rows_reader(env, rows);
    double *scores;
    RowsBlock block;

    env_require_memory(env, times->rows * sizeof(double), "the scores of the rows");
    scores = env_array_raw(env, times->rows + 1, sizeof(double));
    while (rows_next_block(reader, &block))
        memcpy(scores + block.first, block.slots, block.count * sizeof(double));
    rows_reader_free(reader);
    return times->events > 0 ? concordance(env, times, scores) : NAN;
}

/* ---- the aggregate ---- */

const Estimator concordance_observed_rows = {
    .name = "concordance", .task = TASK_REGRESSION, .input = INPUT_ROWS, .supervised = true, .options = OPTION_TABLES(options_common)};

enum { AT_EVENT, AT_SCORE, AT_ENTRY, AT_STRATUM, OBSERVED_MOST };

static void require_observed(Env *env, const Model *schema)
{
    uint32_t count = schema->slot_count;

    if (count == schema->field_count && count > AT_SCORE && count <= OBSERVED_MOST && schema_field_kind(schema, AT_EVENT) == FIELD_BOOLEAN &&
        schema_field_kind(schema, AT_SCORE) == FIELD_NUMERIC && (count <= AT_ENTRY || schema_field_kind(schema, AT_ENTRY) == FIELD_NUMERIC))
        return;
    env_fail(env, ERROR_PARAMETER, "Pass (event, score), (event, score, entry) or (event, score, entry, stratum): a boolean, the predicted risk, and the time from which the row is observed.",
             "what concordance is given of a time is no event and score");
}

/* Writes what a row keeps as its id: its event, its entry and its stratum. */
static void put_tag(TextBuffer *tag, const Model *schema, const double *slots)
{
    char head[EVENT_TAG_BYTES];
    uint32_t length = 0;
    const char *stratum;

    tag->length = 0;
    event_tag_write(schema->slot_count > AT_ENTRY ? slots[AT_ENTRY] : -INFINITY, slots[AT_EVENT] != 0, head);
    text_bytes(tag, head, sizeof head);
    if (schema->slot_count <= AT_STRATUM)
        return;
    if (schema_field_kind(schema, AT_STRATUM) == FIELD_CATEGORICAL) {
        stratum = dictionary_text(schema, DICTIONARY_LEVELS, (uint32_t)slots[AT_STRATUM], &length);
        text_bytes(tag, stratum, length);
    } else {
        text_bytes(tag, (const char *)&slots[AT_STRATUM], sizeof(double));
    }
}

double concordance_observed(Env *env, Rows *rows)
{
    const Model *schema = rows_schema(rows);
    SpecialColumn special = {.use = SPECIAL_EVENT, .count = schema->slot_count - 1, .entry = schema->slot_count > AT_ENTRY, .stratum = schema->slot_count > AT_STRATUM ? 2 : 0};
    Rows *tagged;
    RowsReader *reader;
    RowsBlock block;
    TextBuffer tag = {.env = env};
    double value;

    require_observed(env, schema);
    tagged = concordance_rows(env, rows_pool_of(rows));
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *slots = block.slots + (size_t)i * schema->slot_count;

            put_tag(&tag, schema, slots);
            rows_append(tagged, &slots[AT_SCORE], block.targets[i], row_weight(block.weights, i), tag.text, (uint32_t)tag.length);
        }
    rows_reader_free(reader);
    value = concordance_of_rows(env, tagged, &special);
    rows_free(tagged);
    return value;
}
