-- merging moments and forests

CREATE FUNCTION pgfit.merge(a pgfit.model, b pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_merge' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.merge(pgfit.model, pgfit.model) IS
'Returns the moments of the rows of both arguments: what moments, class_moments or feature_moments would return for all these rows at once; or one forest with the trees of two. NULL stands for no rows. Fails with wrong_object_type for different kinds of values or models that do not merge, data_exception for different features, invalid_parameter_value for different options.';


CREATE FUNCTION pgfit_internal.merge_step(state pgfit.model, model pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_merge_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_internal.merge_step(pgfit.model, pgfit.model) IS 'Merges a model into the one before it.';

CREATE AGGREGATE pgfit.merge(model pgfit.model) (SFUNC = pgfit_internal.merge_step, STYPE = pgfit.model, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.merge(pgfit.model) IS
'Returns one forest with the trees of all these forests, which must have the same features and options and different seeds. Order them (merge(m ORDER BY seed)) for the same bits whatever the plan.';
