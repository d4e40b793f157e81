/*
 * test_nist.c - the NIST linear least squares sets: the fewest correct digits of any coefficient over 20
 * row orders, in one state and merged from 7 that went through text. The bars are the file's.
 */
#include "check.h"
#include "fit.h"
#include "core/base/json.h"

#include <stdlib.h>

#define ORDERS 20
#define PARTS 7
#define MOST_ROWS 100
#define MOST_TERMS 16

typedef struct Set {
    char id[64];
    uint32_t rows, features, terms;
    bool intercept;
    double x[MOST_ROWS * MOST_TERMS], y[MOST_ROWS];
    double coefficients[MOST_TERMS], errors[MOST_TERMS];
    double bar;
} Set;

static char *read_file(Env *env, const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text;

    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    text = env->alloc(env, *length + 1);
    if (fread(text, 1, *length, file) != *length)
        *length = 0;
    text[*length] = 0;
    fclose(file);
    return text;
}

static uint32_t read_numbers(Env *env, const Json *list, double *out, uint32_t most)
{
    uint32_t count = 0;

    for (const Json *e = json_first(list); e != NULL && count < most; e = json_next(list, e))
        out[count++] = json_number(env, e);
    return count;
}

/* A case of the file; powers of the one column where it asks for a degree. */
static void read_set(Env *env, const Json *set, Set *out)
{
    const Json *input = json_get(set, "input"), *params = json_get(set, "params");
    const Json *expected = json_get(set, "expected"), *degree = json_get(params, "degree");
    const Json *x = json_get(input, "x"), *intercept = json_get(params, "intercept");
    double row[MOST_TERMS];
    uint32_t rows = 0, columns = 1;

    memset(out, 0, sizeof(*out));
    snprintf(out->id, sizeof(out->id), "%s", json_string(env, json_get(set, "id")));
    out->intercept = intercept->type == JSON_TRUE;
    out->rows = read_numbers(env, json_get(input, "y"), out->y, MOST_ROWS);
    for (const Json *e = json_first(x); e != NULL; e = json_next(x, e), rows++) {
        columns = read_numbers(env, e, row, MOST_TERMS);
        out->features = columns;
        if (degree != NULL && degree->type == JSON_NUMBER) {
            out->features = (uint32_t)json_number(env, degree);
            for (uint32_t j = 1; j < out->features; j++)
                row[j] = pow(row[0], j + 1);
        }
        memcpy(out->x + (size_t)rows * out->features, row, out->features * sizeof(double));
    }
    out->terms = read_numbers(env, json_get(expected, "coefficients"), out->coefficients, MOST_TERMS);
    read_numbers(env, json_get(expected, "std_errors"), out->errors, MOST_TERMS);
    out->bar = json_number(env, json_get(json_get(set, "tolerance"), "min_lre_coefficients"));
}

/* Correct digits, at most 15. */
static double digits(double found, double truth)
{
    double error = truth != 0 ? fabs(found - truth) / fabs(truth) : fabs(found);

    if (!(error < 1))
        return 0;
    return error == 0 ? 15 : fmin(15, -log10(error));
}

static double worst_digits(Env *env, const Set *set, const Model *state, double *worst_error)
{
    Model *model = fit_model(env, "linear_regression", state,
                             set->intercept ? "{}" : "{\"intercept\": false}");
    Coefficient *list;
    double worst = 15;
    uint32_t count = estimator_of(model)->coefficients(env, model, &list);

    if (count != set->terms)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        worst = fmin(worst, digits(list[i].estimate, set->coefficients[i]));
        *worst_error = fmin(*worst_error, digits(list[i].std_error, set->errors[i]));
    }
    return worst;
}

static void test_set(Host *host, const Set *set)
{
    uint32_t order[MOST_ROWS];
    uint64_t seed = 1;
    double serial = 15, merged = 15, serial_error = 15, merged_error = 15;

    for (int i = 0; i < ORDERS; i++) {
        Env *env = &host->env;
        Model *state, *sum = NULL;
        random_order(&seed, order, set->rows);
        if (i == 0)
            for (uint32_t k = 0; k < set->rows; k++)
                order[k] = k;
        state = state_rows(env, set->x, set->y, NULL, set->features, order, 0, set->rows);
        serial = fmin(serial, worst_digits(env, set, state, &serial_error));
        for (uint32_t p = 0; p < PARTS; p++) {
            Model *part = state_rows(env, set->x, set->y, NULL, set->features, order,
                                     set->rows * p / PARTS, set->rows * (p + 1) / PARTS);
            Model *stored = model_again(env, moments_finish(env, part));
            sum = sum == NULL ? stored : state_merge(env, sum, stored);
        }
        merged = fmin(merged, worst_digits(env, set, sum, &merged_error));
    }
    printf("%-16s bar %4.1f  serial %5.2f  merged %5.2f  (std errors %5.2f %5.2f)\n", set->id,
           set->bar, serial, merged, serial_error, merged_error);
    check_that(serial >= set->bar, __FILE__, __LINE__, "%s: %.2f digits", set->id, serial);
    check_that(merged >= set->bar, __FILE__, __LINE__, "%s merged: %.2f digits", set->id, merged);
}

int main(void)
{
    Host *host = host_new();
    size_t length = 0;
    char *text = read_file(&host->env, "test/golden/nist.json", &length);
    static Set sets[16];
    uint32_t count = 0;

    if (!CHECK(text != NULL))
        return check_report();
    const Json *root = json_parse(&host->env, text, length, ERROR_TEXT, "nist.json");
    const Json *cases = json_get(root, "cases");
    for (const Json *set = json_first(cases); set != NULL && count < 16; set = json_next(cases, set))
        read_set(&host->env, set, &sets[count++]);
    CHECK_INT(count, 11);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_WORKS(host, test_set(host, &sets[i]));
        host_reset(host);
    }
    host_free(host);
    return check_report();
}
