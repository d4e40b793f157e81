-- paths of penalized linear models: coefficients and errors for many lambdas

CREATE FUNCTION pgfit.at_lambda(model pgfit.model, lambda float8) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_at_lambda' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.at_lambda(pgfit.model, float8) IS
'Returns the model of one lambda from a model that keeps its path (lambda an array or a word, or option "path"), as a fit with this lambda alone would return it. lambda must be one of pgfit.lambda_path(model), to nine digits; nothing is interpolated. Fails with wrong_object_type for a model without lambda, data_exception for a model that keeps no path, invalid_parameter_value for another lambda; the message names the nearest one.';

CREATE FUNCTION pgfit.coefficient_path(model pgfit.model, OUT lambda float8, OUT term text, OUT estimate float8, OUT class text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.coefficient_path(pgfit.model) IS
'Returns the coefficients of all lambdas of a path, the greatest lambda first, one row per lambda and term; terms and units as in coefficients(), with the class of the equation where a logistic_regression has several. Fails with wrong_object_type for a model without lambda, data_exception for a model of a single lambda, which keeps no path (option "path").';

CREATE FUNCTION pgfit.lambda_path(model pgfit.model, OUT lambda float8, OUT chosen boolean, OUT nonzero bigint, OUT mean_error float8, OUT std_error float8, OUT pooled_error float8, OUT fold_errors float8[], OUT criterion float8, OUT penalty float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.lambda_path(pgfit.model) IS
'Returns the lambdas that a fit tried, the greatest first, with their errors. Columns: whether the model has this lambda; how many coefficients are not 0; from cross-validation, the mean over the folds of their mean squared errors, its standard error, the mean squared error over all rows, and the errors of the folds in ascending order; the criterion (aic, bic or gcv) that chose lambda; and the penalty of the coefficients without its factor lambda (for ridge_regression the sum of squares, for lasso_regression of absolute values). Uses NULL for what the fit did not compute. Errors are in the squared unit of the target; for logistic_regression they are the mean loss of a row, -log(probability of its class). Fails with wrong_object_type for a model without lambda.';
