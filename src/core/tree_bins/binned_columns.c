/*
 * binned_columns.c - cuts features into bins at exact quantiles, and stores the bins as bytes.
 */
#include "core/tree_bins/binned_columns.h"
#include "core/base/number_order.h"
#include "core/base/radix_sort.h"
#include "core/rows/row_design.h"
#include "core/tree_value/tree_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POLL_ROWS 262144u
#define BYTES_SORTING 24u    /* per row: a column, its keys, and room to sort them */
#define COLUMN_BATCH 16u     /* columns read at a time, at most */
#define BUCKETS 4096u
#define FEW_THRESHOLDS 4u    /* in a bucket: are looked through one by one */
#define FEW_KEYS 20000u      /* are sorted by comparison */
#define DISTINCT_TABLE 1024u /* places of a hash table of up to BINS_MAX values */

/* A run of equal values. */
typedef struct Run {
    double value;
    uint32_t count;
} Run;

typedef struct Buckets Buckets;

typedef struct Loading {
    Rows *rows;
    const uint32_t *place; /* [rows] NULL: the order of arrival */
    BinnedColumns *binned;
    RowDesign *design;
    double *values;        /* [batch x rows], one column after another */
    uint64_t *keys, *room; /* [rows] to sort */
    Buckets *buckets;
} Loading;

static uint64_t bytes_in_memory(uint64_t rows, uint32_t features)
{
    return rows * 2 * features;
}

/* ---- sorting ---- */

/*
 * Sorts keys: few by comparison, many by their bits, for which spare has room for as many. Binning 400,000 rows of 8 log-normal features, most of whose values lie in one
 * bucket, and growing 10 trees takes 0.24 s with the latter and 0.53 s without.
 */
static void sort_keys(Env *env, uint64_t *keys, uint64_t *spare, uint32_t count)
{
    RadixRoom room = {.keys = {keys, spare}};

    if (count <= FEW_KEYS)
        qsort(keys, count, sizeof(uint64_t), compare_keys);
    else if (radix_sort(env, &room, count) > 0)
        env_copy(env, keys, spare, count * sizeof(uint64_t));
}

/* ---- buckets ---- */

/* Parts of a range of values of equal width: they are in order, so that only those where a bin ends need to be sorted. */
struct Buckets {
    double low, high, scale;
    uint32_t count;           /* values that are not NaN */
    uint32_t start[BUCKETS + 1]; /* in Loading.keys */
    bool cut;                  /* of the column that is being encoded */
    uint8_t below[BUCKETS + 1]; /* thresholds in the buckets before this one */
};

static inline uint32_t bucket_of(const Buckets *buckets, double value)
{
    double place = (value - buckets->low) * buckets->scale;

    return place >= BUCKETS - 1 ? BUCKETS - 1 : (uint32_t)place;
}

static void find_range(Env *env, Buckets *buckets, const double *values, uint32_t rows)
{
    buckets->low = INFINITY;
    buckets->high = -INFINITY;
    for (uint32_t i = 0; i < rows; i++) {
        if (i % POLL_ROWS == 0)
            env->poll(env);
        buckets->low = values[i] < buckets->low ? values[i] : buckets->low;
        buckets->high = values[i] > buckets->high ? values[i] : buckets->high;
    }
    buckets->scale = BUCKETS / (buckets->high - buckets->low);
    if (!isfinite(buckets->high - buckets->low) || !isfinite(buckets->scale))
        buckets->scale = 0; /* one bucket */
}

/* Puts the keys of the values that are not NaN into their buckets: keys, [rows]. */
static void fill_buckets(Env *env, Buckets *buckets, const double *values, uint32_t rows, uint64_t *keys)
{
    uint32_t *place = buckets->start;

    memset(place, 0, sizeof(buckets->start));
    for (uint32_t i = 0; i < rows; i++) {
        if (i % POLL_ROWS == 0)
            env->poll(env);
        if (values[i] == values[i])
            place[bucket_of(buckets, values[i]) + 1]++;
    }
    for (uint32_t b = 0; b < BUCKETS; b++)
        place[b + 1] += place[b];
    buckets->count = place[BUCKETS];
    for (uint32_t i = 0; i < rows; i++) {
        if (i % POLL_ROWS == 0)
            env->poll(env);
        if (values[i] == values[i])
            keys[place[bucket_of(buckets, values[i])]++] = number_key(values[i]);
    }
    for (uint32_t b = BUCKETS; b > 0; b--) /* each has moved to where the next one starts */
        place[b] = place[b - 1];
    place[0] = 0;
}

/*
 * Finds the distinct values of a column that has no more than BINS_MAX of them, sorted, and how often each occurs. Returns their
 * number; BINS_MAX + 1 if there are more.
 */
static uint32_t few_values(const double *values, uint32_t rows, Run *runs)
{
    Run table[DISTINCT_TABLE];
    uint32_t distinct = 0, kept = 0;

    memset(table, 0, sizeof(table));
    for (uint32_t i = 0; i < rows; i++) {
        double value = values[i] + 0.0;
        uint32_t at;

        if (value != value)
            continue;
        at = (uint32_t)(number_key(value) * 0x9e3779b97f4a7c15u >> 54);
        while (table[at].count > 0 && table[at].value != value)
            at = (at + 1) % DISTINCT_TABLE;
        if (table[at].count == 0 && ++distinct > BINS_MAX)
            return distinct;
        table[at].value = value;
        table[at].count++;
    }
    for (uint32_t at = 0; at < DISTINCT_TABLE; at++)
        if (table[at].count > 0)
            runs[kept++] = table[at];
    qsort(runs, kept, sizeof(Run), compare_numbers);
    return kept;
}

/* ---- cutting ---- */

/* Bins while they are cut. */
typedef struct Cutting {
    BinnedFeature *feature;
    uint32_t size, left, bins; /* rows of the current bin, rows from there on, bins before it */
    double share;              /* rows that the current bin should have */
} Cutting;

/* Ends a bin between two neighboring values. */
static void end_bin(Cutting *cutting, double high, double low)
{
    BinnedFeature *feature = cutting->feature;

    feature->high[cutting->bins] = high;
    feature->low[++cutting->bins] = low;
    feature->thresholds[cutting->bins - 1] = bin_midpoint(high, low);
    cutting->left -= cutting->size;
    cutting->size = 0;
    cutting->share = (double)cutting->left / (BINS_MAX - cutting->bins);
}

/* Cuts a bucket of sorted keys. before: the largest value of the buckets before it. */
static void cut_bucket(Cutting *cutting, const uint64_t *keys, uint32_t count, double before)
{
    for (uint32_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && keys[end] == keys[start];)
            end++;
        if (cutting->size > 0 && cutting->bins < BINS_MAX - 1 && cutting->size + (end - start) / 2.0 > cutting->share)
            end_bin(cutting, start > 0 ? number_of_key(keys[start - 1]) : before, number_of_key(keys[start]));
        cutting->size += end - start;
    }
}

static double largest_of(const uint64_t *keys, uint32_t count)
{
    uint64_t largest = keys[0];

    for (uint32_t i = 1; i < count; i++)
        largest = keys[i] > largest ? keys[i] : largest;
    return number_of_key(largest);
}

/*
 * Cuts values into BINS_MAX bins of nearly equal counts; equal values stay together. A bin ends before the value that would
 * carry it further past its share than it falls short of it. A bucket that leaves its bin within the share has no end in it.
 * all: the keys of the buckets, of which those with an end are sorted; spare: room for as many.
 */
static void cut_buckets(Env *env, const Buckets *buckets, uint64_t *all, uint64_t *spare, BinnedFeature *feature)
{
    Cutting cutting = {.feature = feature, .left = buckets->count, .share = (double)buckets->count / BINS_MAX};
    uint32_t former = 0, former_count = 0;

    feature->low[0] = buckets->low + 0.0;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        uint32_t start = buckets->start[b], count = buckets->start[b + 1] - start;
        uint64_t *keys = all + start;

        if (count == 0)
            continue;
        if (cutting.size + (double)count <= cutting.share || cutting.bins == BINS_MAX - 1) {
            cutting.size += count;
        } else {
            sort_keys(env, keys, spare, count);
            cut_bucket(&cutting, keys, count, former_count > 0 ? largest_of(all + former, former_count) : 0);
            env->poll(env);
        }
        former = start;
        former_count = count;
    }
    feature->high[cutting.bins] = buckets->high + 0.0;
    feature->bins = cutting.bins + 1;
}

/* Counts the thresholds before each bucket: whatever lies in it exceeds them. */
static void count_thresholds(Buckets *buckets, const BinnedFeature *feature)
{
    uint32_t at = 0;

    for (uint32_t b = 0; b <= BUCKETS; b++) {
        while (at + 1 < feature->bins && bucket_of(buckets, feature->thresholds[at]) < b)
            at++;
        buckets->below[b] = (uint8_t)at;
    }
}

/* Finds the bins of a numeric column. */
static void cut_column(Env *env, Loading *loading, BinnedFeature *feature, const double *values)
{
    Run runs[BINS_MAX];
    uint32_t rows = loading->binned->rows, distinct = few_values(values, rows, runs);

    loading->buckets->cut = false;
    feature->thresholds = env_array(env, BINS_MAX, sizeof(double));
    feature->low = env_array(env, BINS_MAX, sizeof(double));
    feature->high = env_array(env, BINS_MAX, sizeof(double));
    if (distinct <= BINS_MAX) {
        for (uint32_t b = 0; b < distinct; b++)
            feature->low[b] = feature->high[b] = runs[b].value;
        for (uint32_t b = 0; b + 1 < distinct; b++)
            feature->thresholds[b] = bin_midpoint(runs[b].value, runs[b + 1].value);
        feature->distinct = distinct;
        feature->bins = distinct > 0 ? distinct : 1;
        feature->exact = true;
        return;
    }
    find_range(env, loading->buckets, values, rows);
    fill_buckets(env, loading->buckets, values, rows, loading->keys);
    cut_buckets(env, loading->buckets, loading->keys, loading->room, feature);
    loading->buckets->cut = loading->buckets->scale > 0;
    if (loading->buckets->cut)
        count_thresholds(loading->buckets, feature);
}

typedef struct LevelCount {
    uint32_t level;
    uint64_t rows;
} LevelCount;

/* Most rows first, then in order of the levels. */
static int compare_counts(const void *left, const void *right)
{
    const LevelCount *a = left, *b = right;

    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    return a->level < b->level ? -1 : 1;
}

static int compare_levels(const void *left, const void *right)
{
    const LevelCount *a = left, *b = right;

    return a->level < b->level ? -1 : 1;
}

/* Gives each level that occurs a bin, in the order of the levels; the rarest share the last one if there are too many. */
static void cut_levels(Env *env, BinnedFeature *feature, const double *values, uint32_t rows)
{
    LevelCount *counts = env_array(env, (size_t)feature->levels + 1, sizeof(LevelCount));
    uint32_t own;

    feature->level_bin = env_array_raw(env, (size_t)feature->levels + 1, sizeof(uint16_t));
    for (uint32_t l = 0; l < feature->levels; l++) {
        counts[l].level = l;
        feature->level_bin[l] = BIN_NONE;
    }
    for (uint32_t i = 0; i < rows; i++)
        if (values[i] >= 0)
            counts[(uint32_t)values[i] - feature->first_level].rows++;
    qsort(counts, feature->levels, sizeof(LevelCount), compare_counts);
    while (feature->distinct < feature->levels && counts[feature->distinct].rows > 0)
        feature->distinct++;
    feature->exact = feature->distinct <= BINS_MAX;
    own = feature->exact ? feature->distinct : BINS_MAX - 1;
    qsort(counts, own, sizeof(LevelCount), compare_levels);
    feature->bin_level = env_array(env, BINS_MAX + 1, sizeof(uint32_t));
    for (uint32_t k = 0; k < feature->distinct; k++) {
        feature->level_bin[counts[k].level] = (uint16_t)(k < own ? k : own);
        feature->bin_level[k < own ? k : own] = counts[k].level;
    }
    feature->bins = feature->exact ? (own > 0 ? own : 1) : BINS_MAX;
    env->release(env, counts);
}

/* ---- bytes ---- */

/* Returns the bin of a number among sorted thresholds, padded with infinities to 255: eight halvings without branches. */
static inline uint32_t search_bin(const double *thresholds, double value)
{
    uint32_t at = 0;

    for (uint32_t step = 128; step > 0; step /= 2)
        at += (uint32_t)(value > thresholds[at + step - 1]) * step;
    return at;
}

uint32_t binned_code(const BinnedFeature *feature, double value)
{
    if (value != value)
        return feature->bins;
    if (!feature->categorical)
        return search_bin(feature->thresholds, value);
    if (value < feature->first_level || value >= (double)feature->first_level + feature->levels ||
        feature->level_bin[(uint32_t)value - feature->first_level] == BIN_NONE)
        return feature->bins;
    return feature->level_bin[(uint32_t)value - feature->first_level];
}

/* Writes the bins of consecutive values of a column cut from buckets, each of which leaves few thresholds to compare with. */
static void encode_buckets(const BinnedFeature *feature, const Buckets *buckets, const double *values, uint32_t count,
                           uint8_t *column)
{
    double thresholds[BINS_MAX];

    memcpy(thresholds, feature->thresholds, sizeof(thresholds));
    for (uint32_t i = 0; i < count; i++) {
        double value = values[i];
        uint32_t bucket, code;

        if (value != value) {
            column[i] = (uint8_t)feature->bins;
            continue;
        }
        bucket = bucket_of(buckets, value);
        code = buckets->below[bucket];
        if (buckets->below[bucket + 1] - code > FEW_THRESHOLDS)
            code = search_bin(thresholds, value);
        else
            while (value > thresholds[code])
                code++;
        column[i] = (uint8_t)code;
    }
}

/* Writes the bins of consecutive values. */
static void encode_values(const BinnedFeature *feature, const double *values, uint32_t count, uint8_t *column)
{
    double thresholds[BINS_MAX];

    if (feature->categorical) {
        for (uint32_t i = 0; i < count; i++)
            column[i] = (uint8_t)binned_code(feature, values[i]);
        return;
    }
    memcpy(thresholds, feature->thresholds, sizeof(thresholds));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = search_bin(thresholds, values[i]);

        column[i] = (uint8_t)(values[i] != values[i] ? feature->bins : code);
    }
}

/* Writes the bytes of a part of a column to memory or to the file; returns the largest. room: for POLL_ROWS bytes. */
static uint32_t encode_part(Loading *loading, uint32_t number, const double *values, uint32_t start, uint32_t end, uint8_t *room)
{
    BinnedColumns *binned = loading->binned;
    const BinGroup *group = &binned->groups[binned->pages != NULL ? number : number / BIN_GROUP];
    uint8_t *bytes = binned->pages != NULL ? room : binned->columns + (size_t)number * binned->rows + start, *cell;
    uint32_t most = 0, count = end - start;

    if (!binned->feature[number].categorical && loading->buckets->cut)
        encode_buckets(&binned->feature[number], loading->buckets, values + start, count, bytes);
    else
        encode_values(&binned->feature[number], values + start, count, bytes);
    for (uint32_t i = 0; i < count; i++)
        most = bytes[i] > most ? bytes[i] : most;
    if (binned->pages != NULL) {
        binned_pages_write(binned->pages, number, start, bytes, count);
        return most;
    }
    cell = group->cells + (size_t)start * group->stride + (number - group->first);
    for (uint32_t i = 0; i < count; i++, cell += group->stride)
        *cell = bytes[i];
    return most;
}

/* Writes the bytes of a column that is cut. */
static void encode_column(Env *env, Loading *loading, uint32_t number, const double *values, uint8_t *room)
{
    BinnedColumns *binned = loading->binned;
    BinnedFeature *feature = &binned->feature[number];
    uint32_t most = 0;

    for (uint32_t b = feature->bins; !feature->categorical && b <= BINS_MAX; b++)
        feature->thresholds[b - 1] = INFINITY;
    for (uint32_t start = 0; start < binned->rows; start += POLL_ROWS) {
        uint32_t end = binned->rows - start < POLL_ROWS ? binned->rows : start + POLL_ROWS, here;

        env->poll(env);
        here = encode_part(loading, number, values, start, end, room);
        most = here > most ? here : most;
    }
    feature->missing = most == feature->bins;
}

BinRun binned_pages_run(const BinnedColumns *binned, const BinGroup *group, const uint32_t *order, uint32_t at,
                        uint32_t count)
{
    uint32_t row = order != NULL ? order[at] : at, page = row / BIN_PAGE, end = at + 1;
    BinRun run = {.cells = binned_page(binned->pages, group->first, row), .first = page * BIN_PAGE};

    if (order == NULL) {
        uint32_t left = BIN_PAGE - row % BIN_PAGE;

        run.count = left < count - at ? left : count - at;
        return run;
    }
    while (end < count && order[end] / BIN_PAGE == page)
        end++;
    run.count = end - at;
    return run;
}

/* ---- reading ---- */

/* Copies the columns [first, first + count) of all rows; levels get their final positions. */
static void read_columns(Env *env, Loading *loading, uint32_t first, uint32_t count)
{
    RowsReader *reader = rows_reader(env, loading->rows);
    uint32_t rows = loading->binned->rows, slots = loading->binned->features;
    const uint32_t *place = loading->place;
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t c = 0; c < count; c++) {
            const double *from = block.slots + first + c;
            double *to = loading->values + (size_t)c * rows;

            if (loading->binned->feature[first + c].categorical)
                for (uint32_t i = 0; i < block.count; i++, from += slots)
                    to[place != NULL ? place[block.first + i] : block.first + i] =
                        *from == *from ? loading->design->level_final[(uint32_t)*from] : *from;
            else if (place != NULL)
                for (uint32_t i = 0; i < block.count; i++, from += slots)
                    to[place[block.first + i]] = *from;
            else
                for (uint32_t i = 0; i < block.count; i++, from += slots)
                    to[block.first + i] = *from;
        }
    rows_reader_free(reader);
}

static void describe_features(Env *env, Loading *loading)
{
    TreeLevels levels = tree_levels(env, rows_schema(loading->rows));

    for (uint32_t f = 0; f < loading->binned->features; f++)
        loading->binned->feature[f] = (BinnedFeature){.slot = f,
                                                      .categorical = levels.category[f],
                                                      .levels = levels.count[f],
                                                      .first_level = levels.first[f]};
}

static void make_groups(BinnedColumns *binned)
{
    Env *env = binned->env;
    uint32_t width = binned->pages != NULL ? 1 : BIN_GROUP;

    binned->group_count = (binned->features + width - 1) / width;
    binned->groups = env_array(env, (size_t)binned->group_count + 1, sizeof(BinGroup));
    for (uint32_t g = 0; g < binned->group_count; g++) {
        BinGroup *group = &binned->groups[g];

        group->first = g * width;
        group->count = binned->features - group->first < width ? binned->features - group->first : width;
        group->stride = group->count;
        if (binned->pages == NULL)
            group->cells = env_array_raw(env, binned->rows, group->stride);
    }
    if (binned->pages == NULL)
        binned->columns = env_array_raw(env, binned->rows, binned->features);
}

/* Returns how many columns to read at a time: as many as the rest of the budget has room for. */
static uint32_t batch_size(const BinnedColumns *binned, uint64_t needed)
{
    uint64_t each = (uint64_t)binned->rows * sizeof(double), room = binned->env->memory_limit - needed;
    uint64_t batch = 1 + room / each;

    if (batch > COLUMN_BATCH)
        batch = COLUMN_BATCH;
    return batch < binned->features ? (uint32_t)batch : binned->features;
}

/* Decides where the bytes are. sorting, extra: what else is allocated, one after the other. Returns what the columns take. */
static uint64_t choose_place(BinnedColumns *binned, Rows *rows, uint64_t sorting, uint64_t extra, const char *method)
{
    Env *env = binned->env;
    uint64_t bytes = bytes_in_memory(binned->rows, binned->features), other = sorting > extra ? sorting : extra, room;

    if (bytes <= env->memory_limit && other <= env->memory_limit - bytes) {
        binned->spare = env->memory_limit - bytes - extra;
        return bytes;
    }
    env_require_memory(env, other + binned_pages_least(binned->rows, binned->features), method);
    room = env->memory_limit - other;
    bytes = binned_pages_least(binned->rows, binned->features);
    bytes += (room - bytes) / 2;
    binned->pages = binned_pages(env, rows, binned->features, bytes);
    binned->spare = env->memory_limit - bytes - extra;
    return bytes;
}

/* Reads, cuts and encodes all columns, a few at a time. */
static void load_columns(Env *env, Loading *loading, uint32_t batch)
{
    BinnedColumns *binned = loading->binned;
    uint8_t *room = env_array_raw(env, POLL_ROWS, 1);

    for (uint32_t first = 0; first < binned->features; first += batch) {
        uint32_t count = binned->features - first < batch ? binned->features - first : batch;

        read_columns(env, loading, first, count);
        for (uint32_t c = 0; c < count; c++) {
            const double *values = loading->values + (size_t)c * binned->rows;

            if (binned->feature[first + c].categorical)
                cut_levels(env, &binned->feature[first + c], values, binned->rows);
            else
                cut_column(env, loading, &binned->feature[first + c], values);
            encode_column(env, loading, first + c, values, room);
            env->progress(env, "binning features", first + c + 1, binned->features, NAN);
        }
    }
    env->release(env, room);
}

BinnedColumns *binned_columns_load(Env *env, Rows *rows, const uint32_t *place, uint64_t extra_bytes, const char *method)
{
    uint64_t sorting = rows_count(rows) * BYTES_SORTING, taken;
    BinnedColumns *binned = env_array(env, 1, sizeof(BinnedColumns));
    Loading loading = {.rows = rows, .place = place, .binned = binned};
    uint32_t batch;

    if (rows_count(rows) > INT32_MAX)
        env_fail(env, ERROR_LIMIT, "Fit a sample of the rows, or one model per group of rows.",
                 "%s takes at most %d rows, not %llu", method, INT32_MAX, (unsigned long long)rows_count(rows));
    *binned = (BinnedColumns){.env = env, .rows = (uint32_t)rows_count(rows), .features = rows_slots(rows)};
    taken = choose_place(binned, rows, sorting, extra_bytes, method);
    loading.design = row_design(env, rows, DESIGN_SLOTS, method);
    binned->feature = env_array(env, (size_t)binned->features + 1, sizeof(BinnedFeature));
    describe_features(env, &loading);
    make_groups(binned);
    batch = batch_size(binned, taken + sorting);
    loading.values = env_array_raw(env, binned->rows, batch * sizeof(double));
    loading.keys = env_array_raw(env, binned->rows, sizeof(uint64_t));
    loading.room = env_array_raw(env, binned->rows, sizeof(uint64_t));
    loading.buckets = env_array_raw(env, 1, sizeof(Buckets));
    load_columns(env, &loading, batch);
    env->release(env, loading.values);
    env->release(env, loading.keys);
    env->release(env, loading.room);
    for (uint32_t f = 0; f < binned->features; f++) {
        binned->feature[f].first = binned->bins;
        binned->bins += binned->feature[f].bins + binned->feature[f].missing;
    }
    return binned;
}

void binned_columns_pack(Pack *pack, BinnedColumns *binned)
{
    pack_value(pack, binned, sizeof *binned);
    binned->env = pack->env;
    pack_structures(pack, &binned->feature, binned->features, sizeof(BinnedFeature));
    for (uint32_t f = 0; f < binned->features; f++) {
        BinnedFeature *feature = &binned->feature[f];

        pack_array(pack, &feature->thresholds, feature->bins > 0 ? feature->bins - 1 : 0, sizeof(double));
        pack_array(pack, &feature->low, feature->bins, sizeof(double));
        pack_array(pack, &feature->high, feature->bins, sizeof(double));
        pack_array(pack, &feature->level_bin, feature->levels, sizeof(uint16_t));
        pack_array(pack, &feature->bin_level, feature->bins, sizeof(uint32_t));
    }
    pack_structures(pack, &binned->groups, binned->group_count, sizeof(BinGroup));
    for (uint32_t g = 0; g < binned->group_count; g++)
        pack_array(pack, &binned->groups[g].cells, binned->rows, binned->groups[g].stride);
    pack_array(pack, &binned->columns, binned->features, binned->rows);
}

void binned_columns_end(BinnedColumns *binned)
{
    Env *env = binned->env;

    if (binned->pages != NULL)
        binned_pages_free(binned->pages);
    for (uint32_t g = 0; binned->pages == NULL && g < binned->group_count; g++)
        env->release(env, binned->groups[g].cells);
    env->release(env, binned->columns);
}
