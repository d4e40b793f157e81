/*
 * variance_inflation.c - the table vif of regressions with standard errors: how much the variances of the coefficients of a term grow because the other
 * terms are correlated with it.
 *
 * From the correlation matrix R of the coefficients: |R_ss| |R_rest| / |R| (Fox & Monette 1992), for a term of one coefficient the variance inflation
 * factor. |R_rest| / |R| is |(R^-1)_ss|, which a factor of R gives.
 */
#include "core/linear_equations/variance_inflation.h"

#include "core/estimator/table.h"
#include "core/formula/formula_model.h"
#include "core/inference/robust_model.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_model.h"

typedef struct Inflation {
    const char *const *names; /* of the terms of the formula */
    uint32_t *term;           /* [count] of each coefficient that is not dropped */
    uint32_t *df;             /* [terms] their coefficients */
    uint32_t *shown;          /* the terms that have any */
    uint32_t count;
    double *correlation; /* [count x count] */
    double *factor;      /* its Cholesky factor */
    bool singular;
} Inflation;

static bool has_covariance(const Model *model)
{
    return model_find(model, "covariance" MODEL_PACKED) != NULL;
}

/* Sets the correlations of the coefficients at these places of the covariance, and their factor. */
static void set_correlation(Env *env, Inflation *inflation, const double *packed, const uint32_t *places)
{
    uint32_t count = inflation->count;
    size_t size = (size_t)count * count;

    env_require_memory(env, 2 * size * sizeof(double), "the correlations of the coefficients");
    inflation->correlation = env_array(env, 2 * size + 1, sizeof(double));
    inflation->factor = inflation->correlation + size;
    for (uint32_t j = 0; j < count; j++) {
        double own = sqrt(packed[factor_packed(places[j]) + places[j]]);

        for (uint32_t i = 0; i <= j; i++) {
            double other = sqrt(packed[factor_packed(places[i]) + places[i]]);
            double r = i == j ? 1 : packed[factor_packed(places[j]) + places[i]] / own / other;

            inflation->singular = inflation->singular || !isfinite(r);
            inflation->correlation[(size_t)j * count + i] = inflation->correlation[(size_t)i * count + j] = r;
        }
        env->poll(env);
    }
    memcpy(inflation->factor, inflation->correlation, size * sizeof(double));
    inflation->singular = inflation->singular || cholesky_factor(env, inflation->factor, count, 0) < count;
}

static void *open_inflation(Env *env, const Model *model, uint64_t *rows)
{
    Inflation *inflation = env_array(env, 1, sizeof *inflation);
    uint32_t terms, groups, length, first = model_find(model, "intercept") != NULL;
    const LinearTerm *list = linear_terms(env, model, &terms);
    Coefficient *estimates;
    const uint32_t *slot_terms = formula_slot_terms(env, model, &inflation->names, &groups);
    uint32_t *places = env_array(env, (size_t)terms + 1, sizeof(uint32_t));

    if (robust_is(model))
        env_fail(env, ERROR_KIND, "Fit the model again without \"vcov\".",
                 "vif needs classical standard errors, and this model of %.31s has robust ones", model->estimator);
    linear_estimates(env, model, &estimates);
    inflation->term = env_array(env, (size_t)terms + 1, sizeof(uint32_t));
    inflation->df = env_array(env, (size_t)groups + 1, sizeof(uint32_t));
    inflation->shown = env_array(env, (size_t)groups + 1, sizeof(uint32_t));
    for (uint32_t t = 0; t < terms; t++) {
        if (isnan(estimates[t + first].estimate) || estimates[t + first].std_error == 0)
            continue;
        places[inflation->count] = t + first;
        inflation->term[inflation->count++] = slot_terms[list[t].slot];
        inflation->df[slot_terms[list[t].slot]]++;
    }
    *rows = 0;
    for (uint32_t g = 0; g < groups; g++)
        if (inflation->df[g] > 0)
            inflation->shown[(*rows)++] = g;
    set_correlation(env, inflation, model_f64(model, "covariance" MODEL_PACKED, &length), places);
    return inflation;
}

/* Returns the logarithm of the determinant of a matrix, which is destroyed; NaN if it is not positive definite. */
static double log_determinant(Env *env, double *a, uint32_t n)
{
    double sum = 0;

    if (cholesky_factor(env, a, n, 0) < n)
        return NAN;
    for (uint32_t i = 0; i < n; i++)
        sum += 2 * log(a[(size_t)i * n + i]);
    return sum;
}

/* Returns the inflation factor of a term of df coefficients. */
static double inflation_of(Env *env, const Inflation *inflation, uint32_t term, uint32_t df)
{
    uint32_t count = inflation->count, done = 0;
    double *unit = env_array(env, (size_t)count * df, sizeof(double)), *own = env_array(env, (size_t)df * df, sizeof(double));
    double *inverse = env_array(env, (size_t)df * df, sizeof(double)), sum;
    uint32_t *at = env_array(env, df, sizeof(uint32_t));

    for (uint32_t i = 0; i < count; i++)
        if (inflation->term[i] == term)
            at[done++] = i;
    for (uint32_t j = 0; j < df; j++)
        unit[(size_t)j * count + at[j]] = 1;
    cholesky_solve(env, inflation->factor, count, unit, df);
    for (uint32_t j = 0; j < df; j++)
        for (uint32_t i = 0; i < df; i++) {
            own[(size_t)j * df + i] = inflation->correlation[(size_t)at[j] * count + at[i]];
            sum = 0;
            for (uint32_t k = 0; k < count; k++)
                sum += unit[(size_t)j * count + k] * unit[(size_t)i * count + k];
            inverse[(size_t)j * df + i] = sum;
        }
    return df == 1 ? inverse[0] : exp(log_determinant(env, own, df) + log_determinant(env, inverse, df));
}

static bool inflation_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Inflation *inflation = reader;
    uint32_t term = inflation->shown[i], df = inflation->df[term];
    double vif = inflation->singular ? NAN : inflation_of(env, inflation, term, df);

    (void)model;
    cell_string(&cells[0], inflation->names[term]);
    cell_number(&cells[1], vif);
    cell_integer(&cells[2], df);
    cell_number(&cells[3], pow(vif, 0.5 / df));
    return true;
}

const Table variance_inflation_table = {.name = "vif", .has = has_covariance, .open = open_inflation, .row = inflation_row};

const Table *const inflation_tables[] = {&variance_inflation_table, NULL};
