/*
 * test_glm.c - penalized generalized linear models against the conditions of their optimum, computed here row by row.
 */
#include "check.h"
#include "fit.h"

#include "core/glm/glm_tile.h"
#include "core/linear_equations/linear_view.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define ROWS 70

/* A family with a link, by what a row adds to the derivative of half the deviance by its score. */
typedef struct Family {
    const char *options; /* of glm */
    double (*slope)(double target, double mean);
    bool amounts;
} Family;

static double poisson_log(double y, double m)
{
    return m - y;
}

static double gamma_log(double y, double m)
{
    return 1 - y / m;
}

static double gamma_inverse(double y, double m)
{
    return y - m;
}

static double poisson_sqrt(double y, double m)
{
    return 2 * sqrt(m) - 2 * y / sqrt(m);
}

static const Family families[] = {{"\"family\":\"poisson\"", poisson_log, false},
                                  {"\"family\":\"gamma\",\"link\":\"log\"", gamma_log, true},
                                  {"\"family\":\"gamma\"", gamma_inverse, true},
                                  {"\"family\":\"poisson\",\"link\":\"sqrt\"", poisson_sqrt, false}};

/* Draws rows with `count` features, of which the third repeats the first but for little. */
static void draw(uint64_t seed, const Family *family, uint32_t count, double *x, double *y, double *w)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        double *row = x + (size_t)i * count, score = 1.5;

        for (uint32_t j = 0; j < count; j++)
            row[j] = (j == 2 ? row[0] + 0.01 * random_normal(&seed) : random_uniform(&seed)) * (1 + j % 2);
        score += 0.8 * row[0] - 0.2 * row[1];
        y[i] = family->amounts ? score * (0.5 + random_uniform(&seed)) : floor(exp(score) * random_uniform(&seed) * 2);
        w[i] = 0.5 + random_uniform(&seed);
    }
}

/* Checks that no coefficient can be changed for the better. */
static void check_optimum(const Model *model, const Family *family, uint32_t count, const double *x, const double *y, const double *w, double l1, double l2)
{
    const Scoring *scoring = estimator_of(model)->scoring;
    double *gradient = calloc(count + 1, sizeof(double)), scale = 0;
    LinearView view;

    linear_view(model, &view);
    for (uint32_t i = 0; i < ROWS; i++) {
        double own = w[i] * family->slope(y[i], scoring->predict(model, NULL, x + (size_t)i * count));

        for (uint32_t j = 0; j < count; j++)
            gradient[j] += own * x[(size_t)i * count + j];
        gradient[count] += own;
        scale += fabs(own);
    }
    CHECK(fabs(gradient[count]) <= 1e-8 * scale);
    for (uint32_t j = 0; j < count; j++) {
        double b = view.coef[j], slope = gradient[j] + 2 * l2 * b;

        if (l1 > 0 && b == 0)
            CHECK(fabs(slope) <= l1 * (1 + 1e-8) + 1e-8 * scale);
        else
            CHECK(fabs(slope + (b > 0 ? l1 : -l1)) <= 1e-8 * scale);
    }
    free(gradient);
}

static Model *fit(Env *env, uint32_t count, const double *x, const double *y, const double *w, const char *text)
{
    const Estimator *method = estimator_find("glm");
    Options *options = options_parse(env, method->name, method->options, text, strlen(text), NULL, NULL, 0);
    FieldKind *kinds = env_array(env, count, sizeof(FieldKind));
    SchemaSpec spec = {.field_count = count, .kinds = kinds};
    RowsPool *pool = rows_pool(env);
    FitInput input = {.kind = INPUT_ROWS};
    Model *model;

    for (uint32_t j = 0; j < count; j++)
        kinds[j] = FIELD_NUMERIC;
    input.rows = rows_new(pool, schema_model(env, &spec), ROWS_TARGET | ROWS_WEIGHT);
    for (uint32_t i = 0; i < ROWS; i++)
        rows_append(input.rows, x + (size_t)i * count, y[i], w[i], NULL, 0);
    model = estimator_fit(env, method, &input, options, true);
    rows_pool_free(pool);
    return model;
}

static void test_penalties(Host *host)
{
    static const struct {
        const char *name;
        double l1, l2;
    } penalties[] = {{"l1", 1, 0}, {"l2", 0, 1}, {"elastic_net", 0.5, 0.5}};

    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
            for (size_t p = 0; p < sizeof(penalties) / sizeof(penalties[0]); p++)
                for (double lambda = 0.01; lambda < 200; lambda *= 30) {
                    uint32_t count = seed == 3 && f < 3 ? 90 : 6; /* more than rows; link sqrt then has rows of 0 at the end of its domain */
                    double *x = malloc((size_t)ROWS * count * sizeof(double)), y[ROWS], w[ROWS];
                    char text[300];
                    Model *model;

                    draw(seed, &families[f], count, x, y, w);
                    snprintf(text, sizeof text, "{%s,\"penalty\":\"%s\",\"lambda\":%g,\"max_iter\":10000}", families[f].options, penalties[p].name, lambda);
                    model = fit(&host->env, count, x, y, w, text);
                    CHECK_INT(model_fact(model, "converged", 0), 1);
                    check_optimum(model, &families[f], count, x, y, w, lambda * penalties[p].l1, lambda * penalties[p].l2);
                    free(x);
                    host_reset(host);
                }
}

/* Targets near means that range widely: the step from the mean of all targets goes too far, so that nine steps would follow it, and seven for counts. */
static void test_targets_near_means_take_three_steps(Host *host)
{
    static const Family kinds[] = {{"\"family\":\"poisson\"", poisson_log, false}, {"\"family\":\"gamma\",\"link\":\"log\"", gamma_log, true}};

    for (int k = 0; k < 2; k++) {
        double x[ROWS * 2], y[ROWS], w[ROWS];
        uint64_t seed = 8;
        char text[100];
        Model *model;

        for (int i = 0; i < ROWS; i++) {
            double *row = x + 2 * i, mean;

            row[0] = random_uniform(&seed);
            row[1] = random_uniform(&seed);
            w[i] = 1;
            mean = exp(9 * row[0] - row[1] + 1) * (1 + 0.01 * random_normal(&seed));
            y[i] = k == 0 ? floor(mean) : mean;
        }
        snprintf(text, sizeof text, "{%s}", kinds[k].options);
        model = fit(&host->env, 2, x, y, w, text);
        check_optimum(model, &kinds[k], 2, x, y, w, 0, 0);
        CHECK(model_fact(model, "iterations", NAN) <= 3);
        host_reset(host);
    }
}

/* Steps of gamma with link log by the expected curvature alone were 12; the standard errors stay those of the expectation, which is X'X. */
static void test_amounts_take_newton_steps_and_keep_standard_errors(Host *host)
{
    static const Family kind = {"\"family\":\"gamma\",\"link\":\"log\"", gamma_log, true};
    double x[ROWS * 2], y[ROWS], w[ROWS], mean[2] = {0}, xx[3] = {0}, unit;
    uint64_t seed = 8;
    Model *model;

    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < 2; j++)
            mean[j] += (x[2 * i + j] = random_uniform(&seed)) / ROWS;
        w[i] = 1;
        y[i] = -log(1 - random_uniform(&seed)) * exp(0.3 * x[2 * i] - x[2 * i + 1] + 1);
    }
    for (int i = 0; i < ROWS; i++) {
        double a = x[2 * i] - mean[0], b = x[2 * i + 1] - mean[1];

        xx[0] += a * a;
        xx[1] += a * b;
        xx[2] += b * b;
    }
    model = fit(&host->env, 2, x, y, w, "{\"family\":\"gamma\",\"link\":\"log\"}");
    check_optimum(model, &kind, 2, x, y, w, 0, 0);
    CHECK(model_fact(model, "iterations", NAN) <= 5);
    unit = model_fact(model, "pearson", NAN) / (ROWS - 3) / (xx[0] * xx[2] - xx[1] * xx[1]);
    CHECK_NEAR(array_at(model, "covariance_packed", 2), unit * xx[2], 1e-12);
    CHECK_NEAR(array_at(model, "covariance_packed", 4), -unit * xx[1], 1e-12);
    CHECK_NEAR(array_at(model, "covariance_packed", 5), unit * xx[0], 1e-12);
    host_reset(host);
}

/* Deviances of targets near the mean keep the digits of their difference; quotients out of range are left to the caller. */
static void test_deviances(void)
{
    double y[41], m[41], counts[41], amounts[41], variance[41], tiny[] = {DBL_MIN, 0, 1}, large[] = {1e300, 2, 1};

    for (int shift = -1000; shift <= 1000; shift += 250) {
        for (int i = 0; i < 41; i++) {
            m[i] = ldexp(1.1 + i / 41.0, i % 3);
            y[i] = shift == 0 ? m[i] * (1 + ldexp(i % 2 ? 1 : -1, -1 - i)) : ldexp(1.7 - i / 61.0, shift);
        }
        CHECK(glm_poisson_rows(y, m, 41, 0, variance, counts));
        CHECK(memcmp(variance, m, sizeof(m)) == 0);
        CHECK(glm_gamma_rows(y, m, 41, variance, amounts));
        for (int i = 0; i < 41; i++) {
            double part = (y[i] - m[i]) / m[i], ratio = shift == 0 ? log1p(part) : log(y[i] / m[i]);

            CHECK(variance[i] == m[i] * m[i]);
            CHECK(fabs(counts[i] - 2 * (y[i] * ratio - (y[i] - m[i]))) <= 4e-15 * (fabs(y[i] * ratio) + fabs(y[i] - m[i])));
            CHECK(fabs(amounts[i] - 2 * (part - ratio)) <= 4e-15 * (fabs(part) + fabs(ratio)));
        }
    }
    CHECK(!glm_poisson_rows(tiny, large, 3, 0, variance, counts) && !glm_gamma_rows(tiny, large, 3, variance, amounts));
    CHECK(!glm_poisson_rows(large, tiny, 3, 0, variance, counts) && !glm_gamma_rows(large, tiny, 3, variance, amounts));
}

/* Zeros are counted of whole targets, up to those that are whole for lack of digits. */
static void test_zero_terms(void)
{
    double y[9] = {0, 1, 2, 7, 1e15 + 1, 0x1p52, 0x1p53, 1e300, 0}, w[9], slope[9], zero[9], observed[9], expected[9], variance[9], gradient[9];

    for (int i = 0; i < 9; i++) {
        w[i] = 1 + i;
        slope[i] = 0.5 * i;
        zero[i] = 0.1 * i;
    }
    CHECK(glm_zero_terms(y, w, slope, zero, 9, observed, expected, variance, gradient));
    for (int i = 0; i < 9; i++) {
        CHECK(observed[i] == (y[i] == 0 ? w[i] : 0));
        CHECK_NEAR(expected[i], w[i] * zero[i], 1e-15);
        CHECK_NEAR(variance[i], w[i] * zero[i] * (1 - zero[i]), 1e-15);
        CHECK_NEAR(gradient[i], -w[i] * slope[i] * zero[i], 1e-15);
    }
    for (int i = 0; i < 5; i++) {
        y[i] += 0.5;
        CHECK(!glm_zero_terms(y, w, slope, zero, 9, observed, expected, variance, gradient));
        y[i] -= 0.5;
    }
}

static void test_cancel(Host *host)
{
    double *x = malloc((size_t)ROWS * 90 * sizeof(double)), y[ROWS], w[ROWS];

    draw(5, &families[1], 90, x, y, w);
    CHECK_CANCELS(host, 200, 3, fit(&host->env, 90, x, y, w, "{\"family\":\"gamma\",\"link\":\"log\",\"penalty\":\"l1\",\"lambda\":\"path\",\"path\":5}"));
    free(x);
}

int main(void)
{
    Host *host = host_new();

    test_deviances();
    test_zero_terms();
    test_penalties(host);
    test_targets_near_means_take_three_steps(host);
    test_amounts_take_newton_steps_and_keep_standard_errors(host);
    test_cancel(host);
    host_free(host);
    return check_report();
}
