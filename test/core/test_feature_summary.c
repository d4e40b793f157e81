/*
 * test_feature_summary.c - summaries of features: buckets of every magnitude, order, merges, levels, JSON and what is wrong with it; drift.
 */
#include "check.h"

#include "core/base/text_buffer.h"
#include "core/drift/feature_drift.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"a", "c"};
static const bool levels[] = {false, true};

/* Returns a number that depends on i, of any sign and magnitude. */
static double number(uint32_t i, int scale)
{
    double value = sin(i * 1.7 + 0.3);

    return scale == 0 ? (double)(i % 100) : scale == 1 ? value : scale == 2 ? 1e9 + value : ldexp(value, (int)(i * 7919 % 2000) - 1000);
}

static RowSummary *summarize(Host *host, uint32_t first, uint32_t step, uint32_t end, int scale)
{
    RowSummary *summary = summary_new(&host->env, 2, names, levels);

    for (uint32_t i = first; i < end; i += step) {
        char level[16];
        int length = snprintf(level, sizeof level, "l%u", i % 300);

        summary_number(summary, 0, number(i, scale));
        summary_level(summary, 1, level, (uint32_t)length);
        summary->rows++;
    }
    summary_finish(summary);
    return summary;
}

static void check_same(const RowSummary *a, const RowSummary *b)
{
    const FeatureSummary *x = &a->features[0], *y = &b->features[0];

    CHECK_INT(x->shift, y->shift);
    CHECK_INT(x->used, y->used);
    CHECK(memcmp(x->keys, y->keys, x->used * sizeof(uint64_t)) == 0);
    CHECK(memcmp(x->counts, y->counts, x->used * sizeof(uint64_t)) == 0);
    CHECK_INT(a->features[1].level_count, b->features[1].level_count);
    for (uint32_t i = 0; i < a->features[1].level_count; i++) {
        CHECK(strcmp(a->features[1].level[i].bytes, b->features[1].level[i].bytes) == 0);
        CHECK_INT(a->features[1].level[i].count, b->features[1].level[i].count);
    }
}

static void test_merges(Host *host)
{
    for (int scale = 0; scale < 4; scale++) {
        RowSummary *whole = summarize(host, 0, 1, 20000, scale), *parts = summarize(host, 2, 3, 20000, scale), *read;
        size_t length;
        char *text;

        summary_merge(parts, summarize(host, 0, 3, 20000, scale));
        summary_merge(parts, summarize(host, 1, 3, 20000, scale));
        check_same(whole, parts);
        CHECK(whole->features[0].used <= SUMMARY_BUCKETS || whole->features[0].shift == SUMMARY_SHIFT_MOST);
        text = summary_text(whole, &length);
        read = summary_read(&host->env, text, length, ERROR_DATA);
        check_same(whole, read);
        CHECK(strcmp(summary_text(read, NULL), text) == 0);
    }
}

static void test_edges(Host *host)
{
    static const double values[] = {-DBL_MAX, -1, -DBL_TRUE_MIN, -0.0, 0, DBL_TRUE_MIN, 1, DBL_MAX, NAN, INFINITY, -INFINITY};
    RowSummary *summary = summary_new(&host->env, 2, names, levels);
    FeatureSummary *feature = &summary->features[0];

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        summary_number(summary, 0, values[i]);
    summary_finish(summary);
    CHECK_INT(feature->used, 7);
    CHECK_INT(feature->nulls, 3);
    CHECK(summary_edge(feature, 0) == -DBL_MAX && summary_edge(feature, 3) == 0 && summary_edge(feature, 6) == DBL_MAX);
    for (unsigned shift = 1; shift <= SUMMARY_SHIFT_MOST; shift++) {
        summary_widen(feature, shift);
        for (uint32_t i = 0; i < feature->used; i++)
            CHECK(isfinite(summary_edge(feature, i)) && summary_key(summary_edge(feature, i), shift) == feature->keys[i]);
    }
}

static void test_drift(Host *host)
{
    RowSummary *then = summarize(host, 0, 1, 1000, 0), *now = summarize(host, 0, 1, 500, 0);
    FeatureDrift drift = feature_drift(then, now, 0);

    drift_require_same(then, now);
    CHECK(drift.psi == 0 && drift.ks == 0 && drift.ks_error == 0 && strcmp(drift.verdict, "stable") == 0);
    summary_level(now, 1, "new", 3);
    summary_finish(now);
    drift = feature_drift(then, now, 1);
    CHECK(drift.unseen_count == 1 && drift.example_count == 1 && isnan(drift.ks));
    CHECK(strcmp(drift.examples[0]->bytes, "new") == 0);
}

/* Of eight unseen levels the five most frequent are shown, the first of equal ones, in whatever order they come. */
static void test_examples(Host *host)
{
    static const int counts[] = {2, 1, 5, 3, 5, 1, 4, 2};
    RowSummary *then = summarize(host, 0, 1, 10, 0), *now = summarize(host, 0, 1, 10, 0);
    FeatureDrift drift;
    TextBuffer shown = {.env = &host->env};

    for (int i = 0; i < 8; i++)
        for (int k = 0; k < counts[i]; k++)
            summary_level(now, 1, (char[]){'n', (char)('0' + i)}, 2);
    summary_finish(now);
    drift = feature_drift(then, now, 1);
    for (uint32_t i = 0; i < drift.example_count; i++)
        text_print(&shown, "%.2s:%d ", drift.examples[i]->bytes, (int)drift.examples[i]->count);
    CHECK_TEXT(text_finish(&shown, NULL), "n2:5 n4:5 n6:4 n3:3 n0:2 ");
    CHECK_INT(drift.unseen_count, 23);
}

/* Summaries of no rows, and of other features, are neither compared nor merged. */
static void test_other_features(Host *host)
{
    static const char *const others[] = {"a", "d"};
    static const bool texts[] = {true, true}, numbers[] = {false, false};
    RowSummary *then = summarize(host, 0, 1, 10, 0), *empty = summary_new(&host->env, 2, names, levels), *one = summary_new(&host->env, 1, names, levels);
    RowSummary *named = summary_new(&host->env, 2, others, levels), *text = summary_new(&host->env, 2, names, texts), *number = summary_new(&host->env, 2, names, numbers);

    CHECK_FAILS(host, ERROR_DATA, "the training summary has 2 features, the rows have 1", drift_require_same(then, one));
    CHECK_FAILS(host, ERROR_DATA, "the training summary has no rows", drift_require_same(empty, then));
    CHECK_FAILS(host, ERROR_DATA, "there are no rows to compare with training", drift_require_same(then, empty));
    named->rows = text->rows = number->rows = 1;
    CHECK_FAILS(host, ERROR_DATA, "feature 2 is \"d\", in training it was \"c\"", drift_require_same(then, named));
    CHECK_FAILS(host, ERROR_DATA, "feature \"a\" is text, in training it was a number", drift_require_same(then, text));
    CHECK_TEXT(host->hint, "Cast it to a number in the source.");
    CHECK_FAILS(host, ERROR_DATA, "feature \"c\" is a number, in training it was text", drift_require_same(then, number));
    CHECK_TEXT(host->hint, "Cast it to text in the source.");
    CHECK_FAILS(host, ERROR_DATA, "summaries of 2 and 1 features do not merge", summary_merge(then, one));
    CHECK_FAILS(host, ERROR_DATA, "feature 2 is \"c\" (levels) in one summary and \"d\" (levels) in the other", summary_merge(then, named));
    CHECK_FAILS(host, ERROR_DATA, "feature 1 is \"a\" (levels) in one summary and \"a\" (numbers) in the other", summary_merge(text, then));
    summary_merge(empty, then);
    summary_merge(empty, summary_new(&host->env, 2, names, levels));
    check_same(empty, then);
    CHECK_NEAR(empty->features[0].mean, then->features[0].mean, 0);
}

int main(void)
{
    Host *host = host_new();

    test_merges(host);
    test_edges(host);
    test_drift(host);
    test_examples(host);
    test_other_features(host);
    host_free(host);
    return check_report();
}
