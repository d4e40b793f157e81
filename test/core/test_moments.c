/*
 * test_moments.c - moments: what merging, levels, weights and imputing must give, at every size, and
 * that forged states do no harm.
 */
#include "check.h"
#include "fit.h"
#include "core/linear_equations/linear_view.h"

#include <stdlib.h>

/* Returns a state with a numeric field and a categorical one. */
static Model *mixed_new(Env *env, ModelKind kind, uint8_t flags)
{
    static const char *const names[] = {"size", "color"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 2, .names = names, .kinds = kinds, .named = true};

    return moments_new(env, &spec, &(MomentsPlan){.kind = kind, .flags = flags});
}

/* Returns the position of a level or class, adding it if it is new; *state may move. */
static double position_of(Env *env, Model **state, DictionaryKind kind, uint32_t field,
                          const char *name)
{
    int found = dictionary_find(*state, kind, field, name, (uint32_t)strlen(name), false);
    uint32_t position = 0;
    Model *next;

    if (found >= 0)
        return found;
    next = dictionary_add(env, *state, kind, field, name, (uint32_t)strlen(name), false, 0, &position);
    if (next != *state)
        env->release(env, *state);
    *state = next;
    return position;
}

static Model *mixed_add(Env *env, Model *state, double x, const char *level, double y, double w)
{
    double slots[2] = {x, 0};

    slots[1] = position_of(env, &state, DICTIONARY_LEVELS, 1, level);
    return state_add(env, state, slots, NULL, y, w);
}

/* Checks that two models agree in the coefficients of their terms and in residuals, relative to their size. */
static void check_same_fit(Env *env, const Model *a, const Model *b, double tolerance)
{
    uint32_t length = 0, other = 0;
    const LinearTerm *x = linear_terms(env, a, &length), *y = linear_terms(env, b, &other);

    CHECK_INT(length, other);
    for (uint32_t i = 0; i < length && i < other; i++)
        CHECK_NEAR(model_f64(a, "coef", NULL)[x[i].column], model_f64(b, "coef", NULL)[y[i].column], tolerance);
    CHECK_NEAR(array_at(a, "intercept", 0), array_at(b, "intercept", 0), tolerance);
    CHECK_NEAR(model_fact(a, "rss", NAN), model_fact(b, "rss", NAN), tolerance);
    CHECK_NEAR(fact_of(env, a, "log_likelihood"), fact_of(env, b, "log_likelihood"), tolerance);
    CHECK_INT(a->rows, b->rows);
}

static bool same_bits(Env *env, const Model *a, const Model *b)
{
    (void)env;
    return model_compare(a, b) == 0;
}

/* Rows in any parts, merged, give what all rows together give. */
static void test_merge(Host *host, uint32_t d, uint32_t n, bool weighted)
{
    Env *env = &host->env;
    double *x = env_array(env, (size_t)n * d, 8), *y = env_array(env, n, 8), *w = NULL;
    uint64_t seed = d * 1000 + n;
    Model *whole, *fit;

    if (weighted)
        w = env_array(env, n, 8);
    for (uint32_t i = 0; i < n; i++) {
        y[i] = 3;
        for (uint32_t j = 0; j < d; j++) {
            x[i * d + j] = random_normal(&seed) * (j + 1) + 100;
            y[i] += x[i * d + j] * (j % 3 - 1.0) / (j + 1);
        }
        y[i] += random_normal(&seed);
        if (weighted)
            w[i] = 0.5 + random_uniform(&seed);
    }
    whole = state_rows(env, x, y, w, d, NULL, 0, n);
    fit = fit_model(env, "linear_regression", whole, "{}");
    CHECK(model_check(env, whole, whole->size) == NULL);
    CHECK(model_check(env, fit, fit->size) == NULL);
    for (uint32_t cut = 0; cut <= n; cut += n / 5 + 1) {
        Model *a = state_rows(env, x, y, w, d, NULL, 0, cut);
        Model *b = state_rows(env, x, y, w, d, NULL, cut, n);
        Model *kept = state_copy(env, b), *merged = moments_merge(env, a, b, true);
        Model *stored = moments_merge(env, model_again(env, a), model_again(env, b), true);
        CHECK(same_bits(env, b, kept));
        CHECK(model_check(env, merged, merged->size) == NULL);
        CHECK(same_bits(env, merged, stored));
        CHECK(same_bits(env, moments_finish(env, merged), moments_finish(env, stored)));
        check_same_fit(env, fit_model(env, "linear_regression", merged, "{}"), fit, 1e-10);
    }
    /* against the normal equations: residuals are orthogonal to the terms */
    for (uint32_t j = 0; j < d; j++) {
        double sum = 0, norm = 0;
        for (uint32_t i = 0; i < n; i++) {
            double residual = y[i] - estimator_of(fit)->scoring->predict(fit, NULL, x + i * d);
            sum += (weighted ? w[i] : 1) * residual * x[i * d + j];
            norm += fabs(residual * x[i * d + j]);
        }
        CHECK_NEAR(sum / (norm + 1e-9), 0, 1e-9);
    }
    host_reset(host);
}

/* Levels in any order, in parts that share none, give the same terms and numbers as 0/1 columns made by hand. */
static void test_levels(Host *host, bool weighted)
{
    static const char *const names[] = {"red", "green", "blue", "amber", "ünï\"x", "'"};
    Env *env = &host->env;
    uint8_t flags = weighted ? MODEL_WEIGHTED : 0;
    Model *whole = mixed_new(env, MODEL_MOMENTS, flags), *reversed = mixed_new(env, MODEL_MOMENTS, flags);
    Model *a = mixed_new(env, MODEL_MOMENTS, flags), *b = mixed_new(env, MODEL_MOMENTS, flags);
    Model *dummies = state_new(env, MODEL_MOMENTS, 6, flags), *fit, *other, *by_hand;
    double x[300], y[300], w[300];
    uint64_t seed = 5;
    Coefficient *list;
    uint32_t count;

    for (int i = 0; i < 300; i++) {
        x[i] = random_normal(&seed);
        w[i] = 1 + random_uniform(&seed);
        y[i] = 2 * x[i] + i % 6 + random_normal(&seed);
    }
    for (int i = 0; i < 300; i++) {
        /* in order of bytes: ' amber blue green red ünï"x */
        static const int rank[] = {4, 3, 2, 1, 5, 0};
        double row[6] = {x[i]};
        int r = rank[i % 6], k = 299 - i;
        if (r > 0)
            row[r] = 1;
        whole = mixed_add(env, whole, x[i], names[i % 6], y[i], w[i]);
        reversed = mixed_add(env, reversed, x[k], names[k % 6], y[k], w[k]);
        if (i % 6 < 3)
            a = mixed_add(env, a, x[i], names[i % 6], y[i], w[i]);
        else
            b = mixed_add(env, b, x[i], names[i % 6], y[i], w[i]);
        dummies = state_add(env, dummies, row, NULL, y[i], w[i]);
    }
    CHECK(model_check(env, whole, whole->size) == NULL);
    fit = fit_model(env, "linear_regression", whole, "{}");
    by_hand = fit_model(env, "linear_regression", dummies, "{}");
    check_same_fit(env, fit, by_hand, 1e-11);
    check_same_fit(env, fit_model(env, "linear_regression", reversed, "{}"), fit, 1e-11);
    other = moments_merge(env, a, b, true);
    CHECK(model_check(env, other, other->size) == NULL);
    check_same_fit(env, fit_model(env, "linear_regression", other, "{}"), fit, 1e-11);
    CHECK(same_bits(env, other, moments_merge(env, model_again(env, a), model_again(env, b), true)));
    other = moments_merge(env, b, a, true);
    check_same_fit(env, fit_model(env, "linear_regression", other, "{}"), fit, 1e-11);
    count = estimator_of(fit)->coefficients(env, fit, &list);
    CHECK_INT(count, 7);
    CHECK_TEXT(list[0].term, "(intercept)");
    CHECK_TEXT(list[1].term, "size");
    CHECK_TEXT(list[2].term, "color=amber");
    CHECK_TEXT(list[6].term, "color=ünï\"x");
    /* without intercept every level has its own term */
    count = estimator_of(fit)->coefficients(
        env, fit_model(env, "linear_regression", whole, "{\"intercept\": false}"), &list);
    CHECK_INT(count, 7);
    CHECK_TEXT(list[1].term, "color='");
    host_reset(host);
}

/* Many levels and wide blocks: the factor by the Gram matrix, with known zero pivots. */
static void test_many_levels(Host *host)
{
    Env *env = &host->env;
    Model *state = mixed_new(env, MODEL_MOMENTS, 0), *parts[3], *fit, *merged;
    uint64_t seed = 9;
    double sums[40] = {0}, counts[40] = {0};
    const LinearTerm *terms;
    uint32_t count;

    for (int p = 0; p < 3; p++)
        parts[p] = mixed_new(env, MODEL_MOMENTS, 0);
    for (int i = 0; i < 6000; i++) {
        char name[16];
        int level = (int)(random_uniform(&seed) * 40);
        double y = level * level + random_normal(&seed);
        snprintf(name, sizeof(name), "l%02d", level);
        sums[level] += y;
        counts[level]++;
        state = mixed_add(env, state, 0, name, y, 1);
        parts[i % 3] = mixed_add(env, parts[i % 3], 0, name, y, 1);
    }
    /* the numeric column is constant: dropped; the terms are differences of group means */
    fit = fit_model(env, "linear_regression", state, "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "size");
    CHECK_NEAR(array_at(fit, "intercept", 0), sums[0] / counts[0], 1e-10);
    terms = linear_terms(env, fit, &count);
    CHECK_INT(count, 40);
    for (int l = 1; l < 40; l++)
        CHECK_NEAR(array_at(fit, "coef", terms[l].column), sums[l] / counts[l] - sums[0] / counts[0], 1e-10);
    merged = state_merge(env, state_merge(env, parts[2], parts[0]), parts[1]);
    check_same_fit(env, fit_model(env, "linear_regression", merged, "{}"), fit, 1e-9);
    host_reset(host);
}

/* A merge keeps no memory but that of its result, also where both sides count from different origins. */
static void test_merge_memory(Host *host)
{
    Env *env = &host->env;
    Model *state = mixed_new(env, MODEL_MOMENTS, 0), *other = mixed_new(env, MODEL_MOMENTS, 0);
    size_t before = 0;

    for (int i = 0; i < 600; i++) {
        state = mixed_add(env, state, 1e6 + i % 7, i % 2 == 0 ? "a" : "b", i % 5, 1);
        other = mixed_add(env, other, 5e6 + i % 3, i % 3 == 0 ? "b" : "a", i % 4, 1);
    }
    for (int i = 0; i < 20; i++) {
        state = state_merge(env, state, state_copy(env, other));
        if (i == 9)
            before = host->bytes;
    }
    CHECK_INT(host->bytes, before);
    host_reset(host);
}

/* NULLs replaced by the mean, as by two passes over the rows. */
static void test_impute(Host *host)
{
    enum { N = 200, D = 4 };
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, D, MODEL_IMPUTE | MODEL_WEIGHTED), *explicit;
    Model *a = state_new(env, MODEL_MOMENTS, D, MODEL_IMPUTE | MODEL_WEIGHTED);
    Model *b = state_new(env, MODEL_MOMENTS, D, MODEL_IMPUTE | MODEL_WEIGHTED), *fit, *merged;
    static double x[N][D], y[N], w[N];
    static bool nulls[N][D];
    double means[D] = {0}, *own;
    uint64_t seed = 3;

    for (int i = 0; i < N; i++) {
        y[i] = random_normal(&seed);
        w[i] = 1 + random_uniform(&seed);
        for (int j = 0; j < D; j++) {
            x[i][j] = 10 * j + random_normal(&seed);
            y[i] += x[i][j] * j;
            /* column 0 is NULL first, column 1 late, column 3 never */
            nulls[i][j] = j == 0 ? i % 7 == 0 : j == 1 ? i > 120 && i % 3 == 0 : j == 2 && i % 50 == 49;
        }
    }
    for (int j = 0; j < D; j++) {
        double weight = 0;
        for (int i = 0; i < N; i++)
            if (!nulls[i][j]) {
                means[j] += w[i] * x[i][j];
                weight += w[i];
            }
        means[j] /= weight;
    }
    explicit = state_new(env, MODEL_MOMENTS, D, MODEL_WEIGHTED);
    for (int i = 0; i < N; i++) {
        double row[D];
        state = state_add(env, state, x[i], nulls[i], y[i], w[i]);
        if (i < 100)
            a = state_add(env, a, x[i], nulls[i], y[i], w[i]);
        else
            b = state_add(env, b, x[i], nulls[i], y[i], w[i]);
        for (int j = 0; j < D; j++)
            row[j] = nulls[i][j] ? means[j] : x[i][j];
        explicit = state_add(env, explicit, row, NULL, y[i], w[i]);
    }
    CHECK(model_check(env, state, state->size) == NULL);
    fit = fit_model(env, "linear_regression", state, "{}");
    check_same_fit(env, fit, fit_model(env, "linear_regression", explicit, "{}"), 1e-11);
    own = moments_impute_means(env, moments_for_fit(env, state));
    for (int j = 0; j < D; j++) {
        CHECK_NEAR(own[j], means[j], 1e-12);
        CHECK_NEAR(array_at(fit, "impute", (uint32_t)j), means[j], 1e-12);
    }
    merged = moments_merge(env, model_again(env, b), model_again(env, a), true);
    CHECK(model_check(env, merged, merged->size) == NULL);
    check_same_fit(env, fit_model(env, "linear_regression", merged, "{}"), fit, 1e-11);
    host_reset(host);
}

/* Compares class and feature moments with two passes over the rows, in parts with classes in other orders. */
static void test_scatter(Host *host, bool classed, uint32_t d)
{
    enum { N = 400, C = 3 };
    static const char *const labels[] = {"setosa", "versicolor", "virginica"};
    Env *env = &host->env;
    ModelKind kind = classed ? MODEL_CLASS_MOMENTS : MODEL_FEATURE_MOMENTS;
    double *x = env_array(env, (size_t)N * d, 8), w[N];
    Model *whole = state_new(env, kind, d, MODEL_WEIGHTED), *again;
    Model *parts[2] = {state_new(env, kind, d, MODEL_WEIGHTED), state_new(env, kind, d, MODEL_WEIGHTED)};
    uint64_t seed = d;
    uint32_t length;

    for (int i = 0; i < N; i++) {
        w[i] = 1 + random_uniform(&seed);
        for (uint32_t j = 0; j < d; j++)
            x[(size_t)i * d + j] = 1e3 * j + random_normal(&seed) * (1 + i % C);
    }
    for (int i = 0; i < N; i++) {
        int k = i % 2 == 0 ? i : N - i; /* the second part meets the classes in another order */
        double class = classed ? position_of(env, &whole, DICTIONARY_CLASSES, 0, labels[i % C]) : 0;
        whole = state_add(env, whole, x + (size_t)i * d, NULL, class, w[i]);
        class = classed ? position_of(env, &parts[i % 2], DICTIONARY_CLASSES, 0, labels[k % C]) : 0;
        parts[i % 2] = state_add(env, parts[i % 2], x + (size_t)k * d, NULL, class, w[k]);
    }
    whole = moments_flush(env, whole);
    again = moments_flush(env, moments_merge(env, parts[1], model_again(env, parts[0]), true));
    CHECK(model_check(env, whole, whole->size) == NULL);
    CHECK(model_check(env, again, again->size) == NULL);
    for (int c = 0; c < (classed ? C : 1); c++) {
        const Model *states[] = {whole, again};
        for (int s = 0; s < 2; s++) {
            const Model *state = states[s];
            int own = classed ? dictionary_find(state, DICTIONARY_CLASSES, 0, labels[c],
                                                (uint32_t)strlen(labels[c]), false)
                              : 0;
            const double *means = model_f64(state, "means", &length) + (size_t)own * d;
            const double *scatter = model_f64(state, "scatter", &length) + (size_t)own * d * (d + 1) / 2;
            for (uint32_t j = 0; j < d; j++) {
                double sum = 0, weight = 0;
                for (int i = 0; i < N; i++)
                    if (!classed || i % C == c) {
                        sum += w[i] * x[(size_t)i * d + j];
                        weight += w[i];
                    }
                CHECK_NEAR(means[j], sum / weight, 1e-13);
                CHECK_NEAR(array_at(state, "counts", (uint32_t)(2 * own + 1)), weight, 1e-13);
            }
            for (uint32_t j = 0; j < d; j++)
                for (uint32_t k = 0; k <= j; k++) {
                    double sum = 0;
                    for (int i = 0; i < N; i++)
                        if (!classed || i % C == c)
                            sum += w[i] * (x[(size_t)i * d + j] - means[j]) *
                                   (x[(size_t)i * d + k] - means[k]);
                    CHECK_NEAR(*scatter++ / N, sum / N, 1e-11);
                }
        }
    }
    host_reset(host);
}

/* Values at the ends of the range of double precision. */
static void test_magnitudes(Host *host)
{
    static const double scales[] = {1e-300, 1e-160, 1, 1e160, 1e300};
    Env *env = &host->env;

    for (uint32_t d = 2; d <= 24; d += 11)
        for (int i = 0; i < 5; i++) {
            double s = scales[i], row[24];
            uint64_t seed = 4;
            Model *state = state_new(env, MODEL_MOMENTS, d, 0), *fit = NULL;
            for (int r = 0; r < 400; r++) {
                double y = 1;
                for (uint32_t j = 0; j < d; j++) {
                    row[j] = random_normal(&seed);
                    y += row[j] * (j + 1);
                    row[j] *= s;
                }
                state = state_add(env, state, row, NULL, y, 1);
            }
            /* coefficients j / s: the largest fit in a double */
            if (TRY(host)) {
                fit = fit_model(env, "linear_regression", state, "{}");
                TRY_END(host);
                for (uint32_t j = 0; j < d; j++)
                    CHECK_NEAR(array_at(fit, "coef", j) * s, j + 1.0, 1e-9);
                CHECK_NEAR(array_at(fit, "intercept", 0), 1, 1e-8);
            } else {
                check_that(false, __FILE__, __LINE__, "%u columns of %g: %s", d, s, host->message);
            }
        }
    host_reset(host);

    /* too large to be summed: an error that names the column */
    for (uint32_t d = 2; d <= 24; d += 11) {
        CHECK_FAILS(host, ERROR_RANGE, "f2", {
            Model *state = state_new(env, MODEL_MOMENTS, d, 0);
            double row[24] = {0};
            for (int r = 0; r < 600; r++) {
                row[1] = r % 2 == 0 ? 1.7e308 : -1.7e308;
                row[0] = r % 7;
                state = state_add(env, state, row, NULL, 1, 1);
            }
            moments_flush(env, state);
        });
        CHECK_FAILS(host, ERROR_RANGE, "target", {
            Model *state = state_new(env, MODEL_MOMENTS, d, 0);
            double row[24] = {0};
            for (int r = 0; r < 600; r++)
                state = state_add(env, state, row, NULL, r % 2 == 0 ? 1.7e308 : -1.7e308, 1);
            moments_flush(env, state);
        });
    }
    CHECK_FAILS(host, ERROR_RANGE, "f1", {
        Model *state = state_new(env, MODEL_FEATURE_MOMENTS, 2, 0);
        double row[2] = {1e200, 1};
        for (int r = 0; r < 9; r++, row[0] = -row[0])
            state = state_add(env, state, row, NULL, 0, 1);
        moments_flush(env, state);
    });
    host_reset(host);
}

/* Offsets three million times the spread cost what rounding the rows themselves would cost. */
static void test_offsets(Host *host)
{
    Env *env = &host->env;

    for (uint32_t d = 3; d <= 30; d += 27) {
        Model *near = state_new(env, MODEL_MOMENTS, d, 0), *far = state_new(env, MODEL_MOMENTS, d, 0);
        uint64_t seed = 8;
        for (int r = 0; r < 2000; r++) {
            double a[30], b[30], y = 0;
            for (uint32_t j = 0; j < d; j++) {
                a[j] = floor(random_uniform(&seed) * 1000);
                b[j] = a[j] + 1e9;
                y += a[j] * (j + 1.0);
            }
            y += random_normal(&seed);
            near = state_add(env, near, a, NULL, y, 1);
            far = state_add(env, far, b, NULL, y, 1);
        }
        Model *one = fit_model(env, "linear_regression", near, "{}");
        Model *other = fit_model(env, "linear_regression", far, "{}");
        for (uint32_t j = 0; j < d; j++)
            CHECK_NEAR(array_at(other, "coef", j), array_at(one, "coef", j), 1e-9);
        CHECK_NEAR(model_fact(other, "rss", NAN), model_fact(one, "rss", NAN), 1e-6);
    }
    host_reset(host);
}

/* Ill-conditioned wide blocks (25 powers of x) must not be factored by their Gram matrix. */
static void test_wide_powers(Host *host)
{
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, 22, 0), *fit;
    uint64_t seed = 2;

    for (int r = 0; r < 3000; r++) {
        double x[22], y = 0;
        for (int j = 0; j < 20; j++) {
            x[j] = random_normal(&seed);
            y += x[j];
        }
        x[20] = x[0] + 1e-6 * random_normal(&seed);
        x[21] = x[1] + 1e-7 * random_normal(&seed);
        y += 2 * x[20] - 3 * x[21];
        state = state_add(env, state, x, NULL, y, 1);
    }
    fit = fit_model(env, "linear_regression", state, "{}");
    CHECK_NEAR(array_at(fit, "coef", 20), 2, 1e-7);
    CHECK_NEAR(array_at(fit, "coef", 21), -3, 1e-6);
    CHECK_NEAR(array_at(fit, "coef", 5), 1, 1e-12);
    host_reset(host);
}

static void test_sizes(Host *host)
{
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, 3, 0);
    double row[3] = {1, 2, 3};
    uint32_t small = state->size;
    double *wide;

    CHECK(small <= 1064);
    for (int r = 0; r < 10000; r++) {
        row[r % 3] = r;
        state = state_add(env, state, row, NULL, r, 1);
    }
    CHECK(state->size < 4096);
    CHECK(moments_finish(env, state)->size < 1200);
    CHECK_INT(state->rows, 10000);
    CHECK(model_check(env, state, state->size) == NULL);
    host_reset(host);

    /* 1,600 columns, fewer rows than columns, then a fit */
    wide = env_array(env, 1600, 8);
    state = state_new(env, MODEL_MOMENTS, 1600, 0);
    uint64_t seed = 6;
    for (int r = 0; r < 20; r++) {
        for (int j = 0; j < 1600; j++)
            wide[j] = random_normal(&seed);
        state = state_add(env, state, wide, NULL, random_normal(&seed), 1);
    }
    CHECK(model_check(env, state, state->size) == NULL);
    host->env.memory_limit = (size_t)1 << 28;
    CHECK_FAILS(host, ERROR_DATA, "20 rows, 1601 coefficients",
                fit_model(env, "linear_regression", state, "{}"));
    CHECK_WORKS(host, {
        Model *fit = fit_model(env, "ridge_regression", state, "{\"lambda\": 0.001}");
        CHECK(fact_of(env, fit, "effective_df") < 20.0001);
        CHECK(model_check(env, fit, fit->size) == NULL);
    });
    CHECK_FAILS(host, ERROR_LIMIT, "columns", state_new(env, MODEL_MOMENTS, 20000, 0));
    host_reset(host);
}

#define PRODUCT_COLUMNS 25

/* Draws a row of test_products, whose last feature but one is constant, and whose scale grows after row 2,000. */
static double product_row(uint64_t *seed, int r, double *x)
{
    double y = random_normal(seed);

    for (int j = 0; j < PRODUCT_COLUMNS; j++) {
        x[j] = j == PRODUCT_COLUMNS - 2 ? 7 : (random_normal(seed) + 10) * pow(10, j % 5) * (r == 2000 && j == 4 ? 1e7 : r > 3000 ? 30 : 1);
        y += x[j] * (j % 3 - 1.0) / pow(10, j % 5);
    }
    return y;
}

/* Rows that are added to products of sums give the fit of small parts that are merged by reflections; so does a state that was stored. */
static void test_products(Host *host, bool weighted)
{
    Env *env = &host->env;
    uint8_t flags = weighted ? MODEL_WEIGHTED : 0;
    Model *state = state_new(env, MODEL_MOMENTS, PRODUCT_COLUMNS, flags), *whole = NULL, *part = NULL, *stored = NULL, *one, *other;
    unsigned with = 0, without = 0;
    uint64_t seed = 5;

    for (int r = 0; r < 5000; r++) {
        double x[PRODUCT_COLUMNS], y = product_row(&seed, r, x), w = weighted ? 0.5 + r % 4 : 1;
        if (r % 20 == 0) {
            whole = whole == NULL ? part : moments_merge(env, whole, part, false);
            part = state_new(env, MODEL_MOMENTS, PRODUCT_COLUMNS, flags);
        }
        part = state_add(env, part, x, NULL, y, w);
        state = state_add(env, state, x, NULL, y, w);
        if (stored != NULL)
            stored = state_add(env, stored, x, NULL, y, w);
        if (r == 1500) { /* amid the rows of the products */
            CHECK(model_find(state, "products") != NULL);
            stored = model_again(env, state);
        }
        *(model_find(state, "products") != NULL ? &with : &without) += 1;
    }
    CHECK(with > 2000);
    CHECK(without > 50);
    CHECK(model_check(env, state, state->size) == NULL);
    CHECK(model_find(moments_finish(env, state), "products") == NULL);
    whole = moments_merge(env, whole, part, false);
    CHECK(model_find(whole, "products") == NULL);
    one = fit_model(env, "linear_regression", state, "{}");
    other = fit_model(env, "linear_regression", whole, "{}");
    check_same_fit(env, fit_model(env, "linear_regression", stored, "{}"), one, 1e-9);
    for (uint32_t j = 0; j < PRODUCT_COLUMNS; j++)
        CHECK_NEAR(array_at(one, "coef", j) * pow(10, j % 5), array_at(other, "coef", j) * pow(10, j % 5), 1e-10);
    CHECK_NEAR(model_fact(one, "rss", NAN), model_fact(other, "rss", NAN), 1e-9);
    CHECK_NEAR(array_at(one, "intercept", 0), array_at(other, "intercept", 0), 1e-8);
    host_reset(host);
}

#define GATHERED_COLUMNS 300

/*
 * The first rows of many features give the factor by one Gram matrix, and the others the products of blocks as large: the fit is that of small parts
 * that are merged by reflections. At the end, features grow so much that products are folded.
 */
static void test_gathered_rows(Host *host)
{
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, GATHERED_COLUMNS, 0), *whole = NULL, *part = NULL;
    uint64_t seed = 12;

    for (int r = 0; r < 2400; r++) {
        double x[GATHERED_COLUMNS], y = random_normal(&seed);

        for (int j = 0; j < GATHERED_COLUMNS; j++) {
            x[j] = (random_normal(&seed) + 3) * (r > 1800 ? 9 : 1);
            y += x[j] * (j % 3 - 1.0);
        }
        if (r % 100 == 0) {
            whole = whole == NULL ? part : moments_merge(env, whole, part, false);
            part = state_new(env, MODEL_MOMENTS, GATHERED_COLUMNS, 0);
        }
        part = state_add(env, part, x, NULL, y, 1);
        state = state_add(env, state, x, NULL, y, 1);
        CHECK(r > 451 || state->pending_rows == state->rows);
        CHECK(r > 1800 || (model_find(state, "products") != NULL) == (r > 451));
    }
    whole = moments_merge(env, whole, part, false);
    check_same_fit(env, fit_model(env, "linear_regression", state, "{}"), fit_model(env, "linear_regression", whole, "{}"), 1e-9);
    host_reset(host);
}

#define PENALIZED_COLUMNS 70
#define PENALIZED_ROWS 400

/* Solves with a positive definite matrix [n x n] by elimination, and returns the trace of its inverse; right becomes the solution. */
static double eliminate(double (*a)[2 * PENALIZED_COLUMNS], double *right, int n)
{
    double trace = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][n + j] = i == j;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            double f = a[i][k] / a[k][k];
            if (i == k)
                continue;
            for (int j = k; j < 2 * n; j++)
                a[i][j] -= f * a[k][j];
            right[i] -= f * right[k];
        }
    for (int k = 0; k < n; k++) {
        right[k] /= a[k][k];
        trace += a[k][n + k] / a[k][k];
    }
    return trace;
}

/* Ridge regression of many terms is that of the normal equations, under a penalty small enough to add its square to R'R, and under a large one. */
static void test_ridge_of_many_terms(Host *host)
{
    Env *env = &host->env;
    static double x[PENALIZED_ROWS][PENALIZED_COLUMNS], y[PENALIZED_ROWS], a[PENALIZED_COLUMNS][2 * PENALIZED_COLUMNS];
    double lambdas[] = {5, 5e4}, means[PENALIZED_COLUMNS] = {0}, middle = 0;
    Model *state = state_new(env, MODEL_MOMENTS, PENALIZED_COLUMNS, 0);
    uint64_t seed = 13;

    for (int r = 0; r < PENALIZED_ROWS; r++) {
        y[r] = random_normal(&seed);
        for (int j = 0; j < PENALIZED_COLUMNS; j++) {
            x[r][j] = random_normal(&seed) + 1;
            y[r] += x[r][j] * (j % 3);
            means[j] += x[r][j] / PENALIZED_ROWS;
        }
        middle += y[r] / PENALIZED_ROWS;
        state = state_add(env, state, x[r], NULL, y[r], 1);
    }
    for (int c = 0; c < 2; c++) {
        char options[64];
        double right[PENALIZED_COLUMNS] = {0}, trace;
        const Model *fit;

        for (int i = 0; i < PENALIZED_COLUMNS; i++)
            for (int r = 0; r < PENALIZED_ROWS; r++)
                right[i] += (x[r][i] - means[i]) * (y[r] - middle);
        for (int i = 0; i < PENALIZED_COLUMNS; i++)
            for (int j = 0; j < PENALIZED_COLUMNS; j++) {
                a[i][j] = i == j ? lambdas[c] : 0;
                for (int r = 0; r < PENALIZED_ROWS; r++)
                    a[i][j] += (x[r][i] - means[i]) * (x[r][j] - means[j]);
            }
        trace = eliminate(a, right, PENALIZED_COLUMNS);
        snprintf(options, sizeof options, "{\"lambda\": %g}", lambdas[c]);
        fit = fit_model(env, "ridge_regression", state, options);
        for (int j = 0; j < PENALIZED_COLUMNS; j++)
            CHECK_NEAR(array_at(fit, "coef", j), right[j], 1e-11);
        CHECK_NEAR(fact_of(env, fit, "df_model"), PENALIZED_COLUMNS - lambdas[c] * trace, 1e-10);
    }
    host_reset(host);
}

/* Dependent features, and numbers whose squares are no numbers, have no products. */
static void test_no_products(Host *host)
{
    Env *env = &host->env;

    for (int kind = 0; kind < 3; kind++) {
        Model *state = state_new(env, MODEL_MOMENTS, PRODUCT_COLUMNS, 0);
        uint64_t seed = 6;
        for (int r = 0; r < 2000; r++) {
            double x[PRODUCT_COLUMNS], y = product_row(&seed, 0, x);
            x[4] = kind == 0 ? x[3] + 1e-3 * random_normal(&seed) : x[4] * (kind == 1 ? 1e150 : 1e-200);
            state = state_add(env, state, x, NULL, y, 1);
            CHECK(model_find(state, "products") == NULL);
        }
        host_reset(host);
    }
}

/* A feature that is 0 until its numbers, all the same, are too small to square keeps its step, though it begins with a block. */
static void test_step_too_small_to_square(Host *host)
{
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, PRODUCT_COLUMNS, 0);
    uint64_t seed = 8;
    double step = 0;

    for (int r = 0; r < 2000; r++) {
        double x[PRODUCT_COLUMNS], y = product_row(&seed, 0, x);
        if (r > 500 && state->pending_rows == state->pending_capacity && model_find(state, "products") != NULL)
            step = 0x1p-560;
        x[0] = step;
        state = state_add(env, state, x, NULL, y, 1);
    }
    CHECK(step > 0);
    CHECK(array_at(moments_flush(env, state), "factor", 0) != 0);
    host_reset(host);
}

/* Rounding adds up with the blocks that are summed, so their number between two factors is limited. */
static void test_products_of_many_blocks(Host *host)
{
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, PRODUCT_COLUMNS, 0);
    uint64_t seed = 9;
    unsigned folded = 0;
    double before = 0;

    for (int r = 0; r < 300000; r++) {
        double x[PRODUCT_COLUMNS], scale = r < 600 ? 30 : 1, now; /* later, no column grows fourfold */
        for (int j = 0; j < PRODUCT_COLUMNS; j++)
            x[j] = scale * (random_uniform(&seed) - 0.5);
        state = state_add(env, state, x, NULL, scale * random_uniform(&seed), 1);
        now = array_at(state, "products", 0);
        folded += r > 5000 && now < before; /* before, columns grow fourfold */
        before = now;
    }
    CHECK_INT(folded, 1);
    host_reset(host);
}

static void test_refusals(Host *host)
{
    Env *env = &host->env;
    Model *a = state_new(env, MODEL_MOMENTS, 2, 0);

    CHECK_FAILS(host, ERROR_KIND, "merge", moments_merge(env, a, state_new(env, MODEL_FEATURE_MOMENTS, 2, 0), true));
    CHECK_FAILS(host, ERROR_DATA, "merge", moments_merge(env, a, state_new(env, MODEL_MOMENTS, 3, 0), true));
    CHECK_FAILS(host, ERROR_PARAMETER, "weights",
                moments_merge(env, a, state_new(env, MODEL_MOMENTS, 2, MODEL_WEIGHTED), true));
    CHECK_FAILS(host, ERROR_KIND, "regression",
                moments_design(env, state_new(env, MODEL_FEATURE_MOMENTS, 2, 0), true));
    host_reset(host);
}

/* Whatever passes the check can be added to, merged, finished and fitted: with errors, but without harm. */
static void use(Host *host, Model *state, const double *row)
{
    Env *env = &host->env;

    if (TRY(host)) {
        Model *merged = moments_merge(env, state, state, true);
        Model *done = moments_finish(env, merged);
        model_check(env, done, done->size);
        if (state->kind == MODEL_MOMENTS)
            fit_model(env, "linear_regression", merged, "{}");
        moments_impute_means(env, moments_for_fit(env, merged));
        state = state_add(env, state_copy(env, state), row, NULL, 0, 1);
        moments_flush(env, state);
        TRY_END(host);
    }
}

static void test_forged(Host *host)
{
    unsigned passed = 0;

    for (int kind = 0; kind < 4; kind++) {
        for (uint64_t round = 0; round < 1500; round++) {
            Env *env = &host->env;
            uint64_t seed = round * 77 + (uint64_t)kind;
            double row[2] = {1, 0};
            Model *state = mixed_new(env, kind < 2 ? MODEL_MOMENTS : kind == 2 ? MODEL_CLASS_MOMENTS
                                                                               : MODEL_FEATURE_MOMENTS,
                                     kind == 1 ? MODEL_WEIGHTED | MODEL_IMPUTE : 0);
            char *bytes;
            for (int r = 0; r < 10; r++) {
                double slots[2] = {random_normal(&seed), 0}, target = r;
                bool nulls[2] = {r == 4, false};
                slots[1] = position_of(env, &state, DICTIONARY_LEVELS, 1, r % 3 == 0 ? "a" : "b");
                if (kind == 2)
                    target = position_of(env, &state, DICTIONARY_CLASSES, 0, r % 2 == 0 ? "no" : "yes");
                state = state_add(env, state, slots, kind == 1 ? nulls : NULL, target, 1);
            }
            uint32_t size = state->size;
            bytes = env->alloc(env, size);
            memcpy(bytes, state, size);
            for (int hit = 0; hit < 1 + (int)(round % 3); hit++) {
                static const unsigned char values[] = {0, 1, 2, 7, 0x7f, 0x80, 0xff, 0xf0};
                size_t at = (size_t)(random_uniform(&seed) * size);
                bytes[at] = (char)values[(int)(random_uniform(&seed) * 8)];
            }
            Model *copy = (Model *)bytes;
            copy->fingerprint = 0;
            if (TRY(host)) {
                const char *problem = model_check(env, copy, size);
                TRY_END(host);
                if (problem == NULL) {
                    passed++;
                    use(host, copy, row);
                }
            }
            host_reset(host);
        }
    }
    printf("forged states that passed the check: %u of 6000\n", passed);
    CHECK(passed > 50);
}

/* Damaged products are refused, or end as an error. */
static void test_forged_products(Host *host)
{
    static const double values[] = {NAN, INFINITY, -1e300, 1e300, -1, 0};
    unsigned refused = 0;

    for (uint64_t round = 0; round < 60; round++) {
        Env *env = &host->env;
        Model *state = state_new(env, MODEL_MOMENTS, PRODUCT_COLUMNS, 0);
        uint64_t seed = round;
        double x[PRODUCT_COLUMNS];
        for (int r = 0; r < 1500; r++) {
            double y = product_row(&seed, r, x);
            state = state_add(env, state, x, NULL, y, 1);
        }
        uint32_t length = 0;
        double *products = (double *)model_f64(state, "products", &length);
        CHECK_INT(length, (PRODUCT_COLUMNS + 1) * (PRODUCT_COLUMNS + 2) / 2);
        for (uint64_t hit = 0; hit <= round % 3; hit++)
            products[(size_t)(random_uniform(&seed) * length)] = values[round % 6];
        if (TRY(host)) {
            const char *problem = model_check(env, state, state->size);
            TRY_END(host);
            refused += problem != NULL;
            if (problem == NULL)
                use(host, state, x);
        }
        host_reset(host);
    }
    CHECK_INT(refused, 20);
}

/* A negative sum of squares is an error, not a factor of NaN. */
static void test_negative_products(Host *host)
{
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, PRODUCT_COLUMNS, 0);
    uint64_t seed = 10;
    uint32_t length = 0;

    for (int r = 0; r < 1500; r++) {
        double x[PRODUCT_COLUMNS], y = product_row(&seed, r, x);
        state = state_add(env, state, x, NULL, y, 1);
    }
    ((double *)model_f64(state, "products", &length))[0] = -1e100;
    CHECK_FAILS(host, ERROR_CORRUPT, "products", moments_flush(env, state));
    host_reset(host);
}

/* A cancel at any point is an error and nothing else. */
static void test_cancel(Host *host)
{
    unsigned canceled = 0;

    for (uint64_t at = 1; at < 200; at += 7) {
        Env *env = &host->env;
        if (TRY(host)) {
            Model *state = state_new(env, MODEL_MOMENTS, 150, 0);
            double row[150];
            uint64_t seed = 1;
            host->cancel_at = host->polls + at;
            for (int r = 0; r < 600; r++) {
                for (int j = 0; j < 150; j++)
                    row[j] = random_normal(&seed);
                state = state_add(env, state, row, NULL, r, 1);
            }
            fit_model(env, "linear_regression", state, "{}");
            TRY_END(host);
        } else {
            canceled++;
        }
        host->cancel_at = 0;
        host_reset(host);
    }
    CHECK(canceled > 10);
}

int main(void)
{
    Host *host = host_new();

    setvbuf(stdout, NULL, _IOLBF, 0);
    host->env.memory_limit = (size_t)1 << 28;
    for (uint32_t d = 1; d <= 40; d += d < 5 ? 1 : 9)
        for (int weighted = 0; weighted < 2; weighted++) {
            test_merge(host, d, d + 4, weighted);
            test_merge(host, d, 120 + d, weighted);
            test_merge(host, d, 700, weighted);
        }
    test_levels(host, false);
    test_levels(host, true);
    test_many_levels(host);
    test_merge_memory(host);
    test_impute(host);
    for (uint32_t d = 1; d <= 27; d += 13) {
        test_scatter(host, false, d);
        test_scatter(host, true, d);
    }
    test_magnitudes(host);
    test_offsets(host);
    test_wide_powers(host);
    test_products(host, false);
    test_products(host, true);
    test_gathered_rows(host);
    test_ridge_of_many_terms(host);
    test_no_products(host);
    test_step_too_small_to_square(host);
    test_products_of_many_blocks(host);
    test_sizes(host);
    test_refusals(host);
    test_forged(host);
    test_forged_products(host);
    test_negative_products(host);
    test_cancel(host);
    host_free(host);
    return check_report();
}
