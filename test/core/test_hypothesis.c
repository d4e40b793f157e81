/*
 * test_hypothesis.c - samples of tests: merged in parts, written as bytes and read again, and from damaged bytes; distributions of rank
 * statistics against R; exact p-values of tables against all tables counted one by one; sequential tests by simulation.
 */
#include "check.h"
#include "core/hypothesis/ab_test.h"
#include "core/hypothesis/log_rank_test.h"
#include "core/hypothesis/rank_tests.h"
#include "core/hypothesis/table_tests.h"
#include "core/math/normal_deviate.h"

#define CHECK_RELATIVE(found, expected, tolerance) CHECK_NEAR((found) / (expected), 1.0, tolerance)

static void add_rows(Env *env, Sample *sample, int from, int to)
{
    for (int i = from; i < to; i++) {
        char label[64];
        int length = snprintf(label, sizeof(label), i % 2 ? "group %d" : "a long label of a group, number %d", i % 7);

        sample_add_grouped(env, sample, 1e6 + (i * 7919 % 1009) / 8.0, (SampleLabel){label, (uint32_t)length, 0});
    }
}

/* Adds rows with two numbers each; in the order of the second label byte, so that parts have groups that others lack. */
static void add_pairs(Env *env, Sample *sample, int from, int to)
{
    for (int i = from; i < to; i++) {
        char label[64];
        int length = snprintf(label, sizeof(label), i % 2 ? "group %d" : "a long label of a group, number %d", i % 7);

        sample_add_grouped_pair(env, sample, 1e6 + (i * 7919 % 1009) / 8.0, -1e5 + (i * 104729 % 997) / 16.0, (SampleLabel){label, (uint32_t)length, 0});
    }
}

/* Sums of pairs in groups, merged in parts, are those of the rows at once, and their covariances those of the definition. */
static void test_pairs(Host *host)
{
    Env *env = &host->env;
    Sample whole = {.keeps = KEEP_SUMS}, parts = {.keeps = KEEP_SUMS}, part = {.keeps = KEEP_SUMS}, read = {0};
    const uint32_t *order, *other;
    uint8_t *bytes;
    size_t size;

    add_pairs(env, &whole, 0, 1000);
    add_pairs(env, &parts, 990, 1000);
    add_pairs(env, &part, 0, 990);
    bytes = sample_bytes(env, &part, &size);
    sample_of_bytes(env, &read, bytes, size);
    sample_merge(env, &parts, &read);
    order = sample_order(env, &whole);
    other = sample_order(env, &parts);
    for (uint32_t i = 0; i < whole.group_count; i++) {
        const SampleExtra *a = &whole.extra[order[i]], *b = &parts.extra[other[i]];

        CHECK_RELATIVE(b->origin + b->mean, a->origin + a->mean, 1e-15);
        CHECK_RELATIVE(b->squares, a->squares, 1e-12);
        CHECK_RELATIVE(b->products, a->products, 1e-11);
    }
    host_reset(host);
}

static void test_samples(Host *host)
{
    Env *env = &host->env;
    Sample whole = {.keeps = KEEP_VALUES}, parts = {.keeps = KEEP_VALUES}, read = {0}, part = {.keeps = KEEP_VALUES};
    const uint32_t *order, *other;
    uint8_t *bytes;
    size_t size;

    add_rows(env, &whole, 0, 1000);
    add_rows(env, &parts, 600, 1000);
    add_rows(env, &part, 0, 600);
    bytes = sample_bytes(env, &part, &size);
    sample_of_bytes(env, &read, bytes, size);
    sample_merge(env, &parts, &read);
    CHECK_INT(parts.group_count, whole.group_count);
    CHECK_INT(parts.value_count, 1000);
    order = sample_order(env, &whole);
    other = sample_order(env, &parts);
    for (uint32_t i = 0; i < whole.group_count; i++) {
        const SampleGroup *a = &sample_groups(&whole)[order[i]], *b = &sample_groups(&parts)[other[i]];

        CHECK_INT(a->length, b->length);
        CHECK(memcmp(group_label(a), group_label(b), a->length) == 0 && a->count == b->count);
        CHECK_RELATIVE(group_mean(b), group_mean(a), 1e-15);
        CHECK_RELATIVE(b->squares, a->squares, 1e-13);
    }
    host_reset(host);
}

/* Bytes that are cut short or changed are refused, or read as another sample, but never read beyond. */
static void test_damaged_bytes(Host *host, SampleKeeps keeps)
{
    Sample sample = {.keeps = keeps};
    uint8_t *bytes, *copy;
    size_t size;

    if (keeps == KEEP_VALUES)
        add_rows(&host->env, &sample, 0, 20);
    else
        add_pairs(&host->env, &sample, 0, 20);
    bytes = sample_bytes(&host->env, &sample, &size);
    for (size_t i = 0; i < size; i++) {
        Sample *read = env_array(&host->env, 2, sizeof(Sample));

        copy = env_array(&host->env, size, 1);
        memcpy(copy, bytes, i);
        if (TRY(host)) {
            sample_of_bytes(&host->env, read, copy, i);
            CHECK(!"bytes that were cut short were read");
        }
        memcpy(copy, bytes, size);
        copy[i] ^= 0xff;
        if (TRY(host))
            sample_of_bytes(&host->env, read + 1, copy, size);
    }
    host->catching = false;
    host_reset(host);
}

static void test_distributions(Host *host)
{
    double *p = rank_sum_distribution(&host->env, 12, 9), sum = 0;

    for (int i = 0; i <= 40; i++)
        sum += p[i];
    CHECK_RELATIVE(sum, 0.17255128772156636, 1e-13);
    p = rank_sum_distribution(&host->env, 30, 25);
    CHECK_RELATIVE(p[0] + p[1] + p[2] + p[3], 2.2684179889172618e-15, 1e-13);
    p = signed_rank_distribution(&host->env, 20);
    sum = 0;
    for (int i = 0; i <= 50; i++)
        sum += p[i];
    CHECK_RELATIVE(sum, 0.019994735717773438, 1e-13);
    p = signed_rank_distribution(&host->env, 45);
    CHECK_RELATIVE(p[0] + p[1] + p[2], 8.5265128291212136e-14, 1e-13);
    p = kendall_distribution(&host->env, 40);
    sum = 0;
    for (int i = 0; i <= 780; i++)
        sum += p[i];
    CHECK_RELATIVE(sum, 1, 1e-14);
    CHECK_RELATIVE(p[0] + p[1] + p[2], (1 + 39 + 779) / 8.1591528324789773e47, 1e-13); /* of 40! orders */
    CHECK_RELATIVE(rank_distance_upper(&host->env, 9, 240), 1 / 362880.0, 1e-14);
    CHECK_RELATIVE(rank_distance_upper(&host->env, 9, 238), 9 / 362880.0, 1e-14);
    CHECK_RELATIVE(rank_distance_upper(&host->env, 3, 2), 5 / 6.0, 1e-14);
    CHECK_RELATIVE(kolmogorov_upper(0.3), 0.9999906941986655, 1e-14); /* the series in 50 digits */
    CHECK_RELATIVE(kolmogorov_upper(0.9), 0.3927307079406544, 1e-14);
    CHECK_RELATIVE(kolmogorov_upper(1), 0.2699996716773545, 1e-14);
    CHECK_RELATIVE(kolmogorov_upper(4), 2.532833109818835e-14, 1e-14);
    CHECK_RELATIVE(kolmogorov_upper(8), 5.14441874528483e-56, 1e-14);
    CHECK(kolmogorov_upper(0) == 1);
    host_reset(host);
}

/* Counts the tables of three rows and three columns with these totals: the four cells of a corner decide the others. */
static double p_by_counting(const CountTable *t)
{
    double cost = 0, limit = 0, all = 0, rare = 0, x[9];

    for (int i = 0; i < 9; i++)
        limit += lgamma(t->cells[i] + 1);
    for (x[0] = 0; x[0] <= t->total; x[0]++)
        for (x[1] = 0; x[1] <= t->total; x[1]++)
            for (x[3] = 0; x[3] <= t->total; x[3]++)
                for (x[4] = 0; x[4] <= t->total; x[4]++) {
                    bool fits = true;

                    x[2] = t->row_totals[0] - x[0] - x[1];
                    x[5] = t->row_totals[1] - x[3] - x[4];
                    for (int j = 0; j < 3; j++)
                        x[6 + j] = t->column_totals[j] - x[j] - x[3 + j];
                    cost = 0;
                    for (int i = 0; i < 9; i++) {
                        fits = fits && x[i] >= 0;
                        cost += lgamma(fmax(x[i], 0) + 1);
                    }
                    if (fits)
                        all += exp(-cost);
                    if (fits && cost >= limit - 1e-7)
                        rare += exp(-cost);
                }
    return rare / all;
}

static void test_tables(Host *host)
{
    double tables[][9] = {{3, 1, 2, 0, 4, 1, 2, 2, 3}, {5, 0, 0, 0, 4, 1, 0, 0, 6}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 3, 0, 4, 0, 1, 2, 2, 2}};

    for (int k = 0; k < 4; k++) {
        double rows[3] = {0}, columns[3] = {0};
        CountTable table = {.rows = 3, .columns = 3, .cells = tables[k], .row_totals = rows, .column_totals = columns};

        for (int i = 0; i < 9; i++) {
            rows[i / 3] += tables[k][i];
            columns[i % 3] += tables[k][i];
            table.total += tables[k][i];
        }
        CHECK_RELATIVE(table_network_p(&host->env, &table, 1e-7), p_by_counting(&table), 1e-11);
        host_reset(host);
    }
}

/* ---- experiments ---- */

/* Returns the share of experiments without an effect in which some look at the data rejects at 5 %. */
static double false_alarms(Host *host, const char *json)
{
    static const SampleLabel labels[] = {{"a", 1, 0}, {"b", 1, 1}};
    const int experiments = 400, rows = 400;
    uint64_t state = 20240229;
    int rejected = 0;

    for (int i = 0; i < experiments; i++) {
        Sample sample = {.keeps = KEEP_SUMS};
        const Options *options = options_parse(&host->env, "ab_test", hypothesis_test_options("ab_test"), json, strlen(json), NULL, NULL, 0);
        bool any = false;

        for (int j = 0; j < rows && !any; j++) {
            HypothesisResult result;
            double deviates[2];

            normal_deviates(&state, deviates, 2);
            sample_add_grouped(&host->env, &sample, 10 + 3 * deviates[0], labels[0]);
            sample_add_grouped(&host->env, &sample, 10 + 3 * deviates[1], labels[1]);
            if (j < 9)
                continue;
            ab_test(&host->env, &sample, options, &result);
            CHECK((result.p_value < 0.05) == (result.conf_low > 0 || result.conf_high < 0));
            any = result.p_value < 0.05;
        }
        rejected += any;
        host_reset(host);
    }
    return rejected / (double)experiments;
}

/* Looking after each pair of rows rejects at most 5 % of the time with always_valid, and far more often without. */
static void test_always_valid(Host *host)
{
    CHECK(false_alarms(host, "{\"always_valid\": true}") <= 0.05);
    CHECK(false_alarms(host, "{\"always_valid\": true, \"mixture\": 1}") <= 0.05);
    CHECK(false_alarms(host, "{}") > 0.25);
    /* the density of N(0, 1 + 3) divided by that of N(0, 1), at 2 */
    CHECK_RELATIVE(mixture_log_ratio(2, 3), log(0.12098536225957168 / 0.05399096651318806), 1e-14);
    /* limits end where the ratio is 1 / (1 - level) */
    CHECK_RELATIVE(mixture_log_ratio(mixture_distance(0.95, 0.7), 0.7), -log(0.05), 1e-14);
    CHECK_RELATIVE(mixture_log_ratio(mixture_distance(0.8, 1e-6), 1e-6), -log(0.2), 1e-9);
}

/* Times cost more with many groups, also where the first group has no rows at risk. */
static void test_log_rank_polls(Host *host)
{
    Env *env = &host->env;
    Sample sample = {.keeps = KEEP_VALUES};
    HypothesisResult result;
    uint64_t before;

    for (int i = 0; i < 2000; i++) {
        char label[16];
        int length = snprintf(label, sizeof label, "%d", i < 2 ? 0 : 1 + i % 200);

        sample_add_time(env, &sample, i + 1.0, true, (SampleLabel){label, (uint32_t)length, i < 2 ? 0 : 1 + i % 200}, NULL);
    }
    before = host->polls;
    log_rank_test(env, &sample, NULL, &result);
    CHECK(result.df == 200);
    CHECK(host->polls - before >= 2000);
}

int main(void)
{
    Host *host = host_new();

    test_samples(host);
    test_pairs(host);
    test_damaged_bytes(host, KEEP_VALUES);
    test_damaged_bytes(host, KEEP_SUMS);
    test_always_valid(host);
    test_distributions(host);
    test_tables(host);
    test_log_rank_polls(host);
    host_free(host);
    return check_report();
}
