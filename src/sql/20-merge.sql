-- merging moments and forests

CREATE FUNCTION pgfit.merge(a pgfit.model, b pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_merge' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.merge(pgfit.model, pgfit.model) IS
'Returns the moments of the rows of both arguments: what moments, class_moments or feature_moments would return for all these rows at once; or one forest with the trees of two. NULL stands for no rows. Fails with wrong_object_type for different kinds of values or models that do not merge, data_exception for different features, invalid_parameter_value for different options.';

