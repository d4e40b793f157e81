/*
 * test_lasso.c - lasso, elastic net and paths of them and of ridge: optimality, known numbers, edges.
 */
#include "check.h"
#include "fit.h"
#include "core/linear_equations/linear_path_model.h"

#include <stdlib.h>

static const double heights[] = {160, 165, 170, 172, 178, 180, 183, 188, 192, 200};
static const double weights[] = {57, 62, 66, 70, 74, 71, 80, 79, 88, 91};

/* Makes n rows of d features with correlations 0.5^|i - j|, of which every fifth matters. */
typedef struct Problem {
    uint32_t n, d;
    double *x, *y, *w;
} Problem;

static Problem problem_new(Env *env, uint32_t n, uint32_t d, bool weighted, uint64_t seed)
{
    Problem p = {n, d, env_array(env, (size_t)n * d, sizeof(double)), env_array(env, n, sizeof(double)),
                 weighted ? env_array(env, n, sizeof(double)) : NULL};

    for (uint32_t i = 0; i < n; i++) {
        double last = 0;
        p.y[i] = 100 + random_normal(&seed);
        for (uint32_t j = 0; j < d; j++) {
            last = 0.5 * last + random_normal(&seed);
            p.x[(size_t)i * d + j] = 1000 + last;
            if (j % 5 == 0)
                p.y[i] += last * (j % 2 == 0 ? 2 : -1);
        }
        if (weighted)
            p.w[i] = 0.5 + random_uniform(&seed);
    }
    return p;
}

static Model *problem_state(Env *env, const Problem *p)
{
    return state_rows(env, p->x, p->y, p->w, p->d, NULL, 0, p->n);
}

/*
 * The largest violation of the optimality conditions of a fit, from the rows themselves, relative to the
 * penalty: 2 x_j'r = l1 sign(b_j) + 2 l2 b_j, or at most l1 where b_j is 0.
 */
static double violation(const Problem *p, const Model *fit, double l1, double l2, bool intercept)
{
    double worst = 0, *r = calloc(p->n, sizeof(double)), all = 0, sum = 0;

    for (uint32_t i = 0; i < p->n; i++)
        r[i] = p->y[i] - estimator_of(fit)->scoring->predict(fit, NULL, p->x + (size_t)i * p->d);
    for (uint32_t i = 0; i < p->n; i++) {
        double w = p->w != NULL ? p->w[i] : 1;
        all += w;
        sum += w * r[i];
    }
    if (intercept)
        worst = fabs(sum) / l1;
    for (uint32_t j = 0; j < p->d; j++) {
        double b = array_at(fit, "coef", j), slope = 0, mean = 0, wrong;
        for (uint32_t i = 0; i < p->n && intercept; i++)
            mean += (p->w != NULL ? p->w[i] : 1) * p->x[(size_t)i * p->d + j] / all;
        for (uint32_t i = 0; i < p->n; i++)
            slope += (p->w != NULL ? p->w[i] : 1) * (p->x[(size_t)i * p->d + j] - mean) * r[i];
        slope = 2 * slope - 2 * l2 * b;
        wrong = b == 0 ? fmax(0, fabs(slope) - l1) : fabs(slope - copysign(l1, b));
        worst = fmax(worst, wrong / l1);
    }
    free(r);
    return worst;
}

static void check_sound(Env *env, const Model *fit)
{
    const char *wrong = model_check(env, fit, fit->size);

    check_that(wrong == NULL, __FILE__, __LINE__, "%s", wrong != NULL ? wrong : "");
    CHECK(model_compare(fit, model_again(env, fit)) == 0);
}

static void test_line(Host *host)
{
    static const struct {
        const char *estimator, *options;
        double slope, intercept;
    } cases[] = {{"lasso_regression", "{\"lambda\": 10}", 0.85310977357409, -78.7360275150473},
                 {"lasso_regression", "{\"lambda\": 500}", 0.67755803955288, -47.347377472055},
                 {"lasso_regression", "{\"lambda\": 2391.2}", 0, 73.8},
                 {"lasso_regression", "{\"lambda\": 0}", 0.856692462023502, -79.3766122098022},
                 {"elastic_net", "{\"lambda\": 10, \"alpha\": 0.3}", 0.851347497504634, -78.4209325538286},
                 {"elastic_net", "{\"lambda\": 2500, \"alpha\": 0.3}", 0.260872329603255, 27.1560274669379},
                 {"elastic_net", "{\"lambda\": 10, \"alpha\": 1}", 0.85310977357409, -78.7360275150473},
                 {"elastic_net", "{\"lambda\": 10, \"alpha\": 0}", 0.850597609561753, -78.2868525896414}};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Model *fit = fit_model(env, cases[i].estimator, state_rows(env, heights, weights, NULL, 1, NULL, 0, 10),
                               cases[i].options);
        CHECK_NEAR(array_at(fit, "coef", 0), cases[i].slope, 1e-12);
        CHECK_NEAR(array_at(fit, "intercept", 0), cases[i].intercept, 1e-12);
        check_sound(env, fit);
    }
    host_reset(host);
}

static void test_conditions(Host *host)
{
    static const struct {
        uint32_t n, d;
        bool weighted, intercept;
        double lambda, alpha;
    } cases[] = {{100, 10, false, true, 30, 1},  {100, 10, true, true, 30, 0.5},
                 {100, 10, false, false, 30, 1}, {40, 60, false, true, 10, 1},
                 {40, 60, true, true, 10, 0.2},  {500, 200, false, true, 100, 1},
                 {500, 200, false, true, 1, 1},  {300, 300, false, true, 0.1, 0.9}};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Problem p = problem_new(env, cases[i].n, cases[i].d, cases[i].weighted, i + 1);
        char options[200];
        Model *fit;
        snprintf(options, sizeof(options), "{\"lambda\": %g, \"alpha\": %g, \"intercept\": %s}",
                 cases[i].lambda, cases[i].alpha, cases[i].intercept ? "true" : "false");
        fit = fit_model(env, "elastic_net", problem_state(env, &p), options);
        check_that(violation(&p, fit, cases[i].lambda * cases[i].alpha,
                             cases[i].lambda * (1 - cases[i].alpha), cases[i].intercept) < 1e-6,
                   __FILE__, __LINE__, "case %zu: optimality conditions off by %g", i,
                   violation(&p, fit, cases[i].lambda * cases[i].alpha,
                             cases[i].lambda * (1 - cases[i].alpha), cases[i].intercept));
        CHECK(fact_of(env, fit, "duality_gap") <= 1e-8 * fact_of(env, fit, "tss"));
        CHECK_INT(host->warnings, 0);
        check_sound(env, fit);
        host_reset(host);
    }
}

/* A thousand features: optimal, within the memory of the fit. */
static void test_many_features(Host *host)
{
    Env *env = &host->env;
    Problem p = problem_new(env, 1500, 1000, false, 7);
    Model *state = problem_state(env, &p), *fit;

    env->memory_limit = 64u << 20;
    fit = fit_model(env, "lasso_regression", state, "{\"lambda\": 500}");
    CHECK(violation(&p, fit, 500, 0, true) < 1e-6);
    CHECK(fact_of(env, fit, "nonzero") < 600);
    env->memory_limit = 4u << 20;
    CHECK_FAILS(host, ERROR_LIMIT, "pgfit.fit_mem allows", fit_model(env, "lasso_regression", state, "{\"lambda\": 500}"));
    host_reset(host);
}

/* Compares each lambda of a path with a fit of that lambda alone. */
static void compare_path(Host *host, const char *estimator, const char *path_options, const char *one_format,
                         double tolerance)
{
    Env *env = &host->env;
    Problem p = problem_new(env, 120, 12, true, 3);
    Model *state = problem_state(env, &p), *path = fit_model(env, estimator, state, path_options);
    uint32_t count;
    const double *lambdas = model_f64(path, "path_lambda", &count);

    check_sound(env, path);
    CHECK(count > 0);
    for (uint32_t l = 0; l < count; l += 3) {
        char options[200];
        Model *one, *at;
        snprintf(options, sizeof(options), one_format, lambdas[l]);
        one = fit_model(env, estimator, state, options);
        at = linear_path_at(env, path, lambdas[l]);
        check_sound(env, at);
        for (uint32_t t = 0; t < 12; t++) {
            CHECK_NEAR(array_at(at, "coef", t), array_at(one, "coef", t), tolerance);
            CHECK_NEAR(array_at(path, "path_coef", l * 12 + t), array_at(one, "coef", t), tolerance);
        }
        CHECK_NEAR(fact_of(env, at, "rss"), fact_of(env, one, "rss"), tolerance);
        CHECK_NEAR(fact_of(env, at, "penalty"), fact_of(env, one, "penalty"), tolerance);
        CHECK_NEAR(fact_of(env, at, "objective"), fact_of(env, one, "objective"), tolerance);
        CHECK_NEAR(estimator_of(at)->scoring->predict(at, NULL, p.x),
                   estimator_of(one)->scoring->predict(one, NULL, p.x), tolerance);
        CHECK(at->options_hash == 0 && strstr(model_options(at, &count), "path") == NULL);
        model_f64(path, "path_lambda", &count);
    }
    CHECK_FAILS(host, ERROR_PARAMETER, "the path has no lambda", linear_path_at(env, path, lambdas[0] * 1.01));
    host_reset(host);
}

static void test_paths(Host *host)
{
    compare_path(host, "lasso_regression", "{\"lambda\": \"path\", \"path\": 20}", "{\"lambda\": %.17g}", 1e-7);
    compare_path(host, "lasso_regression",
                 "{\"lambda\": \"path\", \"path\": 20, \"standardize\": true, \"reduction\": \"mean\"}",
                 "{\"lambda\": %.17g, \"standardize\": true, \"reduction\": \"mean\"}", 1e-7);
    compare_path(host, "elastic_net", "{\"lambda\": \"path\", \"alpha\": 0.4, \"intercept\": false}",
                 "{\"lambda\": %.17g, \"alpha\": 0.4, \"intercept\": false}", 1e-6);
    compare_path(host, "elastic_net", "{\"lambda\": [5, 1, 50, 0], \"alpha\": 0.4}",
                 "{\"lambda\": %.17g, \"alpha\": 0.4}", 1e-6);
    compare_path(host, "ridge_regression", "{\"lambda\": \"path\"}", "{\"lambda\": %.17g}", 1e-9);
    compare_path(host, "ridge_regression", "{\"lambda\": [0, 1, 10, 100], \"standardize\": true}",
                 "{\"lambda\": %.17g, \"standardize\": true}", 1e-9);
    compare_path(host, "ridge_regression", "{\"lambda\": [1, 10, 100], \"penalize_intercept\": true}",
                 "{\"lambda\": %.17g, \"penalize_intercept\": true}", 1e-9);
}

/* The ways to choose from a path. */
static void test_choosing(Host *host)
{
    Env *env = &host->env;
    Problem p = problem_new(env, 120, 12, false, 5);
    Model *state = problem_state(env, &p);
    Model *bic = fit_model(env, "lasso_regression", state, "{\"lambda\": \"path\", \"select\": \"bic\"}");
    Model *aic = fit_model(env, "lasso_regression", state, "{\"lambda\": \"path\", \"select\": \"aic\"}");
    Model *least = fit_model(env, "lasso_regression", state, "{\"lambda\": [9, 3, 27]}");
    Model *beside = fit_model(env, "lasso_regression", state, "{\"lambda\": 5, \"path\": 10}");
    Model *gcv = fit_model(env, "ridge_regression", state, "{\"lambda\": \"gcv\"}"), *one;
    char options[100];

    CHECK(fact_of(env, bic, "lambda") >= fact_of(env, aic, "lambda"));
    CHECK_NEAR(fact_of(env, least, "lambda"), 3, 1e-15);
    CHECK_NEAR(fact_of(env, beside, "lambda"), 5, 1e-15);
    CHECK(model_find(gcv, "path_coef") != NULL && model_find(beside, "path_coef") != NULL);
    /* the criterion of the chosen one, by hand */
    snprintf(options, sizeof(options), "{\"lambda\": %.17g}", fact_of(env, gcv, "lambda"));
    one = fit_model(env, "ridge_regression", state, options);
    for (uint32_t l = 0; l < 100; l++) {
        double edf = fact_of(env, one, "effective_df"), share = 1 - edf / 120;
        CHECK(array_at(gcv, "path_criterion", l) >= fact_of(env, one, "rss") / 120 / share / share * (1 - 1e-9));
    }
    CHECK_FAILS(host, ERROR_PARAMETER, "nothing to choose from",
                fit_model(env, "lasso_regression", state, "{\"lambda\": 5, \"select\": \"bic\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"lambda\" lists 2",
                fit_model(env, "lasso_regression", state, "{\"lambda\": [5, 6], \"path\": 7}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "lambda",
                fit_model(env, "lasso_regression", state, "{\"lambda\": -1}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "alpha",
                fit_model(env, "elastic_net", state, "{\"lambda\": 1, \"alpha\": 1.5}"));
    CHECK_FAILS(host, ERROR_DATA, "keeps no path", linear_path_at(env, one, 1));
    host_reset(host);
}

static void test_edges(Host *host)
{
    static const double constant[] = {1, 7, 2, 7, 3, 7}, y[] = {1, 2, 4}, flat[] = {5, 5, 5};
    static const double twice[] = {1, 1, 2, 2, 3, 3, 4, 4}, four[] = {1, 2, 2, 4};
    Env *env = &host->env;
    Model *fit = fit_model(env, "lasso_regression", state_rows(env, constant, y, NULL, 2, NULL, 0, 3),
                           "{\"lambda\": 0.1}");
    double huge[6], tiny[6], wide[3];

    CHECK_NEAR(array_at(fit, "coef", 0), 1.475, 1e-12);
    CHECK(array_at(fit, "coef", 1) == 0);
    check_sound(env, fit);
    fit = fit_model(env, "elastic_net", state_rows(env, constant, flat, NULL, 2, NULL, 0, 3),
                    "{\"lambda\": 0.1, \"standardize\": true}");
    CHECK(array_at(fit, "coef", 0) == 0 && array_at(fit, "intercept", 0) == 5);
    fit = fit_model(env, "lasso_regression", state_rows(env, constant, y, NULL, 2, NULL, 0, 1), "{}");
    CHECK(array_at(fit, "coef", 0) == 0 && array_at(fit, "intercept", 0) == 1);
    /* the same feature twice: elastic net shares, lasso has one solution of many */
    fit = fit_model(env, "elastic_net", state_rows(env, twice, four, NULL, 2, NULL, 0, 4), "{\"lambda\": 1}");
    CHECK_NEAR(array_at(fit, "coef", 0), array_at(fit, "coef", 1), 1e-7);
    fit = fit_model(env, "lasso_regression", state_rows(env, twice, four, NULL, 2, NULL, 0, 4), "{\"lambda\": 1}");
    CHECK_NEAR(array_at(fit, "coef", 0) + array_at(fit, "coef", 1), 0.8, 1e-7);
    /* numbers near the ends of the range */
    for (int i = 0; i < 6; i++) {
        huge[i] = constant[i] * 1e300;
        tiny[i] = constant[i] * 1e-300;
        wide[i / 2] = y[i / 2] * 1e-3;
    }
    fit = fit_model(env, "elastic_net", state_rows(env, huge, y, NULL, 2, NULL, 0, 3),
                    "{\"lambda\": 1e290, \"alpha\": 0.5}");
    CHECK(isfinite(array_at(fit, "coef", 0)) && array_at(fit, "coef", 0) > 0);
    fit = fit_model(env, "elastic_net", state_rows(env, tiny, wide, NULL, 2, NULL, 0, 3), "{\"lambda\": 1e-9}");
    CHECK(array_at(fit, "coef", 0) == 0);
    /* not converged: a WARNING, and a model */
    host->warnings = 0;
    {
        Problem p = problem_new(env, 60, 50, false, 11);
        fit = fit_model(env, "lasso_regression", problem_state(env, &p),
                        "{\"lambda\": 0.01, \"max_iter\": 1, \"tolerance\": 1e-15}");
        CHECK_INT(host->warnings, 1);
        CHECK_HOLDS(host->warning, "have not converged");
        check_sound(env, fit);
    }
    host_reset(host);
}

/*
 * "One lambda takes longer than a path of a hundred": far below where the first coefficient enters, descent went to
 * solutions at signs that did not last, one equation less each time.
 */
static void test_one_small_lambda(Host *host)
{
    enum { FEATURES = 200, ROWS = 1500 };
    Env *env = &host->env;
    Model *state = state_new(env, MODEL_MOMENTS, FEATURES, 0), *fit;
    uint64_t seed = 1, before, path;
    double x[FEATURES];

    for (int i = 0; i < ROWS; i++) {
        double shared = random_normal(&seed), y = random_normal(&seed);
        for (int j = 0; j < FEATURES; j++) {
            x[j] = shared + random_normal(&seed);
            y += j % 20 == 0 ? x[j] * (j + 1) / 50 : 0;
        }
        state = state_add(env, state, x, NULL, y, 1);
    }
    state = moments_flush(env, state);
    before = host->polls;
    fit_model(env, "lasso_regression", state, "{\"lambda\": \"path\"}");
    path = host->polls - before; /* polls measure work: 608, and one lambda took 743 */
    before = host->polls;
    fit = fit_model(env, "lasso_regression", state, "{\"lambda\": 30}");
    CHECK(host->polls - before < path / 2);
    CHECK(fact_of(env, fit, "duality_gap") <= 1e-8 * fact_of(env, fit, "tss"));
    host_reset(host);
}

/* The penalty of a fit is its budget, whatever the method, the weights and the dependence of terms; a larger one does not bind. */
static void test_budgets(Host *host)
{
    static const char *const methods[] = {"ridge_regression", "lasso_regression", "elastic_net"};

    for (uint32_t m = 0; m < 3; m++)
        for (uint32_t round = 0; round < 24; round++) {
            Env *env = &host->env;
            Problem p = problem_new(env, 12 + 10 * (round % 5), 3 + round % 9, round % 2 == 1, round + 1);
            const Model *state, *free_fit, *fit, *same;
            double most, budget;
            char options[160];

            if (round % 6 == 5) /* two equal columns */
                for (uint32_t i = 0; i < p.n; i++)
                    p.x[(size_t)i * p.d + 1] = p.x[(size_t)i * p.d];
            state = problem_state(env, &p);
            free_fit = fit_model(env, methods[m], state, "{\"lambda\": 1e-9}");
            most = fact_of(env, free_fit, "penalty");
            for (uint32_t share = 1; share < 10; share += 4) {
                budget = most * share / 10;
                snprintf(options, sizeof options, "{\"penalty_budget\": %.17g}", budget);
                fit = fit_model(env, methods[m], state, options);
                CHECK_NEAR(fact_of(env, fit, "penalty") / budget, 1, 1e-10);
                CHECK(fact_of(env, fit, "lambda") > 0);
                snprintf(options, sizeof options, "{\"lambda\": %.17g}", fact_of(env, fit, "lambda"));
                same = fit_model(env, methods[m], state, options);
                CHECK_NEAR(fact_of(env, same, "rss"), fact_of(env, fit, "rss"), 1e-7);
            }
            snprintf(options, sizeof options, "{\"penalty_budget\": %.17g}", 2 * most);
            fit = fit_model(env, methods[m], state, options);
            CHECK(fact_of(env, fit, "penalty") <= 2 * most);
            host_reset(host);
        }
}

int main(void)
{
    Host *host = host_new();

    test_line(host);
    test_conditions(host);
    test_many_features(host);
    test_paths(host);
    test_choosing(host);
    test_edges(host);
    test_one_small_lambda(host);
    test_budgets(host);
    host_free(host);
    return check_report();
}
