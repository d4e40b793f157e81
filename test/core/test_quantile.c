/*
 * test_quantile.c - quantile regression against the best of all equations through as many rows as it has coefficients: one of them is optimal;
 * and reduced rows against all of them.
 */
#include "check.h"
#include "fit.h"
#include "core/base/number_order.h"
#include "core/math/special_functions.h"

#include <stdlib.h>

enum { ROWS_MOST = 14 };

typedef struct Problem {
    double x[ROWS_MOST][2], y[ROWS_MOST], w[ROWS_MOST];
    uint32_t n;
    double quantile;
} Problem;

static double score(const Problem *problem, const double *theta, uint32_t i)
{
    return theta[0] + theta[1] * problem->x[i][0] + theta[2] * problem->x[i][1];
}

/* Returns how much smaller the check losses of `best` are than those of `theta`: row by row, so that large losses of both cancel. */
static double excess(const Problem *problem, const double *theta, const double *best)
{
    double sum = 0;

    for (uint32_t i = 0; i < problem->n; i++) {
        double own = score(problem, theta, i), other = score(problem, best, i), y = problem->y[i], q = problem->quantile;
        double slope = y < own ? q - 1 : q, other_slope = y < other ? q - 1 : q;

        sum += problem->w[i] * (slope == other_slope ? slope * (other - own) : slope * (y - own) - other_slope * (y - other));
    }
    return sum;
}

/* Sets theta to the equation through three rows. Returns false if they are on a line. */
static bool through(const Problem *problem, uint32_t a, uint32_t b, uint32_t c, double theta[3])
{
    const double *p = problem->x[a];
    double u[2] = {problem->x[b][0] - p[0], problem->x[b][1] - p[1]}, v[2] = {problem->x[c][0] - p[0], problem->x[c][1] - p[1]};
    double du = problem->y[b] - problem->y[a], dv = problem->y[c] - problem->y[a], area = u[0] * v[1] - u[1] * v[0];

    theta[1] = (du * v[1] - dv * u[1]) / area;
    theta[2] = (u[0] * dv - v[0] * du) / area;
    theta[0] = problem->y[a] - theta[1] * p[0] - theta[2] * p[1];
    return fabs(area) > 1e-6;
}

static void solve_by_search(const Problem *problem, double best[3])
{
    double theta[3];
    bool any = false;

    for (uint32_t a = 0; a < problem->n; a++)
        for (uint32_t b = a + 1; b < problem->n; b++)
            for (uint32_t c = b + 1; c < problem->n; c++)
                if (through(problem, a, b, c, theta) && (!any || excess(problem, theta, best) < 0)) {
                    memcpy(best, theta, sizeof theta);
                    any = true;
                }
}

/* Makes a problem: of numbers or of few whole ones, and with targets as large as 1e12 in up to two rows. */
static void draw(Problem *problem, uint64_t *seed, int number)
{
    problem->n = 6 + (uint32_t)(random_uniform(seed) * (ROWS_MOST - 5));
    problem->quantile = 0.1 + 0.8 * random_uniform(seed);
    for (uint32_t i = 0; i < problem->n; i++) {
        bool whole = number % 3 == 1;

        for (int j = 0; j < 2; j++)
            problem->x[i][j] = whole ? floor(4 * random_uniform(seed)) : random_normal(seed);
        problem->y[i] = whole ? floor(5 * random_uniform(seed)) : random_normal(seed) + problem->x[i][0];
        problem->w[i] = number % 2 == 0 ? 1 : 0.1 + 3 * random_uniform(seed);
        if (number % 5 == 0 && i < 2)
            problem->y[i] *= 1e12;
    }
}

/* Outliers of the target used to end the steps early, with errors as large as 1e-2. */
static void test_against_search(Host *host)
{
    uint64_t seed = 7;

    for (int number = 0; number < 500; number++) {
        Env *env = &host->env;
        Problem problem;
        double best[3], theta[3], above;
        char options[80];
        const Model *model;

        draw(&problem, &seed, number);
        snprintf(options, sizeof options, "{\"quantile\": %.17g, \"errors\": \"none\"}", problem.quantile);
        model = rows_model(env, estimator_find("quantile_regression"), target_rows(env, problem.x[0], problem.y, problem.w, NULL, problem.n, 2, 0), options);
        theta[0] = array_at(model, "intercept", 0);
        theta[1] = array_at(model, "coef", 0);
        theta[2] = array_at(model, "coef", 1);
        if (isnan(theta[1]) || isnan(theta[2])) /* dropped: a column of one value */
            continue;
        solve_by_search(&problem, best);
        above = excess(&problem, theta, best);
        check_that(above < 1e-6 + 1e-13 * fmax(fabs(best[0]), fmax(fabs(best[1]), fabs(best[2]))), __FILE__, __LINE__, "problem %d of %u rows, quantile %.3f: %g above the least", number, problem.n, problem.quantile, above);
        host_reset(host);
    }
}

/* One target of 1e16 used to pass for a perfect fit, because residuals were compared with the mean target. */
static void test_one_huge_target(Host *host)
{
    double x[10], y[10];
    const Model *model;

    for (int i = 0; i < 10; i++) {
        x[i] = i;
        y[i] = i % 2 == 0 ? i : i + 1;
    }
    x[9] = 1e6;
    y[9] = 1e16;
    model = rows_model(&host->env, estimator_find("quantile_regression"), target_rows(&host->env, x, y, NULL, NULL, 9, 1, 0), "{\"errors\": \"none\"}");
    CHECK_NEAR(array_at(model, "coef", 0), 1, 0.3);
    model = rows_model(&host->env, estimator_find("quantile_regression"), target_rows(&host->env, x, y, NULL, NULL, 10, 1, 0), "{\"errors\": \"none\"}");
    CHECK(fact_of(&host->env, model, "objective") > 1 && fact_of(&host->env, model, "iterations") > 0);
    host_reset(host);
}

/* Where fewer rows than coefficients are on the equation, the last steps' systems used to be singular: the fit stopped after few steps, with a warning. */
static void test_singular_steps(Host *host)
{
    uint64_t seed = 13;
    double x[20], y[20];

    for (int number = 0; number < 6000; number++) {
        char options[80];
        const Model *model;

        snprintf(options, sizeof options, "{\"quantile\": %g, \"errors\": \"none\"}", number % 3 * 0.25 + 0.25);
        for (int i = 0; i < 20; i++) {
            x[i] = 0.2 + floor(12 * random_uniform(&seed) * random_uniform(&seed)) / 100;
            y[i] = 326 + floor(30 * random_uniform(&seed));
        }
        model = rows_model(&host->env, estimator_find("quantile_regression"), target_rows(&host->env, x, y, NULL, NULL, 20, 1, 0), options);
        check_that(model_fact(model, "converged", 0) == 1, __FILE__, __LINE__, "problem %d ends after %g steps with a gap of %g", number, model_fact(model, "iterations", NAN),
                   model_fact(model, "duality_gap", NAN));
        host_reset(host);
    }
}

/* ---- limits by ranks ---- */

/* Returns the least loss where coefficient 1 is b: of the equations through two rows. */
static double least_at(const Problem *problem, double b)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < problem->n; i++)
        for (uint32_t j = i + 1; j < problem->n; j++) {
            double run = problem->x[j][1] - problem->x[i][1], left = problem->y[i] - b * problem->x[i][0], right = problem->y[j] - b * problem->x[j][0];
            double theta[3] = {0, b, (right - left) / run}, sum = 0;

            if (fabs(run) < 1e-9)
                continue;
            theta[0] = left - theta[2] * problem->x[i][1];
            for (uint32_t r = 0; r < problem->n; r++) {
                double residual = problem->y[r] - score(problem, theta, r);

                sum += problem->w[r] * residual * (residual < 0 ? problem->quantile - 1 : problem->quantile);
            }
            least = fmin(least, sum);
        }
    return least;
}

/*
 * Writes the values where the slope of the least loss may change, sorted: coefficient 1 of the equations through three rows; and one more
 * beyond either end. Returns how many.
 */
static uint32_t kinks(const Problem *problem, double *values)
{
    uint32_t count = 2, kept = 0;
    double theta[3];

    values[0] = -1e6;
    values[1] = 1e6;
    for (uint32_t a = 0; a < problem->n; a++)
        for (uint32_t b = a + 1; b < problem->n; b++)
            for (uint32_t c = b + 1; c < problem->n; c++)
                if (through(problem, a, b, c, theta))
                    values[count++] = theta[1];
    qsort(values, count, sizeof(double), compare_numbers);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || values[i] > values[kept - 1] + 1e-9)
            values[kept++] = values[i];
    return kept;
}

/* Returns column 0's squares that the constant and column 1 leave, rows times weight. */
static double squares_left(const Problem *problem)
{
    double gram[3][3] = {{0}};

    for (uint32_t i = 0; i < problem->n; i++) {
        double row[3] = {1, problem->x[i][1], problem->x[i][0]};

        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                gram[a][b] += problem->w[i] * problem->w[i] * row[a] * row[b];
    }
    for (int p = 0; p < 2; p++)
        for (int a = p + 1; a < 3; a++)
            for (int b = 2; b >= p; b--)
                gram[a][b] -= gram[a][p] / gram[p][p] * gram[p][b];
    return gram[2][2];
}

/* Returns the limit upward (way 1) or downward (-1) by all steps of the statistic. */
static double limit_by_search(const Problem *problem, const double *values, uint32_t count, double critical, int way)
{
    double deviation = sqrt(problem->quantile * (1 - problem->quantile) * squares_left(problem)), before = NAN, at = 0;

    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t k = way > 0 ? i : count - 1 - i;
        double from = values[k], to = values[k + way], span = to - from;
        double slope = (least_at(problem, from + 0.75 * span) - least_at(problem, from + 0.25 * span)) / (0.5 * fabs(span)) / deviation;

        if (slope >= critical)
            return isnan(before) ? from : at + (critical - before) / (slope - before) * (from - at);
        if (slope > (isnan(before) ? 0 : before) + 1e-7) {
            before = slope;
            at = from;
        }
    }
    return way * INFINITY;
}

static void test_rank_limits(Host *host)
{
    uint64_t seed = 11;
    uint32_t compared = 0;

    for (int number = 0; number < 300; number++) {
        Env *env = &host->env;
        Problem problem;
        double values[366], critical;
        char options[100];
        const Model *model;
        uint32_t count;

        draw(&problem, &seed, number % 5 == 0 ? 1 : number);
        snprintf(options, sizeof options, "{\"quantile\": %.17g, \"errors\": \"rank\", \"level\": 0.7}", problem.quantile);
        model = rows_model(env, estimator_find("quantile_regression"), target_rows(env, problem.x[0], problem.y, problem.w, NULL, problem.n, 2, 0), options);
        if (isnan(array_at(model, "conf_low", 0)) || array_at(model, "coef", 0) == 0 || array_at(model, "coef", 1) == 0)
            continue;
        count = kinks(&problem, values);
        critical = t_critical(0.7, problem.n - 3);
        for (int way = -1; way <= 1; way += 2) {
            double own = array_at(model, way < 0 ? "conf_low" : "conf_high", 1), other = limit_by_search(&problem, values, count, critical, way);

            check_that(own == other || fabs(own - other) < 1e-6 * fmax(1, fabs(other)), __FILE__, __LINE__, "problem %d of %u rows: limit %g, by search %g", number, problem.n, own, other);
            compared++;
        }
        host_reset(host);
    }
    CHECK(compared > 400);
}

/* ---- many rows ---- */

enum { MANY = 20000, KINDS = 6, FEWER = 900 };

/* Draws rows [MANY x 2] of a kind: normal; heavy tails of features; three groups, one of which has an even number of rows, and so many medians; outliers; weights; spread that grows. */
static void draw_many(uint64_t *seed, int kind, double *x, double *y, double *w)
{
    for (uint32_t i = 0; i < MANY; i++) {
        double error = random_normal(seed), *row = x + 2 * (size_t)i;

        row[0] = random_normal(seed) / (kind == 1 ? random_uniform(seed) : 1);
        row[1] = random_normal(seed);
        if (kind == 2) {
            row[0] = i % 3 == 1;
            row[1] = i % 3 == 2;
        }
        if (kind == 3 && i % 200 == 0)
            error *= 1e9;
        if (kind == 5)
            error *= 1 + 3 * fabs(row[0]);
        y[i] = 2 + row[0] - 3 * row[1] + error;
        w[i] = kind == 4 ? exp(random_normal(seed)) : 1;
    }
}

static const Model *fit_many(Host *host, const double *x, const double *y, const double *w, uint32_t rows, uint32_t columns, double quantile, size_t limit)
{
    Env *env = &host->env;
    size_t before = env->memory_limit;
    char options[100];
    const Model *model;

    snprintf(options, sizeof options, "{\"quantile\": %.17g, \"errors\": \"none\"}", quantile);
    env->memory_limit = limit;
    model = rows_model(env, estimator_find("quantile_regression"), target_rows(env, x, y, w, NULL, rows, columns, 0), options);
    env->memory_limit = before;
    return model;
}

/* The same rows reduced, and all of them, for which alone there is enough memory the second time. */
static void test_reduced(Host *host)
{
    double *x = malloc(2 * MANY * sizeof(double)), *y = malloc(MANY * sizeof(double)), *w = malloc(MANY * sizeof(double));
    const double quantiles[] = {0.5, 0.03, 0.9};
    uint64_t seed = 7;
    int reduced = 0;

    for (int number = 0; number < 3 * KINDS; number++) {
        int kind = number % KINDS;
        double quantile = quantiles[number / KINDS], own, other;
        const Model *few, *all;

        draw_many(&seed, kind, x, y, w);
        few = fit_many(host, x, y, w, MANY, 2, quantile, 100000000);
        all = fit_many(host, x, y, w, MANY, 2, quantile, 3400000);
        own = model_fact(few, "objective", NAN);
        other = model_fact(all, "objective", NAN);
        reduced += model_fact(few, "iterations", 0) != model_fact(all, "iterations", 0);
        check_that(fabs(own - other) <= 1e-12 * other, __FILE__, __LINE__, "kind %d, quantile %g: the losses are %.17g of all rows, %.17g of reduced ones", kind, quantile, other, own);
        check_that(model_fact(few, "duality_gap", NAN) <= 1e-13 * own, __FILE__, __LINE__, "kind %d, quantile %g: a gap of %g", kind, quantile, model_fact(few, "duality_gap", NAN));
        for (uint32_t j = 0; j < 2; j++)
            check_that(fabs(array_at(few, "coef", j) - array_at(all, "coef", j)) < 1e-8 * fmax(1, fabs(array_at(all, "coef", j))), __FILE__, __LINE__, "kind %d, quantile %g: coefficient %u is %.17g of all rows, %.17g of reduced ones", kind,
                       quantile, j, array_at(all, "coef", j), array_at(few, "coef", j));
        host_reset(host);
    }
    CHECK(reduced > 2 * KINDS);
    free(x);
    free(y);
    free(w);
}

/* Five rows far out, in features and target, used to end with losses hundreds of times the least ones: the sum of a side was on the other side. */
static void test_leverage(Host *host)
{
    const double quantiles[] = {0.001, 0.03};
    double x[FEWER], y[FEWER];
    uint64_t seed = 3;

    for (int number = 0; number < 600; number++) {
        double quantile = quantiles[number % 2], own, other;

        for (uint32_t i = 0; i < FEWER; i++) {
            double far = i % 180 == 7 ? 1e8 : 1;

            x[i] = far * random_normal(&seed);
            y[i] = x[i] * (far > 1 ? 0.99 + 0.02 * random_uniform(&seed) : 1) + random_normal(&seed);
        }
        own = model_fact(fit_many(host, x, y, NULL, FEWER, 1, quantile, 100000000), "objective", NAN);
        other = model_fact(fit_many(host, x, y, NULL, FEWER, 1, quantile, 300000), "objective", NAN);
        check_that(fabs(own - other) <= 1e-9 * other, __FILE__, __LINE__, "problem %d, quantile %g: the losses are %.17g of all rows, %.17g of reduced ones", number, quantile, other, own);
        host_reset(host);
    }
}

/* The middle of equally good equations used to depend on which rows the sample drew: on the order of the rows. */
static void test_order(Host *host)
{
    double *x = malloc(MANY * sizeof(double)), *y = malloc(MANY * sizeof(double)), *other = malloc(2 * MANY * sizeof(double));
    const char *const none = "{\"errors\": \"none\"}";
    uint32_t *order = malloc(MANY * sizeof(uint32_t));
    uint64_t seed = 5;

    for (int number = 0; number < 3; number++) {
        const Model *own, *again;

        for (uint32_t i = 0; i < MANY; i++) { /* number 1: many rows of one level lie on the equation, whose other level has none */
            x[i] = number > 0 && i % 2 == 1;
            y[i] = number == 1 && i % 2 == 0 ? round(2 * random_normal(&seed)) : random_normal(&seed);
        }
        random_order(&seed, order, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            other[i] = x[order[i]];
            other[MANY + i] = y[order[i]];
        }
        own = rows_model(&host->env, estimator_find("quantile_regression"), target_rows(&host->env, x, y, NULL, NULL, MANY, 1, 0), none);
        again = rows_model(&host->env, estimator_find("quantile_regression"), target_rows(&host->env, other, other + MANY, NULL, NULL, MANY, 1, 0), none);
        CHECK_NEAR(array_at(own, "intercept", 0), array_at(again, "intercept", 0), 1e-9);
        CHECK(number == 0 || fabs(array_at(own, "coef", 0) - array_at(again, "coef", 0)) < 1e-9);
        host_reset(host);
    }
    free(x);
    free(y);
    free(other);
    free(order);
}

int main(void)
{
    Host *host = host_new();

    test_against_search(host);
    test_one_huge_target(host);
    test_singular_steps(host);
    test_rank_limits(host);
    test_reduced(host);
    test_leverage(host);
    test_order(host);
    host_free(host);
    return check_report();
}
