/*
 * linear_hypothesis.h - tests and limits of linear combinations of the coefficients of a fit, from the covariance that its model keeps.
 *
 * They use that covariance, robust or not, and its degrees of freedom, as coefficients() does: of a combination of several coefficients that have
 * degrees of freedom of their own (CR2, Satterthwaite's of mixed models), the fewest of them.
 */
#ifndef PGFIT_LINEAR_HYPOTHESIS_H
#define PGFIT_LINEAR_HYPOTHESIS_H

#include "core/estimator/table.h"
#include "core/hypothesis/hypothesis_tests.h"

/* What is known of the coefficients of a fit. */
typedef struct LinearInference {
    Env *env;
    const Model *model;
    const Coefficient *list; /* [count], those of dropped terms NaN */
    uint32_t count;
    const double *packed;    /* their covariance */
    const double *own_df;    /* [count]; NULL: all have df */
    double df;               /* of the residuals; INFINITY: tests by the normal distribution */
    double level;
} LinearInference;

/* Returns it. Fails with ERROR_KIND, naming the SQL function, for models that keep no covariance of the coefficients of one equation. */
LinearInference linear_inference(Env *env, const Model *model, const char *function);
/* Returns the degrees of freedom of a combination with these weights [count]. */
double linear_combination_df(const LinearInference *inference, const double *weights);
/*
 * Sets the tests of an estimate whose derivatives by the coefficients are the weights [count]. Fails with ERROR_RANGE where the standard error
 * overflows.
 */
void linear_combination_test(const LinearInference *inference, const double *weights, Coefficient *out);

/*
 * Tests restrictions such as 'a = b, 2 * c = 1': by F, or by chi-square where coefficients are tested by the normal distribution. Fails with
 * ERROR_PARAMETER if one names a dropped term, contradicts those before it or follows from them.
 */
void linear_wald_test(Env *env, const Model *model, const char *text, size_t length, HypothesisResult *result);

/*
 * Tests whether residuals have one variance (Breusch & Pagan 1979, studentized by Koenker 1981): n R^2 of a linear_regression of their squares.
 * Fails with ERROR_KIND for other models, and for those with a weight, a penalty or without an intercept.
 */
void linear_breusch_pagan_test(Env *env, const Model *squares, HypothesisResult *result);

/* The rows of linear_combinations(model, combinations, options). */
extern const Table linear_combinations_table;
void *linear_combinations_open(Env *env, const Model *model, const char *text, size_t length, const Options *options, uint64_t *rows);
extern const OptionSpec *const linear_combinations_options[];

#endif
