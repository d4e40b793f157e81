/*
 * test_sandwich.c - robust covariances: against formulas written out, and ways of computing that must agree. R's numbers are in test/golden/vcov.json.
 */
#include "check.h"
#include "fit.h"
#include "core/inference/sandwich.h"

#include <math.h>

#define ROWS 40
#define COLUMNS 3

/* A design without an intercept, its residuals, and its factor by Gram-Schmidt. */
typedef struct Sample {
    double x[ROWS][COLUMNS], q[ROWS][COLUMNS], residual[ROWS], weight[ROWS], factor[COLUMNS * COLUMNS];
    double zero[COLUMNS], one[COLUMNS];
} Sample;

static Sample make_sample(bool weighted)
{
    Sample s = {0};

    for (int i = 0; i < ROWS; i++) {
        s.weight[i] = weighted ? 1 + i % 3 : 1;
        s.residual[i] = sin(i * i + 1.0);
        for (int j = 0; j < COLUMNS; j++)
            s.x[i][j] = cos(i * (j + 1) + 0.5 * j) + (j == 0);
    }
    for (int j = 0; j < COLUMNS; j++) {
        s.one[j] = 1;
        for (int i = 0; i < ROWS; i++)
            s.q[i][j] = s.x[i][j];
        for (int l = 0; l <= j; l++) {
            double sum = 0;

            for (int i = 0; i < ROWS; i++)
                sum += s.weight[i] * s.q[i][l] * (l == j ? s.q[i][j] : s.x[i][j]);
            if (l == j)
                sum = sqrt(sum);
            s.factor[j * COLUMNS + l] = sum;
            for (int i = 0; i < ROWS; i++)
                s.q[i][j] = l == j ? s.q[i][j] / sum : s.q[i][j] - sum * s.q[i][l];
        }
    }
    return s;
}

/* Runs over the sample; clusters of `size` rows. varying: as a generalized linear model whose variances happen to be 1. */
static SandwichResult run(Env *env, const Sample *s, const VcovPlan *plan, bool weighted, bool varying, int size)
{
    double total = 0;
    SandwichFit fit = {.count = COLUMNS, .factor = s->factor, .ld = COLUMNS, .center = s->zero, .scale = s->one, .rows = ROWS, .weighted = weighted, .varying = varying};
    Sandwich *sandwich;

    for (int i = 0; i < ROWS; i++)
        total += s->weight[i];
    fit.weight = total;
    sandwich = sandwich_begin(env, plan, &fit);
    for (int i = 0; i < ROWS; i++) {
        double tags[2] = {plan->kind == VCOV_NW ? -i : i / size, 7};
        SandwichRow row = {s->weight[i], 1, s->residual[i], tags, 1};

        sandwich_add(sandwich, s->x[i], &row);
    }
    return sandwich_finish(sandwich);
}

/* Element (0, 0) of R'V R must be the sum of squares of the first column of q, times what the kind makes of the scores. */
static double first_element(const Sample *s, const double *v)
{
    double sum = 0;

    for (int i = 0; i < COLUMNS; i++) /* R is a triangle: only its first row counts for the first coordinate */
        for (int j = 0; j < COLUMNS; j++)
            sum += s->factor[i * COLUMNS] * v[j * COLUMNS + i] * s->factor[j * COLUMNS];
    return sum;
}

static void test_independent(Env *env)
{
    Sample s = make_sample(true);
    double want[4] = {0};

    for (int i = 0; i < ROWS; i++) {
        double h = 0, score = s.weight[i] * s.residual[i];

        for (int j = 0; j < COLUMNS; j++)
            h += s.weight[i] * s.q[i][j] * s.q[i][j];
        for (int kind = 0; kind < 4; kind++)
            want[kind] += s.q[i][0] * s.q[i][0] * score * score / (kind < 2 ? 1 : kind == 2 ? 1 - h : (1 - h) * (1 - h));
    }
    want[1] *= ROWS / (double)(ROWS - COLUMNS);
    for (int kind = 0; kind < 4; kind++) {
        VcovPlan plan = {.kind = (VcovKind)(VCOV_HC0 + kind)};

        CHECK_NEAR(first_element(&s, run(env, &s, &plan, true, false, 1).covariance) / want[kind], 1, 1e-12);
    }
}

/* The adjustment by products of columns, by rows of a generalized linear model, and by rows with weights of 1. */
static void test_adjusted(Env *env)
{
    static const int sizes[] = {1, 2, 4, 7, 20};
    Sample s = make_sample(false);
    VcovPlan plan = {.kind = VCOV_CR2, .clusters = 1};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        SandwichResult equal = run(env, &s, &plan, false, false, sizes[i]), varying = run(env, &s, &plan, false, true, sizes[i]);
        SandwichResult weighted = run(env, &s, &plan, true, false, sizes[i]);

        CHECK_INT(equal.clusters[0], (ROWS + sizes[i] - 1) / sizes[i]);
        for (int j = 0; j < COLUMNS * COLUMNS; j++) {
            CHECK_NEAR(varying.covariance[j], equal.covariance[j], 1e-11 * fabs(equal.covariance[0]));
            CHECK_NEAR(weighted.covariance[j], equal.covariance[j], 1e-11 * fabs(equal.covariance[0]));
        }
        for (int j = 0; j < COLUMNS; j++) {
            CHECK_NEAR(varying.df[j] / equal.df[j], 1, 1e-10);
            CHECK_NEAR(weighted.df[j] / equal.df[j], 1, 1e-10);
            CHECK(equal.df[j] > 0 && equal.df[j] < equal.clusters[0]);
        }
    }
}

/* Clusters of one row are independent rows, and so is a series without lags, in whatever order. */
static void test_limits(Env *env)
{
    Sample s = make_sample(true);
    VcovPlan hc0 = {.kind = VCOV_HC0}, cr0 = {.kind = VCOV_CR0, .clusters = 1}, nw = {.kind = VCOV_NW, .lag = 0};
    const double *want = run(env, &s, &hc0, true, false, 1).covariance;
    const double *clusters = run(env, &s, &cr0, true, false, 1).covariance, *series = run(env, &s, &nw, true, false, 1).covariance;

    for (int j = 0; j < COLUMNS * COLUMNS; j++) {
        CHECK_NEAR(clusters[j], want[j], 1e-13 * fabs(want[0]));
        CHECK_NEAR(series[j], want[j], 1e-13 * fabs(want[0]));
    }
}

static void test_wald(Env *env)
{
    double v[4] = {4, 0, 0, 9}, e[2] = {2, 6}, singular[4] = {1, 1, 1, 1}, other[2] = {1, 2};

    CHECK_NEAR(wald_f(env, v, e, 2), (1 + 4) / 2.0, 1e-15);
    CHECK(isnan(wald_f(env, singular, other, 2)));
    CHECK(isnan(wald_f(env, v, e, 0)));
}

static void test_refusals(Host *host)
{
    Env *env = &host->env;
    Sample s = make_sample(false);
    VcovPlan clusters = {.kind = VCOV_CR1, .clusters = 1}, series = {.kind = VCOV_NW, .lag = ROWS}, leverage = {.kind = VCOV_HC3};

    CHECK_FAILS(host, ERROR_DATA, "all 40 rows are in one", run(env, &s, &clusters, false, false, ROWS));
    CHECK_FAILS(host, ERROR_DATA, "needs more than the 40 rows", run(env, &s, &series, false, false, 1));
    for (int i = 1; i < ROWS; i++) /* the first row alone has the first column */
        s.x[i][0] = 0;
    s.x[0][0] = s.factor[0] = 2;
    s.factor[COLUMNS] = s.factor[2 * COLUMNS] = 0;
    s.x[0][1] = s.x[0][2] = 0;
    CHECK_FAILS(host, ERROR_DATA, "which is 0 for 1 of 40 rows", run(env, &s, &leverage, false, false, 1));
}

int main(void)
{
    Host *host = host_new();

    test_independent(&host->env);
    test_adjusted(&host->env);
    test_limits(&host->env);
    test_wald(&host->env);
    test_refusals(host);
    host_free(host);
    return check_report();
}
