/*
 * test_ranking_metrics.c - scores in order with and without spilling, rankings, tables of labels, losses; states as bytes.
 */
#include "check.h"
#include "fit.h"
#include "core/metrics/class_metrics.h"
#include "core/metrics/loss.h"
#include "core/metrics/ranking_metrics.h"
#include "core/metrics/score_sort.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Sample {
    double score, target, weight;
} Sample;

static Rows *rows_of(Env *env, const Sample *samples, uint32_t count, bool weighted, uint32_t classes)
{
    Rows *rows = rows_new(rows_pool(env), labeled_schema(env, classes), ROWS_TARGET | (weighted ? ROWS_WEIGHT : 0));

    for (uint32_t i = 0; i < count; i++)
        rows_append(rows, &samples[i].score, samples[i].target, samples[i].weight, NULL, 0);
    return rows;
}

static const Options *options_of(Env *env, const Estimator *metric, const char *json)
{
    const OptionSpec *const *tables = metric->options;

    return options_parse(env, metric->name, tables, json, strlen(json), NULL, NULL, 0);
}

/* ---- scores in order ---- */

typedef struct Collected {
    ScoreGroup *groups;
    uint32_t count;
} Collected;

static void collect(void *context, const ScoreGroup *group)
{
    Collected *collected = context;

    collected->groups[collected->count++] = *group;
}

static int compare_samples(const void *a, const void *b)
{
    const Sample *x = a, *y = b;

    return (x->score > y->score) - (x->score < y->score);
}

static void check_order(Host *host, const Sample *samples, uint32_t count, bool weighted, bool descending)
{
    Env *env = &host->env;
    Collected found = {env_array(env, count + 1, sizeof(ScoreGroup)), 0};
    Sample *sorted = env_array(env, count + 1, sizeof(Sample));
    uint32_t g = 0;

    memcpy(sorted, samples, count * sizeof(Sample));
    qsort(sorted, count, sizeof(Sample), compare_samples);
    score_order(env, rows_of(env, samples, count, weighted, 2), 1, descending, collect, &found);
    for (uint32_t i = 0; i < count; g++) {
        const ScoreGroup *group = g < found.count ? &found.groups[descending ? found.count - 1 - g : g] : NULL;
        double positive = 0, negative = 0, score = sorted[i].score, rows = 0;

        for (; i < count && sorted[i].score == score; i++) {
            *(sorted[i].target == 1 ? &positive : &negative) += weighted ? sorted[i].weight : 1;
            rows++;
        }
        if (!CHECK(group != NULL) || !CHECK(group->score == score))
            return;
        CHECK_NEAR(group->positive, positive, 1e-12);
        CHECK_NEAR(group->negative, negative, 1e-12);
        CHECK_NEAR(group->positive_rows + group->negative_rows, rows, 0);
    }
    CHECK_INT(found.count, g);
}

static void test_order(Host *host)
{
    static const double special[] = {0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1, -1, 0x1p-1022};
    uint32_t counts[] = {1, 2, 47, 49, 3000, 40000};
    uint64_t seed = 3;

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
        for (int kind = 0; kind < 5; kind++) {
            Sample *samples = malloc(counts[c] * sizeof(Sample));

            for (uint32_t i = 0; i < counts[c]; i++) {
                double u = random_uniform(&seed);

                samples[i] = (Sample){kind == 0   ? u
                                      : kind == 1 ? floor(u * 10)
                                      : kind == 2 ? special[(int)(u * 9)]
                                      : kind == 3 ? (u < 0.999 ? 7 : u) /* nearly constant */
                                                  : (u < 0.5 ? 1 + u * 1e-12 : (u - 0.75) * 1e300),
                                      random_uniform(&seed) < 0.4, 0.5 + random_uniform(&seed)};
            }
            for (int spill = 0; spill < 2; spill++) {
                host->env.memory_limit = spill ? 1 << 17 : 1 << 28;
                check_order(host, samples, counts[c], kind % 2, kind > 1);
                host_reset(host);
            }
            free(samples);
        }
    host->env.memory_limit = 1 << 28;
}

/* ---- rankings ---- */

static void test_ranking(Host *host)
{
    Env *env = &host->env;
    Sample samples[60];
    uint64_t seed = 9;
    const Sample all[] = {{0.2, 1, 1}, {0.7, 0, 1}, {0.1, 1, 1}};
    double ordered = 0, pairs = 0, p, before = -1;
    const Options *plain = options_of(env, &roc_auc_rows, "");
    RankingCurve curve, hull;
    OperatingPoint best;
    CalibrationBin *bins;
    uint32_t count;
    Rows *rows;

    for (int i = 0; i < 60; i++)
        samples[i] = (Sample){floor(random_uniform(&seed) * 20) / 20, i % 3 == 0, 1 + i % 4};
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 60; j++)
            if (samples[i].target == 1 && samples[j].target == 0) {
                double weight = samples[i].weight * samples[j].weight;

                pairs += weight;
                ordered += weight * (samples[i].score > samples[j].score   ? 1
                                     : samples[i].score == samples[j].score ? 0.5
                                                                             : 0);
            }
    rows = rows_of(env, samples, 60, true, 2);
    CHECK(ranking_positive(env, rows, plain, &p) && p == 1);
    CHECK_NEAR(ranking_auc(env, rows, 1), ordered / pairs, 1e-14);
    CHECK_NEAR(ranking_auc(env, rows, 0), 1 - ordered / pairs, 1e-14);
    curve = ranking_curve(env, rows, 1, false);
    hull = ranking_curve(env, rows, 1, true);
    count = 0;
    for (uint64_t i = 0; i < curve.count; i++) {
        CHECK(i == 0 || (curve.points[i].threshold < curve.points[i - 1].threshold &&
                         curve.points[i].true_positives >= curve.points[i - 1].true_positives));
        if (!curve.points[i].on_hull)
            continue;
        CHECK(count < hull.count && hull.points[count].threshold == curve.points[i].threshold);
        count++;
    }
    CHECK_INT(count, hull.count);
    best = ranking_least_cost(env, rows, 1, options_of(env, &operating_point_rows, "{\"cost\": {\"false_negative\": 3}}"));
    CHECK_NEAR(best.cost, best.point.false_positives + 3 * best.false_negatives, 1e-12);
    CHECK_NEAR(best.rates.true_positive_rate, 1 - best.false_negatives / curve.positives, 1e-12);
    CHECK_NEAR(best.rates.false_positive_rate, 1 - best.true_negatives / curve.negatives, 1e-12);
    CHECK(best.threshold > best.point.below && best.threshold < best.point.threshold);
    for (uint64_t i = 0; i < curve.count; i++)
        CHECK((curve.points[i].threshold > best.threshold) == (curve.points[i].threshold >= best.point.threshold));
    for (uint64_t i = 0; i < curve.count; i++)
        CHECK(curve.points[i].false_positives + 3 * (curve.positives - curve.points[i].true_positives) >= best.cost - 1e-9);
    best = ranking_least_cost(env, rows_of(env, all, 3, true, 2), 1, options_of(env, &operating_point_rows, "{\"cost\": {\"false_negative\": 1000}}"));
    CHECK(best.true_negatives == 0 && best.threshold < 0.1 && nextafter(best.threshold, 1) == 0.1);
    best = ranking_least_cost(env, rows, 1, options_of(env, &operating_point_rows, "{\"cost\": {\"false_negative\": 0}}"));
    CHECK(isinf(best.threshold) && best.cost == 0);
    CHECK(isnan(ranking_rates(&curve, curve.points).precision));
    bins = ranking_calibration(env, rows, 1, options_of(env, &calibration_curve_rows, "{\"bins\": 7, \"strategy\": \"quantile\"}"), &count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(bins[i].lower > before && bins[i].lower <= bins[i].mean_predicted && bins[i].mean_predicted <= bins[i].upper);
        before = bins[i].upper;
    }
    CHECK_FAILS(host, ERROR_DATA, "rows have 3", ranking_positive(env, rows_of(env, samples, 60, true, 3), plain, &p));
    CHECK(!ranking_positive(env, rows_of(env, samples, 1, true, 1), plain, &p));
    env->memory_limit = 1000;
    CHECK_FAILS(host, ERROR_LIMIT, "the curve", ranking_curve(env, rows, 1, false));
    env->memory_limit = 1 << 28;
    host_reset(host);
}

/* ---- tables of labels ---- */

static ContingencyLabel label_of(char *buffer, int number, bool as_text)
{
    ContingencyLabel label = {.bytes = buffer, .has_key = !as_text, .key = number};

    label.length = (uint32_t)sprintf(buffer, "%d", number);
    return label;
}

static void test_contingency(Host *host)
{
    Env *env = &host->env;
    Contingency *whole = contingency_new(env), *parts[3] = {contingency_new(env), contingency_new(env), contingency_new(env)}, *again;
    ConfusionTable *a, *b;
    char first[16], second[16];
    uint64_t seed = 5;
    uint8_t *bytes;
    size_t size;
    double rand_whole, rand_merged;

    for (int i = 0; i < 5000; i++) {
        int x = (int)(random_uniform(&seed) * 300), y = i % 2 ? x : (int)(random_uniform(&seed) * 300);
        double weight = i % 3;

        contingency_add(env, whole, label_of(first, x, false), label_of(second, y, true), weight);
        contingency_add(env, parts[i % 3], label_of(first, x, false), label_of(second, y, true), weight);
    }
    bytes = contingency_bytes(env, parts[1], &size);
    again = contingency_of_bytes(env, bytes, size);
    contingency_merge(env, again, parts[2]);
    contingency_merge(env, again, parts[0]);
    a = contingency_table(env, whole);
    b = contingency_table(env, again);
    CHECK_INT(a->count, b->count);
    CHECK_INT(a->cell_count, b->cell_count);
    CHECK_NEAR(a->total, b->total, 0);
    for (uint32_t k = 0; k < a->count; k++) {
        CHECK(a->lengths[k] == b->lengths[k] && memcmp(a->labels[k], b->labels[k], a->lengths[k]) == 0);
        CHECK(k == 0 || atoi(a->labels[k]) > atoi(a->labels[k - 1])); /* by number, whichever side they came from */
        CHECK_NEAR(a->right[k], b->right[k], 0);
    }
    CHECK(class_adjusted_rand(a, &rand_whole) && class_adjusted_rand(b, &rand_merged));
    CHECK_NEAR(rand_whole, rand_merged, 1e-14);
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 97)
        CHECK_FAILS(host, ERROR_BINARY, "not the state", contingency_of_bytes(env, bytes, cut));
    CHECK_FAILS(host, ERROR_DATA, "weight is -1", contingency_add(env, whole, label_of(first, 1, false), label_of(second, 1, true), -1));
    env->memory_limit = 100;
    CHECK_FAILS(host, ERROR_LIMIT, "the table of labels", for (int i = 0; i < 5000; i++)
        contingency_add(env, whole, label_of(first, i, false), label_of(second, i + 5000, true), 1));
    env->memory_limit = 1 << 28;
    host_reset(host);
}

/* ---- losses ---- */

static void add_loss(Env *env, MeanLossState *state, const char *label, double key, double p, double weight)
{
    mean_loss_add(env, state, label, (uint32_t)strlen(label), key, true, p, weight);
}

static void test_losses(Host *host)
{
    const OptionSpec *tables[] = {clip_options, positive_options, NULL};
    Env *env = &host->env;
    Options *none = options_parse(env, "log_loss", tables, "", 0, NULL, NULL, 0);
    Options *other = options_parse(env, "log_loss", tables, "{\"positive\": 0, \"min_probability\": 0.001}", 41, NULL, NULL, 0);
    Options *missing = options_parse(env, "log_loss", tables, "{\"positive\": 9}", 15, NULL, NULL, 0);
    MeanLossState state, part, merged;
    uint8_t *bytes;
    size_t size;
    double loss;

    for (int turned = 0; turned < 2; turned++) {
        mean_loss_begin(env, &state, MEAN_LOG, false, turned ? other : none);
        mean_loss_begin(env, &part, MEAN_LOG, false, turned ? other : none);
        CHECK(!mean_loss_result(env, &state, &loss));
        add_loss(env, &part, "0", 0, 0.25, 2);
        add_loss(env, &state, "1", 1, 0.75, 1);
        add_loss(env, &state, "1", 1, 0, 0); /* no row */
        bytes = mean_loss_bytes(env, &part, &size);
        mean_loss_of_bytes(env, &merged, bytes, size);
        mean_loss_merge(env, &merged, &state);
        mean_loss_merge(env, &state, &part);
        CHECK(mean_loss_result(env, &state, &loss));
        CHECK_NEAR(loss, turned ? (-2 * log(0.25) - log(0.25)) / 3 : -log(0.75), 1e-15);
        CHECK(mean_loss_result(env, &merged, &loss));
        CHECK_NEAR(loss, turned ? (-2 * log(0.25) - log(0.25)) / 3 : -log(0.75), 1e-15);
        for (size_t cut = 0; cut < size; cut++)
            CHECK_FAILS(host, ERROR_BINARY, "not the state", mean_loss_of_bytes(env, &merged, bytes, cut));
    }
    /* bytes with flags that are neither true nor false, or with rows of no label */
    mean_loss_begin(env, &part, MEAN_LOG, false, none);
    add_loss(env, &part, "0", 0, 0.25, 2);
    bytes = mean_loss_bytes(env, &part, &size);
    bytes[offsetof(MeanLossState, more_others)] = 255;
    CHECK_FAILS(host, ERROR_BINARY, "not the state", mean_loss_of_bytes(env, &merged, bytes, size));
    bytes = mean_loss_bytes(env, &part, &size);
    bytes[offsetof(MeanLossState, labels[0].is_number)] = 2;
    CHECK_FAILS(host, ERROR_BINARY, "not the state", mean_loss_of_bytes(env, &merged, bytes, size));
    bytes = mean_loss_bytes(env, &part, &size);
    ((MeanLossState *)bytes)->labels[1].rows = 1;
    CHECK_FAILS(host, ERROR_BINARY, "not the state", mean_loss_of_bytes(env, &merged, bytes, size));
    mean_loss_begin(env, &state, MEAN_LOG, false, missing);
    mean_loss_begin(env, &part, MEAN_LOG, false, missing);
    add_loss(env, &state, "1", 1, 0.5, 1);
    CHECK(mean_loss_result(env, &state, &loss)); /* one label may be the negative one */
    add_loss(env, &part, "0", 0, 0.5, 1);
    bytes = mean_loss_bytes(env, &part, &size);
    mean_loss_of_bytes(env, &merged, bytes, size);
    mean_loss_merge(env, &merged, &state);
    CHECK_FAILS(host, ERROR_DATA, "names \"9\"", mean_loss_result(env, &merged, &loss));
    for (size_t cut = 0; cut < size; cut++)
        CHECK_FAILS(host, ERROR_BINARY, "not the state", mean_loss_of_bytes(env, &merged, bytes, cut));
    mean_loss_begin(env, &state, MEAN_LOG, false, none);
    add_loss(env, &state, "1", 1, 0, 1);
    CHECK(mean_loss_result(env, &state, &loss) && isinf(loss));
    add_loss(env, &state, "0", 0, 0.5, 1);
    CHECK(mean_loss_result(env, &state, &loss) && isinf(loss));
    CHECK_FAILS(host, ERROR_DATA, "there are more", add_loss(env, &state, "2", 2, 0.5, 1));
    CHECK_FAILS(host, ERROR_DATA, "a probability is", add_loss(env, &state, "1", 1, NAN, 1));
    CHECK_FAILS(host, ERROR_DATA, "weight is", add_loss(env, &state, "1", 1, 0.5, NAN));
    mean_loss_begin(env, &state, MEAN_HINGE, false, NULL);
    add_loss(env, &state, "-1", -1, 1e308, 1);
    add_loss(env, &state, "-1", -1, 1e308, 1);
    CHECK_FAILS(host, ERROR_RANGE, "overflow", mean_loss_result(env, &state, &loss));
    CHECK_NEAR(several_loss(env, MEAN_LOG, (double[]){0.2, 0.5, 0.3}, 3, 1, 0), log(2), 1e-15);
    CHECK_NEAR(several_loss(env, MEAN_BRIER, (double[]){0.2, 0.5, 0.3}, 3, 1, 0), 0.04 + 0.25 + 0.09, 1e-15);
    CHECK_FAILS(host, ERROR_DATA, "add up", several_loss(env, MEAN_LOG, (double[]){0.2, 0.5}, 2, 1, 0));
    CHECK_NEAR(loss_of(env, LOSS_LOGISTIC, 1, -1e300, 0), 1e300, 0);
    CHECK_NEAR(loss_of(env, LOSS_LOGISTIC, -1, -800, 0), 0, 0);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    host->env.memory_limit = 1 << 28;
    test_order(host);
    test_ranking(host);
    test_contingency(host);
    test_losses(host);
    host_free(host);
    return check_report();
}
