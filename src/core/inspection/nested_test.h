/*
 * nested_test.h - whether the additional terms of the larger of two nested models improve it by more than chance.
 */
#ifndef PGFIT_NESTED_TEST_H
#define PGFIT_NESTED_TEST_H

#include "core/estimator/estimator.h"

typedef struct NestedTest {
    const char *test; /* "F" or "likelihood ratio"; "Wald F" or "Wald" where the standard errors of the larger model are robust */
    double statistic, p_value; /* NAN where the larger model fits its rows perfectly */
    double df, df_residual; /* additional coefficients; degrees of freedom that the larger model leaves, NAN without */
} NestedTest;

/*
 * Compares two models of linear_regression or of logistic_regression without a penalty, both fitted to the same rows. Fails
 * with ERROR_KIND for other models, ERROR_PARAMETER for models of other rows, weights or targets, if the second has no more coefficients, lacks
 * a column of the first, or fits worse. Otherwise whether the terms of the first are among those of the second is up to the caller.
 */
NestedTest nested_test(Env *env, const Model *smaller, const Model *larger);

#endif
