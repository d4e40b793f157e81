/* test_model_info.c - what a fit takes over from its input, and how a model describes itself. */
#include "check.h"
#include "fit.h"
#include "core/inspection/model_info.h"
#include "core/base/json.h"

static Model *regression(Host *host, const char *options)
{
    Model *state = state_new(&host->env, MODEL_MOMENTS, 2, 0);

    for (int i = 0; i < 40; i++) {
        double x[] = {i, sin(i)};

        state = state_add(&host->env, state, x, NULL, 3 + 2 * x[0] - x[1] + 0.1 * cos(7 * i), 1);
    }
    return fit_model(&host->env, "linear_regression", state, options);
}

static const Json *parsed(Host *host, const char *text)
{
    return json_parse(&host->env, text, strlen(text), ERROR_TEXT, "info");
}

static void test_carried_over(Host *host)
{
    Model *model = regression(host, "{\"level\":0.5}");
    const Estimator *estimator = estimator_of(model);
    uint32_t length;

    CHECK(estimator == estimator_find("linear_regression"));
    CHECK_NEAR(estimator_level(&host->env, estimator, model), 0.5, 0);
    CHECK_NEAR(estimator_level(&host->env, estimator, regression(host, "{}")), 0.95, 0);
    CHECK_INT(model->rows, 40);
    CHECK_INT(model->slot_count, 2);
    CHECK_HOLDS(model_options(model, &length), "\"intercept\":true");
    CHECK_HOLDS(model_options(model, &length), "\"level\":0.5");
    CHECK(estimator_find("no_such_estimator") == NULL);
    CHECK(estimator_of(state_new(&host->env, MODEL_MOMENTS, 2, 0)) == NULL);
    CHECK_HOLDS(estimator_names(&host->env), "linear_regression, ");
}

static void test_info(Host *host)
{
    Model *model = regression(host, "{}");
    const Json *info = parsed(host, describe_info(&host->env, model)), *part;

    CHECK(json_is(json_get(info, "estimator"), "linear_regression"));
    CHECK(json_is(json_get(info, "kind"), "model"));
    CHECK_NEAR(json_number(&host->env, json_get(info, "rows")), 40, 0);
    part = json_get(info, "features");
    CHECK_INT(part->length, 2);
    CHECK(json_is(json_get(json_first(part), "name"), "f1"));
    CHECK(json_is(json_get(json_first(part), "kind"), "numeric"));
    part = json_get(info, "statistics");
    CHECK(json_number(&host->env, json_get(part, "r_squared")) > 0.99);
    part = json_get(json_get(json_get(json_get(info, "implementation"), "arrays"), "coef"), "shape");
    CHECK_INT(part->length, 1);
    CHECK_NEAR(json_number(&host->env, json_first(part)), 2, 0);

    info = parsed(host, describe_info(&host->env, state_new(&host->env, MODEL_MOMENTS, 3, 0)));
    CHECK(json_is(json_get(info, "kind"), "moments"));
    CHECK(json_get(info, "estimator")->type == JSON_NULL);
    CHECK_INT(json_get(info, "features")->length, 3);
}

/* Numbers that jsonb would change or not show. */
static void test_numbers(Host *host)
{
    ModelBuilder *builder = model_builder(&host->env, MODEL_FITTED, "linear_regression");
    double list[] = {1.5, NAN};
    const Json *part;
    const char *text;

    builder_fact(builder, "a", NAN);
    builder_fact(builder, "b", INFINITY);
    builder_fact(builder, "c", -INFINITY);
    builder_fact(builder, "d", 1e-300);
    builder_fact(builder, "e", -0.25);
    builder_fact_bool(builder, "converged", false);
    builder_fact_i64(builder, "iterations", 12);
    builder_fact_text(builder, "f", "x \"y\"\n");
    builder_f64(builder, SECTION_FACTS, "g", list, 2);
    text = describe_info(&host->env, model_build(builder));
    part = json_get(parsed(host, text), "statistics");
    CHECK(json_get(part, "a")->type == JSON_NULL);
    CHECK(json_is(json_get(part, "b"), "Infinity"));
    CHECK(json_is(json_get(part, "c"), "-Infinity"));
    CHECK_NEAR(json_number(&host->env, json_get(part, "d")), 1e-300, 0);
    CHECK_NEAR(json_number(&host->env, json_get(part, "e")), -0.25, 0);
    CHECK(json_is(json_get(part, "f"), "x \"y\"\n"));
    CHECK_INT(json_get(part, "g")->length, 2);
    CHECK(json_get(parsed(host, text), "converged")->type == JSON_FALSE);
    CHECK(json_get(part, "iterations") == NULL);
}

static void test_summary(Host *host)
{
    ModelBuilder *builder;
    const char *text = describe_summary(&host->env, regression(host, "{\"level\":0.5}"));

    CHECK_HOLDS(text, "linear_regression");
    CHECK_HOLDS(text, "(intercept)");
    CHECK_HOLDS(text, "\noptions: level 0.5");
    CHECK(strstr(describe_summary(&host->env, regression(host, "{}")), "options:") == NULL);
    text = describe_summary(&host->env, state_new(&host->env, MODEL_MOMENTS, 1, 0));
    CHECK_TEXT(text, "moments: moments from 1 feature\n0 rows");

    builder = model_builder(&host->env, MODEL_FITTED, "geometric_median");
    builder_header(builder)->rows = 1234567;
    builder_header(builder)->skipped = 1;
    builder_fact(builder, "objective", 2.5);
    builder_fact(builder, "nothing", NAN);
    builder_options(builder, "{\"max_iter\":7,\"nulls\":\"skip\"}", 29);
    CHECK_TEXT(describe_summary(&host->env, model_build(builder)),
               "geometric_median from 0 features\n1,234,567 rows, 1 skipped\n\n"
               "nothing    -\nobjective  2.5\noptions: max_iter 7");
}

int main(void)
{
    Host *host = host_new();

    CHECK_WORKS(host, test_carried_over(host));
    CHECK_WORKS(host, test_info(host));
    CHECK_WORKS(host, test_numbers(host));
    CHECK_WORKS(host, test_summary(host));
    host_free(host);
    return check_report();
}
