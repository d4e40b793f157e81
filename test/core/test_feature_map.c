/*
 * test_feature_map.c - features of a kernel: products that agree with it, orders of rows, ranks, sums of products.
 */
#include "check.h"

#include "core/kernel_methods/feature_map.h"
#include "core/kernel_methods/mapped_rows.h"
#include "core/linalg/pivoted_cholesky.h"
#include "core/math/cosine_sine.h"
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const OptionSpec option_seed_here[] = {{.name = "seed", .types = OPTION_INTEGER, .fallback = "0"}, {.name = NULL}};

static FeatureMap *make_map(Env *env, Rows *rows, Kernel kernel, const char *json)
{
    static const OptionSpec *tables[] = {options_approximation, option_seed_here, NULL};
    Options *options = options_parse(env, "test", tables, json, strlen(json), NULL, NULL, 0);
    Approximation approximation = approximation_of_options(env, options, &kernel);

    return feature_map(feature_map_sample(env, rows, &kernel, options, "test"), approximation, options);
}

/* Returns the largest difference of z(a).z(b) and k(a, b) between the first `count` rows, at most MAP_ROWS. */
static double largest_error(Env *env, FeatureMap *map, const double *x, uint32_t count)
{
    uint32_t m = map->features;
    double *z = env_array(env, m, MAP_ROWS * sizeof(double)), largest = 0;

    feature_map_rows(map, x, count, z);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            double sum = 0, value = kernel_value(&map->kernel, x + i * map->terms, x + j * map->terms, map->terms);

            for (uint32_t f = 0; f < m; f++)
                sum += z[i * m + f] * z[j * m + f];
            largest = fmax(largest, fabs(sum - value));
        }
    return largest;
}

static void test_nystroem(Host *host)
{
    enum { N = 150, D = 3 };
    Env *env = &host->env;
    double *x = three_clouds(N, D, 1);
    Kernel rbf = {KERNEL_RBF, 0.3, 0, 1}, square = {KERNEL_POLYNOMIAL, 1, 1, 2}, linear = {KERNEL_LINEAR, 1, 0, 1};
    FeatureMap *map;

    map = make_map(env, number_rows(env, x, NULL, NULL, N, D), rbf, "{\"approximation\": \"nystroem\", \"landmarks\": 1000}");
    CHECK(map->basis <= N && map->basis > 50);
    CHECK(largest_error(env, map, x, N) < 1e-10);
    map = make_map(env, number_rows(env, x, NULL, NULL, N, D), rbf, "{\"approximation\": \"nystroem\", \"landmarks\": 30}");
    CHECK(map->basis == 30);
    CHECK(largest_error(env, map, map->rows, 30) < 1e-12);
    /* a polynomial of degree 2 in 3 variables has 10 terms, a linear one 3 */
    map = make_map(env, number_rows(env, x, NULL, NULL, N, D), square, "{\"approximation\": \"nystroem\", \"landmarks\": 60}");
    CHECK(map->basis == 10 && map->features == 10);
    CHECK(largest_error(env, map, x, N) < 1e-7);
    map = make_map(env, number_rows(env, x, NULL, NULL, N, D), linear, "{\"approximation\": \"nystroem\"}");
    CHECK(map->basis == 3);
    CHECK(largest_error(env, map, x, N) < 1e-9);
    free(x);
    host_reset(host);
}

static void test_fourier(Host *host)
{
    enum { N = 100, D = 3 };
    Env *env = &host->env;
    double *x = three_clouds(N, D, 2), few, many;
    Kernel rbf = {KERNEL_RBF, 0.2, 0, 1};
    FeatureMap *map;

    map = make_map(env, number_rows(env, x, NULL, NULL, N, D), rbf, "{\"approximation\": \"fourier\", \"frequencies\": 100}");
    CHECK(map->features == 200);
    few = largest_error(env, map, x, N);
    map = make_map(env, number_rows(env, x, NULL, NULL, N, D), rbf, "{\"approximation\": \"fourier\", \"frequencies\": 10000}");
    many = largest_error(env, map, x, N);
    CHECK(few < 0.5 && many < 0.06 && many < few);
    free(x);
    host_reset(host);
}

/* Landmarks do not depend on the order of the rows; equal rows count once; another seed chooses others. */
static void test_landmarks(Host *host)
{
    enum { N = 400, D = 2 };
    Env *env = &host->env;
    double *x = three_clouds(N, D, 3);
    uint64_t seed = 5;
    uint32_t order[N];
    Kernel rbf = {KERNEL_RBF, 1, 0, 1};
    const char *options = "{\"approximation\": \"nystroem\", \"landmarks\": 20}";
    FeatureMap *map = make_map(env, number_rows(env, x, NULL, NULL, N, D), rbf, options), *other;

    random_order(&seed, order, N);
    other = make_map(env, number_rows(env, x, NULL, order, N, D), rbf, options);
    CHECK(other->basis == map->basis && memcmp(other->rows, map->rows, map->basis * D * sizeof(double)) == 0);
    other = make_map(env, number_rows(env, x, NULL, NULL, N, D), rbf,
                     "{\"approximation\": \"nystroem\", \"landmarks\": 20, \"seed\": 1}");
    CHECK(memcmp(other->rows, map->rows, 20 * D * sizeof(double)) != 0);
    for (uint32_t i = 0; i < N; i++)
        memcpy(x + i * D, x + i % 7 * D, D * sizeof(double));
    other = make_map(env, number_rows(env, x, NULL, NULL, N, D), rbf, options);
    CHECK(other->basis == 7);
    free(x);
    host_reset(host);
}

/* The expansion over the basis is the same function as the weights of the features. */
static void check_expansion(Env *env, const double *x, uint32_t n, uint32_t dims, const char *options)
{
    Kernel rbf = {KERNEL_RBF, 0.5, 0, 1};
    FeatureMap *map = make_map(env, number_rows(env, x, NULL, NULL, n, dims), rbf, options);
    double *z = env_array(env, map->features, MAP_ROWS * sizeof(double));
    double *weights = env_array(env, map->features, sizeof(double));
    KernelExpansion expansion;

    for (uint32_t j = 0; j < map->features; j++)
        weights[j] = 1.0 / (j + 1);
    expansion = feature_map_expansion(map, 1, weights, NULL);
    CHECK(expansion.count == map->features);
    feature_map_rows(map, x, n, z);
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0, other = 0;

        for (uint32_t j = 0; j < map->features; j++) {
            const double *row = expansion.rows + j * dims;
            double value = 0;

            if (expansion.phases == NULL)
                value = kernel_value(&rbf, row, x + i * dims, dims);
            else {
                for (uint32_t d = 0; d < dims; d++)
                    value += row[d] * x[i * dims + d];
                value = cos(2 * M_PI * (value + expansion.phases[j]));
            }
            sum += weights[j] * z[i * map->features + j];
            other += expansion.multipliers[j] * value;
        }
        CHECK(fabs(sum - other) < 1e-9);
    }
}

static void test_expansions(Host *host)
{
    enum { N = 60, D = 2 };
    double *x = three_clouds(N, D, 4);

    check_expansion(&host->env, x, N, D, "{\"approximation\": \"nystroem\", \"landmarks\": 15}");
    check_expansion(&host->env, x, N, D, "{\"approximation\": \"fourier\", \"frequencies\": 15}");
    free(x);
    host_reset(host);
}

/* Sums are those over rows, and the same bits whether features are kept or computed again. */
static void test_sums(Host *host)
{
    enum { N = 1000, D = 3 };
    Env *env = &host->env;
    double *x = three_clouds(N, D, 6), *y = malloc(N * sizeof(double)), *weights = malloc(N * sizeof(double));
    Kernel rbf = {KERNEL_RBF, 0.5, 0, 1};
    FeatureMap *map;
    Rows *rows, *kept;
    RowsReader *reader;
    RowsBlock block;
    MappedSums *sums, *again;
    double *gram, *products, product = 0;
    uint32_t m;

    for (uint32_t i = 0; i < N; i++) {
        y[i] = x[i * D] + i % 3;
        weights[i] = 1 + i % 2;
    }
    map = make_map(env, target_rows(env, x, y, weights, NULL, N, D, 0), rbf, "{\"approximation\": \"nystroem\", \"landmarks\": 70}");
    rows = mapped_rows(map, 0);
    m = map->features;
    CHECK(rows_count(rows) == N && rows_slots(rows) == m);
    gram = env_array(env, m * m, sizeof(double));
    products = env_array(env, m, sizeof(double));
    reader = rows_reader(env, rows);
    for (int pass = 0; pass < 2; pass++, rows_rewind(reader))
        while (rows_next_block(reader, &block))
            for (uint32_t i = 0; pass == 1 && i < block.count; i++) {
                const double *z = block.slots + i * m;

                for (uint32_t j = 0; j < m; j++) {
                    for (uint32_t k = 0; k < m; k++)
                        gram[j * m + k] += block.weights[i] * z[j] * z[k];
                    products[j] += block.weights[i] * z[j] * (block.targets[i] - 1);
                }
                product += block.weights[i] * (block.targets[i] - 1) * (block.targets[i] - 1);
            }
    rows_reader_free(reader);
    sums = mapped_sums(env, rows, 1, "test");
    for (uint32_t j = 0; j < m; j++) {
        for (uint32_t k = 0; k < m; k++)
            CHECK(fabs(sums->gram[j * m + k] - gram[j * m + k]) < 1e-9 * N);
        CHECK(fabs(sums->products[j] - products[j]) < 1e-9 * N);
    }
    CHECK(fabs(sums->square - product) < 1e-9 * product && sums->weight == 1.5 * N);
    kept = mapped_rows(map, m * MAP_ROWS * sizeof(double) * 2 + 200); /* two pieces */
    mapped_sums(env, kept, 1, "test");
    again = mapped_sums(env, kept, 1, "test");
    CHECK(memcmp(again->gram, sums->gram, (size_t)m * m * sizeof(double)) == 0);
    rows_free(kept);
    rows_free(rows);
    free(x);
    free(y);
    free(weights);
    host_reset(host);
}

/* A pivoted factor multiplies back to the matrix in its order, whatever its rank. */
static void test_pivots(Host *host)
{
    enum { N = 200, RANK = 130 };
    Env *env = &host->env;
    double *b = env_array(env, N * RANK, sizeof(double)), *a = env_array(env, N * N, sizeof(double)), *l;
    uint32_t *order = env_array(env, N, sizeof(uint32_t)), rank;
    uint64_t seed = 8;
    double largest = 0;

    for (uint32_t i = 0; i < N * RANK; i++)
        b[i] = random_normal(&seed) * (1 + i % N % 5);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++)
            for (uint32_t k = 0; k < RANK; k++)
                a[j * N + i] += b[k * N + i] * b[k * N + j];
    l = env_array(env, N * N, sizeof(double));
    memcpy(l, a, N * N * sizeof(double));
    rank = pivoted_cholesky(env, l, N, 1e-12, order);
    CHECK(rank == RANK);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;

            for (uint32_t k = 0; k < rank && k <= j; k++)
                sum += l[k * N + i] * l[k * N + j];
            largest = fmax(largest, fabs(sum - a[order[j] * N + order[i]]));
        }
    CHECK(largest < 1e-8);
    for (uint32_t k = 1; k < rank; k++)
        CHECK(l[k * N + k] <= l[(k - 1) * N + k - 1] * (1 + 1e-12));
    host_reset(host);
}

static void test_cosines(void)
{
    uint64_t seed = 3;
    double cosine, sine;

    for (int i = 0; i < 100000; i++) {
        double turns = (random_uniform(&seed) - 0.5) * (i % 2 ? 4 : 4000), angle = (turns - round(turns)) * 2 * M_PI;

        cosine_sine_core(turns, &cosine, &sine);
        CHECK(fabs(cosine - cos(angle)) < 1e-15 && fabs(sine - sin(angle)) < 1e-15);
    }
    cosine_sine_core(NAN, &cosine, &sine);
    CHECK(cosine == 1 && sine == 0);
    cosine_sine_core(-INFINITY, &cosine, &sine);
    CHECK(cosine == 1 && sine == 0);
}

/*
 * Rows that are read as features have those of the map, in each pass, whatever of them is kept; what is kept fits in the room, and
 * all of it is kept if it does.
 */
static void test_kept(Host *host)
{
    enum { N = 2000, D = 3, PIECE = MAP_ROWS * 20 * sizeof(double) };
    static const size_t rooms[] = {0, PIECE / 2, 3 * PIECE + PIECE / 2, 20 * PIECE};
    size_t plain = 0, most = (size_t)N * 20 * sizeof(double);
    double *x = three_clouds(N, D, 4);

    for (int r = 0; r < 4; r++) {
        Env *env = &host->env;
        FeatureMap *map = make_map(env, number_rows(env, x, NULL, NULL, N, D), (Kernel){KERNEL_RBF, 0.3, 0, 1}, "{\"approximation\": \"nystroem\", \"landmarks\": 20}");
        double *expected = env_array(env, MAP_ROWS * (size_t)map->features, sizeof(double)), worst = 0;
        RowsReader *reader = rows_reader(env, mapped_rows(map, rooms[r]));
        size_t before = host->bytes, grown;
        RowsBlock block;

        CHECK_INT(map->features, 20);
        for (int pass = 0; pass < 3; pass++) {
            uint64_t count = 0;

            while (rows_next_block(reader, &block)) {
                feature_map_rows(map, x + block.first * D, block.count, expected);
                for (size_t i = 0; i < (size_t)block.count * 20; i++)
                    worst = fmax(worst, fabs(block.slots[i] - expected[i]));
                count += block.count;
            }
            CHECK(count == N && worst == 0);
            rows_rewind(reader);
        }
        grown = host->bytes - before;
        plain = r == 0 ? grown : plain;
        CHECK(grown - plain <= rooms[r]);
        CHECK(grown - plain >= most || grown - plain + PIECE > rooms[r]); /* no piece more has room */
        host_reset(host);
    }
    free(x);
}

int main(void)
{
    Host *host = host_new();

    test_kept(host);
    test_cosines();
    test_pivots(host);
    test_nystroem(host);
    test_fourier(host);
    test_landmarks(host);
    test_expansions(host);
    test_sums(host);
    host_free(host);
    return check_report();
}
