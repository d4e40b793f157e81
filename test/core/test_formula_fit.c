/* test_formula_fit.c - fits of terms that are learned, and what a model keeps of them, also forged. */
#include "core/formula/formula_model.h"

#include "core/estimator/formula_fit.h"
#include "core/estimator/formula_options.h"

#include "check.h"
#include "fit.h"

#include <stdlib.h>

static Host *host;
#define ENV (&host->env)
#define ROWS 90

static const char *const levels[] = {"red", "green", "blue"};

/* The inputs of "a * c + poly(a, 2)" in order of appearance: a, c. */
static SchemaSpec inputs_spec(const char *formula)
{
    static const char *const names[] = {"a", "c"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};

    return (SchemaSpec){.field_count = 2, .names = names, .kinds = kinds, .named = true, .formula = formula, .formula_learns = true};
}

/* Row i: a number, a level by its position, and a target. */
static void row(unsigned i, double slots[2], double *target)
{
    slots[0] = (double)(i * 7 % 23) / 4 + 0.5;
    slots[1] = i % 3;
    *target = 1 + 2 * slots[0] + (i % 3 == 1 ? slots[0] : 0) + (double)(i * 5 % 11) / 20;
}

static Model *add_levels(Model *state)
{
    uint32_t position;

    for (unsigned l = 0; l < 3; l++)
        state = dictionary_add(ENV, state, DICTIONARY_LEVELS, 1, levels[l], (uint32_t)strlen(levels[l]), false, 0, &position);
    return state;
}

static Model *deferred(const char *formula, unsigned first, unsigned end)
{
    SchemaSpec spec = inputs_spec(formula);
    MomentsPlan plan = {.kind = MODEL_MOMENTS, .deferred = true};
    Model *state = add_levels(moments_new(ENV, &spec, &plan));

    for (unsigned i = first; i < end; i++) {
        double slots[2], target;

        row(i, slots, &target);
        state = state_add(ENV, state, slots, NULL, target, 1);
    }
    return state;
}

static Rows *rows_of(const char *formula)
{
    SchemaSpec spec = inputs_spec(formula);
    Rows *rows = rows_new(rows_pool(ENV), add_levels(schema_model(ENV, &spec)), ROWS_TARGET);

    for (unsigned i = 0; i < ROWS; i++) {
        double slots[2], target;

        row(i, slots, &target);
        rows_append(rows, slots, target, 1, NULL, 0);
    }
    return rows;
}

/* Returns the prediction for row i, read by the inputs. */
static double score(const Model *model, unsigned i)
{
    FormulaModel *formula = formula_model(ENV, model);
    double *slots = env_array(ENV, model->slot_count + 1, sizeof(double)), target, read[2];
    const Scoring *scoring = estimator_of(model)->scoring;
    size_t bytes;
    void *prepared = scoring->prepare != NULL ? scoring->prepare(ENV, model, &bytes) : NULL;

    row(i, read, &target);
    /* levels in final order: blue, green, red */
    formula->row[0] = read[0];
    formula->row[1] = 2 - read[1];
    formula_expand(formula->terms, formula->row, slots);
    return scoring->predict(model, prepared, slots) + formula_offset(formula->terms, formula->row);
}

static void test_moments(void)
{
    Model *whole = deferred("a * c + poly(a, 2)", 0, ROWS), *model, *merged, *again;

    CHECK_INT(whole->pending_rows, ROWS);
    CHECK_INT(whole->rows, ROWS);
    CHECK(moments_deferred(whole));
    CHECK(model_check(ENV, whole, whole->size) == NULL);
    model = fit_model(ENV, "linear_regression", whole, "");
    CHECK(formula_model_any(model));
    CHECK(schema_formula(model, &(uint32_t){0}) == NULL);
    CHECK_TEXT(schema_formula_text(ENV, model), "a * c + poly(a, 2)");
    merged = state_merge(ENV, deferred("a * c + poly(a, 2)", 0, 31), deferred("a * c + poly(a, 2)", 31, ROWS));
    CHECK_INT(merged->pending_rows, ROWS);
    again = fit_model(ENV, "linear_regression", merged, "");
    for (unsigned i = 0; i < 5; i++)
        CHECK_NEAR(score(again, i), score(model, i), 1e-12);
    again = model_again(ENV, model);
    CHECK_INT(model_compare(again, model), 0);
    CHECK(score(again, 7) == score(model, 7));
}

/* The same terms from rows and from moments. */
static void test_rows(void)
{
    const Model *of_rows = rows_model(ENV, estimator_find("tree_regression"), rows_of("a * c + scale(a)"), "{\"min_samples_leaf\": 5}");
    uint32_t of_tree, of_line;
    const double *tree = model_f64(of_rows, "formula_parameters", &of_tree);
    Model *of_moments = fit_model(ENV, "linear_regression", deferred("a * c + scale(a)", 0, ROWS), "");
    const double *line = model_f64(of_moments, "formula_parameters", &of_line);

    CHECK_INT(of_tree, of_line);
    for (uint32_t i = 0; i < of_tree; i++)
        CHECK_NEAR(tree[i], line[i], 1e-14);
    CHECK_INT(of_rows->field_count, of_moments->field_count);
    CHECK(isfinite(score(of_rows, 3)));
}

static void test_refusals(void)
{
    if (TRY(host)) {
        state_merge(ENV, deferred("a * c", 0, 9), deferred("a:c", 9, 20));
        CHECK(false);
    } else {
        CHECK_TEXT(host->message, "cannot merge: one has the formula \"a * c\", the other \"a:c\"");
    }
    TRY_END(host);
    host->env.memory_limit = 10000;
    if (TRY(host)) {
        deferred("a * c", 0, 100000);
        CHECK(false);
    } else {
        CHECK(strstr(host->message, "rows of 3 numbers for the terms of the formula") != NULL);
        CHECK(strstr(host->hint, "pgfit.fit_mem") != NULL);
    }
    TRY_END(host);
    host->env.memory_limit = (size_t)1 << 30;
}

/* A state with a formula of columns that it does not have, or options whose formula is no text. */
static void test_forged_states(void)
{
    static const char *const options[] = {"{\"formula\": \"y ~ a\"}", "{\"formula\": 7}", "{\"l\": 1}", "{}"};
    FitInput input = {.kind = INPUT_ROWS, .rows = rows_of("poly(nosuch, 2)")};

    CHECK_FAILS(host, ERROR_CORRUPT, "the formula does not fit the rows: ", formula_fit_learns(ENV, &input));
    CHECK_FAILS(host, ERROR_CORRUPT, "the formula does not fit the rows: 2 features for a formula of 1",
                (input.rows = rows_of("poly(a, 2)"), formula_fit_learns(ENV, &input)));
    input.rows = rows_of("poly(a, 2) + c");
    CHECK(formula_fit_learns(ENV, &input));
    for (int i = 0; i < 4; i++) {
        ModelBuilder *builder = model_builder(ENV, MODEL_FITTED, "test");
        const char *formula;

        builder_options(builder, options[i], (uint32_t)strlen(options[i]));
        formula = formula_of_moments(ENV, model_build(builder));
        CHECK(i == 0 ? formula != NULL && strcmp(formula, "y ~ a") == 0 : formula == NULL);
    }
}

/* Bytes of the inputs and the parameters from outside are never read out of bounds. */
static void test_forged(void)
{
    static const char *const names[] = {"formula_inputs", "formula_parameters"};
    Model *whole = deferred("a * c + poly(a, 2) + cut(a, 3)", 0, ROWS);
    Model *model = fit_model(ENV, "linear_regression", whole, "");
    unsigned long accepted = 0, refused = 0;
    uint64_t seed = 5;

    for (unsigned n = 0; n < 3000; n++) {
        Model *volatile forged = state_copy(ENV, model);
        const ModelEntry *entry = model_find(forged, names[n % 4 == 0]);
        uint32_t bytes = (uint32_t)model_entry_bytes(forged, entry);

        ((char *)forged)[entry->offset + (uint32_t)(random_uniform(&seed) * bytes)] = (char)(random_uniform(&seed) * 256);
        forged->fingerprint = 0;
        if (TRY(host)) {
            if (model_check(ENV, forged, forged->size) == NULL) {
                for (unsigned i = 0; i < 3; i++)
                    score(forged, i);
                accepted++;
            } else {
                refused++;
            }
        } else {
            CHECK(host->code != ERROR_INTERNAL);
            refused++;
        }
        TRY_END(host);
        ENV->release(ENV, forged);
    }
    CHECK(refused > 0);
    CHECK(accepted > 0);
}

int main(void)
{
    host = host_new();
    host->env.memory_limit = (size_t)1 << 30;
    test_moments();
    test_rows();
    test_refusals();
    test_forged();
    test_forged_states();
    host_free(host);
    return check_report();
}
