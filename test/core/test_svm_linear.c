/*
 * test_svm_linear.c - linear support vector machines: random problems against their optimality conditions, rows on disk, memory,
 * degenerate problems, cancels.
 */
#include "check.h"
#include "fit.h"

#include <stdio.h>
#include <stdlib.h>

/* A problem: rows, targets (of classes 0 and 1), and weights or NULL. */
typedef struct Problem {
    uint32_t n, d;
    double *x, *y, *w;
} Problem;

static Problem make_problem(Env *env, uint64_t seed, uint32_t n, uint32_t d, double noise, bool classes, bool weighted)
{
    Problem p = {.n = n, .d = d, .x = env_array(env, (size_t)n * d, 8), .y = env_array(env, n, 8)};

    p.w = weighted ? env_array(env, n, 8) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        double sum = noise * random_normal(&seed);

        for (uint32_t j = 0; j < d; j++) {
            double *x = p.x + (size_t)i * d + j;

            *x = random_normal(&seed) * (1 + j % 3) + 10 * (j % 2);
            sum += (*x - 10 * (j % 2)) * (j % 2 ? -1 : 0.5);
        }
        p.y[i] = classes ? sum > 0 : sum;
        if (weighted)
            p.w[i] = 0.25 + random_uniform(&seed) * 4;
    }
    return p;
}

static const Model *fit(Env *env, const Problem *p, bool classes, const char *options)
{
    const Estimator *method = estimator_find(classes ? "svm_classifier" : "svm_regression");
    Rows *rows = target_rows(env, p->x, p->y, p->w, NULL, p->n, p->d, classes ? 2 : 0);
    const Model *model = rows_model(env, method, rows, options);

    rows_pool_free(rows_pool_of(rows));
    return model;
}

static double score(const Model *model, const Problem *p, uint32_t i)
{
    double sum = array_at(model, "intercept", 0);

    for (uint32_t j = 0; j < p->d; j++)
        sum += array_at(model, "coef", j) * p->x[(size_t)i * p->d + j];
    return isnan(sum) ? 0 : sum;
}

/* Checks that the objective is what the model states, and that the multipliers prove it to be the least. */
static void check_optimal(Env *env, const Model *model, const Problem *p, bool classes, double C, double epsilon, double gap)
{
    double primal = 0, dual = 0, balance = 0, stated = fact_of(env, model, "objective");
    double *v = env_array(env, p->d, sizeof(double));
    uint32_t count = model_find(model, "row_numbers")->rows, at = 0;
    const int64_t *numbers = model_i64(model, "row_numbers", &count);

    for (uint32_t j = 0; j < p->d; j++)
        primal += array_at(model, "coef", j) * array_at(model, "coef", j) / 2;
    for (uint32_t i = 0; i < p->n; i++) {
        double f = score(model, p, i), bound = C * (p->w != NULL ? p->w[i] : 1), a = 0;
        double over = classes ? 1 - (p->y[i] > 0 ? f : -f) : fabs(p->y[i] - f) - epsilon;

        primal += bound * fmax(0, over);
        if (at < count && numbers[at] == (int64_t)i + 1)
            a = array_at(model, "multipliers", at++);
        CHECK(fabs(a) <= bound * (1 + 1e-9));
        if (classes)
            CHECK(a == 0 || (a > 0) == (p->y[i] > 0));
        dual += classes ? fabs(a) : a * p->y[i] - epsilon * fabs(a);
        balance += a;
        for (uint32_t j = 0; j < p->d; j++)
            v[j] += a * p->x[(size_t)i * p->d + j];
    }
    for (uint32_t j = 0; j < p->d; j++)
        dual -= v[j] * v[j] / 2;
    CHECK_NEAR(primal, stated, 1e-9);
    CHECK(fabs(balance) <= 1e-6 * C * p->n);
    CHECK(primal - dual <= gap * primal + 10 * fabs(balance) && primal - dual >= -1e-6 * primal);
}

static void test_optimal(Host *host)
{
    for (uint32_t k = 0; k < 40; k++) {
        Env *env = &host->env;
        double C = pow(10, (int)(k % 7) - 3), epsilon = k % 3 == 0 ? 0 : 0.3;
        Problem p = make_problem(env, k + 1, 20 + 13 * k, 1 + k % 9, k % 4, k % 2, k % 5 == 0);
        char options[100];

        snprintf(options, sizeof(options), k % 2 ? "{\"C\": %g, \"keep_support\": true}" : "{\"C\": %g, \"keep_support\": true, \"epsilon\": %g}",
                 C, epsilon);
        check_optimal(env, fit(env, &p, k % 2, options), &p, k % 2, C, epsilon, 1e-6);
        host_reset(host);
    }
}

/* Checks that the coefficients of a squared loss are what its multipliers make of the rows, as they are at the least objective alone. */
static void check_stationary(Env *env, const Model *model, const Problem *p)
{
    double *left = env_array(env, (size_t)p->d + 1, sizeof(double)), squares = 0, size = 0;
    uint32_t count;
    const int64_t *numbers = model_i64(model, "row_numbers", &count);

    for (uint32_t j = 0; j < p->d; j++)
        left[j] = -array_at(model, "coef", j);
    for (uint32_t at = 0; at < count; at++) {
        double multiplier = array_at(model, "multipliers", at);

        for (uint32_t j = 0; j < p->d; j++)
            left[j] += multiplier * p->x[(size_t)(numbers[at] - 1) * p->d + j];
        left[p->d] += multiplier;
        size += fabs(multiplier);
    }
    for (uint32_t j = 0; j < p->d; j++)
        squares += left[j] * left[j];
    CHECK(fact_of(env, model, "converged") == 1);
    CHECK(squares <= 1e-9 * fact_of(env, model, "objective"));
    CHECK(fabs(left[p->d]) <= 1e-9 * size);
}

static void test_squared_stationary(Host *host)
{
    for (uint32_t k = 0; k < 40; k++) {
        Env *env = &host->env;
        Problem p = make_problem(env, k + 1, 20 + 130 * k, 1 + k % 9, k % 4 / 8.0, k % 2, k % 5 == 0);
        char options[120];

        snprintf(options, sizeof(options), "{\"C\": %g, \"keep_support\": true, \"loss\": \"%s\"}", pow(10, (int)(k % 7) - 3),
                 k % 2 ? "squared_hinge" : "squared_epsilon_insensitive");
        check_stationary(env, fit(env, &p, k % 2, options), &p);
        host_reset(host);
    }
}

/* Rows that leave the margin take all curvature of a column along. Steps by what rounding leaves of it ended with a gap of 1e-6. */
static void test_squared_column_left(Host *host)
{
    Env *env = &host->env;
    Problem p = make_problem(env, 5, 4000, 3, 0.5, true, true);
    const Model *model;

    for (uint32_t i = 0; i < p.n; i++) {
        double *x = p.x + (size_t)i * p.d;
        bool far = fabs(x[0]) > 1.5;

        x[2] = far ? 1e7 * x[2] : 0;
        x[0] += far ? x[0] > 0 ? 100 : -100 : 0;
        p.y[i] = far ? x[0] > 0 : p.y[i];
    }
    model = fit(env, &p, true, "{\"C\": 1000, \"keep_support\": true, \"loss\": \"squared_hinge\"}");
    check_stationary(env, model, &p);
    CHECK(fact_of(env, model, "gap") < 1e-12);
    host_reset(host);
}

/* Numbers of padding were standardized again in each pass, and were infinite after a few: the fit ended early, without an error. */
static void test_squared_small_unit(Host *host)
{
    static const char *const options[] = {"{\"standardize\": true, \"loss\": \"squared_hinge\"}", "{\"standardize\": true, \"loss\": \"squared_hinge\", \"penalty\": \"l1\"}"};

    for (int k = 0; k < 2; k++) {
        Env *env = &host->env;
        Problem p = make_problem(env, 7, 700, 4, 1, true, false);
        const Model *large = fit(env, &p, true, options[k]), *small;

        for (uint32_t i = 0; i < p.n * p.d; i++)
            p.x[i] = ldexp(p.x[i], -400);
        small = fit(env, &p, true, options[k]);
        CHECK(fact_of(env, small, "converged") == 1);
        CHECK_NEAR(fact_of(env, small, "objective"), fact_of(env, large, "objective"), 1e-10);
        host_reset(host);
    }
}

/* Rows in a file give the bits that rows in memory give; memory that does not suffice is an error with both sizes. */
static void test_memory(Host *host)
{
    Env *env = &host->env;
    size_t limit = env->memory_limit;
    static const char *const options[] = {"{}", "{\"loss\": \"squared_hinge\"}"};
    Problem p = make_problem(env, 5, 30000, 12, 2, true, false);

    for (int k = 0; k < 2; k++) {
        const Model *a, *b;

        env->memory_limit = (size_t)64 << 20;
        a = fit(env, &p, true, options[k]);
        env->memory_limit = (size_t)1600 << 10; /* the rows take 3 MB, the state of the solver 1.5 MB */
        b = fit(env, &p, true, options[k]);
        for (uint32_t j = 0; j < p.d; j++)
            CHECK(array_at(a, "coef", j) == array_at(b, "coef", j));
    }
    env->memory_limit = (size_t)1 << 20;
    CHECK_FAILS(host, ERROR_LIMIT, "svm_classifier would need", fit(env, &p, true, "{}"));
    env->memory_limit = limit;
    host_reset(host);
}

/* Solutions that are not unique, or whose multipliers are at the bound with rows on the margin, keep all digits. */
static void test_degenerate(Host *host)
{
    Env *env = &host->env;
    double x[] = {1, 2, -1, 2, -1, -2, 3, 1}, y[] = {0, 0, 1, 1}, flat[] = {3, 3, 3, 3, 3, 3, 3, 3};
    Problem p = {.n = 4, .d = 2, .x = x, .y = y}, q = {.n = 4, .d = 2, .x = flat, .y = y};
    const Model *model = fit(env, &p, true, "{\"C\": 0.5}");

    CHECK_NEAR(array_at(model, "coef", 0), 0.6, 1e-13);
    CHECK_NEAR(array_at(model, "coef", 1), -0.8, 1e-13);
    CHECK(fabs(array_at(model, "intercept", 0)) < 1e-13);
    model = fit(env, &p, true, "{\"C\": 0.05}"); /* any threshold from -0.6 to 0.4: the middle */
    CHECK_NEAR(array_at(model, "intercept", 0), 0.1, 1e-12);
    model = fit(env, &q, true, "{}");
    CHECK(array_at(model, "coef", 0) == 0 && fabs(array_at(model, "intercept", 0)) <= 1);
    CHECK_NEAR(fact_of(env, model, "objective"), 4, 1e-9);
    CHECK_FAILS(host, ERROR_DATA, "no hyperplane separates", fit(env, &q, true, "{\"C\": \"hard\"}"));
    host_reset(host);
}

/* A row on a hard margin whose multiplier is 0 is no support vector, and the equation has all its digits, whatever the tolerance. */
static void test_hard(Host *host)
{
    static const char *const options[] = {"{\"C\": \"hard\", \"keep_support\": true}", "{\"C\": \"hard\", \"tolerance\": 1e-14}",
                                          "{\"C\": \"hard\", \"tolerance\": 0.5}"};
    Env *env = &host->env;
    double x[] = {1, 2, -1, 2, -1, -2, 3, 1}, y[] = {0, 0, 1, 1};

    for (uint32_t n = 3; n <= 4; n++)
        for (int k = 0; k < 3; k++) {
            Problem p = {.n = n, .d = 2, .x = x, .y = y};
            const Model *model = fit(env, &p, true, options[k]);

            CHECK_NEAR(array_at(model, "coef", 0), n == 3 ? 0 : 0.6, 1e-12);
            CHECK_NEAR(array_at(model, "coef", 1), n == 3 ? -0.5 : -0.8, 1e-12);
            CHECK(fabs(array_at(model, "intercept", 0)) < 1e-12);
            CHECK(fact_of(env, model, "converged") == 1 && fact_of(env, model, "support_vectors") == n - 1);
            if (k == 0)
                CHECK_NEAR(array_at(model, "multipliers", 0), n == 3 ? -0.125 : -0.5, 1e-12);
        }
    for (uint32_t k = 0; k < 50; k++) { /* random separable rows, apart by 1 to 1e-6: never called inseparable */
        Problem p = make_problem(env, k + 1, 6 + 7 * k, 1 + k % 5, 0, true, false);
        const Model *model;
        double nearest = INFINITY;

        for (uint32_t i = 0; i < p.n; i++)
            p.x[(size_t)i * p.d] += (p.y[i] > 0 ? 1 : -1) * pow(10, -(double)(k % 7));
        p.y[0] = 0;
        p.y[1] = 1;
        p.x[0] = -100;
        p.x[p.d] = 100;
        model = fit(env, &p, true, k % 2 ? "{\"C\": \"hard\"}" : "{\"C\": \"hard\", \"tolerance\": 1e-14}");
        for (uint32_t i = 0; i < p.n; i++)
            nearest = fmin(nearest, (p.y[i] > 0 ? 1 : -1) * score(model, &p, i));
        CHECK_NEAR(nearest, 1, 1e-6);
        host_reset(host);
    }
    { /* stopped before any hyperplane was found: not called inseparable */
        Problem p = make_problem(env, 3, 200, 4, 0, true, false);

        CHECK_FAILS(host, ERROR_DATA, "before it found a hyperplane", fit(env, &p, true, "{\"C\": \"hard\", \"max_iter\": 1}"));
        host_reset(host);
    }
}

/* Makes a problem and fits it. */
static void fit_new(Env *env, bool classes, const char *options)
{
    Problem p = make_problem(env, 9, 20000, 8, 2, classes, false);

    fit(env, &p, classes, options);
}

/* A cancel ends the fit soon at any point. */
static void test_cancel(Host *host)
{
    CHECK_CANCELS(host, 60, 11, fit_new(&host->env, true, "{\"keep_support\": true}"));
    CHECK_CANCELS(host, 60, 11, fit_new(&host->env, false, "{\"loss\": \"squared_epsilon_insensitive\", \"penalty\": \"l1\"}"));
}

int main(void)
{
    Host *host = host_new();

    host->env.memory_limit = (size_t)256 << 20;
    test_optimal(host);
    test_squared_stationary(host);
    test_squared_column_left(host);
    test_squared_small_unit(host);
    test_memory(host);
    test_degenerate(host);
    test_hard(host);
    test_cancel(host);
    host_free(host);
    return check_report();
}
