/*
 * test_feature_summary.c - summaries of features: buckets of every magnitude, order, merges, levels, JSON and what is wrong with it; drift.
 */
#include "check.h"

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

int main(void)
{
    Host *host = host_new();

    test_merges(host);
    test_edges(host);
    test_drift(host);
    host_free(host);
    return check_report();
}
