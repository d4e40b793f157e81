/*
 * test_hierarchical.c - hierarchical clustering against the definition of each linkage; medoids and
 * distances of all pairs against all sums; edit distance against its recurrence; what models that
 * were tampered with do.
 */
#include "check.h"
#include "fit.h"

#include "core/distance/edit_distance.h"
#include "core/hierarchy/dendrogram.h"

#include <stdlib.h>

static uint64_t seed = 7;

/* ---- the definitions, n^3 ---- */

typedef struct Cluster {
    bool gone;
    double weight;
    double mean[8];
    uint8_t member[400];
} Cluster;

static double apart(const double *x, uint32_t d, const double *w, uint32_t n, const Cluster *a,
                    const Cluster *b, const char *linkage)
{
    double least = INFINITY, largest = 0, sum = 0, between = 0;

    for (uint32_t j = 0; j < d; j++)
        between += (a->mean[j] - b->mean[j]) * (a->mean[j] - b->mean[j]);
    if (strcmp(linkage, "centroid") == 0)
        return sqrt(between);
    if (strcmp(linkage, "ward") == 0)
        return sqrt(2 * between * a->weight * b->weight / (a->weight + b->weight));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n && a->member[i]; k++) {
            double distance = 0;

            if (!b->member[k])
                continue;
            for (uint32_t j = 0; j < d; j++)
                distance += (x[i * d + j] - x[k * d + j]) * (x[i * d + j] - x[k * d + j]);
            distance = sqrt(distance);
            least = fmin(least, distance);
            largest = fmax(largest, distance);
            sum += w[i] * w[k] * distance;
        }
    return strcmp(linkage, "single") == 0     ? least
           : strcmp(linkage, "complete") == 0 ? largest
                                              : sum / a->weight / b->weight;
}

/* Computes the heights of the tree from all pairs of clusters at every step. */
static void by_definition(const double *x, uint32_t d, const double *w, uint32_t n,
                          const char *linkage, double *heights)
{
    Cluster *clusters = calloc(n, sizeof(Cluster));
    double *table = malloc((size_t)n * n * sizeof(double));

    for (uint32_t i = 0; i < n; i++) {
        clusters[i].weight = w[i];
        clusters[i].member[i] = 1;
        memcpy(clusters[i].mean, x + i * d, d * sizeof(double));
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            table[i * n + k] =
                i < k ? apart(x, d, w, n, &clusters[i], &clusters[k], linkage) : INFINITY;
    for (uint32_t s = 0; s + 1 < n; s++) {
        uint32_t a = 0, b = 1;
        double least = INFINITY;

        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i + 1; k < n; k++)
                if (!clusters[i].gone && !clusters[k].gone && table[i * n + k] < least) {
                    least = table[i * n + k];
                    a = i;
                    b = k;
                }
        heights[s] = least;
        for (uint32_t j = 0; j < d; j++)
            clusters[a].mean[j] = (clusters[a].mean[j] * clusters[a].weight +
                                   clusters[b].mean[j] * clusters[b].weight) /
                                  (clusters[a].weight + clusters[b].weight);
        clusters[a].weight += clusters[b].weight;
        clusters[b].gone = true;
        for (uint32_t i = 0; i < n; i++)
            clusters[a].member[i] |= clusters[b].member[i];
        for (uint32_t i = 0; i < n; i++)
            if (i != a && !clusters[i].gone)
                table[i < a ? i * n + a : a * n + i] =
                    apart(x, d, w, n, &clusters[i < a ? i : a], &clusters[i < a ? a : i], linkage);
    }
    free(clusters);
    free(table);
}

static const char *const linkages[] = {"single", "complete", "average", "ward", "centroid"};

static void test_definitions(Host *host)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 63, 64, 65, 130, 330};

    for (size_t l = 0; l < 5; l++)
        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
            for (int weighted = 0; weighted < 2; weighted++) {
                uint32_t n = sizes[s], d = 3, length = 0;
                double x[330 * 3], w[330], expected[330];
                char json[64];
                Model *model;
                const double *heights;
                bool close = true;

                if (n == 330 && weighted)
                    continue;
                for (uint32_t i = 0; i < n * d; i++)
                    x[i] = random_normal(&seed);
                for (uint32_t i = 0; i < n; i++)
                    w[i] = weighted ? 1 + i % 3 : 1;
                by_definition(x, d, w, n, linkages[l], expected);
                snprintf(json, sizeof json, "{\"linkage\":\"%s\",\"cophenetic\":true}",
                         linkages[l]);
                model = fit_rows(host, "hierarchical", x, weighted ? w : NULL, n, d, json, NULL);
                heights = model_f64(model, "heights", &length);
                CHECK_INT(length, n - 1);
                for (uint32_t i = 0; i + 1 < n; i++)
                    close = close && fabs(heights[i] - expected[i]) <= 1e-10 * expected[i];
                check_that(close, __FILE__, __LINE__, "%s of %u: other heights", linkages[l], n);
                host_reset(host);
            }
}

/* The same tree whatever the order of the rows, also where many are equal; one cut a number of
 * clusters. */
static void test_order(Host *host)
{
    Env *env = &host->env;
    enum { N = 300, D = 2 };
    static double x[N * D];
    uint32_t order[N];

    for (uint32_t i = 0; i < N * D; i++)
        x[i] = floor(random_uniform(&seed) * 9);
    random_order(&seed, order, N);
    for (size_t l = 0; l < 5; l++) {
        char json[64];
        Model *a, *b;
        Hierarchy tree;

        snprintf(json, sizeof json, "{\"linkage\":\"%s\"}", linkages[l]);
        a = fit_rows(host, "hierarchical", x, NULL, N, D, json, NULL);
        b = fit_rows(host, "hierarchical", x, NULL, N, D, json, order);
        check_that(model_compare(a, b) == 0, __FILE__, __LINE__,
                   "%s: another tree in another order", linkages[l]);
        CHECK(hierarchy_read(env, a, &tree) == NULL);
        for (int64_t k = 1; k <= N; k += k < 10 ? 1 : 29) {
            uint32_t *labels = hierarchy_cut(env, &tree, k), counts[N + 1] = {0};
            bool sorted = true, inside = true;

            for (uint32_t i = 0; i < N; i++) {
                inside = inside && labels[i] >= 1 && labels[i] <= k;
                counts[labels[i] <= N ? labels[i] : 0]++;
            }
            for (int64_t c = 2; c <= k; c++)
                sorted = sorted && counts[c] <= counts[c - 1] && counts[c] > 0;
            CHECK(inside && sorted);
        }
        CHECK_FAILS(host, ERROR_PARAMETER, "cannot be cut into 0 clusters", hierarchy_cut(env, &tree, 0));
        CHECK_FAILS(host, ERROR_PARAMETER, "cannot be cut into 301 clusters",
                    hierarchy_cut(env, &tree, 301));
        host_reset(host);
    }
}

/* Numbers whose squares overflow or vanish, equal rows, memory, other metrics, cancellation. */
static void test_edges(Host *host)
{
    Env *env = &host->env;
    double x[] = {0, 3e200, 3e200, 1e201}, same[600] = {0};
    uint32_t length;
    Model *model;

    for (size_t l = 0; l < 5; l++) {
        char json[64];

        snprintf(json, sizeof json, "{\"linkage\":\"%s\"}", linkages[l]);
        model = fit_rows(host, "hierarchical", x, NULL, 4, 1, json, NULL);
        CHECK(model_f64(model, "heights", &length)[0] == 0);
        CHECK_NEAR(model_f64(model, "heights", &length)[1] / 1e200,
                   strcmp(linkages[l], "ward") == 0 ? 2 * sqrt(3) : 3, 1e-12);
        model = fit_rows(host, "hierarchical", same, NULL, 300, 2, json, NULL);
        CHECK(model_f64(model, "heights", &length)[298] == 0);
    }
    CHECK_FAILS(host, ERROR_PARAMETER, "linkage ward needs means",
                fit_rows(host, "hierarchical", x, NULL, 4, 1,
                         "{\"linkage\":\"ward\",\"metric\":\"manhattan\"}", NULL));
    CHECK_FAILS(host, ERROR_PARAMETER, "linkage centroid needs means",
                fit_rows(host, "hierarchical", x, NULL, 4, 1,
                         "{\"linkage\":\"centroid\",\"metric\":\"chebyshev\"}", NULL));
    env->memory_limit = 100000;
    CHECK_FAILS(host, ERROR_LIMIT, "linkage average of 300 rows keeps all distances",
                fit_rows(host, "hierarchical", same, NULL, 300, 2, "{}", NULL));
    CHECK_HOLDS(host->hint, "Set pgfit.fit_mem to '");
    CHECK_WORKS(
        host, fit_rows(host, "hierarchical", same, NULL, 300, 2, "{\"linkage\":\"single\"}", NULL));
    host_reset(host);
    host->env.memory_limit = (size_t)1 << 30;
    {
        static double many[3000 * 2];

        for (uint32_t i = 0; i < 6000; i++)
            many[i] = random_normal(&seed);
        for (size_t l = 0; l < 5; l++) {
            char json[64];

            host->polls = 0;
            snprintf(json, sizeof json, "{\"linkage\":\"%s\"}", linkages[l]);
            fit_rows(host, "hierarchical", many, NULL, 3000, 2, json, NULL);
            check_that(host->polls > 5, __FILE__, __LINE__, "%s: %llu polls", linkages[l],
                       (unsigned long long)host->polls);
            host_reset(host);
        }
    }
}

/* Arrays that no fit made are refused, or do no harm. */
static void test_forged(Host *host)
{
    Env *env = &host->env;
    double x[] = {0, 1, 3, 7, 15};
    static const int64_t values[] = {-1, 0, 1, 4, 5, 8, 9, 100, INT64_MAX, INT64_MIN};
    Model *model = fit_rows(host, "hierarchical", x, NULL, 5, 1, "{}", NULL);
    ModelEntry *merges = model_entry_mutable(model, "merges"),
               *heights = model_entry_mutable(model, "heights");
    int64_t *data = model_data_mutable(model, merges);
    double *numbers = model_data_mutable(model, heights);

    for (uint32_t i = 0; i < 8; i++)
        for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
            int64_t kept = data[i];
            Hierarchy tree;

            data[i] = values[v];
            if (hierarchy_read(env, model, &tree) == NULL) {
                uint32_t *sizes = hierarchy_sizes(env, &tree), *starts;

                hierarchy_leaves(env, &tree, sizes, &starts);
                hierarchy_cut(env, &tree, 3);
                hierarchy_text(env, model, &tree, 5);
            }
            data[i] = kept;
        }
    for (int v = 0; v < 3; v++) {
        double kept = numbers[1];
        Hierarchy tree;

        numbers[1] = (double[]){NAN, INFINITY, -1}[v];
        CHECK(hierarchy_read(env, model, &tree) != NULL);
        numbers[1] = kept;
    }
    host_reset(host);
}

static void test_medoid(Host *host)
{
    enum { N = 200, D = 3 };
    static double x[N * D], w[N];
    uint32_t order[N], length;
    double best = INFINITY;

    for (uint32_t i = 0; i < N * D; i++)
        x[i] = random_normal(&seed);
    for (uint32_t i = 0; i < N; i++)
        w[i] = 1 + i % 4;
    random_order(&seed, order, N);
    for (uint32_t i = 0; i < N; i++) {
        double sum = 0;

        for (uint32_t k = 0; k < N; k++)
            sum += w[k] * sqrt(pow(x[i * D] - x[k * D], 2) + pow(x[i * D + 1] - x[k * D + 1], 2) +
                               pow(x[i * D + 2] - x[k * D + 2], 2));
        best = fmin(best, sum);
    }
    Model *a = fit_rows(host, "medoid", x, w, N, D, "{}", NULL);
    Model *b = fit_rows(host, "medoid", x, w, N, D, "{}", order);
    CHECK_NEAR(model_fact(a, "objective", 0), best, 1e-13);
    CHECK(model_compare(a, b) == 0);
    CHECK(model_fact(a, "distance_evaluations", 0) < N * N);
    ModelEntry *center = model_entry_mutable(a, "center");
    ((double *)model_data_mutable(a, center))[0] = NAN;
    CHECK(estimator_check(&host->env, estimator_find("medoid"), a) != NULL);
    b = fit_rows(host, "distance_histogram", x, NULL, N, D, "{\"bins\":9}", NULL);
    CHECK_NEAR(model_fact(b, "pairs", 0), N * (N - 1) / 2, 0);
    (void)model_f64(b, "edges", &length);
    CHECK_INT(length, 10);
    host_reset(host);
}

/* ---- strings ---- */

static uint64_t plain_edits(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    uint64_t *row = malloc((m + 1) * sizeof(uint64_t)), result;

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        uint64_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            uint64_t above = row[j], least = diagonal + (a[i - 1] != b[j - 1]);

            least = above + 1 < least ? above + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            diagonal = above;
            row[j] = least;
        }
    }
    result = row[m];
    free(row);
    return result;
}

static void test_strings(Host *host)
{
    Env *env = &host->env;
    bool same = true, wide = true;

    for (int round = 0; round < 400; round++) {
        char a[300], b[300], wa[900], wb[900];
        uint32_t n = (uint32_t)(random_uniform(&seed) * 280),
                 m = (uint32_t)(random_uniform(&seed) * 280);
        uint32_t letters = 1 + (uint32_t)(random_uniform(&seed) * 20), pa = 0, pb = 0;
        uint64_t expected;

        for (uint32_t i = 0; i < n; i++)
            a[i] = (char)('a' + (int)(random_uniform(&seed) * letters));
        for (uint32_t i = 0; i < m; i++)
            b[i] = i < n && random_uniform(&seed) < 0.7
                       ? a[i]
                       : (char)('a' + (int)(random_uniform(&seed) * letters));
        a[n] = b[m] = 0;
        expected = plain_edits(a, b);
        same = same && edit_distance(env, a, n, b, m) == expected &&
               edit_distance(env, b, m, a, n) == expected;
        for (uint32_t i = 0; i < n; i++) { /* the same letters as U+4E61 ... */
            memcpy(wa + pa, "\xe4\xb9\xa0", 3);
            wa[pa + 2] = (char)(0x80 + (a[i] - 'a'));
            pa += 3;
        }
        for (uint32_t i = 0; i < m; i++) {
            memcpy(wb + pb, "\xe4\xb9\xa0", 3);
            wb[pb + 2] = (char)(0x80 + (b[i] - 'a'));
            pb += 3;
        }
        wide = wide && edit_distance(env, wa, pa, wb, pb) == expected;
    }
    CHECK(same);
    CHECK(wide);
    CHECK_INT(edit_distance(env, "\xff" "b\xe4\xb9", 4, "\xff" "a\xe4", 3), 2); /* bytes that are not UTF-8 */
    CHECK_FAILS(host, ERROR_DATA, "strings have 3 and 2 characters",
                hamming_distance_text(env, "abc", 3, "ab", 2));
    CHECK_INT(hamming_distance_text(env, "na\xc3\xafve", 6, "naive", 5), 1);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_definitions(host);
    test_order(host);
    test_edges(host);
    test_forged(host);
    test_medoid(host);
    test_strings(host);
    host_free(host);
    return check_report();
}
