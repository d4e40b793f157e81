/*
 * test_kernel.c - kernels: string kernels against their definitions, the same bits in every form, sums and products, Gram matrices,
 * stored kernels.
 */
#include "check.h"

#include "core/kernel/kernel_internal.h"
#include "core/kernel/kernel_points.h"
#include "core/model/schema.h"

#include <stdlib.h>

/* The loops with vectors of two numbers, compiled a second time. */
static double power_of(double base, uint32_t power)
{
    double result = 1;

    for (; power > 0; power >>= 1) {
        if (power & 1)
            result *= base;
        base *= base;
    }
    return result;
}
#define LANES 2
#define SIMD(name) name##_base
#define SIMD_TARGET
#include "core/kernel/kernel_simd.h"

static uint64_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static double uniform(uint64_t *state)
{
    return (double)random_bits(state) / (double)(1u << 31) * 2 - 1;
}

/* ---- string kernels by definition ---- */

static double windows_in_common(const char *a, const char *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i + n <= strlen(a); i++)
        for (size_t j = 0; j + n <= strlen(b); j++)
            sum += memcmp(a + i, b + j, n) == 0;
    return sum;
}

/* Adds decay^(spans) over all pairs of common subsequences that begin at a[i], b[j] and have n more characters. */
static double subsequences_from(const char *a, const char *b, size_t i, size_t j, unsigned n, double decay)
{
    double sum = 0;

    if (n == 0)
        return decay * decay;
    for (size_t k = i + 1; k < strlen(a); k++)
        for (size_t l = j + 1; l < strlen(b); l++)
            if (a[k] == b[l])
                sum += pow(decay, (double)(k - i + l - j)) * subsequences_from(a, b, k, l, n - 1, decay);
    return sum;
}

static double subsequences_in_common(const char *a, const char *b, unsigned n, double decay)
{
    double sum = 0;

    for (size_t i = 0; i < strlen(a); i++)
        for (size_t j = 0; j < strlen(b); j++)
            if (a[i] == b[j])
                sum += subsequences_from(a, b, i, j, n - 1, decay);
    return sum;
}

static double value_of(Env *env, KernelKind kind, uint32_t length, double decay, bool normalized, const char *a, const char *b)
{
    Kernel kernel = {.kind = kind, .length = length, .decay = decay, .normalized = normalized};
    const char *bytes[] = {a, b};
    const uint32_t lengths[] = {(uint32_t)strlen(a), (uint32_t)strlen(b)};

    return kernel_value_of_texts(env, &kernel, &(TextList){2, bytes, lengths});
}

static void test_definitions(Host *host)
{
    Env *env = &host->env;
    uint64_t state = 7;

    for (int round = 0; round < 300; round++) {
        char a[12], b[12];
        unsigned length = 1 + (unsigned)random_bits(&state) % 4;
        double decay = round % 3 == 0 ? 1 : 0.3 + 0.1 * (round % 5), self_a, self_b, spectrum, subsequence;

        for (int i = 0; i < 12; i++) {
            a[i] = (char)('a' + random_bits(&state) % 3);
            b[i] = (char)('a' + random_bits(&state) % 3);
        }
        a[random_bits(&state) % 12] = b[random_bits(&state) % 12] = 0;
        spectrum = windows_in_common(a, b, length);
        subsequence = subsequences_in_common(a, b, length, decay);
        CHECK_NEAR(value_of(env, KERNEL_SPECTRUM, length, 1, false, a, b), spectrum, 0);
        CHECK_NEAR(value_of(env, KERNEL_SUBSEQUENCE, length, decay, false, a, b), subsequence, 1e-14);
        CHECK(value_of(env, KERNEL_SUBSEQUENCE, length, decay, false, a, b) ==
              value_of(env, KERNEL_SUBSEQUENCE, length, decay, false, b, a));
        self_a = subsequences_in_common(a, a, length, decay);
        self_b = subsequences_in_common(b, b, length, decay);
        CHECK_NEAR(value_of(env, KERNEL_SUBSEQUENCE, length, decay, true, a, b),
                   self_a > 0 && self_b > 0 ? subsequence / sqrt(self_a * self_b) : 0, 1e-13);
        CHECK(value_of(env, KERNEL_SUBSEQUENCE, length, decay, true, a, a) == (strlen(a) >= length));
        CHECK(value_of(env, KERNEL_SPECTRUM, length, 1, true, a, a) == (strlen(a) >= length));
    }
    host_reset(host);
}

/* Characters, not bytes; bytes that are no characters; long texts, whose products of decays vanish. */
static void test_characters(Host *host)
{
    Env *env = &host->env;
    char *long_text = malloc(4001);

    CHECK_NEAR(value_of(env, KERNEL_SPECTRUM, 2, 1, false, "n\xc3\xa4he", "\xc3\xa4h"), 1, 0);
    CHECK_NEAR(value_of(env, KERNEL_SPECTRUM, 1, 1, false, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x83"), 0, 0);
    CHECK_NEAR(value_of(env, KERNEL_SPECTRUM, 1, 1, false, "\xe4", "a\xe4\xc3"), 1, 0);
    CHECK_NEAR(value_of(env, KERNEL_SPECTRUM, 3, 1, false, "", "abc"), 0, 0);
    CHECK_NEAR(value_of(env, KERNEL_SPECTRUM, 3, 1, true, "", ""), 0, 0);
    memset(long_text, 'a', 4000);
    long_text[0] = 'b';
    long_text[3999] = 'c';
    long_text[4000] = 0;
    CHECK_NEAR(value_of(env, KERNEL_SUBSEQUENCE, 2, 0.1, true, long_text, long_text), 1, 0);
    CHECK_NEAR(value_of(env, KERNEL_SUBSEQUENCE, 2, 0.1, false, long_text, "bc"), 0, 1e-300);
    CHECK_NEAR(value_of(env, KERNEL_SPECTRUM, 2, 1, false, long_text, "aaa"), 2 * 3997, 0);
    free(long_text);
    host_reset(host);
}

static Kernel kernel_from(Env *env, const char *json)
{
    const OptionSpec *const tables[] = {options_number_kernel, options_kernel, NULL};

    return kernel_of_options(env, options_parse(env, "test", tables, json, strlen(json), NULL, NULL, 0), NULL);
}

enum { TEXTS = 20 };

/* Texts of a table and of a row that is scored, in rows and in panels, also after a comparison that was canceled. */
static void test_table(Host *host)
{
    static const char *const kernels[] = {"{\"kernel\": \"spectrum\", \"length\": 2}", "{\"kernel\": \"spectrum\", \"normalized\": false}",
                                          "{\"kernel\": \"subsequence\", \"length\": 2}",
                                          "{\"kernel\": {\"sum\": [{\"kernel\": \"spectrum\", \"length\": 1}, {\"kernel\": \"subsequence\"}]}}"};
    Env *env = &host->env;
    char texts[TEXTS][16];
    const char *bytes[TEXTS];
    uint32_t lengths[TEXTS];
    double points[2 * TEXTS + 8];
    uint64_t state = 17;

    for (int i = 0; i < TEXTS; i++) {
        lengths[i] = (uint32_t)random_bits(&state) % 15;
        for (uint32_t j = 0; j < lengths[i]; j++)
            texts[i][j] = (char)('a' + random_bits(&state) % 3);
        bytes[i] = texts[i];
        points[i] = i;
        points[TEXTS + i] = -1 - i;
    }
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        Kernel kernel = kernel_from(env, kernels[k]);
        double values[2 * TEXTS], by_row[2 * TEXTS], in_panels[2 * TEXTS + 8];
        bool same = true;

        kernel.text_at = 1;
        env->row_texts = (TextList){TEXTS, bytes, lengths};
        kernel_set_texts(env, &kernel, &(TextList){TEXTS, bytes, lengths}, "test");
        if (TRY(host)) {
            host->cancel_at = host->polls + 1;
            kernel_rows(&kernel, points, points, TEXTS, 1, values);
            TRY_END(host);
        } else {
            TRY_END(host);
        }
        host->cancel_at = 0;
        for (int q = 0; q < TEXTS; q++) {
            KernelPoints packed = kernel_points(env, &kernel, points, 2 * TEXTS, 1);

            kernel_rows(&kernel, &points[q], points, 2 * TEXTS, 1, values);
            kernel_rows(&kernel, &points[TEXTS + q], points, 2 * TEXTS, 1, by_row);
            kernel_points_values(&packed, &points[q], 0, 2 * TEXTS, in_panels);
            for (int i = 0; i < TEXTS; i++) {
                double value = kernel_value(&kernel, &points[TEXTS + q], &points[TEXTS + i], 1); /* without the table */

                same &= values[i] == value && values[TEXTS + i] == value && by_row[i] == value && by_row[TEXTS + i] == value &&
                        in_panels[i] == value && in_panels[TEXTS + i] == value;
            }
        }
        CHECK(same);
        points[2 * TEXTS] = TEXTS;
        points[2 * TEXTS + 1] = NAN;
        points[2 * TEXTS + 2] = -1.5 - TEXTS;
        points[2 * TEXTS + 3] = 1e300;
        points[2 * TEXTS + 4] = -INFINITY;
        for (int i = 0; i < 5; i++)
            CHECK(isnan(kernel_value(&kernel, points, &points[2 * TEXTS + i], 1)));
        env->row_texts = (TextList){0};
        CHECK(isnan(kernel_value(&kernel, points, &points[TEXTS], 1)));
    }
    host_reset(host);
}

/* ---- the same bits in every form ---- */

enum { N = 45, D = 11 };

static void check_forms(Env *env, const Kernel *kernel, const double *rows, uint32_t dims)
{
    KernelPoints points = kernel_points(env, kernel, rows, N, dims);
    double in_rows[N], in_panels[N + 8], *gram = env_array(env, N * N, sizeof(double)), *matrix = env_array(env, N * N, sizeof(double));
    bool same = true, near = true, symmetric = true;

    kernel_gram(env, kernel, rows, N, dims, gram);
    kernel_matrix(env, kernel, rows, N, rows, N, dims, matrix);
    for (uint32_t q = 0; q < N; q++) {
        const double *query = rows + q * dims;

        kernel_rows(kernel, query, rows, N, dims, in_rows);
        kernel_points_values(&points, query, 0, N, in_panels);
        for (uint32_t i = 0; i < N; i++) {
            double value = kernel_value(kernel, query, rows + i * dims, dims);

            same &= value == in_rows[i] && value == in_panels[i];
            near &= fabs(gram[q * N + i] - value) <= 1e-13 * fmax(1, fabs(value)) &&
                    fabs(matrix[q * N + i] - value) <= 1e-13 * fmax(1, fabs(value));
            symmetric &= gram[q * N + i] == gram[i * N + q];
        }
    }
    CHECK(same);
    CHECK(near);
    CHECK(symmetric);
}

static void test_forms(Host *host)
{
    static const char *const kernels[] = {
        "{\"kernel\": \"linear\"}", "{\"kernel\": \"polynomial\", \"degree\": 5, \"coef0\": 1, \"gamma\": 0.2}", "{\"gamma\": 0.3}",
        "{\"kernel\": \"sigmoid\", \"gamma\": 0.1, \"coef0\": -1}",
        "{\"kernel\": {\"sum\": [{\"kernel\": \"rbf\", \"gamma\": 1}, {\"kernel\": \"linear\", \"weight\": 0.5}, {\"product\": [{\"kernel\": "
        "\"linear\"}, {\"kernel\": \"rbf\", \"sigma\": 2}], \"weight\": 3}]}}"};
    Env *env = &host->env;
    double rows[N * D];
    uint64_t state = 3;

    for (int i = 0; i < N * D; i++)
        rows[i] = uniform(&state);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        Kernel kernel = kernel_from(env, kernels[k]);

        for (uint32_t dims = 1; dims <= D; dims += 5)
            check_forms(env, &kernel, rows, dims);
    }
    host_reset(host);
}

/* exp, tanh and powers: accurate, and the same with narrow and wide vectors. */
static void test_functions(void)
{
    double x[1000], narrow[1000];
    uint64_t state = 11;

    for (int i = 0; i < 1000; i++)
        x[i] = uniform(&state) * (i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1 : 800);
    for (int kind = KERNEL_POLYNOMIAL; kind <= KERNEL_SIGMOID; kind++) {
        Kernel kernel = {.kind = (KernelKind)kind, .gamma = kind == KERNEL_RBF ? 1 : 0.5, .coef0 = 0, .degree = 7};
        bool same = true, accurate = true;

        memcpy(narrow, x, sizeof x);
        if (kind == KERNEL_POLYNOMIAL)
            powers_base(0.5, 0, 7, narrow, 1000);
        else if (kind == KERNEL_RBF)
            exponentials_base(-1, narrow, 1000);
        else
            tangents_base(0.5, 0, narrow, 1000);
        for (int i = 0; i < 1000; i++) {
            double value = kernel_of_product(&kernel, x[i]);
            double exact = kind == KERNEL_RBF ? exp(-x[i]) : kind == KERNEL_SIGMOID ? tanh(0.5 * x[i]) : power_of(0.5 * x[i], 7);

            same &= value == narrow[i] || (isinf(exact) && isinf(value)) || (exact > 1e300 && narrow[i] > 1e300);
            accurate &= fabs(value - exact) <= 4e-15 * fabs(exact) + 1e-307 || exact > 1e300;
        }
        CHECK(same);
        CHECK(accurate);
    }
}

static void test_sums(Host *host)
{
    Env *env = &host->env;
    Kernel kernel = kernel_from(env, "{\"kernel\": {\"product\": [{\"sum\": [{\"kernel\": \"linear\"}, {\"kernel\": \"polynomial\", "
                                     "\"degree\": 2, \"coef0\": 1}], \"weight\": 2}, {\"kernel\": \"linear\", \"weight\": 0.25}]}}");
    double a[] = {1, 2}, b[] = {3, -1}, product = 1;

    CHECK_NEAR(kernel_value(&kernel, a, b, 2), 2 * (product + (product + 1) * (product + 1)) * 0.25 * product, 0);
    CHECK_INT(kernel.part_count, 5);
    CHECK(!kernel_is_simple(&kernel) && !kernel_uses_texts(&kernel) && kernel_is_definite(&kernel) && !kernel_lacks_gamma(&kernel));
    kernel = kernel_from(env, "{\"kernel\": {\"kernel\": \"linear\", \"weight\": 3}}");
    CHECK_NEAR(kernel_value(&kernel, a, b, 2), 3, 0);
    kernel = kernel_from(env, "{\"kernel\": {\"sum\": [{\"kernel\": \"rbf\"}, {\"kernel\": \"sigmoid\"}]}}");
    CHECK(kernel_lacks_gamma(&kernel) && !kernel_is_definite(&kernel));
    kernel_scale(&kernel, a, NULL, 1, 2);
    CHECK_NEAR(kernel.parts[1].gamma, 0.5 / 0.25, 0);
    CHECK_FAILS(host, ERROR_PARAMETER, "more than 16", kernel_from(env, "{\"kernel\": {\"sum\": [{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},"
        "{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},"
        "{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},"
        "{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"},{\"kernel\":\"linear\"}]}}"));
    host_reset(host);
}

/* ---- Gram matrices ---- */

static void test_gram(Host *host)
{
    Env *env = &host->env;
    Kernel kernel = {.kind = KERNEL_PRECOMPUTED, .gamma = 1, .degree = 1};
    double gram[] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, copy[9], *points, new_row[] = {7, 8, 9};

    memcpy(copy, gram, sizeof gram);
    points = kernel_learn(env, &kernel, NULL, NULL, copy, NULL, 3, 3, "test");
    CHECK_INT(kernel_point_dims(&kernel, 3), 1);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++)
            CHECK_NEAR(kernel_value(&kernel, points + i, points + j, 1), gram[3 * i + j], 0);
    CHECK_INT(host->warnings, 0);
    kernel.gram = NULL; /* as read from a model */
    CHECK_NEAR(kernel_value(&kernel, new_row, points + 2, 1), 9, 0);
    CHECK(isnan(kernel_self(&kernel, new_row, 1)));
    copy[1] = 1.5;
    CHECK_FAILS(host, ERROR_DATA, "row 1 has 1.5 in column 2, row 2 has 1 in column 1", kernel_check_gram(env, copy, 3));
    CHECK_FAILS(host, ERROR_DATA, "there are 3 rows of 2", kernel_learn(env, &kernel, NULL, NULL, gram, NULL, 3, 2, "test"));
    copy[1] = 1 + 1e-7; /* single precision */
    kernel_check_gram(env, copy, 3);
    memcpy(copy, gram, sizeof gram);
    copy[1] = copy[3] = 2.5;
    kernel_warn_gram(env, copy, 3, "precomputed", "test");
    CHECK_INT(host->warnings, 1);
    memcpy(copy, (double[]){1, 0.9, 0.9, 0.9, 1, -0.9, 0.9, -0.9, 1}, sizeof copy); /* all pairs are fine */
    kernel_warn_gram(env, copy, 3, "precomputed", "test");
    CHECK_INT(host->warnings, 2);
    memset(copy, 0, sizeof copy);
    kernel_warn_gram(env, copy, 3, "precomputed", "test");
    CHECK_INT(host->warnings, 2);
    host_reset(host);
}

/* Gram matrices of few columns are singular, which is no reason to warn; those of sigmoid mostly are indefinite. */
static void test_definite(Host *host)
{
    Env *env = &host->env;
    double rows[700 * 2], *gram = malloc(700 * 700 * sizeof(double));
    Kernel kernel = {.kind = KERNEL_LINEAR, .gamma = 1, .degree = 1};
    uint64_t state = 5;
    unsigned before = host->warnings;

    for (int i = 0; i < 1400; i++)
        rows[i] = uniform(&state) * 1000;
    for (uint32_t n = 1; n <= 700; n += 233) {
        kernel_gram(env, &kernel, rows, n, 2, gram);
        kernel_warn_gram(env, gram, n, "linear", "test");
    }
    CHECK_INT(host->warnings, before);
    kernel.kind = KERNEL_SIGMOID;
    kernel.gamma = 1e-5;
    kernel.coef0 = -1;
    kernel_warn_indefinite(env, &kernel, rows, 700, 2, "test");
    CHECK_INT(host->warnings, before + 1);
    free(gram);
    host_reset(host);
}

/* ---- stored kernels ---- */

static const Model *stored(Env *env, const double *numbers, uint32_t count, const double *parts, uint32_t part_count)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");
    const SchemaSpec spec = {.field_count = 2, .kinds = (const FieldKind[]){FIELD_TEXT, FIELD_NUMERIC}};

    schema_add(env, builder, &spec);
    builder_f64(builder, SECTION_ARRAYS, "kernel", numbers, count);
    if (parts != NULL)
        builder_f64_matrix(builder, SECTION_ARRAYS, "kernel_parts", parts, part_count, 8);
    return model_build(builder);
}

static void test_stored(Host *host)
{
    static const struct {
        double numbers[4];
        bool sound;
    } kernels[] = {{{3, 0.5, 0, 1}, true},    {{10, 0.5, 0, 1}, true},  {{2, 0.5, -1, 100}, true}, {{2, 0.5, -1, 101}, false},
                   {{3, 0, 0, 1}, false},     {{6, 1, 1, 3}, true},     {{6, 1, 0.5, 3}, false},   {{7, 1.5, 1, 3}, false},
                   {{7, 0.5, 1, 101}, false}, {{5, 1, 0, 1}, true},     {{8, 1, 0, 1}, false},     {{12, 1, 0, 1}, false},
                   {{3.5, 1, 0, 1}, false},   {{NAN, 1, 0, 1}, false},  {{3, NAN, 0, 1}, false},   {{3, INFINITY, 0, 1}, false}};
    static const double parts[] = {8, 1, 0, 1, 1, 2, 0, 0, 6, 1, 1, 3, 1, 0, 0, 0, 10, 0.5, 0, 1, 0.1, 0, 0, 0};
    Env *env = &host->env;
    Kernel kernel, again;
    double broken[24];

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        CHECK((kernel_read(stored(env, kernels[i].numbers, 4, NULL, 0), &kernel) == NULL) == kernels[i].sound);
    CHECK(kernel_read(stored(env, (double[]){8, 1, 1, 1}, 4, parts, 3), &kernel) == NULL);
    CHECK(kernel.part_count == 3 && kernel.text_at == 1 && kernel.parts[2].weight == 0.1 && kernel.parts[1].length == 3);
    again = kernel_from(env, "{\"kernel\": {\"sum\": [{\"kernel\": \"spectrum\"}, {\"kernel\": \"rbf\", \"gamma\": 0.5, \"weight\": 0.1}]}}");
    CHECK(kernel_same(&kernel, &again));
    CHECK(kernel_read(stored(env, (double[]){8, 1, 0, 1}, 4, parts, 3), &kernel) != NULL);
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 5; k++) {
            const char *wrong;

            memcpy(broken, parts, sizeof broken);
            broken[i] = (double[]){0, -1, NAN, 17, 2}[k];
            wrong = kernel_read(stored(env, (double[]){8, 1, 1, 1}, 4, broken, 3), &kernel);
            if (wrong == NULL) { /* what is read has values, whatever they are */
                double row[] = {0, 1}, value = kernel_value(&kernel, row, row, 2);

                CHECK(isnan(value));
            }
        }
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_definitions(host);
    test_characters(host);
    test_table(host);
    test_forms(host);
    test_functions();
    test_sums(host);
    test_gram(host);
    test_definite(host);
    test_stored(host);
    host_free(host);
    return check_report();
}
