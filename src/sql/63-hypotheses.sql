
-- linear combinations of coefficients

CREATE FUNCTION pgfit.wald_test(model pgfit.model, hypothesis text) RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_wald_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.wald_test(pgfit.model, text) IS
'Tests linear restrictions of the coefficients of linear_regression or logistic_regression, such as ''carat = 2 * depth, "cut=Ideal" = 0'', as linearHypothesis of the R package car does: by F for linear_regression, by chi-square for logistic_regression, from the covariance that the model keeps, robust or not; with clusters by F, whose denominator has one degree of freedom less than there are clusters. A side without = is compared with 0. Terms are called as in coefficients(model); intercept is (intercept). Fails with invalid_parameter_value for unknown and dropped terms, restrictions that are not linear, contradict each other or follow from others, and with wrong_object_type for models without a covariance of the coefficients of one equation.';

CREATE FUNCTION pgfit.linear_combinations(model pgfit.model, combinations text, options pgfit.call_options DEFAULT '{}',
    OUT combination text, OUT estimate float8, OUT std_error float8, OUT statistic float8, OUT p_value float8, OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_linear_combinations' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 3;
COMMENT ON FUNCTION pgfit.linear_combinations(pgfit.model, text, pgfit.call_options) IS
'Estimates linear combinations of the coefficients of linear_regression or logistic_regression, such as ''carat - depth, 2 * "cut=Ideal", intercept + 1.5 * carat'', one row each, with standard errors, tests against 0 and limits, as glht of the R package multcomp does without adjustment, from the covariance that the model keeps, robust or not. Tests are those of coefficients(model); a combination of coefficients with degrees of freedom of their own (CR2) has the fewest of them. Option: level (of the limits, by default that of the fit). Fails as wald_test does.';
