-- generalized linear models one iteration at a time, without keeping rows: the first model

CREATE FUNCTION pgfit_textbook.glm_start(moments pgfit.model, options pgfit.call_options DEFAULT '{}', method text DEFAULT 'glm') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_glm_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_textbook.glm_start(pgfit.model, pgfit.call_options, text) IS
'Returns the model that glm_step starts from, from moments of the rows; method is glm, gamma_regression, negative_binomial_regression, poisson_regression or tweedie_regression, and options are those of the method, which all steps follow. NULL without rows. Fails with wrong_object_type for other moments, data_exception for a mean of the targets that the link has no score of, invalid_parameter_value for options that need the rows.';
