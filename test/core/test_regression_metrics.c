/* test_regression_metrics.c - the numbers of the metrics, at the ends of double precision, and their merge. */
#include "check.h"
#include "core/metrics/regression_metrics.h"

static double result(Host *host, bool (*metric)(Env *, const RegressionMetrics *, double *),
                     const RegressionMetrics *state)
{
    double x = NAN;

    return metric(&host->env, state, &x) ? x : NAN;
}

static void test_textbook(Host *host)
{
    static const double y[] = {3, -0.5, 2, 7}, p[] = {2.5, 0, 2, 8};
    RegressionMetrics s = {0};

    CHECK(isnan(result(host, metrics_mse, &s)) && isnan(result(host, metrics_r_squared, &s)));
    for (int i = 0; i < 4; i++)
        metrics_add(&host->env, &s, y[i], p[i], 1);
    CHECK_NEAR(result(host, metrics_mse, &s), 0.375, 1e-15);
    CHECK_NEAR(result(host, metrics_rmse, &s), 0.612372435695794, 1e-14);
    CHECK_NEAR(result(host, metrics_mae, &s), 0.5, 1e-15);
    CHECK_NEAR(result(host, metrics_r_squared, &s), 0.948608137044968, 1e-14);
}

/* One scale for all numbers: relative results do not change, squares neither overflow nor vanish. */
static void test_scales(Host *host)
{
    static const double scales[] = {1e-300, 1e-160, 1, 1e160, 1e300};

    for (int i = 0; i < 5; i++) {
        double x = scales[i];
        RegressionMetrics s = {0};

        metrics_add(&host->env, &s, 3 * x, 2.5 * x, 1);
        metrics_add(&host->env, &s, -0.5 * x, 0, 1);
        metrics_add(&host->env, &s, 2 * x, 2 * x, 1);
        metrics_add(&host->env, &s, 7 * x, 8 * x, 1);
        CHECK_NEAR(result(host, metrics_rmse, &s) / x, 0.612372435695794, 1e-14);
        CHECK_NEAR(result(host, metrics_mae, &s) / x, 0.5, 1e-14);
        CHECK_NEAR(result(host, metrics_r_squared, &s), 0.948608137044968, 1e-14);
        CHECK(metrics_check(&s) == NULL);
    }
}

/* The mean over targets is that of their metrics, also where their sum overflows; a target without a metric leaves it undefined. */
static void test_average(Host *host)
{
    RegressionMetrics s[3] = {{0}};
    double x = NAN;

    CHECK(!metrics_average(&host->env, metrics_mse, s, 0, &x) && !metrics_average(&host->env, metrics_mse, s, 1, &x));
    metrics_add(&host->env, &s[0], 1, 2, 1);
    metrics_add(&host->env, &s[1], 1, 5, 1);
    CHECK(metrics_average(&host->env, metrics_mae, s, 2, &x) && x == 2.5);
    CHECK(metrics_average(&host->env, metrics_mse, s, 2, &x) && x == 8.5);
    CHECK(!metrics_average(&host->env, metrics_mse, s, 3, &x) && !metrics_average(&host->env, metrics_r_squared, s, 2, &x));
    metrics_add(&host->env, &s[2], 1.7e308, 0, 1);
    s[1] = s[0] = s[2];
    CHECK(metrics_average(&host->env, metrics_mae, s, 3, &x));
    CHECK_NEAR(x / 1.7e308, 1, 1e-15);
}

static void test_overflow(Host *host)
{
    RegressionMetrics s = {0};

    metrics_add(&host->env, &s, 1e160, 0, 1);
    CHECK_NEAR(result(host, metrics_rmse, &s) / 1e160, 1, 1e-15);
    CHECK_FAILS(host, ERROR_RANGE, "value out of range: overflow", result(host, metrics_mse, &s));
}

static void test_mixed_scales(Host *host)
{
    RegressionMetrics s = {0};

    metrics_add(&host->env, &s, 1e-200, 0, 1);
    metrics_add(&host->env, &s, 1e200, 0, 1);
    metrics_add(&host->env, &s, 1, 0, 2);
    CHECK_NEAR(result(host, metrics_rmse, &s) / 1e200, 0.5, 1e-15);
    CHECK_NEAR(result(host, metrics_mae, &s) / 1e200, 0.25, 1e-15);
}

/* A large mean does not cost the digits of the spread. */
static void test_offset(Host *host)
{
    RegressionMetrics s = {0};

    for (int i = 0; i < 1000; i++)
        metrics_add(&host->env, &s, 1e9 + i % 10, 1e9 + i % 10 + (i % 2 ? 0.5 : -0.5), 1);
    CHECK_NEAR(result(host, metrics_r_squared, &s), 1 - 0.25 / 8.25, 1e-12);
}

static void test_constant(Host *host)
{
    RegressionMetrics s = {0}, t = {0};

    for (int i = 0; i < 100; i++)
        metrics_add(&host->env, &s, 0.1, 0.2, 0.3);
    t = s;
    metrics_merge(&host->env, &s, &t);
    CHECK(isnan(result(host, metrics_r_squared, &s)));
    CHECK_NEAR(result(host, metrics_mae, &s), 0.1, 1e-15);
}

/* Weights count as repetitions do; merging parts equals adding rows. */
static void test_weights_and_merge(Host *host)
{
    RegressionMetrics weighted = {0}, repeated = {0}, merged = {0}, empty = {0};

    for (int part = 0; part < 7; part++) {
        RegressionMetrics s = {0};

        for (int i = part * 30; i < (part + 1) * 30; i++) {
            double y = sin(i) * 100 + 50, p = y + cos(7 * i) * (i % 5 == 0 ? 1e-3 : 3);

            metrics_add(&host->env, &weighted, y, p, 1 + i % 3);
            for (int k = 0; k < 1 + i % 3; k++)
                metrics_add(&host->env, &repeated, y, p, 1);
            metrics_add(&host->env, &s, y, p, 1 + i % 3);
            metrics_add(&host->env, &s, 1e10, p, 0);
        }
        metrics_merge(&host->env, &merged, &s);
        metrics_merge(&host->env, &merged, &empty);
    }
    CHECK_NEAR(merged.rows, weighted.rows, 0);
    CHECK_NEAR(result(host, metrics_mse, &weighted), result(host, metrics_mse, &repeated), 1e-14);
    CHECK_NEAR(result(host, metrics_mse, &weighted), result(host, metrics_mse, &merged), 1e-14);
    CHECK_NEAR(result(host, metrics_mae, &weighted), result(host, metrics_mae, &repeated), 1e-14);
    CHECK_NEAR(result(host, metrics_mae, &weighted), result(host, metrics_mae, &merged), 1e-14);
    CHECK_NEAR(result(host, metrics_r_squared, &weighted),
               result(host, metrics_r_squared, &repeated), 1e-13);
    CHECK_NEAR(result(host, metrics_r_squared, &weighted), result(host, metrics_r_squared, &merged),
               1e-13);
}

static void test_refused(Host *host)
{
    RegressionMetrics s = {0};

    CHECK_FAILS(host, ERROR_DATA, "the actual value is NaN",
                metrics_add(&host->env, &s, NAN, 1, 1));
    CHECK_FAILS(host, ERROR_DATA, "the predicted value is -infinity",
                metrics_add(&host->env, &s, 1, -INFINITY, 1));
    CHECK_FAILS(host, ERROR_DATA, "the weight is infinity",
                metrics_add(&host->env, &s, 1, 1, INFINITY));
    CHECK_FAILS(host, ERROR_DATA, "the weight is NaN", metrics_add(&host->env, &s, 1, 1, NAN));
    CHECK_FAILS(host, ERROR_DATA, "the weight -2 is negative",
                metrics_add(&host->env, &s, 1, 1, -2));
    CHECK_FAILS(host, ERROR_RANGE, "overflow", metrics_add(&host->env, &s, 1e308, -1e308, 1));
    CHECK(s.rows == 0 && metrics_check(&s) == NULL);
}

static void test_forged(Host *host)
{
    RegressionMetrics s = {0};
    double *numbers = (double *)&s;

    CHECK(metrics_check(&s) == NULL);
    for (int i = 0; i < REGRESSION_METRICS_SIZE; i++) {
        memset(&s, 0, sizeof(s));
        numbers[i] = NAN;
        CHECK(metrics_check(&s) != NULL);
        numbers[i] = INFINITY;
        CHECK(metrics_check(&s) != NULL);
    }
    memset(&s, 0, sizeof(s));
    s.weight = -1;
    CHECK(metrics_check(&s) != NULL);
    memset(&s, 0, sizeof(s));
    s.squares.factor = 3;
    CHECK(metrics_check(&s) != NULL);
    s.squares.factor = -4;
    CHECK(metrics_check(&s) != NULL);
    s.squares.factor = 4;
    CHECK(metrics_check(&s) == NULL);
    s.squares.factor = 0;
    s.squares.powers.sum = 1;
    CHECK(metrics_check(&s) != NULL);
}

int main(void)
{
    Host *host = host_new();

    CHECK_WORKS(host, test_textbook(host));
    CHECK_WORKS(host, test_scales(host));
    CHECK_WORKS(host, test_average(host));
    test_overflow(host);
    CHECK_WORKS(host, test_mixed_scales(host));
    CHECK_WORKS(host, test_offset(host));
    CHECK_WORKS(host, test_constant(host));
    CHECK_WORKS(host, test_weights_and_merge(host));
    test_refused(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
