/*
 * test_glm_step.c - steps of generalized linear models against the fit over rows: the same end, whatever is merged in which order and sent as
 * text; steps that are taken back; forged states.
 */
#include "check.h"
#include "fit.h"

#include "core/estimators.h"
#include "core/glm/glm_step.h"
#include "core/linear_equations/linear_step.h"
#include "core/model/model.h"

#define ROWS 900
#define NUMBERS 4 /* and one category of three levels; the last number is twice the first */

static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC, FIELD_CATEGORICAL};
static const SchemaSpec spec = {.field_count = NUMBERS + 1, .kinds = kinds};
static double x[ROWS][NUMBERS + 1], weight[ROWS], y[ROWS];

/* counts: whole numbers, 0 among them; otherwise amounts between 0 and 1 */
static void make_rows(uint64_t seed, bool counts)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        double score;

        for (uint32_t j = 0; j < 3; j++)
            x[i][j] = random_normal(&seed) * (j == 1 ? 1000 : 1) + (j == 2 ? 1e6 : 0);
        x[i][3] = 2 * x[i][0];
        x[i][NUMBERS] = (uint32_t)(random_uniform(&seed) * 3);
        score = 0.4 * x[i][0] - 0.0003 * x[i][1] + 0.2 * (x[i][2] - 1e6) + 0.3 * sin(x[i][NUMBERS]) + 0.5 * random_normal(&seed);
        y[i] = counts ? floor(3 * exp(score)) : 1 / (1 + exp(score));
        weight[i] = 0.5 + random_uniform(&seed);
    }
}

/* Levels appear in their final order here. */
static Model *with_levels(Env *env, Model *value)
{
    static const char *const levels[] = {"a", "b", "c"};
    uint32_t position;

    for (uint32_t l = 0; l < 3; l++)
        value = dictionary_add(env, value, DICTIONARY_LEVELS, NUMBERS, levels[l], 1, false, 0, &position);
    return value;
}

static Options *options_of(Env *env, const Estimator *estimator, const char *json)
{
    return options_parse(env, estimator->name, estimator->options, json, strlen(json), NULL, NULL, 0);
}

static Model *start(Env *env, const Estimator *estimator, const char *options)
{
    MomentsPlan plan = {.kind = MODEL_MOMENTS, .flags = MODEL_WEIGHTED};
    Model *state = with_levels(env, moments_new(env, &spec, &plan));

    for (uint32_t i = 0; i < ROWS; i++)
        state = moments_add(env, state, x[i], NULL, y[i], weight[i]);
    return glm_start(env, estimator, moments_finish(env, state), options_of(env, estimator, options));
}

static Model *fit_these(Env *env, const Estimator *estimator, const char *options)
{
    FitInput input = {.kind = INPUT_ROWS};

    input.rows = rows_new(rows_pool(env), with_levels(env, schema_model(env, &spec)), ROWS_TARGET | ROWS_WEIGHT);
    for (uint32_t i = 0; i < ROWS; i++)
        rows_append(input.rows, x[i], y[i], weight[i], NULL, 0);
    return estimator_fit(env, estimator, &input, options_of(env, estimator, options), true);
}

static const ModelStep *step_for(const Model *model)
{
    const ModelStep *step = glm_steps;

    while (strcmp(step->estimator, model->estimator) != 0)
        step++;
    return step;
}

static Model *add_rows(Env *env, Model *state, uint32_t first, uint32_t last)
{
    ModelStepHints hints = {0};

    for (uint32_t i = first; i < last; i++)
        step_for(state)->add_labeled(env, state, NULL, x[i], y[i], weight[i], 0, &hints);
    return state;
}

/* One pass in parts that are merged, some of them as text. */
static Model *pass(Env *env, const Model *model, uint32_t parts)
{
    const ModelStep *step = step_for(model);
    Model *all = step->begin(env, model);

    for (uint32_t p = 0; p < parts; p++) {
        Model *part = add_rows(env, step->begin(env, model), ROWS * p / parts, ROWS * (p + 1) / parts);

        if (p % 2 == 0) {
            model_seal(env, part);
            CHECK(model_check(env, part, part->size) == NULL);
            part = model_again(env, part);
        }
        step->merge(env, all, part);
    }
    CHECK_INT(all->rows, ROWS);
    return step->finish(env, all);
}

static Model *pass_all(Env *env, const Model *model, uint32_t parts)
{
    for (int i = 0; i < 60 && model_fact(model, "converged", 0) == 0; i++) {
        model = pass(env, model, parts);
        CHECK(model_check(env, model, model->size) == NULL);
    }
    return (Model *)model;
}

static void check_same(Env *env, const Model *stepped, const Model *fitted)
{
    static const char *const facts[] = {"converged", "deviance", "df_model", "log_likelihood", "null_deviance", "pearson", "theta", "theta_std_error"};
    uint32_t first, second;
    Coefficient *a, *b;

    first = estimator_of(stepped)->coefficients(env, stepped, &a);
    second = estimator_of(fitted)->coefficients(env, fitted, &b);
    CHECK_INT(first, second);
    for (uint32_t i = 0; i < first; i++) {
        if (!(isnan(a[i].estimate) && isnan(b[i].estimate))) /* dropped */
            CHECK_NEAR(a[i].estimate, b[i].estimate, 1e-9 * fabs(b[i].estimate) + 1e-12);
        if (!(isnan(a[i].std_error) && isnan(b[i].std_error)))
            CHECK_NEAR(a[i].std_error, b[i].std_error, 1e-8 * b[i].std_error);
    }
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
        double value = model_fact(fitted, facts[f], NAN), other = model_fact(stepped, facts[f], NAN);

        CHECK_INT(isnan(other), isnan(value));
        if (!isnan(value))
            CHECK_NEAR(other, value, 1e-9 * fabs(value));
    }
}

static void test_same_end(Host *host)
{
    static const struct {
        const Estimator *estimator;
        const char *options;
        bool counts;
        double scale; /* of the targets; 0: 1 */
    } cases[] = {
        {&estimator_poisson_regression, "{}", true},
        {&estimator_negative_binomial_regression, "{\"theta\":2.5}", true},
        {&estimator_negative_binomial_regression, "{}", true},
        {&estimator_glm, "{\"family\":\"negative_binomial\",\"link\":\"sqrt\"}", true},
        {&estimator_tweedie_regression, "{\"power\":1.3}", true},
        {&estimator_gamma_regression, "{}", false},
        {&estimator_glm, "{}", true},
        {&estimator_glm, "{\"family\":\"gamma\"}", false},
        {&estimator_glm, "{\"family\":\"inverse_gaussian\",\"link\":\"log\"}", false},
        {&estimator_glm, "{\"family\":\"quasibinomial\",\"link\":\"cloglog\"}", false},
        {&estimator_glm, "{\"family\":\"quasipoisson\",\"intercept\":false}", true},
        {&estimator_glm, "{\"family\":\"quasipoisson\",\"link\":\"sqrt\"}", false},
        {&estimator_poisson_regression, "{}", false, 1e-9}, /* whose usual start is worse than the mean */
    };
    Env *env = &host->env;

    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        make_rows(c, cases[c].counts);
        for (uint32_t i = 0; i < ROWS && cases[c].scale > 0; i++)
            y[i] *= cases[c].scale;
        check_same(env, pass_all(env, start(env, cases[c].estimator, cases[c].options), 1 + c % 7), fit_these(env, cases[c].estimator, cases[c].options));
        CHECK_INT(host->warnings, 2); /* x4 depends on x1, of both */
        host_reset(host);
        host->warnings = 0;
    }
}

static double *numbers_of(Model *model, const char *name)
{
    return model_data_mutable(model, model_entry_mutable(model, name));
}

/* Makes the last step so many times longer. */
static void lengthen(Env *env, Model *model, double times)
{
    LinearShape shape = linear_shape(env, model, linear_dropped(model), false);
    const double *from = linear_step_numbers(model, "step_from");
    double *theta = env_array(env, shape.count, sizeof(double)), *coef = numbers_of(model, "coef"), intercept;

    linear_step_theta(&shape, 0, theta);
    for (uint32_t j = 0; j < shape.count; j++)
        theta[j] = from[j] + times * (theta[j] - from[j]);
    numbers_of(model, "offset")[0] = intercept = theta[0];
    for (uint32_t t = 0; t < shape.term_count; t++) {
        coef[shape.terms[t].column] = theta[t + 1];
        if (shape.terms[t].level < 0)
            intercept -= shape.view.center[shape.terms[t].slot] * theta[t + 1];
    }
    numbers_of(model, "intercept")[0] = intercept;
    model_seal(env, model);
}

/* A step that made the deviance larger, or a mean infinite, is taken back by half until it does not. */
static void test_far(Host *host)
{
    static const double far[] = {32, 8192};
    Env *env = &host->env;

    for (uint32_t f = 0; f < 4; f++) {
        const Estimator *estimator = f < 2 ? &estimator_poisson_regression : &estimator_negative_binomial_regression;
        Model *model, *next;
        uint32_t length;

        make_rows(5, true);
        model = pass(env, pass(env, start(env, estimator, "{}"), 1), 1);
        lengthen(env, model, far[f % 2]);
        next = pass(env, model, 3);
        CHECK_NEAR(model_fact(next, "step_promise", NAN), model_fact(model, "step_promise", NAN) / 2, 0);
        CHECK_NEAR(model_f64(next, "coef", &length)[0] * 2, model_f64(model, "coef", &length)[0] + model_f64(model, "step_from", &length)[1], 1e-9);
        if (estimator == &estimator_negative_binomial_regression)
            CHECK_NEAR(model_fact(next, "theta", NAN), sqrt(model_fact(model, "theta", NAN) * model_fact(model, "step_theta", NAN)), 1e-9);
        check_same(env, pass_all(env, next, 1), fit_these(env, estimator, "{}"));
        host_reset(host);
    }
}

/* States that are not, or that are of another model, and states that do not add up. */
static void test_other_states(Host *host)
{
    Env *env = &host->env;
    const ModelStep *step;
    Model *model, *state, *copy;
    ModelStepHints hints = {.of = 1000, .sums = 1000};

    make_rows(6, true);
    model = start(env, &estimator_poisson_regression, "{}");
    step = step_for(model);
    state = step->begin(env, model);
    CHECK_WORKS(host, model_step_require(env, step, state, model, &hints));
    for (int defect = 0; defect < 5; defect++) {
        copy = state_copy(env, state);
        if (defect == 0)
            copy->kind = MODEL_MOMENTS;
        else if (defect == 1)
            model_entry_mutable(copy, step->sums)->name[0] = 'z';
        else if (defect == 2)
            model_entry_mutable(copy, "step_of")->rows = 2;
        else if (defect == 3)
            model_entry_mutable(copy, "step_of")->type = ARRAY_F64;
        else
            copy->slot_count++;
        CHECK_FAILS(host, defect == 4 ? ERROR_PARAMETER : ERROR_KIND, defect == 4 ? "a different model" : "is not a state of glm_step",
                    model_step_require(env, step, copy, model, &hints));
        if (defect < 2)
            continue;
        CHECK_FAILS(host, ERROR_PARAMETER, "a different model", model_step_require_same(env, step, copy, state));
        CHECK_FAILS(host, ERROR_PARAMETER, "a different model", model_step_require_same(env, step, state, copy));
    }
    copy = state_copy(env, state);
    CHECK_WORKS(host, model_step_add_sums(env, step, copy, state, &step->sums, 1, 0));
    CHECK_FAILS(host, ERROR_CORRUPT, "differ in size", model_step_add_sums(env, step, copy, state, (const char *const[]){"nothing"}, 1, 0));
    CHECK_FAILS(host, ERROR_CORRUPT, "differ in size", model_step_add_sums(env, step, copy, model, &step->sums, 1, 0));
    model_entry_mutable(copy, step->sums)->rows--;
    CHECK_FAILS(host, ERROR_CORRUPT, "differ in size", model_step_add_sums(env, step, copy, state, &step->sums, 1, 0));
    host_reset(host);
}

static void test_edges(Host *host)
{
    Env *env = &host->env;
    const Estimator *poisson = &estimator_poisson_regression;
    Model *model, *state;
    ModelStepHints hints = {0};

    make_rows(6, true);
    model = start(env, poisson, "{}");
    state = step_for(model)->begin(env, model);
    CHECK(step_for(model)->finish(env, state) == NULL); /* no rows */
    model_step_require(env, step_for(model), state, model, &hints);
    CHECK_FAILS(host, ERROR_KIND, "not a state of glm_step", model_step_require(env, step_for(model), model, NULL, &hints));
    model = pass(env, model, 2);
    CHECK_FAILS(host, ERROR_PARAMETER, "a different model", step_for(model)->merge(env, state, step_for(model)->begin(env, model)));
    /* a fitted model goes on where it is */
    check_same(env, pass(env, fit_these(env, poisson, "{}"), 3), fit_these(env, poisson, "{}"));
    check_same(env, pass(env, fit_these(env, &estimator_negative_binomial_regression, "{}"), 3), fit_these(env, &estimator_negative_binomial_regression, "{}"));
    y[7] = -1;
    CHECK_FAILS(host, ERROR_DATA, "must be at least 0", pass(env, start(env, poisson, "{}"), 1));
    CHECK_FAILS(host, ERROR_DATA, "must be at least 0", pass(env, model, 1));
    for (uint32_t i = 0; i < ROWS; i++)
        y[i] = 0;
    CHECK_FAILS(host, ERROR_DATA, "has no score", start(env, poisson, "{}"));
    host_reset(host);
}

/* Bytes of the sums changed: refused, or the functions answer or fail as functions do. */
static void test_forged(Host *host, const Estimator *estimator, const char *options)
{
    Env *env = &host->env;
    Model *state, *forged;
    uint64_t seed = 3;
    unsigned sound = 0;

    make_rows(9, true);
    state = start(env, estimator, options);
    state = add_rows(env, step_for(state)->begin(env, pass(env, pass(env, state, 1), 1)), 0, 700);
    model_seal(env, state);
    CHECK(model_check(env, state, state->size) == NULL);
    forged = env->alloc(env, state->size);
    for (int trial = 0; trial < 2000; trial++) {
        memcpy(forged, state, state->size);
        if (!forge_array(&seed, forged, 1 + trial % 4))
            continue;
        model_seal(env, forged);
        if (model_check(env, forged, forged->size) != NULL)
            continue;
        sound++;
        if (TRY(host)) {
            add_rows(env, forged, 0, 400);
            step_for(state)->merge(env, forged, state);
            step_for(state)->finish(env, forged);
        }
        TRY_END(host);
    }
    CHECK(sound > 100);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_same_end(host);
    test_far(host);
    test_edges(host);
    test_other_states(host);
    test_forged(host, &estimator_poisson_regression, "{}");
    test_forged(host, &estimator_negative_binomial_regression, "{\"theta\":2}");
    test_forged(host, &estimator_negative_binomial_regression, "{}");
    host_free(host);
    return check_report();
}
