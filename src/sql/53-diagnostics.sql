
-- diagnostics of fits

CREATE TYPE pgfit.influence_result AS (
    fitted float8, residual float8, standardized float8, studentized float8, deviance_residual float8, leverage float8, cooks_distance float8, dffits float8);
COMMENT ON TYPE pgfit.influence_result IS
'How a row of a fit differs from it and influences it: the fitted value, the residual, the residual divided by its standard error, with all rows (standardized) and without this one (studentized), the deviance residual, the leverage, Cook''s distance, and DFFITS; NULL where a method has no such thing.';

CREATE FUNCTION pgfit.influence(model pgfit.model, target "any", features "any", weight float8 DEFAULT NULL) RETURNS pgfit.influence_result
AS 'MODULE_PATHNAME', 'pgfit_influence' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.influence(pgfit.model, "any", "any", float8) IS
'Returns residuals, leverage and influence of a row of the fit. Uses the covariance that the model keeps. linear_regression, and logistic_regression of two classes without a penalty, have all columns: those of residuals, rstandard, rstudent, hatvalues, cooks.distance and dffits of R. Other regressions have only the fitted value and the residual. For cox_regression, whose target is the time, fitted is the expected number of events, and the residuals are the martingale and the deviance residual. For ordinal_regression, fitted is the probability of the row''s class, and the residual the probability of lower classes minus that of higher ones. Arguments: features as in predict; the target in the unit of the fit, or the label; the weight of the fit. Without a target, all columns but fitted are NULL. Fails with invalid_parameter_value if the fit had weights and none is passed, or the reverse, wrong_object_type for other models and for robust standard errors.';

CREATE FUNCTION pgfit.augment(model pgfit.model, source text, options pgfit.call_options DEFAULT '{}',
    OUT data jsonb, OUT fitted float8, OUT residual float8, OUT standardized float8, OUT studentized float8, OUT deviance_residual float8, OUT leverage float8,
    OUT cooks_distance float8, OUT dffits float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_augment' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 1000;
COMMENT ON FUNCTION pgfit.augment(pgfit.model, text, pgfit.call_options) IS
'Returns the rows of a source, a table, view or query, as jsonb, with the columns of influence. Reads the source with the rights of the caller. Options: target (the column; by default that of the formula of the fit), weight (the column of the weights of the fit). Rows with a NULL among the features have NULLs, rows without a target a fitted value alone. Fails as influence does, with invalid_parameter_value where the target is not known, undefined_column for a column that is not there.';

CREATE FUNCTION pgfit.glance(model pgfit.model, OUT r_squared float8, OUT adj_r_squared float8, OUT sigma float8, OUT statistic float8, OUT df float8,
    OUT p_value float8, OUT log_lik float8, OUT aic float8, OUT bic float8, OUT deviance float8, OUT df_residual float8, OUT rows bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1;
COMMENT ON FUNCTION pgfit.glance(pgfit.model) IS
'Returns the statistics of a fit in one row: R-squared, adjusted R-squared, the residual standard error (of robust regressions the scale) in the unit of the target, the F test of all terms, the log-likelihood, AIC and BIC, the deviance (of least squares the residual sum of squares), the residual degrees of freedom, and the rows; NULL where a method has no such thing. Fails with wrong_object_type for other models than regressions and classifiers with a likelihood.';

CREATE FUNCTION pgfit.vif(model pgfit.model, OUT term text, OUT vif float8, OUT df int, OUT scaled float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.vif(pgfit.model) IS
'Returns variance inflation factors, one row per term of the formula. Columns: how many times the variance of its coefficient is what it would be if the term were not correlated with the others; for a term of several coefficients (df) the generalized factor of Fox and Monette. scaled is vif^(1 / (2 df)), which compares terms of different df. NULL where the terms are dependent in double precision. Fails with wrong_object_type for models without a covariance of coefficients and for robust standard errors.';

CREATE FUNCTION pgfit.step(model pgfit.model, options pgfit.call_options DEFAULT '{}', OUT step int, OUT action text, OUT term text, OUT df int, OUT rss float8, OUT criterion float8,
    OUT chosen boolean, OUT formula text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.step(pgfit.model, pgfit.call_options) IS
'Chooses terms of a linear regression by AIC or BIC from the fitted model alone, as step() of R does. Returns one row per step, or of all subsets the best of each size, with the term that was added or left out, the coefficients without the intercept (df), the residual sum of squares, the criterion, whether the row is the choice, and its formula. Terms stay while a product of them does. Fails with wrong_object_type for other models and for robust standard errors, data_exception for a perfect fit, program_limit_exceeded for all subsets of more than 20 terms.';

CREATE FUNCTION pgfit.permutation_importance(model pgfit.model, source text, target text, options pgfit.call_options DEFAULT '{}',
    OUT feature text, OUT importance float8, OUT std_error float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_permutation_importance' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 10;
COMMENT ON FUNCTION pgfit.permutation_importance(pgfit.model, text, text, pgfit.call_options) IS
'Returns by how much a metric gets worse when the values of a column are permuted over the rows of a source. A source is a table, view or query. Returns the mean over several permutations and its standard error, one row per column that the model reads, or per group of columns. Above 0 the model relies on the column. Reads the source once, with the rights of the caller; rows without a target or without a score are left out. Options: metric, positive, repeats, seed, groups, weight, features. Fails with wrong_object_type for a model that predicts no target, invalid_parameter_value for a metric or column that there is not, undefined_column for another column of the source, data_exception for a source without rows that have a score.';

CREATE FUNCTION pgfit.partial_dependence(model pgfit.model, source text, feature text, options pgfit.call_options DEFAULT '{}',
    OUT id text, OUT value float8, OUT level text, OUT by_value float8, OUT by_level text, OUT class text, OUT estimate float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_partial_dependence' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 20;
COMMENT ON FUNCTION pgfit.partial_dependence(pgfit.model, text, text, pgfit.call_options) IS
'Returns the mean prediction over all rows of a source, with a column set to each value of a grid. A source is a table, view or query. Averages the prediction, or the probability of each class, of two classes that of the positive one; for classifiers without probabilities the decision. With "kind": "ice" one curve per row. value is a number or level a text. Reads the source once, with the rights of the caller. Options: grid, percentiles, values, by, by_values, kind, id, centered, class, weight, features. Fails with wrong_object_type for a model that predicts no target, invalid_parameter_value for a column that the model does not read and for values that it cannot have, data_exception for a source without rows that have a score.';

CREATE FUNCTION pgfit.accumulated_effects(model pgfit.model, source text, feature text, options pgfit.call_options DEFAULT '{}',
    OUT value float8, OUT level text, OUT class text, OUT effect float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_accumulated_effects' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 20;
COMMENT ON FUNCTION pgfit.accumulated_effects(pgfit.model, text, text, pgfit.call_options) IS
'Returns the accumulated local effects of a column (ALE). These are the differences of what a model says at both ends of an interval, averaged over the rows of a source in that interval alone, summed up from interval to interval, with a mean of 0 over the rows. Levels are put in an order of similarity, or in that of option order. Reads the source once, with the rights of the caller. Options: intervals, order, class, weight, features. Fails as partial_dependence does.';
