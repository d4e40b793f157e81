
-- linear combinations of coefficients

CREATE FUNCTION pgfit.wald_test(model pgfit.model, hypothesis text) RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_wald_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.wald_test(pgfit.model, text) IS
'Tests linear restrictions of the coefficients of a regression of one equation, such as ''carat = 2 * depth, "cut=Ideal" = 0'', as linearHypothesis of the R package car does. Uses F where coefficients(model) has t tests and chi-square where it has z tests, and the covariance that the model keeps, robust or not. With clusters it uses F, whose denominator has one degree of freedom less than there are clusters; for mixed_regression, the fewest degrees of freedom of the coefficients. A side without = is compared with 0. Terms are called as in coefficients(model); intercept is (intercept). Fails with invalid_parameter_value for unknown and dropped terms, restrictions that are not linear, contradict each other or follow from others, and with wrong_object_type for models without a covariance of the coefficients of one equation.';

CREATE FUNCTION pgfit.breusch_pagan_test(squares pgfit.model) RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_breusch_pagan_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.breusch_pagan_test(pgfit.model) IS
'Tests whether residuals have one variance, as bptest of the R package lmtest does (studentized). The statistic is the rows times R squared of squares, a linear_regression of the squared residuals, by chi-square with as many degrees of freedom as it has terms. With squares and products in its formula it is White''s test. Fails with wrong_object_type for other models, those with weights and those without an intercept, data_exception for squares that do not vary.';

CREATE FUNCTION pgfit.linear_combinations(model pgfit.model, combinations text, options pgfit.call_options DEFAULT '{}',
    OUT combination text, OUT estimate float8, OUT std_error float8, OUT statistic float8, OUT p_value float8, OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_linear_combinations' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 3;
COMMENT ON FUNCTION pgfit.linear_combinations(pgfit.model, text, pgfit.call_options) IS
'Estimates linear combinations of the coefficients of a regression of one equation, such as ''carat - depth, 2 * "cut=Ideal", intercept + 1.5 * carat'', as glht of the R package multcomp does without adjustment. Returns one row each, with standard errors, tests against 0 and limits, from the covariance that the model keeps, robust or not. Tests are those of coefficients(model); a combination of coefficients with degrees of freedom of their own (CR2, mixed_regression) has the fewest of them. Option: level (of the limits, by default that of the fit). Fails as wald_test does.';

-- averages of predictions

CREATE FUNCTION pgfit.margins(model pgfit.model, source text, feature text, options pgfit.call_options DEFAULT '{}',
    OUT variable text, OUT level text, OUT reference text, OUT class text, OUT estimate float8, OUT std_error float8, OUT df float8, OUT statistic float8, OUT p_value float8,
    OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_margins' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 3;
COMMENT ON FUNCTION pgfit.margins(pgfit.model, text, text, pgfit.call_options) IS
'Returns the average marginal effect of a column on the predictions over the rows of a source. Predictions are those of a regression, the mean of a generalized one, or the probability of the positive class of logistic_regression. The effect of a number is the mean derivative (central differences of the rows as the formula makes them). The effect of a category or boolean is the mean difference of each level from the reference. Standard errors come by the delta method from the covariance that the model keeps, robust or not; tests are those of coefficients(model). Uses the rights of the caller to read the source, a table, view or query. Options: at (an object that sets other columns, or the number itself, to a value), weight (a column), level (of the limits). Rows with a NULL among the columns of the model are left out. An effect that depends on terms dropped from the fit is NULL, with a WARNING. Fails with wrong_object_type for models without a covariance of the coefficients of one equation or without names of columns, undefined_column for a column that the source lacks, data_exception for a source without rows.';

CREATE FUNCTION pgfit.marginal_means(model pgfit.model, source text, feature text, options pgfit.call_options DEFAULT '{}',
    OUT variable text, OUT level text, OUT reference text, OUT class text, OUT estimate float8, OUT std_error float8, OUT df float8, OUT statistic float8, OUT p_value float8,
    OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_marginal_means' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 3;
COMMENT ON FUNCTION pgfit.marginal_means(pgfit.model, text, text, pgfit.call_options) IS
'Returns the estimated marginal mean of each level of a category or boolean, as emmeans of R does. This is the prediction averaged over all combinations of the levels of the other categories, with numbers at their means in the source, a table, view or query, which is read with the rights of the caller. Options: weights ("equal", or "proportional" to the rows of each combination), differences (true: all pairs of levels, level less reference, without adjustment), type ("link", or "response": of logistic_regression the probability, whose limits are those of the log odds), at (an object that sets columns to a value), weight (a column, for means and proportions), level (of the limits). Standard errors come from the covariance that the model keeps, robust or not. A mean that depends on terms dropped from the fit is NULL, with a WARNING. Fails as margins does.';
