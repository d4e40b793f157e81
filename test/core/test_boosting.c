/*
 * test_boosting.c - binned columns, histograms, boosted trees, ensembles: bins at quantiles, sums that subtract exactly, the best
 * split among all, the same model in any order of the rows and in two steps, budgets, cancels, models whose arrays are not what they claim.
 */
#include "check.h"
#include "fit.h"
#include "core/ensemble/ensemble.h"
#include "core/tree_bins/histogram_grow.h"

#include <stdlib.h>

/* ---- bins ---- */

static void check_few_values(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 1000 };
    double *x = env_array(env, ROWS, sizeof(double));
    BinnedColumns *binned;
    const BinnedFeature *feature;

    for (uint32_t i = 0; i < ROWS; i++)
        x[i] = i % 7 == 0 ? -0.0 : i % 7 * 1.5 - 3; /* -0 and 0 are one value */
    x[5] = 0;
    binned = binned_columns_load(env, number_rows(env, x, NULL, NULL, ROWS, 1), NULL, 0, "test");
    feature = &binned->feature[0];
    CHECK_INT(feature->bins, 6); /* -1.5, 0 (twice over), 1.5 ... */
    CHECK(feature->exact && !feature->missing);
    for (uint32_t b = 0; b + 1 < feature->bins; b++)
        CHECK_NEAR(feature->thresholds[b], (feature->low[b] + feature->low[b + 1]) / 2, 0);
    for (uint32_t i = 0; i < ROWS; i++)
        CHECK(binned_code_at(binned, 0, i) == binned_code(feature, x[i]));
    CHECK_INT(binned_code(feature, NAN), feature->bins);
    CHECK_INT(binned_code(feature, 1e300), feature->bins - 1);
    CHECK_INT(binned_code(feature, -1e300), 0);
}

/* Bins of many values hold nearly equal numbers of rows, in the order of the values, and none splits equal ones. */
static void check_quantiles(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 51000 };
    uint64_t seed = 5;
    double *x = env_array(env, ROWS, sizeof(double));
    uint32_t counts[BINS_MAX + 1] = {0};
    BinnedColumns *binned;
    const BinnedFeature *feature;
    bool ordered = true;

    for (uint32_t i = 0; i < ROWS; i++)
        x[i] = i % 5 == 0 ? 0.25 : random_normal(&seed) * (i % 2 ? 1 : 1e100);
    binned = binned_columns_load(env, number_rows(env, x, NULL, NULL, ROWS, 1), NULL, 0, "test");
    feature = &binned->feature[0];
    CHECK(feature->bins > 250 && feature->bins <= BINS_MAX);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t b = binned_code_at(binned, 0, i);

        counts[b]++;
        ordered = ordered && x[i] >= feature->low[b] && x[i] <= feature->high[b];
    }
    CHECK(ordered);
    for (uint32_t b = 0; b < feature->bins; b++) {
        CHECK(counts[b] > 0 && (counts[b] <= 200 || feature->low[b] <= 0.25));
        if (b > 0)
            CHECK(feature->high[b - 1] < feature->low[b] && feature->thresholds[b - 1] < feature->low[b]);
    }
    CHECK(counts[binned_code(feature, 0.25)] >= ROWS / 5);
}

/* Each value has the byte that a search among the thresholds gives it, wherever it lies and however they crowd. */
static void check_bytes(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 30000, SLOTS = 4 };
    uint64_t seed = 8;
    double *x = env_array(env, (size_t)ROWS * SLOTS, sizeof(double));
    BinnedColumns *binned;
    bool same = true;

    for (uint32_t i = 0; i < ROWS; i++) {
        double *row = x + (size_t)i * SLOTS;

        row[0] = random_uniform(&seed);
        row[1] = floor(random_normal(&seed) * 500);
        row[2] = exp(random_normal(&seed) * 9);
        row[3] = (i % 2 ? 1.7e308 : -1.7e308) * random_uniform(&seed);
    }
    binned = binned_columns_load(env, number_rows(env, x, NULL, NULL, ROWS, SLOTS), NULL, 0, "test");
    for (uint32_t i = 0; i < ROWS * SLOTS; i++)
        same = same && binned_code_at(binned, i % SLOTS, i / SLOTS) == binned_code(&binned->feature[i % SLOTS], x[i]) &&
               binned_cell_at(binned, i % SLOTS, i / SLOTS) == binned_code_at(binned, i % SLOTS, i / SLOTS);
    CHECK(same);
}

/* Bytes in the file are those in memory, wherever they are read. */
static void check_pages(const BinnedColumns *whole, BinnedColumns *paged)
{
    uint32_t order[] = {0, 1, 5, BIN_PAGE - 1, BIN_PAGE, 2 * BIN_PAGE + 7}, count = sizeof(order) / sizeof(order[0]), at = 0;
    uint64_t seed = 3;
    bool same = true;

    CHECK(paged->pages != NULL && paged->columns == NULL && paged->group_count == paged->features);
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t feature = (uint32_t)(random_uniform(&seed) * whole->features), row = (uint32_t)(random_uniform(&seed) * whole->rows);

        same = same && binned_code_at(whole, feature, row) == binned_code_at(paged, feature, row);
    }
    CHECK(same);
    for (BinRun run; at < count; at += run.count) {
        run = binned_column_run(paged, 3, order, at, count);
        for (uint32_t i = at; i < at + run.count; i++)
            CHECK_INT(run.cells[order[i] - run.first], binned_code_at(whole, 3, order[i]));
    }
    binned_columns_end(paged);
}

/* Columns are read in batches from a file as from memory. */
static void check_budget(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 20000, SLOTS = 20 };
    uint64_t seed = 8;
    double *x = env_array(env, (size_t)ROWS * SLOTS, sizeof(double));
    BinnedColumns *whole, *batches;
    Rows *rows;

    for (size_t i = 0; i < (size_t)ROWS * SLOTS; i++)
        x[i] = random_uniform(&seed);
    whole = binned_columns_load(env, number_rows(env, x, NULL, NULL, ROWS, SLOTS), NULL, 0, "test");
    env->memory_limit = (2 * SLOTS + 24) * ROWS + 100000;
    rows = number_rows(env, x, NULL, NULL, ROWS, SLOTS);
    CHECK(rows_pool_spilled(rows_pool_of(rows)) > 0);
    batches = binned_columns_load(env, rows, NULL, 0, "test");
    CHECK(batches->pages == NULL && memcmp(whole->columns, batches->columns, (size_t)ROWS * SLOTS) == 0);
    check_pages(whole, binned_columns_load(env, rows, NULL, 24 * ROWS + 200000, "test"));
    if (TRY(host)) {
        binned_columns_load(env, rows, NULL, (2 * SLOTS + 24) * ROWS, "test");
        CHECK(false);
    }
    host->catching = false;
    CHECK_INT(host->code, ERROR_LIMIT);
    env->memory_limit = (size_t)1 << 30;
}

/* ---- histograms ---- */

/* The best first split is the best of all, by brute force, and a child's histogram is that of its rows. */
static void check_split(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 2000, SLOTS = 13 };
    uint64_t seed = 11;
    double *x = env_array(env, (size_t)ROWS * SLOTS, sizeof(double)), best = 0;
    HistogramRow *rows = env_array(env, ROWS, sizeof(HistogramRow));
    HistogramScale scale = histogram_scale(ROWS, 4, 1, ROWS);
    HistogramGrowth growth = {.criterion = TREE_NEWTON, .max_depth = 1, .min_samples_split = 2, .min_samples_leaf = 5};
    HistogramSum *parent, *left, *right;
    BinnedColumns *binned;
    HistogramGrower *grower;
    GrownTree *tree = grown_tree(env);
    uint32_t *order = env_array(env, ROWS, sizeof(uint32_t)), lefts = 0, rights = ROWS;

    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t s = 0; s < SLOTS; s++)
            x[i * SLOTS + s] = floor(random_uniform(&seed) * 40);
        rows[i].gradient = (int32_t)((random_uniform(&seed) * 2 - 1 + (x[i * SLOTS + 7] > 20)) / scale.gradient);
        rows[i].hessian = (uint32_t)((0.5 + random_uniform(&seed) / 2) / scale.hessian);
    }
    binned = binned_columns_load(env, number_rows(env, x, NULL, NULL, ROWS, SLOTS), NULL, 0, "test");
    for (uint32_t s = 0; s < SLOTS; s++)
        for (uint32_t v = 0; v < 39; v++) {
            double g[2] = {0, 0}, h[2] = {0, 0}, gain;

            for (uint32_t i = 0; i < ROWS; i++) {
                g[x[i * SLOTS + s] > v] += rows[i].gradient * scale.gradient;
                h[x[i * SLOTS + s] > v] += rows[i].hessian * scale.hessian;
            }
            gain = g[0] * g[0] / h[0] + g[1] * g[1] / h[1] - (g[0] + g[1]) * (g[0] + g[1]) / (h[0] + h[1]);
            best = gain > best ? gain : best;
        }
    grower = histogram_grower(binned, &growth, 1 << 20);
    histogram_grow(grower, rows, NULL, &scale, NULL, ROWS, 0, tree);
    CHECK_INT(tree->count, 3);
    CHECK_NEAR(tree->nodes[0].cover * tree->nodes[0].impurity - tree->nodes[1].cover * tree->nodes[1].impurity -
                   tree->nodes[2].cover * tree->nodes[2].impurity, best, 1e-9);
    for (uint32_t i = 0; i < ROWS; i++)
        if (x[i * SLOTS + tree->nodes[0].slot] <= tree->nodes[0].threshold)
            order[lefts++] = i;
        else
            order[--rights] = i;
    parent = env_array(env, binned->bins + 4, sizeof(HistogramSum));
    parent = (HistogramSum *)(((uintptr_t)parent + 15) & ~(uintptr_t)15);
    left = env_array(env, binned->bins + 4, sizeof(HistogramSum));
    left = (HistogramSum *)(((uintptr_t)left + 15) & ~(uintptr_t)15);
    right = env_array(env, binned->bins + 4, sizeof(HistogramSum));
    right = (HistogramSum *)(((uintptr_t)right + 15) & ~(uintptr_t)15);
    histogram_add(binned, rows, NULL, NULL, ROWS, scale.count_bits, parent);
    histogram_add(binned, rows, NULL, order, lefts, scale.count_bits, left);
    histogram_add(binned, rows, NULL, order + lefts, ROWS - lefts, scale.count_bits, right);
    histogram_subtract(parent, left, binned->bins);
    CHECK(memcmp(parent, right, binned->bins * sizeof(HistogramSum)) == 0);
}

/* The best split of a few rows is that of their histogram, ties and equal values included. */
static void check_few_rows(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 80, SLOTS = 15, TRIALS = 3000 };
    uint64_t seed = 5;
    double *x = env_array(env, (size_t)ROWS * SLOTS, sizeof(double));
    HistogramRow *rows = env_array(env, ROWS, sizeof(HistogramRow));
    HistogramScale scale = {.gradient = 0.25, .hessian = 0.5, .count_bits = 7};
    HistogramGrowth growth = {.criterion = TREE_MSE, .split_impure = true};
    BinnedColumns *binned;
    HistogramSum *sums;

    for (uint32_t i = 0; i < ROWS * SLOTS; i++)
        x[i] = floor(random_uniform(&seed) * (i % SLOTS + 2));
    binned = binned_columns_load(env, number_rows(env, x, NULL, NULL, ROWS, SLOTS), NULL, 0, "test");
    sums = env_array(env, binned->bins + 4, sizeof(HistogramSum));
    sums = (HistogramSum *)(((uintptr_t)sums + 15) & ~(uintptr_t)15);
    CHECK_INT(binned->group_count, 2);
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        uint32_t order[HISTOGRAM_LANES], count = 0, most = 2 + trial % (HISTOGRAM_LANES - 1);
        HistogramNode node = {.low = -INFINITY, .high = INFINITY};
        HistogramSplit split = {.found = false}, expected = split;

        growth.min_samples_leaf = trial % 3;
        for (uint32_t i = 0; i < ROWS; i++) {
            rows[i].gradient = (int32_t)(random_uniform(&seed) * 7) - 3;
            rows[i].hessian = (uint32_t)(random_uniform(&seed) * 3);
            if (count < most && random_uniform(&seed) * (ROWS - i) < most - count) {
                node.total.gradient += rows[i].gradient;
                node.total.packed += ((int64_t)rows[i].hessian << scale.count_bits) + 1;
                order[count++] = i;
            }
        }
        memset(sums, 0, binned->bins * sizeof(HistogramSum));
        histogram_add(binned, rows, NULL, order, count, scale.count_bits, sums);
        for (uint32_t f = 0; f < SLOTS && !(count == 2 && expected.found); f++)
            histogram_split_feature(binned, &growth, &scale, &node, f, sums + binned->feature[f].first, NULL, &expected);
        for (uint32_t g = 0; g < binned->group_count && !(count == 2 && split.found); g++) {
            CHECK(histogram_group_sorts(binned, &growth, &binned->groups[g]));
            histogram_split_group(binned, &growth, &scale, &node, &binned->groups[g], rows, order, count, &split);
        }
        CHECK_INT(split.found, expected.found);
        CHECK(!split.found || (split.gain == expected.gain && split.missing_left == expected.missing_left));
        CHECK(!split.found || (split.feature == expected.feature && split.bin == expected.bin && split.next == expected.next));
        CHECK(!split.found || (split.left.gradient == expected.left.gradient && split.left.packed == expected.left.packed));
    }
}

/* ---- models ---- */

static double *friedman(Env *env, uint32_t rows, uint64_t seed, double **targets)
{
    double *x = env_array(env, (size_t)rows * 5, sizeof(double));

    *targets = env_array(env, rows, sizeof(double));
    for (uint32_t i = 0; i < rows; i++) {
        double *row = x + (size_t)i * 5;

        for (uint32_t j = 0; j < 5; j++)
            row[j] = random_uniform(&seed);
        (*targets)[i] = 10 * sin(3.14159 * row[0] * row[1]) + 20 * (row[2] - 0.5) * (row[2] - 0.5) + 10 * row[3] + 5 * row[4];
    }
    return x;
}

/* The same rows in another order give the same trees, bit for bit, with few histograms as with many. */
static void check_order(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 3000 };
    static const char *const options[] = {"{}", "{\"max_samples\":0.5}", "{\"max_depth\":5}", "{\"loss\":\"absolute\",\"n_trees\":10}"};
    const Estimator *method = estimator_find("boosted_trees_regression");
    uint32_t *order = env_array(env, ROWS, sizeof(uint32_t));
    uint64_t seed = 4;
    double *y, *x = friedman(env, ROWS, 3, &y);

    random_order(&seed, order, ROWS);
    for (int o = 0; o < 4; o++) {
        const Model *a = rows_model(env, method, target_rows(env, x, y, NULL, NULL, ROWS, 5, 0), options[o]);
        const Model *b = rows_model(env, method, target_rows(env, x, y, NULL, order, ROWS, 5, 0), options[o]);
        const Model *c;

        CHECK(model_compare(model_again(env, a), a) == 0);
        CHECK_INT(model_find(a, "split")->rows, model_find(b, "split")->rows);
        CHECK(memcmp(model_data(a, model_find(a, "threshold")), model_data(b, model_find(b, "threshold")),
                     model_entry_bytes(a, model_find(a, "threshold"))) == 0);
        env->memory_limit = 700000;
        c = rows_model(env, method, target_rows(env, x, y, NULL, NULL, ROWS, 5, 0), options[o]);
        env->memory_limit = (size_t)1 << 30;
        CHECK(memcmp(model_data(a, model_find(a, "split")), model_data(c, model_find(c, "split")),
                     model_entry_bytes(a, model_find(a, "split"))) == 0);
    }
}

/* A fit of 12 iterations, and one of 5 that another continues, give the same model. Forged starts are refused or do no harm. */
static void check_start(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 800 };
    static const char *const options[] = {"", ",\"max_samples\":0.5", ",\"early_stopping\":3", ",\"loss\":\"absolute\""};
    const Estimator *method = estimator_find("boosted_trees_regression");
    double *y, *x = friedman(env, ROWS, 3, &y);
    uint64_t seed = 2;

    for (uint32_t i = 0; i < ROWS; i += 9)
        x[(size_t)i * 5] = NAN;
    for (int o = 0; o < 4; o++) {
        Rows *rows = target_rows(env, x, y, NULL, NULL, ROWS, 5, 0);
        char part[200], whole[200], *text, *more;
        const Model *start;
        size_t size;

        snprintf(part, sizeof(part), "{\"n_trees\":5%s}", options[o]);
        snprintf(whole, sizeof(whole), "{\"n_trees\":12%s}", options[o]);
        start = rows_model(env, method, rows, part);
        text = model_to_text(env, start, &size);
        more = env_array(env, size + 300, 1);
        snprintf(more, size + 300, "{\"n_trees\":12%s,\"start\":%s}", options[o], text);
        CHECK(model_compare(rows_model(env, method, rows, more), rows_model(env, method, rows, whole)) == 0);
        for (int i = 0; i < 40; i++) {
            Model *forged = state_copy(env, start);

            if (!forge_array(&seed, forged, 2))
                continue;
            model_seal(env, forged);
            if (TRY(host)) {
                text = model_to_text(env, forged, &size);
                more = env_array(env, size + 300, 1);
                snprintf(more, size + 300, "{\"n_trees\":7%s,\"start\":%s}", options[o], text);
                rows_model(env, method, rows, more);
                TRY_END(host);
            } else {
                CHECK(host->code != ERROR_INTERNAL);
            }
        }
    }
}

/* Models with random bytes in an array are refused, or score without harm; values of the same checks. */
static void check_forged(Host *host)
{
    Env *env = &host->env;
    enum { ROWS = 300 };
    uint64_t seed = 9;
    double *y, *x = friedman(env, ROWS, 3, &y), out[3];
    const Model *regression = rows_model(env, estimator_find("boosted_trees_regression"),
                                         target_rows(env, x, y, NULL, NULL, ROWS, 5, 0), "{\"n_trees\":5}");
    const Model *both[2], *classifier;

    for (uint32_t i = 0; i < ROWS; i++)
        y[i] = i % 3;
    classifier = rows_model(env, estimator_find("boosted_trees_classifier"),
                            target_rows(env, x, y, NULL, NULL, ROWS, 5, 3), "{\"n_trees\":3}");
    for (int kind = 0; kind < 4; kind++) {
        const Model *sound = kind % 2 == 0 ? regression : classifier;
        int passed = 0;

        if (kind >= 2) {
            both[0] = both[1] = sound;
            sound = ensemble_build(env, both, 2, "", 0);
        }
        for (int round = 0; round < 200; round++) {
            Model *model = env->alloc(env, sound->size);
            const Estimator *method = estimator_of(sound);
            size_t bytes;
            const void *prepared;

            memcpy(model, sound, sound->size);
            if (!forge_array(&seed, model, 1 + round % 8))
                continue;
            model_seal(env, model);
            if (!TRY(host)) {
                host->catching = false;
                continue; /* an ensemble's member that cannot be parsed */
            }
            if (model_check(env, model, model->size) == NULL) {
                passed++;
                prepared = method->scoring->prepare(env, model, &bytes);
                if (method->task == TASK_REGRESSION)
                    out[0] = method->scoring->predict(model, prepared, x);
                else
                    method->scoring->probabilities(model, prepared, x, out);
            }
            host->catching = false;
        }
        CHECK(passed < 200);
    }
}

/* A team gives the model of one process. */
static void check_team(Host *host)
{
    Env *env = &host->env, alone = *env;
    enum { ROWS = 20000 };
    static const char *const options[] = {"{\"n_trees\":4}", "{\"n_trees\":4,\"max_samples\":0.6,\"max_depth\":7}",
                                          "{\"n_trees\":4,\"early_stopping\":2,\"holdout\":0.3}", "{\"n_trees\":3,\"loss\":\"absolute\"}",
                                          "{\"n_trees\":3,\"max_leaf_nodes\":3000,\"min_samples_leaf\":1}"};
    double *y, *weights = env_array(env, ROWS, sizeof(double)), *x = friedman(env, ROWS, 3, &y), *labels = env_array(env, ROWS, sizeof(double));

    alone.team = NULL;
    for (uint32_t i = 0; i < ROWS; i++) {
        weights[i] = 1 + i % 3 * 0.5;
        if (i % 9 == 0)
            x[(size_t)i * 5] = NAN;
    }
    for (int o = 0; o < 5; o++)
        for (uint32_t classes = 0; classes < 4; classes += classes == 0 ? 2 : 1) {
            const Estimator *method = estimator_find(classes == 0 ? "boosted_trees_regression" : "boosted_trees_classifier");
            const double *weight = (o + classes) % 2 == 0 ? weights : NULL;
            Rows *rows;

            if (classes > 0 && o == 3)
                continue;
            for (uint32_t i = 0; classes > 0 && i < ROWS; i++)
                labels[i] = (uint32_t)(fabs(y[i]) * 0.3) % classes;
            rows = target_rows(env, x, classes > 0 ? labels : y, weight, NULL, ROWS, 5, classes);
            CHECK(model_compare(rows_model(env, method, rows, options[o]), rows_model(&alone, method, rows, options[o])) == 0);
        }
}

/* A cancel stops a fit wherever it comes. */
static void check_cancel(Host *host)
{
    enum { ROWS = 2000 };
    Env *env = &host->env;
    double *y, *x = friedman(env, ROWS, 3, &y);
    Rows *rows = target_rows(env, x, y, NULL, NULL, ROWS, 5, 0);
    uint64_t before = host->polls;

    rows_model(env, estimator_find("boosted_trees_regression"), rows, "{\"n_trees\":3}");
    before = host->polls - before;
    CHECK(before > 10);
    for (uint64_t at = 1; at < before; at += 3) {
        host->cancel_at = host->polls + at;
        if (TRY(host)) {
            rows_model(env, estimator_find("boosted_trees_regression"), rows, "{\"n_trees\":3}");
            CHECK(false);
        }
        host->catching = false;
        rows_end_readers(rows);
    }
    host->cancel_at = 0;
}

int main(void)
{
    static void (*const checks[])(Host *) = {check_few_values, check_quantiles, check_bytes, check_budget, check_split, check_few_rows, check_team,
                                             check_order,      check_start,     check_forged,  check_cancel};
    Host *host = host_new();

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        checks[i](host);
        host_reset(host);
    }
    host_free(host);
    return check_report();
}
