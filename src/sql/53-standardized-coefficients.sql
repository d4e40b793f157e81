-- coefficients of a linear regression in standard deviations

CREATE FUNCTION pgfit.standardized_coefficients(model pgfit.model, OUT term text, OUT estimate float8, OUT std_error float8, OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.standardized_coefficients(pgfit.model) IS
'Returns the standardized (beta) coefficients of a linear_regression with option "standardize": by how many standard deviations the prediction changes when a term grows by one of its own, with the same terms as coefficients(), without the intercept. Levels count as terms of 0 and 1. NULL for dropped terms, and where the target does not vary. Fails with wrong_object_type for a model without the option, and for another kind of model.';
