/*
 * feature_summary.c - summaries of features: adding values and merging. feature_summary_json.c reads and writes them.
 */
#include "core/drift/feature_summary.h"
#include "core/base/number_order.h"
#include "core/base/hash_table.h"
#include "core/base/sort.h"

#include <math.h>
#include <string.h>

#define WAITING 4096 /* values that are sorted into the buckets together */

/* The levels of a feature by their bytes. */
struct LevelTable {
    HashTable hash;
    uint32_t room;
};

/* ---- doubles in order ---- */

uint64_t summary_key(double value, unsigned shift)
{
    return number_key(value) >> shift;
}

double summary_edge(const FeatureSummary *feature, uint32_t bucket)
{
    return number_of_key(feature->keys[bucket] << feature->shift);
}

/* ---- buckets ---- */

void summary_widen(FeatureSummary *feature, unsigned shift)
{
    uint32_t used = 0;

    if (shift <= feature->shift)
        return;
    for (uint32_t i = 0; i < feature->used; i++) {
        uint64_t key = feature->keys[i] >> (shift - feature->shift);

        if (used > 0 && feature->keys[used - 1] == key) {
            feature->counts[used - 1] += feature->counts[i];
        } else {
            feature->keys[used] = key;
            feature->counts[used++] = feature->counts[i];
        }
    }
    feature->used = used;
    feature->shift = shift;
}

static void narrow_down(FeatureSummary *feature)
{
    while (feature->used > SUMMARY_BUCKETS && feature->shift < SUMMARY_SHIFT_MOST)
        summary_widen(feature, feature->shift + 1);
}

/* Adds buckets of the same shift, in ascending order; counts NULL: one value each, and keys may repeat. */
static void add_buckets(Env *env, FeatureSummary *feature, const uint64_t *keys, const uint64_t *counts, uint32_t used)
{
    uint32_t room = feature->used + used, n = 0, a = 0, b = 0;
    uint64_t *merged_keys = env_array_raw(env, room, sizeof(uint64_t)), *merged_counts = env_array_raw(env, room, sizeof(uint64_t));

    while (a < feature->used || b < used) {
        bool from_a = b == used || (a < feature->used && feature->keys[a] <= keys[b]);
        uint64_t key = from_a ? feature->keys[a] : keys[b];
        uint64_t count = from_a ? feature->counts[a] : counts != NULL ? counts[b] : 1;

        if (from_a)
            a++;
        else
            b++;
        if (n > 0 && merged_keys[n - 1] == key) {
            merged_counts[n - 1] += count;
        } else {
            merged_keys[n] = key;
            merged_counts[n++] = count;
        }
    }
    if (feature->room > 0) {
        env->release(env, feature->keys);
        env->release(env, feature->counts);
    }
    feature->keys = merged_keys;
    feature->counts = merged_counts;
    feature->used = n;
    feature->room = room;
    narrow_down(feature);
}

/* Sorts the values that wait into the buckets. */
static void sort_waiting(Env *env, FeatureSummary *feature)
{
    if (feature->waiting == 0)
        return;
    sort_polled(env, feature->recent, feature->waiting, sizeof(uint64_t), compare_keys);
    for (uint32_t i = 0; i < feature->waiting; i++)
        feature->recent[i] >>= feature->shift;
    add_buckets(env, feature, feature->recent, NULL, feature->waiting);
    feature->waiting = 0;
}

/* ---- levels ---- */

static void add_level(Env *env, FeatureSummary *feature, const char *bytes, uint32_t length, uint64_t count)
{
    LevelTable *table = feature->table;
    uint32_t hash = hash_bytes(bytes, length), place = hash_start(&table->hash, hash), entry;

    while ((entry = hash_next(&table->hash, hash, &place)) != HASH_NONE)
        if (feature->level[entry].length == length && memcmp(feature->level[entry].bytes, bytes, length) == 0) {
            feature->level[entry].count += count;
            return;
        }
    if (feature->level_count == SUMMARY_LEVELS)
        env_fail(env, ERROR_LIMIT, "Leave out identifiers and free text; a feature with so many levels tells little about drift.",
                 "feature \"%s\" has more than %d different levels", feature->name, SUMMARY_LEVELS);
    if (feature->level_count == table->room) {
        table->room = table->room == 0 ? 16 : 2 * table->room;
        feature->level = env->resize(env, feature->level, table->room * sizeof(SummaryLevel));
    }
    entry = hash_add(env, &table->hash, hash);
    feature->level[entry] = (SummaryLevel){env_text(env, bytes, length), length, count};
    feature->level_count++;
}

void summary_add_level(Env *env, FeatureSummary *feature, const char *bytes, uint32_t length)
{
    add_level(env, feature, bytes, length, 0);
}

int summary_compare_levels(const void *left, const void *right)
{
    const SummaryLevel *a = left, *b = right;

    return bytes_compare(a->bytes, a->length, b->bytes, b->length);
}

static void order_levels(Env *env, FeatureSummary *feature)
{
    sort_polled(env, feature->level, feature->level_count, sizeof(SummaryLevel), summary_compare_levels);
    hash_clear(&feature->table->hash);
    for (uint32_t i = 0; i < feature->level_count; i++)
        hash_add(env, &feature->table->hash, hash_bytes(feature->level[i].bytes, feature->level[i].length));
}

/* ---- rows ---- */

RowSummary *summary_new(Env *env, uint32_t count, const char *const *names, const bool *levels)
{
    RowSummary *summary = env_array(env, 1, sizeof *summary);

    summary->env = env;
    summary->count = count;
    summary->features = env_array(env, count, sizeof(FeatureSummary));
    for (uint32_t i = 0; i < count; i++) {
        FeatureSummary *feature = &summary->features[i];

        feature->name = env_text(env, names[i], strlen(names[i]));
        feature->levels = levels[i];
        if (levels[i]) {
            feature->table = env_array(env, 1, sizeof(LevelTable));
            feature->table->hash = hash_table(env, 5);
        }
    }
    return summary;
}

void summary_null(RowSummary *summary, uint32_t i)
{
    summary->features[i].nulls++;
}

void summary_number(RowSummary *summary, uint32_t i, double value)
{
    FeatureSummary *feature = &summary->features[i];
    double from_mean;

    if (!isfinite(value)) {
        feature->nulls++;
        return;
    }
    if (feature->recent == NULL)
        feature->recent = env_array_raw(summary->env, WAITING, sizeof(uint64_t));
    feature->recent[feature->waiting++] = number_key(value);
    feature->count++;
    from_mean = value - feature->mean;
    feature->mean += from_mean / (double)feature->count;
    feature->m2 += from_mean * (value - feature->mean);
    if (feature->waiting == WAITING)
        sort_waiting(summary->env, feature);
}

void summary_level(RowSummary *summary, uint32_t i, const char *bytes, uint32_t length)
{
    add_level(summary->env, &summary->features[i], bytes, length, 1);
    summary->features[i].count++;
}

void summary_finish(RowSummary *summary)
{
    for (uint32_t i = 0; i < summary->count; i++)
        if (summary->features[i].levels)
            order_levels(summary->env, &summary->features[i]);
        else
            sort_waiting(summary->env, &summary->features[i]);
}

/* Merges means and sums of squared deviations (Chan, Golub and LeVeque 1983). */
static void merge_mean(FeatureSummary *into, const FeatureSummary *from)
{
    double n = (double)into->count, m = (double)from->count, between = from->mean - into->mean;

    if (m == 0)
        return;
    if (n == 0) {
        into->mean = from->mean;
        into->m2 = from->m2;
        return;
    }
    into->mean += between * (m / (n + m));
    into->m2 += from->m2 + between * between * (n * (m / (n + m)));
}

void summary_merge(RowSummary *into, RowSummary *from)
{
    Env *env = into->env;

    if (into->count != from->count)
        env_fail(env, ERROR_DATA, NULL, "summaries of %u and %u features do not merge", into->count, from->count);
    summary_finish(into);
    summary_finish(from);
    for (uint32_t i = 0; i < into->count; i++) {
        FeatureSummary *a = &into->features[i], *b = &from->features[i];

        if (strcmp(a->name, b->name) != 0 || a->levels != b->levels)
            env_fail(env, ERROR_DATA, "Merge summaries of the same columns in the same order.",
                     "feature %u is \"%s\" (%s) in one summary and \"%s\" (%s) in the other", i + 1, a->name,
                     a->levels ? "levels" : "numbers", b->name, b->levels ? "levels" : "numbers");
        a->nulls += b->nulls;
        merge_mean(a, b);
        a->count += b->count;
        for (uint32_t j = 0; j < b->level_count; j++)
            add_level(env, a, b->level[j].bytes, b->level[j].length, b->level[j].count);
        if (!a->levels) {
            summary_widen(a, b->shift);
            summary_widen(b, a->shift);
            add_buckets(env, a, b->keys, b->counts, b->used);
        }
    }
    into->rows += from->rows;
    summary_finish(into);
}
