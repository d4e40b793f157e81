/*
 * test_folds.c - moments in folds: dealing rows, merging, splits, cross-validation, forged values.
 */
#include "check.h"
#include "fit.h"
#include "core/inspection/model_info.h"
#include "core/linear_equations/linear_path_model.h"

#include <stdlib.h>

static const FoldPlan five = {5, 0};

static Model *folded_new(Env *env, uint32_t features, uint8_t flags, const FoldPlan *plan)
{
    SchemaSpec spec = {.field_count = features};

    return moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = flags | MODEL_FOLDED, .folds = *plan});
}

/* Makes n rows of d features around an offset, and a target that depends on the first two. */
static void make_rows(double *x, double *y, uint32_t n, uint32_t d, double offset, uint64_t seed)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < d; j++)
            x[(size_t)i * d + j] = offset + random_normal(&seed);
        y[i] = 3 * (x[(size_t)i * d] - offset) - (d > 1 ? x[(size_t)i * d + 1] - offset : 0) + random_normal(&seed);
    }
}

static Model *folded_rows(Env *env, const double *x, const double *y, uint32_t d, const uint32_t *order,
                          uint32_t first, uint32_t last, const FoldPlan *plan)
{
    Model *state = folded_new(env, d, 0, plan);

    for (uint32_t i = first; i < last; i++) {
        uint32_t row = order != NULL ? order[i] : i;
        state = state_add(env, state, x + (size_t)row * d, NULL, y[row], 1);
    }
    return state;
}

static const char cv[] = "{\"lambda\": \"cv\", \"path\": 12}";

static void check_same_curve(Env *env, const Model *a, const Model *b, double tolerance)
{
    uint32_t count = linear_path_count(a);

    CHECK_INT(linear_path_count(b), count);
    for (uint32_t l = 0; l < count; l++) {
        LambdaLine one = linear_path_line(env, a, l), other = linear_path_line(env, b, l);
        CHECK_NEAR(one.lambda, other.lambda, tolerance);
        CHECK_NEAR(one.mean_error, other.mean_error, tolerance);
        CHECK_NEAR(one.std_error, other.std_error, tolerance);
        CHECK_NEAR(one.pooled_error, other.pooled_error, tolerance);
    }
}

/* Order, parts and a round trip through text make no difference, and other fits see all rows. */
static void test_same(Host *host, uint32_t n, uint32_t d)
{
    Env *env = &host->env;
    double *x = env_array(env, (size_t)n * d, sizeof(double)), *y = env_array(env, n, sizeof(double));
    uint32_t *order = env_array(env, n, sizeof(uint32_t));
    uint64_t seed = 4;
    Model *state, *parts = NULL, *fit, *again, *plain;

    make_rows(x, y, n, d, 10, 1);
    state = folded_rows(env, x, y, d, NULL, 0, n, &five);
    fit = fit_model(env, "lasso_regression", state, cv);
    CHECK(model_check(env, fit, fit->size) == NULL);
    CHECK(model_check(env, state, state->size) == NULL);
    random_order(&seed, order, n);
    again = fit_model(env, "lasso_regression", folded_rows(env, x, y, d, order, 0, n, &five), cv);
    check_same_curve(env, fit, again, 1e-9);
    for (uint32_t part = 0; part < 4; part++) {
        Model *own = folded_rows(env, x, y, d, order, part * n / 4, (part + 1) * n / 4, &five);
        own = model_again(env, moments_finish(env, own));
        parts = parts == NULL ? own : state_merge(env, parts, own);
    }
    CHECK(model_check(env, parts, parts->size) == NULL);
    check_same_curve(env, fit, fit_model(env, "lasso_regression", parts, cv), 1e-9);
    plain = fit_model(env, "linear_regression", state_rows(env, x, y, NULL, d, NULL, 0, n), "{}");
    again = fit_model(env, "linear_regression", parts, "{}");
    CHECK((again->flags & MODEL_FOLDED) == 0);
    for (uint32_t j = 0; j < d; j++)
        CHECK_NEAR(array_at(again, "coef", j), array_at(plain, "coef", j), 1e-9);
    CHECK_NEAR(fact_of(env, again, "rss"), fact_of(env, plain, "rss"), 1e-9);
    host_reset(host);
}

/* Held-out errors by hand, with and without an intercept, far from the origin too. */
static void test_splits(Host *host)
{
    static const double offsets[] = {0, 1e6};
    Env *env = &host->env;

    for (int c = 0; c < 4; c++) {
        bool intercept = c % 2 == 0;
        double x[120 * 3], y[120], equation[3] = {1.5, -0.5, 0.25};
        Model *state = folded_new(env, 3, 0, &(FoldPlan){0, 0});
        Splits *splits;
        make_rows(x, y, 120, 3, offsets[c / 2], 5);
        for (uint32_t i = 0; i < 120; i++)
            state = moments_add_tagged(env, state, x + 3 * i, NULL, y[i], 1, &(double){7 - (int)(i % 3) * 2}, 1);
        splits = splits_open(env, moments_for_fit(env, state), intercept, false);
        CHECK_INT(splits_count(splits), 3);
        for (uint32_t k = 3; k-- > 0;) {
            Design *design = splits_training(splits, k);
            double a = intercept ? design->target_mean : 0, by_hand = 0;
            for (int j = 0; j < 3 && intercept; j++)
                a -= equation[j] * design->means[j];
            CHECK_NEAR(splits_fold(splits, k), 3 + 2 * (int)k, 0);
            CHECK_NEAR(design->rows, 80, 0);
            for (uint32_t i = 0; i < 120; i++) {
                double error = y[i] - a;
                if (7 - (int)(i % 3) * 2 != 3 + 2 * (int)k)
                    continue;
                for (int j = 0; j < 3; j++)
                    error -= equation[j] * x[3 * i + j];
                by_hand += error * error;
            }
            CHECK_NEAR(splits_error(splits, k, equation, a) / by_hand, 1, c / 2 ? 1e-7 : 1e-12);
            moments_design_free(env, design);
        }
    }
    host_reset(host);
}

/* Folds named by any numbers have the same rows as those named 0, 1, .., also while new ones appear. */
static void test_labels(Host *host, uint32_t d)
{
    static const double labels[] = {255, -3, 256, 0, 999999999999999, 7, -999999999999999};
    Env *env = &host->env;
    uint32_t folds = sizeof(labels) / sizeof(labels[0]), n = 1200;
    double *x = env_array(env, (size_t)n * d, sizeof(double)), *y = env_array(env, n, sizeof(double));
    Model *far = folded_new(env, d, 0, &(FoldPlan){0, 0}), *near = folded_new(env, d, 0, &(FoldPlan){0, 0});
    uint32_t length;

    make_rows(x, y, n, d, 10, 2);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t fold = (i * i + i / 100) % (1 + i * folds / n);
        far = moments_add_tagged(env, far, x + (size_t)i * d, NULL, y[i], 1, &labels[fold], 1);
        near = moments_add_tagged(env, near, x + (size_t)i * d, NULL, y[i], 1, &(double){fold}, 1);
    }
    far = moments_finish(env, far);
    near = moments_finish(env, near);
    CHECK(model_check(env, far, far->size) == NULL);
    model_f64(near, "factor", &length);
    CHECK_INT(length, folds * (d + 1) * (d + 2) / 2);
    for (uint32_t g = 0; g < folds; g++)
        CHECK_NEAR(array_at(far, "fold_labels", g), labels[(int)array_at(near, "fold_labels", g)], 0);
    for (uint32_t i = 0; i < length; i++)
        CHECK_NEAR(array_at(far, "factor", i), array_at(near, "factor", i), 0);
    for (uint32_t i = 0; i < 2 * folds; i++)
        CHECK_NEAR(array_at(far, "counts", i), array_at(near, "counts", i), 0);
    host_reset(host);
}

/* The fold of a category depends on its text, not on its place in the dictionary. */
static void test_content(Host *host)
{
    static const char *const names[] = {"x", "color"}, *const levels[] = {"red", "green", "blue"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 2, .names = names, .kinds = kinds};
    Model *a = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = MODEL_FOLDED, .folds = five}), *b;
    uint32_t position, seen = 0, folds[5] = {0};

    b = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = MODEL_FOLDED, .folds = five});
    for (int i = 0; i < 3; i++) {
        a = dictionary_add(env, a, DICTIONARY_LEVELS, 1, levels[i], (uint32_t)strlen(levels[i]), false, 0, &position);
        b = dictionary_add(env, b, DICTIONARY_LEVELS, 1, levels[2 - i], (uint32_t)strlen(levels[2 - i]), false, 0,
                           &position);
    }
    for (int i = 0; i < 300; i++) {
        double one[2] = {i * 0.5, i % 3}, other[2] = {i == 0 ? -0.0 : i * 0.5, 2 - i % 3};
        double fold = moments_content_fold(env, a, one, NULL, i);
        CHECK_NEAR(moments_content_fold(env, b, other, NULL, i), fold, 0);
        folds[(int)fold]++;
    }
    for (int k = 0; k < 5; k++)
        seen += folds[k] > 30;
    CHECK_INT(seen, 5);
    CHECK_FAILS(host, ERROR_PARAMETER, "assigned to folds differently",
                moments_merge(env, a, moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = MODEL_FOLDED, .folds = {5, 9}}), true));
    CHECK_FAILS(host, ERROR_PARAMETER, "or folds", moments_merge(env, a, moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS}), true));
    host_reset(host);
}

/* Rows that a column assigns to folds cannot be assigned otherwise: an error of the caller, not an internal one. */
static void test_row_without_its_fold(Host *host)
{
    Env *env = &host->env;
    double row[2] = {1, 2};
    Model *by_column = folded_new(env, 2, 0, &(FoldPlan){0, 0}), *by_content = folded_new(env, 2, 0, &five);

    by_column = moments_add_tagged(env, by_column, row, NULL, 3, 1, &(double){7}, 1);
    by_content = moments_add(env, by_content, row, NULL, 3, 1);
    CHECK_FAILS(host, ERROR_DATA, "take the fold from a column", moments_add(env, by_column, row, NULL, 3, 1));
    CHECK_FAILS(host, ERROR_DATA, "take the fold from a column",
                moments_add(env, model_again(env, by_column), row, NULL, 3, 1));
    CHECK_WORKS(host, by_column = moments_merge(env, by_column, state_copy(env, by_column), true));
    CHECK_INT(by_column->rows, 2);
    CHECK(model_check(env, by_column, by_column->size) == NULL);
    CHECK_FAILS(host, ERROR_PARAMETER, "assigned to folds differently",
                moments_merge(env, by_column, by_content, true));
    host_reset(host);
}

/* A model can be read back, and that of each lambda too, unless numbers are too large for one. */
static bool path_reads_back(Host *host, const Model *state, const char *estimator, const char *options)
{
    Env *env = &host->env;
    volatile bool fitted = false;

    if (TRY(host)) {
        Model *model = fit_model(env, estimator, state, options);
        const char *problem = model_check(env, model, model->size);
        CHECK_TEXT(problem != NULL ? problem : "", "");
        model_again(env, model);
        for (uint32_t l = 0; l < linear_path_count(model) && model_find(model, "path_coef") != NULL; l++) {
            Model *one = linear_path_at(env, model, linear_path_line(env, model, l).lambda);
            problem = model_check(env, one, one->size);
            CHECK_TEXT(problem != NULL ? problem : "", "");
            model_again(env, one);
        }
        fitted = true;
        TRY_END(host);
    } else {
        if (host->code != ERROR_DATA) /* rows that are all the same */
            CHECK_INT(host->code, ERROR_RANGE);
    }
    return fitted;
}

/* "an array of the path of a linear model does not fit the others": numbers of a path that are not finite. */
static void test_path_does_not_fit(Host *host)
{
    static const char *const estimators[] = {"lasso_regression", "elastic_net", "ridge_regression"};
    static const char *const rules[] = {
        "{\"lambda\": \"cv\", \"path\": 4}", "{\"lambda\": \"cv\", \"path\": 4, \"select\": \"1se\"}",
        "{\"lambda\": [9, 1], \"select\": \"aic\"}", "{\"lambda\": [9, 1], \"select\": \"bic\"}",
        "{\"lambda\": \"path\", \"path\": 4, \"standardize\": false}",
        "{\"lambda\": \"path\", \"path\": 4, \"intercept\": false}",
        "{\"lambda\": [0, 1e300, 1e-300], \"select\": \"gcv\"}"};
    static const double sizes[] = {0, 1e-300, 1e-160, 1, 1e150, 1e154, 1e200, 1e300};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    unsigned fitted = 0, refused = 0;

    for (unsigned c = 0; c < SIZES * SIZES * 2; c++) {
        Env *env = &host->env;
        double x[40 * 2], y[40];
        make_rows(x, y, 40, 2, 0, 3);
        for (int i = 0; i < 40; i++) {
            x[2 * i] *= sizes[c % SIZES];
            x[2 * i + 1] *= c < SIZES * SIZES ? sizes[c % SIZES] : 1;
            y[i] *= sizes[c / SIZES % SIZES];
        }
        for (int e = 0; e < 3; e++)
            for (size_t r = 0; r + (e < 2) < sizeof rules / sizeof rules[0]; r++) { /* gcv: of ridge alone */
                Model *volatile state = NULL;
                if (TRY(host)) {
                    state = folded_rows(env, x, y, 2, NULL, 0, 40, &five);
                    TRY_END(host);
                }
                if (state != NULL && path_reads_back(host, state, estimators[e], rules[r]))
                    fitted++;
                else
                    refused++;
            }
        host_reset(host);
    }
    printf("paths of numbers of all sizes: %u fitted, %u refused\n", fitted, refused);
    CHECK(fitted > 500);
}

/* A forged path whose coefficients times means overflow: there is no model of that lambda. */
static void test_score_out_of_range(Host *host)
{
    Env *env = &host->env;
    double x[40 * 2], y[40];
    uint32_t length;
    Model *model;

    make_rows(x, y, 40, 2, 1, 3);
    model = fit_model(env, "ridge_regression", folded_rows(env, x, y, 2, NULL, 0, 40, &five),
                      "{\"lambda\": [9, 1], \"penalize_intercept\": true}");
    CHECK_WORKS(host, linear_path_at(env, model, 9));
    ((double *)model_f64(model, "path_coef", &length))[0] = 1e300;
    ((double *)model_f64(model, "center", &length))[0] = 1e300;
    model_seal(env, model);
    CHECK(model_check(env, model, model->size) == NULL);
    CHECK_FAILS(host, ERROR_RANGE, "\"intercept\" of ridge_regression exceeds the range", linear_path_at(env, model, 9));
    CHECK_WORKS(host, linear_path_at(env, model, 1));
    host_reset(host);
}

static void use(Host *host, const Model *state)
{
    Env *env = &host->env;

    if (TRY(host)) {
        double row[2] = {1, 2};
        Model *merged = moments_merge(env, (Model *)state, state, true);
        moments_finish(env, merged);
        fit_model(env, "ridge_regression", merged, "{\"lambda\": [1, 2], \"folds\": 5}");
        fit_model(env, "lasso_regression", merged, "{\"lambda\": \"cv\", \"path\": 3}");
        state_add(env, state_copy(env, state), row, NULL, 0, 1);
        TRY_END(host);
    }
}

static void test_forged(Host *host)
{
    unsigned states = 0, models = 0;

    for (uint64_t round = 0; round < 3000; round++) {
        static const unsigned char values[] = {0, 1, 2, 7, 0x7f, 0x80, 0xff, 0xf0};
        Env *env = &host->env;
        double x[90 * 2], y[90];
        uint64_t seed = round;
        Model *value;
        char *bytes;
        uint32_t size;
        make_rows(x, y, 90, 2, 0, round);
        value = folded_rows(env, x, y, 2, NULL, 0, 90, &five);
        if (round % 2 == 1)
            value = fit_model(env, "lasso_regression", value, "{\"lambda\": [1, 9, 4], \"folds\": 5}");
        size = value->size;
        bytes = (char *)value;
        for (int hit = 0; hit < 1 + (int)(round % 3); hit++) {
            size_t at = (size_t)(random_uniform(&seed) * size);
            bytes[at] = (char)values[(int)(random_uniform(&seed) * 8)];
        }
        value->fingerprint = 0;
        if (round % 2 == 1 && TRY(host)) {
            if (model_check_layout(env, value, size) == NULL)
                model_seal(env, value);
            if (model_check(env, value, size) == NULL && estimator_of(value) != NULL && value->slot_count == 2) {
                models++;
                for (uint32_t l = 0; l < linear_path_count(value); l++)
                    model_again(env, linear_path_at(env, value, linear_path_line(env, value, l).lambda));
                describe_summary(env, value);
                describe_info(env, value);
                estimator_of(value)->scoring->predict(value, NULL, x);
            }
            TRY_END(host);
        } else if (round % 2 == 0 && TRY(host)) {
            const char *problem = model_check(env, value, size);
            TRY_END(host);
            if (problem == NULL) {
                states++;
                use(host, value);
            }
        }
        host_reset(host);
    }
    printf("forged values that passed the check: %u states, %u models\n", states, models);
    CHECK(states > 20 && models > 20);
}

int main(void)
{
    Host *host = host_new();

    test_same(host, 60, 2);
    test_same(host, 900, 5);
    test_same(host, 3000, 30);
    test_splits(host);
    test_labels(host, 3);
    test_labels(host, 24);
    test_content(host);
    test_row_without_its_fold(host);
    test_path_does_not_fit(host);
    test_score_out_of_range(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
