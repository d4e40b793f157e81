-- from stored moments: merging a column of them, and fits

CREATE FUNCTION pgfit_internal.merge_final(state pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_merge_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.merge_final(pgfit.model) IS 'Returns the result of merge from a state.';

CREATE AGGREGATE pgfit.merge(model pgfit.model) (
    SFUNC = pgfit.merge, STYPE = pgfit.model, SSPACE = 1024,
    FINALFUNC = pgfit_internal.merge_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = pgfit.merge, PARALLEL = SAFE,
    MSFUNC = pgfit.merge, MINVFUNC = pgfit_internal.window_drop, MSTYPE = pgfit.model, MSSPACE = 16384,
    MFINALFUNC = pgfit_internal.merge_final, MFINALFUNC_MODIFY = READ_ONLY);
COMMENT ON AGGREGATE pgfit.merge(pgfit.model) IS
'Returns the moments of the rows of all these moments, which must have the same features and options; or one forest with the trees of all these forests, which must have different seeds as well. Order forests (merge(m ORDER BY seed)) for the same bits whatever the plan.';

CREATE FUNCTION pgfit.fit(estimator text, moments pgfit.model, options pgfit.call_options DEFAULT NULL) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_moments' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION pgfit.fit(text, pgfit.model, pgfit.call_options) IS
'Fits an estimator, given by name, to moments, as in fit(''ridge_regression'', merge(m), ''{"lambda": 0.1}''). options: those of the estimator. NULL moments give NULL. Fails with wrong_object_type for moments of another kind and for estimators that need rows.';
