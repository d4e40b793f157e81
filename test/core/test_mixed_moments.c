/* test_mixed_moments.c - mixed models from moments per group: the same as from rows, also merged, and from forged moments. */
#include "check.h"
#include "fit.h"

static Host *host;
#define ENV (&host->env)
#define ROWS 400
#define GROUPS 23

static const char *const colors[] = {"red", "green", "blue"};

/* Returns the group of row i, and sets y, x and a color. */
static uint32_t row(uint32_t i, double slots[3])
{
    uint32_t group = i * 5 % GROUPS;
    double x = (double)(i * 7 % 31) / 4;

    slots[0] = 1 + 2 * x + sin(group * 7) + cos(group * 3) * x / 2 + sin(i * i);
    slots[1] = x;
    slots[2] = i / 2 % 3;
    return group;
}

static Model *add_colors(Model *state, uint32_t field)
{
    uint32_t position;

    for (uint32_t l = 0; l < 3; l++)
        state = dictionary_add(ENV, state, DICTIONARY_LEVELS, field, colors[l], (uint32_t)strlen(colors[l]), false, 0, &position);
    return state;
}

static Model *add_groups(Model *state, DictionaryKind kind, uint32_t field)
{
    uint32_t position;

    for (uint32_t g = 0; g < GROUPS; g++)
        state = dictionary_add(ENV, state, kind, field, env_message(ENV, "g%u", g), g < 10 ? 2 : 3, false, 0, &position);
    return state;
}

static Model *moments_of(uint32_t first, uint32_t end)
{
    static const char *const names[] = {"y", "x", "color"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_NUMERIC, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 3, .names = names, .kinds = kinds, .named = true, .class_type = "text"};
    MomentsPlan plan = {.kind = MODEL_CLASS_MOMENTS, .flags = MODEL_WEIGHTED};
    Model *state = add_groups(add_colors(moments_new(ENV, &spec, &plan), 2), DICTIONARY_CLASSES, 0);

    for (uint32_t i = first; i < end; i++) {
        double slots[3];
        uint32_t group = row(i, slots);

        state = state_add(ENV, state, slots, NULL, group, 1 + i % 2);
    }
    return state;
}

static const Model *fit_of_rows(const char *formula)
{
    static const char *const names[] = {"x", "color", "g"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 3, .names = names, .kinds = kinds, .named = true, .formula = formula, .formula_learns = true};
    Model *schema = add_groups(add_colors(schema_model(ENV, &spec), 1), DICTIONARY_LEVELS, 2);
    Rows *rows;

    schema->flags |= MODEL_WEIGHTED;
    rows = rows_new(rows_pool(ENV), schema, ROWS_TARGET | ROWS_WEIGHT);
    for (uint32_t i = 0; i < ROWS; i++) {
        double slots[3], read[3];
        uint32_t group = row(i, slots);

        read[0] = slots[1];
        read[1] = slots[2];
        read[2] = 3 + group;
        rows_append(rows, read, slots[0], 1 + i % 2, NULL, 0);
    }
    return rows_model(ENV, estimator_find("mixed_regression"), rows, "{}");
}

static void near_arrays(const Model *a, const Model *b, const char *name)
{
    const ModelEntry *x = model_find(a, name), *y = model_find(b, name);

    if (!CHECK(x != NULL && y != NULL && x->rows == y->rows))
        return;
    for (uint32_t i = 0; i < x->rows; i++)
        CHECK(fabs(array_at(a, name, i) - array_at(b, name, i)) <= 1e-9 * (1 + fabs(array_at(a, name, i))));
}

static void test_same(void)
{
    static const char *const arrays[] = {"coef", "random_covariance", "random_effects", "random_errors", "coefficient_df"};
    static const char *const facts[] = {"reml_criterion", "sigma", "aic"};
    const Model *rows, *merged;

    rows = fit_of_rows("x + color + (x | g)");
    merged = fit_model(ENV, "mixed_regression", state_merge(ENV, moments_of(0, 150), moments_of(150, ROWS)), "{\"formula\": \"y ~ x + color + (x | g)\"}");
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        near_arrays(rows, merged, arrays[i]);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        CHECK(fabs(fact_of(ENV, rows, facts[i]) - fact_of(ENV, merged, facts[i])) <= 1e-9 * fabs(fact_of(ENV, rows, facts[i])));
    CHECK(model_check(ENV, merged, merged->size) == NULL);
    host_reset(host);
}

static void test_cancel(void)
{
    const Model *state = moments_of(0, ROWS);

    host->polls = 0;
    host->cancel_at = 40;
    if (TRY(host)) {
        fit_model(ENV, "mixed_regression", state, "{\"formula\": \"y ~ x + (x | g)\"}");
        CHECK(false);
    }
    TRY_END(host);
    host->cancel_at = 0;
    host_reset(host);
}

static void test_forged(void)
{
    static const char *const options[] = {"{\"formula\": \"y ~ x + color + (x | g)\"}", "{\"formula\": \"y ~ 0 + x + (0 + color | g)\", \"reml\": false}", "{\"formula\": \"y ~ . + (x || g)\", \"df\": \"asymptotic\"}"};
    uint64_t seed = 5;
    unsigned fitted = 0;

    for (int trial = 0; trial < 600; trial++) {
        Model *state = moments_finish(ENV, moments_of(0, trial % 2 ? 40 : ROWS));

        if (forge_array(&seed, state, 1 + trial % 4)) {
            model_seal(ENV, state);
            if (model_check(ENV, state, state->size) == NULL && TRY(host)) {
                Model *model = fit_model(ENV, "mixed_regression", state, options[trial % 3]);

                CHECK(model == NULL || model_check(ENV, model, model->size) == NULL);
                fitted++;
            }
            TRY_END(host);
        }
        host_reset(host);
    }
    CHECK(fitted > 20);
}

int main(void)
{
    host = host_new();
    test_same();
    test_cancel();
    test_forged();
    host_free(host);
    return check_report();
}
