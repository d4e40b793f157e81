/*
 * test_linear.c - linear fits: known numbers, edges, penalties, intervals, reports, forged models.
 */
#include "check.h"
#include "fit.h"
#include "core/inspection/model_info.h"
#include "core/math/special_functions.h"

#include <stdlib.h>

static const double heights[] = {160, 165, 170, 172, 178, 180, 183, 188, 192, 200};
static const double weights[] = {57, 62, 66, 70, 74, 71, 80, 79, 88, 91};

static uint32_t coefficients_of(Env *env, const Model *fit, Coefficient **list)
{
    return estimator_of(fit)->coefficients(env, fit, list);
}

static Model *line(Host *host, const char *estimator, const char *options)
{
    Env *env = &host->env;

    return fit_model(env, estimator, state_rows(env, heights, weights, NULL, 1, NULL, 0, 10), options);
}

/* The sixth of the ten rows, as rstandard, rstudent, hatvalues, cooks.distance and dffits of R have it. */
static void test_influence(Host *host)
{
    Env *env = &host->env;
    const Model *fit = line(host, "linear_regression", "{}"), *ridge;
    InfluenceRow row = {.target = weights[5], .weight = 1};
    Influence out = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    void (*influence)(Env *, const Model *, const double *, const InfluenceRow *, Influence *) = estimator_of(fit)->scoring->influence;
    double sum = 0;

    influence(env, fit, &heights[5], &row, &out);
    CHECK_NEAR(out.standardized, -1.734648054595503, 1e-12);
    CHECK_NEAR(out.studentized, -2.054313768872873, 1e-12);
    CHECK_NEAR(out.leverage, 0.101031814273431, 1e-13);
    CHECK_NEAR(out.cooks_distance, 0.169085583507487, 1e-12);
    CHECK_NEAR(out.dffits, -0.688689864853836, 1e-12);
    CHECK_NEAR(out.deviance_residual, out.residual, 0);
    for (int i = 0; i < 10; i++) {
        influence(env, fit, &heights[i], &row, &out);
        sum += out.leverage;
    }
    CHECK_NEAR(sum, 2, 1e-12);
    out = (Influence){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    row.weight = 0;
    influence(env, fit, &heights[5], &row, &out);
    CHECK(isnan(out.leverage) && isnan(out.deviance_residual) && isfinite(out.residual));
    ridge = line(host, "ridge_regression", "{\"lambda\": 1}");
    row.weight = 1;
    influence(env, ridge, &heights[5], &row, &out);
    CHECK(isnan(out.leverage) && isfinite(out.residual));
    host_reset(host);
}

static void test_line(Host *host)
{
    Env *env = &host->env;
    Model *fit = line(host, "linear_regression", "{}");
    Coefficient *c;
    double x[] = {175};
    PredictionInterval interval;

    CHECK(model_check(env, fit, fit->size) == NULL);
    CHECK_INT(coefficients_of(env, fit, &c), 2);
    CHECK_NEAR(c[0].estimate, -79.3766122098022, 1e-13);
    CHECK_NEAR(c[1].estimate, 0.856692462023502, 1e-13);
    CHECK_NEAR(c[0].std_error, 11.1641282276823, 1e-13);
    CHECK_NEAR(c[1].std_error, 0.0623033538730596, 1e-13);
    CHECK_NEAR(c[0].statistic, -7.1099695910857, 1e-12);
    CHECK_NEAR(c[1].p_value / 7.54910762620199e-07, 1, 1e-11);
    CHECK_NEAR(fact_of(env, fit, "r_squared"), 0.95940568339762, 1e-13);
    CHECK_NEAR(fact_of(env, fit, "rss"), 43.3384924047004, 1e-12);
    CHECK_NEAR(fact_of(env, fit, "sigma"), 2.32751187979515, 1e-13);
    CHECK_NEAR(fact_of(env, fit, "sigma2_ml"), 4.33384924047004, 1e-13);
    CHECK_NEAR(fact_of(env, fit, "log_likelihood"), -21.5216659180466, 1e-13);
    CHECK_NEAR(fact_of(env, fit, "aic"), 2 * 3 + 2 * 21.5216659180466, 1e-12);
    CHECK_NEAR(fact_of(env, fit, "bic"), log(10) * 3 + 2 * 21.5216659180466, 1e-12);
    CHECK_NEAR(c[1].conf_high - c[1].conf_low, 2 * t_critical(0.95, 8) * c[1].std_error, 1e-13);

    interval = estimator_of(fit)->scoring->interval(env, fit, NULL, x, 0.9);
    CHECK_NEAR(interval.fit, -79.3766122098022 + 175 * 0.856692462023502, 1e-12);
    CHECK_NEAR(interval.upper - interval.fit,
               t_critical(0.9, 8) * sqrt(5.4173115505875 * (1 + 0.1 + 3.8 * 3.8 / 1395.6)), 1e-11);
    CHECK_NEAR(interval.upper - interval.fit, interval.fit - interval.lower, 1e-12);

    fit = line(host, "linear_regression", "{\"level\": 0.5}");
    coefficients_of(env, fit, &c);
    CHECK_NEAR(c[1].conf_high - c[1].estimate, t_critical(0.5, 8) * c[1].std_error, 1e-13);
    host_reset(host);
}

/* With an offset of 1e9, the slope and the fitted values are right to the last digits. */
static void test_offset(Host *host)
{
    static const double x[] = {1000000001, 1000000002, 1000000003, 1000000004}, y[] = {1, 3, 2, 5};
    Env *env = &host->env;
    Model *fit = fit_model(env, "linear_regression", state_rows(env, x, y, NULL, 1, NULL, 0, 4), "{}");

    CHECK_NEAR(array_at(fit, "coef", 0), 1.1, 1e-14);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(estimator_of(fit)->scoring->predict(fit, NULL, x + i), 1.1 * (i + 1), 1e-13);
    host_reset(host);
}

static void test_ridge(Host *host)
{
    static const double x[] = {1, 2, 2, 1, 3, 5, 4, 4, 6, 3, 8, 9}, y[] = {3, 2.5, 7, 8, 9, 15};
    static const double twice[] = {1, 1, 2, 2, 3, 3, 4, 4}, four[] = {1, 2, 2, 4};
    Env *env = &host->env;
    Model *state = state_rows(env, x, y, NULL, 2, NULL, 0, 6), *fit, *plain;
    Coefficient *c;

    fit = line(host, "ridge_regression", "{\"lambda\": 500}");
    CHECK_NEAR(array_at(fit, "coef", 0), 0.630723781388479, 1e-13);
    CHECK_NEAR(array_at(fit, "intercept", 0), -38.97341211226, 1e-12);
    coefficients_of(env, fit, &c);
    CHECK(isnan(c[1].std_error) && isnan(c[1].p_value) && isnan(c[1].conf_low));
    fit = line(host, "ridge_regression", "{\"lambda\": 50, \"reduction\": \"mean\"}");
    CHECK_NEAR(array_at(fit, "coef", 0), 0.630723781388479, 1e-13);

    fit = fit_model(env, "ridge_regression", state, "{\"lambda\": 0.5}");
    CHECK(model_check(env, fit, fit->size) == NULL);
    CHECK_NEAR(array_at(fit, "intercept", 0), 0.349700374531835, 1e-13);
    CHECK_NEAR(array_at(fit, "coef", 0), 1.04808988764045, 1e-13);
    CHECK_NEAR(array_at(fit, "coef", 1), 0.718651685393259, 1e-13);
    fit = fit_model(env, "ridge_regression", state, "{\"lambda\": 4, \"penalize_intercept\": true}");
    CHECK_NEAR(array_at(fit, "intercept", 0), 0.205837042108866, 1e-13);
    CHECK_NEAR(array_at(fit, "coef", 0), 1.00108410361748, 1e-13);
    CHECK_NEAR(array_at(fit, "coef", 1), 0.767317128837156, 1e-13);
    {
        /* its score and residuals use the penalized intercept */
        double score = estimator_of(fit)->scoring->predict(fit, NULL, x), rss = 0;
        CHECK_NEAR(score, 0.205837042108866 + 1.00108410361748 + 2 * 0.767317128837156, 1e-12);
        for (int i = 0; i < 6; i++) {
            double residual = y[i] - estimator_of(fit)->scoring->predict(fit, NULL, x + 2 * i);
            rss += residual * residual;
        }
        CHECK_NEAR(fact_of(env, fit, "rss"), rss, 1e-12);
    }
    fit = fit_model(env, "ridge_regression", state, "{\"lambda\": 4, \"intercept\": false}");
    CHECK_NEAR(array_at(fit, "coef", 0), 1.02472089314195, 1e-13);
    CHECK_NEAR(array_at(fit, "coef", 1), 0.781499202551834, 1e-13);

    /* no penalty: least squares, with its standard errors */
    plain = fit_model(env, "linear_regression", state, "{}");
    fit = fit_model(env, "ridge_regression", state, "{\"lambda\": 0}");
    CHECK_NEAR(array_at(fit, "coef", 0), array_at(plain, "coef", 0), 1e-14);
    CHECK_NEAR(array_at(fit, "covariance_packed", 2), array_at(plain, "covariance_packed", 2), 1e-14);
    CHECK_NEAR(fact_of(env, fit, "effective_df"), 3, 1e-14);
    CHECK_NEAR(fact_of(env, fit_model(env, "ridge_regression", state, "{\"lambda\": 1e-9}"),
                          "effective_df"), 3, 1e-8);
    CHECK_NEAR(fact_of(env, fit_model(env, "ridge_regression", state, "{\"lambda\": 1e12}"),
                          "effective_df"), 1, 1e-8);

    /* a duplicated feature shares the weight, without a warning */
    host->warnings = 0;
    fit = fit_model(env, "ridge_regression", state_rows(env, twice, four, NULL, 2, NULL, 0, 4),
                    "{\"lambda\": 1}");
    CHECK_NEAR(array_at(fit, "intercept", 0), 0.204545454545454, 1e-13);
    CHECK_NEAR(array_at(fit, "coef", 0), 0.409090909090909, 1e-13);
    CHECK_NEAR(array_at(fit, "coef", 1), 0.409090909090909, 1e-13);
    CHECK_INT(host->warnings, 0);

    /* standardize: the same as a fit of standardized features */
    {
        double z[12], mean[2] = {0}, deviation[2] = {0};
        for (int i = 0; i < 12; i++)
            mean[i % 2] += x[i] / 6;
        for (int i = 0; i < 12; i++)
            deviation[i % 2] += (x[i] - mean[i % 2]) * (x[i] - mean[i % 2]) / 6;
        for (int i = 0; i < 12; i++)
            z[i] = (x[i] - mean[i % 2]) / sqrt(deviation[i % 2]);
        plain = fit_model(env, "ridge_regression", state_rows(env, z, y, NULL, 2, NULL, 0, 6),
                          "{\"lambda\": 3}");
        fit = fit_model(env, "ridge_regression", state, "{\"lambda\": 3, \"standardize\": true}");
        for (int j = 0; j < 2; j++)
            CHECK_NEAR(array_at(fit, "coef", (uint32_t)j) * sqrt(deviation[j]),
                       array_at(plain, "coef", (uint32_t)j), 1e-13);
        CHECK_NEAR(fact_of(env, fit, "rss"), fact_of(env, plain, "rss"), 1e-13);
        CHECK_NEAR(fact_of(env, fit, "objective"), fact_of(env, plain, "objective"), 1e-13);
    }
    CHECK_FAILS(host, ERROR_PARAMETER, "lambda", line(host, "ridge_regression", "{\"lambda\": -1}"));
    host_reset(host);
}

static void test_decompose(Host *host)
{
    static const double x[] = {-2, -1, -1, 0, 0, 0, 1, 0, 2, 1}, y[] = {-0.4, 0.8, 0, -0.8, 0.4};
    Env *env = &host->env;
    Model *state = state_rows(env, x, y, NULL, 2, NULL, 0, 5), *fit;

    fit = fit_model(env, "linear_regression", state, "{}");
    CHECK_NEAR(array_at(fit, "coef", 0), -0.8, 1e-14);
    CHECK_NEAR(array_at(fit, "coef", 1), 2, 1e-14);
    fit = fit_model(env, "linear_regression", state, "{\"decompose\": true}");
    CHECK(model_check(env, fit, fit->size) == NULL);
    CHECK_NEAR(array_at(fit, "coef", 0), 0, 1e-14);
    CHECK_NEAR(array_at(fit, "coef", 1), 0.4, 1e-14);
    CHECK(model_find(fit, "covariance_packed") == NULL);
    host_reset(host);
}

/* Dependent, constant and missing features: results, warnings, no NaN. */
static void test_edges(Host *host)
{
    static const double copies[] = {1, 2, 2, 4, 3, 6, 4, 8}, y[] = {1, 2, 2, 4};
    static const double constant[] = {1, 7, 2, 7, 3, 7}, three[] = {1, 2, 4}, fives[] = {5, 5, 5};
    static const double wide[] = {1, 2, 3, 4, 5, 7}, points[] = {0.1, 0.2, 0.3, 0.1, 0.7, 0.1};
    Env *env = &host->env;
    Model *fit;
    Coefficient *c;

    fit = fit_model(env, "linear_regression", state_rows(env, copies, y, NULL, 2, NULL, 0, 4), "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "1 of 2 terms");
    CHECK_HOLDS(host->warning, "f2");
    CHECK(model_check(env, fit, fit->size) == NULL);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(estimator_of(fit)->scoring->predict(fit, NULL, copies + 2 * i), 0.9 * (i + 1), 1e-13);
    CHECK_INT(coefficients_of(env, fit, &c), 3);
    CHECK(isnan(c[2].estimate) && isnan(c[2].std_error) && !isnan(c[1].std_error));
    CHECK_NEAR(fact_of(env, fit, "df_residual"), 2, 0);

    host->warnings = 0;
    fit = fit_model(env, "linear_regression", state_rows(env, constant, three, NULL, 2, NULL, 0, 3), "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "f2");
    fit = fit_model(env, "linear_regression", state_rows(env, points, three, NULL, 2, NULL, 0, 3), "{}");
    CHECK_NEAR(fact_of(env, fit, "df_model"), 2, 0);
    CHECK(model_find(fit, "covariance_packed") == NULL); /* three rows, three coefficients */

    host->warnings = 0;
    fit = fit_model(env, "linear_regression", state_rows(env, three, fives, NULL, 1, NULL, 0, 3), "{}");
    CHECK_NEAR(array_at(fit, "coef", 0), 0, 0);
    CHECK_NEAR(array_at(fit, "intercept", 0), 5, 0);
    CHECK(isnan(fact_of(env, fit, "r_squared")));
    CHECK_INT(host->warnings, 0);
    CHECK_FAILS(host, ERROR_DATA, "2 rows, 4 coefficients",
                fit_model(env, "linear_regression", state_rows(env, wide, three, NULL, 3, NULL, 0, 2), "{}"));
    CHECK(fit_model(env, "linear_regression", state_new(env, MODEL_MOMENTS, 3, 0), "{}") == NULL);
    fit = fit_model(env, "ridge_regression", state_rows(env, three, y, NULL, 1, NULL, 0, 1), "{\"lambda\": 1}");
    CHECK_NEAR(estimator_of(fit)->scoring->predict(fit, NULL, three), 1, 0);
    CHECK(isnan(estimator_of(fit)->scoring->interval(env, fit, NULL, three, 0.95).lower));

    /* the target among the features */
    host->warnings = 0;
    fit = fit_model(env, "linear_regression", state_rows(env, weights, weights, NULL, 1, NULL, 0, 10), "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "equals the target");
    host_reset(host);
}

/* Weights as in R's lm; frequencies as repeated rows. */
static void test_weights(Host *host)
{
    static const double w[] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 4};
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 1};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = MODEL_WEIGHTED | MODEL_FREQUENCY});
    Model *repeated = state_new(env, MODEL_MOMENTS, 1, 0), *fit, *other, *precise;
    double sum = 0;

    for (int i = 0; i < 10; i++) {
        state = state_add(env, state, heights + i, NULL, weights[i], w[i]);
        for (int k = 0; k < (int)w[i]; k++)
            repeated = state_add(env, repeated, heights + i, NULL, weights[i], 1);
        sum += log(w[i]);
    }
    fit = fit_model(env, "linear_regression", state, "{\"weight_kind\": \"frequency\"}");
    other = fit_model(env, "linear_regression", repeated, "{}");
    static const char *const facts[] = {"sigma", "rss", "tss", "r_squared", "adjusted_r_squared",
                                        "log_likelihood", "aic", "bic", "f_statistic", "df_residual"};
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(fact_of(env, fit, facts[i]), fact_of(env, other, facts[i]), 1e-12);
    CHECK_NEAR(array_at(fit, "covariance_packed", 2), array_at(other, "covariance_packed", 2), 1e-13);
    precise = fit_model(env, "linear_regression",
                        state_rows(env, heights, weights, w, 1, NULL, 0, 10), "{}");
    CHECK_NEAR(fact_of(env, precise, "df_residual"), 8, 0);
    CHECK_NEAR(fact_of(env, precise, "rss"), fact_of(env, other, "rss"), 1e-12);
    CHECK_NEAR(array_at(precise, "coef", 0), array_at(other, "coef", 0), 1e-13);
    CHECK_NEAR(fact_of(env, precise, "sigma"), sqrt(fact_of(env, precise, "rss") / 8), 1e-13);
    CHECK_NEAR(fact_of(env, precise, "log_likelihood"),
               0.5 * (sum - 10 * (log(2 * M_PI) + 1 - log(10) + log(fact_of(env, precise, "rss")))),
               1e-13);
    host_reset(host);
}

/* What is stored, and what can be derived from it and is not. */
static void test_stored(Host *host)
{
    static const char *const stored[] = {"condition_number", "df_model", "rss", "tss"};
    Env *env = &host->env;
    Model *fit = line(host, "linear_regression", "{}");
    const Model *all = estimator_statistics(env, fit);
    const ModelEntry *entry = model_entries(fit);
    char name[MODEL_NAME_SIZE], *text, *place;
    uint32_t order, count = 0;
    size_t length;

    for (uint32_t i = 0; i < fit->entry_count; i++, entry++)
        count += entry->section == SECTION_FACTS;
    CHECK_INT(count, 4);
    CHECK_INT(all->entry_count, 17);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(model_fact(fit, stored[i], NAN), model_fact(all, stored[i], INFINITY), 0);
    CHECK(model_find(fit, "level_means") == NULL);
    CHECK(estimator_statistics(env, state_new(env, MODEL_MOMENTS, 1, 0))->kind == MODEL_MOMENTS);

    entry = model_find_array(fit, "covariance", &order);
    CHECK(entry != NULL && entry == model_find(fit, "covariance_packed"));
    CHECK_INT(order, 2);
    CHECK_INT(model_array_name(fit, entry, name), 2);
    CHECK_TEXT(name, "covariance");
    CHECK(model_find_array(fit, "covariance_packed", &order) == entry && order == 0);
    CHECK(model_find_array(fit, "coef", &order) == model_find(fit, "coef") && order == 0);
    CHECK(model_find_array(fit, "rss", &order) == NULL && model_find_array(fit, "x", &order) == NULL);

    text = model_to_text(env, fit, &length);
    place = strstr(text, "\"rss\":");
    memcpy(place, "\"mse\":", 6);
    CHECK_FAILS(host, ERROR_TEXT, "fact \"mse\" does not belong", model_from_text(env, text, length));
    memcpy(place, "\"rss\":", 6);
    CHECK(model_compare(model_from_text(env, text, length), fit) == 0);
    place = strstr(text, "\"covariance_packed\":[");
    memcpy(place, "\"covariance_packer\":[", 21);
    CHECK_FAILS(host, ERROR_TEXT, "array \"covariance_packer\" does not belong", model_from_text(env, text, length));
    host_reset(host);
}

/* Facts and counts that no fit makes: statistics, tests and intervals return something or nothing, without harm. */
static void test_forged_facts(Host *host)
{
    static const double values[] = {0, -0.0, -1, NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-300, 1e15, 9.5, 10};
    static const int64_t rows[] = {0, 1, 2, 10, INT64_MAX};
    Env *env = &host->env;
    Model *fit = line(host, "linear_regression", "{}");
    uint32_t sound = 0;

    for (uint32_t i = 0; i < fit->entry_count; i++) {
        if (model_entries(fit)[i].section != SECTION_FACTS)
            continue;
        for (uint32_t v = 0; v < sizeof(values) / sizeof(*values) * 5; v++) {
            Model *forged = state_copy(env, fit);
            Coefficient *c;
            memcpy(model_data_mutable(forged, (ModelEntry *)model_entries(forged) + i), &values[v / 5], 8);
            forged->rows = rows[v % 5];
            model_seal(env, forged);
            if (model_check(env, forged, forged->size) != NULL)
                continue;
            sound++;
            CHECK_HOLDS(describe_info(env, forged), "\"statistics\"");
            CHECK_HOLDS(describe_summary(env, forged), "rows: ");
            CHECK_INT(coefficients_of(env, forged, &c), 2);
            CHECK(!(estimator_of(fit)->scoring->interval(env, forged, NULL, heights, 0.9).lower >
                    estimator_of(fit)->scoring->interval(env, forged, NULL, heights, 0.9).upper));
        }
    }
    CHECK(sound > 100);
    host_reset(host);
}

static void test_reports(Host *host)
{
    static const char *const names[] = {"size", "the \"color\"", "sold", "v"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL, FIELD_BOOLEAN, FIELD_NUMERIC};
    static const uint32_t widths[] = {1, 1, 1, 2};
    static const char *const levels[] = {"red", "it's", "back\\slash"};
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 4, .names = names, .kinds = kinds, .widths = widths,
                       .named = true, .target_name = "price"};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS}), *fit;
    uint64_t seed = 12;
    char *text;

    for (int i = 0; i < 60; i++) {
        double slots[5];
        uint32_t position = (uint32_t)(i % 3);
        if (i < 3)
            state = dictionary_add(env, state, DICTIONARY_LEVELS, 1, levels[i],
                                   (uint32_t)strlen(levels[i]), false, 0, &position);
        slots[0] = random_normal(&seed);
        slots[1] = position;
        slots[2] = i % 2;
        slots[3] = random_normal(&seed);
        slots[4] = random_normal(&seed);
        state = state_add(env, state, slots, NULL, slots[0] * 3 + i % 3 + 0.1 * random_normal(&seed), 1);
    }
    fit = fit_model(env, "linear_regression", state, "{}");
    CHECK(model_check(env, fit, fit->size) == NULL);
    text = estimator_of(fit)->to_sql(env, fit);
    CHECK_HOLDS(text, "\"size\"::float8 - '");
    CHECK_HOLDS(text, "CASE WHEN \"the \"\"color\"\"\"::text = E'back\\\\slash' THEN");
    CHECK_HOLDS(text, "::text = 'it''s' THEN");
    CHECK_HOLDS(text, "WHEN \"the \"\"color\"\"\" IS NULL THEN NULL ELSE '0'::float8 END");
    CHECK_HOLDS(text, "\"sold\"::int::float8");
    CHECK_HOLDS(text, "\"v\"[2]::float8");
    text = estimator_of(fit)->summary(env, fit);
    CHECK_HOLDS(text, "linear_regression: price ~ size + the \"color\" + sold + v\n");
    CHECK_HOLDS(text, "the \"color\"=it's");
    CHECK_HOLDS(text, "R-squared: 0.99");
    CHECK_HOLDS(text, "rows: 60\n");
    CHECK_HOLDS(text, "v[2]");
    CHECK_HOLDS(text, "***");

    /* an unseen level scores as the reference */
    double row[5] = {1, SLOT_UNSEEN, 0, 0, 0}, reference[5] = {1, 0, 0, 0, 0};
    CHECK_NEAR(estimator_of(fit)->scoring->predict(fit, NULL, row),
               estimator_of(fit)->scoring->predict(fit, NULL, reference), 0);
    row[1] = 1e9;
    CHECK_NEAR(estimator_of(fit)->scoring->predict(fit, NULL, row),
               estimator_of(fit)->scoring->predict(fit, NULL, reference), 0);
    text = estimator_of(fit)->to_sql(env, line(host, "linear_regression", "{}"));
    CHECK_HOLDS(text, "x[1]::float8");
    host_reset(host);
}

/* Random bytes overwritten: whatever passes the check scores and prints without harm. */
static void test_forged(Host *host)
{
    unsigned passed = 0;

    for (uint64_t round = 0; round < 3000; round++) {
        Env *env = &host->env;
        uint64_t seed = round;
        Model *fit = line(host, round % 2 == 0 ? "linear_regression" : "ridge_regression", "{}");
        uint32_t size = fit->size;
        double slots[1] = {170};
        char *bytes = (char *)fit;
        for (int hit = 0; hit < 2; hit++)
            bytes[(size_t)(random_uniform(&seed) * size)] = (char)(random_uniform(&seed) * 256);
        if (TRY(host)) {
            if (model_check_layout(env, fit, size) == NULL)
                model_seal(env, fit);
            if (model_check(env, fit, size) == NULL && estimator_of(fit) != NULL && fit->slot_count == 1) {
                Coefficient *c;
                passed++;
                estimator_of(fit)->scoring->predict(fit, NULL, slots);
                estimator_of(fit)->scoring->interval(env, fit, NULL, slots, 0.95);
                coefficients_of(env, fit, &c);
                estimator_of(fit)->to_sql(env, fit);
                estimator_of(fit)->summary(env, fit);
            }
            TRY_END(host);
        }
        host_reset(host);
    }
    printf("forged models that passed the check: %u of 3000\n", passed);
    CHECK(passed > 50);
}

int main(void)
{
    Host *host = host_new();

    setvbuf(stdout, NULL, _IOLBF, 0);
    host->env.memory_limit = (size_t)1 << 28;
    test_line(host);
    test_influence(host);
    test_offset(host);
    test_ridge(host);
    test_decompose(host);
    test_edges(host);
    test_weights(host);
    test_stored(host);
    test_forged_facts(host);
    test_reports(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
