-- random effects of a model

CREATE FUNCTION pgfit.random_effects(model pgfit.model, OUT "grouping" text, OUT level text, OUT term text, OUT estimate float8, OUT std_error float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.random_effects(pgfit.model) IS
'Returns the predicted random effects of mixed_regression, one row per group and effect. Columns: grouping (the grouping factor, such as school:class), level (the group), term, estimate, and its conditional standard error, given variances and fixed effects. Fails with wrong_object_type for a model without random effects.';

CREATE FUNCTION pgfit.random_variances(model pgfit.model, OUT "grouping" text, OUT term text, OUT other_term text, OUT variance float8, OUT std_dev float8, OUT correlation float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.random_variances(pgfit.model) IS
'Returns the variances of the random effects of mixed_regression and of its residuals. One row per effect has variance and std_dev; one per pair of effects that may be correlated names other_term, and has their covariance as variance and their correlation; the last one, (residual), is that of the residuals. Fails with wrong_object_type for a model without random effects.';
