/*
 * test_quantile.c - quantile regression against the best of all equations through as many rows as it has coefficients: one of them is optimal.
 */
#include "check.h"
#include "fit.h"

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

int main(void)
{
    Host *host = host_new();

    test_against_search(host);
    test_one_huge_target(host);
    host_free(host);
    return check_report();
}
