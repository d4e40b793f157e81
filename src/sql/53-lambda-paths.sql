-- ---- penalized linear models of many lambdas ----

CREATE FUNCTION pgfit.at_lambda(model pgfit.model, lambda float8) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_at_lambda' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.at_lambda(pgfit.model, float8) IS
'The model of one lambda from a model that keeps its path (lambda an array or a word, or option "path"): as a fit with this lambda alone gives it. lambda must be one of pgfit.lambda_path(model), to nine digits; nothing is interpolated. wrong_object_type: a model without lambda; data_exception: one that keeps no path; invalid_parameter_value: another lambda; the message names the nearest.';

CREATE FUNCTION pgfit.coefficient_path(model pgfit.model, OUT lambda float8, OUT term text, OUT estimate float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.coefficient_path(pgfit.model) IS
'The coefficients of all lambdas of a path, the greatest lambda first: a row a lambda and term, terms and units as coefficients() has them. wrong_object_type: a model without lambda; data_exception: one that was fitted with one lambda and keeps no path (option "path").';

CREATE FUNCTION pgfit.lambda_path(model pgfit.model, OUT lambda float8, OUT chosen boolean, OUT nonzero bigint, OUT mean_error float8, OUT std_error float8, OUT pooled_error float8, OUT fold_errors float8[], OUT criterion float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.lambda_path(pgfit.model) IS
'The lambdas that a fit looked at, the greatest first: whether the model has this one, how many coefficients are not 0; from cross-validation the mean over the folds of their mean squared errors, its standard error, the mean squared error over all rows, and the errors of the folds in rising order of the folds; and the criterion (aic, bic or gcv) that chose lambda. What was not asked for is NULL; errors are in the square of the unit of the target. wrong_object_type: a model without lambda.';
