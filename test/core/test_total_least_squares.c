/*
 * test_total_least_squares.c - total least squares: known numbers, properties, edges.
 */
#include "check.h"
#include "fit.h"

#include <stdlib.h>

static const double heights[] = {160, 165, 170, 172, 178, 180, 183, 188, 192, 200};
static const double weights[] = {57, 62, 66, 70, 74, 71, 80, 79, 88, 91};

static Model *total(Env *env, const double *x, const double *y, const double *w, uint32_t d, uint32_t n,
                    const char *options)
{
    return fit_model(env, "total_least_squares", state_rows(env, x, y, w, d, NULL, 0, n), options);
}

static void test_line(Host *host)
{
    Env *env = &host->env;
    Model *fit = total(env, heights, weights, NULL, 1, 10, "{}"), *other;
    double sxx = 0, syy = 0, sxy = 0;

    CHECK(model_check(env, fit, fit->size) == NULL);
    CHECK_NEAR(array_at(fit, "coef", 0), 0.872194289229162, 1e-12);
    CHECK_NEAR(array_at(fit, "intercept", 0), -82.1483389141742, 1e-12);
    CHECK_NEAR(fact_of(env, fit, "orthogonal_rss"), 24.8045077976136, 1e-11);
    CHECK(isnan(fact_of(env, fit, "sigma")) && isnan(fact_of(env, fit, "aic")));
    /* with feature and target exchanged it is the same line */
    other = total(env, weights, heights, NULL, 1, 10, "{}");
    CHECK_NEAR(array_at(other, "coef", 0) * array_at(fit, "coef", 0), 1, 1e-12);
    CHECK_NEAR(fact_of(env, other, "orthogonal_rss"), 24.8045077976136, 1e-11);
    /* in closed form, without an intercept and standardized */
    for (int i = 0; i < 10; i++) {
        sxx += heights[i] * heights[i];
        syy += weights[i] * weights[i];
        sxy += heights[i] * weights[i];
    }
    other = total(env, heights, weights, NULL, 1, 10, "{\"intercept\": false}");
    CHECK_NEAR(array_at(other, "coef", 0), (syy - sxx + sqrt((syy - sxx) * (syy - sxx) + 4 * sxy * sxy)) / (2 * sxy), 1e-12);
    other = total(env, heights, weights, NULL, 1, 10, "{\"standardize\": true}");
    {
        double mx = 178.8, my = 73.8, vx = 0, vy = 0;
        for (int i = 0; i < 10; i++) {
            vx += (heights[i] - mx) * (heights[i] - mx);
            vy += (weights[i] - my) * (weights[i] - my);
        }
        CHECK_NEAR(array_at(other, "coef", 0), sqrt(vy / vx), 1e-12);
    }
    host_reset(host);
}

/* Features with errors of the size of the target's: it finds the true coefficients, where least squares is biased toward zero. */
static void test_consistent(Host *host)
{
    enum { N = 20000 };
    Env *env = &host->env;
    double *x = env_array(env, N * 2, sizeof(double)), *y = env_array(env, N, sizeof(double)),
           *w = env_array(env, N, sizeof(double));
    uint64_t seed = 1;
    Model *fit, *twice;

    for (int i = 0; i < N; i++) {
        double a = 3 * random_normal(&seed), b = 2 * random_normal(&seed) + 1e6;
        x[2 * i] = a + random_normal(&seed);
        x[2 * i + 1] = b + random_normal(&seed);
        y[i] = 2 * a - 1.5 * b + random_normal(&seed);
        w[i] = 1 + i % 2;
    }
    fit = total(env, x, y, NULL, 2, N, "{}");
    CHECK_NEAR(array_at(fit, "coef", 0), 2, 0.02);
    CHECK_NEAR(array_at(fit, "coef", 1), -1.5, 0.02);
    CHECK_NEAR(fact_of(env, fit, "orthogonal_rss") / N, 1, 0.03);
    CHECK(fabs(array_at(fit_model(env, "linear_regression", state_rows(env, x, y, NULL, 2, NULL, 0, N), "{}"), "coef", 0)) < 1.9);
    /* a weight of 2 is a row twice */
    fit = total(env, x, y, w, 2, N, "{\"weight_kind\": \"frequency\"}");
    {
        Model *state = state_rows(env, x, y, NULL, 2, NULL, 0, N);
        for (int i = 1; i < N; i += 2)
            state = state_add(env, state, x + 2 * i, NULL, y[i], 1);
        twice = fit_model(env, "total_least_squares", state, "{}");
    }
    CHECK_NEAR(array_at(fit, "coef", 0), array_at(twice, "coef", 0), 1e-9);
    CHECK_NEAR(array_at(fit, "coef", 1), array_at(twice, "coef", 1), 1e-9);
    host_reset(host);
}

static void test_edges(Host *host)
{
    static const double cross_x[] = {1, 0, -1, 0}, cross_y[] = {0, 1, 0, -1};
    static const double upright_x[] = {0, 0.1, 0, -0.1}, upright_y[] = {1, 0, -1, 0};
    static const double twice[] = {1, 1, 2, 2, 3, 3, 5, 5}, y[] = {1, 2, 2, 4}, flat[] = {7, 7, 7, 7};
    Env *env = &host->env;
    Model *fit;
    double huge[4];

    CHECK_FAILS(host, ERROR_DATA, "occurs twice", total(env, cross_x, cross_y, NULL, 1, 4, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "no solution", total(env, upright_x, upright_y, NULL, 1, 4, "{}"));
    host->warnings = 0;
    fit = total(env, twice, y, NULL, 2, 4, "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "depends linearly");
    CHECK(array_at(fit, "coef", 1) == 0);
    CHECK_NEAR(array_at(fit, "coef", 0), array_at(total(env, (double[]){1, 2, 3, 5}, y, NULL, 1, 4, "{}"), "coef", 0), 1e-12);
    fit = total(env, (double[]){1, 2, 3, 5}, flat, NULL, 1, 4, "{}");
    CHECK_NEAR(array_at(fit, "coef", 0), 0, 1e-15);
    CHECK_NEAR(array_at(fit, "intercept", 0), 7, 1e-15);
    fit = total(env, flat, y, NULL, 1, 4, "{}");
    CHECK(array_at(fit, "coef", 0) == 0);
    /* exact, and large */
    for (int i = 0; i < 4; i++)
        huge[i] = 1e140 * (i * i + 1);
    fit = total(env, huge, huge, NULL, 1, 4, "{}");
    CHECK_NEAR(array_at(fit, "coef", 0), 1, 1e-12);
    fit = total(env, y, y, NULL, 1, 1, "{}");
    CHECK_NEAR(array_at(fit, "intercept", 0), 1, 0);
    host->warnings = 0;
    total(env, (double[]){1, 0, -1, 0, 1e-9}, (double[]){0, 1 - 1e-8, 0, -1, 0}, NULL, 1, 5, "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "nearly undetermined");
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_line(host);
    test_consistent(host);
    test_edges(host);
    host_free(host);
    return check_report();
}
