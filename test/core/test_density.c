/*
 * test_density.c - dbscan, hdbscan, optics, mean_shift and local_outlier_factor against their definitions, in any order of rows, with
 * equal rows, ties and weights; what models that were tampered with do.
 */
#include "check.h"
#include "fit.h"

#include <stdlib.h>

#define MOST 300

static uint64_t seed = 11;

static double distance(const double *x, uint32_t d, uint32_t i, uint32_t j)
{
    double sum = 0;

    for (uint32_t k = 0; k < d; k++)
        sum += (x[i * d + k] - x[j * d + k]) * (x[i * d + k] - x[j * d + k]);
    return sqrt(sum);
}

/* Writes clouds of rows; on a grid, so that many are equal and many distances tie, or not. */
static void make_rows(double *x, uint32_t n, uint32_t d, bool grid)
{
    for (uint32_t i = 0; i < n * d; i++) {
        x[i] = random_normal(&seed) + (i / d % 3) * 4;
        if (grid)
            x[i] = floor(x[i] * 1.5);
    }
}

/* Returns the row of each position of a model, from the ids. */
static void rows_of(const Model *model, uint32_t n, uint32_t *rows)
{
    const ModelEntry *ids = model_find(model, "ids");

    for (uint32_t i = 0; i < n; i++) {
        uint32_t length;
        const char *text = model_text(model, ids, i, &length);
        char buffer[16] = "";

        memcpy(buffer, text, length);
        rows[i] = (uint32_t)strtoul(buffer, NULL, 10);
    }
}

/* Reads the clusters of a model by row. */
static void clusters_of(const Model *model, uint32_t n, int32_t *clusters)
{
    const int32_t *stored = model_data(model, model_find(model, "clusters"));
    uint32_t rows[MOST];

    rows_of(model, n, rows);
    for (uint32_t i = 0; i < n; i++)
        clusters[rows[i]] = stored[i];
}

/* Tells whether two partitions are the same up to the names of clusters; below 0: noise in both. */
static bool same_partition(const int32_t *a, const int32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            if ((a[i] < 0) != (b[i] < 0) || (a[i] >= 0 && a[j] >= 0 && (a[i] == a[j]) != (b[i] == b[j])))
                return false;
    return true;
}

/* ---- dbscan ---- */

/* Clusters by the definition: components of core rows, and border rows with the nearest core row. Checks which are core. */
static void dbscan_by_definition(const double *x, uint32_t d, const double *w, uint32_t n, double radius, double least, bool *core,
                                 int32_t *clusters)
{
    bool changed = true;

    for (uint32_t i = 0; i < n; i++) {
        double weight = 0;

        for (uint32_t j = 0; j < n; j++)
            weight += distance(x, d, i, j) <= radius ? w[j] : 0;
        core[i] = weight >= least;
        clusters[i] = core[i] ? (int32_t)i : -1;
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (core[i] && core[j] && clusters[j] < clusters[i] && distance(x, d, i, j) <= radius) {
                    clusters[i] = clusters[j];
                    changed = true;
                }
    }
    for (uint32_t i = 0; i < n; i++) {
        double near = INFINITY;

        for (uint32_t j = 0; j < n && !core[i]; j++)
            if (core[j] && distance(x, d, i, j) <= radius && distance(x, d, i, j) < near) {
                near = distance(x, d, i, j);
                clusters[i] = clusters[j];
            }
    }
}

/* Tells whether every row is in the cluster that the definition gives, or, if it is a border row, in that of an equally near core row. */
static bool borders_agree(const double *x, uint32_t d, uint32_t n, const bool *core, const int32_t *expected, const int32_t *found)
{
    for (uint32_t i = 0; i < n; i++) {
        double near = INFINITY;
        bool agrees = false;

        if (core[i])
            continue;
        if (expected[i] < 0 || found[i] < 0) {
            if (expected[i] >= 0 || found[i] >= 0)
                return false;
            continue;
        }
        for (uint32_t j = 0; j < n; j++)
            if (core[j] && distance(x, d, i, j) < near)
                near = distance(x, d, i, j);
        for (uint32_t j = 0; j < n; j++)
            agrees = agrees || (core[j] && distance(x, d, i, j) <= near * (1 + 1e-12) && found[j] == found[i]);
        if (!agrees)
            return false;
    }
    return true;
}

static void test_dbscan(Host *host)
{
    static const uint32_t sizes[] = {1, 2, 30, 300}, widths[] = {1, 2, 18}; /* 300: more than a block */

    for (int pass = 0; pass < 48; pass++) {
        uint32_t n = sizes[pass % 4], d = widths[pass / 4 % 3], order[MOST];
        bool grid = pass / 12 % 2, weighted = pass / 24 % 2, core[MOST];
        double x[MOST * 18], w[MOST], radius = d == 18 ? 5 : grid ? 1 : 0.4;
        int32_t expected[MOST], found[MOST], cores[MOST], expected_cores[MOST];
        char json[80];
        Model *model;

        make_rows(x, n, d, grid);
        for (uint32_t i = 0; i < n; i++)
            w[i] = weighted ? 0.5 * (1 + i % 4) : 1;
        dbscan_by_definition(x, d, w, n, radius, 4, core, expected);
        snprintf(json, sizeof json, "{\"radius\":%g,\"min_samples\":4}", radius);
        model = fit_rows(host, "dbscan", x, weighted ? w : NULL, n, d, json, NULL);
        clusters_of(model, n, found);
        for (uint32_t i = 0; i < n; i++) {
            cores[i] = core[i] ? found[i] : -1;
            expected_cores[i] = core[i] ? expected[i] : -1;
        }
        check_that(same_partition(expected_cores, cores, n), __FILE__, __LINE__, "dbscan pass %d: other clusters", pass);
        check_that(borders_agree(x, d, n, core, expected, found), __FILE__, __LINE__, "dbscan pass %d: other border rows", pass);
        random_order(&seed, order, n);
        check_that(model_compare(model, fit_rows(host, "dbscan", x, weighted ? w : NULL, n, d, json, order)) == 0, __FILE__, __LINE__,
                   "dbscan pass %d: another model in another order", pass);
        host_reset(host);
    }
}

/* ---- hdbscan ---- */

/* A cluster of the hierarchy by its definition. */
typedef struct Definition {
    const double *reach; /* [n x n] mutual reachability */
    const double *w;
    uint32_t n, clusters;
    double least; /* weight */
    double birth[4 * MOST], stability[4 * MOST], best[4 * MOST];
    int parent[4 * MOST];
    bool selected[4 * MOST];
    int last[MOST]; /* the cluster that each row leaves last */
} Definition;

/* Marks the component of a row in a set by edges shorter than a length. Returns its weight. */
static double component(const Definition *all, const uint8_t *set, uint32_t row, double length, uint8_t *out)
{
    double weight = 0;
    bool changed = true;

    memset(out, 0, all->n);
    out[row] = 1;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < all->n; i++)
            for (uint32_t j = 0; out[i] && j < all->n; j++)
                if (set[j] && !out[j] && all->reach[i * all->n + j] < length) {
                    out[j] = 1;
                    changed = true;
                }
    }
    for (uint32_t i = 0; i < all->n; i++)
        weight += out[i] ? all->w[i] : 0;
    return weight;
}

/* Returns the least length by which all rows of a set hang together; 0 for one row. */
static double hangs_together(const Definition *all, const uint8_t *set)
{
    double near[MOST], longest = 0;
    bool in[MOST] = {false};
    uint32_t first = 0, count = 0;

    while (!set[first])
        first++;
    for (uint32_t i = 0; i < all->n; i++) {
        near[i] = all->reach[first * all->n + i];
        count += set[i];
    }
    in[first] = true;
    for (uint32_t step = 1; step < count; step++) {
        uint32_t next = UINT32_MAX;

        for (uint32_t i = 0; i < all->n; i++)
            if (set[i] && !in[i] && (next == UINT32_MAX || near[i] < near[next]))
                next = i;
        in[next] = true;
        longest = near[next] > longest ? near[next] : longest;
        for (uint32_t i = 0; i < all->n; i++)
            near[i] = fmin(near[i], all->reach[next * all->n + i]);
    }
    return longest;
}

/* Follows a set down the hierarchy as part of a cluster. */
static void descend(Definition *all, uint8_t *set, int cluster)
{
    for (;;) {
        double length = hangs_together(all, set), density = length > 0 ? 1 / length : 1e150;
        uint8_t rest[MOST], part[MOST], large[MOST][MOST];
        uint32_t count = 0;

        memcpy(rest, set, all->n);
        for (uint32_t i = 0; i < all->n; i++) {
            double weight;

            if (!rest[i])
                continue;
            weight = component(all, set, i, length, part);
            for (uint32_t j = 0; j < all->n; j++) {
                rest[j] = rest[j] && !part[j];
                if (part[j] && (weight < all->least || length == 0))
                    all->last[j] = cluster;
            }
            all->stability[cluster] += weight >= all->least && length > 0 ? 0 : weight * (density - all->birth[cluster]);
            if (weight >= all->least && length > 0)
                memcpy(large[count++], part, all->n);
        }
        if (count == 0)
            return;
        if (count == 1) {
            memcpy(set, large[0], all->n);
            continue;
        }
        for (uint32_t c = 0; c < count; c++) {
            int child = (int)all->clusters++;

            for (uint32_t i = 0; i < all->n; i++)
                all->stability[cluster] += large[c][i] ? all->w[i] * (density - all->birth[cluster]) : 0;
            all->birth[child] = density;
            all->parent[child] = cluster;
            descend(all, large[c], child);
        }
        return;
    }
}

static void hdbscan_by_definition(const double *x, uint32_t d, const double *w, uint32_t n, double samples, double least,
                                  int32_t *clusters)
{
    static double reach[MOST * MOST], core[MOST];
    static Definition all;
    uint8_t set[MOST];

    for (uint32_t i = 0; i < n; i++) {
        core[i] = INFINITY;
        for (uint32_t j = 0; j < n; j++) {
            double weight = 0;

            for (uint32_t k = 0; k < n; k++)
                weight += distance(x, d, i, k) <= distance(x, d, i, j) ? w[k] : 0;
            if (weight >= samples)
                core[i] = fmin(core[i], distance(x, d, i, j));
        }
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            reach[i * n + j] = fmax(distance(x, d, i, j), fmax(core[i], core[j]));
    all = (Definition){.reach = reach, .w = w, .n = n, .least = least, .clusters = 1};
    memset(set, 1, n);
    descend(&all, set, 0);
    for (int c = (int)all.clusters - 1; c > 0; c--) {
        bool leaf = true;

        for (int other = c + 1; other < (int)all.clusters; other++)
            leaf = leaf && all.parent[other] != c;
        all.selected[c] = leaf || all.stability[c] >= all.best[c];
        all.best[all.parent[c]] += all.selected[c] ? all.stability[c] : all.best[c];
    }
    for (uint32_t i = 0; i < n; i++) {
        int owner = -1;

        for (int c = all.last[i]; c > 0; c = all.parent[c])
            owner = all.selected[c] ? c : owner;
        clusters[i] = owner;
    }
}

static void test_hdbscan(Host *host)
{
    static const uint32_t sizes[] = {12, 60, 150}, widths[] = {1, 2, 18};

    for (int pass = 0; pass < 36; pass++) {
        uint32_t n = sizes[pass % 3], d = widths[pass / 3 % 3], order[MOST];
        bool grid = pass / 9 % 2, weighted = pass / 18 % 2;
        double x[MOST * 18], w[MOST];
        int32_t expected[MOST], found[MOST];
        Model *model;

        make_rows(x, n, d, grid);
        for (uint32_t i = 0; i < n; i++)
            w[i] = weighted ? 1 + i % 3 : 1;
        hdbscan_by_definition(x, d, w, n, 4, 5, expected);
        model = fit_rows(host, "hdbscan", x, weighted ? w : NULL, n, d, "{\"min_samples\":4}", NULL);
        clusters_of(model, n, found);
        check_that(same_partition(expected, found, n), __FILE__, __LINE__, "hdbscan pass %d: other clusters", pass);
        random_order(&seed, order, n);
        check_that(model_compare(model, fit_rows(host, "hdbscan", x, weighted ? w : NULL, n, d, "{\"min_samples\":4}", order)) == 0,
                   __FILE__, __LINE__, "hdbscan pass %d: another model in another order", pass);
        host_reset(host);
    }
}

/* Rows that are heavy enough alone make more clusters in the tree than there are rows. */
static void test_heavy_rows(Host *host)
{
    double x[40], w[40];
    int32_t expected[40], found[40];

    for (uint32_t i = 0; i < 40; i++) {
        x[i] = random_normal(&seed);
        w[i] = 6;
    }
    hdbscan_by_definition(x, 1, w, 40, 5, 5, expected);
    clusters_of(fit_rows(host, "hdbscan", x, w, 40, 1, "{}", NULL), 40, found);
    CHECK(same_partition(expected, found, 40));
    host_reset(host);
}

/* ---- optics and outliers ---- */

static void test_optics(Host *host)
{
    for (int pass = 0; pass < 8; pass++) {
        uint32_t n = 120, d = pass % 2 ? 2 : 18, rows[MOST], order[MOST];
        double x[MOST * 18], core[MOST], reach[MOST], radius = pass / 2 % 2 ? (d == 2 ? 0.8 : 6) : INFINITY;
        const double *stored, *cores;
        bool right = true;
        char json[80] = "{\"min_samples\":4}";
        Model *model;

        make_rows(x, n, d, pass / 4);
        if (radius < INFINITY)
            snprintf(json, sizeof json, "{\"min_samples\":4,\"radius\":%g}", radius);
        model = fit_rows(host, "optics", x, NULL, n, d, json, NULL);
        rows_of(model, n, rows);
        stored = model_f64(model, "reachability", NULL);
        cores = model_f64(model, "core_distances", NULL);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t within = 0;

            reach[i] = INFINITY;
            core[i] = INFINITY;
            for (uint32_t j = 0; j < n; j++) {
                within = 0;
                for (uint32_t k = 0; k < n; k++)
                    within += distance(x, d, i, k) <= distance(x, d, i, j);
                if (within >= 4 && distance(x, d, i, j) <= radius)
                    core[i] = fmin(core[i], distance(x, d, i, j));
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t row = rows[i];

            /* no row that is left is nearer */
            for (uint32_t j = i + 1; j < n; j++)
                right = right && !(reach[rows[j]] < reach[row] * (1 - 1e-12));
            right = right && (stored[i] == reach[row] || fabs(stored[i] - reach[row]) <= 1e-12 * reach[row]);
            right = right && (cores[i] == core[row] || fabs(cores[i] - core[row]) <= 1e-12 * core[row]);
            for (uint32_t j = i + 1; j < n && core[row] < INFINITY; j++)
                if (distance(x, d, row, rows[j]) <= radius)
                    reach[rows[j]] = fmin(reach[rows[j]], fmax(core[row], distance(x, d, row, rows[j])));
        }
        check_that(right, __FILE__, __LINE__, "optics pass %d: another order", pass);
        random_order(&seed, order, n);
        CHECK(model_compare(model, fit_rows(host, "optics", x, NULL, n, d, json, order)) == 0);
        host_reset(host);
    }
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void test_outliers(Host *host)
{
    enum { N = 100, K = 7 };
    for (uint32_t d = 1; d <= 18; d += 17) {
        double x[MOST * 18], far[N], density[N], expected[N];
        uint32_t near[N][K], rows[MOST];
        const double *factors;
        Model *model;

        make_rows(x, N, d, false);
        for (uint32_t i = 0; i < N; i++) {
            double sorted[N];
            uint32_t count = 0;

            for (uint32_t j = 0; j < N; j++)
                sorted[j] = j == i ? INFINITY : distance(x, d, i, j);
            qsort(sorted, N, sizeof(double), compare_numbers);
            far[i] = sorted[K - 1];
            for (uint32_t j = 0; j < N && count < K; j++)
                if (j != i && distance(x, d, i, j) <= far[i])
                    near[i][count++] = j;
        }
        for (uint32_t i = 0; i < N; i++) {
            double sum = 0;

            for (uint32_t j = 0; j < K; j++)
                sum += fmax(distance(x, d, i, near[i][j]), far[near[i][j]]);
            density[i] = K / sum;
        }
        for (uint32_t i = 0; i < N; i++) {
            expected[i] = 0;
            for (uint32_t j = 0; j < K; j++)
                expected[i] += density[near[i][j]] / K / density[i];
        }
        model = fit_rows(host, "local_outlier_factor", x, NULL, N, d, "{\"k\":7}", NULL);
        rows_of(model, N, rows);
        factors = model_f64(model, "factors", NULL);
        for (uint32_t i = 0; i < N; i++)
            CHECK_NEAR(factors[i], expected[rows[i]], 1e-11);
        host_reset(host);
    }
}

/* ---- forged models ---- */

static void test_forged(Host *host)
{
    static const char *const methods[] = {"dbscan", "hdbscan", "optics", "local_outlier_factor"};
    static const char *const options[] = {"{\"radius\":1}", "{}", "{}", "{\"k\":3}"};
    double x[60 * 2];

    make_rows(x, 60, 2, false);
    for (size_t m = 0; m < 4; m++)
        for (int pass = 0; pass < 200; pass++) {
            Env *env = &host->env;
            const Estimator *method = estimator_find(methods[m]);
            Model *model = fit_rows(host, methods[m], x, NULL, 60, 2, options[m], NULL);

            if (forge_array(&seed, model, 1 + pass % 3) && estimator_check(env, method, model) == NULL && method->scoring != NULL) {
                size_t bytes;
                void *prepared = method->scoring->prepare(env, model, &bytes);
                double row[] = {random_normal(&seed), random_normal(&seed)};

                if (method->scoring->cluster != NULL) {
                    uint32_t cluster = method->scoring->cluster(model, prepared, row);

                    CHECK(cluster == CLASS_NONE || cluster < method->scoring->width(model));
                } else {
                    method->scoring->classify(model, prepared, row);
                }
            }
            host_reset(host);
        }
}

/* ---- mean_shift ---- */

/* Moves a place as long as it moves, by the definition. Returns the weight around it before the last move. */
static double climb_by_definition(const double *x, uint32_t d, const double *w, uint32_t n, double bandwidth, double *place)
{
    for (;;) {
        double mean[18] = {0}, weight = 0, square = 0;

        for (uint32_t i = 0; i < n; i++) {
            double apart = 0;

            for (uint32_t k = 0; k < d; k++)
                apart += (x[i * d + k] - place[k]) * (x[i * d + k] - place[k]);
            if (sqrt(apart) > bandwidth)
                continue;
            weight += w[i];
            for (uint32_t k = 0; k < d; k++)
                mean[k] += w[i] * x[i * d + k];
        }
        for (uint32_t k = 0; k < d; k++) {
            square += (mean[k] / weight - place[k]) * (mean[k] / weight - place[k]);
            place[k] = mean[k] / weight;
        }
        if (sqrt(square) < 1e-3 * bandwidth)
            return weight;
    }
}

/* Every mode is where a row leads to, and every row leads to within a bandwidth of a mode that is as dense. */
static void test_mean_shift(Host *host)
{
    static const uint32_t widths[] = {1, 2, 18};

    for (int pass = 0; pass < 12; pass++) {
        uint32_t n = pass % 2 ? 200 : 40, d = widths[pass / 2 % 3], order[MOST], count, wrong = 0;
        bool weighted = pass / 6;
        double x[MOST * 18], w[MOST], bandwidth = d == 18 ? 6.3 : 1.13;
        const double *modes, *intensities;
        char json[40];
        Model *model;

        make_rows(x, n, d, false);
        for (uint32_t i = 0; i < n; i++) {
            w[i] = weighted ? 0.5 * (1 + i % 4) : 1;
            order[i] = n - 1 - i;
        }
        snprintf(json, sizeof json, "{\"bandwidth\":%g}", bandwidth);
        model = fit_rows(host, "mean_shift", x, weighted ? w : NULL, n, d, json, NULL);
        check_that(model_compare(model, fit_rows(host, "mean_shift", x, weighted ? w : NULL, n, d, json, order)) == 0, __FILE__, __LINE__,
                   "mean_shift pass %d: another model in another order", pass);
        modes = model_f64(model, "centroids", NULL);
        intensities = model_f64(model, "intensities", &count);
        for (uint32_t i = 0; i < n; i++) {
            double place[18], near = INFINITY, weight;

            memcpy(place, x + i * d, d * sizeof(double));
            weight = climb_by_definition(x, d, w, n, bandwidth, place);
            for (uint32_t c = 0; c < count; c++) {
                double apart = 0;

                for (uint32_t k = 0; k < d; k++)
                    apart += (modes[c * d + k] - place[k]) * (modes[c * d + k] - place[k]);
                if (intensities[c] >= weight - 1e-9)
                    near = fmin(near, sqrt(apart));
            }
            wrong += !(near <= bandwidth * (1 + 1e-9));
        }
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < a; b++)
                wrong += distance(modes, d, a, b) <= bandwidth || intensities[b] < intensities[a];
        check_that(wrong == 0 && count > 0, __FILE__, __LINE__, "mean_shift pass %d: %u of %u rows or modes are wrong", pass, wrong, n);
    }
}

int main(void)
{
    Host *host = host_new();

    test_mean_shift(host);
    test_dbscan(host);
    test_hdbscan(host);
    test_heavy_rows(host);
    test_optics(host);
    test_outliers(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
