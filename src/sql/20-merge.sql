-- merging moments

CREATE FUNCTION pgfit.merge(a pgfit.model, b pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_merge' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.merge(pgfit.model, pgfit.model) IS
'The moments of the rows of both: what moments, class_moments or feature_moments would have gathered from all of them at once. NULL stands for no rows. Moments of another kind or a fitted model: wrong_object_type; of other features: data_exception; with other options: invalid_parameter_value.';

