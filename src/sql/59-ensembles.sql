-- models made of models

CREATE FUNCTION pgfit.ensemble(models pgfit.model[], options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_ensemble_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.ensemble(pgfit.model[], pgfit.call_options) IS
'Returns one model that averages the predictions of fitted models, or the probabilities of fitted classifiers. Features are matched by name, or by position where no model has names; models may have formulas of their own, and may be pipelines. options: voting (soft averages; hard lets classifiers vote) and model_weights (one number per model). Fails with wrong_object_type for models of different tasks, moments or another ensemble, invalid_parameter_value if features or columns of one name are of different kinds, or classes differ.';

CREATE FUNCTION pgfit.ensemble(model pgfit.model, VARIADIC others pgfit.model[]) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_ensemble' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.ensemble(pgfit.model, pgfit.model[]) IS
'Returns one model that averages the predictions of fitted models, or the probabilities of fitted classifiers, given as arguments. Fails as ensemble(models) does.';
